// Package terminal makes texts fit what they are read on: lines as wide as the screen,
// and no control characters from files.
package terminal

import (
	"strings"
	"sync/atomic"

	"github.com/jedib0t/go-pretty/v6/text"
)

// leastWidth is what a text is never made narrower than.
const leastWidth = 40

var width atomic.Int64

// SetWidth has the texts of this process fit a terminal of so many columns, 0 for
// any: a process writes to one terminal. It returns what was said before.
// Comma-separated values, Markdown and JSON do not depend on it.
func SetWidth(columns int) (before int) {
	if columns > 0 {
		columns = max(columns, leastWidth)
	}
	return int(width.Swap(int64(columns)))
}

// Width is what SetWidth has said.
func Width() int { return int(width.Load()) }

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
