package ptxexec

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/ptx"
)

// asyncCopy lowers cp.async and the instructions that wait for it. The copy is
// done at once, so committing and waiting change no memory: a kernel that
// forgets to wait reads what it would read after waiting, and taint mode says so
// (taint_copy.go). To timing, waiting is
// a dependence (awaitCopies).
func (l *lowerer) asyncCopy(s *ptx.Inst, f *ptx.Form) {
	switch f.Action2 {
	case "commit_group":
		l.in.flow = flowCommit
		return
	case "wait_group", "wait_all":
		l.is.Kind = isa.Fence
		l.in.flow, l.in.x = flowAwait, &extra{mode: waitAll}
		if f.Action2 == "wait_group" {
			l.in.x.mode = waitGroups
			l.in.x.imm = min(s.Operands[0].Imm, math.MaxUint32)
		}
		return
	case "mbarrier":
		l.mbarrier(s, f)
		return
	}
	size := s.Operands[2].Imm
	if s.Operands[2].Kind != ptx.KindInt || size != 4 && size != 8 && size != 16 {
		l.errorf(s.Operands[2].Pos, "expected 4, 8 or 16 bytes to copy")
		return
	}
	l.in.group = gMem
	l.is.Kind = isa.AsyncCopy
	l.is.WidthBytes = int32(size)
	to := &memInfo{width: size, align: size, regs: []int32{-1}}
	l.address(&s.Operands[0], isa.Shared, to)
	l.in.b = l.in.a
	from := &memInfo{width: size, align: size, regs: []int32{-1}}
	l.address(&s.Operands[1], isa.Global, from)
	l.in.mem = from
	x := &extra{to: to}
	l.in.x = x
	l.in.c = l.constant(size)
	if len(s.Operands) > 3 && !f.CacheHint {
		o := &s.Operands[3]
		if sym := l.sc.find(o.Name); o.Kind == ptx.KindName && sym != nil && sym.kind == symPred {
			x.mode = 1
			l.in.pc, l.in.cNeg = l.srcPred(o)
		} else {
			l.in.c = l.src(o, ptx.U32)
		}
	}
	l.in.flow = flowCopy
	l.in.run = runAsyncCopy
	l.is.Class.Space = isa.Global
}

// awaitCopies makes every wait for asynchronous copies, and every arrival at a
// memory barrier object on their completion, depend on every copy of the
// program, as timing has to see it: a copy writes a register of its own that
// waits read. A wait that excepts the latest groups is taken to wait for them
// too, and a copy waits for its own previous execution; hardware may be faster.
// The registers exist for timing only.
func awaitCopies(p *isa.Program) {
	var copies []isa.Reg
	for pc := range p.Instructions {
		in := &p.Instructions[pc]
		if in.Kind == isa.AsyncCopy {
			r := isa.Reg(len(p.Registers))
			p.Registers = append(p.Registers, fmt.Sprintf("copy at line %d", in.Pos.Line))
			in.Writes = append(in.Writes, r)
			copies = append(copies, r)
		}
	}
	for pc := range p.Instructions {
		in := &p.Instructions[pc]
		if (in.Kind == isa.Fence || in.Kind == isa.Atomic) && in.Class.Family == isa.CopyMem {
			in.Reads = append(in.Reads, copies...)
		}
	}
}

// copySize is the number of bytes lane i reads: none where it ignores its
// source, and zeros follow up to the size of the copy.
func (w *warp) copySize(in *instr, i int) uint64 {
	if in.x.mode != 0 && w.getPred(in.pc, in.cNeg)>>i&1 != 0 {
		return 0
	}
	return min(w.src(in.c)[i]&0xffffffff, in.mem.width)
}

// runAsyncCopy copies from global to shared memory. The step reports the global
// addresses.
func runAsyncCopy(w *warp, in *instr, m uint32) error {
	from, to := in.mem, in.x.to
	s := w.step
	s.Space, s.WidthBytes = isa.Global, int32(from.width)
	if m == 0 {
		return nil
	}
	w.addresses(in, from, m)
	dst := w.src(in.b)
	for ; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		n := w.copySize(in, i)
		if w.blk.k.vary != nil {
			w.later = append(w.later, laterCopy{in: in, lane: i, group: w.commits[i], from: s.Addresses[i], to: to.at(dst[i], to.off), bytes: n})
			continue
		}
		var buf [16]byte
		if n > 0 {
			if s.Addresses[i]&(from.align-1) != 0 {
				n = from.width // reported as misaligned
			}
			data, _, _, err := w.locate(from, s.Addresses[i], n, i, false)
			if err != nil {
				return err
			}
			copy(buf[:n], data)
		}
		data, _, _, err := w.locate(to, to.at(dst[i], to.off), to.width, i, true)
		if err != nil {
			return err
		}
		copy(data[:to.width], buf[:])
	}
	return nil
}
