package formula

import (
	"fmt"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// signature is the arguments of a function.
type signature []Argument

var (
	identifier = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)
	ours       = regexp.MustCompile(`^(count[0-9]+(_per[0-9]+)?|largest|cycles|sum|quotient|total|terms|first|step|from|dividend|divisor|cycles[0-9]+|bound_cycles|boundCycles|BoundCycles|math|max|min|int64|int64_t|INT64_C|INT64_MAX|INT64_MIN|main|init)$`)
	reserved   = strings.Fields("auto break case char const continue default do double else enum extern float for goto if inline int long register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while asm bool true false nullptr alignas alignof typeof and or not xor class new delete this template operator private public protected namespace using try catch throw")
)

// identifiers are names for the arguments that C and Go take.
func (s signature) identifiers() []string {
	var out []string
	for i, a := range s {
		n := strings.ReplaceAll(a.Name, ".", "_")
		if !identifier.MatchString(n) {
			n = "argument" + strconv.Itoa(i+1)
		}
		for ours.MatchString(n) || slices.Contains(reserved, n) || token.IsKeyword(n) || slices.Contains(out, n) {
			n += "_"
		}
		out = append(out, n)
	}
	return out
}

// text says which arguments a formula is for.
func (s signature) text() string {
	var list []string
	for i, n := range s.identifiers() {
		if n == s[i].Name {
			n = ""
		} else {
			n = fmt.Sprintf(" (%s)", n)
		}
		list = append(list, s[i].Name+n+s[i].rangeText())
	}
	return "for " + strings.Join(list, ", ") + "\n"
}

func (a *Argument) rangeText() string {
	if a.Step > 1 {
		return fmt.Sprintf(" from %d to %d by %d", a.Min, a.Max, a.Step)
	}
	return fmt.Sprintf(" from %d to %d", a.Min, a.Max)
}

// comment says what the function is, in lines.
func (s signature) comment(name string, about []string) []string {
	out := []string{fmt.Sprintf("%s bounds how many cycles a launch takes, for", name)}
	for i, n := range s.identifiers() {
		if n != s[i].Name {
			n += fmt.Sprintf(" (%s)", s[i].Name)
		}
		out = append(out, "  "+n+s[i].rangeText())
	}
	out = append(out, "and is the largest 64-bit integer for others.")
	return append(out, about...)
}

// headC is what is before the function.
func (s signature) headC(b *strings.Builder, about []string, totals, divides bool) {
	b.WriteString("/*\n")
	for _, line := range s.comment("bound_cycles", about) {
		b.WriteString(strings.TrimRight(" * "+strings.ReplaceAll(line, "*/", "* /"), " ") + "\n")
	}
	b.WriteString(" */\n#include <stdint.h>\n\n")
	if totals {
		b.WriteString(totalC)
	}
	if divides {
		b.WriteString("static int64_t quotient(int64_t dividend, int64_t divisor) {\n\treturn dividend <= 0 ? 0 : (dividend - 1) / divisor + 1;\n}\n\n")
	}
}

// inC are the parameters of the function.
func (s signature) inC() string {
	if len(s) == 0 {
		return "void"
	}
	return "int64_t " + strings.Join(s.identifiers(), ", int64_t ")
}

// headGo is what is before the function, and footGo behind it.
func (s signature) headGo(b *strings.Builder, pkg string, about []string) {
	fmt.Fprintf(b, "package %s\n\nimport \"math\"\n\n", pkg)
	for _, line := range s.comment("BoundCycles", about) {
		b.WriteString(strings.TrimRight("// "+line, " ") + "\n")
	}
}

func footGo(b *strings.Builder, totals, divides bool) {
	if totals {
		b.WriteString(totalGo)
	}
	if divides {
		b.WriteString("\n// quotient is rounded up, and at least 0.\nfunc quotient(dividend, divisor int64) int64 {\n\tif dividend <= 0 {\n\t\treturn 0\n\t}\n\treturn (dividend-1)/divisor + 1\n}\n")
	}
}

// inGo are the parameters of the function.
func (s signature) inGo() string {
	if len(s) == 0 {
		return ""
	}
	return strings.Join(s.identifiers(), ", ") + " int64"
}
