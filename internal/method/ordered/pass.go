package ordered

import (
	"context"
	"fmt"

	"github.com/warpbound/warpbound/bound"
)

// OrderError reports an order that the machine cannot follow to the end: it
// contradicts a program or a barrier, or it lacks an access. A reordering unit
// that enforces it waits for ever.
type OrderError struct {
	Place  int64 // in the order, from 0
	Warp   int
	Reason string
}

// Error names the place, the warp and the contradiction.
func (e *OrderError) Error() string {
	return fmt.Sprintf("the machine would stop at place %d of the order: warp %d: %s", e.Place, e.Warp, e.Reason)
}

// pass computes both bounds along the order. Times named shared are on the
// common clock: a moment y that they bound satisfies y ≤ time + I(y), I(y) being
// what all warps have initiated of the instructions issued before y.
type pass struct {
	ctx    context.Context
	m      *CachedSM
	insts  []inst
	warps  []*warp
	blocks []*block

	// own is 1 where units keep a warp's order: then what a warp initiates counts
	// on its own clock and not in I. Otherwise it counts in I only, and clocks
	// advance by latencies alone.
	own int64

	places int64
	tags   int64     // the last access has passed the tags
	served int64     // its requests have been served
	left   [][]int64 // by stage and place: requests have been served there
	fills  fills

	instructions, barriers      int64
	initiations, filled, serial int64
}

func newPass(ctx context.Context, m *CachedSM, in *Input) *pass {
	insts, units, regs := lower(in)
	p := &pass{ctx: ctx, m: m, insts: insts, tags: none, served: none, fills: newFills(m.MSHRs)}
	if m.KeepsWarpOrder || m.FIFO {
		p.own = 1
	}
	for i := range m.Stages {
		left := make([]int64, m.Stages[i].Places)
		for j := range left {
			left[j] = none
		}
		p.left = append(p.left, left)
	}
	blocks := map[int]*block{}
	for i := range in.Warps {
		b := blocks[in.Warps[i].Block]
		if b == nil {
			b = &block{number: in.Warps[i].Block}
			blocks[b.number] = b
			p.blocks = append(p.blocks, b)
		}
		w := &warp{
			id: i, block: b, sections: in.Warps[i].Sections, next: m.StartDelayCycles,
			units: make([]int64, units), regs: make([]moment, regs), writer: make([]int64, regs),
			end: moment{m.StartDelayCycles, none},
		}
		for r := range w.regs {
			w.regs[r] = moment{0, none}
		}
		if len(w.sections) > 0 {
			w.cur.Reset(w.sections[0])
		}
		b.warps = append(b.warps, w)
		p.warps = append(p.warps, w)
	}
	return p
}

// next takes the next access of the order, and the instructions of its warp
// before it.
func (p *pass) next(a *Access) error {
	if err := a.check(p.places, len(p.warps), p.m); err != nil {
		return fmt.Errorf("place %d of the order: %w", p.places, err)
	}
	w := p.warps[a.Warp]
	sym, ok, err := p.toAccess(w)
	if err != nil {
		return err
	}
	if !ok {
		return &OrderError{Place: p.places, Warp: a.Warp, Reason: "the program has no access left"}
	}
	w.cur.Next()
	return p.access(w, sym, a)
}

// end executes what is left of all warps.
func (p *pass) end() error {
	for _, w := range p.warps {
		_, ok, err := p.toAccess(w)
		if err != nil {
			return err
		}
		if ok {
			return &OrderError{Place: p.places, Warp: w.id, Reason: fmt.Sprintf("its access number %d is not in the order", w.index)}
		}
	}
	return nil
}

// access executes the next access of the order.
func (p *pass) access(w *warp, sym int32, a *Access) error {
	in := &p.insts[sym]
	w.index++
	w.entered += int64(a.Entries)
	room := p.room(w)
	d := p.issue(w, in, max(room.own, room.shared+w.passed))
	if err := p.full(w); err != nil {
		return err
	}

	done, passed, serial := p.send(w, in, a, d+in.init*p.own+p.m.ArriveCycles)
	w.write(in, done, w.entered)
	if p.m.Channel == Credits {
		w.channel = append(w.channel, place{w.entered, passed})
	}
	p.places++
	return p.count(in, serial, max(done.own, done.shared, p.tags, p.served))
}

// send takes the next access of the order, of warp w, through the tags and the
// memory: it returns when it is complete, when it has passed the tags, and what
// theorem 20 (everything one after the other) counts for it.
func (p *pass) send(w *warp, in *inst, a *Access, arrived int64) (done, passed moment, serial int64) {
	busy := a.TagCycles
	wait := max(p.tags, p.fills.upTo(a.WaitsFor), p.fills.room(a.Fills))
	if a.SelfWaits > 0 {
		wait = max(wait, p.served)
		busy += int64(a.SelfWaits) * p.answer(a)
	}
	passed = moment{arrived, wait}.plus(busy)
	p.tags = w.shared(passed)

	done = passed
	serial = in.init + p.m.ArriveCycles + a.TagCycles
	if a.Hits > 0 {
		done = later(done, moment{passed.own, max(passed.shared, p.fills.upTo(a.FilledBy))}.plus(p.m.HitCycles))
		serial += p.m.HitCycles
	}
	if a.Requests > 0 {
		served, servedShared := p.memory(w, passed, a)
		p.served = max(p.served, servedShared)
		done = later(done, served.plus(p.m.MissCycles))
		serial += int64(1+a.SelfWaits) * p.answer(a)
		p.fills.add(p.places, a.Fills, p.served+p.m.MissCycles)
		p.filled += int64(a.Fills)
	}
	return done, passed, serial
}

// shared puts a moment of the access that w has issued last on the common
// clock, as others see it. While w has not issued the access, others wait for
// what w waits for.
func (w *warp) shared(t moment) int64 {
	return max(t.own-w.passed, t.shared, w.before)
}

// answer bounds the time from the later of an access's passing the tags and the
// service of all requests before it to the answers of its own.
func (p *pass) answer(a *Access) int64 {
	t := p.service(a.Requests) + p.m.MissCycles
	if len(p.m.Stages) == 0 {
		return t
	}
	t += a.HeldCycles
	for i := range p.m.Stages {
		t += p.m.Stages[i].ReachCycles
	}
	for i, place := range a.Places {
		if place != Elsewhere {
			t += p.m.Stages[i%len(p.m.Stages)].ServiceCycles
		}
	}
	return t
}

// memory bounds when all requests of an access have been served.
func (p *pass) memory(w *warp, passed moment, a *Access) (moment, int64) {
	stages := p.m.Stages
	if len(stages) == 0 {
		return p.serve(w, passed, a.Requests)
	}
	served, servedShared := passed, w.shared(passed)
	leaves := passed.plus(a.HeldCycles)
	for r := range a.Requests {
		at := leaves
		for i := range stages {
			place := a.Places[r*len(stages)+i]
			if place == Elsewhere {
				continue
			}
			at = at.plus(stages[i].ReachCycles)
			left := &p.left[i][place]
			at = moment{at.own, max(at.shared, *left)}.plus(stages[i].ServiceCycles)
			*left = w.shared(at)
		}
		served = later(served, at)
		servedShared = max(servedShared, w.shared(at))
	}
	return served, servedShared
}

// service is the time to serve requests that nobody else keeps waiting.
func (p *pass) service(requests int) int64 {
	if p.m.ServiceCycles > 0 {
		return int64(requests) * p.m.ServiceCycles
	}
	return p.m.QueueCycles
}

// serve bounds the end of service of an access's requests in the two ways that
// the machine states, and takes the earlier one.
func (p *pass) serve(w *warp, passed moment, requests int) (moment, int64) {
	turn := moment{passed.own, max(passed.shared, p.served)}.plus(p.service(requests))
	turnShared := w.shared(turn)
	if p.m.ServiceCycles > 0 && p.m.QueueCycles == 0 {
		return turn, turnShared
	}
	queue := passed.plus(p.m.QueueCycles)
	queueShared := w.shared(queue)
	if p.m.ServiceCycles > 0 && turnShared < queueShared {
		return turn, turnShared
	}
	return queue, queueShared
}

// room says when the channel of w has room for its next access, which is
// counted in w.entered.
func (p *pass) room(w *warp) moment {
	limit := w.entered - int64(p.m.ChannelEntries)
	for len(w.channel) > 0 && w.channel[0].entered < limit {
		w.channel = w.channel[1:]
	}
	if limit <= 0 || len(w.channel) == 0 {
		return moment{0, none}
	}
	return w.channel[0].left
}

// full refuses a machine on which the access just issued could find its
// channel full.
func (p *pass) full(w *warp) error {
	if n := w.entered - w.drained; p.m.Channel == NeverFull && n > int64(p.m.ChannelEntries) {
		return &bound.Refusal{
			Method: Method, Scope: bound.SM, Assumption: bound.ChannelsDoNotBlock,
			Reason: fmt.Sprintf("warp %d can have %d entries in its channel of %d, nothing before its access number %d having to be sent first; a full channel stops the LD/ST unit, behind which the access expected may wait for ever", w.id, n, p.m.ChannelEntries, w.index-1),
		}
	}
	return nil
}
