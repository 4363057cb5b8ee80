package analysis

import (
	"context"
	"slices"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/cache"
	"github.com/warpbound/warpbound/internal/cache/l1d"
	"github.com/warpbound/warpbound/internal/cache/static"
	"github.com/warpbound/warpbound/isa"
)

// anyOrder bounds the misses of several caches over all orders of the accesses of a
// launch. The accesses are not kept: those that an estimate observes, SM by SM, say
// which warps touch which lines; then blocks are executed once more, one by one, to
// go along their warps. So memory is in proportion to the distinct lines of a group
// of warps that share a cache, up to a limit, and to the warps of a block.
//
// Where it is known which blocks an SM gets, a group is what runs on it. Otherwise
// all warps are one group: what internal/cache/static says of a group holds of every part of
// it, so of what an SM gets, whatever that is.
type anyOrder struct {
	configs   []cache.Config
	residency l1d.Residency
	perBlock  int // warps of a block
	dealt     bool
	inWarps   static.Order // of the accesses of one warp
	limit     int          // of the lines of a group
	// order is the order of the accesses of the launch from its start on, with
	// nothing resident.
	order func() (*l1d.Order, error)

	group int             // SM, or 0
	lines []*static.Lines // of the group, each for all configurations that it serves
	of    []int           // by configuration: its lines
	sums  []AnyOrder
}

func newAnyOrder(configs []cache.Config, r l1d.Residency, perBlock int, dealt bool, inWarps static.Order, order func() (*l1d.Order, error)) *anyOrder {
	return &anyOrder{configs: configs, residency: r, perBlock: perBlock, dealt: dealt, inWarps: inWarps, order: order, sums: make([]AnyOrder, len(configs))}
}

// orderInWarps is the order in which the accesses of one warp reach the tags: that of
// the program only where units take the instructions of a warp in order, and one unit
// has all that reach the tags. Of two units one serves what it is given while the
// other's queue waits. Collectors keep no order: an instruction whose operands are read
// first goes first.
func orderInWarps(m *gpu.Machine, p *isa.Program, timing []gpu.Timing) static.Order {
	if m.Desc.Queue.KeepsWarpOrder && m.Desc.Pipeline == nil && oneUnit(p, timing) {
		return static.ProgramOrder
	}
	return static.NoOrder
}

// oneUnit says that a single unit has all instructions that reach the tags.
func oneUnit(p *isa.Program, timing []gpu.Timing) bool {
	unit := int32(-1)
	for pc := range p.Instructions {
		in := &p.Instructions[pc]
		if in.Kind == isa.Atomic || !l1d.MayAccessGlobal(in) {
			continue
		}
		if unit >= 0 && timing[pc].Unit != unit {
			return false
		}
		unit = timing[pc].Unit
	}
	return true
}

// begin makes the lines of a group.
func (o *anyOrder) begin(group int) error {
	o.group, o.lines, o.of = group, nil, nil
	for _, c := range o.configs {
		i := slices.IndexFunc(o.lines, func(l *static.Lines) bool { return l.Serves(c) })
		if i < 0 {
			l, err := static.NewLines(c, o.inWarps, o.limit)
			if err != nil {
				return err
			}
			i = len(o.lines)
			o.lines = append(o.lines, l)
		}
		o.of = append(o.of, i)
	}
	return nil
}

// add observes an access of the estimate.
func (o *anyOrder) add(ctx context.Context, sm int, a *l1d.Access) error {
	switch {
	case o.lines == nil:
		if err := o.begin(sm); err != nil {
			return err
		}
	case o.dealt && sm != o.group:
		if err := o.finish(ctx); err != nil {
			return err
		}
		if err := o.begin(sm); err != nil {
			return err
		}
	}
	if a.Kind == l1d.Atomic {
		return nil
	}
	warp, kind := o.warp(a.Block, a.Warp), tagKind(a.Kind)
	for _, l := range o.lines {
		for _, addr := range a.Lines {
			if err := l.Note(warp, addr, kind); err != nil {
				return err
			}
		}
	}
	return nil
}

// warp is the number of a warp in the launch.
func (o *anyOrder) warp(block int64, warp int) int64 { return block*int64(o.perBlock) + int64(warp) }

func tagKind(k l1d.Kind) cache.Kind {
	if k == l1d.Store {
		return cache.Store
	}
	return cache.Load
}

// finish walks along all warps of the group and adds up what is known of them.
func (o *anyOrder) finish(ctx context.Context) error {
	if o.lines == nil {
		return nil // no accesses
	}
	caches := make([]*static.Analysis, len(o.configs))
	for i, c := range o.configs {
		var err error
		if caches[i], err = o.lines[o.of[i]].Analyse(c, static.Cold); err != nil {
			return err
		}
	}
	order, err := o.order()
	if err != nil {
		return err
	}
	w := newBlockWalk(o, caches)
	step := int64(1)
	first := int64(0)
	if o.dealt {
		step, first = int64(o.residency.SMs), int64(o.group)
	}
	blocks := o.residency.Blocks
	for b := first; b < blocks; b += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := w.block(order, b); err != nil {
			return err
		}
	}
	for i, a := range caches {
		o.sum(&o.sums[i], a.Totals(), o.lines[o.of[i]].Complete())
	}
	o.lines = nil
	return nil
}

// sum adds what is known of a group.
func (o *anyOrder) sum(to *AnyOrder, t static.Totals, complete bool) {
	addTally(&to.Loads, t.Loads)
	addTally(&to.Stores, t.Stores)
	to.PersistentSectors += t.PersistentSectors
	to.LinesLeftOut = to.LinesLeftOut || !complete
	least, most := t.Misses()
	if !o.dealt {
		// A persistent sector misses once on each SM.
		most += t.PersistentSectors * int64(o.residency.SMs-1)
		most = min(most, t.Loads.Accesses+t.Stores.Accesses-t.Loads.AlwaysHit-t.Stores.AlwaysHit)
	}
	to.LeastMisses += least
	to.MostMisses += most
}

// blockWalk goes along the warps of one block after the other.
type blockWalk struct {
	o     *anyOrder
	walks [][]*static.Walk // by warp and configuration
	at    []static.At      // by lines
}

func newBlockWalk(o *anyOrder, caches []*static.Analysis) *blockWalk {
	w := &blockWalk{o: o, walks: make([][]*static.Walk, o.perBlock), at: make([]static.At, len(o.lines))}
	for i := range w.walks {
		for _, a := range caches {
			w.walks[i] = append(w.walks[i], a.NewWalk())
		}
	}
	return w
}

// begin starts the walks along the warps of a block.
func (w *blockWalk) begin(block int64) error {
	for i, walks := range w.walks {
		for _, walk := range walks {
			if err := walk.Begin(w.o.warp(block, i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// block executes a block.
func (w *blockWalk) block(order *l1d.Order, block int64) error {
	if err := w.begin(block); err != nil {
		return err
	}
	if err := order.Admit(0, block); err != nil {
		return err
	}
	for {
		a, err := order.NextAccess(0)
		if err != nil {
			return err
		}
		if a == nil {
			return order.Retire(0, block)
		}
		if a.Kind != l1d.Atomic {
			if err := w.access(a); err != nil {
				return err
			}
		}
		if err := order.Sent(0); err != nil {
			return err
		}
	}
}

// access goes past an access of a warp.
func (w *blockWalk) access(a *l1d.Access) error {
	kind := tagKind(a.Kind)
	for _, addr := range a.Lines {
		for i, l := range w.o.lines {
			var err error
			if w.at[i], err = l.Find(addr); err != nil {
				return err
			}
		}
		for i, walk := range w.walks[a.Warp] {
			walk.Step(w.at[w.o.of[i]], kind)
		}
	}
	return nil
}

func addTally(to *static.Tally, x static.Tally) {
	to.Accesses += x.Accesses
	to.AlwaysHit += x.AlwaysHit
	to.AlwaysMiss += x.AlwaysMiss
	to.Persistent += x.Persistent
	to.Unclassified += x.Unclassified
}
