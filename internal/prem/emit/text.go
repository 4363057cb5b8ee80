package emit

import (
	"fmt"
	"strings"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

// text collects lines, indented, with the source line that each came from behind
// the first line that did.
type text struct {
	b      strings.Builder
	depth  int
	source map[string][]string // lines of the files
	last   string              // the place in the source that was named last
}

func newText(ms ...Module) *text {
	t := &text{source: make(map[string][]string)}
	for _, m := range ms {
		for name, source := range m.Sources {
			if t.source[name] == nil {
				t.source[name] = strings.Split(string(source), "\n")
			}
		}
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
	if place := place(p); p.Line > 0 && place != t.last {
		s += "  // " + place
		t.last = place
	}
	t.line("%s", s)
}

// place names a line of the source, without folders.
func place(p loop.Pos) string { return fmt.Sprintf("%s:%d", plain(base(p.File)), p.Line) }

// comment writes a comment line. Text that would continue or end the comment is
// altered.
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
	source := t.source[p.File]
	if p.Line < 1 || p.Line > len(source) {
		return ""
	}
	s := strings.TrimSpace(source[p.Line-1])
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
