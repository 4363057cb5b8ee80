package report

import (
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/warpbound/warpbound/internal/terminal"
)

// lineWidth is where lists and sentences are wrapped, unless the terminal has less.
const lineWidth = 110

// wrapWidth is where lists and sentences are wrapped.
func wrapWidth() int {
	if w := terminal.Width(); w > 0 {
		return min(w, lineWidth)
	}
	return lineWidth
}

// groups are the columns of a table that fit side by side, each group behind the
// first column, which names the rows.
func (t *Table) groups() [][]int {
	w := terminal.Width()
	widths := t.widths()
	all := make([]int, len(widths))
	total := 0
	for i, n := range widths {
		all[i] = i
		total += n
	}
	if w == 0 || total <= w || len(widths) < 2 {
		return [][]int{all}
	}
	var out [][]int
	group, used := []int{0}, widths[0]
	for i := 1; i < len(widths); i++ {
		if widths[i] == 2 {
			continue // no heading and nothing below it
		}
		if len(group) > 1 && used+widths[i] > w {
			out = append(out, group)
			group, used = []int{0}, widths[0]
		}
		group = append(group, i)
		used += widths[i]
	}
	return append(out, group)
}

// widths are those of the columns and the two spaces behind each.
func (t *Table) widths() []int {
	widths := make([]int, len(t.Header))
	for _, row := range append([][]string{t.Header, t.Footer}, t.Rows...) {
		for i, c := range row {
			if i < len(widths) {
				widths[i] = max(widths[i], text.LongestLineLen(c)+2)
			}
		}
	}
	return widths
}

// mostWidths are how wide columns may be, 0 for any: where a table of two columns is
// too wide, the second is wrapped, if it holds text.
func (t *Table) mostWidths() []int {
	most := make([]int, len(t.Header))
	widths := t.widths()
	if w := terminal.Width(); w > 0 && len(widths) == 2 && len(t.Left) > 0 && widths[0]+widths[1] > w && widths[0] < w/2 {
		most[1] = w - widths[0] - 2
	}
	return most
}

// pick is the table of some of the columns.
func (t *Table) pick(columns []int) *Table {
	of := func(row []string) []string {
		var out []string
		for _, i := range columns {
			cell := ""
			if i < len(row) {
				cell = row[i]
			}
			out = append(out, cell)
		}
		return out
	}
	out := &Table{Header: of(t.Header)}
	if len(t.Footer) > 0 {
		out.Footer = of(t.Footer)
	}
	for _, row := range t.Rows {
		out.Rows = append(out.Rows, of(row))
	}
	for at, i := range columns {
		for _, l := range t.Left {
			if l == i {
				out.Left = append(out.Left, at)
			}
		}
	}
	return out
}
