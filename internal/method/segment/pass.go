package segment

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/ordered"
	"github.com/warpbound/warpbound/internal/method/ordered/stream"
	"github.com/warpbound/warpbound/internal/seq"
)

// The figures of one pass.
const (
	counted   = iota // LI the number of instructions, LE the longest initiation and latency
	published        // LI the sum of initiations, LE the longest latency; eq. 3
	estimated        // with eq. 4
	classed          // with our latencies by class
	figures
)

// warp is a warp on its way.
type warp struct {
	sections []*seq.Seq
	cur      stream.Cursor
	segment  int64   // number of the one in progress
	written  []int64 // segment that wrote a register last
	complete [figures]int64

	// chain is the longest chain of latencies: next is where the next
	// instruction is on it, regs where registers are, end the longest.
	next, end int64
	regs      []int64
	// What these times are the sums of, where somebody asks.
	nextOf, endOf *method.Chain
	regsOf        []*method.Chain

	ahead []ordered.Access
}

// pass computes all figures, turn by turn.
type pass struct {
	ctx   context.Context
	m     *ordered.CachedSM
	mem   *Memory
	insts []inst
	warps []*warp
	clock [figures]int64
	pull  func() (ordered.Access, error, bool)
	read  int64

	instructions, initiations, barriers int64
	initiated                           []int64 // by symbol; nil where nobody asks for costs
	longInit                            bool
	last                                int // holder of the last turn
}

// inst is an op with dense registers.
type inst struct {
	init, lat     int64
	reads, writes []int32
	access        bool
}

func lower(in *ordered.Input) (insts []inst, regs int) {
	var used []int32
	for i := range in.Ops {
		used = append(append(used, in.Ops[i].Reads...), in.Ops[i].Writes...)
	}
	slices.Sort(used)
	used = slices.Compact(used)
	dense := func(rs []int32) []int32 {
		out := make([]int32, len(rs))
		for i, r := range rs {
			k, _ := slices.BinarySearch(used, r)
			out[i] = int32(k)
		}
		return out
	}
	for i := range in.Ops {
		op := &in.Ops[i]
		insts = append(insts, inst{
			init: op.InitCycles, lat: op.LatencyCycles, reads: dense(op.Reads), writes: dense(op.Writes),
			access: i < len(in.Accesses) && in.Accesses[i],
		})
	}
	return insts, len(used)
}

func newPass(ctx context.Context, m *ordered.CachedSM, in *ordered.Input, mem *Memory) *pass {
	insts, regs := lower(in)
	p := &pass{ctx: ctx, m: m, mem: mem, insts: insts, last: -1}
	for i := range p.clock {
		p.clock[i] = m.StartDelayCycles
	}
	if in.Costs != nil && in.Order == nil {
		p.initiated = make([]int64, len(insts))
	}
	for i := range in.Warps {
		w := &warp{regsOf: make([]*method.Chain, regs), sections: in.Warps[i].Sections, written: make([]int64, regs), regs: make([]int64, regs)}
		if len(w.sections) > 0 {
			w.cur.Reset(w.sections[0])
		}
		p.warps = append(p.warps, w)
	}
	return p
}

func (p *pass) run(in *ordered.Input) error {
	if in.Order != nil {
		pull, stop := iter.Pull2(in.Order)
		defer stop()
		p.pull = pull
	}
	sections := 0
	for _, w := range p.warps {
		sections = max(sections, len(w.sections))
	}
	next := 0
	for section := range sections {
		for {
			i := p.holder(next, section)
			if i < 0 {
				break
			}
			if err := p.take(p.warps[i]); err != nil {
				return err
			}
			p.last, next = i, i+1
		}
		if section+1 < sections {
			p.barrier(section)
		}
	}
	return nil
}

// holder is the first warp from a number on, in turn, that has an instruction
// left in the section; -1 if none has.
func (p *pass) holder(from, section int) int {
	for k := range p.warps {
		i := (from + k) % len(p.warps)
		if w := p.warps[i]; section < len(w.sections) {
			if _, ok := w.cur.Peek(); ok {
				return i
			}
		}
	}
	return -1
}

// take books the warp's next segment: eq. 2.
func (p *pass) take(w *warp) error {
	var issue, execute [figures]int64
	w.segment++
	for first := true; ; first = false {
		sym, ok := w.cur.Peek()
		if !ok {
			break
		}
		in := &p.insts[sym]
		if !first && w.reads(in) {
			break
		}
		w.cur.Next()
		lat, err := p.latencies(w, in)
		if err != nil {
			return err
		}
		for f := range figures {
			issue[f] += in.init
			execute[f] = max(execute[f], lat[f])
		}
		issue[counted] += 1 - in.init
		execute[counted] = max(execute[counted], in.init+lat[counted])
		if p.initiated != nil {
			p.initiated[sym] += in.init
			w.traceChain(sym, in, lat[published])
		}
		w.chain(in, lat[published])
		for _, r := range in.writes {
			w.written[r] = w.segment
		}
		p.longInit = p.longInit || in.init > 1
		p.instructions++
		p.initiations += in.init
		if issue[published] > maxTime || w.end > maxTime {
			return bound.ErrOverflow
		}
		if p.instructions&(1<<16-1) == 0 && p.ctx.Err() != nil {
			return p.ctx.Err()
		}
	}
	for f := range figures {
		start := max(p.clock[f], w.complete[f])
		p.clock[f] = start + issue[f]
		w.complete[f] = start + issue[f] + execute[f]
		if w.complete[f] > maxTime {
			return bound.ErrOverflow
		}
	}
	return nil
}

func (w *warp) reads(in *inst) bool {
	for _, r := range in.reads {
		if w.written[r] == w.segment {
			return true
		}
	}
	return false
}

// chain adds an instruction to the warp's chains of latencies.
func (w *warp) chain(in *inst, lat int64) {
	for _, r := range in.reads {
		w.next = max(w.next, w.regs[r])
	}
	for _, r := range in.writes {
		w.regs[r] = w.next + lat
	}
	w.end = max(w.end, w.next+lat)
}

// traceChain is chain for what times are the sums of, before it.
func (w *warp) traceChain(sym int32, in *inst, lat int64) {
	next := w.next
	for _, r := range in.reads {
		if w.regs[r] > next {
			next, w.nextOf = w.regs[r], w.regsOf[r]
		}
	}
	done := w.nextOf.Then(method.Awaited, sym, lat)
	for _, r := range in.writes {
		w.regsOf[r] = done
	}
	if next+lat > w.end {
		w.endOf = done
	}
}

// latencies of the warp's next instruction in each figure.
func (p *pass) latencies(w *warp, in *inst) (lat [figures]int64, err error) {
	if !in.access {
		return [figures]int64{in.lat, in.lat, in.lat, in.lat}, nil
	}
	unknown := p.mem.UnknownCycles()
	lat = [figures]int64{unknown, unknown, p.mem.EstimateCycles(), unknown}
	if p.pull == nil {
		return lat, nil
	}
	for len(w.ahead) == 0 {
		if err := p.readOne(); err != nil {
			return lat, err
		}
	}
	lat[classed] = p.mem.ClassCycles(&w.ahead[0])
	w.ahead = w.ahead[1:]
	return lat, nil
}

// maxAhead bounds how far the order is read ahead.
const maxAhead = 1 << 20

func (p *pass) readOne() error {
	a, err, ok := p.pull()
	switch {
	case err != nil:
		return err
	case !ok:
		return &ordered.OrderError{Place: p.read, Reason: "the order has ended, and the programs have not"}
	case a.Warp < 0 || a.Warp >= len(p.warps):
		return fmt.Errorf("place %d of the order: warp %d, expected 0 to %d", p.read, a.Warp, len(p.warps)-1)
	case a.Hits < 0 || a.Requests < 0 || int64(a.Hits) > maxLines || int64(a.Requests) > maxLines:
		return fmt.Errorf("place %d of the order: %d hits and %d requests, expected 0 to %d", p.read, a.Hits, a.Requests, maxLines)
	}
	w := p.warps[a.Warp]
	if len(w.ahead) >= maxAhead {
		return fmt.Errorf("the order is more than %d accesses of warp %d ahead of the turns", maxAhead, a.Warp)
	}
	w.ahead = append(w.ahead, a)
	p.read++
	return nil
}

// barrier lifts all clocks to the opening of the barrier behind a section.
func (p *pass) barrier(section int) {
	p.barriers++
	for _, w := range p.warps {
		ended := section+1 >= len(w.sections)
		if p.m.DrainingBarriers || ended {
			for f := range figures {
				p.clock[f] = max(p.clock[f], w.complete[f])
			}
			w.next, w.nextOf = w.end, w.endOf
		}
		if !ended {
			w.cur.Reset(w.sections[section+1])
		}
	}
	for f := range figures {
		p.clock[f] += p.m.BarrierDelayCycles
	}
}

// check validates what the pass relies on.
func check(in *ordered.Input) error {
	if len(in.Warps) == 0 {
		return errors.New("no warps")
	}
	if len(in.Accesses) != 0 && len(in.Accesses) != len(in.Ops) {
		return fmt.Errorf("accesses marked for %d of %d ops", len(in.Accesses), len(in.Ops))
	}
	for i := range in.Ops {
		if err := checkOp(&in.Ops[i]); err != nil {
			return fmt.Errorf("op %d: %w", i, err)
		}
	}
	for i := range in.Warps {
		for j, s := range in.Warps[i].Sections {
			if s == nil {
				return fmt.Errorf("warp %d, section %d is nil", i, j)
			}
			if err := s.Counts(1, make([]int64, len(in.Ops))); err != nil {
				return fmt.Errorf("warp %d, section %d: %w", i, j, err)
			}
		}
	}
	return nil
}

func checkOp(op *method.Op) error {
	if op.InitCycles < 1 || op.InitCycles > maxCycles || op.LatencyCycles < 0 || op.LatencyCycles > maxCycles {
		return fmt.Errorf("initiation of %d and latency of %d cycles, expected 1 to %d and 0 to %d", op.InitCycles, op.LatencyCycles, maxCycles, maxCycles)
	}
	for _, r := range slices.Concat(op.Reads, op.Writes) {
		if r < 0 {
			return fmt.Errorf("register %d is negative", r)
		}
	}
	return nil
}
