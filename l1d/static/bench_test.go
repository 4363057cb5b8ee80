package static

import (
	"iter"
	"testing"

	"github.com/warpbound/warpbound/l1d/cache"
)

// stencil is 48 warps that each read three rows of a grid of 4-byte cells and
// write one, as a five-point stencil does: rows are shared by neighbouring warps.
func stencil(c cache.Config, perWarp int) System {
	return System{Cache: c, Warps: 48, Accesses: func(w int) iter.Seq2[uint64, cache.Kind] {
		return func(yield func(uint64, cache.Kind) bool) {
			for i := range perWarp {
				row, k := uint64(w+i%4), cache.Load
				if i%4 == 3 {
					row, k = uint64(w)+1<<14, cache.Store
				}
				if !yield(row<<15+uint64(i/4)*128, k) {
					return
				}
			}
		}
	}}
}

func BenchmarkAnalyse(b *testing.B) {
	for _, bc := range []struct {
		name string
		c    cache.Config
	}{
		{"16KB-4ways", cache.Config{Sets: 32, Ways: 4, LineBytes: 128, SectorBytes: 128, WriteEvict: true}},
		{"128KB-256ways", cache.Config{Sets: 4, Ways: 256, LineBytes: 128, SectorBytes: 32, WriteAllocate: true}},
	} {
		b.Run(bc.name, func(b *testing.B) {
			const perWarp = 1024
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				a, err := Analyse(stencil(bc.c, perWarp))
				if err != nil {
					b.Fatal(err)
				}
				if _, err := a.Totals(); err != nil {
					b.Fatal(err)
				}
				n += 48 * perWarp
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e6, "Maccess/s")
		})
	}
}
