package terminal

import (
	"regexp"
	"strings"
	"sync/atomic"
)

// Style is what a terminal shows besides text.
type Style struct {
	Bars    bool // of block characters, beside shares
	Colours bool
}

var style atomic.Pointer[Style]

// SetStyle has the reports of this process made for such a terminal, as SetWidth for one of a
// width: texts that are folded, and no other form.
func SetStyle(s Style) { style.Store(&s) }

func styled() Style {
	if s := style.Load(); s != nil {
		return *s
	}
	return Style{}
}

// Colours says whether folded texts have colours.
func Colours() bool { return styled().Colours }

// Bars says whether shares have bars.
func Bars() bool { return styled().Bars && Width() > 0 }

// eighths are blocks by how many eighths of a column they fill, from the left.
const eighths = " ▏▎▍▌▋▊▉█"

// Bar is a bar of a share from 0 to 1 of so many columns, in eighths of a column: a share
// that is not 0 shows. What is not filled is spaces.
func Bar(share float64, columns int) string {
	n := min(max(int(share*float64(8*columns)+0.5), 0), 8*columns)
	if n == 0 && share > 0 {
		n = 1
	}
	blocks := []rune(eighths)
	var b strings.Builder
	for range columns {
		b.WriteRune(blocks[min(n, 8)])
		n -= min(n, 8)
	}
	return b.String()
}

// The colours are those of the terminal's own palette, which people choose so that they can
// read it; nothing is said by colour alone.
const (
	bold   = "\x1b[1m"
	dim    = "\x1b[2m"
	red    = "\x1b[1;31m"
	green  = "\x1b[1;32m"
	yellow = "\x1b[1;33m"
	cyan   = "\x1b[36m"
	plain  = "\x1b[0m"
)

// verdicts are the words that a line with a verdict begins with.
var verdicts = []struct{ word, colour string }{
	{"BOUND", green}, {"THIS INPUT", yellow}, {"NO BOUND", red}, {"VIOLATED", red},
}

var (
	// label is what a line of the head of a report begins with.
	label = regexp.MustCompile(`^(?:[A-Z][A-Z ]*[A-Z]|kernel|program|GPU)  `)
	rule  = regexp.MustCompile(`^─[─ ]*$`)
	bars  = regexp.MustCompile(`[▏▎▍▌▋▊▉█]+`)
)

// Colour puts colours into a report that is printable and folded, where SetStyle has asked
// for them: verdicts, labels, headings of tables and bars. It reads lines, so that a line of
// a report that looks like one of these is taken for one.
func Colour(text string) string {
	if !Colours() {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		switch {
		case rule.MatchString(line):
			lines[i] = dim + line + plain
			if i > 0 && lines[i-1] != "" {
				lines[i-1] = bold + lines[i-1] + plain
			}
		case label.MatchString(line):
			lines[i] = coloured(line)
		case strings.HasSuffix(line, ":") && !strings.HasPrefix(line, " "):
			lines[i] = bold + line + plain
		default:
			lines[i] = bars.ReplaceAllString(line, cyan+"$0"+plain)
		}
	}
	return strings.Join(lines, "\n")
}

// coloured is a line with its label.
func coloured(line string) string {
	end := len(strings.TrimRight(label.FindString(line), " "))
	colour := bold
	for _, v := range verdicts {
		if line[:end] == v.word {
			colour = v.colour
		}
	}
	return colour + line[:end] + plain + line[end:]
}
