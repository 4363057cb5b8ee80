package formula

import (
	"fmt"
	"go/format"
	"go/token"
	"math"
	"regexp"
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
	var b strings.Builder
	for i, a := range f.Arguments {
		if i == 0 {
			b.WriteString("for ")
		} else {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s%s from %d to %d", a.Name, f.inCode(i, " (%s)"), a.Min, a.Max)
	}
	b.WriteString("\n")
	for i := range f.Counts {
		fmt.Fprintf(&b, "%s = %s, of %s\n", CountName(i), f.CountText(i), f.Counts[i].Name)
	}
	for _, v := range f.Vars {
		if v.Per > 1 {
			fmt.Fprintf(&b, "%s = ceil(%s / %d)\n", v.name(), CountName(v.Count), v.Per)
		}
	}
	fmt.Fprintf(&b, "cycles = %s\n", f.ValueText())
	return b.String()
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
	names := f.identifiers()
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
	parts := multiples(q.Per, f.identifiers(), number)
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

var (
	identifier = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)
	ours       = regexp.MustCompile(`^(count[0-9]+(_per[0-9]+)?|largest|cycles|sum|quotient|total|terms|first|step|from|dividend|divisor|bound_cycles|boundCycles|BoundCycles|math|max|min|int64|int64_t|INT64_C|INT64_MAX|INT64_MIN|main|init)$`)
	inC        = strings.Fields("auto break case char const continue default do double else enum extern float for goto if inline int long register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while asm bool true false nullptr alignas alignof typeof and or not xor class new delete this template operator private public protected namespace using try catch throw")
)

// identifiers are names for the arguments that C and Go take.
func (f *Formula) identifiers() []string {
	var out []string
	for i, a := range f.Arguments {
		n := strings.ReplaceAll(a.Name, ".", "_")
		if !identifier.MatchString(n) {
			n = "argument" + strconv.Itoa(i+1)
		}
		for ours.MatchString(n) || slices.Contains(inC, n) || token.IsKeyword(n) || slices.Contains(out, n) {
			n += "_"
		}
		out = append(out, n)
	}
	return out
}

// inCode is what an argument is called beside its name, "" where that is the same.
func (f *Formula) inCode(i int, format string) string {
	if n := f.identifiers()[i]; n != f.Arguments[i].Name {
		return fmt.Sprintf(format, n)
	}
	return ""
}

// comment says what the function is, in lines.
func (f *Formula) comment(name string, about []string) []string {
	out := []string{fmt.Sprintf("%s bounds how many cycles a launch takes, for", name)}
	for i, a := range f.Arguments {
		what := ""
		if n := f.identifiers()[i]; n != a.Name {
			what = fmt.Sprintf(" (%s)", a.Name)
		}
		out = append(out, fmt.Sprintf("  %s%s from %d to %d", f.identifiers()[i], what, a.Min, a.Max))
	}
	out = append(out, "and is the largest 64-bit integer for others.")
	return append(out, about...)
}

// C is a function bound_cycles in C99. about are lines of its comment.
func (f *Formula) C(about []string) string {
	var b strings.Builder
	b.WriteString("/*\n")
	for _, line := range f.comment("bound_cycles", about) {
		b.WriteString(strings.TrimRight(" * "+strings.ReplaceAll(line, "*/", "* /"), " ") + "\n")
	}
	b.WriteString(" */\n#include <stdint.h>\n\n")
	if f.totals() {
		b.WriteString(totalC)
	}
	if f.divides() {
		b.WriteString("static int64_t quotient(int64_t dividend, int64_t divisor) {\n\treturn dividend <= 0 ? 0 : (dividend - 1) / divisor + 1;\n}\n\n")
	}
	var args []string
	for _, n := range f.identifiers() {
		args = append(args, "int64_t "+n)
	}
	fmt.Fprintf(&b, "int64_t bound_cycles(%s) {\n", strings.Join(args, ", "))
	f.body(&b, language{
		number: func(n int64) string {
			if n == math.MinInt64 {
				return "INT64_MIN"
			}
			return fmt.Sprintf("INT64_C(%d)", n)
		},
		cond: "(%s)", declare: "int64_t %s = %s;\n", end: ";\n", largest: "INT64_MAX",
	})
	b.WriteString("}\n")
	return b.String()
}

// Go is a package with a function BoundCycles. about are lines of its comment.
func (f *Formula) Go(pkg string, about []string) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\nimport \"math\"\n\n", pkg)
	for _, line := range f.comment("BoundCycles", about) {
		b.WriteString(strings.TrimRight("// "+line, " ") + "\n")
	}
	names := f.identifiers()
	fmt.Fprintf(&b, "func BoundCycles(%s int64) int64 {\n", strings.Join(names, ", "))
	f.body(&b, language{
		number: func(n int64) string { return strconv.FormatInt(n, 10) },
		cond:   "%s", declare: "%s := int64(%s)\n", end: "\n", largest: "math.MaxInt64",
	})
	b.WriteString("}\n")
	if f.totals() {
		b.WriteString(totalGo)
	}
	if f.divides() {
		b.WriteString("\n// quotient is rounded up, and at least 0.\nfunc quotient(dividend, divisor int64) int64 {\n\tif dividend <= 0 {\n\t\treturn 0\n\t}\n\treturn (dividend-1)/divisor + 1\n}\n")
	}
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

// body is the statements of the function.
func (f *Formula) body(b *strings.Builder, l language) {
	names := f.identifiers()
	set := func(depth int, format string, args ...any) {
		b.WriteString(strings.Repeat("\t", depth) + fmt.Sprintf(format, args...))
	}
	when := func(depth int, cond string, then func(depth int)) {
		set(depth, "if %s {\n", fmt.Sprintf(l.cond, cond))
		then(depth + 1)
		set(depth, "}\n")
	}
	larger := func(depth int, to, value string) {
		when(depth, value+" > "+to, func(d int) { set(d, "%s = %s%s", to, value, l.end) })
	}
	var outside []string
	for i, a := range f.Arguments {
		outside = append(outside, fmt.Sprintf("%s < %s || %s > %s", names[i], l.number(a.Min), names[i], l.number(a.Max)))
	}
	when(1, strings.Join(outside, " || "), func(d int) { set(d, "return %s%s", l.largest, l.end) })
	set(1, l.declare, "largest", l.number(0))
	for i := range f.Counts {
		c := &f.Counts[i]
		set(1, "// %s\n", strings.ReplaceAll(c.Name, "\n", " "))
		set(1, l.declare, CountName(i), l.number(c.Most))
		for _, test := range c.Tests {
			set(1, "largest = %s%s", l.number(0), l.end)
			for _, q := range test {
				larger(1, "largest", fmt.Sprintf("quotient(%s, %s)", f.dividend(&q, l.number), f.divisor(&q, l.number)))
			}
			when(1, "largest < "+CountName(i), func(d int) { set(d, "%s = largest%s", CountName(i), l.end) })
		}
		if t := c.Total; t != nil {
			set(1, "largest = total(%s + %s, %s, %s, %s)%s", CountName(t.Of), l.number(1), f.dividend(&t.Quotient, l.number), l.number(t.Step), f.divisor(&t.Quotient, l.number), l.end)
			when(1, "largest < "+CountName(i), func(d int) { set(d, "%s = largest%s", CountName(i), l.end) })
		}
	}
	for _, v := range f.Vars {
		if v.Per > 1 {
			set(1, l.declare, v.name(), fmt.Sprintf("(%s + %s) / %s", CountName(v.Count), l.number(v.Per-1), l.number(v.Per)))
		}
	}
	set(1, "largest = %s%s", l.number(0), l.end)
	for i := range f.Value {
		larger(1, "largest", f.sum(&f.Value[i], l.number))
	}
	when(1, "largest > "+l.number(f.AtMost), func(d int) { set(d, "largest = %s%s", l.number(f.AtMost), l.end) })
	set(1, "return largest%s", l.end)
}
