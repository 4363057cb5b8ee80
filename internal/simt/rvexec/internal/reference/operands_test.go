package reference_test

import (
	"math/rand/v2"
	"testing"

	"github.com/warpbound/warpbound/internal/testkit/settings"
)

// random returns the source of a test's random cases; WARPBOUND_SEED makes a long
// run differ from the last one.
func random(t *testing.T) *rand.Rand {
	var h uint64
	for _, c := range t.Name() {
		h = h*31 + uint64(c)
	}
	return rand.New(rand.NewPCG(uint64(settings.Seed(t, 1)), h))
}

// specials are binary32 patterns around every border there is.
var specials = func() []uint32 {
	positive := []uint32{
		0x00000000, 0x00000001, 0x00000002, 0x00000003, 0x003fffff, 0x00400000, 0x007ffffe, 0x007fffff, // 0, subnormal
		0x00800000, 0x00800001, 0x00ffffff, 0x01000000, 0x01000001, // smallest normal
		0x1f800000, 0x20000000, 0x20000001, 0x1fffffff, 0x0c000000, 0x0bffffff, // products and roots near underflow
		0x33000000, 0x33800000, 0x33800001, 0x34000000, 0x337fffff, // 2^-25, 2^-24, 2^-23
		0x3effffff, 0x3f000000, 0x3f000001, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x3fbfffff, 0x3fc00000, 0x3fc00001, // 1/2, 1, 3/2
		0x40000000, 0x40200000, 0x40400000, 0x40490fdb, 0x3eaaaaab, 0x3dcccccd, // 2, 5/2, 3, pi, 1/3, 1/10
		0x4b000000, 0x4b000001, 0x4affffff, 0x4b7fffff, 0x4b800000, 0x4b800001, // 2^23, 2^24
		0x4effffff, 0x4f000000, 0x4f000001, 0x4f7fffff, 0x4f800000, 0x4f800001, // 2^31, 2^32
		0x5f000000, 0x5f7fffff, 0x5f800000, 0x5f3504f3, 0x5f3504f4, // products near overflow
		0x7e800000, 0x7f000000, 0x7f7ffffe, 0x7f7fffff, // largest
		0x7f800000,                                                 // infinity
		0x7f800001, 0x7fa00000, 0x7fbfffff, 0x7fc00000, 0x7fffffff, // NaN
	}
	all := make([]uint32, 0, 2*len(positive))
	for _, p := range positive {
		all = append(all, p, p|1<<31)
	}
	return all
}()

// pattern draws a binary32 pattern: any, special, near a special one, with few
// bits set, or of a moderate exponent.
func pattern(r *rand.Rand) uint32 {
	switch r.IntN(8) {
	case 0:
		return specials[r.IntN(len(specials))]
	case 1:
		return specials[r.IntN(len(specials))] + uint32(r.IntN(9)) - 4
	case 2: // short fraction: ties and exact results
		return r.Uint32()&0xff800000 | r.Uint32()<<(15+r.UintN(8))&0x7fffff
	case 3: // long runs of ones or zeros
		return r.Uint32()&0xff800000 | (r.Uint32()&7-3)&0x7fffff
	case 4: // results of moderate size
		return r.Uint32()&0x807fffff | (127-16+r.Uint32N(33))<<23
	case 5: // subnormal and just above
		return r.Uint32()&0x80ffffff>>r.UintN(24)&0x00ffffff | r.Uint32()&(1<<31)
	default:
		return r.Uint32()
	}
}

// near draws a pattern whose number is near that of a in size, so that sums
// cancel.
func near(r *rand.Rand, a uint32) uint32 {
	b := a + uint32(r.IntN(33)) - 16
	if r.IntN(2) == 0 {
		b += (r.Uint32N(51) - 25) << 23
	}
	return b ^ r.Uint32()&(1<<31)
}

// integers are register values around every border there is.
var integers = func() []uint32 {
	all := []uint32{0x55555555, 0xaaaaaaaa, 0x0000ffff, 0xffff0000, 0x12345678, 0x80000000 / 3, 46340, 46341, 65535, 65537}
	for i := range 32 {
		all = append(all, 1<<i, 1<<i-1, -(1 << i), 1<<i+1)
	}
	return all
}()

// integer draws a register value.
func integer(r *rand.Rand) uint32 {
	switch r.IntN(5) {
	case 0:
		return integers[r.IntN(len(integers))]
	case 1:
		return integers[r.IntN(len(integers))] + uint32(r.IntN(9)) - 4
	case 2:
		return r.Uint32() >> r.UintN(32)
	case 3:
		return uint32(int32(r.Uint32()) >> r.UintN(32))
	default:
		return r.Uint32()
	}
}
