// Package page writes documents as one HTML file each: self-contained, with no reference
// to anything outside it, readable without colour and without scripts, and the same bytes
// for the same document. Tables are made of the rows that text, comma-separated values and
// JSON are made of, and say where in the JSON form each lies (data-json, data-field).
package page

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/internal/terminal"
)

//go:embed page.gohtml
var pageText string

//go:embed page.css
var style string

//go:embed page.js
var script string

var layout = template.Must(template.New("page").Parse(pageText))

// view is a page for the template.
type view struct {
	taken  map[string]bool // ids
	Title  string
	Style  template.CSS
	Script template.JS
	// Headline says in a line what the page says, where it is made for being one.
	Headline string
	Written  string
	Chapter  []*chapter
}

// chapter is a part of a page with a heading.
type chapter struct {
	ID, Title string
	Level     int
	Parts     []part
}

// part is what is below a heading: text, a picture, a table, text.
type part struct {
	ID      string
	Lead    []string
	Listing string
	Figure  *figure
	Table   *table
	Notes   []string
}

type figure struct {
	ID, Title, Description string
	SVG                    template.HTML
	Themed                 bool
}

type table struct {
	Caption string
	JSON    string
	Columns []column
	Rows    [][]cell
	Blank   bool
}

type column struct {
	Heading string
	Field   string
	Number  bool
}

type cell struct {
	Pieces []string // of the text, between which a line may end
	Value  string   // of numbers, as JSON has them
	Number bool
	Header bool
	Code   bool // a line of a program
}

// Write writes a document as a page.
func Write(d *report.Document) ([]byte, error) {
	v := view{taken: map[string]bool{"content": true, "contents": true}, Title: shown(cmp.Or(d.Title, "warpbound "+d.Kind)), Style: template.CSS(style), Script: template.JS(script)}
	v.Written = fmt.Sprintf("warpbound %s (%s)", d.Warpbound.Version, d.Warpbound.Commit)
	sections := d.Page
	if sections == nil {
		sections = titled(d.Sections)
	} else if first := lines(sections[0].Lead); len(first) > 0 {
		v.Headline = first[0]
	}
	for i := range sections {
		if err := v.add(&sections[i], i); err != nil {
			return nil, err
		}
	}
	var out bytes.Buffer
	if err := layout.Execute(&out, &v); err != nil {
		return nil, fmt.Errorf("writing the page: %w", err)
	}
	return out.Bytes(), nil
}

// titled are the sections of a text with headings, which are their ids.
func titled(list []report.Section) []report.Section {
	out := slices.Clone(list)
	for i := range out {
		if s := &out[i]; s.ID != "" && !s.Joined && s.Title == "" {
			first, size := utf8.DecodeRuneInString(s.ID)
			s.Title, s.Level = string(unicode.ToUpper(first))+strings.ReplaceAll(s.ID[size:], "_", " "), 2
		}
	}
	return out
}

// add adds a section, which goes on with the last chapter where it has no title.
func (v *view) add(s *report.Section, i int) error {
	id := fmt.Sprintf("figure-%d", i+1)
	if s.Title != "" || len(v.Chapter) == 0 {
		// The first chapter needs a heading, whatever it is of.
		v.Chapter = append(v.Chapter, &chapter{ID: v.own(cmp.Or(s.ID, "part"), i), Title: shown(cmp.Or(s.Title, "Report")), Level: max(s.Level, 2)})
	}
	c := v.Chapter[len(v.Chapter)-1]
	p := part{ID: id, Notes: lines(s.Notes)}
	lead := s.Lead
	if s.Write != nil {
		var written report.Printer
		s.Write(&written)
		lead = written.String() + lead
	}
	if s.Listing {
		p.Listing = shown(lead)
	} else {
		p.Lead = lines(lead)
	}
	if s.Figure != nil {
		f, err := drawn(id, s.Figure)
		if err != nil {
			return err
		}
		p.Figure = f
	}
	if s.Sheet != nil {
		p.Table = tableOf(s, cmp.Or(s.Title, c.Title))
	}
	c.Parts = append(c.Parts, p)
	return nil
}

// own is an id that nothing else has.
func (v *view) own(id string, i int) string {
	if v.taken[id] {
		id = fmt.Sprintf("%s-%d", id, i+1)
	}
	v.taken[id] = true
	return id
}

// shown is a text with its control characters made visible: names come from files.
func shown(s string) string { return terminal.Printable([]byte(strings.ToValidUTF8(s, "\uFFFD"))) }

// lines are the lines of a text that are not empty.
func lines(s string) []string {
	var out []string
	for line := range strings.Lines(s) {
		if line = strings.TrimRight(line, "\n"); strings.TrimSpace(line) != "" {
			out = append(out, shown(line))
		}
	}
	return out
}

// drawn is a picture with what it shows in words.
func drawn(id string, f *report.Figure) (*figure, error) {
	svg, ok := bytes.CutPrefix(bytes.TrimSpace(f.SVG), []byte("<svg "))
	if !ok {
		return nil, fmt.Errorf("the picture %q begins with %.20q, expected an element svg", f.Title, f.SVG)
	}
	title, description := template.HTMLEscapeString(shown(f.Title)), template.HTMLEscapeString(shown(f.Description))
	at := bytes.IndexByte(svg, '>')
	var b strings.Builder
	fmt.Fprintf(&b, `<svg role="img" aria-labelledby="%s-title %s-desc" `, id, id)
	b.Write(svg[:at+1])
	fmt.Fprintf(&b, "<title id=\"%s-title\">%s</title><desc id=\"%s-desc\">%s</desc>", id, title, id, description)
	b.Write(svg[at+1:])
	// Pictures are made by this program, names in them escaped there.
	return &figure{ID: id, Title: shown(f.Title), Description: shown(f.Description), SVG: template.HTML(b.String()), Themed: f.Themed}, nil
}

// tableOf is a sheet as a table: the columns of the text form.
func tableOf(s *report.Section, caption string) *table {
	t := &table{Caption: shown(caption), Blank: s.Blank}
	if path := s.Sheet.JSON; path != "" && s.Sheet.Key == "" && strings.Count(path, "[]") == 1 {
		t.JSON = strings.TrimPrefix(s.At+"."+strings.TrimSuffix(path, "[]"), ".")
	}
	var taken []int
	for i := range s.Sheet.Columns {
		c := &s.Sheet.Columns[i]
		if c.In == report.InCSV {
			continue
		}
		taken = append(taken, i)
		col := column{Heading: shown(cmp.Or(c.Heading, c.ID)), Number: c.Type.Numeric()}
		if t.JSON != "" && col.Number {
			col.Field = cmp.Or(c.JSON, c.ID)
		}
		t.Columns = append(t.Columns, col)
	}
	for _, row := range s.Sheet.Rows {
		cells := make([]cell, 0, len(taken))
		for j, i := range taken {
			c := &s.Sheet.Columns[i]
			x := cell{Pieces: pieces(shown(c.Cell(row[i], report.Text))), Number: c.Type.Numeric(), Value: value(row[i]), Header: j == 0, Code: c.Heading == "text"}
			if !x.Number {
				x.Value = ""
			}
			cells = append(cells, x)
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// pieces cuts a text where a line of it may end besides its spaces: paths are long.
func pieces(s string) []string {
	var out []string
	for {
		i := strings.IndexAny(s, "/_")
		if i < 0 || i == len(s)-1 {
			return append(out, s)
		}
		out, s = append(out, s[:i+1]), s[i+1:]
	}
}

// value is a number as JSON has it, "" for what is none.
func value(v any) string {
	switch x := v.(type) {
	case int64:
		return strconv.FormatInt(x, 10)
	case report.Marked:
		return strconv.FormatInt(x.Value, 10)
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return ""
}
