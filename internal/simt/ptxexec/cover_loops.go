package ptxexec

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// A bound on a loop says how often a thread goes back to its head, for each time it
// comes from outside, at most. In a covering execution a loose lane that goes back more
// often is not there: no input brings it so far.

// boundedLoop is a loop with a bound.
type boundedLoop struct {
	head int32
	most int64
	in   []bool // by PC
}

// loopsOf are the loops of a program by head, with the instructions inside.
func loopsOf(p *isa.Program) (map[int32][]bool, error) {
	out := map[int32][]bool{}
	for fn := range p.Functions {
		c, err := isa.BuildCFG(p, fn)
		if err != nil {
			return nil, err
		}
		for _, l := range isa.Loops(c) {
			if l.Irreducible {
				continue // entered elsewhere, too
			}
			in := make([]bool, len(p.Instructions))
			for _, b := range l.Blocks {
				for pc := c.Blocks[b].First; pc < c.Blocks[b].End; pc++ {
					in[pc] = true
				}
			}
			out[c.Blocks[l.Header].First] = in
		}
	}
	return out, nil
}

// LoopHeads lists the first instructions of the loops of a program, ascending.
func (p *Code) LoopHeads() ([]int32, error) {
	loops, err := loopsOf(p.isa)
	var out []int32
	for head := range loops {
		out = append(out, head)
	}
	slices.Sort(out)
	return out, err
}

// bounded are the loops of the launch's bounds.
func (k *Kernel) bounded() ([]boundedLoop, error) {
	if len(k.loopBounds) == 0 {
		return nil, nil
	}
	loops, err := loopsOf(k.prog.isa)
	if err != nil {
		return nil, err
	}
	var out []boundedLoop
	for head, most := range k.loopBounds {
		in, ok := loops[head]
		if !ok {
			return nil, fmt.Errorf("no loop begins at instruction %d, which has a bound", head)
		}
		out = append(out, boundedLoop{head, most, in})
	}
	slices.SortFunc(out, func(a, b boundedLoop) int { return int(a.head - b.head) })
	return out, nil
}

// trips is how often each lane has gone back to the heads of the loops, and what it
// has executed last.
type trips struct {
	last  [simt.MaxLanes]int32
	count [][simt.MaxLanes]int64 // by loop
}

func newTrips(loops int) trips {
	t := trips{count: make([][simt.MaxLanes]int64, loops)}
	for i := range t.last {
		t.last[i] = -1
	}
	return t
}

func (t *trips) clone() trips { return trips{t.last, slices.Clone(t.count)} }

// join makes the counts of lanes those behind two sides. Where a lane may come from
// both, the smaller count is the one that is certain.
func (t *trips) join(loops []boundedLoop, other *trips, first, second uint32) {
	for left := first; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		for l := range t.count {
			if second>>i&1 == 0 {
				t.count[l][i] = other.count[l][i]
				continue
			}
			t.count[l][i] = min(t.count[l][i], other.count[l][i])
			if last := other.last[i]; last < 0 || !loops[l].in[last] {
				t.count[l][i] = -1 // it may come to the head from outside
			}
		}
		if second>>i&1 == 0 {
			t.last[i] = other.last[i]
		}
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
	if in.group == gCall && len(w.run.loops) > 0 {
		w.calls = append(w.calls, calledTrips{len(w.frames), w.trips.clone()})
	}
}

// returned brings back the counts of functions that are executed again.
func (w *coverWarp) returned() {
	for n := len(w.calls); n > 0 && len(w.frames) <= w.calls[n-1].depth; n-- {
		w.trips = w.calls[n-1].trips
		w.calls = w.calls[:n-1]
	}
}

// turn counts the way to the instruction that is next, and takes away the lanes that
// have gone back too often. It says whether none is left.
func (w *coverWarp) turn() (none bool, err error) {
	w.returned()
	pc := w.top.pc
	var over uint32
	for l := range w.run.loops {
		loop := &w.run.loops[l]
		if loop.head != pc {
			continue
		}
		for left := w.top.mask; left != 0; left &= left - 1 {
			i := bits.TrailingZeros32(left) & 31
			if last := w.trips.last[i]; last < 0 || !loop.in[last] {
				w.trips.count[l][i] = 0
				continue
			}
			if w.trips.count[l][i]++; w.trips.count[l][i] > loop.most {
				over |= 1 << i
			}
		}
		if sure := over &^ w.loose; sure != 0 {
			return false, w.fault(simt.ErrLoopBound, bits.TrailingZeros32(sure), fmt.Sprintf("the loop goes back to its head more than %d times, which is said to be the most", loop.most))
		}
	}
	for left := w.top.mask; left != 0; left &= left - 1 {
		w.trips.last[bits.TrailingZeros32(left)&31] = pc
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

// unbounded is the error of a branch that forks again and again.
func (w *coverWarp) unbounded() error {
	p := w.blk.k.prog.isa
	loops, err := loopsOf(p)
	if err != nil {
		return err
	}
	head, size := isa.NoPC, len(p.Instructions)+1
	for at, in := range loops {
		n := 0
		for _, inside := range in {
			if inside {
				n++
			}
		}
		if in[w.top.pc] && (n < size || n == size && at < head) {
			head, size = at, n
		}
	}
	if head == isa.NoPC {
		return w.refuse("control forks more than %d times, one inside the other", maxForks)
	}
	name := ""
	for label, at := range p.Labels {
		if at == head && (name == "" || label < name) {
			name = label
		}
	}
	if name == "" {
		name = fmt.Sprintf("%s:%d", p.Instructions[head].Pos.File, p.Instructions[head].Pos.Line)
	}
	return w.refuse("whether the loop at %s goes on depends on data, through %s: no bound is known, expected one under [loops], such as %q = 100", name, w.blk.k.prog.predNames[w.code[w.top.pc].guard], name)
}

// LoopBounds lists the bounds on loops that covering executions rely on, in the order
// of the program.
func (k *Kernel) LoopBounds() []string {
	heads := slices.Sorted(maps.Keys(k.loopBounds))
	var out []string
	for _, head := range heads {
		out = append(out, fmt.Sprintf("%s <= %d", k.prog.isa.Instructions[head].Pos, k.loopBounds[head]))
	}
	return out
}
