package exec

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/tile"
)

// hostBound is a function that computes on the host for hours before its kernel.
const hostBound = `void f(float y[restrict 64])
{
	int s = 0;
	for (int t = 0; t < 2000000000; t++)
		for (int u = 0; u < 2000000000; u++)
			s = u;
	#pragma omp target teams distribute parallel for
	for (int i = 0; i < 64; i++)
		y[i] = 1.0f;
}
`

// Host code that takes long can be interrupted, says how far it is, and has a limit.
func TestHostCodeIsInterrupted(t *testing.T) {
	p, err := cfront.Parse("f.c", hostBound, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Compile(p, "f", Options{Tile: tile.Options{SPMBytes: 1 << 12}})
	if err != nil {
		t.Fatal(err)
	}
	args := func() loop.Args {
		b, err := loop.NewBuffer(loop.Float, 64)
		if err != nil {
			t.Fatal(err)
		}
		return loop.Args{Arrays: map[string]*loop.Buffer{"y": b}}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	told, last := 0, int64(0)
	a := args()
	a.Poll = func(n int64) error {
		if told++; n <= last {
			t.Errorf("%d statements after %d", n, last)
		}
		last = n
		return nil
	}
	if err := m.Run(ctx, a, (&Functional{}).Run); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want that of the context", err)
	}
	if told == 0 {
		t.Error("no progress was told")
	}
	a = args()
	a.MaxSteps = 1<<20 + 5
	if err := m.Run(context.Background(), a, (&Functional{}).Run); err == nil || !strings.Contains(err.Error(), "more than 1048581 statements executed on the host") {
		t.Errorf("error %v, want the limit", err)
	}
}
