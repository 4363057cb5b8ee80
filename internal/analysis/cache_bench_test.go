package analysis

import (
	"context"
	"testing"

	"github.com/warpbound/warpbound/internal/cache"
	"github.com/warpbound/warpbound/internal/cache/l1d"
	"github.com/warpbound/warpbound/internal/cache/static"
)

// BenchmarkAnyOrder bounds the misses of a million requests with strides, of lines
// that are used twice, in one cache.
func BenchmarkAnyOrder(b *testing.B) {
	const warps, each = 8192, 64
	at := l1d.Residency{Blocks: warps / 8, SMs: 15, BlocksPerSM: 6}
	c := []cache.Config{{Sets: 32, Ways: 4, LineBytes: 128, SectorBytes: 128, WriteEvict: true}}
	a := l1d.Access{Lines: make([]uint64, 1)}
	requests := func(visit func(*l1d.Access) error) {
		for w := range warps {
			a.Block, a.Warp = int64(w/8), w%8
			for i := range 2 * each {
				a.Lines[0] = uint64(w+i/2*warps) * 128
				if err := visit(&a); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		o := newAnyOrder(c, at, 8, false, static.ProgramOrder, nil)
		requests(func(a *l1d.Access) error { return o.add(context.Background(), 0, a) })
		cached, err := o.lines[0].Analyse(c[0], static.Cold)
		if err != nil {
			b.Fatal(err)
		}
		w, block := newBlockWalk(o, []*static.Analysis{cached}), int64(-1)
		requests(func(a *l1d.Access) error {
			if a.Block != block {
				block = a.Block
				if err := w.begin(block); err != nil {
					return err
				}
			}
			return w.access(a)
		})
	}
	b.ReportMetric(float64(2*warps*each)*float64(b.N)/b.Elapsed().Seconds(), "requests/s")
}
