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
//     tainted (cover_sides.go).
//   - A PRED that tainted predicates decide ends an iteration of a loop: what comes up to
//     its next execution may be left out, and threads whose predicate may not hold are
//     loose in it. Behind all iterations a thread has the registers with which it may
//     have left (cover_preds.go).
//   - A branch that tainted registers decide is taken by all threads or by none: what comes
//     up to where both ways meet is executed for each (cover_branch.go).
//   - What loose threads store taints memory, whatever it is.
//   - The machine executes the larger part of a SPLIT first, which is not known, or all
//     threads go one way: so what one side stores and another thread loads on the other is
//     tainted, or refused.
//   - An access at a tainted address is not made, and counted as if every thread hit a
//     place of its own.
//   - A thread that would go back to the head of a loop more often than a fact says is not
//     there (cover_trips.go).
//
// docs/soundness/covering.md has the proof. Everything else that depends on data is
// refused: jumps, masks, barriers.
type coverer struct {
	k     *Kernel
	loops []boundedLoop
}

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
	loops, err := k.bounded()
	return &coverer{k, loops}, err
}

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
	run := &coverRun{ctx: ctx, limits: limits, executed: executed, sink: sink, loops: c.loops}
	warps := make([]coverWarp, len(core.warps))
	for j := range warps {
		warps[j] = coverWarp{Warp: &core.warps[j], run: run, trips: newTrips(len(c.loops)), seen: map[int]masked{}}
	}
	for {
		progress, live := false, false
		for j := range warps {
			w := &warps[j]
			for w.status == simt.Ready {
				pc := w.pc
				switch err := w.next(); {
				case errors.Is(err, errNobody):
					// All threads are there, and come no further.
					w.pc = pc
					return w.fault(problem{simt.ErrLoopBound, "whichever way threads go, they go back to the head of a loop more often than is said to be the most"}, -1)
				case err != nil:
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
	loops    []boundedLoop
}

// coverWarp is a warp of a covering execution.
type coverWarp struct {
	*Warp
	run   *coverRun
	loose uint32 // threads that may not be there
	// number says which thread mask this is: where threads are loose, masks of one number
	// are the same one in every execution.
	number int
	// flags are the threads in which the value of a register is 0 or 1, where it is
	// tainted.
	flags [numRegs]uint32
	// tokens say which SPLIT inside of forks has put its number there, or which thread mask
	// has been read.
	tokens [numRegs]token
	trips  trips
	open   []*frame       // the innermost last
	seen   map[int]masked // thread masks that were read, by number
	// numbered are the numbers handed out so far, and inside the instructions executed
	// inside of forks.
	numbered, inside int
}

// token is the mark of what a SPLIT returned, or of a thread mask that was read.
type token struct {
	number int
	lanes  uint32
}

// masked is a thread mask: of all executions that come here, each has one that has all
// threads of it but for loose ones.
type masked struct {
	number       int
	lanes, loose uint32
}

// now is the thread mask now.
func (w *coverWarp) now() masked { return masked{w.number, w.mask, w.mask & w.loose} }

// is says that two thread masks are the same in every execution.
func (a masked) is(b masked) bool {
	return a.number == b.number && a.number != 0 || a.loose|b.loose == 0 && a.lanes == b.lanes
}

// another gives the thread mask a number of its own.
func (w *coverWarp) another() {
	w.numbered++
	w.number = w.numbered
}

// frame is an open SPLIT inside of forks, a loop that threads leave by data, or a branch on
// data.
type frame struct {
	kind frameKind
	base masked // what the thread mask has to be where the side or the iteration ends
	// pc is the JOIN at which a side has ended, the PRED that ends an iteration, or where the
	// ways of a branch meet.
	pc   int32
	over bool // the side or the iteration
	// Of a branch: where an iteration ends that begins with it, isa.NoPC for none, and that
	// this one has.
	branch int32
	again  bool
	// Of a SPLIT: its number, that it forks into two sides, else all threads go one way,
	// and that the second one is executed.
	number int
	forks  bool
	second bool
	// What threads of the first side loaded and stored, by granule.
	loaded, stored map[uint32]uint32
}

type frameKind uint8

const (
	splitFrame frameKind = iota
	loopFrame
	branchFrame
)

// top is the innermost open frame, nil outside of forks.
func (w *coverWarp) top() *frame {
	if len(w.open) == 0 {
		return nil
	}
	return w.open[len(w.open)-1]
}

// mostInside is the most instructions that a warp executes inside of forks.
const mostInside = 1 << 22

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
	if len(w.open) > 0 {
		if w.inside++; w.inside > mostInside {
			return w.refuse("a warp executes more than %d instructions where control depends on data", mostInside)
		}
	}
	if err := w.turn(); err != nil {
		return err
	}
	in, m := &w.code[w.pc], w.mask
	switch in.group {
	case gSplit:
		return w.coverSplit(in, m)
	case gJoin:
		return w.coverJoin(in, m)
	case gLoad, gStore:
		return w.access(in, m)
	case gPred:
		return w.coverPred(in, m)
	case gBranch:
		if (w.taint.regs[in.a]|w.taint.regs[in.b])&m != 0 {
			return w.coverBranch(in, m)
		}
	}
	return w.plain(in, m)
}

// plain executes an instruction as the machine does.
func (w *coverWarp) plain(in *instr, m uint32) error {
	r := w.run
	if what := w.undecided(in, m); what != "" {
		return w.refuse("%s", what)
	}
	w.note(in, m)
	settled := w.settled(in, m)
	pc := w.pc
	if err := w.Step(&r.step); err != nil {
		return w.wrong(err)
	}
	if r.step.Yield {
		w.pc = pc
		return w.refuse("how the warp goes on depends on how far other warps are")
	}
	w.taint.regs[in.d] &^= settled
	if w.mask != m {
		w.another()
	}
	if in.group == gFloat && len(w.open) > 0 {
		w.taint.fflags = true // the exceptions of threads that may not be there
	}
	if w.readsMask(in, m) {
		w.result(in, m, m)
	}
	if w.readsExceptions(in) {
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
	switch in.group {
	case gJumpReg:
		if t.regs[in.a]&m != 0 {
			return "the target depends on data"
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

// readsMask says that an instruction reads a thread mask that depends on data.
func (w *coverWarp) readsMask(in *instr, m uint32) bool {
	return in.group == gCSR && in.csr == rv.CSRActiveThreads && m&w.loose != 0
}

// readsExceptions says that an instruction reads exceptions that threads on the other side of
// a split may have raised before.
func (w *coverWarp) readsExceptions(in *instr) bool {
	return in.group == gCSR && (in.csr == rv.CSRFflags || in.csr == rv.CSRFcsr) &&
		slices.ContainsFunc(w.open, func(f *frame) bool { return f.forks })
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

// isFlag is the threads in which a register of the warp is known to be 0 or 1.
func (w *coverWarp) isFlag(r uint8) uint32 {
	return isFlag(&w.regs[r], w.taint.regs[r], w.flags[r])
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
	if w.readsMask(in, m) {
		tok = token{w.number, m}
		w.seen[w.number] = w.now()
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

// settled is the threads in which one operand of a computation settles the result, which is
// known then whatever the other one is.
func (w *coverWarp) settled(in *instr, m uint32) (out uint32) {
	const all = ^uint32(0)
	t := w.taint
	second, unknown := in.k, uint32(0)
	if second == nil {
		second, unknown = &w.regs[in.b], t.regs[in.b]
	}
	// is says that an operand is known to be a number.
	is := func(x *lanes, tainted uint32, i int, number uint32) bool { return tainted>>i&1 == 0 && x[i] == number }
	first := &w.regs[in.a]
	for left := m & (t.regs[in.a] | unknown); left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		var known bool
		switch in.op {
		case rv.And, rv.Andi, rv.Mul:
			known = is(first, t.regs[in.a], i, 0) || is(second, unknown, i, 0)
		case rv.Or, rv.Ori:
			known = is(first, t.regs[in.a], i, all) || is(second, unknown, i, all)
		case rv.Sltu, rv.Sltiu:
			known = is(first, t.regs[in.a], i, all) || is(second, unknown, i, 0)
		case rv.CzeroEqz:
			known = is(first, t.regs[in.a], i, 0) || is(second, unknown, i, 0)
		case rv.CzeroNez:
			known = is(first, t.regs[in.a], i, 0) || unknown>>i&1 == 0 && second[i] != 0
		}
		if known {
			out |= 1 << i
		}
	}
	return out
}
