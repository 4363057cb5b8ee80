package static

import (
	"math/rand/v2"
	"testing"

	"github.com/warpbound/warpbound/internal/cache"
)

// FuzzRuns reads a cache, a start, an order in warps and a limit of lines from the
// first two bytes, and from each further one an access: two bits for the warp, one
// for a store, four for the line, one for its half. The bytes in their order are the
// first run, six random ones of the same accesses the others.
func FuzzRuns(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 2 || len(data) > 200 {
			return
		}
		y := &toy{start: Start(data[0] >> 7), order: Order(data[1] >> 5 & 1), limit: int(data[1]>>6) * 3, warps: make([][]access, 4)}
		y.cache = cache.Config{
			Sets: 1 << (data[0] & 3), Ways: int(data[0]>>2&7) + 1, LineBytes: 128, SectorBytes: 128 >> (data[0] >> 5 & 1),
			Replacement: cache.Replacement(data[1] & 3), WriteBack: data[1]&4 > 0, WriteAllocate: data[1]&8 > 0, WriteEvict: data[1]&16 > 0,
		}
		if y.cache.Check() != nil {
			return
		}
		var order []int
		for _, b := range data[2:] {
			a := access{addr: uint64(b>>3&15)*128 + uint64(b&1)*64, kind: cache.Kind(b >> 2 & 1)}
			w := int(b&2)>>1 | int(b>>7)<<1
			y.warps[w] = append(y.warps[w], a)
			order = append(order, w)
		}
		c, err := y.analyse()
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(uint64(len(data)), uint64(data[len(data)-1])))
		if y, c = y.loose(c); y.order == NoOrder {
			order = y.randomOrder(r)
		}
		for range 7 {
			if err := y.check(c, y.begin(r), order); err != nil {
				t.Fatal(err)
			}
			order = y.randomOrder(r)
		}
	})
}
