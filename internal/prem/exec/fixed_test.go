package exec

import (
	"context"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/tile"
)

// Boxes have room for the values of parameters that the plan is made for, and so
// the kernels run with these only.
func TestKernelsRunWithTheirScalarsOnly(t *testing.T) {
	p, err := cfront.Parse("f.c", `
void f(int n, unsigned u, float a[restrict 64], const float b[restrict 64][400])
{
#pragma omp target teams distribute parallel for num_teams(2) num_threads(16) map(tofrom: a[0:64]) map(to: b[0:64][0:400])
    for (int i = 0; i < 64; i++)
        for (int k = 0; k < n; k++)
            a[i] += b[i][k];
}`, nil)
	if err != nil {
		t.Fatal(err)
	}
	args := func(n int32) loop.Args {
		return loop.Args{Scalars: map[string]loop.Value{"n": loop.OfInt(n), "u": {Type: loop.Uint, Bits: 1}},
			Arrays: map[string]*loop.Buffer{"a": counted(t, loop.Float, 64), "b": counted(t, loop.Float, 64, 400)}}
	}
	for _, s := range schemes {
		m, err := Compile(p, "f", Options{Scheme: s, Tile: tile.Options{SPMBytes: 2 << 10, Scalars: map[string]int64{"n": 10, "u": 3, "else": 4}}})
		if err != nil {
			t.Fatal(s, err)
		}
		if err := m.Run(context.Background(), args(10), (&Functional{}).Run); err != nil {
			t.Errorf("%s: %v", s, err)
		}
		err = m.Run(context.Background(), args(400), (&Functional{}).Run)
		said := strings.Count(m.PTX, "//   ONLY for n = 10: ")
		if s == device.Base {
			if err != nil || said != 0 {
				t.Errorf("base rests on no plan: %v\n%s", err, m.PTX)
			}
			continue
		}
		if err == nil || err.Error() != "f.c:2:6: n is 400, but the kernels of f are made for 10 only" {
			t.Errorf("%s: error %v", s, err)
		}
		if said != 1 {
			t.Errorf("%s: the text says so %d times\n%s", s, said, m.PTX)
		}
	}
}
