package reference_test

import (
	"math/rand/v2"
	"testing"

	"github.com/warpbound/warpbound/internal/simt/rvexec/f32"
	"github.com/warpbound/warpbound/internal/simt/rvexec/internal/reference"
	"github.com/warpbound/warpbound/internal/testkit/settings"
)

// operation is one function of f32 beside the exact one.
type operation struct {
	name     string
	operands int
	integer  bool // the operand is an integer
	rounds   bool // the mode matters
	got      func(a, b, c uint32, m f32.Rounding) (uint32, f32.Flags)
	want     func(a, b, c uint32, m reference.Mode) (uint32, uint32)
}

const sign = uint32(1) << 31

func bit(b bool, f f32.Flags) (uint32, f32.Flags) {
	if b {
		return 1, f
	}
	return 0, f
}

var operations = []operation{
	{"add", 2, false, true,
		func(a, b, _ uint32, m f32.Rounding) (uint32, f32.Flags) { return f32.Add(a, b, m) },
		func(a, b, _ uint32, m reference.Mode) (uint32, uint32) { return reference.Add(a, b, m) }},
	{"sub", 2, false, true,
		func(a, b, _ uint32, m f32.Rounding) (uint32, f32.Flags) { return f32.Add(a, b^sign, m) },
		func(a, b, _ uint32, m reference.Mode) (uint32, uint32) { return reference.Sub(a, b, m) }},
	{"mul", 2, false, true,
		func(a, b, _ uint32, m f32.Rounding) (uint32, f32.Flags) { return f32.Mul(a, b, m) },
		func(a, b, _ uint32, m reference.Mode) (uint32, uint32) { return reference.Mul(a, b, m) }},
	{"div", 2, false, true,
		func(a, b, _ uint32, m f32.Rounding) (uint32, f32.Flags) { return f32.Div(a, b, m) },
		func(a, b, _ uint32, m reference.Mode) (uint32, uint32) { return reference.Div(a, b, m) }},
	{"sqrt", 1, false, true,
		func(a, _, _ uint32, m f32.Rounding) (uint32, f32.Flags) { return f32.Sqrt(a, m) },
		func(a, _, _ uint32, m reference.Mode) (uint32, uint32) { return reference.Sqrt(a, m) }},
	{"fma", 3, false, true,
		f32.FMA,
		reference.FMA},
	{"fmsub", 3, false, true,
		func(a, b, c uint32, m f32.Rounding) (uint32, f32.Flags) { return f32.FMA(a, b, c^sign, m) },
		func(a, b, c uint32, m reference.Mode) (uint32, uint32) { return reference.FMA(a, b, c^sign, m) }},
	{"fnmadd", 3, false, true,
		func(a, b, c uint32, m f32.Rounding) (uint32, f32.Flags) { return f32.FMA(a^sign, b, c^sign, m) },
		func(a, b, c uint32, m reference.Mode) (uint32, uint32) { return reference.FMA(a^sign, b, c^sign, m) }},
	{"fnmsub", 3, false, true,
		func(a, b, c uint32, m f32.Rounding) (uint32, f32.Flags) { return f32.FMA(a^sign, b, c, m) },
		func(a, b, c uint32, m reference.Mode) (uint32, uint32) { return reference.FMA(a^sign, b, c, m) }},
	{"min", 2, false, false,
		func(a, b, _ uint32, _ f32.Rounding) (uint32, f32.Flags) { return f32.Min(a, b) },
		func(a, b, _ uint32, _ reference.Mode) (uint32, uint32) { return reference.Min(a, b) }},
	{"max", 2, false, false,
		func(a, b, _ uint32, _ f32.Rounding) (uint32, f32.Flags) { return f32.Max(a, b) },
		func(a, b, _ uint32, _ reference.Mode) (uint32, uint32) { return reference.Max(a, b) }},
	{"eq", 2, false, false,
		func(a, b, _ uint32, _ f32.Rounding) (uint32, f32.Flags) { return bit(f32.Eq(a, b)) },
		func(a, b, _ uint32, _ reference.Mode) (uint32, uint32) { return reference.Equal(a, b) }},
	{"lt", 2, false, false,
		func(a, b, _ uint32, _ f32.Rounding) (uint32, f32.Flags) { return bit(f32.Lt(a, b)) },
		func(a, b, _ uint32, _ reference.Mode) (uint32, uint32) { return reference.Less(a, b) }},
	{"le", 2, false, false,
		func(a, b, _ uint32, _ f32.Rounding) (uint32, f32.Flags) { return bit(f32.Le(a, b)) },
		func(a, b, _ uint32, _ reference.Mode) (uint32, uint32) { return reference.LessEqual(a, b) }},
	{"sgnj", 2, false, false,
		func(a, b, _ uint32, _ f32.Rounding) (uint32, f32.Flags) { return f32.CopySign(a, b), 0 },
		func(a, b, _ uint32, _ reference.Mode) (uint32, uint32) { return a&^sign | b&sign, 0 }},
	{"sgnjn", 2, false, false,
		func(a, b, _ uint32, _ f32.Rounding) (uint32, f32.Flags) { return f32.NegSign(a, b), 0 },
		func(a, b, _ uint32, _ reference.Mode) (uint32, uint32) { return a&^sign | ^b&sign, 0 }},
	{"sgnjx", 2, false, false,
		func(a, b, _ uint32, _ f32.Rounding) (uint32, f32.Flags) { return f32.XorSign(a, b), 0 },
		func(a, b, _ uint32, _ reference.Mode) (uint32, uint32) { return a ^ b&sign, 0 }},
	{"class", 1, false, false,
		func(a, _, _ uint32, _ f32.Rounding) (uint32, f32.Flags) { return f32.Class(a), 0 },
		func(a, _, _ uint32, _ reference.Mode) (uint32, uint32) { return reference.Classify(a), 0 }},
	{"to int", 1, false, true,
		func(a, _, _ uint32, m f32.Rounding) (uint32, f32.Flags) {
			n, f := f32.ToInt32(a, m)
			return uint32(n), f
		},
		func(a, _, _ uint32, m reference.Mode) (uint32, uint32) { return reference.ToInt(a, true, m) }},
	{"to uint", 1, false, true,
		func(a, _, _ uint32, m f32.Rounding) (uint32, f32.Flags) { return f32.ToUint32(a, m) },
		func(a, _, _ uint32, m reference.Mode) (uint32, uint32) { return reference.ToInt(a, false, m) }},
	{"from int", 1, true, true,
		func(a, _, _ uint32, m f32.Rounding) (uint32, f32.Flags) { return f32.FromInt32(int32(a), m) },
		func(a, _, _ uint32, m reference.Mode) (uint32, uint32) { return reference.FromInt(a, true, m) }},
	{"from uint", 1, true, true,
		func(a, _, _ uint32, m f32.Rounding) (uint32, f32.Flags) { return f32.FromUint32(a, m) },
		func(a, _, _ uint32, m reference.Mode) (uint32, uint32) { return reference.FromInt(a, false, m) }},
}

func (o *operation) check(t *testing.T, a, b, c uint32, m reference.Mode) {
	t.Helper()
	got, gotFlags := o.got(a, b, c, f32.Rounding(m))
	want, wantFlags := o.want(a, b, c, m)
	if got != want || uint32(gotFlags) != wantFlags {
		t.Errorf("%s of %08x %08x %08x in mode %d: %08x with flags %05b, want %08x with flags %05b",
			o.name, a, b, c, m, got, gotFlags, want, wantFlags)
	}
	if lanes := laneOperations[o.name]; lanes != nil {
		o.checkLane(t, lanes, a, b, c, m, want, wantFlags)
	}
}

func (o *operation) modes() reference.Mode {
	if o.rounds {
		return reference.NearestAway + 1
	}
	return 1
}

// draw is a random tuple of operands, often such that they nearly cancel.
func (o *operation) draw(r *rand.Rand) (a, b, c uint32) {
	if o.integer {
		return integer(r), 0, 0
	}
	a, b, c = pattern(r), pattern(r), pattern(r)
	switch r.IntN(4) {
	case 0:
		b = near(r, a)
	case 1: // the addend near the product
		p, _ := reference.Mul(a, b, reference.NearestEven)
		c = near(r, p)
	}
	return a, b, c
}

// TestArithmeticSpecial crosses the special operands in every mode.
func TestArithmeticSpecial(t *testing.T) {
	for i := range operations {
		o := &operations[i]
		t.Run(o.name, func(t *testing.T) {
			r := random(t)
			values := specials
			if o.integer {
				values = integers
			}
			n := 0
			for m := range o.modes() {
				for _, a := range values {
					if o.operands == 1 {
						o.check(t, a, 0, 0, m)
						n++
						continue
					}
					for _, b := range values {
						if o.operands == 2 {
							o.check(t, a, b, 0, m)
							n++
							continue
						}
						// All third operands only where many cases are wanted.
						thirds := values
						if settings.Times(t) < 16 {
							thirds = values[r.IntN(len(values)):][:1]
						}
						for _, c := range thirds {
							o.check(t, a, b, c, m)
							n++
						}
					}
				}
			}
			t.Log(n, "cases")
		})
	}
}

// TestArithmeticRandom compares random operands in every mode.
func TestArithmeticRandom(t *testing.T) {
	for i := range operations {
		o := &operations[i]
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			r := random(t)
			n := settings.Times(t) * 4000
			for range n {
				a, b, c := o.draw(r)
				for m := range o.modes() {
					o.check(t, a, b, c, m)
				}
				if t.Failed() {
					return
				}
			}
			t.Log(n*int(o.modes()), "cases")
		})
	}
}
