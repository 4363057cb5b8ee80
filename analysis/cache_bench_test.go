package analysis

import (
	"testing"

	"github.com/warpbound/warpbound/l1d"
	"github.com/warpbound/warpbound/l1d/cache"
)

// BenchmarkAnyOrder bounds the misses of a million requests with strides, of lines
// that are used twice.
func BenchmarkAnyOrder(b *testing.B) {
	const warps, each = 8192, 64
	s := newWarpSets(l1d.Residency{Blocks: warps / 8, SMs: 15, BlocksPerSM: 6}, 8, false)
	a := l1d.Access{Lines: make([]uint64, 1)}
	for w := range warps {
		a.Block, a.Warp = int64(w/8), w%8
		for i := range each {
			a.Lines[0] = uint64(w+i*warps) * 128
			s.add(&a)
			s.add(&a)
		}
	}
	c := cache.Config{Sets: 32, Ways: 4, LineBytes: 128, SectorBytes: 128, WriteEvict: true}
	b.ResetTimer()
	for range b.N {
		if _, err := s.anyOrder(c); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(2*warps*each)*float64(b.N)/b.Elapsed().Seconds(), "requests/s")
}
