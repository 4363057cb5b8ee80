package ordered

import (
	"context"
	"fmt"
	"iter"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method"
)

// Turn says how long a warp keeps its turn under strict round robin. The next
// warp has the turn then, ready or not; warps that have ended or stand at a
// barrier are passed over.
type Turn int

const (
	// OneInstruction passes the turn on after each instruction.
	OneInstruction Turn = iota
	// OneSegment passes it on before an instruction that reads a register which
	// the warp has written since it got the turn (Huangfu2017, Section IV-A).
	OneSegment
)

// TurnsMethod is the name of the bound in reports.
const TurnsMethod = "turns"

// Turns bounds the time of one block, or of several without barriers, on one
// scheduler under strict round robin, by docs/soundness/order.md, theorem 19 (turns).
// Units have no other users. If in.Order is nil, there is no reordering unit, and an
// access completes within the latency of its op.
//
// It fails where ComputeAll does, with a *bound.Refusal where units do not serve in
// issue order or several blocks have barriers, and with an *OrderError where a
// warp holds its turn waiting for an access that comes behind one not issued
// yet.
func Turns(ctx context.Context, m *CachedSM, in *Input, turn Turn, ledger []bound.Assumption) (*bound.Bound, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	if turn != OneInstruction && turn != OneSegment {
		return nil, fmt.Errorf("turn %d is not known", int(turn))
	}
	if !m.FIFO && m.Queue != method.NoQueue {
		return nil, &bound.Refusal{Method: TurnsMethod, Scope: bound.SM, Assumption: bound.DispatchOrder, Reason: "units do not serve in issue order, so what is issued later can delay what is issued"}
	}
	free := *in
	if in.Order == nil {
		free.Order = func(func(Access, error) bool) {}
		free.Accesses = make([]bool, len(in.Ops))
	}
	if err := free.check(m); err != nil {
		return nil, err
	}
	t := &turns{pass: newPass(ctx, m, &free), turn: turn}
	if in.Order == nil && in.Costs != nil {
		t.traced = newTracedTurns(t.pass)
	}
	if len(t.blocks) > 1 && t.sections() > 1 {
		return nil, &bound.Refusal{Method: TurnsMethod, Scope: bound.SM, Assumption: bound.BarrierKind, Reason: "when a barrier of one block opens decides where its warps join the turns of the others"}
	}
	if err := t.run(&free); err != nil {
		return nil, err
	}
	end := int64(0)
	var last *warp
	for _, w := range t.warps {
		if w.end.own > end {
			end, last = w.end.own, w
		}
	}
	if t.traced != nil && last != nil {
		t.traced.end[last.id].AddTo(in.Costs, bound.FixedSequence)
	}
	fills, err := product(t.filled, m.FillCycles)
	if err != nil {
		return nil, err
	}
	b := &bound.Bound{
		Scope: bound.SM, Method: TurnsMethod, Safe: true, Theorem: "docs/soundness.md, theorem 19",
		Breakdown: []bound.Component{bound.Part(bound.FixedSequence, end), bound.Part(bound.Fills, fills)},
	}
	for _, a := range assumptions(m, true, ledger) {
		switch {
		case a.ID == bound.WorkConserving:
			a = bound.Assume(bound.StrictTurns, bound.Assumed, "")
		case a.ID == bound.WarpOrderPerUnit:
			a = bound.Assume(bound.DispatchOrder, bound.Enforced, "units serve in issue order")
		case in.Order == nil && (a.ID == bound.EnforcedAccessOrder || a.ID == bound.AccessClassesExact || a.ID == bound.ChannelsDoNotBlock):
			continue
		}
		b.Assumptions = append(b.Assumptions, a)
	}
	return b, total(b)
}

// turns executes the warps in turn, all on one clock. Of a warp it uses the
// pass's fields; nothing is charged, so passed stays 0 and shared times are
// times like all others.
type turns struct {
	*pass
	turn  Turn
	next  int64 // earliest issue of the next instruction
	units []int64
	of    []turnWarp
	pull  func() (Access, error, bool)
	line  []Access // of the order, read and not sent
	// traced is what times are the sums of; nil where nobody asks.
	traced *tracedTurns
}

// tracedTurns are the chains of the times of turns.
type tracedTurns struct {
	next  *method.Chain
	units []*method.Chain
	regs  [][]*method.Chain // by warp
	end   []*method.Chain   // by warp
}

func newTracedTurns(p *pass) *tracedTurns {
	start := (*method.Chain)(nil).Then(method.Delay, -1, p.m.StartDelayCycles)
	t := &tracedTurns{next: start, units: make([]*method.Chain, len(p.warps[0].units))}
	for _, w := range p.warps {
		t.regs = append(t.regs, make([]*method.Chain, len(w.regs)))
		t.end = append(t.end, start)
	}
	return t
}

// step is turns.step of an instruction that is no access, before it.
func (x *tracedTurns) step(t *turns, w *warp, sym int32, in *inst) {
	b, issue := t.next, x.next
	for _, r := range in.reads {
		if at := w.regs[r].own; at > b {
			b, issue = at, x.regs[w.id][r]
		}
	}
	d, dispatch := b, issue
	if free := t.units[in.unit]; free > d {
		d, dispatch = free, x.units[in.unit]
	}
	if t.m.Queue != method.Unbounded {
		issue = dispatch
	}
	x.units[in.unit] = dispatch.Then(method.Occupied, sym, in.init)
	x.next = issue.Then(method.Issue, sym, 1)
	if t.m.Queue == method.Pooled {
		x.next = issue.Then(method.Occupied, sym, in.init)
	}
	done := dispatch.Then(method.Awaited, sym, in.init+in.lat)
	if d+in.init+in.lat > w.end.own {
		x.end[w.id] = done
	}
	for _, r := range in.writes {
		x.regs[w.id][r] = done
	}
}

// turnWarp is what a warp needs besides.
type turnWarp struct {
	number  int64   // of its turn
	written []int64 // number of the turn in which a register was written last
	// wait holds the accesses issued and not sent; first is the number of the
	// first of them, left the channel entries of those before.
	wait        []arrival
	first, left int64
	ahead       []Access // read from the order, and not issued
}

type arrival struct {
	in *inst
	at int64
}

func (t *turns) sections() int {
	n := 0
	for _, w := range t.warps {
		n = max(n, len(w.sections))
	}
	return n
}

func (t *turns) run(in *Input) error {
	pull, stop := iter.Pull2(in.Order)
	defer stop()
	t.pull = pull
	t.next = t.m.StartDelayCycles
	t.units = make([]int64, len(t.warps[0].units))
	t.of = make([]turnWarp, len(t.warps))
	for i := range t.of {
		t.of[i].written = make([]int64, len(t.warps[i].regs))
	}
	holder := 0
	sections := t.sections()
	for section := range sections {
		for {
			w := t.holder(holder, section)
			if w == nil {
				break
			}
			holder = w.id + 1
			if err := t.take(w); err != nil {
				return err
			}
		}
		if section+1 < sections {
			if err := t.openBarrier(section); err != nil {
				return err
			}
		}
	}
	if err := t.sendAll(); err != nil {
		return err
	}
	if _, err, ok := t.pull(); err != nil {
		return err
	} else if ok || len(t.line) > 0 {
		return &OrderError{Place: t.places, Reason: "all programs have ended"}
	}
	return nil
}

// holder is the first warp from a number on that has an instruction left in the
// section; nil if none has.
func (t *turns) holder(from, section int) *warp {
	for i := range t.warps {
		w := t.warps[(from+i)%len(t.warps)]
		if section < len(w.sections) {
			if _, ok := w.cur.Peek(); ok {
				return w
			}
		}
	}
	return nil
}

// take executes a turn.
func (t *turns) take(w *warp) error {
	of := &t.of[w.id]
	of.number++
	for first := true; ; first = false {
		sym, ok := w.cur.Peek()
		if !ok || !first && t.turn == OneInstruction {
			return nil
		}
		in := &t.insts[sym]
		if !first && of.reads(in) {
			return nil
		}
		w.cur.Next()
		if t.traced != nil {
			t.traced.step(t, w, sym, in)
		}
		if err := t.step(w, in); err != nil {
			return err
		}
		for _, r := range in.writes {
			of.written[r] = of.number
		}
	}
}

// reads tells whether an instruction reads a register written in this turn.
func (of *turnWarp) reads(in *inst) bool {
	for _, r := range in.reads {
		if of.written[r] == of.number {
			return true
		}
	}
	return false
}

// pending marks, as its own time, a register that an access not yet sent will
// write; its shared time is then the number of the access.
const pending = -1

// step executes an instruction.
func (t *turns) step(w *warp, in *inst) error {
	b := t.next
	for _, r := range in.reads {
		if w.regs[r].own == pending {
			if err := t.sendUpTo(w, w.regs[r].shared); err != nil {
				return err
			}
		}
		b = max(b, w.regs[r].own)
		w.drained = max(w.drained, w.writer[r])
	}
	if in.access {
		room, err := t.claim(w)
		if err != nil {
			return err
		}
		b = max(b, room)
	}
	d := max(b, t.units[in.unit])
	if t.m.Queue != method.Unbounded {
		b = d
	}
	t.units[in.unit] = d + in.init
	t.next = b + 1
	if t.m.Queue == method.Pooled {
		t.next = b + in.init
	}
	if !in.access {
		done := d + in.init + in.lat
		w.write(in, moment{done, none}, 0)
		return t.count(in, 0, done)
	}
	of := &t.of[w.id]
	for _, r := range in.writes {
		w.regs[r] = moment{pending, of.first + int64(len(of.wait))}
		w.writer[r] = w.entered
	}
	of.wait = append(of.wait, arrival{in, d + in.init + t.m.ArriveCycles})
	return t.count(in, 0, d)
}

// claim takes the channel entries of the warp's next access and returns when
// there is room for them.
func (t *turns) claim(w *warp) (int64, error) {
	a, err := t.classes(w)
	if err != nil {
		return 0, err
	}
	w.index++
	w.entered += int64(a.Entries)
	if t.m.Channel == NeverFull {
		return 0, t.full(w)
	}
	of := &t.of[w.id]
	for of.left < w.entered-int64(t.m.ChannelEntries) {
		if err := t.sendUpTo(w, of.first); err != nil {
			return 0, err
		}
	}
	return t.room(w).own, nil
}

// maxAhead bounds how far the order is read ahead of the execution.
const maxAhead = 1 << 20

// read reads one more access of the order.
func (t *turns) read() error {
	a, err, ok := t.pull()
	place := t.places + int64(len(t.line))
	switch {
	case err != nil:
		return err
	case !ok:
		return &OrderError{Place: place, Reason: "the order has ended, and the programs have not"}
	case len(t.line) >= maxAhead:
		return fmt.Errorf("the order is more than %d accesses ahead of the turns", maxAhead)
	}
	if err := a.check(place, len(t.warps), t.m); err != nil {
		return fmt.Errorf("place %d of the order: %w", place, err)
	}
	t.line = append(t.line, a)
	t.of[a.Warp].ahead = append(t.of[a.Warp].ahead, a)
	return nil
}

// classes returns what the order says of the next access that the warp issues.
func (t *turns) classes(w *warp) (Access, error) {
	of := &t.of[w.id]
	for len(of.ahead) == 0 {
		if err := t.read(); err != nil {
			return Access{}, err
		}
	}
	a := of.ahead[0]
	of.ahead = of.ahead[1:]
	return a, nil
}

// sendUpTo sends accesses in order until the warp's access of a number is sent.
func (t *turns) sendUpTo(w *warp, number int64) error {
	for t.of[w.id].first <= number {
		if err := t.sendNext(w.id); err != nil {
			return err
		}
	}
	return nil
}

// sendAll sends all accesses that have been issued.
func (t *turns) sendAll() error {
	for i := range t.of {
		if n := len(t.of[i].wait); n > 0 {
			if err := t.sendUpTo(t.warps[i], t.of[i].first+int64(n)-1); err != nil {
				return err
			}
		}
	}
	return nil
}

// sendNext sends the access expected, because a warp waits for it or for one
// behind it.
func (t *turns) sendNext(waits int) error {
	if len(t.line) == 0 {
		if err := t.read(); err != nil {
			return err
		}
	}
	a := t.line[0]
	w, of := t.warps[a.Warp], &t.of[a.Warp]
	if len(of.wait) == 0 {
		return &OrderError{Place: t.places, Warp: a.Warp, Reason: fmt.Sprintf("it gets no turn to issue this access, because warp %d holds the turn until a later one is sent", waits)}
	}
	t.line = t.line[1:]
	next := of.wait[0]
	of.wait = of.wait[1:]
	done, passed, _ := t.send(w, next.in, &a, next.at)
	t.places++
	end := moment{max(done.own, done.shared), none}
	w.end = later(w.end, end)
	for _, r := range next.in.writes {
		if w.regs[r] == (moment{pending, of.first}) {
			w.regs[r] = end
		}
	}
	of.first++
	of.left += int64(a.Entries)
	if t.m.Channel == Credits {
		w.channel = append(w.channel, place{of.left, moment{max(passed.own, passed.shared), none}})
	}
	if end.own > maxTime {
		return bound.ErrOverflow
	}
	return nil
}

// openBarrier lifts the clock to the opening of the barrier behind a section.
func (t *turns) openBarrier(section int) error {
	opens := t.next
	var last *warp
	ends := t.m.DrainingBarriers
	for _, w := range t.warps {
		ends = ends || section+1 >= len(w.sections)
	}
	if ends {
		if err := t.sendAll(); err != nil {
			return err
		}
	}
	for _, w := range t.warps {
		if t.m.DrainingBarriers || section+1 >= len(w.sections) {
			if w.end.own > opens {
				opens, last = w.end.own, w
			}
		}
		if t.m.DrainingBarriers {
			w.drained = w.entered
		}
		if section+1 < len(w.sections) {
			w.section++
			w.cur.Reset(w.sections[w.section])
		}
	}
	t.next = opens + t.m.BarrierDelayCycles
	if x := t.traced; x != nil {
		if last != nil {
			x.next = x.end[last.id]
		}
		x.next = x.next.Then(method.Delay, -1, t.m.BarrierDelayCycles)
	}
	return nil
}
