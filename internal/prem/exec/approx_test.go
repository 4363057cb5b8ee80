package exec

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/ptxgen"
	"github.com/warpbound/warpbound/internal/prem/tile"
	"github.com/warpbound/warpbound/internal/verify/loopkit"
)

// Functions without an exact form are refused with the way to have them, and then
// come close under every scheme.
func TestApproximations(t *testing.T) {
	source := `#include <math.h>
void f(float a[restrict 64], double b[restrict 64])
{
#pragma omp target teams distribute parallel for num_teams(2) num_threads(16) map(tofrom: a[0:64], b[0:64])
    for (int i = 0; i < 64; i++) {
        a[i] = expf(a[i] * 0.125f) + sinf(a[i]) * logf(a[i] + 1.0f);
        b[i] = pow(b[i] + 1.0, 0.75) + cos(b[i]);
    }
}
`
	p, err := cfront.Parse("f.c", source, nil)
	if err != nil {
		t.Fatal(err)
	}
	args := func() loop.Args {
		return loop.Args{Arrays: map[string]*loop.Buffer{"a": counted(t, loop.Float, 64), "b": counted(t, loop.Double, 64)}}
	}
	want := args()
	if err := loopkit.Run(p, "f", want); err != nil {
		t.Fatal(err)
	}
	for _, s := range schemes {
		opt := Options{Scheme: s, Tile: tile.Options{SPMBytes: 2 << 10}}
		if _, err := Compile(p, "f", opt); err == nil || !strings.Contains(err.Error(), "f.c:6:16: expf has no exact form in PTX; --approx") {
			t.Errorf("%s: error %v", s, err)
		}
		opt.PTX = ptxgen.Options{Approx: true}
		m, err := Compile(p, "f", opt)
		if err != nil {
			t.Fatal(s, err)
		}
		got := args()
		if err := m.Run(context.Background(), got, (&Functional{}).Run); err != nil {
			t.Fatal(s, err)
		}
		for i := range 64 {
			a, wa := math.Float32frombits(uint32(got.Arrays["a"].Bits[i])), math.Float32frombits(uint32(want.Arrays["a"].Bits[i]))
			b, wb := math.Float64frombits(got.Arrays["b"].Bits[i]), math.Float64frombits(want.Arrays["b"].Bits[i])
			if math.Abs(float64(a-wa)) > 1e-4 || math.Abs(b-wb) > 1e-4 {
				t.Fatalf("%s: iteration %d gives %v and %v, want about %v and %v", s, i, a, b, wa, wb)
			}
		}
	}
}
