package ptxexec

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/facts"
)

// inAll is the lanes at the head of a loop that have gone back more often in all than a
// fact says. One that is there for certain contradicts it.
func (w *coverWarp) inAll(l int) (over uint32, err error) {
	loop := &w.run.loops[l]
	if loop.head != w.top.pc {
		return 0, nil
	}
	for left := w.top.mask; left != 0; left &= left - 1 {
		if i := bits.TrailingZeros32(left) & 31; w.trips.total[l][i] > loop.all {
			over |= 1 << i
		}
	}
	if sure := over &^ w.loose; sure != 0 {
		return 0, w.fault(simt.ErrLoopBound, bits.TrailingZeros32(sure), fmt.Sprintf("the loop goes back to its head more than %d times in all, which is said to be the most", loop.all))
	}
	return over, nil
}

// upper counts the most that lanes may have gone back to the head of a loop; over are
// those that are not there.
func (w *coverWarp) upper(l int, over uint32) {
	loop := &w.run.loops[l]
	for left := w.top.mask &^ over; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		switch {
		case w.trips.inside[l]>>i&1 == 0:
			w.trips.upper[l][i] = 0
		case loop.head == w.top.pc:
			w.trips.upper[l][i]++
			loop.seen.Most = max(loop.seen.Most, w.trips.upper[l][i])
		}
	}
}

// noteInside notes which loops the lanes are in.
func (w *coverWarp) noteInside(pc int32) {
	for l := range w.run.loops {
		if w.run.loops[l].in[pc] {
			w.trips.inside[l] |= w.top.mask
		} else {
			w.trips.inside[l] &^= w.top.mask
		}
	}
}

// alike settles a branch of which a fact says that all lanes take it alike: m are the
// lanes that take it, unsure those that may, active all. It notes the loops that a branch
// on data may leave.
func (w *coverWarp) alike(m, active, unsure *uint32) error {
	pc := w.top.pc
	if w.run.report && *unsure != 0 {
		for l := range w.run.loops {
			loop := &w.run.loops[l]
			loop.seen.Data = loop.seen.Data || slices.Contains(loop.Exits, pc)
		}
	}
	i := slices.IndexFunc(w.run.facts, func(f facts.Fact) bool {
		return f.Kind == facts.Uniform && slices.ContainsFunc(f.Places, func(p facts.Place) bool { return slices.Contains(p.PCs, pc) })
	})
	if i < 0 {
		return nil
	}
	others := *active &^ *m &^ *unsure
	taken, not := *m&^w.loose, others&^w.loose
	switch {
	case taken != 0 && not != 0:
		return w.fault(simt.ErrFact, bits.TrailingZeros32(not), fmt.Sprintf("%s: some threads of the warp take the branch, and this one does not", &w.run.facts[i]))
	case *unsure == 0 && (taken|not == 0 || *m == 0 || others == 0):
		return nil // they do in any case, or perhaps all are gone
	}
	w.run.used[i] = true
	switch {
	case taken != 0:
		*m |= *unsure
		w.drop(others)
		*active, *unsure = *active&^others, 0
	case not != 0:
		gone := *m
		w.drop(gone)
		*active, *m, *unsure = *active&^gone, 0, 0
	default:
		w.run.step.Alike = true
	}
	return nil
}

// UsedFacts says of each of the kernel's facts whether the execution would have been
// another one without it. Of sums and pairs of places, and of what a warp does in all, it
// says false: those are not for the execution.
func (c *coverer) UsedFacts() []bool {
	used := slices.Clone(c.used)
	for i := range c.k.facts {
		f := &c.k.facts[i]
		for l := range c.loops {
			loop := &c.loops[l]
			if loop.head != f.Head || !loop.seen.Bounded {
				continue
			}
			used[i] = used[i] || f.Kind == facts.PerEntry && f.Most == loop.most || f.Kind == facts.PerThread && f.Most == loop.all
		}
	}
	return used
}

// CoveredLoops says what was found of the loops: of all, where loops are reported.
func (c *coverer) CoveredLoops() map[int32]facts.Covered {
	out := map[int32]facts.Covered{}
	for i := range c.loops {
		out[c.loops[i].head] = c.loops[i].seen
	}
	return out
}

// ClosedByFacts says that the execution closed a loop that only a fact ends.
func (c *coverer) ClosedByFacts() bool { return c.byFacts }

// Facts are those that the launch states.
func (k *Kernel) Facts() []facts.Fact { return k.facts }

// LoopBounds lists what covering executions rely on, in the order of the program.
func (k *Kernel) LoopBounds() []string {
	bounds := maps.Clone(k.loopBounds)
	if bounds == nil {
		bounds = map[int32]int64{}
	}
	for i := range k.facts {
		f := &k.facts[i]
		if most, twice := bounds[f.Head]; f.Kind == facts.PerEntry && (!twice || f.Most < most) {
			bounds[f.Head] = f.Most
		}
	}
	var out []string
	for _, head := range slices.Sorted(maps.Keys(bounds)) {
		out = append(out, fmt.Sprintf("%s <= %d", k.prog.isa.Instructions[head].Pos, bounds[head]))
	}
	for i := range k.facts {
		if f := &k.facts[i]; f.Kind != facts.PerEntry {
			out = append(out, f.Name)
		}
	}
	return out
}
