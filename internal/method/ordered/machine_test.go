package ordered

import (
	"context"
	"fmt"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method"
)

// chooser answers "which of n" wherever the machine is free to do as it likes.
type chooser interface{ pick(n int) int }

// line is what the cache model says of one line of an access.
type line struct {
	alloc    bool // missed: a request and an MSHR
	request  bool // a request without an MSHR
	pending  int  // of a hit: the place of the access that fills it, -1 if filled long ago
	selfWait bool // waits for all lines missed by the same access
}

// testAccess is an access with what the machine does, and what the bound is told.
type testAccess struct {
	warp    int
	lines   []line
	waitFor int // waits for the fills of the access at this place, -1 for none
	told    Access
}

// scenario is a machine, what it executes, and the order it enforces.
type scenario struct {
	m          CachedSM
	tagPerLine int64
	scheds     int // scheduler of warp w is w modulo scheds
	ldst       int // unit shared by the schedulers; the others are private
	anyOrder   bool
	blocking   bool // a full channel stops the LD/ST unit, whatever m.Channel says
	strict     bool // strict round robin, in turns
	turn       Turn
	progs      [][][]int32 // warp, section, symbols
	block      []int
	in         Input
	order      []testAccess
}

// flight is an issued instruction.
type flight struct {
	warp   int
	access int // place in the order, -1 for others
	init   int64
	lat    int64
	writes []int32
}

const never = int64(1) << 50

// vm executes a scenario cycle by cycle. It knows nothing of the theorem: it is
// the machine that docs/soundness/order.md, section 17, describes, with an adversary for
// everything the description leaves open.
type vm struct {
	s     *scenario
	c     chooser
	t     int64
	sec   []int
	pos   []int
	regs  []map[int32]int64
	open  []int64   // the warp may issue from here on
	done  [][]int64 // completions, by warp
	index []int
	place [][]int // place in the order of each warp's accesses

	queues  [][]*flight
	free    []int64
	holder  int            // under strict round robin, from whom on the turn is given
	written map[int32]bool // in the turn in progress; nil between turns

	waits int // instructions waiting, for pooled places

	arrive   []int64 // E of each access, never if not yet
	dest     []*flight
	expected int
	line     int
	requests int // of the access so far
	port     int64
	mshrs    int
	served   int64
	left     [][]int64 // by stage and place: all requests so far have left it
	fills    []int64   // fill times to come
	filled   [][]int64 // fills by place
	ends     []int64   // completion so far, by place
	inChan   []int     // entries of accesses issued and not sent, by warp
	held     []int     // of those the LD/ST unit has started
	maxChan  int
	leave    []int64 // X by place
}

// short is a time between least and most.
func (v *vm) short(least, most int64) int64 {
	if most <= least {
		return most
	}
	if _, all := v.c.(*odometer); all {
		return []int64{least, most}[v.c.pick(2)]
	}
	switch v.c.pick(3) {
	case 0:
		return least
	case 1:
		return least + int64(v.c.pick(int(most-least)+1))
	}
	return most
}

func run(s *scenario, c chooser, limit int64) (end int64, maxChan int, err error) {
	n := len(s.progs)
	v := &vm{s: s, c: c, sec: make([]int, n), pos: make([]int, n), index: make([]int, n),
		open: make([]int64, n), done: make([][]int64, n), regs: make([]map[int32]int64, n),
		place: make([][]int, n), inChan: make([]int, n), held: make([]int, n),
		queues: make([][]*flight, 64*s.scheds), free: make([]int64, 64*s.scheds),
		arrive: make([]int64, len(s.order)), dest: make([]*flight, len(s.order)),
		filled: make([][]int64, len(s.order)), ends: make([]int64, len(s.order)), leave: make([]int64, len(s.order))}
	start := v.short(0, s.m.StartDelayCycles)
	for w := range n {
		v.regs[w] = map[int32]int64{}
		v.open[w] = start
	}
	for _, stage := range s.m.Stages {
		v.left = append(v.left, make([]int64, stage.Places))
	}
	for k := range s.order {
		w := s.order[k].warp
		v.place[w] = append(v.place[w], k)
		v.arrive[k], v.leave[k] = never, never
	}
	for v.t = 0; ; v.t++ {
		if v.t > limit {
			return 0, v.maxChan, fmt.Errorf("nothing ends: expected place %d of %d, sections %v, positions %v", v.expected, len(s.order), v.sec, v.pos)
		}
		v.landFills()
		for v.barriers() {
		}
		for sched := range s.scheds {
			v.issue(sched)
		}
		v.dispatch()
		v.tags()
		if v.ended() {
			for w := range n {
				for _, d := range v.done[w] {
					end = max(end, d)
				}
			}
			return end, v.maxChan, nil
		}
	}
}

func (v *vm) ended() bool {
	for w := range v.s.progs {
		if v.sec[w] < len(v.s.progs[w]) {
			return false
		}
	}
	for _, q := range v.queues {
		if len(q) > 0 {
			return false
		}
	}
	return v.expected == len(v.s.order)
}

func (v *vm) landFills() {
	kept := v.fills[:0]
	for _, f := range v.fills {
		if f > v.t {
			kept = append(kept, f)
			continue
		}
		v.mshrs--
		v.port = max(v.port, v.t) + v.short(0, v.s.m.FillCycles)
	}
	v.fills = kept
}

// complete tells whether everything warp w has issued is complete.
func (v *vm) complete(w int) bool {
	for _, q := range v.queues {
		for _, f := range q {
			if f.warp == w {
				return false
			}
		}
	}
	for i := range v.index[w] {
		if v.leave[v.place[w][i]] == never {
			return false
		}
	}
	for _, d := range v.done[w] {
		if d > v.t {
			return false
		}
	}
	return true
}

// barriers opens barriers, and tells whether one has opened that others may
// follow in the same cycle.
func (v *vm) barriers() (opened bool) {
	s := v.s
	for first := range s.progs {
		if v.sec[first] >= len(s.progs[first]) {
			continue
		}
		border := v.sec[first]
		met, others := true, false
		for w := range s.progs {
			if s.block[w] != s.block[first] {
				continue
			}
			last := len(s.progs[w]) - 1
			atEnd := v.sec[w] > last || (v.sec[w] == min(border, last) && v.pos[w] == len(s.progs[w][v.sec[w]]))
			ends := last <= border
			if !atEnd || v.open[w] > v.t || (ends || s.m.DrainingBarriers) && !v.complete(w) {
				met = false
			}
			others = others || !ends
		}
		if !met && others {
			continue
		}
		if !others {
			if v.pos[first] == len(s.progs[first][border]) {
				v.sec[first]++
			}
			continue
		}
		opens := v.t + v.short(0, s.m.BarrierDelayCycles)
		for w := range s.progs {
			if s.block[w] == s.block[first] && v.sec[w] < len(s.progs[w]) {
				v.sec[w]++
				v.pos[w] = 0
				v.open[w] = opens
				opened = opened || opens <= v.t
			}
		}
	}
	return opened
}

func (v *vm) unit(sched, u int) int {
	if u == v.s.ldst {
		sched = 0
	}
	return u*v.s.scheds + sched
}

func (v *vm) ready(w int) bool {
	s := v.s
	if v.sec[w] >= len(s.progs[w]) || v.pos[w] >= len(s.progs[w][v.sec[w]]) || v.open[w] > v.t {
		return false
	}
	sym := s.progs[w][v.sec[w]][v.pos[w]]
	op := &s.in.Ops[sym]
	for _, r := range op.Reads {
		if v.regs[w][r] > v.t {
			return false
		}
	}
	if s.in.Accesses[sym] && s.m.Channel == Credits {
		if v.inChan[w]+s.order[v.place[w][v.index[w]]].told.Entries > s.m.ChannelEntries {
			return false
		}
	}
	u := v.unit(w%s.scheds, op.Unit)
	switch s.m.Queue {
	case method.NoQueue:
		return v.free[u] <= v.t && len(v.queues[u]) == 0
	case method.Slots:
		return len(v.queues[u]) < 1
	case method.Pooled:
		return v.waits < 1
	}
	return true
}

func (v *vm) issue(sched int) {
	if v.s.strict {
		v.issueInTurn()
		return
	}
	s := v.s
	var ready []int
	for w := sched; w < len(s.progs); w += s.scheds {
		if v.ready(w) {
			ready = append(ready, w)
		}
	}
	if len(ready) == 0 {
		return
	}
	v.issueFrom(ready[v.c.pick(len(ready))])
}

// issueInTurn issues from the holder of the turn, or nothing.
func (v *vm) issueInTurn() {
	s := v.s
	left := func(w int) []int32 {
		if v.sec[w] >= len(s.progs[w]) {
			return nil
		}
		return s.progs[w][v.sec[w]][v.pos[w]:]
	}
	for range s.progs {
		if len(left(v.holder)) > 0 {
			break
		}
		v.holder = (v.holder + 1) % len(s.progs)
	}
	w := v.holder
	if len(left(w)) == 0 || !v.ready(w) {
		return
	}
	if v.written == nil {
		v.written = map[int32]bool{}
	}
	for _, r := range s.in.Ops[left(w)[0]].Writes {
		v.written[r] = true
	}
	v.issueFrom(w)
	goesOn := s.turn == OneSegment && len(left(w)) > 0
	if goesOn {
		for _, r := range s.in.Ops[left(w)[0]].Reads {
			goesOn = goesOn && !v.written[r]
		}
	}
	if !goesOn {
		v.written = nil
		v.holder = (w + 1) % len(s.progs)
	}
}

func (v *vm) issueFrom(w int) {
	s := v.s
	sym := s.progs[w][v.sec[w]][v.pos[w]]
	v.pos[w]++
	op := &s.in.Ops[sym]
	f := &flight{warp: w, access: -1, init: v.short(1, op.InitCycles), lat: v.short(0, op.LatencyCycles), writes: op.Writes}
	if s.in.Accesses[sym] {
		f.access = v.place[w][v.index[w]]
		v.index[w]++
		v.inChan[w] += s.order[f.access].told.Entries
		v.maxChan = max(v.maxChan, v.inChan[w])
	}
	for _, r := range op.Writes {
		v.regs[w][r] = never
	}
	u := v.unit(w%s.scheds, op.Unit)
	v.queues[u] = append(v.queues[u], f)
	v.waits++
}

func (v *vm) dispatch() {
	for u, q := range v.queues {
		if len(q) == 0 || v.free[u] > v.t {
			continue
		}
		i := 0
		if v.s.anyOrder {
			i = v.c.pick(len(q))
			if v.s.m.KeepsWarpOrder {
				for j := range i {
					if q[j].warp == q[i].warp {
						i = j
						break
					}
				}
			}
		}
		f := q[i]
		if f.access >= 0 {
			entries := v.s.order[f.access].told.Entries
			if v.s.blocking && v.held[f.warp]+entries > v.s.m.ChannelEntries {
				continue
			}
			v.held[f.warp] += entries
		}
		v.queues[u] = append(append([]*flight{}, q[:i]...), q[i+1:]...)
		v.waits--
		v.free[u] = v.t + f.init
		if f.access >= 0 {
			v.arrive[f.access] = v.t + f.init + v.short(0, v.s.m.ArriveCycles)
			v.dest[f.access] = f
			continue
		}
		v.finish(f, v.t+f.init+f.lat)
	}
}

// finish books a completion. A register that was overwritten meanwhile keeps
// the later time only if the writer is the last one: programs of the tests wait
// for written registers.
func (v *vm) finish(f *flight, done int64) {
	v.done[f.warp] = append(v.done[f.warp], done)
	for _, r := range f.writes {
		v.regs[f.warp][r] = done
	}
}

func (v *vm) tags() {
	if v.expected == len(v.s.order) || v.port > v.t {
		return
	}
	k := v.expected
	a := &v.s.order[k]
	if v.line == 0 {
		if v.arrive[k] > v.t {
			return
		}
		if a.waitFor >= 0 && !v.allFilled(a.waitFor) {
			return
		}
	}
	l := &a.lines[v.line]
	if l.alloc && v.mshrs >= v.s.m.MSHRs || l.selfWait && !v.allFilled(k) {
		return
	}
	end := v.t + v.short(1, v.s.tagPerLine)
	v.port = end
	v.line++
	switch {
	case l.alloc || l.request:
		v.ends[k] = max(v.ends[k], v.serve(k, v.stages(k, end), l.alloc))
	default:
		from := end
		if l.pending >= 0 {
			for _, f := range v.filled[l.pending] {
				from = max(from, f)
			}
		}
		v.ends[k] = max(v.ends[k], from+v.short(0, v.s.m.HitCycles))
	}
	if v.line < len(a.lines) {
		return
	}
	v.line, v.requests = 0, 0
	v.expected++
	v.leave[k] = end
	v.inChan[a.warp] -= a.told.Entries
	v.held[a.warp] -= a.told.Entries
	v.finish(v.dest[k], max(v.ends[k], end))
}

func (v *vm) allFilled(k int) bool {
	for _, f := range v.filled[k] {
		if f > v.t {
			return false
		}
	}
	return true
}

// stages takes the next request of an access through the places it goes to, from
// a time on, and returns when it leaves the last one.
func (v *vm) stages(k int, at int64) int64 {
	m := &v.s.m
	a := &v.s.order[k].told
	if len(m.Stages) == 0 {
		return at
	}
	at += v.short(0, a.HeldCycles)
	first := v.requests * len(m.Stages)
	v.requests++
	for i, place := range a.Places[first : first+len(m.Stages)] {
		if place == Elsewhere {
			continue
		}
		at += v.short(0, m.Stages[i].ReachCycles)
		at = max(at, v.left[i][place]) + v.short(0, m.Stages[i].ServiceCycles)
		v.left[i][place] = at
	}
	return at
}

// serve sends a request to the memory at a time and returns when it is answered.
func (v *vm) serve(k int, at int64, alloc bool) int64 {
	m := &v.s.m
	end := at
	switch {
	case m.ServiceCycles > 0:
		end = max(at, v.served) + v.short(0, m.ServiceCycles)
		if m.QueueCycles > 0 {
			end = min(end, at+m.QueueCycles)
		}
	case m.QueueCycles > 0:
		end = at + v.short(0, m.QueueCycles)
	}
	v.served = max(v.served, end)
	end += v.short(0, m.MissCycles)
	if alloc {
		v.mshrs++
		v.fills = append(v.fills, end)
		v.filled[k] = append(v.filled[k], end)
	}
	return end
}

// computeOne is ComputeAll for one description.
func computeOne(ctx context.Context, m *CachedSM, in *Input, ledger []bound.Assumption) (*Result, error) {
	r, err := ComputeAll(ctx, []*CachedSM{m}, in, ledger)
	if err != nil {
		return nil, err
	}
	return r[0], nil
}
