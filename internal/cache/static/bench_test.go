package static

import (
	"testing"

	"github.com/warpbound/warpbound/internal/cache"
)

// stencil is access i of 48 warps that each read three rows of a grid of 4-byte
// cells and write one, as a five-point stencil does: rows are shared by neighbouring
// warps.
func stencil(w, i int) (uint64, cache.Kind) {
	row, k := uint64(w+i%4), cache.Load
	if i%4 == 3 {
		row, k = uint64(w)+1<<14, cache.Store
	}
	return row<<15 + uint64(i/4)*128, k
}

func BenchmarkAnalyse(b *testing.B) {
	const warps, perWarp = 48, 1024
	for _, bc := range []struct {
		name string
		c    cache.Config
	}{
		{"16KB-4ways", cache.Config{Sets: 32, Ways: 4, LineBytes: 128, SectorBytes: 128, WriteEvict: true}},
		{"128KB-256ways", cache.Config{Sets: 4, Ways: 256, LineBytes: 128, SectorBytes: 32, WriteAllocate: true}},
	} {
		b.Run(bc.name, func(b *testing.B) {
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				l, err := NewLines(bc.c, ProgramOrder, 0)
				if err != nil {
					b.Fatal(err)
				}
				for w := range warps {
					for i := range perWarp {
						addr, k := stencil(w, i)
						if err := l.Note(int64(w), addr, k); err != nil {
							b.Fatal(err)
						}
					}
				}
				a, err := l.Analyse(bc.c, Cold)
				if err != nil {
					b.Fatal(err)
				}
				walk := a.NewWalk()
				for w := range warps {
					if err := walk.Begin(int64(w)); err != nil {
						b.Fatal(err)
					}
					for i := range perWarp {
						addr, k := stencil(w, i)
						at, err := l.Find(addr)
						if err != nil {
							b.Fatal(err)
						}
						walk.Step(at, k)
					}
				}
				n += warps * perWarp
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e6, "Maccess/s")
		})
	}
}
