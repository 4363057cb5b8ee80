package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/warpbound/warpbound/internal/terminal"
	"github.com/warpbound/warpbound/internal/version"
)

// Document is a report before it has a form: typed rows under columns with stable
// ids, what they are about, and what is said beside them. Text, comma-separated
// values, JSON and pictures are made of the same rows, so that they cannot disagree.
type Document struct {
	// Kind names the JSON form: its schema is docs/schemas/KIND.json.
	Kind string
	Provenance
	// JSON has the fields of the JSON form (docs/json.md). The sheets show its rows.
	JSON any
	// Sections are the text form, an empty line between two.
	Sections []Section
	// Values are the form of comma-separated values, nil where there is none.
	Values *Sheet
	// Plot draws the document in a format of package plot, nil where there is no
	// picture.
	Plot func(format string) ([]byte, error)
	// Title and Page are the form of a page with headings (package page): Page has its
	// sections, nil for Sections.
	Title string
	Page  []Section
}

// Provenance says what a document is of: who wrote it and about what.
type Provenance struct {
	Warpbound version.Info
	Machines  []MachineIdentity
	// Inputs are the files it is about, as they were given.
	Inputs []string
}

// Written is the provenance of a document about files and machines.
func Written(by version.Info, inputs []string, on ...MachineIdentity) Provenance {
	return Provenance{Warpbound: by, Machines: on, Inputs: inputs}
}

// Section is a part of the text form: lines, a sheet, and lines below it.
type Section struct {
	ID    string // stable
	Lead  string // lines, each with its end
	Sheet *Sheet
	Notes string // lines, each with its end
	// Joined says that no empty line is above it.
	Joined bool
	// Listing says that it stays as wide as it is.
	Listing bool
	// Title is the heading that a page gives the section, "" for one that goes on; Level
	// is 2 for a chapter and 3 for a part of one.
	Title string
	Level int
	// At is where the document that Sheet is of lies in the JSON form of the page, with
	// dots and indices, "" for its root.
	At string
	// Figure is a picture above the sheet, nil for none. The sheet has its data.
	Figure *Figure
	// Blank says that the cells of the sheet are to be filled in by hand.
	Blank bool
	// Write writes what is no sheet, before Lead, where the width counts or a part is
	// to stay as wide as it is.
	Write func(*Printer)
}

// WriteText writes the text form.
func (d *Document) WriteText(p *Printer) {
	for i := range d.Sections {
		s := &d.Sections[i]
		if i > 0 && !s.Joined {
			p.WriteByte('\n')
		}
		if s.Listing {
			p.Listing(func() { s.writeText(p) })
		} else {
			s.writeText(p)
		}
	}
}

func (s *Section) writeText(p *Printer) {
	if s.Write != nil {
		s.Write(p)
	}
	p.WriteString(s.Lead)
	if s.Sheet != nil {
		p.WriteString(s.Sheet.Render(Text))
	}
	p.WriteString(s.Notes)
}

// fitting has texts written one at a time, since the width that they fit is one of the
// process: programs ask for several at once.
var fitting sync.Mutex

// Text is the text form, as wide as SetWidth says.
func (d *Document) Text() string {
	fitting.Lock()
	defer fitting.Unlock()
	var p Printer
	d.WriteText(&p)
	return p.String()
}

// CSV is the form of comma-separated values; empty where there is none.
func (d *Document) CSV() string {
	if d.Values == nil {
		return ""
	}
	return d.Values.Render(CSV)
}

// EncodeJSON is the JSON form, indented.
func (d *Document) EncodeJSON() ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(d.JSON); err != nil {
		return nil, fmt.Errorf("writing JSON: %w", err)
	}
	return out.Bytes(), nil
}

// Picture draws the document. The error says where there is nothing to draw.
func (d *Document) Picture(format string) ([]byte, error) {
	if d.Plot == nil {
		return nil, fmt.Errorf("a document of kind %s has no picture", d.Kind)
	}
	return d.Plot(format)
}

// Printer collects a text form.
type Printer struct {
	bytes.Buffer
	listings [][2]int // from where to where it is one
}

// Listing is for a part of a report that stays as wide as it is: code, files, or what
// a kernel printed.
func (p *Printer) Listing(write func()) {
	defer terminal.SetWidth(terminal.SetWidth(0))
	from := p.Len()
	write()
	p.listings = append(p.listings, [2]int{from, p.Len()})
}

// Folded is the text form for a terminal of so many columns, in the style of
// terminal.SetStyle: what is no listing is cut at spaces, once control characters are visible.
func (d *Document) Folded(columns int) []byte {
	fitting.Lock()
	defer fitting.Unlock()
	defer terminal.SetWidth(terminal.SetWidth(columns))
	var p Printer
	d.WriteText(&p)
	whole := p.Bytes()
	var out strings.Builder
	at := 0
	for _, l := range append(p.listings, [2]int{len(whole), len(whole)}) {
		out.WriteString(terminal.Colour(terminal.Fold(terminal.Printable(whole[at:l[0]]))))
		out.WriteString(terminal.Printable(whole[l[0]:l[1]]))
		at = l[1]
	}
	return []byte(out.String())
}
