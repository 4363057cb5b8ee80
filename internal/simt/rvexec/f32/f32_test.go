package f32

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/warpbound/warpbound/internal/testkit/settings"
)

// many is the number of random cases of every operation and mode, unless the
// environment asks for another: few, which keeps the tests short.
const many = 4000

// special holds the edges of every class of numbers.
var special = func() []uint32 {
	var xs []uint32
	for _, m := range []uint32{
		0, 1, 2, 3, 0x3fffff, 0x400000, 0x7ffffe, 0x7fffff, // subnormals
		0x800000, 0x800001, 0x800002, 0xffffff, 0x1000000, 0x1000001, // smallest normals
		0x33800000, 0x34000000, // 2^-24, 2^-23
		0x3effffff, 0x3f000000, 0x3f000001, // about 1/2
		0x3f7fffff, 0x3f800000, 0x3f800001, 0x3fc00000, 0x40000000, 0x40200000, 0x40400000, 0x40490fdb,
		0x4b000000, 0x4b000001, 0x4b7fffff, 0x4b800000, // about 2^23 and 2^24
		0x4effffff, 0x4f000000, 0x4f000001, 0x4f7fffff, 0x4f800000, // about 2^31 and 2^32
		0x5f000000, 0x7e800000, 0x7effffff, 0x7f000000, 0x7f7ffffe, 0x7f7fffff, // large
		0x7f800000,                                     // infinity
		0x7f800001, 0x7fbfffff, 0x7fc00000, 0x7fffffff, // NaNs
	} {
		xs = append(xs, m, m|1<<31)
	}
	return xs
}()

// random draws numbers of all kinds; near is a number it may stay close to.
func random(r *rand.Rand, near uint32) uint32 {
	switch r.IntN(8) {
	case 0:
		return special[r.IntN(len(special))]
	case 1: // few bits set
		return near&0xff800000 ^ 1<<r.IntN(32) | 1<<r.IntN(24)
	case 2: // an exponent close by
		return near + uint32(r.IntN(64)-32)<<23 ^ r.Uint32()&0x807fffff
	case 3:
		return near ^ r.Uint32()&0x80000003
	case 4: // subnormal and just above
		return r.Uint32()&0x81ffffff>>uint(r.IntN(2)) | r.Uint32()&(1<<31)
	case 5: // exponents around 127, so that products stay inside
		return r.Uint32()&0x807fffff | uint32(r.IntN(160)+48)<<23
	}
	return r.Uint32()
}

type operation struct {
	name      string
	operands  int
	got, want func(a, b, c uint32, rm Rounding) (uint32, Flags)
}

var operations = []operation{
	{"add", 2, func(a, b, _ uint32, rm Rounding) (uint32, Flags) { return Add(a, b, rm) },
		func(a, b, _ uint32, rm Rounding) (uint32, Flags) { return refAdd(a, b, rm) }},
	{"sub", 2, func(a, b, _ uint32, rm Rounding) (uint32, Flags) { return Sub(a, b, rm) },
		func(a, b, _ uint32, rm Rounding) (uint32, Flags) { return refAdd(a, b^1<<31, rm) }},
	{"mul", 2, func(a, b, _ uint32, rm Rounding) (uint32, Flags) { return Mul(a, b, rm) },
		func(a, b, _ uint32, rm Rounding) (uint32, Flags) { return refMul(a, b, rm) }},
	{"div", 2, func(a, b, _ uint32, rm Rounding) (uint32, Flags) { return Div(a, b, rm) },
		func(a, b, _ uint32, rm Rounding) (uint32, Flags) { return refDiv(a, b, rm) }},
	{"sqrt", 1, func(a, _, _ uint32, rm Rounding) (uint32, Flags) { return Sqrt(a, rm) },
		func(a, _, _ uint32, rm Rounding) (uint32, Flags) { return refSqrt(a, rm) }},
	{"fma", 3, FMA, refFMA},
	{"fmsub", 3, FMSub, func(a, b, c uint32, rm Rounding) (uint32, Flags) { return refFMA(a, b, c^1<<31, rm) }},
	{"fnmsub", 3, FNMSub, func(a, b, c uint32, rm Rounding) (uint32, Flags) { return refFMA(a, b^1<<31, c, rm) }},
	{"fnmadd", 3, FNMAdd, func(a, b, c uint32, rm Rounding) (uint32, Flags) { return refFMA(a, b^1<<31, c^1<<31, rm) }},
	{"toint", 1, func(a, _, _ uint32, rm Rounding) (uint32, Flags) { x, f := ToInt32(a, rm); return uint32(x), f },
		func(a, _, _ uint32, rm Rounding) (uint32, Flags) {
			x, f := refInt(a, rm, math.MinInt32, math.MaxInt32)
			return uint32(x), f
		}},
	{"touint", 1, func(a, _, _ uint32, rm Rounding) (uint32, Flags) { return ToUint32(a, rm) },
		func(a, _, _ uint32, rm Rounding) (uint32, Flags) {
			x, f := refInt(a, rm, 0, math.MaxUint32)
			return uint32(x), f
		}},
	{"fromint", 1, func(a, _, _ uint32, rm Rounding) (uint32, Flags) { return FromInt32(int32(a), rm) },
		func(a, _, _ uint32, rm Rounding) (uint32, Flags) { return refFromInt(int64(int32(a)), rm) }},
	{"fromuint", 1, func(a, _, _ uint32, rm Rounding) (uint32, Flags) { return FromUint32(a, rm) },
		func(a, _, _ uint32, rm Rounding) (uint32, Flags) { return refFromInt(int64(a), rm) }},
}

func (op *operation) check(t *testing.T, a, b, c uint32, rm Rounding) {
	t.Helper()
	got, gf := op.got(a, b, c, rm)
	want, wf := op.want(a, b, c, rm)
	if got != want || gf != wf {
		t.Errorf("%s %08x %08x %08x %v = %08x %v, want %08x %v", op.name, a, b, c, rm, got, gf, want, wf)
	}
}

// TestSpecial runs every operation over all pairs of special values in all
// modes, and over all triples of a third of them.
func TestSpecial(t *testing.T) {
	for i := range operations {
		op := &operations[i]
		t.Run(op.name, func(t *testing.T) {
			bs, cs := special[:1], special[:1]
			if op.operands > 1 {
				bs = special
			}
			if op.operands > 2 {
				cs = nil
				for j := 0; j < len(special); j += 7 {
					cs = append(cs, special[j])
				}
			}
			for rm := RNE; rm < NumRoundings; rm++ {
				for _, a := range special {
					for _, b := range bs {
						for _, c := range cs {
							op.check(t, a, b, c, rm)
							if t.Failed() {
								return
							}
						}
					}
				}
			}
		})
	}
}

func TestRandom(t *testing.T) {
	for i := range operations {
		op := &operations[i]
		t.Run(op.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(i), 1))
			for range settings.Cases(t, many) {
				a := random(r, 0x3f800000)
				b := random(r, a)
				c := b
				// The exponents of a product, and a number that cancels it.
				if p, _ := Mul(a, b, RTZ); r.IntN(2) == 0 {
					c = random(r, p^1<<31)
				} else {
					c = random(r, a)
				}
				for rm := RNE; rm < NumRoundings; rm++ {
					op.check(t, a, b, c, rm)
				}
				if t.Failed() {
					return
				}
			}
		})
	}
}

// lanesOf runs an operation for one lane, the others being inactive.
func lanesOf(op string, a, b, c uint32, rm Rounding, lane int) (uint32, Flags) {
	var d, x, y, z Lanes
	for i := range d {
		d[i] = 0xdead
	}
	x[lane], y[lane], z[lane] = a, b, c
	var f Flags
	m := uint32(1) << lane
	switch op {
	case "add":
		f = AddLanes(&d, &x, &y, 0, m, rm)
	case "sub":
		f = AddLanes(&d, &x, &y, signBit, m, rm)
	case "mul":
		f = MulLanes(&d, &x, &y, m, rm)
	case "div":
		f = DivLanes(&d, &x, &y, m, rm)
	case "sqrt":
		f = SqrtLanes(&d, &x, m, rm)
	case "fma":
		f = FMALanes(&d, &x, &y, &z, 0, 0, m, rm)
	case "fmsub":
		f = FMALanes(&d, &x, &y, &z, 0, signBit, m, rm)
	case "fnmsub":
		f = FMALanes(&d, &x, &y, &z, signBit, 0, m, rm)
	case "fnmadd":
		f = FMALanes(&d, &x, &y, &z, signBit, signBit, m, rm)
	}
	for i := range d {
		if i != lane && d[i] != 0xdead {
			f |= 1 << 7 // an inactive lane was written
		}
	}
	return d[lane], f
}

// TestLanes compares the host's arithmetic with integers, over all pairs of
// special values and random ones.
func TestLanes(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for i := range operations[:9] {
		op := &operations[i]
		same := func(a, b, c uint32, rm Rounding) {
			got, gf := lanesOf(op.name, a, b, c, rm, int(a&31))
			want, wf := op.got(a, b, c, rm)
			if got != want || gf != wf {
				t.Fatalf("%s of %08x %08x %08x %v: lanes %08x %v, integers %08x %v", op.name, a, b, c, rm, got, gf, want, wf)
			}
		}
		for _, a := range special {
			for _, b := range special {
				for n := range 4 {
					same(a, b, special[r.IntN(len(special))], RNE+Rounding(n&1))
				}
			}
		}
		taken, cases := 0, settings.Cases(t, many)
		for range 10 * cases {
			a := random(r, 0x3f800000)
			b := random(r, a)
			p, _ := Mul(a, b, RTZ)
			c := random(r, p^signBit)
			same(a, b, c, RNE)
			if x, _ := op.got(a, b, c, RNE); inside(x) {
				taken++
			}
		}
		if taken < cases {
			t.Errorf("%s took the fast path %d times of %d", op.name, taken, 10*cases)
		}
	}
}

// TestLanesInPlace writes over an operand, with flags of several lanes.
func TestLanesInPlace(t *testing.T) {
	var a Lanes
	for i := range a {
		a[i] = one32 + uint32(i)
	}
	a[3], a[5] = 0, snan
	b := a
	f := MulLanes(&a, &a, &a, 0xff, RNE)
	for i := range a {
		want := b[i]
		if i < 8 {
			want, _ = Mul(b[i], b[i], RNE)
		}
		if a[i] != want {
			t.Errorf("lane %d is %08x, want %08x", i, a[i], want)
		}
	}
	if f != NX|NV {
		t.Errorf("flags %v", f)
	}
}

// TestHost compares with the host's binary32 arithmetic, to nearest even.
func TestHost(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	same := func(name string, got uint32, want float32, a, b uint32) {
		w := math.Float32bits(want)
		if want != want {
			w = NaN
		}
		if got != w {
			t.Fatalf("%s %08x %08x = %08x, the host says %08x", name, a, b, got, w)
		}
	}
	for range 10 * settings.Cases(t, many) {
		a := random(r, 0x3f800000)
		b := random(r, a)
		x, y := math.Float32frombits(a), math.Float32frombits(b)
		got, _ := Add(a, b, RNE)
		same("add", got, x+y, a, b)
		got, _ = Sub(a, b, RNE)
		same("sub", got, x-y, a, b)
		got, _ = Mul(a, b, RNE)
		same("mul", got, x*y, a, b)
		got, _ = Div(a, b, RNE)
		same("div", got, x/y, a, b)
		got, _ = Sqrt(a, RNE)
		same("sqrt", got, float32(math.Sqrt(float64(x))), a, 0)
		got, _ = FromInt32(int32(a), RNE)
		same("fromint", got, float32(int32(a)), a, 0)
		got, _ = FromUint32(a, RNE)
		same("fromuint", got, float32(a), a, 0)
		for _, c := range []struct {
			name      string
			got, want bool
		}{
			{"eq", first(Eq(a, b)), x == y},
			{"lt", first(Lt(a, b)), x < y},
			{"le", first(Le(a, b)), x <= y},
		} {
			if c.got != c.want {
				t.Fatalf("%s %08x %08x = %v", c.name, a, b, c.got)
			}
		}
	}
}

func first(b bool, _ Flags) bool { return b }
