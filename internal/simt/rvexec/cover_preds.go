package rvexec

import (
	"github.com/warpbound/warpbound/internal/simt"
)

// mostRounds is how many iterations of a loop that data may end are executed where no fact
// says how many there are.
const mostRounds = 1 << 12

// coverPred executes a PRED: as the machine does where nothing depends on data, and
// otherwise the loop around it up to where all its threads have left.
func (w *coverWarp) coverPred(in *instr, m uint32) error {
	if f := w.top(); f != nil && f.kind == loopFrame && f.pc == w.pc {
		f.over = true // who executes the loop goes on
		return nil
	}
	holds := w.predicates(in, m)
	switch {
	case w.taint.regs[in.a]&m != 0 || m&w.loose != 0 && holds != m:
		return w.loop(in)
	case holds == 0:
		// All threads of the mask are there, and the mask is another one.
		to, what := w.back(in)
		if what != "" {
			return w.refuse("%s", what)
		}
		if len(w.open) > 0 && to.lanes == 0 {
			return w.refuse("where control depends on data") // the warp ends
		}
	}
	return w.plain(in, m)
}

// back is the thread mask that a PRED goes back to where no predicate holds, or why that is
// not known.
func (w *coverWarp) back(in *instr) (to masked, what string) {
	m, b := w.mask, &w.regs[in.b]
	exact := m&w.loose == 0
	tainted := w.taint.regs[in.b]
	one := last(m)
	alike := tainted&m == 0
	for i := range b {
		alike = alike && (m>>i&1 == 0 || b[i]&w.full == b[one]&w.full)
	}
	t := w.tokens[in.b]
	read, marked := w.seen[t.number]
	f := w.top()
	const elsewhere = "threads come back that were not there where control began to depend on data"
	switch {
	case alike, exact && tainted>>one&1 == 0:
		to = masked{0, b[one] & w.full, 0}
		if f != nil && to.lanes&^(f.base.lanes&^f.base.loose) != 0 {
			return to, elsewhere
		}
	case marked && m&^t.lanes == 0:
		to = read
		if f != nil && (to.number < f.base.number || to.lanes&^f.base.lanes != 0) {
			return to, elsewhere
		}
	default:
		return to, "which threads come back depends on data"
	}
	return to, ""
}

// loop executes iterations of the loop that ends with the PRED at which the warp is, as long
// as threads may go on, and brings together all that may have left.
func (w *coverWarp) loop(in *instr) error {
	pc, depth, sink := w.pc, len(w.open), w.run.sink
	f := &frame{kind: loopFrame, pc: pc}
	w.leaves(pc)
	var left *state  // with what threads may have left
	var gone uint32  // which those are
	var back *masked // to what threads come back
	maybe := false   // the iteration may be left out, as may all those behind it
	told := false    // a fork is open
	for rounds := 0; ; {
		m := w.mask
		unsure := w.taint.regs[in.a] & m
		holds := w.predicates(in, m) &^ unsure
		flags := w.isFlag(in.a)
		goes := holds | unsure
		// The loop ends here where no thread goes on that is there.
		ends := holds&^w.loose == 0 && holds != m
		w.simple(m)
		w.run.step.NextPC = pc + 1
		sink.Step(w.id, &w.run.step, nil)
		if told {
			sink.Next(w.id)
			sink.Join(w.id, simt.Joined{})
		}
		maybe, told = maybe || ends, false
		if ends {
			w.open = w.open[:depth]
			to, what := w.back(in)
			if what == "" && back != nil && !to.is(*back) {
				what = "threads come back from different iterations to different masks"
			}
			if what == "" && to.lanes == 0 {
				what = "the warp ends where control depends on data"
			}
			if what != "" {
				return w.refuse("%s", what)
			}
			back = &to
		}
		then := w.keep()
		if leave := m &^ holds; leave != 0 {
			w.learn(in.a, unsure&flags, not(in))
			now := w.keep()
			if left == nil {
				left, gone = now, leave
			} else {
				if !left.join(now, w.run.loops, leave&^gone, leave&gone) {
					return w.refuse("threads leave the loop in different calls of functions")
				}
				gone |= leave
			}
			w.restore(then)
		}
		if goes == 0 {
			break
		}
		if rounds++; rounds > mostRounds && ends && !w.limited(pc) {
			return w.unbounded()
		}
		if told = maybe; told {
			sink.Fork(w.id)
		}
		w.mask = goes
		w.loose |= unsure
		w.learn(in.a, unsure&flags, 1-not(in))
		w.another()
		w.open = append(w.open[:depth], f)
		f.base, f.over = w.now(), false
		w.core.changes++ // what goes round here is not what went round before
		w.pc++
		nobody, err := w.nobody(w.iteration(f))
		if err != nil {
			return err
		}
		if nobody {
			if told {
				sink.Next(w.id)
				sink.Join(w.id, simt.Joined{})
			}
			break
		}
	}
	w.open = w.open[:depth]
	if back == nil {
		return errNobody
	}
	behind := w.keep()
	if !behind.join(left, w.run.loops, gone, 0) {
		return w.refuse("threads leave the loop in different calls of functions")
	}
	w.restore(behind)
	w.pc = pc
	if w.mask, w.loose, w.number = back.lanes, back.loose, back.number; w.number == 0 {
		w.another()
	}
	w.pc = pc + 1
	if uint32(w.pc) >= uint32(len(w.code)) {
		w.pc--
		return w.refuse("execution runs behind the text")
	}
	return nil
}

// not is the lowest bit of a predicate that does not hold.
func not(in *instr) uint32 {
	if in.neg {
		return 1
	}
	return 0
}

// iteration executes up to the PRED or branch of a frame. It returns the open frames, too.
func (w *coverWarp) iteration(f *frame) (int, error) {
	depth := len(w.open)
	for !f.over {
		if err := w.next(); err != nil {
			return depth, err
		}
	}
	switch {
	case w.top() != f:
		return depth, w.refuse("splits inside of the loop do not join")
	case !w.now().is(f.base):
		return depth, w.refuse("threads were turned off or on in the loop")
	}
	return depth, nil
}
