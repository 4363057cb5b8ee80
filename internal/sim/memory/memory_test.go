package memory

import (
	"fmt"
	"testing"

	"github.com/warpbound/warpbound/internal/testkit/gpus"
	"pgregory.net/rapid"
)

// Every address has a place of its own, and the place knows it.
func TestPlaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := gpus.Open(t, "gtx480", fmt.Sprintf("l2.slices=%d", rapid.IntRange(6, 40).Draw(t, "slices")), "l2.sets=1", "l2.ways=1")
		mem, err := New(m.Desc, 1)
		if err != nil {
			t.Fatal(err)
		}
		addr := rapid.Uint64Range(0, 1<<48).Draw(t, "address")
		slice, local := mem.places.Slice(addr)
		if back := mem.places.Global(slice, local); back != addr || slice >= m.Desc.L2.Slices {
			t.Errorf("%d is at %d of slice %d, which is %d", addr, local, slice, back)
		}
	})
}
