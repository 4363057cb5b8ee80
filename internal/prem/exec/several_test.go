package exec

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/ptxgen"
	"github.com/warpbound/warpbound/internal/prem/tile"
	"github.com/warpbound/warpbound/internal/testkit/ptxas"
	"github.com/warpbound/warpbound/internal/verify/loopkit"
	"github.com/warpbound/warpbound/internal/verify/premtest"
	"github.com/warpbound/warpbound/ptx"
)

// together compiles all functions of a program, which become one module.
func together(t *testing.T, p *loop.Unit, opt Options) ([]*Module, string) {
	t.Helper()
	var ms []*Module
	for _, f := range p.Funcs {
		m, err := Compile(p, f.Name, opt)
		if err != nil {
			t.Fatal(err)
		}
		ms = append(ms, m)
	}
	text, err := PTX(ms)
	if err != nil {
		t.Fatal(err)
	}
	return ms, text
}

// Names that could clash where kernels are numbered, and a scratchpad in each.
const severalSource = premtest.LargeScratchpad + premtest.Results + `
void last_0(float a[restrict 64])
{
#pragma omp target teams distribute parallel for num_teams(1) num_threads(32) map(tofrom: a[0:64])
    for (int i = 0; i < 64; i++)
        a[i] = a[i] * 2;
}
void last_0_sdma(float a[restrict 64])
{
#pragma omp target teams distribute parallel for num_teams(1) num_threads(32) map(tofrom: a[0:64])
    for (int i = 0; i < 64; i++)
        a[i] = a[i] * 3;
}
`

// One module holds the kernels of all functions, each the code that it is alone.
func TestSeveralFunctions(t *testing.T) {
	p, err := cfront.Parse("several.c", severalSource, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range schemes {
		ms, text := together(t, p, Options{Scheme: s, Tile: tile.Options{SPMBytes: above}})
		f, err := ptx.Parse("several.ptx", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		var names, want []string
		for _, e := range f.Entries() {
			names = append(names, e.Name)
		}
		for _, m := range ms {
			_, own, _ := strings.Cut(m.PTX, "\n\n")
			if !strings.Contains(text, own) {
				t.Errorf("%s: the code of %s is another one", s, m.Func.Name)
			}
			for _, k := range m.Kernels {
				want = append(want, k.Device.Name)
			}
		}
		if !slices.Equal(names, want) || len(slices.Compact(slices.Sorted(slices.Values(names)))) != len(want) {
			t.Errorf("%s: kernels %v, want %v", s, names, want)
		}
		for _, line := range []string{".version ", ".target ", ".address_size ", ".file "} {
			if strings.Count("\n"+text, "\n"+line) != 1 {
				t.Errorf("%s: not one %s", s, line)
			}
		}
		// The kernels of the common module compute what they should.
		m := ms[len(ms)-1]
		m.PTX = text
		if err := m.lower(); err != nil {
			t.Fatal(err)
		}
		got, from := counted(t, loop.Float, 64), counted(t, loop.Float, 64)
		if err := m.Run(context.Background(), loop.Args{Arrays: map[string]*loop.Buffer{"a": got}}, (&Functional{}).Run); err != nil {
			t.Fatal(err)
		}
		for i, x := range loopkit.Floats(from) {
			if loopkit.Floats(got)[i] != 3*x {
				t.Fatalf("%s: element %d is %v", s, i, loopkit.Floats(got)[i])
			}
		}
	}
}

// Values that plans rest on are named at the kernels of their functions.
func TestSeveralFunctionsScalars(t *testing.T) {
	const source = `
void f(int n, float a[restrict n])
{
#pragma omp target teams distribute parallel for num_teams(1) num_threads(32)
    for (int i = 0; i < n; i++) a[i] = a[i] * 2;
}
void g(int m, float a[restrict m])
{
#pragma omp target teams distribute parallel for num_teams(1) num_threads(32)
    for (int i = 0; i < m; i++) a[i] = a[i] * 2;
}
`
	p, err := cfront.Parse("two.c", source, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, text := together(t, p, Options{Scheme: device.SDMA, Tile: tile.Options{SPMBytes: 1024, Scalars: map[string]int64{"n": 50, "m": 60}}})
	_, behind, _ := strings.Cut(text, "// f_0_sdma:")
	first, second, _ := strings.Cut(behind, "// g_0_sdma:")
	for what, ok := range map[string]bool{
		"n of f":    strings.Contains(first, "ONLY for n = 50: "),
		"no m of f": !strings.Contains(first, "m = 60"),
		"m of g":    strings.Contains(second, "ONLY for m = 60: "),
		"no n of g": !strings.Contains(second, "n = 50"),
	} {
		if !ok {
			t.Errorf("%s: %s", what, text)
		}
	}
}

// NVIDIA's assembler accepts it.
func TestSeveralFunctionsAssemble(t *testing.T) {
	a := ptxas.Need(t)
	p, err := cfront.Parse("several.c", severalSource, nil)
	if err != nil {
		t.Fatal(err)
	}
	var legal modules
	for i, s := range schemes {
		for _, guard := range []bool{false, true} {
			_, text := together(t, p, Options{Scheme: s, Tile: tile.Options{SPMBytes: above}, PTX: ptxgen.Options{Guard: guard, Unroll: i}})
			legal.add(text, "%s, guard %v", s, guard)
		}
	}
	legal.assemble(t, a)
}
