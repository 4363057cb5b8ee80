package rvexec

import (
	"fmt"
	"math/bits"

	"github.com/warpbound/warpbound/internal/rv"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// last is the highest lane of a mask that is not 0.
func last(m uint32) int { return (31 - bits.LeadingZeros32(m)) & 31 }

// PC implements simt.Warp; isa.NoPC for an inactive warp too.
func (w *Warp) PC() int32 { return w.pc }

// Status implements simt.Warp.
func (w *Warp) Status() simt.Status { return w.status }

// Step implements simt.Warp.
func (w *Warp) Step(s *simt.Step) error {
	if w.status != simt.Ready {
		return &simt.RuntimeError{Kind: simt.ErrInvalid, Detail: fmt.Sprintf("step of warp %d, which is %v", w.id, w.status), Block: int64(w.core.id), Thread: -1, PC: w.pc}
	}
	pc, m := w.pc, w.mask
	in := &w.code[pc]
	w.core.warpInstructions++
	w.core.threadInstructions += uint64(bits.OnesCount32(m))
	s.PC = pc
	s.Active, s.Exec = simt.Mask(m), simt.Mask(m)
	s.Space, s.WidthBytes = isa.NoSpace, 0
	s.Barrier, s.BarrierFull, s.BarrierOpened, s.Yield = -1, false, false, false

	if w.taint != nil {
		w.follow(in, m)
	}
	vary := w.core.k.vary
	next := pc + 1
	lane := -1
	var p problem
	switch in.group {
	case gPure:
		w.pure(in, m)
	case gFloat:
		p = w.float(in, m)
	case gLoad:
		lane, p = w.load(in, m, s)
	case gStore:
		w.core.changes++
		lane, p = w.store(in, m, s)
		if vary != nil && p.kind == nil {
			p = vary.stored(w, in, m, s)
		}
	case gBranch:
		taken := in.cmp(&w.regs[in.a], &w.regs[in.b]) & m
		switch taken {
		case 0:
		case m:
			next = in.target
		default:
			p = problem{simt.ErrInvalid, fmt.Sprintf("divergent branch: of active lanes %#x, %#x take it", m, taken)}
		}
	case gJump:
		if next = in.target; next >= 0 {
			w.link(in, m, pc)
		}
	case gNop:
	default:
		return w.control(in, m, s)
	}
	if p.kind != nil {
		return w.fault(p, lane)
	}
	if uint32(next) >= uint32(len(w.code)) {
		return w.fault(w.outside(in, next), -1)
	}
	w.pc, s.NextPC = next, next
	if next <= pc {
		return w.goneBack(s)
	}
	return nil
}

// pure executes d = f(a, b). Where all threads are active, the lanes that the
// warp does not have are computed as well: nobody looks at them.
func (w *Warp) pure(in *instr, m uint32) {
	b := in.k
	if b == nil {
		b = &w.regs[in.b]
	}
	if m == w.full {
		in.f(&w.regs[in.d], &w.regs[in.a], b)
		return
	}
	in.f(&w.tmp, &w.regs[in.a], b)
	d := &w.regs[in.d]
	if bits.OnesCount32(m) > 8 {
		for i := range d {
			active := uint32(int32(m<<(31-i)) >> 31)
			d[i] ^= (d[i] ^ w.tmp[i]) & active
		}
		return
	}
	for ; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		d[i] = w.tmp[i]
	}
}

// link puts the address of the instruction after pc into rd.
func (w *Warp) link(in *instr, m uint32, pc int32) {
	d, x := &w.regs[in.d], w.core.k.img.Addr(pc)+linkBytes
	for ; m != 0; m &= m - 1 {
		d[bits.TrailingZeros32(m)&31] = x
	}
}

// control executes what is neither a computation nor an access to memory.
func (w *Warp) control(in *instr, m uint32, s *simt.Step) error {
	c := w.core
	pc := w.pc
	next := pc + 1
	var p problem
	switch in.group {
	case gCSR:
		p = w.csr(in, m, s)
	case gJumpReg:
		if next, p = w.jumpTarget(in, m); p.kind == nil {
			w.link(in, m, pc)
		}
	case gTmc:
		w.mask = w.regs[in.a][last(m)] & w.full
	case gEcall:
		w.mask = 0
	case gPred:
		w.pred(in, m)
	case gSplit:
		p = w.split(in, m)
	case gJoin:
		next, p = w.join(in, m)
	case gWspawn:
		p = w.wspawn(in, m, s)
	case gBar:
		p = w.bar(in, m, s)
	case gEbreak:
		p = problem{simt.ErrTrap, "breakpoint"}
	case gOverwritten:
		p = problem{simt.ErrUnsupported, "instruction that has been overwritten"}
	default:
		_, err := rv.Decode(c.k.img.Text[pc])
		p = problem{simt.ErrUnsupported, fmt.Sprintf("illegal instruction: %v", err)}
	}
	if p.kind != nil {
		return w.fault(p, -1)
	}
	if w.mask == 0 {
		s.NextPC = isa.NoPC
		c.changes++
		c.ended(w, s)
		return c.stuck()
	}
	if uint32(next) >= uint32(len(w.code)) {
		return w.fault(w.outside(in, next), -1)
	}
	w.pc, s.NextPC = next, next
	switch {
	case w.status != simt.Ready:
		return c.stuck()
	case next <= pc:
		return w.goneBack(s)
	}
	return nil
}

// jumpTarget is the instruction an indirect jump goes to.
func (w *Warp) jumpTarget(in *instr, m uint32) (int32, problem) {
	a := &w.regs[in.a]
	base := a[last(m)]
	to := (base + in.imm) &^ 1
	for rest := m; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros32(rest) & 31
		if x := (a[i] + in.imm) &^ 1; x != to {
			return 0, problem{simt.ErrInvalid, fmt.Sprintf("divergent jump: of active lanes %#x, lane %d goes to %#08x and lane %d to %#08x", m, i, x, last(m), to)}
		}
	}
	next, ok := w.core.k.img.Index(to)
	if !ok {
		return 0, w.core.badJump(to)
	}
	return next, problem{}
}

// outside is what is wrong with an instruction that is followed by none.
func (w *Warp) outside(in *instr, next int32) problem {
	img := w.core.k.img
	if next == badTarget {
		return w.core.badJump(img.Addr(w.pc) + in.imm)
	}
	return problem{simt.ErrOutOfBounds, fmt.Sprintf("execution runs into %#08x, behind the text", img.Addr(next))}
}

func (c *Core) badJump(to uint32) problem {
	if to%4 != 0 {
		return problem{simt.ErrMisaligned, fmt.Sprintf("jump to %#08x", to)}
	}
	return problem{simt.ErrOutOfBounds, fmt.Sprintf("jump to %#08x, outside the text", to)}
}

// fault makes the error of the instruction at the warp's PC; lane is -1 where
// no single one is at fault.
func (w *Warp) fault(p problem, lane int) error {
	c := w.core
	addr := c.k.img.Addr(w.pc)
	in := &c.k.prog.Instructions[w.pc]
	e := &simt.RuntimeError{
		Kind:   p.kind,
		Detail: fmt.Sprintf("%s, in warp %d at %#08x: %s", p.detail, w.id, addr, rv.Disassemble(c.k.img.Text[w.pc], addr)),
		Block:  int64(c.id), Thread: -1, PC: w.pc, Pos: in.Pos, Source: in.Source,
	}
	if lane >= 0 {
		e.Thread = w.id*c.k.launch.Threads + lane
	}
	return e
}
