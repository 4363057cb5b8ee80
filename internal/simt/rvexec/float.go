package rvexec

import (
	"fmt"
	"math/bits"

	"github.com/warpbound/warpbound/internal/rv"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/rvexec/f32"
)

// float executes a computation that may raise flags, in the lanes of m.
func (w *Warp) float(in *instr, m uint32) problem {
	rm := f32.Rounding(in.rm)
	if in.rounds {
		if in.rm == dynamicMode {
			rm = f32.Rounding(w.frm)
		}
		if rm >= f32.NumRoundings {
			what := "rm"
			if in.rm == dynamicMode {
				what = "frm"
			}
			return problem{simt.ErrInvalid, fmt.Sprintf("reserved rounding mode %d in %s", rm, what)}
		}
	}
	d, a, b, c := &w.regs[in.d], &w.regs[in.a], &w.regs[in.b], &w.regs[in.c]
	const negative = 1 << 31
	var flags f32.Flags
	switch in.op {
	case rv.FaddS:
		flags = f32.AddLanes(d, a, b, 0, m, rm)
	case rv.FsubS:
		flags = f32.AddLanes(d, a, b, negative, m, rm)
	case rv.FmulS:
		flags = f32.MulLanes(d, a, b, m, rm)
	case rv.FdivS:
		flags = f32.DivLanes(d, a, b, m, rm)
	case rv.FsqrtS:
		flags = f32.SqrtLanes(d, a, m, rm)
	case rv.FmaddS:
		flags = f32.FMALanes(d, a, b, c, 0, 0, m, rm)
	case rv.FmsubS:
		flags = f32.FMALanes(d, a, b, c, 0, negative, m, rm)
	case rv.FnmsubS:
		flags = f32.FMALanes(d, a, b, c, negative, 0, m, rm)
	case rv.FnmaddS:
		flags = f32.FMALanes(d, a, b, c, negative, negative, m, rm)
	default:
		flags = laneByLane(in.op, d, a, b, m, rm)
	}
	w.fflags |= flags
	return problem{}
}

// laneByLane executes what is no arithmetic.
func laneByLane(op rv.Op, d, a, b *lanes, m uint32, rm f32.Rounding) (flags f32.Flags) {
	for ; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		var r uint32
		var f f32.Flags
		switch op {
		case rv.FminS:
			r, f = f32.Min(a[i], b[i])
		case rv.FmaxS:
			r, f = f32.Max(a[i], b[i])
		case rv.FeqS:
			r, f = condition(f32.Eq(a[i], b[i]))
		case rv.FltS:
			r, f = condition(f32.Lt(a[i], b[i]))
		case rv.FleS:
			r, f = condition(f32.Le(a[i], b[i]))
		case rv.FcvtSW:
			r, f = f32.FromInt32(int32(a[i]), rm)
		case rv.FcvtSWu:
			r, f = f32.FromUint32(a[i], rm)
		case rv.FcvtWS:
			var x int32
			x, f = f32.ToInt32(a[i], rm)
			r = uint32(x)
		case rv.FcvtWuS:
			r, f = f32.ToUint32(a[i], rm)
		}
		d[i] = r
		flags |= f
	}
	return flags
}

func condition(r bool, f f32.Flags) (uint32, f32.Flags) { return truth(r), f }
