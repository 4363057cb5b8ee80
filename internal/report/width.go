package report

import (
	"strings"
	"sync/atomic"

	"github.com/jedib0t/go-pretty/v6/text"
)

// lineWidth is where lists and sentences are wrapped, unless SetWidth says less.
const lineWidth = 110

// leastWidth is what a text is never made narrower than.
const leastWidth = 40

var width atomic.Int64

// SetWidth has the texts of this package fit a terminal of so many columns, 0 for
// any: a process writes to one terminal. It returns what was said before.
// Comma-separated values, Markdown and JSON do not depend on it.
func SetWidth(columns int) (before int) {
	if columns > 0 {
		columns = max(columns, leastWidth)
	}
	return int(width.Swap(int64(columns)))
}

// wrapWidth is where lists and sentences are wrapped.
func wrapWidth() int {
	if w := int(width.Load()); w > 0 {
		return min(w, lineWidth)
	}
	return lineWidth
}

// Fold cuts the lines of a report that are wider than SetWidth says, at spaces; what
// follows is indented as far as the line, or as the text behind its label. Words that
// have no room by themselves stay as they are.
func Fold(s string) string {
	w := int(width.Load())
	if w == 0 {
		return s
	}
	var b strings.Builder
	for _, line := range strings.SplitAfter(s, "\n") {
		if text.StringWidthWithoutEscSequences(strings.TrimSuffix(line, "\n")) <= w {
			b.WriteString(line)
			continue
		}
		b.WriteString(foldLine(strings.TrimSuffix(line, "\n"), w))
		if strings.HasSuffix(line, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func foldLine(line string, w int) string {
	indent := strings.Repeat(" ", hang(line))
	var b strings.Builder
	for text.StringWidthWithoutEscSequences(line) > w {
		// The last space with no more than w columns before it, or the first of all.
		at, wide := -1, 0
		for i, r := range line {
			if wide > w && at >= 0 {
				break
			}
			if r == ' ' && strings.TrimSpace(line[:i]) != "" {
				at = i
			}
			wide += text.RuneWidth(r)
		}
		if at < 0 {
			break
		}
		b.WriteString(strings.TrimRight(line[:at], " ") + "\n")
		rest := strings.TrimLeft(line[at:], " ")
		if rest == "" {
			return strings.TrimSuffix(b.String(), "\n")
		}
		line = indent + rest
	}
	return b.String() + line
}

// hang is how far what follows a line is indented: to the text behind a label in
// capitals or of the head of a report, else as the line and two more.
func hang(line string) int {
	const label = 8
	if len(line) > label && line[label-1] == ' ' && line[label] != ' ' && !strings.Contains(strings.TrimSpace(line[:label]), " ") && strings.TrimSpace(line[:label]) != "" && strings.Contains(line[:label], "  ") || strings.HasPrefix(line, "POLICY  ") {
		return label
	}
	spaces := len(line) - len(strings.TrimLeft(line, " "))
	if spaces >= label || spaces == 0 {
		return spaces
	}
	return spaces + 2
}

// groups are the columns of a table that fit side by side, each group behind the
// first column, which names the rows.
func (t *Table) groups() [][]int {
	w := int(width.Load())
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
	if w := int(width.Load()); w > 0 && len(widths) == 2 && len(t.Left) > 0 && widths[0]+widths[1] > w && widths[0] < w/2 {
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
