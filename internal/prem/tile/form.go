package tile

import (
	"strconv"
	"strings"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

// formString writes a linear form: 2*i - j + 3.
func formString(l loop.Linear) string {
	var b strings.Builder
	part := func(c int64, name string) {
		switch {
		case b.Len() == 0 && c < 0:
			b.WriteString("-")
		case b.Len() > 0 && c < 0:
			b.WriteString(" - ")
		case b.Len() > 0:
			b.WriteString(" + ")
		}
		if c = abs(c); name == "" || c != 1 {
			b.WriteString(strconv.FormatInt(c, 10))
			if name != "" {
				b.WriteString("*")
			}
		}
		b.WriteString(name)
	}
	for _, t := range l.Terms {
		part(t.Coef, t.Var.Name)
	}
	if l.Const != 0 || b.Len() == 0 {
		part(l.Const, "")
	}
	return b.String()
}
