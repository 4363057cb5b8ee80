package terminal

import (
	"bytes"
	"testing"
)

func TestPrintable(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain µs │ text\n\tand more\n", "plain µs │ text\n\tand more\n"},
		{"\x1b]0;title\x07\x1b[31mred\r\b\x7f\x00", `\x1b]0;title\x07\x1b[31mred\x0d\x08\x7f\x00`},
		{"c1 \u009b31m, \u00a0 and µ", "c1 \\u009b31m, \u00a0 and µ"},
	} {
		for split := 0; split <= len(c.in); split++ {
			var b bytes.Buffer
			p := &Writer{W: &b}
			for _, part := range []string{c.in[:split], c.in[split:]} {
				if n, err := p.Write([]byte(part)); n != len(part) || err != nil {
					t.Fatalf("%d bytes, %v", n, err)
				}
			}
			if b.String() != c.want {
				t.Errorf("%q split at %d is %q, want %q", c.in, split, b.String(), c.want)
			}
		}
	}
}
