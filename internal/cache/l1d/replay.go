package l1d

import (
	"context"
	"math/bits"

	"github.com/warpbound/warpbound/internal/cache"
	"github.com/warpbound/warpbound/internal/simt"
)

// replay sends the accesses of the blocks of one SM, taken from the recording of
// their classes, in the enforced order.
//
// The accesses of one block come in an order that other blocks do not change, and
// the next one of all is that of the block whose next one has the lowest program
// point, then of the lowest block. Blocks of one class have the same points. So
// the order is: the classes whose next point is the lowest, their blocks in turn,
// each with all its accesses at this point.
type replay struct {
	rec     *recording
	segment uint64 // bytes
	shift   uint   // log2 of it
	lists   [][]lineList
	blocks  []replayed
	cursors []cursor // by class
	live    []int    // classes with blocks resident and accesses left

	access   Access   // of the block and access that are sent
	requests []uint64 // of the accesses that are counted
}

// replayed is a resident block.
type replayed struct {
	block  int64
	class  int
	shifts []uint64 // by slot
}

// lineList is the segments of a shape, from the one that holds the first address,
// for one place of that address in its segment.
type lineList struct {
	known bool
	lines []uint64
}

func newReplay(rec *recording, segmentBytes int) *replay {
	return &replay{
		rec: rec, segment: uint64(segmentBytes), shift: uint(bits.TrailingZeros(uint(segmentBytes))),
		lists: make([][]lineList, len(rec.shapes)), cursors: make([]cursor, len(rec.classes)),
	}
}

// admit makes blocks resident in place of those before. Blocks ascend.
func (r *replay) admit(blocks []int64) (executed int64) {
	r.blocks = r.blocks[:cap(r.blocks)]
	for len(r.blocks) < len(blocks) {
		r.blocks = append(r.blocks, replayed{})
	}
	r.blocks = r.blocks[:len(blocks)]
	r.live = r.live[:0]
	for i := range r.cursors {
		r.cursors[i].present = false
	}
	for i, b := range blocks {
		at := simt.BlockAt(r.rec.Grid, b)
		x := &r.blocks[i]
		if x.shifts == nil {
			x.shifts = make([]uint64, len(r.rec.pcs))
		}
		x.block, x.class = b, r.rec.Class(at)
		c := &r.rec.classes[x.class]
		from := c.class.Representative
		d := [3]int64{at[0] - from[0], at[1] - from[1], at[2] - from[2]}
		for slot, pc := range r.rec.pcs {
			x.shifts[slot] = uint64(simt.Dot(c.class.Shifts[pc], d))
		}
		executed += c.executed
		if q := &r.cursors[x.class]; !q.present {
			q.present = true
			q.start(r.rec, c)
			if len(q.run) > 0 {
				r.live = append(r.live, x.class)
			}
		}
	}
	return executed
}

// drain sends everything: send is given a block and its accesses at one point.
func (r *replay) drain(ctx context.Context, send func(b *replayed, run []recorded) error) error {
	sent := 0
	for len(r.live) > 0 {
		first := r.live[0]
		for _, c := range r.live[1:] {
			if comparePoints(r.point(c), r.point(first)) < 0 {
				first = c
			}
		}
		for i := range r.blocks {
			b := &r.blocks[i]
			if c := b.class; c != first && (len(r.live) == 1 || !r.level(c, first)) {
				continue
			}
			run := r.cursors[b.class].run
			if err := send(b, run); err != nil {
				return err
			}
			sent += len(run)
		}
		r.advance(first)
		if sent > 1<<16 {
			sent = 0
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *replay) point(class int) []int64 { return r.cursors[class].place.point }

// level says whether a class has accesses left and is at the same point as
// another.
func (r *replay) level(class, as int) bool {
	return len(r.cursors[class].run) > 0 && comparePoints(r.point(class), r.point(as)) == 0
}

// advance moves the classes that are at the point of the given one to their next
// point.
func (r *replay) advance(first int) {
	n := 0
	for _, c := range r.live {
		if c != first && comparePoints(r.point(c), r.point(first)) == 0 {
			r.cursors[c].advance()
		}
	}
	r.cursors[first].advance()
	for _, c := range r.live {
		if len(r.cursors[c].run) > 0 {
			r.live[n] = c
			n++
		}
	}
	r.live = r.live[:n]
}

// lines are the segments of an access at an address, from the one that holds it.
func (r *replay) lines(id int32, address uint64) []uint64 {
	list := r.lists[id]
	if list == nil {
		list = make([]lineList, r.segment)
		r.lists[id] = list
	}
	l := &list[address&(r.segment-1)]
	if !l.known {
		r.fill(l, &r.rec.shapes[id], address)
	}
	return l.lines
}

func (r *replay) fill(l *lineList, x *shape, address uint64) {
	s := simt.Step{Exec: x.exec, WidthBytes: x.width}
	for m := x.exec; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(uint32(m)) & 31
		s.Addresses[i] = address + x.offsets[i]
	}
	l.known, l.lines = true, coalesce(nil, &s, r.shift)
	for i := range l.lines {
		l.lines[i] -= address &^ (r.segment - 1)
	}
}

// replaySM is estimateSM by replaying.
func (rec *recording) replaySM(ctx context.Context, r Residency, sm int, caches []cache.Config, opt EstimateOptions, done *retired) (*smEstimate, error) {
	e, err := newSMEstimate(rec.points.program, rec.warps(), caches, opt)
	if err != nil {
		return nil, err
	}
	p := newReplay(rec, opt.SegmentBytes)
	kinds := make([]Kind, len(rec.pcs))
	for slot, pc := range rec.pcs {
		kinds[slot] = kindOf(&rec.points.program.Instructions[pc])
	}
	send := func(b *replayed, run []recorded) error {
		e.count(p, b, run, kinds)
		return nil
	}
	if opt.Classes || opt.Observe != nil {
		results := make([][]cache.Result, len(caches))
		a := &p.access
		send = func(b *replayed, run []recorded) error {
			for i := range run {
				p.expand(a, b, &run[i])
				a.Kind = kinds[run[i].slot]
				if err := e.serve(sm, a, results, opt.Observe); err != nil {
					return err
				}
			}
			return nil
		}
	}
	var blocks []int64
	for batch := range r.Rounds() {
		if blocks = r.Batch(blocks[:0], sm, batch); len(blocks) == 0 {
			break
		}
		e.executed += p.admit(blocks)
		if err := p.drain(ctx, send); err != nil {
			return nil, err
		}
		for _, b := range blocks {
			e.retire(b)
		}
		done.add(int64(len(blocks)))
	}
	return e, nil
}

func (rec *recording) warps() int { return simt.NumWarps(rec.block, rec.warpSize) }

// expand makes an access of a block what Order.NextAccess returns.
func (r *replay) expand(a *Access, b *replayed, x *recorded) {
	address := x.base + b.shifts[x.slot]
	first := address &^ (r.segment - 1)
	a.Block, a.Warp, a.Index, a.PC = b.block, int(x.warp), x.index, r.rec.pcs[x.slot]
	a.Lanes = bits.OnesCount32(uint32(r.rec.shapes[x.shape].exec))
	a.Lines = a.Lines[:0]
	for _, off := range r.lines(x.shape, address) {
		a.Lines = append(a.Lines, first+off)
	}
}

// count sends accesses of a block at one point through the caches, and counts.
func (e *smEstimate) count(r *replay, b *replayed, run []recorded, kinds []Kind) {
	for len(run) > 0 {
		// One point is one instruction, so this loop is left after one round; it
		// keeps the counts right whatever points are.
		n, slot := 1, run[0].slot
		for n < len(run) && run[n].slot == slot {
			n++
		}
		e.countInstruction(r, run[:n], b.shifts[slot], r.rec.pcs[slot], kinds[slot])
		run = run[n:]
	}
}

// countInstruction is count for accesses by one instruction.
func (e *smEstimate) countInstruction(r *replay, run []recorded, by uint64, pc int32, kind Kind) {
	r.requests = r.requests[:0]
	most := 0
	mask := r.segment - 1
	for i := range run {
		address := run[i].base + by
		lines := r.lines(run[i].shape, address)
		most = max(most, len(lines))
		if len(lines) == 1 {
			r.requests = append(r.requests, address&^mask+lines[0])
			continue
		}
		for _, off := range lines {
			r.requests = append(r.requests, address&^mask+off)
		}
	}
	in := &e.instructions[pc]
	in.Accesses += int64(len(run))
	in.Segments += int64(len(r.requests))
	in.Most = max(in.Most, most)
	if k, touches := kind.cacheKind(); touches {
		for i := range e.caches {
			e.caches[i].model.Count(r.requests, k, &e.caches[i].counts[pc])
		}
	}
}
