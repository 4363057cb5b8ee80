package ordered

import (
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/ordered/stream"
	"github.com/warpbound/warpbound/internal/seq"
)

// none is a common time that lifts nothing. Times on a common clock can be
// negative, but not as small as this one plus any time.
const none = -(int64(1) << 61)

// moment is a point in time of an execution, bounded in two ways at once: it is
// no later than the larger of own, on the clock of the warp it belongs to, and
// shared, on the common clock (docs/soundness/order.md, section 17).
type moment struct{ own, shared int64 }

func (a moment) plus(cycles int64) moment { return moment{a.own + cycles, a.shared + cycles} }

func later(a, b moment) moment { return moment{max(a.own, b.own), max(a.shared, b.shared)} }

// inst is a lowered op: registers are dense.
type inst struct {
	unit      int
	init, lat int64
	reads     []int32
	writes    []int32
	access    bool
}

func lower(in *Input) (insts []inst, units, regs int) {
	var used []int32
	for i := range in.Ops {
		used = append(append(used, in.Ops[i].Reads...), in.Ops[i].Writes...)
		units = max(units, in.Ops[i].Unit+1)
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
	insts = make([]inst, len(in.Ops))
	for i := range in.Ops {
		op := &in.Ops[i]
		insts[i] = inst{
			unit: op.Unit, init: op.InitCycles, lat: op.LatencyCycles,
			reads: dense(op.Reads), writes: dense(op.Writes), access: in.Accesses[i],
		}
	}
	return insts, units, len(used)
}

// warp is a warp on its way through its program.
type warp struct {
	id       int
	block    *block
	sections []*seq.Seq
	section  int
	cur      stream.Cursor

	next   int64 // b of the next instruction, its sources and its unit apart
	passed int64 // P: what the instructions up to here initiate
	before int64 // M: the largest b − P of any instruction up to here
	end    moment
	units  []int64
	regs   []moment

	index   int64 // accesses up to here
	entered int64 // channel entries of all accesses up to here
	drained int64 // of them, those known to have left the channel
	writer  []int64
	channel []place
}

// place is an access in the channel: the entries of the warp's accesses up to
// it, and when it leaves.
type place struct {
	entered int64
	left    moment
}

// issue is the time of the next instruction on the warp's clock, its dispatch,
// and the step to the next one.
func (p *pass) issue(w *warp, in *inst, earliest int64) (dispatch int64) {
	b := max(w.next, earliest)
	for _, r := range in.reads {
		t := w.regs[r]
		b = max(b, t.own, t.shared+w.passed)
		w.drained = max(w.drained, w.writer[r])
	}
	dispatch = max(b, w.units[in.unit])
	if p.m.Queue != method.Unbounded {
		b = dispatch
	}
	w.before = max(w.before, b-w.passed)
	init := in.init * p.own
	w.units[in.unit] = dispatch + init
	w.passed += init
	w.next = b + p.own
	if p.m.Queue == method.Pooled {
		w.next = b + init
	}
	return dispatch
}

func (w *warp) write(in *inst, done moment, entered int64) {
	w.end = later(w.end, done)
	for _, r := range in.writes {
		w.regs[r] = done
		w.writer[r] = entered
	}
}

// plain executes an instruction that is no access.
func (p *pass) plain(w *warp, sym int32) error {
	in := &p.insts[sym]
	d := p.issue(w, in, 0)
	done := moment{d + in.init*p.own + in.lat, none}
	w.write(in, done, 0)
	return p.count(in, in.init+in.lat, done.own)
}

// count adds an executed instruction to the sums.
func (p *pass) count(in *inst, serial, latest int64) error {
	p.instructions++
	p.initiations += in.init
	p.serial += serial
	if p.serial > maxTime || latest > maxTime {
		return bound.ErrOverflow
	}
	if p.instructions&(1<<16-1) == 0 {
		return p.ctx.Err()
	}
	return nil
}

// toAccess executes a warp up to its next access, barriers included, and
// returns the access's symbol; ok is false if it has none left.
func (p *pass) toAccess(w *warp) (sym int32, ok bool, err error) {
	for {
		sym, ok, err = p.toBorder(w)
		if ok || err != nil {
			return sym, ok, err
		}
		if w.section+1 >= len(w.sections) {
			w.section = len(w.sections)
			return 0, false, nil
		}
		if err := p.barrier(w.block, w.section); err != nil {
			return 0, false, err
		}
	}
}

// toBorder executes a warp up to the next access of its section, or to the end
// of the section.
func (p *pass) toBorder(w *warp) (sym int32, ok bool, err error) {
	for {
		sym, ok = w.cur.Peek()
		if !ok || p.insts[sym].access {
			return sym, ok, nil
		}
		w.cur.Next()
		if err := p.plain(w, sym); err != nil {
			return 0, false, err
		}
	}
}

// block is the warps that meet at a barrier.
type block struct {
	number int
	warps  []*warp
}

// barrier brings all warps of a block to the end of a section, or to their own
// end if they have fewer, and advances the clocks of those that continue. No
// warp is in an earlier section: each barrier before this one advanced all of
// them.
func (p *pass) barrier(b *block, section int) error {
	opens := none
	for _, u := range b.warps {
		sym, ok, err := p.toBorder(u)
		switch {
		case err != nil:
			return err
		case ok:
			return &OrderError{Place: p.places, Warp: u.id, Reason: fmt.Sprintf("its access number %d (symbol %d) comes before the barrier of section %d in the program, and behind an access beyond that barrier in the order", u.index, sym, section)}
		}
		opens = max(opens, u.before, u.next-u.passed)
		if section+1 >= len(u.sections) {
			u.section = len(u.sections)
		}
		if p.m.DrainingBarriers || u.section == len(u.sections) {
			opens = max(opens, u.end.own-u.passed, u.end.shared)
		}
	}
	opens += p.m.BarrierDelayCycles
	p.barriers++
	for _, u := range b.warps {
		if u.section == len(u.sections) {
			continue
		}
		if p.m.DrainingBarriers {
			u.drained = u.entered
		}
		u.next = max(u.next, opens+u.passed)
		if u.next > maxTime {
			return bound.ErrOverflow
		}
		u.section++
		u.cur.Reset(u.sections[u.section])
	}
	return nil
}
