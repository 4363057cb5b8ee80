package milp

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
)

// lineWidth keeps lines under the 255 bytes that old LP readers take.
const lineWidth = 120

// WriteLP writes the problem in CPLEX LP format, in the subset that CBC, GLPK
// and HiGHS read alike; equal problems give equal bytes.
//
// What that subset forces: an objective constant is the cost of a column fixed
// at 1; a row with two different finite sides is two rows; a free row is left
// out; an empty row has a zero term; every column occurs in the objective;
// both bounds of every column are written; the Binary section, which resets
// bounds to 0 and 1, holds only columns that have them. The added names are
// free of collisions. A problem without columns cannot be written.
func WriteLP(w io.Writer, p *Problem) error {
	if err := p.Validate(); err != nil {
		return err
	}
	if len(p.Columns) == 0 {
		return fmt.Errorf("milp: %w: the LP format needs a column", ErrInvalid)
	}
	lw := &lpWriter{w: bufio.NewWriter(w), p: p}
	lw.names()
	lw.objective()
	lw.rows()
	lw.bounds()
	lw.integers()
	lw.line("End")
	if err := lw.w.Flush(); err != nil {
		return fmt.Errorf("milp: writing LP: %w", err)
	}
	return nil
}

type lpWriter struct {
	w    *bufio.Writer // keeps the first error for Flush
	p    *Problem
	used map[string]bool
	one  string // the column that carries the objective constant
	col  int    // bytes on the current line
}

func (lw *lpWriter) names() {
	lw.used = make(map[string]bool, len(lw.p.Columns)+len(lw.p.Rows))
	for i := range lw.p.Columns {
		lw.used[lw.p.Columns[i].Name] = true
	}
	for i := range lw.p.Rows {
		lw.used[lw.p.Rows[i].Name] = true
	}
	if lw.p.Constant != 0 {
		lw.one = lw.fresh("constant_one")
	}
}

// fresh returns base, or base with a number where base is taken.
func (lw *lpWriter) fresh(base string) string {
	if len(base) > MaxNameLength-8 {
		base = base[:MaxNameLength-8]
	}
	name := base
	for n := 2; lw.used[name]; n++ {
		name = base + "_" + strconv.Itoa(n)
	}
	lw.used[name] = true
	return name
}

func (lw *lpWriter) line(s string) {
	lw.w.WriteString(s)
	lw.w.WriteByte('\n')
	lw.col = 0
}

// word writes s after a blank, on a new line where the current one is full.
func (lw *lpWriter) word(s string) {
	if lw.col+1+len(s) > lineWidth {
		lw.line("")
	}
	lw.w.WriteByte(' ')
	lw.w.WriteString(s)
	lw.col += 1 + len(s)
}

func (lw *lpWriter) term(coef float64, name string) {
	sign := "+ "
	if coef < 0 {
		sign, coef = "- ", -coef
	}
	if coef == 1 {
		lw.word(sign + name)
		return
	}
	lw.word(sign + number(coef) + " " + name)
}

func (lw *lpWriter) objective() {
	if lw.p.Maximize {
		lw.line("Maximize")
	} else {
		lw.line("Minimize")
	}
	lw.word(lw.fresh("obj") + ":")
	for i := range lw.p.Columns {
		lw.term(lw.p.Columns[i].Cost, lw.p.Columns[i].Name)
	}
	if lw.one != "" {
		lw.term(lw.p.Constant, lw.one)
	}
	lw.line("")
}

func (lw *lpWriter) rows() {
	lw.line("Subject To")
	for i := range lw.p.Rows {
		r := &lw.p.Rows[i]
		switch noLower, noUpper := math.IsInf(r.Lower, -1), math.IsInf(r.Upper, 1); {
		case noLower && noUpper:
		case noLower:
			lw.row(r.Name, r, "<=", r.Upper)
		case noUpper:
			lw.row(r.Name, r, ">=", r.Lower)
		case r.Lower == r.Upper:
			lw.row(r.Name, r, "=", r.Lower)
		default:
			lw.row(r.Name, r, ">=", r.Lower)
			lw.row(lw.fresh(r.Name+"_upper"), r, "<=", r.Upper)
		}
	}
}

func (lw *lpWriter) row(name string, r *Row, sense string, rhs float64) {
	lw.word(name + ":")
	for _, t := range r.Terms {
		lw.term(t.Coef, lw.p.Columns[t.Col].Name)
	}
	if len(r.Terms) == 0 {
		lw.term(0, lw.p.Columns[0].Name)
	}
	lw.word(sense + " " + number(rhs))
	lw.line("")
}

func (lw *lpWriter) bounds() {
	lw.line("Bounds")
	for i := range lw.p.Columns {
		c := &lw.p.Columns[i]
		lower, upper := c.Domain()
		switch noLower, noUpper := math.IsInf(lower, -1), math.IsInf(upper, 1); {
		case isBinary(c):
			continue
		case noLower && noUpper:
			lw.word(c.Name + " free")
		case noUpper:
			lw.word(c.Name + " >= " + number(lower))
		case noLower:
			lw.word("-inf <= " + c.Name + " <= " + number(upper))
		case lower == upper:
			lw.word(c.Name + " = " + number(lower))
		default:
			lw.word(number(lower) + " <= " + c.Name + " <= " + number(upper))
		}
		lw.line("")
	}
	if lw.one != "" {
		lw.line(" " + lw.one + " = 1")
	}
}

func (lw *lpWriter) integers() {
	lw.section("General", func(c *Column) bool { return c.Integer && !isBinary(c) })
	lw.section("Binary", isBinary)
}

func (lw *lpWriter) section(title string, in func(*Column) bool) {
	empty := true
	for i := range lw.p.Columns {
		c := &lw.p.Columns[i]
		if !in(c) {
			continue
		}
		if empty {
			lw.line(title)
			empty = false
		}
		lw.word(c.Name)
	}
	if !empty {
		lw.line("")
	}
}

func isBinary(c *Column) bool {
	lower, upper := c.Domain()
	return c.Integer && lower == 0 && upper == 1
}

// number writes v so that it reads back as the same float64.
func number(v float64) string {
	if v == 0 {
		return "0" // not "-0"
	}
	if isInt53(v) {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
