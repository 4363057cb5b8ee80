package ptxexec

import (
	"math"
	"math/bits"
	"slices"

	"github.com/warpbound/warpbound/internal/simt"
)

// Iterations of a loop are followed as blocks are. Between two arrivals at its
// head every register of the slice moves by some distance, the same in all lanes.
// The next iteration is executed with the hypothesis that it always will: register
// = value + form · d + distance · j in iteration j after this one. If the hypothesis
// holds again at its end, it holds, and the iteration repeats, as long as all
// conditions on j that were met on the way do (docs/soundness/paths.md, theorem 37
// (repeating iterations)).

// loopPhase says how far the watch on a loop is.
type loopPhase uint8

const (
	noLoop   loopPhase = iota
	atHead             // the warp has come to the head
	standsIn           // and again; this iteration stands for those after it
	repeats            // and it was found to repeat
)

// mostFailures is how often a loop is looked at in vain in a warp.
const mostFailures = 4

// mostLoopSteps is the longest iteration that is looked at.
const mostLoopSteps = 1 << 12

// loopWatch looks for iterations that repeat.
type loopWatch struct {
	phase    loopPhase
	head     int32
	top      entry
	stack    []entry
	values   []loopValue
	bools    []loopBool
	failures map[int32]int // by head

	// Of the iteration that stands in for others.
	conditions []loopCondition
	farthest   int64 // greatest distance of a value, by magnitude
	steps      []simt.LoopStep
	accesses   []simt.Step
	strides    []int64
	times      int64 // iterations after it that repeat it
}

// loopValue is a register of the slice as it is at the head.
type loopValue struct {
	r        int32
	v        lanes
	known    uint32
	others   uint32 // known lanes that are not in the loop, set aside while an iteration stands in
	of       form
	distance int64 // to its value an iteration later
}

// loopBool is a predicate of the slice as it is at the head.
type loopBool struct {
	p            int32
	value, known uint32
}

// loopCondition is low <= of · (d, j) <= high.
type loopCondition struct {
	of        form
	low, high int64
}

// SkipLoops implements simt.LoopSkipper.
func (f *follower) SkipLoops(skip func(*simt.Loop) (bool, error)) { f.skip = skip }

// need notes a condition on the iterations.
func (l *loopWatch) need(of form, low, high int64) {
	l.conditions = append(l.conditions, loopCondition{of, low, high})
}

// reach notes how far a value moves in an iteration.
func (l *loopWatch) reach(of form) {
	if l.phase == standsIn {
		l.farthest = max(l.farthest, distance64(of[3]))
	}
}

func distance64(x int64) int64 {
	if x == math.MinInt64 {
		return math.MaxInt64
	}
	return max(x, -x)
}

// watchLoop looks at the step just made.
func (w *followedWarp) watchLoop(s *simt.Step) {
	l := &w.loop
	if l.phase == standsIn && (!w.noteStep(s) || w.top.mask&^l.top.mask != 0) {
		w.leaveLoop()
	}
	switch {
	case w.status != simt.Ready:
		w.leaveLoop()
	case w.top.pc <= s.PC:
		w.arrive()
	}
}

// noteStep keeps a step of the iteration that stands in for others. It returns
// false where it cannot: only instructions that change nothing but registers and
// memory repeat.
func (w *followedWarp) noteStep(s *simt.Step) bool {
	l := &w.loop
	in := &w.code[s.PC]
	switch in.group {
	case gNop, gPure, gSelp, gSetp, gPred, gBranch:
	case gExec:
		if in.flow != flowLanes && in.flow != flowWarp && in.flow != flowShuffle || aborts(in) {
			return false
		}
	case gLoad, gStore, gMem:
		if in.flow != flowMemory {
			return false
		}
	default:
		return false
	}
	if len(l.steps) == mostLoopSteps {
		return false
	}
	l.steps = append(l.steps, simt.LoopStep{PC: s.PC, NextPC: s.NextPC, Active: s.Active, Exec: s.Exec})
	return true
}

// noteAccess keeps an access of the iteration that stands in for others; of is the
// form of its addresses.
func (w *followedWarp) noteAccess(s *simt.Step, of form) {
	l := &w.loop
	if l.phase != standsIn {
		return
	}
	l.reach(of)
	l.accesses = append(l.accesses, *s)
	l.strides = append(l.strides, of[3])
}

// arrive is a jump that does not go forward, to the head of a loop.
func (w *followedWarp) arrive() {
	l := &w.loop
	if l.phase != noLoop && l.head == w.top.pc && l.top == w.top && slices.Equal(l.stack, w.stack) {
		switch l.phase {
		case atHead:
			if w.suppose() {
				l.phase = standsIn
				return
			}
			w.fail()
		case standsIn:
			if w.confirm() {
				l.phase = repeats
				return
			}
			w.fail()
		}
	}
	w.leaveLoop()
	if l.failures[w.top.pc] < mostFailures {
		l.phase, l.head, l.top = atHead, w.top.pc, w.top
		l.stack = append(l.stack[:0], w.stack...)
		w.keepHead()
	}
}

func (w *followedWarp) fail() {
	if w.loop.failures == nil {
		w.loop.failures = map[int32]int{}
	}
	w.loop.failures[w.loop.head]++
}

// leaveLoop forgets the loop and how registers depend on its iterations: the
// conditions met so far are those of the executed iteration.
func (w *followedWarp) leaveLoop() {
	if w.loop.phase == standsIn {
		w.stand()
	}
	w.loop.phase = noLoop
}

// stand reduces all forms to those of the block alone, and includes the lanes
// that were set aside.
func (w *followedWarp) stand() {
	for r := range w.forms {
		w.forms[r][3] = 0
	}
	for i := range w.loop.values {
		x := &w.loop.values[i]
		if x.others == 0 {
			continue
		}
		if w.known[x.r]&w.live == 0 {
			w.forms[x.r] = x.of
		} else {
			w.fixed(difference(w.forms[x.r], x.of))
		}
		w.known[x.r] |= x.others
		x.others = 0
	}
}

// keepHead notes the registers and predicates of the slice.
func (w *followedWarp) keepHead() {
	l := &w.loop
	l.values, l.bools = l.values[:0], l.bools[:0]
	for r, of := range w.f.vals {
		if !of || w.f.k.prog.regInit[r] != initZero {
			continue
		}
		x := loopValue{r: int32(r), known: w.known[r] & w.live, of: w.forms[r]}
		if x.known != 0 {
			x.v = *w.src(x.r)
		}
		l.values = append(l.values, x)
	}
	for p, of := range w.f.preds {
		if of {
			l.bools = append(l.bools, loopBool{p: int32(p), value: w.warp.preds[p], known: w.preds[p] & w.live})
		}
	}
}

// suppose makes every register of the slice move on as it did in the last
// iteration. It returns false where none could.
func (w *followedWarp) suppose() bool {
	l := &w.loop
	if !w.sameBools() {
		return false
	}
	l.farthest = 0
	for i := range l.values {
		x := &l.values[i]
		if w.known[x.r]&w.live != x.known || x.known != 0 && w.forms[x.r] != x.of {
			return false
		}
		x.distance = 0
		m := x.known & l.top.mask
		if m == 0 {
			continue
		}
		v, width := w.src(x.r), w.widthOf(x.r)
		first := bits.TrailingZeros32(m) & 31
		moved := v[first] - x.v[first]
		for left := m; left != 0; left &= left - 1 {
			lane := bits.TrailingZeros32(left) & 31
			if v[lane]-x.v[lane] != moved && (width == 0 || (v[lane]-x.v[lane]-moved)&widthMask(width) != 0) {
				return false
			}
		}
		if moved != 0 {
			if width == 0 {
				return false
			}
			x.distance = signExtend(moved&widthMask(width), width)
		}
		l.farthest = max(l.farthest, distance64(x.distance))
		x.v = *v
	}
	for i := range l.values {
		x := &l.values[i]
		x.others = x.known &^ l.top.mask
		w.known[x.r] &^= x.others
		w.forms[x.r][3] = x.distance
	}
	l.conditions, l.steps, l.accesses, l.strides = l.conditions[:0], l.steps[:0], l.accesses[:0], l.strides[:0]
	return true
}

// widthOf is the width in bits of a register of the module, 0 of others.
func (w *followedWarp) widthOf(r int32) int {
	if w.f.k.prog.valNames[r] == "" {
		return 0
	}
	return int(w.f.k.prog.regBits[r])
}

// sameBools says that the predicates of the slice are as they were at the head.
func (w *followedWarp) sameBools() bool {
	for _, x := range w.loop.bools {
		if w.preds[x.p]&w.live != x.known || (w.warp.preds[x.p]^x.value)&x.known != 0 {
			return false
		}
	}
	return true
}

// confirm says that the iteration ended as supposed, and how often it repeats.
func (w *followedWarp) confirm() bool {
	l := &w.loop
	if !w.sameBools() {
		return false
	}
	for i := range l.values {
		x := &l.values[i]
		m := x.known & l.top.mask
		want := x.of
		want[3] = x.distance
		if w.known[x.r]&w.live != m {
			return false
		}
		if m == 0 {
			continue
		}
		if w.forms[x.r] != want {
			return false
		}
		v, mask := w.src(x.r), ^uint64(0)
		if n := w.widthOf(x.r); n != 0 {
			mask = widthMask(n)
		}
		for left := m; left != 0; left &= left - 1 {
			lane := bits.TrailingZeros32(left) & 31
			if v[lane] != (x.v[lane]+uint64(x.distance))&mask {
				return false
			}
		}
	}
	l.times = w.repetitions() - 1
	return l.times > 0
}

// mostIterations keeps what is counted in 64 bits.
const mostIterations = 1 << 40

// repetitions is the number of iterations, the one executed included, for which
// all conditions hold in the representative.
func (w *followedWarp) repetitions() int64 {
	l := &w.loop
	n := int64(mostIterations)
	if l.farthest > 0 {
		n = min(n, simt.MaxReach/2/l.farthest)
	}
	for i := range l.conditions {
		c := &l.conditions[i]
		switch e := c.of[3]; {
		case c.low > 0 || c.high < 0:
			return 0
		case e > 0 && c.high < math.MaxInt64:
			n = min(n, c.high/e+1)
		case e < 0 && e > math.MinInt64 && c.low > -math.MaxInt64:
			n = min(n, c.low/e+1)
		}
	}
	return n
}

// skipLoop continues behind the iterations that repeat the last one, if the
// skip function accepts them as done.
func (w *followedWarp) skipLoop() error {
	l := &w.loop
	if l.phase != repeats {
		return nil
	}
	l.phase = noLoop
	w.stand()
	a := 0
	for i := range l.steps {
		// The accesses are in the order of the steps.
		if a < len(l.accesses) && l.accesses[a].PC == l.steps[i].PC {
			l.steps[i].Access, l.steps[i].Stride = &l.accesses[a], l.strides[a]
			a++
		}
	}
	done, err := w.f.skip(&simt.Loop{Warp: w.id, Head: l.head, Steps: l.steps, Times: l.times})
	if err != nil {
		return err
	}
	if !done {
		w.fail()
		return nil
	}
	// The conditions hold in the last of the iterations, too, and so in
	// between.
	for i := range l.conditions {
		c := &l.conditions[i]
		low, high, by := c.low, c.high, c.of[3]*l.times
		if low > -math.MaxInt64 {
			low -= by
		}
		if high < math.MaxInt64 {
			high -= by
		}
		w.f.need(ofBlock(c.of), low, high)
	}
	for i := range l.values {
		x := &l.values[i]
		if x.distance == 0 {
			continue
		}
		mask := widthMask(w.widthOf(x.r))
		v := w.part(x.r)
		for left := x.known & l.top.mask; left != 0; left &= left - 1 {
			lane := bits.TrailingZeros32(left) & 31
			v[lane] = (v[lane] + uint64(x.distance*l.times)) & mask
		}
	}
	w.clock += l.times * int64(len(l.steps))
	delete(l.failures, l.head)
	return nil
}
