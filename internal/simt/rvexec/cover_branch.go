package rvexec

import (
	"fmt"

	"github.com/warpbound/warpbound/internal/rv"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// coverBranch executes a branch that data decide. All threads that are there take it alike,
// or the program goes wrong: so exactly one way is executed up to where both meet. Where one
// way leads there at once and the other comes back to the branch, it is a loop.
func (w *coverWarp) coverBranch(in *instr, m uint32) error {
	if f := w.top(); f != nil && f.kind == branchFrame && f.branch == w.pc {
		f.over, f.again = true, true // who executes the loop goes on
		return nil
	}
	pc, sink, before := w.pc, w.run.sink, w.now()
	yes, no, err := w.ways(in)
	if err != nil {
		return err
	}
	w.simple(m)
	if !yes.may || !no.may {
		way := yes
		if !yes.may {
			way = no
		}
		w.take(in, way)
		w.run.step.NextPC = w.pc
		sink.Step(w.id, &w.run.step, nil)
		return nil
	}
	meet, err := w.core.k.meets(pc)
	if err != nil {
		return err
	}
	switch {
	case in.target < 0:
		return w.refuse("the branch depends on data, and leads out of the text")
	case meet == isa.NoPC:
		return w.refuse("the branch depends on data, and its ways do not meet before the end of the function")
	case len(w.open) >= mostRounds:
		return w.unbounded()
	}
	w.leaves(pc)
	b := &branching{w: w, in: in, meet: meet, depth: len(w.open)}
	if in.target == meet || pc+1 == meet {
		err = b.rounds(pc)
	} else {
		err = b.both(yes, no)
	}
	if err != nil {
		return err
	}
	w.open = w.open[:b.depth]
	if b.met == nil {
		return errNobody
	}
	b.met.taint.fflags = b.met.taint.fflags || w.taint.fflags
	w.restore(b.met)
	w.pc, w.mask, w.loose, w.number = meet, before.lanes, before.loose, before.number
	return nil
}

// way is one of the two ways of a branch.
type way struct {
	taken bool
	to    int32
	lanes uint32 // threads that are not known to go the other one
	may   bool   // it may be executed
}

// ways are those of the branch at which the warp is. Threads that are there for certain and
// whose way is known decide for all.
func (w *coverWarp) ways(in *instr) (yes, no way, err error) {
	m := w.mask
	tainted := (w.taint.regs[in.a] | w.taint.regs[in.b]) & m
	taken := in.cmp(&w.regs[in.a], &w.regs[in.b]) & m
	surely, not := taken&^tainted, m&^taken&^tainted
	yes = way{true, in.target, m &^ not, true}
	no = way{false, w.pc + 1, m &^ surely, true}
	switch {
	case surely&^w.loose != 0 && not&^w.loose != 0:
		p := problem{simt.ErrInvalid, fmt.Sprintf("divergent branch: of active lanes %#x, %#x take it and %#x do not", m, surely, not)}
		return yes, no, w.wrong(w.fault(p, -1))
	case surely&^w.loose != 0:
		no.may = false
	case not&^w.loose != 0:
		yes.may = false
	}
	yes.may, no.may = yes.may && yes.lanes != 0, no.may && no.lanes != 0
	return yes, no, nil
}

// take goes a way, with the threads that may, and what it says of the registers compared.
func (w *coverWarp) take(in *instr, to way) {
	w.mask = to.lanes
	ta, tb := w.taint.regs[in.a]&w.mask, w.taint.regs[in.b]&w.mask
	if equal := in.op == rv.Beq && to.taken || in.op == rv.Bne && !to.taken; equal {
		w.same(in.a, in.b, ta&^tb)
		w.same(in.b, in.a, tb&^ta)
	} else if in.op == rv.Beq || in.op == rv.Bne {
		// 0 or 1, and not 0.
		if in.b == noRegister {
			w.learn(in.a, ta&w.flags[in.a], 1)
		}
		if in.a == noRegister {
			w.learn(in.b, tb&w.flags[in.b], 1)
		}
	}
	w.pc = to.to
}

// same notes that a register holds in some threads what another one does, which is known.
func (w *coverWarp) same(r, as uint8, m uint32) {
	for i := range w.regs[r] {
		if m>>i&1 != 0 {
			w.learn(r, 1<<i, w.regs[as][i])
		}
	}
}

// branching is the execution of the ways of a branch up to where they meet.
type branching struct {
	w     *coverWarp
	in    *instr
	meet  int32
	depth int
	met   *state // with what threads may come there
}

// arrive is that the warp comes to where the ways meet.
func (b *branching) arrive() error {
	w := b.w
	now := w.keep()
	if b.met == nil {
		b.met = now
		return nil
	}
	known := b.met.mask
	b.met.mask |= now.mask
	if !b.met.join(now, w.run.loops, now.mask&^known, now.mask&known) {
		return w.refuse("the ways of the branch meet in different calls of functions")
	}
	return nil
}

// follow executes a way up to where it meets the other one, or up to the branch again.
func (b *branching) follow(to way, branch int32) (again, nobody bool, err error) {
	w := b.w
	w.take(b.in, to)
	f := &frame{kind: branchFrame, base: w.now(), pc: b.meet, branch: branch}
	w.open = append(w.open[:b.depth], f)
	w.core.changes++ // what goes round here is not what went round before
	for w.pc != b.meet && !f.over {
		if err := w.next(); err != nil {
			nobody, err = w.nobody(b.depth+1, err)
			return false, nobody, err
		}
	}
	switch {
	case w.top() != f:
		return false, false, w.refuse("splits inside of a way of a branch do not join")
	case !w.now().is(f.base):
		return false, false, w.refuse("threads were turned off or on since a branch that depends on data")
	}
	return f.again, false, nil
}

// both executes each of the ways.
func (b *branching) both(yes, no way) error {
	w, sink := b.w, b.w.run.sink
	before := w.keep()
	w.run.step.NextPC, w.run.step.Alike = w.pc+1, true
	sink.Step(w.id, &w.run.step, nil)
	w.run.step.Alike = false
	sink.Fork(w.id)
	for i, to := range []way{yes, no} {
		if i > 0 {
			sink.Next(w.id)
			fflags := w.taint.fflags
			w.restore(before)
			w.taint.fflags = w.taint.fflags || fflags
		}
		_, nobody, err := b.follow(to, isa.NoPC)
		if err != nil {
			return err
		}
		if !nobody {
			if err := b.arrive(); err != nil {
				return err
			}
		}
	}
	sink.Join(w.id, simt.Joined{})
	return nil
}

// rounds executes the way that leads elsewhere again and again, as long as it comes back.
func (b *branching) rounds(pc int32) error {
	w, sink := b.w, b.w.run.sink
	maybe, told := false, false
	for n := 1; ; n++ {
		yes, no, err := w.ways(b.in)
		if err != nil {
			return err
		}
		on, out := yes, no
		if yes.to == b.meet {
			on, out = no, yes
		}
		w.simple(w.mask)
		w.run.step.NextPC = pc + 1
		sink.Step(w.id, &w.run.step, nil)
		if told {
			sink.Next(w.id)
			sink.Join(w.id, simt.Joined{})
		}
		if told = false; out.may {
			then := w.keep()
			w.take(b.in, out)
			if err := b.arrive(); err != nil {
				return err
			}
			w.restore(then)
			maybe = true
		}
		if !on.may {
			return nil
		}
		if n > mostRounds && out.may && !w.limited(pc) {
			return w.unbounded()
		}
		if told = maybe; told {
			sink.Fork(w.id)
		}
		again, nobody, err := b.follow(on, pc)
		if err != nil {
			return err
		}
		if again {
			continue
		}
		if told {
			sink.Next(w.id)
			sink.Join(w.id, simt.Joined{})
		}
		if nobody {
			return nil
		}
		return b.arrive()
	}
}

// doubtful says that even threads that are there for certain may not come here.
func (w *coverWarp) doubtful() bool {
	for _, f := range w.open {
		if f.kind == branchFrame {
			return true
		}
	}
	return false
}

// meets is where the ways of a branch meet, isa.NoPC where they do not before the end of
// its function.
func (k *Kernel) meets(pc int32) (int32, error) {
	c, err := k.graph(pc)
	if err != nil {
		return 0, err
	}
	return c.Reconvergence(pc), nil
}
