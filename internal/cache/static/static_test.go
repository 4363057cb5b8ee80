package static

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/warpbound/warpbound/internal/cache"
)

// No claim is wrong in any interleaving of tiny systems.
func TestEveryInterleaving(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 4000 {
		if err := tiny(r); err != nil {
			t.Fatal(err)
		}
	}
}

// No claim is wrong in random interleavings of larger systems.
func TestRandomInterleavings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		for range 20 {
			if err := large(r); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// Going along a warp takes no memory for its accesses.
func TestStepKeepsNothing(t *testing.T) {
	for _, order := range []Order{ProgramOrder, NoOrder} {
		for _, c := range []cache.Config{
			{Sets: 2, Ways: 4, LineBytes: 128, SectorBytes: 32},
			{Sets: 2, Ways: 4, LineBytes: 128, SectorBytes: 128, Replacement: cache.FIFO, WriteAllocate: true},
			{Sets: 64, Ways: 2, LineBytes: 128, SectorBytes: 128, Replacement: cache.PLRU, WriteEvict: true},
		} {
			l, err := NewLines(c, order, 0)
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(7, 8))
			draw := func() (uint64, cache.Kind) { return r.Uint64N(32) * 32, cache.Kind(r.IntN(2)) }
			for range 4000 {
				addr, k := draw()
				if err := l.Note(int64(r.IntN(2)), addr, k); err != nil {
					t.Fatal(err)
				}
			}
			a, err := l.Analyse(c, Cold)
			if err != nil {
				t.Fatal(err)
			}
			w := a.NewWalk()
			if err := w.Begin(0); err != nil {
				t.Fatal(err)
			}
			step := func() {
				addr, k := draw()
				at, err := l.Find(addr)
				if err != nil {
					t.Fatal(err)
				}
				w.Step(at, k)
			}
			for range 4000 {
				step()
			}
			if n := testing.AllocsPerRun(4000, step); n != 0 {
				t.Errorf("%+v, order %d: %v allocations a step", c, order, n)
			}
		}
	}
}
