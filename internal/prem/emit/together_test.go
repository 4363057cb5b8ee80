package emit

import (
	"fmt"
	"regexp"
	"strings"
)

// Most of the time for a text is the start of its compiler, so a compiler gets many texts as one file. None may lean on
// another: what they define besides their kernels is kept apart, and its messages name the text that they are about.

// named is a text and what messages call it.
type named struct{ name, text string }

// fileScope are the names that a text of kernels defines at file scope, the kernels' own apart.
var fileScope = regexp.MustCompile(`\b(guard_\w+|enter_\w+|WARPBOUND_\w+|struct \w+)\b`)

// sideBySide makes one text of texts of kernels, each with names of its own for everything but its kernels.
func sideBySide(texts ...named) string {
	var all strings.Builder
	for i, x := range texts {
		fmt.Fprintf(&all, "#line 1 \"%s\"\n%s\n", x.name, fileScope.ReplaceAllString(x.text, fmt.Sprintf("${1}_of_%d", i)))
	}
	return all.String()
}

var (
	includes = regexp.MustCompile(`(?m)^#include .*\n`)
	macros   = regexp.MustCompile(`(?m)^#define (\w+)`)
)

// hostsSideBySide makes one text of host programs with their kernels, each in a namespace of its own. Which of them runs
// the variable PROGRAM of the environment says, by its number.
func hostsSideBySide(texts ...named) string {
	var head, all, mains strings.Builder
	included := make(map[string]bool)
	for i, x := range texts {
		for _, line := range includes.FindAllString(x.text, -1) {
			if !included[line] {
				included[line] = true
				head.WriteString(line)
			}
		}
		fmt.Fprintf(&all, "namespace program%d {\n#line 1 \"%s\"\n%s\n}\n", i, x.name, x.text)
		for _, m := range macros.FindAllStringSubmatch(x.text, -1) {
			fmt.Fprintf(&all, "#undef %s\n", m[1])
		}
		fmt.Fprintf(&mains, "program%d::main, ", i)
	}
	fmt.Fprintf(&all, "int main(int argc, char **argv)\n{\n    static int (*const all[])(int, char **) = {%s};\n    return all[atoi(getenv(\"PROGRAM\"))](argc, argv);\n}\n", mains.String())
	return head.String() + all.String()
}
