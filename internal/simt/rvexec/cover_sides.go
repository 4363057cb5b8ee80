package rvexec

import (
	"errors"
	"math/bits"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// errNobody says that no execution comes here: facts leave no thread.
var errNobody = errors.New("no thread comes here")

// coverSplit executes a SPLIT: as the machine does where nothing depends on data, and
// otherwise both sides.
func (w *coverWarp) coverSplit(in *instr, m uint32) error {
	unsure := w.taint.regs[in.a] & m
	if len(w.open) == 0 && unsure == 0 {
		w.written(in.d, m, 0, token{})
		if err := w.Step(&w.run.step); err != nil {
			return err
		}
		if w.mask != m {
			w.another()
		}
		w.run.sink.Step(w.id, &w.run.step, nil)
		return nil
	}
	first := w.predicates(in, m)
	second := m&^first | unsure
	first |= unsure
	w.numbered++
	s := &frame{kind: splitFrame, base: w.now(), number: w.numbered, forks: first != 0 && second != 0, loaded: map[uint32]uint32{}, stored: map[uint32]uint32{}}
	w.simple(m)
	flags := w.isFlag(in.a)
	// Nobody may look at the number but the JOIN.
	w.taint.regs[in.d] |= m
	w.written(in.d, m, 0, token{s.number, m})
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

// state is what a fork keeps of a warp.
type state struct {
	pc     int32
	mask   uint32
	loose  uint32
	number int
	regs   [numRegs]lanes
	taint  warpTaint
	flags  [numRegs]uint32
	tokens [numRegs]token
	trips  trips
}

func (w *coverWarp) keep() *state {
	return &state{pc: w.pc, mask: w.mask, loose: w.loose, number: w.number, regs: w.regs, taint: *w.taint, flags: w.flags, tokens: w.tokens, trips: w.trips.clone()}
}

func (w *coverWarp) restore(s *state) {
	w.pc, w.mask, w.loose, w.number, w.regs, *w.taint, w.flags, w.tokens, w.trips = s.pc, s.mask, s.loose, s.number, s.regs, s.taint, s.flags, s.tokens, s.trips.clone()
}

// fork executes what comes up to the JOIN of s with the threads of first, and then with
// those of second; those of unsure are in both. flags are the threads in which the
// predicate is 0 or 1.
func (w *coverWarp) fork(in *instr, s *frame, first, second, unsure, flags uint32) error {
	sink, before := w.run.sink, w.keep()
	holds, not := uint32(1), uint32(0)
	if in.neg {
		holds, not = not, holds
	}
	sink.Fork(w.id)
	noFirst, err := w.nobody(w.side(in, s, first, unsure, flags, holds))
	if err != nil {
		return err
	}
	one, joinPC := w.keep(), s.pc
	sink.Next(w.id)
	fflags := w.taint.fflags
	w.restore(before)
	w.taint.fflags = w.taint.fflags || fflags
	s.second, s.over = true, false
	noSecond, err := w.nobody(w.side(in, s, second, unsure, flags, not))
	if err != nil {
		return err
	}
	if !noFirst && !noSecond && s.pc != joinPC {
		w.pc = s.pc
		return w.refuse("the sides of a split meet at several places")
	}
	w.open = w.open[:len(w.open)-1]
	sink.Join(w.id, simt.Joined{First: !noFirst && first&^unsure&^before.loose != 0, Second: !noSecond && second&^unsure&^before.loose != 0})
	switch {
	case noFirst && noSecond:
		return errNobody
	case noFirst: // nor do threads come that take it for certain
	case noSecond:
		one.taint.fflags = one.taint.fflags || w.taint.fflags
		w.restore(one)
	default:
		behind := w.keep()
		if !behind.join(one, w.run.loops, first&^unsure, unsure) {
			return w.refuse("the sides of a split meet in different calls of functions")
		}
		w.restore(behind)
	}
	w.mask, w.loose, w.number = before.mask, before.loose, before.number
	return nil
}

// nobody says whether an error is that nobody comes to the end of the innermost frame,
// inside of which others may be open then.
func (w *coverWarp) nobody(depth int, err error) (bool, error) {
	if !errors.Is(err, errNobody) {
		return false, err
	}
	w.open = w.open[:depth]
	return true, nil
}

// side executes one side. In threads of unsure whose predicate is 0 or 1 it has the value
// that brings them here. It returns the open frames, too.
func (w *coverWarp) side(in *instr, s *frame, m, unsure, flags, value uint32) (int, error) {
	depth := len(w.open)
	w.mask = m
	w.loose |= unsure
	w.another()
	s.base = w.now()
	w.core.changes++ // what goes round here is not what went round before
	if in.a != in.d {
		w.learn(in.a, unsure&flags, value)
	}
	for !s.over {
		if err := w.next(); err != nil {
			return depth, err
		}
	}
	if w.top() != s {
		return depth, w.refuse("splits inside of a side do not join")
	}
	return depth, nil
}

// learn notes that a tainted register has a value in some threads.
func (w *coverWarp) learn(r uint8, m, value uint32) {
	if r == noRegister {
		return
	}
	for left := m; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		w.regs[r][i] = value
		w.taint.regs[r] &^= 1 << i
	}
}

// isFlag is the threads in which a register is known to be 0 or 1, or holds such a value.
func isFlag(x *lanes, tainted, flags uint32) uint32 {
	for i, v := range x {
		if v <= 1 && tainted>>i&1 == 0 {
			flags |= 1 << i
		}
	}
	return flags
}

// join makes a state, which is the one behind the second side, the one behind both.
// Threads of first are in the first side only, those of unsure in both. It is false where
// those are not in the same calls of functions.
func (w *state) join(one *state, loops []boundedLoop, first, unsure uint32) bool {
	for r := 1; r < discard; r++ {
		a, b := &w.regs[r], &one.regs[r]
		ta, tb := w.taint.regs[r], one.taint.regs[r]
		mine, theirs := isFlag(a, ta, w.flags[r]), isFlag(b, tb, one.flags[r])
		var differ uint32
		for i := range a {
			switch bit := uint32(1) << i; {
			case first&bit != 0:
				a[i] = b[i]
			case unsure&bit != 0 && a[i] != b[i]:
				differ |= bit
			}
		}
		w.taint.regs[r] = ta&^first | tb&first | (tb|differ)&unsure
		w.flags[r] = w.flags[r]&^(first|unsure) | one.flags[r]&first | mine&theirs&unsure
		if t, o := &w.tokens[r], one.tokens[r]; t.number == o.number {
			t.lanes = t.lanes&^(first|unsure) | o.lanes&first | t.lanes&o.lanes&unsure
		} else if keep := t.lanes &^ (first | unsure); keep != 0 {
			t.lanes = keep
		} else {
			*t = token{o.number, o.lanes & first}
		}
	}
	w.taint.fflags = w.taint.fflags || one.taint.fflags
	return w.trips.join(loops, &one.trips, first, unsure)
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
		if w.mask != m {
			w.another()
		}
		w.run.sink.Step(w.id, &w.run.step, nil)
		return nil
	}
	s := w.top()
	if t := w.tokens[in.a]; s.kind != splitFrame || t.number != s.number || m&^t.lanes != 0 {
		return w.refuse("the operand is not what the split before it has returned")
	}
	if !w.now().is(s.base) {
		return w.refuse("threads were turned off or on since the split before it")
	}
	w.simple(m)
	s.over, s.pc = true, w.pc
	w.pc++
	w.run.step.NextPC = w.pc
	w.run.sink.Step(w.id, &w.run.step, nil)
	if !s.forks {
		w.open = w.open[:len(w.open)-1]
	}
	return nil
}
