package analysis

import (
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/method/multiphase"
	"github.com/warpbound/warpbound/internal/method/serial"
	"github.com/warpbound/warpbound/internal/path"
	"github.com/warpbound/warpbound/internal/verify/fault"
)

// Methods lists the names of every method.
func Methods() []string { return append(GeneralMethods(), Makespan) }

// GeneralMethods lists the methods for any kernel: all but Makespan.
func GeneralMethods() []string { return append(multiphase.Methods(), serial.Method) }

// selection is the methods asked for.
type selection struct {
	multi    []string // of internal/method/multiphase; not nil, which would mean all
	serial   bool
	makespan whenMakespan
}

// selectMethods sorts names by what computes them. No names mean all, and Makespan
// where it is safe.
func selectMethods(names []string) (selection, error) {
	s := selection{multi: []string{}}
	if names == nil {
		names = GeneralMethods()
		s.makespan = makespanWhereSafe
	}
	for _, n := range names {
		switch {
		case n == serial.Method:
			s.serial = true
		case n == Makespan:
			s.makespan = makespanAlways
		case slices.Contains(multiphase.Methods(), n):
			s.multi = append(s.multi, n)
		default:
			return selection{}, fmt.Errorf("method %q: %s", n, conf.Suggest(n, Methods()))
		}
	}
	return s, nil
}

// refuseIrregular gives the scopes of a launch whose barriers split its warps
// into no sections: every method of internal/method/multiphase is refused, and every other
// too where timing decides among paths.
func (r *Report) refuseIrregular() {
	whole := bound.Kernel
	if r.Machine.Desc.SM.Count == 1 {
		whole = bound.SM
	}
	for _, scope := range []bound.Scope{bound.Block, whole} {
		res := bound.NewResult(scope)
		for _, m := range multiphase.Methods() {
			res.Refused = append(res.Refused, bound.Refusal{Method: m, Scope: scope, Reason: r.Path.Irregular, Assumption: r.irregularity()})
		}
		if r.Path.Timed {
			res.Refused = append(res.Refused, bound.Refusal{Method: serial.Method, Scope: scope, Reason: r.Path.Irregular, Assumption: bound.PathCovers})
		}
		r.Scopes = append(r.Scopes, res)
	}
}

// irregularity is the assumption that an irregular path breaks.
func (r *Report) irregularity() bound.ID {
	if r.Path.Timed {
		return bound.PathCovers
	}
	return bound.BarrierKind
}

// addSerial adds the serial bound of the slowest block and of the whole launch.
func (r *Report) addSerial(ledger []bound.Assumption) error {
	whole := serial.Work{Cycles: r.symbolCycles(), Counts: make([]int64, len(r.Path.Symbols))}
	var worst bound.Bound
	for _, c := range r.Path.Classes {
		b, err := r.serialBlock(c, ledger)
		if err != nil {
			return err
		}
		if b.Cycles > worst.Cycles {
			worst = b
		}
		if err := r.addBlocks(&whole, c, c.Blocks); err != nil {
			return err
		}
	}
	for _, res := range r.Scopes {
		var b bound.Bound
		switch res.Scope {
		case bound.Warp:
			continue
		case bound.Block:
			b = worst
		default:
			var err error
			if b, err = serial.Bound(res.Scope, whole, ledger); err != nil {
				return err
			}
		}
		res.Add(b)
	}
	return nil
}

// serialBlock is the serial bound of one block of a class.
func (r *Report) serialBlock(c path.BlockClass, ledger []bound.Assumption) (bound.Bound, error) {
	w := serial.Work{Cycles: r.symbolCycles(), Counts: make([]int64, len(r.Path.Symbols))}
	if err := r.addBlocks(&w, c, 1); err != nil {
		return bound.Bound{}, err
	}
	return serial.Bound(bound.Block, w, ledger)
}

// addBlocks adds the work of n blocks of a class.
func (r *Report) addBlocks(w *serial.Work, c path.BlockClass, n int64) error {
	d := r.Machine.Desc
	w.BarrierDelayCycles, w.StartCycles = d.Barrier.DelayCycles, d.Dispatch.StartDelayCycles
	w.Starts += n
	if fault.On(fault.RoadSerialBarriersDropped) {
		w.BarrierDelayCycles = 0
	}
	for _, wc := range c.Warps {
		for _, s := range wc.Warp.Sections {
			if err := s.Counts(wc.Count*n, w.Counts); err != nil {
				return err
			}
		}
		w.Barriers += wc.Warp.Barriers * wc.Count * n // arrivals, at least the openings
	}
	return nil
}

func (r *Report) symbolCycles() []int64 {
	out := make([]int64, len(r.Path.Symbols))
	for i, s := range r.Path.Symbols {
		t := &r.Timing[s.PC]
		out[i] = t.Initiation(int(s.Transactions)) + t.LatencyCycles
	}
	return out
}
