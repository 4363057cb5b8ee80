package l1d

import (
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/warpbound/warpbound/internal/simt"
)

// The segments of random accesses, byte by byte.
func TestCoalesce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := simt.Step{Exec: simt.Mask(rapid.Uint32().Draw(t, "lanes"))}
		if rapid.Bool().Draw(t, "full") {
			s.Exec = ^simt.Mask(0)
		}
		s.WidthBytes = rapid.SampledFrom([]int32{1, 2, 4, 8, 16, 32, 12}).Draw(t, "width")
		shift := rapid.UintRange(2, 8).Draw(t, "shift")
		stride := rapid.Uint64Range(0, 70).Draw(t, "stride")
		for i := range s.Addresses {
			s.Addresses[i] = uint64(s.WidthBytes) * (stride*uint64(i) + rapid.Uint64Range(0, 3).Draw(t, "offset"))
		}
		want := []uint64{7} // what is there already is kept
		for m := s.Exec; m != 0; m &= m - 1 {
			for byte := range uint64(s.WidthBytes) {
				if line := (s.Addresses[bits.TrailingZeros32(uint32(m))] + byte) >> shift << shift; !slices.Contains(want, line) {
					want = append(want, line)
				}
			}
		}
		if got := coalesce([]uint64{7}, &s, shift); !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}
