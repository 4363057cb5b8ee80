package budget

import (
	"errors"
	"fmt"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/cache/l1d"
	"github.com/warpbound/warpbound/isa"
)

// waiting is what a team does that has ended its phase before others have: once the
// protocol of the guard, and then poll after poll of the token
// (docs/soundness/phases.md, theorem 36 (teams that wait)).
type waiting struct {
	once, poll int64 // initiations of the instructions of the protocol and of a poll
	warp       int64 // and of what every warp of the team executes around the protocol
	leave      int64 // of that, to leave
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
	around := func(lo, hi int) (int64, error) {
		sum, ok := around(p, lo, hi, func(pc int) int64 { return cost(pc, pc+1) })
		if !ok {
			return 0, fmt.Errorf("kernel %s loops between its barriers without a look at the token", p.Name)
		}
		return sum, nil
	}
	last, found := 0, false
	for pc := range p.Instructions {
		if p.Instructions[pc].Kind != isa.Barrier {
			continue
		}
		if from, to := pollLoop(p, last, pc); to > 0 {
			w.once = max(w.once, cost(last, pc+1))
			w.poll = max(w.poll, cost(from, to))
			if !fenced(p, last, from) {
				last = pc
				continue // a loop of a phase, in which there are no fences
			}
			found = true
			each, err := around(last, pc+1)
			if err != nil {
				return nil, err
			}
			w.warp = max(w.warp, each)
		}
		last = pc
	}
	if !found {
		return nil, fmt.Errorf("kernel %s has no guard: no loop between two barriers polls memory behind a fence", p.Name)
	}
	w.once += cost(last, len(p.Instructions))
	w.leave, err = around(last, len(p.Instructions))
	w.warp += w.leave
	return w, err
}

// around is what a warp costs at most from instruction lo up to hi that does not
// access memory in between, as those without the team's first thread do not: they pass
// the protocol by. It is false where such a warp could come back to where it was.
func around(p *isa.Program, lo, hi int, cost func(pc int) int64) (int64, bool) {
	most := make([]int64, hi-lo+1) // from an instruction on; -1 where memory is accessed on all ways
	for pc := hi - 1; pc >= lo; pc-- {
		in := &p.Instructions[pc]
		if l1d.MayAccessGlobal(in) {
			most[pc-lo] = -1
			continue
		}
		next := int64(-1)
		if in.Kind != isa.Branch || in.Guard != isa.NoReg {
			next = most[pc+1-lo]
		}
		if in.Kind == isa.Branch {
			for _, t := range in.Targets {
				switch at := int(t); {
				case at >= hi:
					next = max(next, 0)
				case at > pc:
					next = max(next, most[at-lo])
				case at < lo || !accesses(p, at, pc):
					return 0, false
				}
			}
		}
		if next >= 0 {
			next += cost(pc)
		}
		most[pc-lo] = next
	}
	return max(0, most[0]), true
}

// accesses tells whether what is executed from lo on accesses memory before it
// branches, and before hi.
func accesses(p *isa.Program, lo, hi int) bool {
	for pc := lo; pc < hi && p.Instructions[pc].Kind != isa.Branch; pc++ {
		if l1d.MayAccessGlobal(&p.Instructions[pc]) {
			return true
		}
	}
	return false
}

// fenced tells whether there is a fence of memory among some instructions.
func fenced(p *isa.Program, lo, hi int) bool {
	for pc := lo; pc < hi; pc++ {
		if in := &p.Instructions[pc]; in.Kind == isa.Fence && in.Class.Family == isa.FenceMem {
			return true
		}
	}
	return false
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

// mostRounds is the number of rounds after which no bound is given: where recurring
// work takes nearly all the time, sums grow by a little for ever.
const mostRounds = 1 << 18

// besides is what takes of a phase beside what its instructions and requests do.
type besides struct {
	teams     int64 // that wait
	handOver  int64 // lines driven out before the start
	refreshes int64
}

// besides bounds what waiting teams, the hand-over before and refreshes add to a phase
// that takes a number of cycles without them: the least fixed point. own of the teams
// are on the SM, others elsewhere.
func (c *cached) besides(cycles, own, others int64, memory bool) (besides, error) {
	var now besides
	for range mostRounds {
		var sum total
		var next besides
		t := cycles + now.teams + now.handOver + now.refreshes
		if c.waiting != nil {
			next.teams = c.teams(t, own, others, memory, &sum)
		}
		if c.waiting != nil && memory {
			next.handOver = c.handOver(own, others, c.tokenFetches(c.pollRequests(t, own+others, &sum)), &sum)
		}
		if memory {
			next.refreshes = c.refreshes(t, &sum)
		}
		switch {
		case sum.over || max(next.teams, next.handOver, next.refreshes, t) > most/4:
			return besides{}, errNoBound
		case next == now:
			return now, nil
		}
		now = next
	}
	return besides{}, errNoBound
}

// pollRequests bounds what a number of waiting teams sends in a number of
// cycles.
func (c *cached) pollRequests(cycles, teams int64, sum *total) int64 {
	return sum.mul(teams, cycles/c.waiting.every+2+protocolAtomics+protocolStores)
}

// teams bounds what waiting teams take of a number of cycles: on the SM their
// instructions and the tags, and of the memory what their requests occupy.
func (c *cached) teams(cycles, own, others int64, memory bool, sum *total) int64 {
	w, l2 := c.waiting, c.d.L2
	polls := cycles/w.every + 2
	requests := c.pollRequests(cycles, 1, sum)
	took := sum.mul(own, w.once+sum.mul(polls, w.poll)+requests)
	// All warps of the teams, and those of the team at hand, should it leave.
	took += sum.mul(int64(c.b.rep.Warps), sum.mul(own, w.warp)+w.leave)
	if !memory {
		return took
	}
	took += sum.mul(own, sum.mul(polls+protocolAtomics, l2.ResponseCycles)+protocolStores)
	all := c.pollRequests(cycles, own+others, sum)
	took += sum.mul(all, c.sectors()*l2.AccessCycles)
	return took + sum.mul(c.tokenFetches(all), c.tokenCost())
}
