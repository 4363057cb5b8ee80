package facts

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// Seen is the most that executions were seen to do of something, and who did it first.
type Seen struct {
	Most   int64
	Block  int64
	Thread int // in its block; -1 where a warp did it
}

// more takes the larger of what was seen before and now.
func (s *Seen) more(n, block int64, thread int) {
	if n > s.Most {
		*s = Seen{n, block, thread}
	}
}

// LoopSeen is what executions were seen to do in a loop.
type LoopSeen struct {
	Entered bool // by anybody
	// PerEntry, PerThread and PerWarp are the most ways back to the head, as the facts
	// of these names bound them.
	PerEntry, PerThread, PerWarp Seen
}

// Tracker sees the steps of the warps of a launch, counts what they do in loops, and
// notes which facts do not hold. It is not safe for concurrent use.
type Tracker struct {
	Loops []Loop
	Seen  []LoopSeen // by loop

	p        *isa.Program
	warpSize int
	calls    bool      // some function is called
	heads    [][]int32 // by PC: loops whose head, or other entry, it is
	facts    []Fact
	points   [][]point // by PC: what facts ask there
	loopFact [][]int   // by loop: the facts about it
	err      error
}

// point is what a fact asks of the execution of an instruction.
type point struct{ fact, place int }

// NewTracker makes the tracker of a program for warps of so many lanes, which checks
// these facts.
func NewTracker(p *isa.Program, warpSize int, list []Fact) (*Tracker, error) {
	loops, err := Loops(p)
	if err != nil {
		return nil, err
	}
	t := &Tracker{
		Loops: loops, Seen: make([]LoopSeen, len(loops)), p: p, warpSize: warpSize, calls: len(p.Functions) > 1,
		heads: make([][]int32, len(p.Instructions)), facts: list, points: make([][]point, len(p.Instructions)), loopFact: make([][]int, len(loops)),
	}
	for i := range loops {
		for _, pc := range loops[i].Entries {
			t.heads[pc] = append(t.heads[pc], int32(i))
		}
	}
	for i := range list {
		for l := range loops {
			if list[i].Kind <= PerWarp && loops[l].Head == list[i].Head {
				t.loopFact[l] = append(t.loopFact[l], i)
			}
		}
		for j, place := range list[i].Places {
			for _, pc := range place.PCs {
				t.points[pc] = append(t.points[pc], point{i, j})
			}
		}
	}
	return t, nil
}

// Err is the first fact that did not hold of a warp that has ended, as a
// *simt.RuntimeError; nil where all held.
func (t *Tracker) Err() error { return t.err }

// Block is what a tracker keeps of a block in execution.
type Block struct {
	t     *Tracker
	index int64
	warps []warp
}

// warp is what is known of a warp.
type warp struct {
	lanes [simt.MaxLanes]lane
	ways  []int64   // back to each head
	sums  []int64   // by fact
	at    [][2]bool // by fact: which of its two places were executed
	wrong *wrong
}

// lane is a thread: the activations of functions that it is in, the innermost last.
type lane struct {
	stack []activation
	total []int64 // ways back to each head
}

type activation struct {
	last  int32 // instruction executed
	count []int64
}

// wrong is how a fact does not hold.
type wrong struct {
	fact   int
	pc     int32
	count  int64
	thread int
	what   string
}

// Block begins a block of so many warps.
func (t *Tracker) Block(index int64, warps int) *Block {
	b := &Block{t: t, index: index, warps: make([]warp, warps)}
	for i := range b.warps {
		w := &b.warps[i]
		w.ways, w.sums, w.at = make([]int64, len(t.Loops)), make([]int64, len(t.facts)), make([][2]bool, len(t.facts))
		for j := range w.lanes {
			w.lanes[j] = lane{stack: []activation{t.activation()}, total: make([]int64, len(t.Loops))}
		}
	}
	return b
}

func (t *Tracker) activation() activation {
	return activation{last: isa.NoPC, count: make([]int64, len(t.Loops))}
}

// Step is a step of a warp of the block.
func (b *Block) Step(id int, s *simt.Step) {
	b.enter(id, s.PC, s.Active)
	for _, at := range b.t.points[s.PC] {
		b.point(id, at, s)
	}
}

// enter moves the lanes of a warp to an instruction.
func (b *Block) enter(id int, pc int32, active simt.Mask) {
	t, w := b.t, &b.warps[id]
	for left := uint32(active); left != 0 && t.calls; left &= left - 1 {
		t.activate(&w.lanes[bits.TrailingZeros32(left)&31], pc)
	}
	for _, h := range t.heads[pc] {
		back := false
		for left := uint32(active); left != 0; left &= left - 1 {
			i := bits.TrailingZeros32(left) & 31
			l := &w.lanes[i]
			top := &l.stack[len(l.stack)-1]
			switch loop := &t.Loops[h]; {
			case top.last == isa.NoPC || !loop.In[top.last]:
				top.count[h] = 0
				t.Seen[h].Entered = true
			case loop.Head == pc:
				top.count[h]++
				l.total[h]++
				back = true
				b.went(id, i, int(h), top.count[h], l.total[h])
			}
		}
		if back {
			w.ways[h]++
			b.wentWarp(id, int(h))
		}
	}
	for left := uint32(active); left != 0; left &= left - 1 {
		l := &w.lanes[bits.TrailingZeros32(left)&31]
		l.stack[len(l.stack)-1].last = pc
	}
}

// activate follows a lane into and out of functions: the step before was a call or a
// return of it.
func (t *Tracker) activate(l *lane, pc int32) {
	top := &l.stack[len(l.stack)-1]
	if top.last == isa.NoPC {
		return
	}
	switch t.p.Instructions[top.last].Kind {
	case isa.Call:
		if pc != top.last+1 {
			l.stack = append(l.stack, t.activation())
		}
	case isa.Return:
		if n := len(l.stack); n > 1 && pc == l.stack[n-2].last+1 && pc != top.last+1 {
			l.stack = l.stack[:n-1]
		}
	}
}

// went is that a lane went back to the head of a loop.
func (b *Block) went(id, lane, loop int, count, total int64) {
	t := b.t
	thread := id*t.warpSize + lane
	t.Seen[loop].PerEntry.more(count, b.index, thread)
	t.Seen[loop].PerThread.more(total, b.index, thread)
	for _, i := range t.loopFact[loop] {
		f := &t.facts[i]
		switch {
		case f.Kind == PerEntry && count > f.Most:
			b.warps[id].violated(wrong{i, f.Head, count, thread, "the thread goes back to the head of the loop %d times for one entry"})
		case f.Kind == PerThread && total > f.Most:
			b.warps[id].violated(wrong{i, f.Head, total, thread, "the thread goes back to the head of the loop %d times in all"})
		}
	}
}

// wentWarp is that a warp went back to the head of a loop.
func (b *Block) wentWarp(id, loop int) {
	t, w := b.t, &b.warps[id]
	n := w.ways[loop]
	t.Seen[loop].PerWarp.more(n, b.index, -1)
	for _, i := range t.loopFact[loop] {
		if f := &t.facts[i]; f.Kind == PerWarp && n > f.Most {
			w.violated(wrong{i, f.Head, n, -1, fmt.Sprintf("warp %d goes back to the head of the loop %%d times", id)})
		}
	}
}

// point is the execution of an instruction that a fact is about.
func (b *Block) point(id int, at point, s *simt.Step) {
	w := &b.warps[id]
	f := &b.t.facts[at.fact]
	switch f.Kind {
	case Uniform:
		if s.Exec != 0 && s.Exec != s.Active {
			lane := bits.TrailingZeros32(uint32(s.Active &^ s.Exec))
			w.violated(wrong{at.fact, s.PC, int64(bits.OnesCount32(uint32(s.Exec))), id*b.t.warpSize + lane,
				fmt.Sprintf("%%d of the %d active threads of warp %d take the branch, and this one does not", bits.OnesCount32(uint32(s.Active)), id)})
		}
	case Exclusive:
		if w.at[at.fact][at.place] = true; w.at[at.fact] == [2]bool{true, true} {
			w.violated(wrong{at.fact, s.PC, 2, -1, fmt.Sprintf("warp %d comes to both places: %%d", id)})
		}
	case Counts:
		w.sums[at.fact] += f.Places[at.place].Factor
	}
}

// violated notes that a fact does not hold. Of the fact that is the first not to, the
// largest count is kept.
func (w *warp) violated(x wrong) {
	if w.wrong == nil || w.wrong.fact == x.fact && w.wrong.count < x.count {
		w.wrong = &x
	}
}

// Repeat is that the warp executes the steps of an iteration, of which the last one was
// the step before, n times more.
func (b *Block) Repeat(id int, steps []simt.LoopStep, n int64) {
	if n <= 0 {
		return
	}
	w := &b.warps[id]
	type counts struct {
		entry [simt.MaxLanes][]int64
		total [simt.MaxLanes][]int64
		ways  []int64
		sums  []int64
	}
	take := func() (c counts) {
		for i := range w.lanes {
			l := &w.lanes[i]
			c.entry[i] = append([]int64(nil), l.stack[len(l.stack)-1].count...)
			c.total[i] = append([]int64(nil), l.total...)
		}
		c.ways, c.sums = append([]int64(nil), w.ways...), append([]int64(nil), w.sums...)
		return c
	}
	// One iteration is followed step by step; what it adds to a count is added for the
	// others. A count that it begins anew is the same behind each of them.
	before := take()
	for i := range steps {
		s := simt.Step{PC: steps[i].PC, Active: steps[i].Active, Exec: steps[i].Exec}
		b.Step(id, &s)
	}
	now := take()
	grow := func(now, before int64) int64 {
		d := now - before
		if d <= 0 || d > (math.MaxInt64-now)/n {
			return now
		}
		return now + d*(n-1)
	}
	for h := range w.ways {
		ways := grow(now.ways[h], before.ways[h])
		for i := range w.lanes {
			l := &w.lanes[i]
			total := grow(now.total[i][h], before.total[i][h])
			if total == now.total[i][h] {
				continue
			}
			l.total[h] = total
			entry := &l.stack[len(l.stack)-1].count[h]
			if b.outermost(h, steps) {
				*entry = grow(now.entry[i][h], before.entry[i][h])
			}
			b.went(id, i, h, *entry, total)
		}
		if ways != now.ways[h] {
			w.ways[h] = ways
			b.wentWarp(id, h)
		}
	}
	for i := range w.sums {
		w.sums[i] = grow(now.sums[i], before.sums[i])
	}
}

// outermost says that no step of an iteration is outside a loop: it is not entered anew
// in each.
func (b *Block) outermost(loop int, steps []simt.LoopStep) bool {
	for i := range steps {
		if !b.t.Loops[loop].In[steps[i].PC] {
			return false
		}
	}
	return true
}

// Ended is that a warp has ended: the error is a *simt.RuntimeError where a fact did not
// hold of it.
func (b *Block) Ended(id int) error {
	t, w := b.t, &b.warps[id]
	for i := range t.facts {
		if f := &t.facts[i]; f.Kind == Counts && w.sums[i] > f.Most {
			w.violated(wrong{i, f.Places[0].PCs[0], w.sums[i], -1, fmt.Sprintf("in warp %d the sum of the executions is %%d", id)})
		}
	}
	x := w.wrong
	if x == nil {
		return nil
	}
	w.wrong = nil
	f := &t.facts[x.fact]
	err := &simt.RuntimeError{
		Kind: simt.ErrFact, Block: b.index, Thread: x.thread, PC: x.pc,
		Detail: fmt.Sprintf("%s (%s): "+x.what, f.Name, f.Pos, x.count),
	}
	err.Locate(t.p)
	if t.err == nil {
		t.err = err
	}
	return err
}
