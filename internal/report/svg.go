package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// fonts are those of pictures, in order of preference: each of the first is on some
// of the common systems, with about the same widths. Text that another font would
// make too wide is squeezed (svgText).
const fonts = "Liberation Sans, Arial, Helvetica, DejaVu Sans, sans-serif"

// svgHead begins a picture on white.
func svgHead(out io.Writer, width, height int) {
	fmt.Fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"%s\" font-size=\"10\">\n", width, height, width, height, fonts)
	fmt.Fprintf(out, "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", width, height)
}

// textWidth is the room in pixels that a text needs in any of the usual fonts: 0.7 of
// its size a character is above the mean of the widest of them, DejaVu Sans.
func textWidth(s string, size int) int { return (utf8.RuneCountInString(s)*size*7 + 9) / 10 }

// svgLines cuts a text into lines that fit, at its spaces.
func svgLines(s string, size, room int) []string {
	var out []string
	line := ""
	for _, word := range strings.Fields(s) {
		if line != "" && textWidth(line+" "+word, size) > room {
			out = append(out, line)
			line = word
			continue
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return append(out, line)
}

// svgText writes a text that takes no more room than there is, whatever the font.
func svgText(out io.Writer, x, y, size int, anchor, s string, room int) {
	fit := ""
	if textWidth(s, size) > room {
		// Not wider than it is in the first of the fonts, which would stretch it.
		fit = fmt.Sprintf(" textLength=\"%d\" lengthAdjust=\"spacingAndGlyphs\"", min(room, textWidth(s, size)*4/5))
	}
	if size != 10 {
		fit += fmt.Sprintf(" font-size=\"%d\"", size)
	}
	if anchor != "start" {
		fit += fmt.Sprintf(" text-anchor=\"%s\"", anchor)
	}
	fmt.Fprintf(out, "<text x=\"%d\" y=\"%d\"%s>%s</text>\n", x, y, fit, escapeXML(s))
}

// roundTicks are the multiples of 1, 2 or 5 times a power of ten from low to high, of
// the smallest step that makes no more than most of them and one.
func roundTicks(low, high int64, most int64) []int64 {
	step := int64(1)
	for i := 0; (high-low)/step > most; i++ {
		step = step / [...]int64{1, 2, 5}[i%3] * [...]int64{2, 5, 10}[i%3]
	}
	var out []int64
	for t := (low + step - 1) / step * step; t <= high; t += step {
		out = append(out, t)
	}
	return out
}

func tenths(v int64) string {
	if v%10 == 0 {
		return fmt.Sprint(v / 10)
	}
	if v < 10 {
		return fmt.Sprintf(".%d", v)
	}
	return fmt.Sprintf("%d.%d", v/10, v%10)
}

func hundredths(v int64) string { return fmt.Sprintf("%d.%02d", v/100, v%100) }

func escapeXML(s string) string {
	var b []rune
	for _, r := range s {
		switch r {
		case '&':
			b = append(b, []rune("&amp;")...)
		case '<':
			b = append(b, []rune("&lt;")...)
		case '>':
			b = append(b, []rune("&gt;")...)
		case '"':
			b = append(b, []rune("&quot;")...)
		default:
			if r >= ' ' {
				b = append(b, r)
			}
		}
	}
	return string(b)
}
