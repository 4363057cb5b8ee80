package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/isa"
)

// ListingDocument is a source file with what belongs to each line.
type ListingDocument struct {
	File   string               `json:"file"`
	Cycles int64                `json:"cycles"`
	Lines  []ListedLineDocument `json:"lines"` // all of the file; where it is not at hand, those with cycles, without text
}

// ListedLineDocument is a line of a source file.
type ListedLineDocument struct {
	Line   int    `json:"line"`
	Cycles int64  `json:"cycles"`
	Text   string `json:"text"`
}

// AnnotateCosts adds the files of the lines that cycles belong to; all is the lines of a
// file, nil where it is not at hand.
func (d *AnalysisDocument) AnnotateCosts(a *analysis.Attribution, all func(file string) []string) {
	l := listings{}
	for _, r := range a.Rows {
		l.add(r.Pos, r.Cycles)
	}
	d.Costs.Listings = l.documents(all)
}

// AnnotateCosts adds the files of the lines that cycles belong to, as that of an analysis.
func (d *SimulationDocument) AnnotateCosts(a *analysis.RunAttribution, all func(file string) []string) {
	l := listings{}
	for _, r := range a.Rows {
		l.add(r.Pos, r.Cycles)
	}
	d.Costs.Listings = l.documents(all)
}

// listings are cycles by file and line.
type listings map[string]map[int]int64

func (l listings) add(at isa.Position, cycles int64) {
	if at.Line == 0 {
		return
	}
	if l[at.File] == nil {
		l[at.File] = map[int]int64{}
	}
	l[at.File][at.Line] += cycles
}

// documents are the files, those with most cycles first.
func (l listings) documents(all func(file string) []string) []ListingDocument {
	out := []ListingDocument{}
	for file, lines := range l {
		d := ListingDocument{File: file, Lines: []ListedLineDocument{}}
		text := all(file)
		for i, line := range text {
			d.Lines = append(d.Lines, ListedLineDocument{Line: i + 1, Cycles: lines[i+1], Text: strings.TrimRight(line, " \t\r")})
		}
		for n, cycles := range lines {
			d.Cycles += cycles
			if n > len(text) {
				d.Lines = append(d.Lines, ListedLineDocument{Line: n, Cycles: cycles})
			}
		}
		slices.SortFunc(d.Lines, func(a, b ListedLineDocument) int { return cmp.Compare(a.Line, b.Line) })
		out = append(out, d)
	}
	slices.SortFunc(out, func(a, b ListingDocument) int {
		return cmp.Or(cmp.Compare(b.Cycles, a.Cycles), strings.Compare(a.File, b.File))
	})
	return out
}

// listingID begins the ids of their sections.
const listingID = "listing-"

// Lines that nothing belongs to are shown around those with cycles only.
const (
	linesAround = 3
	mostListed  = 100 // characters of a line
)

// listingSections are the files, a table each.
func listingSections(list []ListingDocument, total int64) []Section {
	var out []Section
	for i := range list {
		d := &list[i]
		var rows []ListedLineDocument
		last := 0
		for j, l := range d.Lines {
			near := slices.ContainsFunc(d.Lines[max(j-linesAround, 0):min(j+linesAround+1, len(d.Lines))], func(x ListedLineDocument) bool { return x.Cycles != 0 })
			if !near {
				continue
			}
			if last > 0 && j > last {
				rows = append(rows, ListedLineDocument{Text: "…"})
			}
			last = j + 1
			rows = append(rows, l)
		}
		out = append(out, Section{
			ID: fmt.Sprintf("%s%d", listingID, i+1), Lead: fmt.Sprintf("%s: %s cycles\n", d.File, Count(d.Cycles)),
			Sheet: NewSheet("", rows, []Of[ListedLineDocument]{
				{Column{ID: "line", Heading: "line", Type: Integer}, func(l *ListedLineDocument) any { return unlessZero(int64(l.Line)) }},
				{Column{ID: "cycles", Heading: "cycles", Unit: "cycles", Type: Amount}, func(l *ListedLineDocument) any { return unlessZero(l.Cycles) }},
				{Column{ID: "share", Heading: "share", Unit: "ratio", Type: Share, Bar: true}, func(l *ListedLineDocument) any {
					if l.Cycles == 0 {
						return ""
					}
					return float64(l.Cycles) / float64(max(total, 1))
				}},
				{Column{ID: "text", Heading: "text"}, func(l *ListedLineDocument) any { return listed(l.Text) }},
			}),
		})
	}
	return out
}

// unlessZero is a number, and nothing for 0.
func unlessZero(n int64) any {
	if n == 0 {
		return ""
	}
	return n
}

// listed is a line with its indentation.
func listed(s string) string {
	s = strings.ReplaceAll(s, "\t", "    ")
	if r := []rune(s); len(r) > mostListed {
		return string(r[:mostListed-1]) + "…"
	}
	return s
}
