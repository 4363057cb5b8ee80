package ptxexec

import (
	"math/bits"

	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/ptx"
)

// atomicOp is the new value in memory, from the old one and the operands; of
// cas b is compared and c stored.
func atomicOp(op ptx.AtomOp, t ptx.Type) laneFn {
	switch op {
	case ptx.AtomAnd:
		return and
	case ptx.AtomOr:
		return or
	case ptx.AtomXor:
		return xor
	case ptx.AtomExch:
		return func(_, b, _ uint64) uint64 { return b }
	case ptx.AtomCas:
		return func(a, b, c uint64) uint64 {
			if a == b {
				return c
			}
			return a
		}
	case ptx.AtomInc:
		return func(a, b, _ uint64) uint64 {
			if a >= b {
				return 0
			}
			return a + 1
		}
	case ptx.AtomDec:
		return func(a, b, _ uint64) uint64 {
			if a == 0 || a > b {
				return b
			}
			return a - 1
		}
	case ptx.AtomAdd:
		return pureAs("add", t)
	case ptx.AtomMin:
		return pureAs("min", t)
	case ptx.AtomMax:
		return pureAs("max", t)
	}
	return nil
}

func pureAs(op string, t ptx.Type) laneFn {
	p, _ := pure(op, &ptx.Form{Type: t})
	return p.f
}

// atomic lowers atom and red. Lanes take their turns in lane order. An f32
// addition in global memory flushes subnormals, one in shared memory does not,
// as PTX says.
func (l *lowerer) atomic(s *ptx.Inst, f *ptx.Form) {
	l.in.group = gMem
	l.is.Kind = isa.Atomic
	mi := &memInfo{width: uint64(f.Type.Bytes()), align: uint64(f.Type.Bytes())}
	l.in.mem = mi
	l.in.flow = flowMemory
	l.is.WidthBytes = int32(mi.width)
	ops := s.Operands
	var d *ptx.Operand
	if s.Op == "atom" {
		d, ops = &s.Operands[0], s.Operands[1:]
	}
	l.address(&ops[0], spaceOf(f.Space), mi)
	l.in.b = l.src(&ops[1], f.Type)
	if f.Atom == ptx.AtomCas {
		l.in.c = l.src(&ops[2], f.Type)
	}
	mi.regs = []int32{-1}
	if d != nil {
		if d.Kind != ptx.KindSink {
			mi.regs[0] = l.dst(d)
		}
	}
	x := &extra{}
	if f.Atom == ptx.AtomAdd && f.Type == ptx.F32 {
		x.mode = 1
	}
	l.in.x = x
	l.in.f = atomicOp(f.Atom, f.Type)
	l.in.run = runAtomic
	l.is.Class.Space = mi.space
}

func runAtomic(w *warp, in *instr, m uint32) error {
	mi := in.mem
	s := w.step
	s.Space, s.WidthBytes = mi.space, int32(mi.width)
	if m == 0 {
		return nil
	}
	lo, hi, or, _ := w.addresses(in, mi, m)
	all, sp := w.window(mi, lo, hi, true)
	if or&(mi.align-1) != 0 {
		all = nil
	}
	s.Space = sp
	b, c := w.src(in.b), w.src(in.c)
	w.tmp = lanes{}
	for left := m; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		var data []byte
		if all != nil {
			data = all[s.Addresses[i]-lo:]
		} else {
			var err error
			if data, sp, _, err = w.locate(mi, s.Addresses[i], mi.width, i, true); err != nil {
				return err
			}
		}
		old := readBytes(data, mi.width)
		next := uint64(0)
		if in.x.mode != 0 && sp == isa.Global {
			next = flush32(in.f(flush32(old), flush32(b[i]), 0))
		} else {
			next = in.f(old, b[i], c[i])
		}
		writeBytes(data, mi.width, next)
		w.tmp[i] = old
	}
	if all == nil {
		w.places(mi, m)
	}
	if r := mi.regs[0]; r >= 0 {
		d := w.dst(r, m)
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & 31
			d[i] = w.tmp[i]
		}
	}
	return nil
}
