package terminal

import (
	"fmt"
	"io"
	"strings"
)

// Writer is where text for a terminal goes: names from files, such as those of
// .file in PTX and the symbols of ELF files, must not move the cursor, colour what
// follows or set titles. Control characters but line ends and tabs are written as \x1b.
type Writer struct {
	W    io.Writer
	held bool // a 0xc2, which begins a control character of two bytes or another one
}

// Write implements io.Writer.
func (p *Writer) Write(text []byte) (int, error) {
	first := 0
	for first < len(text) && !p.held && text[first] != 0xc2 && !control(text[first]) {
		first++
	}
	if first == len(text) {
		return p.W.Write(text)
	}
	out := append(make([]byte, 0, len(text)+16), text[:first]...)
	for _, b := range text[first:] {
		switch held := p.held; {
		case held && b >= 0x80 && b < 0xa0:
			out = fmt.Appendf(out, `\u%04x`, b)
			p.held = false
			continue
		case held:
			out = append(out, 0xc2)
			p.held = false
		}
		switch {
		case b == 0xc2:
			p.held = true
		case control(b):
			out = fmt.Appendf(out, `\x%02x`, b)
		default:
			out = append(out, b)
		}
	}
	if _, err := p.W.Write(out); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Printable is a text as a Writer writes it.
func Printable(text []byte) string {
	var b strings.Builder
	(&Writer{W: &b}).Write(text)
	return b.String()
}

func control(b byte) bool { return b < 0x20 && b != '\n' && b != '\t' || b == 0x7f }
