package soundness

import (
	"errors"
	"fmt"
	"strings"

	"github.com/warpbound/warpbound/internal/verify/exhaust"
)

// wideMachine is an SM of theorem 14 (volume): sub-cores that issue several instructions
// in a cycle, units of several servers. Warp w is on sub-core w mod subCores.
type wideMachine struct {
	subCores, width int
	servers         []int // by unit; of each sub-core unless shared
	shared          []bool
	// slots are the waiting places of a unit, or of a sub-core where pooled; negative:
	// no limit, 0: an instruction issues only to a unit with a free server.
	slots               int
	pooled              bool
	fifo, ownOrder      bool
	draining            bool
	shortInit, shortLat bool
}

// String names the machine in a few words.
func (m *wideMachine) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d sub-core(s) issuing %d, servers %v, shared %v, ", m.subCores, m.width, m.servers, m.shared)
	base := exhaust.Rules{Slots: m.slots, Pooled: m.pooled, FIFO: m.fifo, OwnOrder: m.ownOrder, Draining: m.draining, ShortLat: m.shortLat, ShortInit: m.shortInit}
	b.WriteString(base.String())
	return b.String()
}

// Sizes the explorer of wide machines can hold.
const (
	wideInstrs = 12
	wideWarps  = 4
	wideStates = 150_000
)

var errWide = errors.New("too large to explore")

// wideState is an SM at the start of a cycle. Times are relative to it.
type wideState struct {
	// stage of an instruction: 0 not issued or complete, 1 waiting for its unit,
	// k ≥ 2 complete in k-1 cycles.
	stage [wideInstrs]uint8
	busy  [wideInstrs]uint8 // cycles of initiation left
	// queue lists waiting instructions +1: in the order of issue, or by number where
	// the order is of no account.
	queue [wideInstrs]uint8
	next  [wideWarps]uint8
}

// wideExplorer finds the longest makespan over all choices of a wide machine. It
// shares no code with the bounds, nor with internal/verify/exhaust but for the notation.
type wideExplorer struct {
	m     *wideMachine
	sys   *exhaust.System
	flat  []exhaust.Instr
	owner []int
	base  [wideWarps]int
	worst map[wideState]int16
}

func (e *wideExplorer) explore(sys *exhaust.System, m *wideMachine) (int, error) {
	if sys.Len() > wideInstrs || len(sys.Warps) > wideWarps {
		return 0, errWide
	}
	e.m, e.sys, e.flat, e.owner = m, sys, e.flat[:0], e.owner[:0]
	for w, p := range sys.Warps {
		e.base[w] = len(e.flat)
		for _, in := range p {
			e.flat = append(e.flat, in)
			e.owner = append(e.owner, w)
		}
	}
	if e.worst == nil {
		e.worst = map[wideState]int16{}
	}
	clear(e.worst)
	v := e.value(wideState{})
	if len(e.worst) > wideStates {
		return 0, errWide
	}
	return v, nil
}

// value is the largest time from s to the completion of everything.
func (e *wideExplorer) value(s wideState) int {
	if e.done(&s) {
		return 0
	}
	if v, ok := e.worst[s]; ok {
		return int(v)
	}
	if len(e.worst) > wideStates {
		return 0
	}
	best := e.issue(&s, s, 0, 0, 0, false)
	if e.m.subCores > 1 {
		best = max(best, e.issue(&s, s, 0, 0, 0, true))
	}
	e.worst[s] = int16(best)
	return best
}

func (e *wideExplorer) done(s *wideState) bool {
	for w, p := range e.sys.Warps {
		if int(s.next[w]) < len(p) {
			return false
		}
	}
	return s.stage == [wideInstrs]uint8{}
}

// issue lets the k-th sub-core go on issuing, n instructions of the warps in mask
// being issued in this cycle, which began as start.
func (e *wideExplorer) issue(start *wideState, s wideState, k, n int, mask uint, backwards bool) int {
	if k == e.m.subCores {
		return e.dispatch(s, 0)
	}
	core := k
	if backwards {
		core = e.m.subCores - 1 - k
	}
	best, any := 0, false
	for w := core; w < len(e.sys.Warps) && n < e.m.width; w += e.m.subCores {
		if mask>>w&1 == 1 || !e.ready(start, w) || !e.accepts(&s, e.base[w]+int(s.next[w])) {
			continue
		}
		any = true
		best = max(best, e.issue(start, e.join(s, w), k, n+1, mask|1<<w, backwards))
	}
	if !any {
		return e.issue(start, s, k+1, 0, mask, backwards)
	}
	return best
}

// ready tells whether sources, order and barriers let warp w issue.
func (e *wideExplorer) ready(s *wideState, w int) bool {
	p := e.sys.Warps[w]
	if int(s.next[w]) == len(p) {
		return false
	}
	in := &p[s.next[w]]
	for _, b := range in.Src {
		if s.stage[e.base[w]+b] != 0 {
			return false
		}
	}
	for v, q := range e.sys.Warps {
		for j := range q {
			if q[j].Section < in.Section && (j >= int(s.next[v]) || e.m.draining && s.stage[e.base[v]+j] != 0) {
				return false
			}
		}
	}
	return true
}

// set is the set of servers that instruction i uses.
func (e *wideExplorer) set(i int) int {
	f := e.flat[i].Unit
	if e.m.shared[f] {
		return f * e.m.subCores
	}
	return f*e.m.subCores + e.core(i)
}

func (e *wideExplorer) core(i int) int { return e.owner[i] % e.m.subCores }

// free is how many servers of a set initiate nothing.
func (e *wideExplorer) free(s *wideState, set int) int {
	n := e.m.servers[set/e.m.subCores]
	for i := range e.flat {
		if s.busy[i] > 0 && e.set(i) == set {
			n--
		}
	}
	return n
}

// waiting counts the instructions that wait for a set, and those among them of one
// sub-core.
func (e *wideExplorer) waiting(s *wideState, set, core int) (all, own int) {
	for _, q := range s.queue {
		if q == 0 {
			break
		}
		if i := int(q) - 1; e.set(i) == set {
			all++
			if e.core(i) == core {
				own++
			}
		}
	}
	return all, own
}

// accepts tells whether there is a place for instruction i. Places are needed by
// what is still waiting after this cycle; with a pool, by what may be.
func (e *wideExplorer) accepts(s *wideState, i int) bool {
	if e.m.slots < 0 {
		return true
	}
	if !e.m.pooled {
		all, _ := e.waiting(s, e.set(i), 0)
		return all < e.free(s, e.set(i))+e.m.slots
	}
	kept := 0
	for set := range len(e.m.servers) * e.m.subCores {
		all, own := e.waiting(s, set, e.core(i))
		kept += own - min(own, max(0, e.free(s, set)-(all-own)))
	}
	return kept < e.m.slots
}

// join issues the next instruction of w.
func (e *wideExplorer) join(s wideState, w int) wideState {
	i := e.base[w] + int(s.next[w])
	s.next[w]++
	s.stage[i] = 1
	at := 0
	for s.queue[at] != 0 && (e.m.fifo || int(s.queue[at])-1 < i) {
		at++
	}
	copy(s.queue[at+1:], s.queue[at:wideInstrs-1])
	s.queue[at] = uint8(i + 1)
	return s
}

// dispatch starts what the sets from this one on can start in this cycle, in every
// way.
func (e *wideExplorer) dispatch(s wideState, set int) int {
	if set == len(e.m.servers)*e.m.subCores {
		return 1 + e.value(e.tick(s))
	}
	if n, _ := e.waiting(&s, set, 0); n == 0 || e.free(&s, set) == 0 {
		return e.dispatch(s, set+1)
	}
	best := 0
	for at, q := range s.queue {
		if q == 0 {
			break
		}
		i := int(q) - 1
		if e.set(i) != set || e.m.ownOrder && !e.m.fifo && e.earlierWaits(&s, i) {
			continue
		}
		best = max(best, e.start(s, at, i, set))
		if e.m.fifo {
			break
		}
	}
	return best
}

// earlierWaits tells whether an earlier instruction of the warp waits for the same
// set.
func (e *wideExplorer) earlierWaits(s *wideState, i int) bool {
	for j := e.base[e.owner[i]]; j < i; j++ {
		if s.stage[j] == 1 && e.set(j) == e.set(i) {
			return true
		}
	}
	return false
}

// start takes instruction i from its place, with every length it may have.
func (e *wideExplorer) start(s wideState, at, i, set int) int {
	copy(s.queue[at:], s.queue[at+1:])
	s.queue[wideInstrs-1] = 0
	in := &e.flat[i]
	init, lat := in.Init, in.Lat
	if e.m.shortInit {
		init = 1
	}
	if e.m.shortLat {
		lat = 0
	}
	best := 0
	for x := init; x <= in.Init; x++ {
		for y := lat; y <= in.Lat; y++ {
			s.busy[i], s.stage[i] = uint8(x), uint8(x+y+1)
			best = max(best, e.dispatch(s, set))
		}
	}
	return best
}

// tick is the state at the next cycle.
func (e *wideExplorer) tick(s wideState) wideState {
	for i := range e.flat {
		if s.busy[i] > 0 {
			s.busy[i]--
		}
		if s.stage[i] > 1 {
			if s.stage[i]--; s.stage[i] == 1 {
				s.stage[i] = 0
			}
		}
	}
	return s
}
