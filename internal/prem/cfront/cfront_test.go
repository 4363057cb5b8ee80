package cfront_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/testkit/golden"
	"github.com/warpbound/warpbound/internal/verify/loopkit"
)

func inputs(t testing.TB, dir string, least int) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", dir, "*.c"))
	if err != nil || len(files) < least {
		t.Fatalf("%d inputs in %s, want at least %d (%v)", len(files), dir, least, err)
	}
	return files
}

func read(t testing.TB, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The printed form of small programs; UPDATE_GOLDEN=1 rewrites it.
func TestGolden(t *testing.T) {
	for _, file := range inputs(t, "golden", 6) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			p, err := cfront.Parse(filepath.Base(file), read(t, file), nil)
			if err != nil {
				t.Fatal(err)
			}
			got := loopkit.Print(p)
			golden.File(t, strings.TrimSuffix(file, ".c")+".txt", got)
		})
	}
}

var want = regexp.MustCompile(`// want "([^"]*)"`)

// Every refusal stands at its line, and no other is made.
func TestRefusals(t *testing.T) {
	for _, file := range inputs(t, "refuse", 10) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text := read(t, file)
			p, err := cfront.Parse(file, text, nil)
			if err == nil {
				t.Fatalf("accepted:\n%s", loopkit.Print(p))
			}
			got := make(map[int][]string)
			for _, e := range flatten(err) {
				var at *loop.Error
				if !errors.As(e, &at) {
					t.Fatalf("error without a position: %v", e)
				}
				if at.Pos.File != file || at.Pos.Col < 1 {
					t.Errorf("position %v", at.Pos)
				}
				got[at.Pos.Line] = append(got[at.Pos.Line], at.Msg)
			}
			for i, line := range strings.Split(text, "\n") {
				m := want.FindStringSubmatch(line)
				msgs := got[i+1]
				switch {
				case m == nil && len(msgs) > 0:
					t.Errorf("line %d: %q, want none", i+1, msgs)
				case m != nil && len(msgs) == 0:
					t.Errorf("line %d: accepted, want %q", i+1, m[1])
				case m != nil && !matches(m[1], msgs):
					t.Errorf("line %d: %q, want %q", i+1, msgs, m[1])
				}
				delete(got, i+1)
			}
			for line, msgs := range got {
				t.Errorf("line %d: %q", line, msgs)
			}
		})
	}
}

// matches reads a dot of the pattern as any character and the rest literally.
func matches(pattern string, msgs []string) bool {
	re := regexp.MustCompile(strings.ReplaceAll(regexp.QuoteMeta(pattern), `\.`, "."))
	for _, m := range msgs {
		if !re.MatchString(m) {
			return false
		}
	}
	return true
}

func flatten(err error) []error {
	if j, ok := err.(interface{ Unwrap() []error }); ok {
		var out []error
		for _, e := range j.Unwrap() {
			out = append(out, flatten(e)...)
		}
		return out
	}
	return []error{err}
}

// A macro of the caller replaces the program's default.
func TestDefines(t *testing.T) {
	const text = `#ifndef N
#define N 8
#endif
static float A[N];
void f(void) {
#pragma omp target teams distribute parallel for num_threads(N)
  for (int i = 0; i < N; i++) A[i] = 0;
}
`
	for _, c := range []struct {
		defines map[string]string
		want    string
	}{{nil, "A float[8]"}, {map[string]string{"N": "96"}, "A float[96]"}, {map[string]string{"N": "96"}, "num_threads(96)"}} {
		p, err := cfront.Parse("a.c", text, c.defines)
		if err != nil {
			t.Fatal(err)
		}
		if got := loopkit.Print(p); !strings.Contains(got, c.want) {
			t.Errorf("%v: no %q in\n%s", c.defines, c.want, got)
		}
	}
	for _, bad := range []map[string]string{{"N M": "1"}, {"N": "1\n#define K"}, {"": "1"}} {
		if _, err := cfront.Parse("a.c", text, bad); err == nil {
			t.Errorf("macros %v accepted", bad)
		}
	}
	if _, err := cfront.Parse("", text, nil); err == nil {
		t.Error("no file name accepted")
	}
}

// Inputs that would exhaust the parser are refused before it.
func TestLimits(t *testing.T) {
	for name, text := range map[string]string{
		"size":      strings.Repeat(" ", 300<<10),
		"brackets":  "int x = " + strings.Repeat("(", 1000) + "1" + strings.Repeat(")", 1000) + ";",
		"zero":      "int x;\x00",
		"expansion": bomb(),
		"pointer":   "void e((*", // the parser alone would not return
		"star":      "int *;",
		"header":    "#include <stdio.h>\nenum { A = 2 };\nstatic const int M = 2;\nstatic double G[2];\nvoid f(int n) {}\n",
	} {
		if _, err := cfront.Parse("a.c", text, nil); err == nil || !strings.HasPrefix(err.Error(), "a.c:") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// bomb doubles a macro thirty times.
func bomb() string {
	var b strings.Builder
	b.WriteString("#define A0 1 +\n")
	for i := range 30 {
		fmt.Fprintf(&b, "#define A%d A%d A%d\n", i+1, i, i)
	}
	b.WriteString("int x = A30 1;\n")
	return b.String()
}

func BenchmarkParse(b *testing.B) {
	text := read(b, "testdata/golden/forms.c")
	for b.Loop() {
		if _, err := cfront.Parse("forms.c", text, nil); err != nil {
			b.Fatal(err)
		}
	}
}
