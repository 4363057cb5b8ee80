package f32

import (
	"math/rand/v2"
	"testing"
)

var sink uint32

// BenchmarkOps measures one operation on numbers about one: nearest takes the
// fast path, zero the integers.
func BenchmarkOps(b *testing.B) {
	var xs [256]uint32
	r := rand.New(rand.NewPCG(1, 1))
	for i := range xs {
		xs[i] = r.Uint32()&0x7fffff | uint32(120+r.IntN(16))<<23
	}
	for _, op := range operations[:6] {
		for _, rm := range []Rounding{RNE, RTZ} {
			b.Run(op.name+"/"+rm.String(), func(b *testing.B) {
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					i++
					sink, _ = op.got(xs[i&255], xs[i*7&255], xs[i*13&255], rm)
				}
			})
		}
	}
}
