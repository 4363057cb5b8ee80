package ptxexec

import "github.com/warpbound/warpbound/ptx"

// What PTX leaves open, beside what taint mode treats as unknown data: results of
// approximate functions, of which it bounds the error, and of divisions that it
// calls machine-specific. They are computed here in one way; another machine may
// compute them in another, and paths that depend on them are paths of machines
// that agree with this one.

// openAlways says that the results are open in every lane.
func openAlways(w *warp, _ *instr, m uint32) uint32 {
	return m
}

// openResult returns the rule of an instruction whose result PTX may leave open,
// nil for others. Operands are lowered.
func (l *lowerer) openResult(s *ptx.Inst, f *ptx.Form) func(*warp, *instr, uint32) uint32 {
	switch s.Op {
	case "sin", "cos", "lg2", "ex2", "tanh", "rsqrt":
		return openAlways
	case "cvt":
		if f.Type == ptx.TF32 { // the layout is open, too
			return openAlways
		}
	case "rcp", "sqrt", "div", "rem":
		switch {
		case f.Type.Float() && f.Type != ptx.F64 && f.Round == ptx.RoundNone, f.Approx, f.Full:
			return openAlways
		case f.Type.Float():
			return nil
		}
		if r := l.in.b; l.out.regInit[r] == initConst {
			if d := l.out.consts[r]; d != 0 && d != widthMask(f.Type.Bits()) {
				return nil
			}
		}
		return openDivision(f.Type)
	}
	return nil
}

// openDivision says that a quotient or remainder is open where the divisor is
// zero, or the quotient is too large for its type.
func openDivision(t ptx.Type) func(*warp, *instr, uint32) uint32 {
	mask := widthMask(t.Bits())
	least := mask>>1 + 1
	signed := t.Signed()
	return func(w *warp, in *instr, m uint32) uint32 {
		a, b := w.src(in.a), w.src(in.b)
		var out uint32
		for i := range b {
			if d := b[i] & mask; d == 0 || signed && d == mask && a[i]&mask == least {
				out |= 1 << i
			}
		}
		return out & m
	}
}
