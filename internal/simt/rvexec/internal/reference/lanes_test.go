package reference_test

import (
	"testing"

	"github.com/warpbound/warpbound/internal/simt/rvexec/f32"
	"github.com/warpbound/warpbound/internal/simt/rvexec/internal/reference"
	"github.com/warpbound/warpbound/internal/testkit/settings"
)

// laneOperations are the forms of f32 for many lanes, by the name of the form
// for one number.
var laneOperations = map[string]func(d, a, b, c *f32.Lanes, m uint32, rm f32.Rounding) f32.Flags{
	"add": func(d, a, b, _ *f32.Lanes, m uint32, rm f32.Rounding) f32.Flags {
		return f32.AddLanes(d, a, b, 0, m, rm)
	},
	"sub": func(d, a, b, _ *f32.Lanes, m uint32, rm f32.Rounding) f32.Flags {
		return f32.AddLanes(d, a, b, sign, m, rm)
	},
	"mul": func(d, a, b, _ *f32.Lanes, m uint32, rm f32.Rounding) f32.Flags {
		return f32.MulLanes(d, a, b, m, rm)
	},
	"div": func(d, a, b, _ *f32.Lanes, m uint32, rm f32.Rounding) f32.Flags {
		return f32.DivLanes(d, a, b, m, rm)
	},
	"sqrt": func(d, a, _, _ *f32.Lanes, m uint32, rm f32.Rounding) f32.Flags {
		return f32.SqrtLanes(d, a, m, rm)
	},
	"fma": func(d, a, b, c *f32.Lanes, m uint32, rm f32.Rounding) f32.Flags {
		return f32.FMALanes(d, a, b, c, 0, 0, m, rm)
	},
	"fmsub": func(d, a, b, c *f32.Lanes, m uint32, rm f32.Rounding) f32.Flags {
		return f32.FMALanes(d, a, b, c, 0, sign, m, rm)
	},
	"fnmadd": func(d, a, b, c *f32.Lanes, m uint32, rm f32.Rounding) f32.Flags {
		return f32.FMALanes(d, a, b, c, sign, sign, m, rm)
	},
	"fnmsub": func(d, a, b, c *f32.Lanes, m uint32, rm f32.Rounding) f32.Flags {
		return f32.FMALanes(d, a, b, c, sign, 0, m, rm)
	},
}

// checkLane compares the form for many lanes where one lane is active; others
// hold what would set every flag.
func (o *operation) checkLane(t *testing.T, lanes func(d, a, b, c *f32.Lanes, m uint32, rm f32.Rounding) f32.Flags, a, b, c uint32, m reference.Mode, want, wantFlags uint32) {
	t.Helper()
	lane := (a ^ b ^ c) % 31
	var d, la, lb, lc f32.Lanes
	la[lane], lb[lane], lc[lane] = a, b, c
	la[lane+1], lb[lane+1], lc[lane+1] = 0x7f800001, 0x7f800001, 0x7f800001
	flags := lanes(&d, &la, &lb, &lc, 1<<lane, f32.Rounding(m))
	expected := f32.Lanes{}
	expected[lane] = want
	if d != expected || uint32(flags) != wantFlags {
		t.Errorf("%s for lane %d of %08x %08x %08x in mode %d: %08x with flags %05b, want %08x with flags %05b",
			o.name, lane, a, b, c, m, d[lane], flags, want, wantFlags)
	}
}

// TestLanesRandom compares the forms for many lanes under random masks, the
// result in place of an operand or not.
func TestLanesRandom(t *testing.T) {
	for i := range operations {
		o := &operations[i]
		lanes := laneOperations[o.name]
		if lanes == nil {
			continue
		}
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			r := random(t)
			n := 0
			for range settings.Times(t) * 200 {
				// Of the operands the last is the place for a result of its own.
				var x [4]f32.Lanes
				for lane := range x[0] {
					x[0][lane], x[1][lane], x[2][lane] = o.draw(r)
					x[3][lane] = r.Uint32()
				}
				mask := r.Uint32() | r.Uint32()
				to := r.IntN(4)
				m := reference.Mode(r.IntN(5))
				was := x
				expected, expectedFlags := x[to], uint32(0)
				for lane := range expected {
					if mask>>lane&1 == 1 {
						value, flags := o.want(x[0][lane], x[1][lane], x[2][lane], m)
						expected[lane] = value
						expectedFlags |= flags
						n++
					}
				}
				flags := lanes(&x[to], &x[0], &x[1], &x[2], mask, f32.Rounding(m))
				if x[to] != expected || uint32(flags) != expectedFlags {
					t.Fatalf("%s to %d under %08x in mode %d: got %08x, flags %05b; want %08x, flags %05b; from %08x",
						o.name, to, mask, m, x[to], flags, expected, expectedFlags, was)
				}
			}
			t.Log(n, "cases")
		})
	}
}
