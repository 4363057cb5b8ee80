package exec

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/depend"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/ptxgen"
	"github.com/warpbound/warpbound/internal/prem/tile"
	"github.com/warpbound/warpbound/internal/testkit/settings"
	"github.com/warpbound/warpbound/internal/verify/deviceexec"
	"github.com/warpbound/warpbound/internal/verify/premtest"
)

// Random nests: the functional machine computes what package device computes,
// whose result premtest compares with the sequential program.
func TestRandomNests(t *testing.T) {
	compared, results, refused, unfit := 0, 0, 0, 0
	n, first := settings.Cases(t, 150), settings.Seed(t, 0)
	for seed := first; seed < first+n; seed++ {
		nest := premtest.Generate(premtest.Seeded(uint64(seed)))
		p, err := cfront.Parse("nest.c", nest.Source, nil)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, nest.Source)
		}
		for _, s := range schemes {
			spm := []int64{1 << 17, 2 << 10}[seed%2]
			what := fmt.Sprintf("seed %d, %s, %d bytes", seed, s, spm)
			m, err := Compile(p, premtest.Function, Options{Scheme: s, Tile: tile.Options{SPMBytes: spm}, PTX: ptxgen.Options{Unroll: seed / 2 % 4}})
			if err != nil && (strings.Contains(err.Error(), "of scratchpad") || depend.Kernel(p, p.Funcs[0].Kernels()[0]) != nil) {
				unfit++
				continue
			}
			if err != nil {
				t.Fatalf("%s: %v\n%s", what, err, nest.Source)
			}
			want := nest.Args(seed % 2)
			if err := byDevice(m, want); err != nil {
				refused++
				continue
			}
			got := nest.Args(seed % 2)
			result, err := m.Invoke(context.Background(), got, (&Functional{}).Run)
			if err != nil {
				t.Fatalf("%s: %v\n%s\n%s", what, err, nest.Source, m.PTX)
			}
			// Reductions are exact in any order, so that the sequential program's is the result.
			if wanted, err := loop.Invoke(p, premtest.Function, nest.Args(seed%2)); err == nil && wanted.Type != loop.NoType {
				if results++; result != wanted {
					t.Fatalf("%s: returned %v, want %v\n%s\n%s", what, result, wanted, nest.Source, m.PTX)
				}
			}
			if d := differs(p, got, want); d != "" {
				t.Fatalf("%s: %s\n%s\n%s\n%s", what, d, nest.Source, deviceexec.Print(m.Kernels[0].Device), m.PTX)
			}
			compared++
		}
	}
	if results < n/20 {
		t.Errorf("only %d of %d runs had results", results, 4*n)
	}
	t.Logf("%d runs compared, %d with results, %d refused by package device, %d without a plan", compared, results, refused, unfit)
	if compared < 2*n {
		t.Errorf("only %d of %d runs could be compared", compared, 4*n)
	}
}

// differs names the first element in which two memories differ, or is empty.
func differs(p *loop.Unit, got, want loop.Args) string {
	for _, q := range p.Funcs[0].Params {
		if q.Array == nil {
			continue
		}
		g, w := got.Arrays[q.Array.Name], want.Arrays[q.Array.Name]
		for i := range w.Bits {
			if g.Bits[i] != w.Bits[i] && !(isNaN(w.Elem, g.Bits[i]) && isNaN(w.Elem, w.Bits[i])) {
				return fmt.Sprintf("element %d of %s is %#x, want %#x", i, q.Array.Name, g.Bits[i], w.Bits[i])
			}
		}
	}
	return ""
}

func isNaN(t loop.Type, x uint64) bool {
	return t.IsFloat() && !loop.Compare(loop.Eq, t, x, x)
}
