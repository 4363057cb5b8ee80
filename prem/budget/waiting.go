package budget

import (
	"errors"
	"fmt"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/fault"
	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/l1d"
)

// waiting is what a team does that has ended its phase before others have: once the
// protocol of the guard, and then poll after poll of the token (docs/soundness.md,
// theorem 36).
type waiting struct {
	once, poll int64 // initiations of the instructions of the protocol and of a poll
	every      int64 // cycles between two polls, at least
}

// What the protocol sends to the memory besides polls, to arrive, to ask for the
// next phase and to leave, and the lines in which the words of the token lie.
const (
	protocolAtomics = 4
	protocolStores  = 2
	tokenLines      = 3
)

// newWaiting reads the protocol off the program of the kernel with its guard: what
// lies between two barriers with a loop around a load that passes the L1D, and
// behind the last barrier.
func newWaiting(p *isa.Program, m *gpu.Machine) (*waiting, error) {
	timing, err := m.Resolve(p)
	if err != nil {
		return nil, err
	}
	d := m.Desc
	w := &waiting{every: d.L2.RequestLatencyCycles + d.L2.LatencyCycles + d.L2.ResponseLatencyCycles + d.L2.ResponseCycles + max(1, d.Issue.DependencyDepthCycles)}
	cost := func(lo, hi int) int64 {
		sum := int64(0)
		for pc := lo; pc < hi; pc++ {
			switch t := &timing[pc]; {
			case t.NotIssued:
			case l1d.MayAccessGlobal(&p.Instructions[pc]):
				sum++ // for the rest of the time its unit is busy in cycles counted as lost
			default:
				sum += t.InitiationCycles
			}
		}
		return sum
	}
	last, found := 0, false
	for pc := range p.Instructions {
		if p.Instructions[pc].Kind != isa.Barrier {
			continue
		}
		if from, to := pollLoop(p, last, pc); to > 0 {
			found = true
			w.once = max(w.once, cost(last, pc+1))
			w.poll = max(w.poll, cost(from, to))
		}
		last = pc
	}
	if !found {
		return nil, fmt.Errorf("kernel %s has no guard: no loop between two barriers polls memory", p.Name)
	}
	w.once += cost(last, len(p.Instructions))
	return w, nil
}

// pollLoop finds a loop around an uncached load between two instructions.
func pollLoop(p *isa.Program, lo, hi int) (from, to int) {
	for pc := lo; pc < hi; pc++ {
		in := &p.Instructions[pc]
		if in.Kind != isa.Branch {
			continue
		}
		for _, t := range in.Targets {
			for at := int(t); at >= lo && at < pc; at++ {
				if p.Instructions[at].Uncached {
					return int(t), pc + 1
				}
			}
		}
	}
	return 0, 0
}

// errNoBound says that what comes again and again leaves no time for anything else.
var errNoBound = errors.New("refreshes, and polls of teams that wait, take all the time there is: no bound")

// waits bounds what teams that wait, and refreshes, take of a phase that takes so many
// cycles without them: the least fixed point. own of the teams are on the SM, others
// elsewhere.
func (c *cached) waits(cycles, own, others int64, memory bool) (waits, refreshed int64, err error) {
	for {
		var sum total
		t := cycles + waits + refreshed
		nextWaits, nextRefreshed := int64(0), int64(0)
		if c.waiting != nil && own+others > 0 && !fault.On(fault.BudgetWaitingFree) {
			nextWaits = c.teams(t, own, others, memory, &sum)
		}
		if memory {
			nextRefreshed = c.refreshes(t, &sum)
		}
		switch {
		case sum.over || nextWaits > most/4 || nextRefreshed > most/4 || t > most/4:
			return 0, 0, errNoBound
		case nextWaits == waits && nextRefreshed == refreshed:
			return waits, refreshed, nil
		}
		waits, refreshed = nextWaits, nextRefreshed
	}
}

// teams bounds what teams that wait take of so many cycles: on the SM their
// instructions and the tags, and of the memory what their requests occupy.
func (c *cached) teams(cycles, own, others int64, memory bool, sum *total) int64 {
	w, l2 := c.waiting, c.d.L2
	polls := cycles/w.every + 2
	requests := polls + protocolAtomics + protocolStores
	took := sum.mul(own, w.once+sum.mul(polls, w.poll)+requests)
	if !memory {
		return took
	}
	took += sum.mul(own, sum.mul(polls+protocolAtomics, l2.ResponseCycles)+protocolStores)
	all := sum.mul(own+others, requests)
	took += sum.mul(all, c.sectors()*l2.AccessCycles)
	return took + sum.mul(c.tokenFetches(all), c.tokenCost())
}
