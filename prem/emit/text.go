package emit

import (
	"fmt"
	"strings"

	"github.com/warpbound/warpbound/prem/loop"
)

// text collects lines, indented, with the source line that each came from behind
// the first line that did.
type text struct {
	b      strings.Builder
	depth  int
	source []string // lines of the source text, or nil
	file   string
	last   int // the source line that was named last
}

func newText(m Module) *text {
	t := &text{file: plain(m.base())}
	if m.Source != nil {
		t.source = strings.Split(string(m.Source), "\n")
	}
	return t
}

func (t *text) line(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	if s != "" {
		t.b.WriteString(strings.Repeat("    ", t.depth))
		t.b.WriteString(s)
	}
	t.b.WriteByte('\n')
}

// at writes a line that comes from the source.
func (t *text) at(p loop.Pos, format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	if p.Line > 0 && p.Line != t.last {
		s += fmt.Sprintf("  // %s:%d", t.file, p.Line)
		t.last = p.Line
	}
	t.line("%s", s)
}

// comment writes a comment line. Text that would continue or end it is softened.
func (t *text) comment(format string, args ...any) {
	t.line("// %s", plain(fmt.Sprintf(format, args...)))
}

// plain makes text fit for a line comment: no line ends, no backslash at the end,
// no trigraph of one.
func plain(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
	return strings.TrimRight(strings.ReplaceAll(s, "??/", "?? /"), `\ `)
}

// maxQuote is the length from which source lines are cut, in bytes.
const maxQuote = 100

// quote gives the source line at p, trimmed, or an empty text. What is left out,
// lines by which a directive continues included, is marked with dots.
func (t *text) quote(p loop.Pos) string {
	if p.Line < 1 || p.Line > len(t.source) {
		return ""
	}
	s := strings.TrimSpace(t.source[p.Line-1])
	more := ""
	if head, continued := strings.CutSuffix(s, `\`); continued {
		s, more = strings.TrimSpace(head), " ..."
	}
	if len(s) > maxQuote {
		s, more = strings.TrimSpace(s[:maxQuote]), " ..."
	}
	return strings.ToValidUTF8(s, "") + more
}

// raw writes lines as they are.
func (t *text) raw(s string) { t.b.WriteString(s) }
