package rvexec

import (
	"fmt"
	"math/bits"

	"github.com/warpbound/warpbound/rv"
	"github.com/warpbound/warpbound/simt"
	"github.com/warpbound/warpbound/simt/rvexec/f32"
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
	var flags f32.Flags
	for ; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		var r uint32
		var f f32.Flags
		switch in.op {
		case rv.FaddS:
			r, f = f32.Add(a[i], b[i], rm)
		case rv.FsubS:
			r, f = f32.Sub(a[i], b[i], rm)
		case rv.FmulS:
			r, f = f32.Mul(a[i], b[i], rm)
		case rv.FdivS:
			r, f = f32.Div(a[i], b[i], rm)
		case rv.FsqrtS:
			r, f = f32.Sqrt(a[i], rm)
		case rv.FmaddS:
			r, f = f32.FMA(a[i], b[i], c[i], rm)
		case rv.FmsubS:
			r, f = f32.FMSub(a[i], b[i], c[i], rm)
		case rv.FnmsubS:
			r, f = f32.FNMSub(a[i], b[i], c[i], rm)
		case rv.FnmaddS:
			r, f = f32.FNMAdd(a[i], b[i], c[i], rm)
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
	w.fflags |= flags
	return problem{}
}

func condition(r bool, f f32.Flags) (uint32, f32.Flags) { return truth(r), f }
