package exec

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/tile"
	"github.com/warpbound/warpbound/internal/testkit/optional"
	"github.com/warpbound/warpbound/internal/verify/premtest"
)

func resultArgs(t *testing.T, n int32) loop.Args {
	t.Helper()
	return loop.Args{Scalars: map[string]loop.Value{"n": loop.OfInt(n)},
		Arrays: map[string]*loop.Buffer{"a": counted(t, loop.Float, 64), "b": counted(t, loop.Int, 64)}}
}

func returning(t *testing.T) *loop.Unit {
	t.Helper()
	p, err := cfront.Parse("results.c", premtest.Results, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A function returns under every scheme what it does in the interpreter, and leaves
// the same memory.
func TestResults(t *testing.T) {
	p := returning(t)
	types := make(map[loop.Type]bool)
	for _, f := range p.Funcs {
		types[f.Result] = true
		for _, s := range schemes {
			m, err := Compile(p, f.Name, Options{Scheme: s, Tile: tile.Options{SPMBytes: 2 << 10}})
			if err != nil {
				t.Errorf("%s, %s: %v", f.Name, s, err)
				continue
			}
			for _, n := range premtest.ResultSizes {
				want, got := resultArgs(t, n), resultArgs(t, n)
				wanted, err := loop.Invoke(p, f.Name, want)
				if err != nil {
					t.Fatal(err)
				}
				have, err := m.Invoke(context.Background(), got, (&Functional{}).Run)
				if err != nil {
					t.Errorf("%s(%d), %s: %v", f.Name, n, s, err)
					continue
				}
				if f.Name == "total" { // in the order of the threads
					if d := real(have) - real(wanted); have.Type != loop.Float || d > 1e-4 || d < -1e-4 || real(have) == 0 {
						t.Errorf("%s(%d), %s: returned %v, want about %v", f.Name, n, s, have, wanted)
					}
					continue
				}
				if have != wanted || have.Type != f.Result {
					t.Errorf("%s(%d), %s: returned %v, want %v", f.Name, n, s, have, wanted)
				}
				for name, b := range want.Arrays {
					for i, x := range b.Bits {
						if got.Arrays[name].Bits[i] != x {
							t.Fatalf("%s(%d), %s: element %d of %s is %#x, want %#x", f.Name, n, s, i, name, got.Arrays[name].Bits[i], x)
						}
					}
				}
			}
		}
	}
	if len(types) != 7 {
		t.Errorf("results of %d types, want the six and none", len(types))
	}
}

func real(v loop.Value) float32 { return math.Float32frombits(uint32(v.Bits)) }

// The interpreter's result is that of compiled C, bit for bit.
func TestResultsOfC(t *testing.T) {
	p := returning(t)
	var text, want strings.Builder
	text.WriteString("#include <stdio.h>\n#include <string.h>\n" + premtest.Results)
	text.WriteString("static float a[64]; static int b[64];\n" +
		"static int fresh(int n) { for (int i = 0; i < 64; i++) a[i] = (float)(b[i] = i * 7 % 13); return n; }\n" +
		"int main(void) {\n")
	for _, f := range p.Funcs {
		if f.Result == loop.NoType {
			continue
		}
		for _, n := range premtest.ResultSizes {
			value, err := loop.Invoke(p, f.Name, resultArgs(t, n))
			if err != nil {
				t.Fatal(err)
			}
			mask := uint64(1)<<(8*f.Result.Size()-1)<<1 - 1
			fmt.Fprintf(&want, "%s(%d) %x\n", f.Name, n, value.Bits&mask)
			fmt.Fprintf(&text, "{ __typeof__(%s(0, a, b)) x = %s(fresh(%d), a, b); unsigned long u = 0; memcpy(&u, &x, sizeof x); printf(\"%s(%d) %%lx\\n\", u); }\n", f.Name, f.Name, n, f.Name, n)
		}
	}
	text.WriteString("return 0; }\n")
	gcc := optional.Path(t, optional.GCC)
	dir := t.TempDir()
	file := filepath.Join(dir, "p.c")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(gcc, "-O1", "-ffp-contract=off", "-fwrapv", "-Wno-unknown-pragmas", "-o", filepath.Join(dir, "p"), file).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got, err := exec.Command(filepath.Join(dir, "p")).Output()
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want.String() {
		t.Errorf("compiled:\n%swant:\n%s", got, want.String())
	}
}
