package serial

import (
	"context"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/choice"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/path"
)

// Table is the method of this package.
var Table = []*method.Method{{
	Name: Method, Doc: "nothing overlaps: initiation and latency of everything executed", Theorems: []int{10, 41},
	Machine: method.Plain, Need: method.Counts, Scopes: []bound.Scope{bound.Block, bound.SM, bound.Kernel}, Choices: true,
	Applies: func(f *method.Facts, _ method.Part) *bound.Refusal {
		if f.Path.Timed {
			return f.Irregular()
		}
		return nil
	},
	Run: func(_ context.Context, f *method.Facts, part method.Part) (*bound.Bound, error) {
		l := &launch{f: f, ledger: f.Ledger(), cycles: symbolCycles(f)}
		switch {
		case part.Whole():
			return l.bound(part.Scope, f.Path.Classes, 0)
		case part.Index != method.Slowest:
			return l.bound(part.Scope, f.Path.Classes[part.Index:part.Index+1], 1)
		}
		var worst *bound.Bound
		for i := range f.Path.Classes {
			b, err := l.bound(part.Scope, f.Path.Classes[i:i+1], 1)
			if err != nil {
				return nil, err
			}
			if worst == nil || b.Cycles > worst.Cycles {
				worst = b
			}
		}
		return worst, nil
	},
	Costs: costs,
}}

// launch makes the work of a launch.
type launch struct {
	f      *method.Facts
	ledger []bound.Assumption
	cycles []int64 // by symbol: initiation and latency
}

// bound is the bound on blocks of each class, or on all of them if blocks is 0.
func (l *launch) bound(scope bound.Scope, classes []path.BlockClass, blocks int64) (*bound.Bound, error) {
	d := l.f.Machine.Desc
	w := Work{Cycles: l.cycles, Counts: make([]int64, len(l.cycles)), BarrierDelayCycles: d.Barrier.DelayCycles, StartCycles: d.Dispatch.StartDelayCycles}
	for _, c := range classes {
		n := blocks
		if n == 0 {
			n = c.Blocks
		}
		w.Starts += n
		for _, wc := range c.Warps {
			for _, s := range wc.Warp.Sections {
				if err := s.Counts(wc.Count*n, w.Counts); err != nil {
					return nil, err
				}
			}
			choices := wc.Warp.Choices
			if wc.Warp.Stages != nil {
				choices = []*choice.Expr{wc.Warp.WholeChoice}
			}
			for _, e := range choices {
				limits := l.f.Limits()
				if len(choices) > 1 {
					limits = limits.Part()
				}
				cycles, err := e.MaxUnder(limits, func(symbol int32) int64 { return l.cycles[symbol] })
				if err != nil {
					return nil, err
				}
				if err := addProduct(&w.PathCycles, wc.Count*n, cycles); err != nil {
					return nil, err
				}
			}
			w.Barriers += wc.Warp.Barriers * wc.Count * n // arrivals, at least the openings
		}
	}
	b, err := Bound(scope, w, l.ledger)
	return &b, err
}

func symbolCycles(f *method.Facts) []int64 {
	out := make([]int64, len(f.Path.Symbols))
	for i, s := range f.Path.Symbols {
		t := &f.Timing[s.PC]
		out[i] = t.Initiation(int(s.Transactions)) + t.LatencyCycles
	}
	return out
}
