package rvexec

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/facts"
	"github.com/warpbound/warpbound/isa"
)

// A bound on a loop says how often a thread goes back to its head. In a covering execution a
// loose thread that goes back more often is not there: no input brings it so far. All that is
// counted here is as package facts counts it of executions.

// boundedLoop is a loop with facts, or one that is reported.
type boundedLoop struct {
	facts.Loop
	most  int64 // ways back for an entry; math.MaxInt64 without a bound
	all   int64 // ways back in all, likewise
	told  bool  // the sink is told of ways back
	bound bool  // facts say something of it
	seen  facts.Covered
}

// bounded are the loops of the launch's facts, or all where they are reported.
func (k *Kernel) bounded() ([]boundedLoop, error) {
	if !k.reportLoops && !slices.ContainsFunc(k.facts, func(f facts.Fact) bool { return f.Kind <= facts.PerWarp }) {
		return nil, nil
	}
	loops, _, err := k.around(0)
	if err != nil {
		return nil, err
	}
	var out []boundedLoop
	for i := range loops {
		l := boundedLoop{Loop: loops[i], most: math.MaxInt64, all: math.MaxInt64}
		for j := range k.facts {
			f := &k.facts[j]
			if f.Kind > facts.PerWarp || f.Head != l.Head {
				continue
			}
			l.bound = true
			switch f.Kind {
			case facts.PerEntry:
				l.most = min(l.most, f.Most)
			case facts.PerThread:
				l.all, l.told = min(l.all, f.Most), true
			case facts.PerWarp:
				l.told = true
			}
		}
		if l.bound || k.reportLoops {
			out = append(out, l)
		}
	}
	return out, nil
}

// trips is how often each thread has gone back to the heads of the loops, and what it has
// executed last.
type trips struct {
	last  [simt.MaxLanes]int32
	calls [simt.MaxLanes]*caller // the functions that it is in
	count [][simt.MaxLanes]int64 // by loop, for an entry; no more than in any execution
	total [][simt.MaxLanes]int64 // in all, likewise
	upper [][simt.MaxLanes]int64 // for an entry, no less than in any execution
	// inside are the threads that may have executed something of the loop last, by loop.
	inside []uint32
}

// caller is what a call interrupts.
type caller struct {
	last         int32 // the call
	count, upper []int64
	inside       []bool
	up           *caller
}

func newTrips(loops int) trips {
	t := trips{count: make([][simt.MaxLanes]int64, loops), total: make([][simt.MaxLanes]int64, loops), upper: make([][simt.MaxLanes]int64, loops), inside: make([]uint32, loops)}
	for i := range t.last {
		t.last[i] = isa.NoPC
	}
	return t
}

func (t *trips) clone() trips {
	if len(t.count) == 0 {
		return *t
	}
	return trips{t.last, t.calls, slices.Clone(t.count), slices.Clone(t.total), slices.Clone(t.upper), slices.Clone(t.inside)}
}

// join makes the counts those behind two sides: threads of first come from the other one
// only, those of unsure from one of both. Of two counts the smaller one is certain. It is
// false where threads of both are not in the same calls of functions.
func (t *trips) join(loops []boundedLoop, other *trips, first, unsure uint32) bool {
	for left := first | unsure; left != 0 && len(loops) > 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		both := unsure>>i&1 != 0
		for l := range t.count {
			if !both {
				t.count[l][i], t.total[l][i], t.upper[l][i] = other.count[l][i], other.total[l][i], other.upper[l][i]
				t.inside[l] = t.inside[l]&^(1<<i) | other.inside[l]&(1<<i)
				continue
			}
			t.total[l][i] = min(t.total[l][i], other.total[l][i])
			t.upper[l][i] = max(t.upper[l][i], other.upper[l][i])
			t.count[l][i] = min(t.count[l][i], other.count[l][i])
			if last := other.last[i]; last < 0 || !loops[l].In[last] {
				t.count[l][i] = -1 // it may come to the head from outside
			}
			t.inside[l] |= other.inside[l] & (1 << i)
		}
		if !both {
			t.last[i], t.calls[i] = other.last[i], other.calls[i]
			continue
		}
		var ok bool
		if t.calls[i], ok = t.calls[i].join(other.calls[i]); !ok {
			return false
		}
	}
	return true
}

// join is what is known of the functions that a thread is in of which there are two accounts.
func (c *caller) join(other *caller) (*caller, bool) {
	switch {
	case c == other:
		return c, true
	case c == nil || other == nil || c.last != other.last:
		return nil, false
	}
	up, ok := c.up.join(other.up)
	out := &caller{c.last, slices.Clone(c.count), slices.Clone(c.upper), slices.Clone(c.inside), up}
	for l := range out.count {
		out.count[l] = min(out.count[l], other.count[l])
		out.upper[l] = max(out.upper[l], other.upper[l])
		out.inside[l] = out.inside[l] || other.inside[l]
	}
	return out, ok
}

// activate follows a thread into and out of functions.
func (t *trips) activate(p *isa.Program, i int, pc int32) {
	last := t.last[i]
	if last == isa.NoPC {
		return
	}
	switch p.Instructions[last].Kind {
	case isa.Call:
		if pc == last+1 {
			return
		}
		c := &caller{last: last, up: t.calls[i]}
		for l := range t.count {
			c.count, c.upper, c.inside = append(c.count, t.count[l][i]), append(c.upper, t.upper[l][i]), append(c.inside, t.inside[l]>>i&1 != 0)
			t.count[l][i], t.upper[l][i] = 0, 0
			t.inside[l] &^= 1 << i
		}
		// A loop that the function begins with is entered, also if it is one around the call.
		t.calls[i], t.last[i] = c, isa.NoPC
	case isa.Return:
		c := t.calls[i]
		if c == nil || pc != c.last+1 || pc == last+1 {
			return
		}
		for l := range t.count {
			t.count[l][i], t.upper[l][i] = c.count[l], c.upper[l]
			if t.inside[l] &^= 1 << i; c.inside[l] {
				t.inside[l] |= 1 << i
			}
		}
		t.calls[i], t.last[i] = c.up, c.last
	}
}

// turn counts the way to the instruction that is next, and takes away the threads that have
// gone back too often. The error is errNobody where none is left.
func (w *coverWarp) turn() error {
	r, t := w.run, &w.trips
	r.step.Back = false
	if len(r.loops) == 0 {
		return nil
	}
	pc, p := w.pc, w.core.k.prog
	for left := w.mask; left != 0; left &= left - 1 {
		t.activate(p, bits.TrailingZeros32(left)&31, pc)
	}
	for l := range r.loops {
		loop := &r.loops[l]
		if !slices.Contains(loop.Entries, pc) {
			continue
		}
		loop.seen.Entered = true
		over, back := uint32(0), loop.Head == pc
		for left := w.mask; left != 0; left &= left - 1 {
			i := bits.TrailingZeros32(left) & 31
			if last := t.last[i]; last < 0 || !loop.In[last] {
				t.count[l][i] = 0
				back = false
				continue
			}
			if loop.Head != pc {
				continue
			}
			if t.count[l][i]++; t.count[l][i] > loop.most {
				over |= 1 << i
			}
			if t.count[l][i] > 0 {
				if t.total[l][i]++; t.total[l][i] > loop.all {
					over |= 1 << i
				}
			}
			back = back && t.count[l][i] > 0
		}
		if err := w.leave(loop, over); err != nil {
			return err
		}
		r.step.Back = r.step.Back || back && loop.told
		for left := w.mask; left != 0; left &= left - 1 {
			i := bits.TrailingZeros32(left) & 31
			switch {
			case t.inside[l]>>i&1 == 0:
				t.upper[l][i] = 0
			case loop.Head == pc:
				t.upper[l][i]++
				loop.seen.Most = max(loop.seen.Most, t.upper[l][i])
			}
		}
	}
	for left := w.mask; left != 0; left &= left - 1 {
		t.last[bits.TrailingZeros32(left)&31] = pc
	}
	for l := range r.loops {
		if r.loops[l].In[pc] {
			t.inside[l] |= w.mask
		} else {
			t.inside[l] &^= w.mask
		}
	}
	return nil
}

// leave takes away threads that have gone back to the head of a loop too often. One that is
// there for certain contradicts the facts, unless what it executes may be left out.
func (w *coverWarp) leave(loop *boundedLoop, over uint32) error {
	if over == 0 {
		return nil
	}
	loop.seen.Bounded = true
	if sure := over &^ w.loose; sure != 0 {
		if w.doubtful() {
			return errNobody
		}
		most, of := loop.most, ""
		if loop.most == math.MaxInt64 {
			most, of = loop.all, " in all"
		}
		return w.fault(problem{simt.ErrLoopBound, fmt.Sprintf("the loop goes back to its head more than %d times%s, which is said to be the most", most, of)}, bits.TrailingZeros32(sure))
	}
	if w.mask &^= over; w.mask == 0 {
		return errNobody
	}
	return nil
}

// limited says that a fact bounds the innermost loop around an instruction.
func (w *coverWarp) limited(pc int32) bool {
	loops, at, err := w.core.k.around(pc)
	return err == nil && at >= 0 && slices.ContainsFunc(w.run.loops, func(l boundedLoop) bool {
		return l.Head == loops[at].Head && (l.most < math.MaxInt64 || l.all < math.MaxInt64)
	})
}

// leaves notes that data decide at an instruction whether threads leave loops: a branch that
// may, or the PRED of the innermost one.
func (w *coverWarp) leaves(pc int32) {
	inner := -1
	for l := range w.run.loops {
		loop := &w.run.loops[l]
		if loop.In[pc] {
			inner = l // behind those around it
		}
		loop.seen.Data = loop.seen.Data || slices.Contains(loop.Exits, pc)
	}
	if inner >= 0 && w.code[pc].group == gPred {
		w.run.loops[inner].seen.Data = true
	}
}

// UsedFacts says of each of the kernel's facts whether the execution would have been
// another one without it. Of sums and pairs of places, and of what a warp does in all, it
// says false: those are not for the execution.
func (c *coverer) UsedFacts() []bool {
	used := make([]bool, len(c.k.facts))
	for i := range c.k.facts {
		f := &c.k.facts[i]
		for l := range c.loops {
			if loop := &c.loops[l]; loop.Head == f.Head && loop.seen.Bounded {
				used[i] = used[i] || f.Kind == facts.PerEntry && f.Most == loop.most || f.Kind == facts.PerThread && f.Most == loop.all
			}
		}
	}
	return used
}

// CoveredLoops says what was found of the loops: of all, where loops are reported.
func (c *coverer) CoveredLoops() map[int32]facts.Covered {
	out := map[int32]facts.Covered{}
	for i := range c.loops {
		out[c.loops[i].Head] = c.loops[i].seen
	}
	return out
}

// Facts are those that the launch states.
func (k *Kernel) Facts() []facts.Fact { return k.facts }

// LoopBounds lists what covering executions rely on, in the order of the program.
func (k *Kernel) LoopBounds() []string {
	bounds := map[int32]int64{}
	var heads []int32
	for i := range k.facts {
		f := &k.facts[i]
		if f.Kind != facts.PerEntry {
			continue
		}
		most, twice := bounds[f.Head]
		if !twice {
			heads = append(heads, f.Head)
		}
		if !twice || f.Most < most {
			bounds[f.Head] = f.Most
		}
	}
	slices.Sort(heads)
	var out []string
	for _, head := range heads {
		out = append(out, fmt.Sprintf("%s <= %d", k.prog.Instructions[head].Pos, bounds[head]))
	}
	for i := range k.facts {
		if f := &k.facts[i]; f.Kind != facts.PerEntry {
			out = append(out, f.Name)
		}
	}
	return out
}
