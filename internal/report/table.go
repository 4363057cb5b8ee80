package report

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/warpbound/warpbound/internal/terminal"
)

// Format is the form a table is written in.
type Format int

// The forms of tables.
const (
	Text Format = iota
	CSV
	Markdown
)

// Table is a table whose first column is text and whose others are numbers,
// unless named in Left.
type Table struct {
	Header []string
	Rows   [][]string
	Footer []string
	Left   []int // further columns that hold text, by index
}

// Add appends a row; cells are printed with fmt.Sprint.
func (t *Table) Add(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = fmt.Sprint(c)
	}
	t.Rows = append(t.Rows, row)
}

// Render writes the table in the given form, ending in a newline. A text that is too
// wide for SetWidth is several tables, one below the other, with the first column in
// each.
func (t *Table) Render(f Format) string {
	if f != Text {
		return t.render(f)
	}
	var parts []string
	for _, columns := range t.groups() {
		parts = append(parts, t.pick(columns).render(f))
	}
	return strings.Join(parts, "\n")
}

func (t *Table) render(f Format) string {
	w := table.NewWriter()
	w.AppendHeader(cells(t.Header))
	for _, r := range t.Rows {
		w.AppendRow(cells(r))
	}
	if len(t.Footer) > 0 {
		w.AppendFooter(cells(t.Footer))
	}
	style := table.StyleLight
	style.Options = table.OptionsNoBordersAndSeparators
	style.Options.SeparateHeader = true
	style.Format.Header = text.FormatDefault
	style.Format.Footer = text.FormatDefault
	style.Box.PaddingLeft = ""
	style.Box.PaddingRight = "  "
	w.SetStyle(style)
	left := map[int]bool{0: true}
	for _, i := range t.Left {
		left[i] = true
	}
	most := make([]int, len(t.Header))
	if f == Text {
		most = t.mostWidths()
	}
	var configs []table.ColumnConfig
	for i := range t.Header {
		align := text.AlignRight
		if left[i] {
			align = text.AlignLeft
		}
		configs = append(configs, table.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align, AlignFooter: align, WidthMax: most[i], WidthMaxEnforcer: text.WrapSoft})
	}
	w.SetColumnConfigs(configs)
	var s string
	switch f {
	case CSV:
		s = w.RenderCSV()
	case Markdown:
		s = w.RenderMarkdown()
	default:
		s = w.Render()
	}
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

func cells(s []string) table.Row {
	row := make(table.Row, len(s))
	for i := range s {
		row[i] = s[i]
	}
	return row
}

// Count prints a number with thousands separated: 1,234,567.
func Count(n int64) string { return terminal.Count(n) }

// Percent prints a ratio as a percentage with two decimals.
func Percent(x float64) string { return fmt.Sprintf("%.2f %%", 100*x) }

// Time prints a number of cycles as time at a clock, rounded up: the time of a
// bound is no less than the bound.
func Time(cycles, kHz int64) string {
	if kHz <= 0 || cycles < 0 {
		return "unknown time"
	}
	unit := "µs"
	ps := new(big.Int).Mul(big.NewInt(cycles), big.NewInt(1e9)) // times kHz
	ps = ceilDiv(ps, big.NewInt(kHz))
	// Thousandths of the unit shown.
	thousandths := ceilDiv(ps, big.NewInt(1e3))
	for _, next := range []string{"ms", "s"} {
		if thousandths.Cmp(big.NewInt(1e6)) < 0 {
			break
		}
		unit, thousandths = next, ceilDiv(thousandths, big.NewInt(1e3))
	}
	whole, part := new(big.Int).QuoRem(thousandths, big.NewInt(1e3), new(big.Int))
	return fmt.Sprintf("%s.%03d %s", whole, part, unit)
}

// ceilDiv is n/d rounded up, for n not negative and d positive.
func ceilDiv(n, d *big.Int) *big.Int {
	q, r := new(big.Int).QuoRem(n, d, new(big.Int))
	if r.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	return q
}
