package f32

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkLanes measures 32 lanes of one operation on numbers about one: to
// nearest they take the host's arithmetic, towards zero the integers.
func BenchmarkLanes(b *testing.B) {
	var x, y, z, d Lanes
	r := rand.New(rand.NewPCG(1, 1))
	for i := range x {
		for _, l := range []*Lanes{&x, &y, &z} {
			l[i] = r.Uint32()&0x7fffff | uint32(120+r.IntN(16))<<23
		}
	}
	for _, op := range []struct {
		name string
		f    func(rm Rounding) Flags
	}{
		{"add", func(rm Rounding) Flags { return AddLanes(&d, &x, &y, 0, 1<<32-1, rm) }},
		{"mul", func(rm Rounding) Flags { return MulLanes(&d, &x, &y, 1<<32-1, rm) }},
		{"div", func(rm Rounding) Flags { return DivLanes(&d, &x, &y, 1<<32-1, rm) }},
		{"sqrt", func(rm Rounding) Flags { return SqrtLanes(&d, &x, 1<<32-1, rm) }},
		{"fma", func(rm Rounding) Flags { return FMALanes(&d, &x, &y, &z, 0, 0, 1<<32-1, rm) }},
	} {
		for _, rm := range []Rounding{RNE, RTZ} {
			b.Run(op.name+"/"+rm.String(), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					op.f(rm)
				}
			})
		}
	}
}
