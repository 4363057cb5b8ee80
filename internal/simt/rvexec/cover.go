package rvexec

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/warpbound/warpbound/internal/rv"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// A covering execution executes a core for all inputs at once. It is the execution that
// follows taint, with these differences:
//
//   - A SPLIT on a tainted predicate forks: first the threads whose predicate holds or may
//     hold execute what comes up to its JOIN, then those whose predicate does not or may
//     not, from the same registers. A thread of both sides is loose in them: it may not be
//     there. Behind both, a register of such a thread that is not the same from both is
//     tainted.
//   - What loose threads store taints memory, whatever it is.
//   - The machine executes the larger part first, which is not known, or all threads go
//     one way: so what one side stores and another thread loads on the other is tainted,
//     or refused.
//   - An access at a tainted address is not made, and counted as if every thread hit a
//     place of its own.
//
// docs/soundness/covering.md has the proof. Everything else that depends on data is
// refused: branches, which no two threads may take differently, loops that threads leave
// by a tainted PRED, masks, barriers.
type coverer struct{ k *Kernel }

// Coverer returns the covering execution of a launch in taint mode. Nothing of it is
// closed: every core and every iteration is executed.
func (k *Kernel) Coverer(opt simt.CoverOptions) (simt.Coverer, error) {
	if k.follows == nil || k.vary != nil {
		return nil, errors.New("a covering execution needs a kernel that follows taint")
	}
	if opt.Closed {
		pc, _ := k.img.Index(k.launch.StartPC)
		in := &k.prog.Instructions[pc]
		return nil, &simt.NotCovered{PC: pc, Pos: in.Pos, Source: in.Source, Loop: isa.NoPC, What: "no core and no iteration of a RISC-V program stands for others"}
	}
	k.distrusted = opt.Unknown
	return &coverer{k}, nil
}

// LoopBounds are the bounds on loops that covering executions rely on: none.
func (k *Kernel) LoopBounds() []string { return nil }

// Distrusted implements simt.Coverer.
func (c *coverer) Distrusted() []string {
	var out []string
	for _, t := range c.k.taints.List() {
		if t.Kind == simt.TaintOrder && !slices.Contains(out, t.Register) {
			out = append(out, t.Register)
		}
	}
	slices.Sort(out)
	return out
}

// Blocks implements simt.Coverer.
func (c *coverer) Blocks() int64 { return int64(c.k.launch.Cores) }

// Cover implements simt.Coverer.
func (c *coverer) Cover(ctx context.Context, i int64, limits simt.Limits, executed *int64, sink simt.CoverSink) error {
	b, err := c.k.NewBlock(i)
	if err != nil {
		return err
	}
	defer b.Release()
	core := b.(*Core)
	run := &coverRun{ctx: ctx, limits: limits, executed: executed, sink: sink}
	warps := make([]coverWarp, len(core.warps))
	for j := range warps {
		warps[j] = coverWarp{Warp: &core.warps[j], run: run}
	}
	for {
		progress, live := false, false
		for j := range warps {
			w := &warps[j]
			for w.status == simt.Ready {
				if err := w.next(); err != nil {
					return err
				}
				progress = true
			}
			live = live || w.status != simt.Done
		}
		if !live {
			return nil
		}
		if !progress {
			return simt.Deadlock(core)
		}
	}
}

// coverRun is the covering execution of one core.
type coverRun struct {
	ctx      context.Context
	limits   simt.Limits
	executed *int64
	sink     simt.CoverSink
	step     simt.Step
}

// coverWarp is a warp of a covering execution.
type coverWarp struct {
	*Warp
	run   *coverRun
	loose uint32 // threads that may not be there
	// flags are the threads in which the value of a register is 0 or 1, where it is
	// tainted.
	flags [numRegs]uint32
	// tokens say which SPLIT inside of forks has put its number there.
	tokens   [numRegs]token
	open     []*coverSplit // inside of forks, and the SPLIT of the outermost one
	numbered int           // splits that have a number so far
}

// token is the mark of what a SPLIT returned.
type token struct {
	split int
	lanes uint32
}

// coverSplit is an open SPLIT inside of forks.
type coverSplit struct {
	id     int
	lanes  uint32 // with which its JOIN has to be executed
	forks  bool   // into two sides; else all threads go one way
	second bool   // the second side is executed
	joined bool   // its JOIN has been executed, at the instruction joinPC
	joinPC int32
	// What threads of the first side loaded and stored, by granule.
	loaded, stored map[uint32]uint32
}

// refuse is the error of an instruction that is not covered.
func (w *coverWarp) refuse(format string, args ...any) error {
	in := &w.core.k.prog.Instructions[w.pc]
	return &simt.NotCovered{PC: w.pc, Pos: in.Pos, Source: in.Source, Loop: isa.NoPC, What: in.Opcode + ": " + fmt.Sprintf(format, args...)}
}

// wrong is the error of an instruction that goes wrong. Inside of forks it may do so
// because threads are taken to be there.
func (w *coverWarp) wrong(err error) error {
	if e := (*simt.RuntimeError)(nil); len(w.open) > 0 && errors.As(err, &e) {
		return w.refuse("goes wrong, if threads are there of which that depends on data: %v: %s", e.Kind, e.Detail)
	}
	return err
}

// next executes an instruction, and where it forks all that the fork holds.
func (w *coverWarp) next() error {
	r := w.run
	if r.limits.MaxInstructions > 0 && *r.executed >= r.limits.MaxInstructions {
		return &simt.RuntimeError{Kind: simt.ErrInstructionLimit, Detail: fmt.Sprintf("%d warp instructions executed", *r.executed), Block: int64(w.core.id), Thread: -1, PC: w.pc}
	}
	*r.executed++
	if *r.executed&0xffff == 0 {
		at := simt.At{Instructions: *r.executed, Cycle: simt.NoTime, Block: int64(w.core.id), Warp: w.id, PC: w.pc}
		if err := r.ctx.Err(); err != nil {
			return &simt.Interrupted{At: at, Err: err}
		}
		if r.limits.Watch != nil {
			r.limits.Watch(at)
		}
	}
	in, m := &w.code[w.pc], w.mask
	switch in.group {
	case gSplit:
		return w.coverSplit(in, m)
	case gJoin:
		return w.coverJoin(in, m)
	case gLoad, gStore:
		return w.access(in, m)
	}
	if what := w.undecided(in, m); what != "" {
		return w.refuse("%s", what)
	}
	w.note(in, m)
	pc := w.pc
	if err := w.Step(&r.step); err != nil {
		return w.wrong(err)
	}
	if r.step.Yield {
		w.pc = pc
		return w.refuse("how the warp goes on depends on how far other warps are")
	}
	if in.group == gFloat && len(w.open) > 0 {
		w.taint.fflags = true // the exceptions of threads that may not be there
	}
	if in.group == gCSR && in.csr == rv.CSRActiveThreads && m&w.loose != 0 {
		w.result(in, m, m)
	}
	r.sink.Step(w.id, &r.step, nil)
	return nil
}

// undecided says why an instruction is not covered that decides where threads go, "" where
// nothing hinders it.
func (w *coverWarp) undecided(in *instr, m uint32) string {
	t, inside := w.taint, len(w.open) > 0
	one := uint32(1) << last(m)
	tainted := t.regs[in.a] | t.regs[in.b]
	switch in.group {
	case gBranch:
		if tainted&m != 0 {
			return "the branch depends on data"
		}
	case gJumpReg:
		if t.regs[in.a]&m != 0 {
			return "the target depends on data"
		}
	case gPred:
		switch {
		case t.regs[in.a]&m != 0:
			return "which threads go on depends on data"
		case w.predicates(in, m) == 0 && (t.regs[in.b]&one != 0 || m&w.loose != 0), m&w.loose != 0 && w.predicates(in, m) != m:
			return "which threads go on depends on data"
		case inside && w.predicates(in, m) == 0 && w.regs[in.b][last(m)]&w.full == 0:
			return "where control depends on data" // the warp ends
		}
	case gTmc, gEcall, gWspawn, gBar:
		switch {
		case inside:
			return "where control depends on data"
		case in.group != gEcall && t.regs[in.a]&one != 0, in.group != gEcall && in.group != gTmc && t.regs[in.b]&one != 0:
			return "an operand depends on data"
		case in.group == gWspawn && w.core.started && w.core.k.launch.Variant != V22:
			return "whether warps are active depends on time"
		}
	case gCSR:
		if inside && w.writesCSR(in) {
			return "a register of the warp is written where control depends on data"
		}
	}
	return ""
}

// writesCSR says that an instruction of Zicsr writes.
func (w *coverWarp) writesCSR(in *instr) bool {
	switch in.op {
	case rv.Csrrs, rv.Csrrc:
		return in.a != noRegister
	case rv.Csrrsi, rv.Csrrci:
		return in.imm != 0
	}
	return true
}

// isFlag is the threads in which a register is known to be 0 or 1, or holds such a value.
func (w *coverWarp) isFlag(r uint8) uint32 {
	out := w.flags[r]
	for i, x := range w.regs[r] {
		if x <= 1 && w.taint.regs[r]>>i&1 == 0 {
			out |= 1 << i
		}
	}
	return out
}

// note keeps what is known of the result of an instruction besides its taint. It runs
// before the instruction.
func (w *coverWarp) note(in *instr, m uint32) {
	var flags uint32
	var tok token
	b := func() uint32 {
		switch {
		case in.k == nil:
			return w.isFlag(in.b)
		case in.k[0] <= 1:
			return ^uint32(0)
		}
		return 0
	}
	switch in.op {
	case rv.Slt, rv.Slti, rv.Sltu, rv.Sltiu, rv.FeqS, rv.FltS, rv.FleS:
		flags = ^uint32(0)
	case rv.And, rv.Andi:
		flags = w.isFlag(in.a) | b()
	case rv.Or, rv.Ori, rv.Xor, rv.Xori:
		flags = w.isFlag(in.a) & b()
	case rv.Srli:
		if in.k[0] == 31 {
			flags = ^uint32(0)
		}
	case rv.Addi:
		if in.k[0] == 0 {
			flags, tok = w.isFlag(in.a), w.tokens[in.a]
		}
	case rv.CzeroEqz, rv.CzeroNez:
		flags = w.isFlag(in.a)
	}
	switch in.group {
	case gPure, gFloat, gJump, gJumpReg, gCSR, gLoad:
		w.written(in.d, m, flags, tok)
	}
}

// written notes that the threads of m have written a register.
func (w *coverWarp) written(d uint8, m, flags uint32, tok token) {
	w.flags[d] = w.flags[d]&^m | flags&m
	w.tokens[d].lanes &^= m
	if tok.lanes &= m; tok.lanes != 0 {
		w.tokens[d] = tok
	}
}

// coverSplit executes a SPLIT: as the machine does where nothing depends on data, and
// otherwise both sides.
func (w *coverWarp) coverSplit(in *instr, m uint32) error {
	unsure := w.taint.regs[in.a] & m
	if len(w.open) == 0 && unsure == 0 {
		w.written(in.d, m, 0, token{})
		if err := w.Step(&w.run.step); err != nil {
			return err
		}
		w.run.sink.Step(w.id, &w.run.step, nil)
		return nil
	}
	first := w.predicates(in, m)
	second := m&^first | unsure
	first |= unsure
	w.numbered++
	s := &coverSplit{id: w.numbered, lanes: m, forks: first != 0 && second != 0, loaded: map[uint32]uint32{}, stored: map[uint32]uint32{}}
	w.simple(m)
	flags := w.isFlag(in.a)
	// Nobody may look at the number but the JOIN.
	w.taint.regs[in.d] |= m
	w.written(in.d, m, 0, token{s.id, m})
	w.pc++
	w.run.step.NextPC = w.pc
	w.run.sink.Step(w.id, &w.run.step, nil)
	w.open = append(w.open, s)
	if !s.forks {
		return nil // whichever threads are there, they go one way
	}
	return w.fork(in, s, first, second, unsure, flags)
}

// simple says in the step that the warp executes an instruction without access.
func (w *coverWarp) simple(m uint32) {
	s := &w.run.step
	s.PC, s.Active, s.Exec = w.pc, simt.Mask(m), simt.Mask(m)
	s.Space, s.WidthBytes = isa.NoSpace, 0
	s.Barrier, s.BarrierFull, s.BarrierOpened, s.Yield = -1, false, false, false
}

// sides is what a fork keeps of a warp.
type sides struct {
	pc     int32
	mask   uint32
	loose  uint32
	regs   [numRegs]lanes
	taint  warpTaint
	flags  [numRegs]uint32
	tokens [numRegs]token
}

func (w *coverWarp) keep() *sides {
	return &sides{pc: w.pc, mask: w.mask, loose: w.loose, regs: w.regs, taint: *w.taint, flags: w.flags, tokens: w.tokens}
}

func (w *coverWarp) restore(s *sides) {
	w.pc, w.mask, w.loose, w.regs, *w.taint, w.flags, w.tokens = s.pc, s.mask, s.loose, s.regs, s.taint, s.flags, s.tokens
}

// fork executes what comes up to the JOIN of s with the threads of first, and then with
// those of second; those of unsure are in both. flags are the threads in which the
// predicate is 0 or 1.
func (w *coverWarp) fork(in *instr, s *coverSplit, first, second, unsure, flags uint32) error {
	sink, before := w.run.sink, w.keep()
	holds, not := uint32(1), uint32(0)
	if in.neg {
		holds, not = not, holds
	}
	sink.Fork(w.id)
	if err := w.side(in, s, first, unsure, flags, holds); err != nil {
		return err
	}
	one, joinPC := w.keep(), s.joinPC
	sink.Next(w.id)
	fflags := w.taint.fflags
	w.restore(before)
	w.taint.fflags = w.taint.fflags || fflags
	s.second, s.joined = true, false
	if err := w.side(in, s, second, unsure, flags, not); err != nil {
		return err
	}
	if s.joinPC != joinPC {
		w.pc = s.joinPC
		return w.refuse("the sides of a split meet at several places")
	}
	w.open = w.open[:len(w.open)-1]
	sink.Join(w.id, simt.Joined{First: first&^unsure&^before.loose != 0, Second: second&^unsure&^before.loose != 0})
	w.join(one, first&^unsure, unsure)
	w.mask, w.loose = before.mask, before.loose
	return nil
}

// side executes one side. In threads of unsure whose predicate is 0 or 1 it has the value
// that brings them here.
func (w *coverWarp) side(in *instr, s *coverSplit, m, unsure, flags, value uint32) error {
	w.mask, s.lanes = m, m
	w.loose |= unsure
	w.core.changes++ // what goes round here is not what went round before
	if in.a != noRegister && in.a != in.d {
		for left := unsure & flags; left != 0; left &= left - 1 {
			i := bits.TrailingZeros32(left) & 31
			w.regs[in.a][i] = value
			w.taint.regs[in.a] &^= 1 << i
		}
	}
	for !s.joined {
		if err := w.next(); err != nil {
			return err
		}
	}
	if w.open[len(w.open)-1] != s {
		return w.refuse("splits inside of a side do not join")
	}
	return nil
}

// join makes the registers, which are those behind the second side, those behind both.
// Threads of first are in the first side only, those of unsure in both.
func (w *coverWarp) join(one *sides, first, unsure uint32) {
	for r := 1; r < discard; r++ {
		mine := w.isFlag(uint8(r))
		a, b := &w.regs[r], &one.regs[r]
		ta, tb := w.taint.regs[r], one.taint.regs[r]
		theirs := one.flags[r]
		var differ uint32
		for i := range a {
			if b[i] <= 1 && tb>>i&1 == 0 {
				theirs |= 1 << i
			}
			switch bit := uint32(1) << i; {
			case first&bit != 0:
				a[i] = b[i]
			case unsure&bit != 0 && a[i] != b[i]:
				differ |= bit
			}
		}
		w.taint.regs[r] = ta&^first | tb&first | (tb|differ)&unsure
		w.flags[r] = w.flags[r]&^(first|unsure) | one.flags[r]&first | mine&theirs&unsure
		if t, o := &w.tokens[r], one.tokens[r]; t.split == o.split {
			t.lanes = t.lanes&^(first|unsure) | o.lanes&first | t.lanes&o.lanes&unsure
		} else {
			t.lanes &^= first | unsure
		}
	}
	w.taint.fflags = w.taint.fflags || one.taint.fflags
}

// coverJoin executes a JOIN.
func (w *coverWarp) coverJoin(in *instr, m uint32) error {
	if len(w.open) == 0 {
		if w.taint.regs[in.a]>>last(m)&1 != 0 {
			return w.refuse("the operand depends on data")
		}
		if err := w.Step(&w.run.step); err != nil {
			return err
		}
		w.run.sink.Step(w.id, &w.run.step, nil)
		return nil
	}
	s := w.open[len(w.open)-1]
	if t := w.tokens[in.a]; t.split != s.id || m&^t.lanes != 0 {
		return w.refuse("the operand is not what the split before it has returned")
	}
	if m != s.lanes {
		return w.refuse("threads were turned off or on since the split before it")
	}
	w.simple(m)
	s.joined, s.joinPC = true, w.pc
	w.pc++
	w.run.step.NextPC = w.pc
	w.run.sink.Step(w.id, &w.run.step, nil)
	if !s.forks {
		w.open = w.open[:len(w.open)-1]
	}
	return nil
}
