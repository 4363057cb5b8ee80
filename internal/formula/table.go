package formula

import (
	"fmt"
	"go/format"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Table is a figure as a function of arguments, of which some choose the formulas that it is
// the largest of.
type Table struct {
	Arguments []Argument
	Chooses   []int // the arguments that choose, ascending
	Cases     []Case
}

// Case is a formula in the arguments that do not choose, for some values of those that do.
type Case struct {
	Values  []int64 // by Chooses
	Formula *Formula
}

// Single is the table of a formula alone.
func Single(f *Formula) *Table {
	return &Table{Arguments: f.Arguments, Cases: []Case{{Formula: f}}}
}

// At is the value for arguments; an error where one is not valid.
func (t *Table) At(arguments []int64) (int64, error) {
	if len(arguments) != len(t.Arguments) {
		return 0, fmt.Errorf("%d arguments, expected %d", len(arguments), len(t.Arguments))
	}
	largest := int64(-1)
	for i := range t.Cases {
		if !t.applies(&t.Cases[i], arguments) {
			continue
		}
		n, err := t.Cases[i].Formula.At(t.others(arguments))
		if err != nil {
			return 0, err
		}
		largest = max(largest, n)
	}
	if largest < 0 {
		return 0, fmt.Errorf("there is no formula for %s", t.valuesText(t.chosen(arguments)))
	}
	return largest, nil
}

func (t *Table) applies(c *Case, arguments []int64) bool {
	return slices.Equal(c.Values, t.chosen(arguments))
}

// chosen are the arguments that choose, and others those that do not.
func (t *Table) chosen(arguments []int64) []int64 {
	out := []int64{}
	for _, i := range t.Chooses {
		out = append(out, arguments[i])
	}
	return out
}

func (t *Table) others(arguments []int64) []int64 {
	var out []int64
	for i, x := range arguments {
		if !slices.Contains(t.Chooses, i) {
			out = append(out, x)
		}
	}
	return out
}

// valuesText names arguments that choose, with their values.
func (t *Table) valuesText(values []int64) string {
	var list []string
	for i, of := range t.Chooses {
		list = append(list, fmt.Sprintf("%s = %d", t.Arguments[of].Name, values[i]))
	}
	return strings.Join(list, ", ")
}

// Text is that of each formula.
func (t *Table) Text() string {
	if len(t.Cases) == 1 && len(t.Chooses) == 0 {
		return t.Cases[0].Formula.Text()
	}
	var b strings.Builder
	b.WriteString(signature(t.Arguments).text())
	for i := range t.Cases {
		c := &t.Cases[i]
		if len(c.Values) > 0 {
			fmt.Fprintf(&b, "for %s:\n", t.valuesText(c.Values))
		} else {
			b.WriteString("for some block, of which the largest counts:\n")
		}
		for _, line := range c.Formula.lines() {
			b.WriteString("  " + line + "\n")
		}
	}
	return b.String()
}

// C is a function bound_cycles in C99. about are lines of its comment.
func (t *Table) C(about []string) string {
	if len(t.Cases) == 1 && len(t.Chooses) == 0 {
		return t.Cases[0].Formula.C(about)
	}
	of := signature(t.Arguments)
	var b strings.Builder
	of.headC(&b, about, t.any((*Formula).totals), t.any((*Formula).divides))
	for i := range t.Cases {
		f := t.Cases[i].Formula
		fmt.Fprintf(&b, "static int64_t cycles%d(%s) {\n", i+1, signature(f.Arguments).inC())
		f.body(&b, inC99)
		b.WriteString("}\n\n")
	}
	fmt.Fprintf(&b, "int64_t bound_cycles(%s) {\n", of.inC())
	t.body(&b, inC99)
	b.WriteString("}\n")
	return b.String()
}

// Go is a package with a function BoundCycles. about are lines of its comment.
func (t *Table) Go(pkg string, about []string) (string, error) {
	if len(t.Cases) == 1 && len(t.Chooses) == 0 {
		return t.Cases[0].Formula.Go(pkg, about)
	}
	of := signature(t.Arguments)
	var b strings.Builder
	of.headGo(&b, pkg, about)
	fmt.Fprintf(&b, "func BoundCycles(%s) int64 {\n", of.inGo())
	t.body(&b, inGo)
	b.WriteString("}\n")
	for i := range t.Cases {
		f := t.Cases[i].Formula
		fmt.Fprintf(&b, "\nfunc cycles%d(%s) int64 {\n", i+1, signature(f.Arguments).inGo())
		f.body(&b, inGo)
		b.WriteString("}\n")
	}
	footGo(&b, t.any((*Formula).totals), t.any((*Formula).divides))
	out, err := format.Source([]byte(b.String()))
	return string(out), err
}

func (t *Table) any(of func(*Formula) bool) bool {
	return slices.ContainsFunc(t.Cases, func(c Case) bool { return of(c.Formula) })
}

// body is the statements of the function: the largest of the formulas that apply.
func (t *Table) body(b *strings.Builder, l language) {
	names := signature(t.Arguments).identifiers()
	s := statements{b, l}
	var others []string
	for i, n := range names {
		if !slices.Contains(t.Chooses, i) {
			others = append(others, n)
		}
	}
	s.set(1, l.declare, "cycles", l.number(-1))
	s.set(1, l.declare, "largest", l.number(-1))
	for i := range t.Cases {
		take := func(depth int) {
			s.set(depth, "cycles = cycles%d(%s)%s", i+1, strings.Join(others, ", "), l.end)
			s.larger(depth, "largest", "cycles")
		}
		var is []string
		for j, of := range t.Chooses {
			is = append(is, fmt.Sprintf("%s == %s", names[of], l.number(t.Cases[i].Values[j])))
		}
		if len(is) == 0 {
			take(1)
		} else {
			s.when(1, strings.Join(is, " && "), take)
		}
	}
	s.when(1, "largest < "+l.number(0), func(d int) { s.set(d, "return %s%s", l.largest, l.end) })
	s.set(1, "return largest%s", l.end)
}

// The languages of functions.
var (
	inC99 = language{
		number: func(n int64) string {
			if n == math.MinInt64 {
				return "INT64_MIN"
			}
			return fmt.Sprintf("INT64_C(%d)", n)
		},
		cond: "(%s)", declare: "int64_t %s = %s;\n", end: ";\n", largest: "INT64_MAX",
	}
	inGo = language{
		number: func(n int64) string { return strconv.FormatInt(n, 10) },
		cond:   "%s", declare: "%s := int64(%s)\n", end: "\n", largest: "math.MaxInt64",
	}
)
