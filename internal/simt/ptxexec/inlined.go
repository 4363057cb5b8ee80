package ptxexec

import (
	"strconv"
	"strings"

	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/ptx"
)

// locPlace is what a .loc names.
type locPlace struct{ file, line, col int32 }

// inlinedCalls finds the calls in whose place stands what is behind each .loc. The place
// named by inlined_at is that of a .loc before, the last of which says what it is inlined
// into itself (PTX ISA, section "Debugging Directives: .loc").
func (l *lowerer) inlinedCalls() {
	latest := map[locPlace]int{}
	var strs []string // of .debug_str, as text
	for _, d := range l.file.Decls {
		if s, ok := d.(*ptx.Section); ok && s.Name == ".debug_str" {
			strs = append(strs, s.Raw)
		}
	}
	for i, at := range l.file.Locs {
		var calls []isa.Inlined
		if name, ok := l.files[at.InFile]; at.InlinedAt && ok {
			calls = append(calls, isa.Inlined{
				Function: debugString(strs, at.FunctionName, at.FunctionNameOff),
				At:       isa.Position{File: name, Line: int(at.InLine), Col: int(at.InCol)},
			})
			if j, ok := latest[locPlace{at.InFile, at.InLine, at.InCol}]; ok {
				calls = append(calls, l.inlined[j]...)
			}
		}
		l.inlined = append(l.inlined, calls)
		latest[locPlace{at.File, at.Line, at.Col}] = i
	}
}

// debugString is the string so many bytes behind a label of a section, which ends with a 0;
// "" where there is none.
func debugString(sections []string, label string, off int64) string {
	if label == "" {
		return ""
	}
	for _, raw := range sections {
		_, after, ok := strings.Cut("\n"+raw, "\n"+label+":")
		if !ok {
			continue
		}
		var out []byte
		for line := range strings.Lines(after) {
			for _, field := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\r\n,;", r) }) {
				if field == ".b8" || strings.HasSuffix(field, ":") {
					continue
				}
				n, err := strconv.ParseUint(field, 0, 8)
				switch {
				case err != nil:
					return ""
				case off > 0:
					off--
				case n == 0:
					return string(out)
				default:
					out = append(out, byte(n))
				}
			}
		}
	}
	return ""
}
