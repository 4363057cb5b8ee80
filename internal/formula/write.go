package formula

import (
	"fmt"
	"go/format"
	"slices"
	"strconv"
	"strings"
)

// CountName is what text and code call a count.
func CountName(i int) string { return "count" + strconv.Itoa(i+1) }

// name is what code calls a variable.
func (v Variable) name() string {
	if v.Per == 1 {
		return CountName(v.Count)
	}
	return fmt.Sprintf("%s_per%d", CountName(v.Count), v.Per)
}

// Text is a line for each count and for the figure.
func (f *Formula) Text() string {
	return signature(f.Arguments).text() + strings.Join(f.lines(), "\n") + "\n"
}

func (f *Formula) lines() []string {
	var out []string
	for i := range f.Counts {
		out = append(out, fmt.Sprintf("%s = %s, of %s", CountName(i), f.CountText(i), f.Counts[i].Name))
	}
	for _, v := range f.Vars {
		if v.Per > 1 {
			out = append(out, fmt.Sprintf("%s = ceil(%s / %d)", v.name(), CountName(v.Count), v.Per))
		}
	}
	return append(out, "cycles = "+f.ValueText())
}

// CountText is a count as a formula.
func (f *Formula) CountText(i int) string {
	c := &f.Counts[i]
	parts := []string{strconv.FormatInt(c.Most, 10)}
	for _, test := range c.Tests {
		list := []string{"0"}
		for _, q := range test {
			list = append(list, f.quotientText(&q, ""))
		}
		parts = append(parts, "max("+strings.Join(list, ", ")+")")
	}
	if t := c.Total; t != nil {
		parts = append(parts, fmt.Sprintf("sum of max(0, %s) for z from 0 to %s", f.quotientText(&t.Quotient, fmt.Sprintf(" + %d*z", t.Step)), CountName(t.Of)))
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "min(" + strings.Join(parts, ", ") + ")"
}

func (f *Formula) quotientText(q *Quotient, more string) string {
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	s, by := f.dividend(q, number)+more, f.divisor(q, number)
	if len(q.Per) > 0 {
		by = "(" + by + ")"
	}
	if by != "1" {
		s = fmt.Sprintf("ceil((%s) / %s)", s, by)
	}
	return s
}

// ValueText is the figure as a formula of counts.
func (f *Formula) ValueText() string {
	var list []string
	for i := range f.Value {
		list = append(list, f.sum(&f.Value[i], func(n int64) string { return strconv.FormatInt(n, 10) }))
	}
	return fmt.Sprintf("min(%d, max(%s))", f.AtMost, strings.Join(append(list, "0"), ", "))
}

func (f *Formula) sum(s *Sum, number func(int64) string) string {
	parts := []string{number(s.Constant)}
	for _, t := range s.Terms {
		p := number(t.Coefficient)
		for _, v := range t.Vars {
			p += "*" + f.Vars[v].name()
		}
		parts = append(parts, p)
	}
	return strings.Join(parts, " + ")
}

// dividend is that of a quotient, over the arguments' names.
func (f *Formula) dividend(q *Quotient, number func(int64) string) string {
	names := signature(f.Arguments).identifiers()
	parts := multiples(q.Factors, names, number)
	if product := ""; len(q.Product) > 0 && q.Multiple != 0 {
		for i, of := range q.Product {
			if i > 0 {
				product += "*"
			}
			product += names[of]
		}
		parts = append(parts, multiples([]int64{q.Multiple}, []string{product}, number)...)
	}
	if q.Constant != 0 || len(parts) == 0 {
		parts = append(parts, number(q.Constant))
	}
	return strings.Join(parts, " + ")
}

// divisor is what a quotient divides by, likewise.
func (f *Formula) divisor(q *Quotient, number func(int64) string) string {
	parts := multiples(q.Per, signature(f.Arguments).identifiers(), number)
	if q.Divisor != 0 || len(parts) == 0 {
		parts = append(parts, number(q.Divisor))
	}
	return strings.Join(parts, " + ")
}

func multiples(of []int64, names []string, number func(int64) string) []string {
	var out []string
	for i, n := range of {
		switch n {
		case 0:
		case 1:
			out = append(out, names[i])
		default:
			out = append(out, number(n)+"*"+names[i])
		}
	}
	return out
}

// C is a function bound_cycles in C99. about are lines of its comment.
func (f *Formula) C(about []string) string {
	var b strings.Builder
	signature(f.Arguments).headC(&b, about, f.totals(), f.divides())
	fmt.Fprintf(&b, "int64_t bound_cycles(%s) {\n", signature(f.Arguments).inC())
	f.body(&b, inC99)
	b.WriteString("}\n")
	return b.String()
}

// Go is a package with a function BoundCycles. about are lines of its comment.
func (f *Formula) Go(pkg string, about []string) (string, error) {
	var b strings.Builder
	signature(f.Arguments).headGo(&b, pkg, about)
	fmt.Fprintf(&b, "func BoundCycles(%s) int64 {\n", signature(f.Arguments).inGo())
	f.body(&b, inGo)
	b.WriteString("}\n")
	footGo(&b, f.totals(), f.divides())
	out, err := format.Source([]byte(b.String()))
	return string(out), err
}

// divides says that the code has quotients.
func (f *Formula) divides() bool {
	return slices.ContainsFunc(f.Counts, func(c Count) bool { return len(c.Tests) > 0 })
}

// totals says that the code has sums over iterations.
func (f *Formula) totals() bool {
	return slices.ContainsFunc(f.Counts, func(c Count) bool { return c.Total != nil })
}

// language is what differs between C and Go.
type language struct {
	number                      func(int64) string
	cond, declare, end, largest string
}

// statements writes some in a language.
type statements struct {
	b *strings.Builder
	l language
}

func (s *statements) set(depth int, format string, args ...any) {
	s.b.WriteString(strings.Repeat("\t", depth) + fmt.Sprintf(format, args...))
}

func (s *statements) when(depth int, cond string, then func(depth int)) {
	s.set(depth, "if %s {\n", fmt.Sprintf(s.l.cond, cond))
	then(depth + 1)
	s.set(depth, "}\n")
}

func (s *statements) larger(depth int, to, value string) {
	s.when(depth, value+" > "+to, func(d int) { s.set(d, "%s = %s%s", to, value, s.l.end) })
}

// body is the statements of the function.
func (f *Formula) body(b *strings.Builder, l language) {
	names := signature(f.Arguments).identifiers()
	s := statements{b, l}
	var outside []string
	for i, a := range f.Arguments {
		outside = append(outside, fmt.Sprintf("%s < %s || %s > %s", names[i], l.number(a.Min), names[i], l.number(a.Max)))
	}
	if len(outside) > 0 {
		s.when(1, strings.Join(outside, " || "), func(d int) { s.set(d, "return %s%s", l.largest, l.end) })
	}
	s.set(1, l.declare, "largest", l.number(0))
	for i := range f.Counts {
		c := &f.Counts[i]
		s.set(1, "// %s\n", strings.ReplaceAll(c.Name, "\n", " "))
		s.set(1, l.declare, CountName(i), l.number(c.Most))
		for _, test := range c.Tests {
			s.set(1, "largest = %s%s", l.number(0), l.end)
			for _, q := range test {
				s.larger(1, "largest", fmt.Sprintf("quotient(%s, %s)", f.dividend(&q, l.number), f.divisor(&q, l.number)))
			}
			s.when(1, "largest < "+CountName(i), func(d int) { s.set(d, "%s = largest%s", CountName(i), l.end) })
		}
		if t := c.Total; t != nil {
			s.set(1, "largest = total(%s + %s, %s, %s, %s)%s", CountName(t.Of), l.number(1), f.dividend(&t.Quotient, l.number), l.number(t.Step), f.divisor(&t.Quotient, l.number), l.end)
			s.when(1, "largest < "+CountName(i), func(d int) { s.set(d, "%s = largest%s", CountName(i), l.end) })
		}
	}
	for _, v := range f.Vars {
		if v.Per > 1 {
			s.set(1, l.declare, v.name(), fmt.Sprintf("(%s + %s) / %s", CountName(v.Count), l.number(v.Per-1), l.number(v.Per)))
		}
	}
	s.set(1, "largest = %s%s", l.number(0), l.end)
	for i := range f.Value {
		s.larger(1, "largest", f.sum(&f.Value[i], l.number))
	}
	s.when(1, "largest > "+l.number(f.AtMost), func(d int) { s.set(d, "largest = %s%s", l.number(f.AtMost), l.end) })
	s.set(1, "return largest%s", l.end)
}
