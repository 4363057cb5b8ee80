package uniform

import (
	"errors"
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/internal/rv"
)

// set is registers (x0 to x31, then f0 to f31) and slots of the stack.
type set struct{ registers, slots uint64 }

func (s set) or(o set) set  { return set{s.registers | o.registers, s.slots | o.slots} }
func (s set) and(o set) set { return set{s.registers & o.registers, s.slots & o.slots} }

func (s *set) put(i place, in bool) {
	bits := &s.registers
	if i >= firstSlot {
		bits = &s.slots
	}
	*bits &^= 1 << (i % 64)
	if in {
		*bits |= 1 << (i % 64)
	}
}

func (s set) has(i place) bool {
	if i >= firstSlot {
		return s.slots>>(i%64)&1 != 0
	}
	return s.registers>>(i%64)&1 != 0
}

// place is where a value can be: a register or a slot.
type place uint8

const (
	zero      place = 0
	ra        place = 1
	sp        place = 2
	firstSlot place = 64
	slots           = 64
	places          = 128
)

func register(f rv.File, n uint8) place {
	if f == rv.FloatFile {
		return 32 + place(n)
	}
	return place(n)
}

// saved are the registers a function leaves as they were (RISC-V psABI): sp, s0 to s11, fs0 to fs11.
const saved = 1<<2 | 3<<8 | 0x3ff<<18 | 3<<40 | 0x3ff<<50

var everything = set{^uint64(1), ^uint64(0)} // x0 is 0 for all

// state is what holds before an instruction.
type state struct {
	reached   bool
	together  bool // only one thread can be active
	divergent set  // may differ between active threads
	truth     set  // are 0 or 1
	function  int32
	splits    []int32 // open ones of the function
	depth     int32   // of the stack pointer below the function's start
}

type analysis struct {
	img     *rv.Image
	before  []state
	origin  [][places]int32    // of what is in the places before each instruction: see findOrigins
	slot    map[[2]int32]place // by function and offset
	parts   map[int32]bool     // the splits and preds whose threads may disagree
	callers map[int32][]int32  // of functions
	loops   map[int32][]bool   // of preds: the instructions of the loop they end
	changed bool
	wrong   error
}

// Check reports the branches and jumps that the threads of a warp may not take together, or why it cannot tell.
func Check(img *rv.Image) error {
	a := &analysis{
		img: img, before: make([]state, len(img.Insts)), origin: make([][places]int32, len(img.Insts)),
		slot: map[[2]int32]place{}, parts: map[int32]bool{}, callers: map[int32][]int32{}, loops: map[int32][]bool{},
	}
	// Twice: where values come from is known only once the places on the stack are, and that some may differ is not taken
	// back.
	if err := a.all(); err != nil {
		return err
	}
	a.findOrigins()
	clear(a.parts)
	for i := range a.before {
		a.before[i].reached = false
	}
	if err := a.all(); err != nil {
		return err
	}
	return a.report()
}

// all goes over the program from its entry, and from the functions that nothing calls: there warps are spawned.
func (a *analysis) all() error {
	entry, ok := a.img.Index(a.img.Entry)
	if !ok {
		return fmt.Errorf("%s: no entry", a.img.Name)
	}
	if err := a.from(entry); err != nil {
		return err
	}
	for _, s := range a.img.Symbols {
		if i, ok := a.img.Index(s.Addr); ok && !a.before[i].reached {
			if err := a.from(i); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *analysis) at(i int32, format string, args ...any) error {
	addr := a.img.Addr(i)
	return fmt.Errorf("%s: %#x: %s: %s", a.img.Name, addr, rv.Disassemble(a.img.Text[i], addr), fmt.Sprintf(format, args...))
}

// from adds a start, and goes over all instructions until nothing changes.
func (a *analysis) from(entry int32) error {
	a.enter(entry, state{reached: true, together: true, truth: set{registers: 1}, function: entry})
	for a.changed && a.wrong == nil {
		a.changed = false
		for i := range a.before {
			if a.before[i].reached {
				a.step(int32(i))
			}
		}
	}
	return a.wrong
}

// enter merges a state into that before instruction i.
func (a *analysis) enter(i int32, s state) {
	old := &a.before[i]
	if !old.reached {
		s.splits = slices.Clone(s.splits)
		*old, a.changed = s, true
		return
	}
	switch {
	case old.function != s.function:
		a.wrong = a.at(i, "reached from two functions")
	case old.depth != s.depth:
		a.wrong = a.at(i, "reached with the stack at two places")
	case !slices.Equal(old.splits, s.splits):
		a.wrong = a.at(i, "reached with other splits open")
	}
	together, divergent, truth := old.together && s.together, old.divergent.or(s.divergent), old.truth.and(s.truth)
	if together != old.together || divergent != old.divergent || truth != old.truth {
		old.together, old.divergent, old.truth, a.changed = together, divergent, truth, true
	}
}

// step carries what holds before instruction i to those that follow it.
func (a *analysis) step(i int32) {
	s, in := a.before[i], &a.img.Insts[i]
	switch in.Op {
	case rv.Invalid:
		a.wrong = a.at(i, "no instruction")
		return
	case rv.Tmc:
		if in.Rs1 == 0 {
			return
		}
		// The threads that come have registers of their own.
		if s.together {
			s.together, s.divergent, s.truth = false, everything, set{registers: 1}
		}
	case rv.Split, rv.Pred:
		if in.Op == rv.Pred {
			a.loop(i)
		}
		p := place(in.Rs1)
		if s.divergent.has(p) && !a.parts[i] {
			a.parts[i], a.changed = true, true
		}
		s.divergent.put(p, false)
		if in.Op == rv.Split {
			s = a.write(i, in, s)
			s.splits = append(slices.Clone(s.splits), i)
		}
	case rv.Join:
		if len(s.splits) == 0 {
			a.wrong = a.at(i, "no split is open")
			return
		}
		split := s.splits[len(s.splits)-1]
		if a.parts[split] {
			inside := make([]bool, len(a.before))
			for j := range a.before {
				inside[j] = slices.Contains(a.before[j].splits, split)
			}
			s.divergent = s.divergent.or(a.changedIn(inside, i))
			s.divergent.put(place(a.img.Insts[split].Rs1), true)
		}
		s.splits = s.splits[:len(s.splits)-1]
	case rv.Beq, rv.Bne, rv.Blt, rv.Bge, rv.Bltu, rv.Bgeu:
		a.follow(i, i+in.Imm/4, s)
	case rv.Jal, rv.Jalr:
		a.jump(i, in, s)
		return
	case rv.Ecall, rv.Ebreak:
		return
	default:
		s = a.write(i, in, s)
	}
	a.follow(i, i+1, s)
}

// follow enters j from i. Who leaves a loop in which threads were turned off finds them as they were then.
func (a *analysis) follow(i, j int32, s state) {
	if j < 0 || int(j) >= len(a.before) {
		a.wrong = a.at(i, "goes on outside the code")
		return
	}
	for pred := range a.parts {
		if a.img.Insts[pred].Op != rv.Pred {
			continue
		}
		loop := a.loop(pred)
		if loop[i] && !loop[j] {
			s.divergent = s.divergent.or(a.changedIn(loop, i))
		}
	}
	a.enter(j, s)
}

func (a *analysis) jump(i int32, in *rv.Inst, s state) {
	target, known := i+in.Imm/4, in.Op == rv.Jal
	if !known && i > 0 {
		// A far call: auipc just before holds the upper part.
		if upper := &a.img.Insts[i-1]; upper.Op == rv.Auipc && upper.Rd == in.Rs1 {
			target, known = a.img.Index(a.img.Addr(i-1) + uint32(upper.Imm+in.Imm))
		}
	}
	switch {
	case known && in.Rd == 0, known && (target < 0 || int(target) >= len(a.before)):
		a.follow(i, target, s)
	case known && place(in.Rd) == ra:
		if !slices.Contains(a.callers[target], i) {
			a.callers[target] = append(a.callers[target], i)
			a.changed = true
		}
		s.divergent.put(ra, false)
		s.truth.put(ra, false)
		s.function, s.splits, s.depth = target, nil, 0
		a.enter(target, s)
	case in.Op == rv.Jalr && in.Rd == 0 && place(in.Rs1) == ra:
		if len(s.splits) > 0 {
			a.wrong = a.at(i, "returns with a split open")
		}
		for _, call := range a.callers[s.function] {
			a.follow(call, call+1, returned(&s, &a.before[call]))
		}
	default:
		a.wrong = a.at(i, "neither a call nor a return")
	}
}

// returned is what holds behind a call: by the calling convention, what a function saves is as before, and so is the stack.
func returned(callee, caller *state) state {
	back := *caller
	back.together = callee.together
	back.divergent.registers = caller.divergent.registers&saved | callee.divergent.registers&^saved
	back.truth.registers = caller.truth.registers&saved | callee.truth.registers&^saved
	return back
}

// report lists what is wrong once all is known.
func (a *analysis) report() error {
	var errs []error
	for i := range a.before {
		s, in := &a.before[i], &a.img.Insts[i]
		if !s.reached || s.together {
			continue
		}
		first, second := s.divergent.has(place(in.Rs1)), s.divergent.has(place(in.Rs2))
		switch in.Op {
		case rv.Beq, rv.Bne, rv.Blt, rv.Bge, rv.Bltu, rv.Bgeu:
			if first || second {
				errs = append(errs, a.at(int32(i), "threads may disagree"))
			}
		case rv.Jalr:
			if first {
				errs = append(errs, a.at(int32(i), "threads may jump to different places"))
			}
		case rv.Split, rv.Pred:
			// The instruction looks at the lowest bit, the branch after it at all.
			if first && !s.truth.has(place(in.Rs1)) {
				errs = append(errs, a.at(int32(i), "the condition may be other than 0 and 1"))
			}
		}
	}
	return errors.Join(errs...)
}
