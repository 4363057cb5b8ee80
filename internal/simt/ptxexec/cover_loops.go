package ptxexec

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/facts"
)

// A bound on a loop says how often a thread goes back to its head, for each time it
// comes from outside, at most. In a covering execution a loose lane that goes back more
// often is not there: no input brings it so far.

// boundedLoop is a loop with facts, or one that is reported.
type boundedLoop struct {
	facts.Loop
	head int32
	most int64 // ways back for an entry; math.MaxInt64 without a bound
	in   []bool
	// all is the most ways back in all, likewise, and told says that the sink is told
	// of ways back: a fact counts those of warps.
	all  int64
	told bool

	seen facts.Covered
}

// LoopHeads lists the first instructions of the loops of a program, ascending.
func (p *Code) LoopHeads() ([]int32, error) {
	loops, err := facts.Loops(p.isa)
	var out []int32
	for i := range loops {
		out = append(out, loops[i].Head)
	}
	slices.Sort(out)
	return out, err
}

// bounded are the loops of the launch's facts, or all where they are reported.
func (k *Kernel) bounded() ([]boundedLoop, error) {
	if len(k.loopBounds) == 0 && !k.reportLoops && !slices.ContainsFunc(k.facts, func(f facts.Fact) bool { return f.Kind <= facts.PerWarp }) {
		return nil, nil
	}
	loops, err := facts.Loops(k.prog.isa)
	if err != nil {
		return nil, err
	}
	known := map[int32]bool{}
	var out []boundedLoop
	for i := range loops {
		l := boundedLoop{Loop: loops[i], head: loops[i].Head, most: math.MaxInt64, all: math.MaxInt64, in: loops[i].In}
		known[l.head] = true
		wanted := k.reportLoops
		if most, ok := k.loopBounds[l.head]; ok {
			l.most, wanted = most, true
		}
		for j := range k.facts {
			f := &k.facts[j]
			if f.Kind > facts.PerWarp || f.Head != l.head {
				continue
			}
			wanted = true
			switch f.Kind {
			case facts.PerEntry:
				l.most = min(l.most, f.Most)
			case facts.PerThread:
				l.all, l.told = min(l.all, f.Most), true
			case facts.PerWarp:
				l.told = true
			}
		}
		if wanted {
			out = append(out, l)
		}
	}
	for head := range k.loopBounds {
		if !known[head] {
			return nil, fmt.Errorf("no loop begins at instruction %d, which has a bound", head)
		}
	}
	slices.SortFunc(out, func(a, b boundedLoop) int { return int(a.head - b.head) })
	return out, nil
}

// trips is how often each lane has gone back to the heads of the loops, and what it
// has executed last.
type trips struct {
	last  [simt.MaxLanes]int32
	count [][simt.MaxLanes]int64 // by loop
	total [][simt.MaxLanes]int64 // in all, by loop
	// upper is no less than count, and inside are the lanes that may have executed
	// something of the loop last; both only where loops are reported.
	upper  [][simt.MaxLanes]int64
	inside []uint32
}

func newTrips(loops int) trips {
	t := trips{count: make([][simt.MaxLanes]int64, loops), total: make([][simt.MaxLanes]int64, loops), upper: make([][simt.MaxLanes]int64, loops), inside: make([]uint32, loops)}
	for i := range t.last {
		t.last[i] = -1
	}
	return t
}

func (t *trips) clone() trips {
	return trips{t.last, slices.Clone(t.count), slices.Clone(t.total), slices.Clone(t.upper), slices.Clone(t.inside)}
}

// join makes the counts of lanes those behind two sides. Where a lane may come from
// both, the smaller count is the one that is certain.
func (t *trips) join(loops []boundedLoop, other *trips, first, second uint32) {
	for left := first; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		for l := range t.count {
			if second>>i&1 == 0 {
				t.count[l][i], t.total[l][i], t.upper[l][i] = other.count[l][i], other.total[l][i], other.upper[l][i]
				continue
			}
			t.total[l][i] = min(t.total[l][i], other.total[l][i])
			t.upper[l][i] = max(t.upper[l][i], other.upper[l][i])
			t.count[l][i] = min(t.count[l][i], other.count[l][i])
			if last := other.last[i]; last < 0 || !loops[l].in[last] {
				t.count[l][i] = -1 // it may come to the head from outside
			}
		}
		if second>>i&1 == 0 {
			t.last[i] = other.last[i]
		}
	}
	for l := range t.inside {
		t.inside[l] = t.inside[l]&^(first&^second) | other.inside[l]&first
	}
}

// calledTrips is what a call interrupts: the counts of the function that makes it, which
// may call itself.
type calledTrips struct {
	depth int // of the frames
	trips trips
}

// called keeps the counts while a function that is called is executed.
func (w *coverWarp) called(in *instr) {
	if in.group == gCall && (len(w.run.loops) > 0 || w.closed != nil) {
		w.calls = append(w.calls, calledTrips{len(w.frames), w.trips.clone()})
		// A loop that the function begins with is entered, also if it is one around the call.
		for left := w.top.mask; left != 0; left &= left - 1 {
			w.trips.last[bits.TrailingZeros32(left)&31] = -1
		}
	}
}

// returned brings back the counts of functions that are executed again.
func (w *coverWarp) returned() {
	for n := len(w.calls); n > 0 && len(w.frames) <= w.calls[n-1].depth; n-- {
		total := w.trips.total // ends with the kernel
		w.trips = w.calls[n-1].trips
		w.trips.total = total
		w.calls = w.calls[:n-1]
	}
}

// turn counts the way to the instruction that is next, and takes away the lanes that
// have gone back too often. It says whether none is left.
func (w *coverWarp) turn() (none bool, err error) {
	w.returned()
	pc := w.top.pc
	if w.closed != nil {
		w.outside()
	}
	w.run.step.Back = false
	var over uint32
	for l := range w.run.loops {
		loop := &w.run.loops[l]
		if !slices.Contains(loop.Entries, pc) {
			continue
		}
		loop.seen.Entered = true
		back := loop.head == pc
		for left := w.top.mask; left != 0; left &= left - 1 {
			i := bits.TrailingZeros32(left) & 31
			if last := w.trips.last[i]; last < 0 || !loop.in[last] {
				w.trips.count[l][i] = 0
				back = false
				continue
			}
			if loop.head != pc {
				continue
			}
			if w.trips.count[l][i]++; w.trips.count[l][i] > loop.most {
				over |= 1 << i
			}
			if w.trips.count[l][i] > 0 {
				w.trips.total[l][i]++
			}
			back = back && w.trips.count[l][i] > 0
		}
		if sure := over &^ w.loose; sure != 0 {
			return false, w.fault(simt.ErrLoopBound, bits.TrailingZeros32(sure), fmt.Sprintf("the loop goes back to its head more than %d times, which is said to be the most", loop.most))
		}
		all, err := w.inAll(l)
		if err != nil {
			return false, err
		}
		over |= all
		loop.seen.Bounded = loop.seen.Bounded || over != 0
		w.run.step.Back = w.run.step.Back || back && loop.told
		if w.run.report {
			w.upper(l, over)
		}
	}
	for left := w.top.mask; left != 0; left &= left - 1 {
		w.trips.last[bits.TrailingZeros32(left)&31] = pc
	}
	if w.run.report {
		w.noteInside(pc)
	}
	if over == 0 {
		return false, nil
	}
	w.drop(over)
	return w.top.pc != pc || w.top.mask == 0, nil
}

// drop takes away lanes that are not there.
func (w *coverWarp) drop(m uint32) {
	// One that may have ended is not here, but was there.
	w.never |= m &^ w.gone
	w.live &^= m
	w.top.mask &^= m
	for i := range w.stack {
		w.stack[i].mask &^= m
	}
	if w.top.mask != 0 {
		return
	}
	w.settle()
	if w.status == simt.Done {
		w.blk.ended(w.warp)
	}
}
