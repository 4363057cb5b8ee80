package cfront

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/testkit/optional"
	"github.com/warpbound/warpbound/internal/testkit/settings"
)

// gcc finds the same tokens in a unit in one piece as in the files that it is made
// of, wherever comments, quotes, continued lines and conditionals begin and end.
func TestFlattenIsInclude(t *testing.T) {
	gcc := optional.Path(t, optional.GCC)
	preprocessed := func(dir string) (string, bool) {
		cmd := exec.CommandContext(t.Context(), gcc, "-E", "-P", "-w", "-x", "c", "m.c")
		cmd.Dir = dir
		var diag bytes.Buffer
		cmd.Stderr = &diag
		out, err := cmd.Output()
		return strings.Join(strings.Fields(string(out)), " "), err == nil
	}
	trees, compared, included := settings.Cases(t, 40), 0, 0
	for seed := range trees {
		r := rand.New(rand.NewPCG(uint64(seed), 12))
		dir, flat := t.TempDir(), t.TempDir()
		texts := make(map[string]string)
		const files = 5
		for i := range files {
			name := fmt.Sprintf("%d.h", i)
			if i == 0 {
				name = "m.c"
			}
			texts[filepath.Join(dir, name)] = randomHeader(r, i, files)
		}
		for name, text := range texts {
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		main := filepath.Join(dir, "m.c")
		if guard(main, texts[main]) != nil {
			continue
		}
		u, err := flatten(main, texts[main], Headers{Read: func(name string) (string, error) {
			if text, ok := texts[name]; ok {
				return text, nil
			}
			return "", fs.ErrNotExist
		}})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(flat, "m.c"), []byte(u.text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		want, ok := preprocessed(dir)
		if !ok {
			continue
		}
		got, ok := preprocessed(flat)
		// A line that stays, for its form or a header that is no whole, is an error
		// where it counts.
		if !ok && strings.Contains(u.text.String(), "include") {
			continue
		}
		// So is a #pragma once that stays.
		if strings.Contains(u.text.String(), "#pragma once") {
			continue
		}
		if compared++; u.moved {
			included++
		}
		if !ok || got != want {
			t.Errorf("seed %d: %v\n%s\nwant\n%s\nof\n%s\nin one piece\n%s", seed, ok, got, want, texts, u.text.String())
		}
	}
	if compared < trees/5 || included < trees/10 {
		t.Errorf("%d of %d compared, %d of them with headers", compared, trees, included)
	}
	t.Logf("%d trees, %d compared, %d of them with headers", trees, compared, included)
}

// randomHeader is a header of lines that include later ones, in and out of what
// hides them.
func randomHeader(r *rand.Rand, number, files int) string {
	var b strings.Builder
	open := 0
	for line := range 2 + r.IntN(8) {
		kind := r.IntN(18)
		if number == files-1 && kind < 6 {
			kind = 17
		}
		include := fmt.Sprintf("#include \"%d.h\"", number+1+r.IntN(max(1, files-1-number)))
		switch kind {
		case 0, 1, 2, 3:
			b.WriteString(include)
		case 4:
			b.WriteString(" %: include\t" + include[9:])
		case 5:
			b.WriteString(include + []string{" // a", " /* b */", " /* c **/ ", "/* d"}[r.IntN(4)])
		case 6:
			fmt.Fprintf(&b, "#if %d", r.IntN(2))
			open++
		case 7:
			if open > 0 {
				b.WriteString("#endif")
				open--
			}
		case 8:
			b.WriteString("/" + []string{"* x", "\\\n*", "* *\\\n/", "/", "\\\n/", "* \"*/ x"}[r.IntN(6)] + []string{"", "*/"}[r.IntN(2)])
		case 9:
			b.WriteString("*" + []string{"/", "\\\n/", "", "/ /*"}[r.IntN(4)])
		case 10:
			b.WriteString("\"a" + []string{"\"", "/*\"", "\\\"\"", "\\\\\"", "//\""}[r.IntN(5)])
		case 11:
			b.WriteString("'" + []string{"\"", "\\'", "/"}[r.IntN(3)] + "'")
		case 12:
			b.WriteString("#define X y \\")
		case 13:
			b.WriteString("#pragma once")
		default:
			fmt.Fprintf(&b, "t%d_%d", number, line)
		}
		switch r.IntN(16) {
		case 0:
			b.WriteString("\\\n")
		case 1:
			b.WriteString("\r\n")
		default:
			b.WriteString("\n")
		}
	}
	if r.IntN(8) > 0 {
		b.WriteString(strings.Repeat("\n#endif", open))
	}
	if r.IntN(2) == 0 {
		b.WriteString("\n")
	}
	return b.String()
}
