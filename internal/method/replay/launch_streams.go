package replay

import (
	"github.com/warpbound/warpbound/internal/path"
	"github.com/warpbound/warpbound/internal/seq"
)

// arrivals makes one sequence of the sections of a warp, in which an instruction
// that arrives at a barrier is an op of its own.
type arrivals struct {
	plain int // ops that do not arrive; op plain+i is op i arriving, where used
	// marked says that all executions of some symbols arrive, and none of the
	// others, so that a warp's whole stream can be taken as it is.
	marked bool
	warps  map[*path.Warp]*seq.Seq
	ends   map[*seq.Seq]*seq.Seq
}

// newArrivals adds the ops needed to an input that has one for each symbol.
func newArrivals(l *path.Recorded, in *Input) (*arrivals, error) {
	a := &arrivals{plain: len(in.Ops), warps: map[*path.Warp]*seq.Seq{}, ends: map[*seq.Seq]*seq.Seq{}}
	arrives := make([]bool, a.plain)
	for _, c := range l.Classes {
		for _, w := range c.Warps {
			for _, s := range w.Warp.Sections[:len(w.Warp.Sections)-1] {
				arrives[lastSymbol(s)] = true
			}
		}
	}
	a.marked = true
	counts := make([]int64, a.plain)
	for _, c := range l.Classes {
		for _, w := range c.Warps {
			clear(counts)
			if err := w.Warp.Whole.Counts(1, counts); err != nil {
				return nil, err
			}
			n := int64(0)
			for i, yes := range arrives {
				if yes {
					n += counts[i]
				}
			}
			a.marked = a.marked && n == int64(len(w.Warp.Sections)-1)
		}
	}
	if a.marked {
		for i, yes := range arrives {
			if yes {
				in.Ops[i].Sync = Arrive
			}
		}
		return a, nil
	}
	for _, op := range in.Ops[:a.plain] {
		op.Sync = Arrive
		in.Ops = append(in.Ops, op)
	}
	return a, nil
}

func lastSymbol(s *seq.Seq) int32 {
	items := s.Items()
	last := items[len(items)-1]
	if last.Body != nil {
		return lastSymbol(last.Body)
	}
	return last.Symbols[len(last.Symbols)-1]
}

// of is the stream of a warp.
func (a *arrivals) of(w *path.Warp) (*seq.Seq, error) {
	if a.marked {
		return w.Whole, nil
	}
	if s := a.warps[w]; s != nil {
		return s, nil
	}
	var items []seq.Item
	for i, section := range w.Sections {
		s := section
		if i+1 < len(w.Sections) {
			var err error
			if s, err = a.arriving(section); err != nil {
				return nil, err
			}
		}
		if n := len(items); n > 0 && items[n-1].Body == s {
			items[n-1].Count++
			continue
		}
		items = append(items, seq.Repeat(1, s))
	}
	s, err := seq.New(items...)
	a.warps[w] = s
	return s, err
}

// arriving is a section whose last instruction arrives.
func (a *arrivals) arriving(section *seq.Seq) (*seq.Seq, error) {
	if s := a.ends[section]; s != nil {
		return s, nil
	}
	s, err := seq.New(a.arrivingItems(section.Items())...)
	a.ends[section] = s
	return s, err
}

func (a *arrivals) arrivingItems(items []seq.Item) []seq.Item {
	last := items[len(items)-1]
	out := append([]seq.Item(nil), items[:len(items)-1]...)
	if last.Body != nil {
		return append(append(out, seq.Repeat(last.Count-1, last.Body)), a.arrivingItems(last.Body.Items())...)
	}
	n := len(last.Symbols) - 1
	return append(out, seq.Run(last.Symbols[:n]...), seq.Run(last.Symbols[n]+int32(a.plain)))
}
