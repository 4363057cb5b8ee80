package replay

import (
	"fmt"
	"slices"
	"sort"

	"github.com/warpbound/warpbound/internal/seq"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// A spawnWatch notes how the warps of a launch wait for one another where they do
// not start together: path records what they execute, and not when.
type spawnWatch struct {
	simt.Kernel
	blocks []*watchedBlock // those of which a warp sleeps at the start
	joins  []bool          // by PC, nil where the kernel is no joiner
}

// A joiner is a kernel with instructions that wait until all other warps have
// ended. Whether they have to wait depends on timing, so a recording in which
// they did not wait does not show it.
type joiner interface {
	// Joins says that the instruction at pc is one.
	Joins(pc int32) bool
}

func newSpawnWatch(k simt.Kernel) *spawnWatch {
	w := &spawnWatch{Kernel: k}
	if j, ok := k.(joiner); ok {
		w.joins = make([]bool, len(k.Program().Instructions))
		for pc := range w.joins {
			w.joins[pc] = j.Joins(int32(pc))
		}
	}
	return w
}

// Follower is that of the kernel, if it has one. Blocks whose warps do not start
// together are never recorded by class, so nothing is missed.
func (k *spawnWatch) Follower() (simt.Follower, error) {
	if f, ok := k.Kernel.(simt.Followable); ok {
		return f.Follower()
	}
	return nil, simt.ErrNotFollowed
}

// watchedBlock is the warps of a block with what they do to others.
type watchedBlock struct {
	simt.Block
	watch    []watchedWarp
	list     []simt.Warp
	asleep   []bool // at the start
	anyone   bool   // sleeps at the start
	spawner  *warpSync
	arrivals map[int32][]*warpSync // by barrier: those that wait
	joins    []bool
	waiting  []int // warps, ascending
}

// warpSync is an instruction of a warp that waits for others, or releases them.
type warpSync struct {
	index   int64 // of the instruction, in the warp
	sync    Sync
	barrier int32
	count   int
	wakes   []int
}

type watchedWarp struct {
	simt.Warp
	block *watchedBlock
	id    int
	index int64
	syncs []*warpSync
}

// NewBlock implements simt.Kernel.
func (k *spawnWatch) NewBlock(i int64) (simt.Block, error) {
	b, err := k.Kernel.NewBlock(i)
	if err != nil {
		return nil, err
	}
	w := &watchedBlock{Block: b, arrivals: map[int32][]*warpSync{}, joins: k.joins}
	ws := b.Warps()
	w.watch, w.list, w.asleep = make([]watchedWarp, len(ws)), make([]simt.Warp, len(ws)), make([]bool, len(ws))
	for j := range ws {
		w.watch[j] = watchedWarp{Warp: ws[j], block: w, id: j}
		w.list[j] = &w.watch[j]
		w.asleep[j] = ws[j].Status() == simt.Waiting
		w.anyone = w.anyone || w.asleep[j]
	}
	if !w.anyone {
		return b, nil
	}
	w.waiting = w.nowWaiting()
	k.blocks = append(k.blocks, w)
	return w, nil
}

// Warps implements simt.Block.
func (b *watchedBlock) Warps() []simt.Warp { return b.list }

// Wait implements simt.Waiter.
func (b *watchedBlock) Wait(warp int) (simt.Wait, bool) {
	if w, ok := b.Block.(simt.Waiter); ok {
		return w.Wait(warp)
	}
	return simt.Wait{}, false
}

// Step implements simt.Warp.
func (w *watchedWarp) Step(s *simt.Step) error {
	if err := w.Warp.Step(s); err != nil {
		return err
	}
	w.index++
	b := w.block
	joins := b.joins != nil && b.joins[s.PC]
	if s.Barrier < 0 && !s.BarrierOpened && s.NextPC != isa.NoPC && !joins && w.Warp.Status() == simt.Ready {
		return nil
	}
	waiting := b.waiting
	b.waiting = b.nowWaiting()
	note := func(x warpSync) *warpSync {
		x.index = w.index - 1
		w.syncs = append(w.syncs, &x)
		return &x
	}
	switch {
	case s.Barrier >= 0:
		x := note(warpSync{sync: Await, barrier: s.Barrier})
		b.arrivals[s.Barrier] = append(b.arrivals[s.Barrier], x)
		if s.BarrierOpened {
			for _, a := range b.arrivals[s.Barrier] {
				a.count = len(b.arrivals[s.Barrier])
			}
			delete(b.arrivals, s.Barrier)
		}
	case s.NextPC == isa.NoPC:
		note(warpSync{sync: Sleep})
		if s.BarrierOpened && b.spawner != nil {
			// The warp that ended may be one of those started.
			b.spawner.wakes = b.started(append(slices.Clone(waiting), w.id), -1)
			slices.Sort(b.spawner.wakes)
			b.spawner = nil
		}
	case w.Status() == simt.Waiting:
		b.spawner = note(warpSync{sync: SpawnAlone})
	case joins:
		note(warpSync{sync: SpawnAlone, wakes: b.started(waiting, w.id)})
	case s.BarrierOpened:
		note(warpSync{sync: Spawn, wakes: b.started(waiting, w.id)})
	}
	return nil
}

// nowWaiting are the warps of a block that wait, ascending.
func (b *watchedBlock) nowWaiting() []int {
	var out []int
	for i := range b.watch {
		if b.watch[i].Status() == simt.Waiting {
			out = append(out, i)
		}
	}
	return out
}

// started are the warps that have stopped waiting, without the spawner, whose
// instruction it is, and warp except (-1: none).
func (b *watchedBlock) started(waited []int, except int) []int {
	var out []int
	for _, i := range waited {
		spawns := len(b.watch[i].syncs) > 0 && b.spawner != nil && b.watch[i].syncs[len(b.watch[i].syncs)-1] == b.spawner
		if i != except && !spawns && b.watch[i].Status() == simt.Ready {
			out = append(out, i)
		}
	}
	return out
}

// syncOps makes ops of instructions that wait for others or release them.
type syncOps struct {
	in *Input
	of map[string]int32
}

func (o *syncOps) op(symbol int32, x *warpSync) int32 {
	key := fmt.Sprint(symbol, x.sync, x.barrier, x.count, x.wakes)
	id, ok := o.of[key]
	if !ok {
		op := o.in.Ops[symbol]
		op.Sync, op.Barrier, op.Count, op.Wakes = x.sync, x.barrier, x.count, x.wakes
		id = int32(len(o.in.Ops))
		o.in.Ops = append(o.in.Ops, op)
		o.of[key] = id
	}
	return id
}

// mark puts the ops of syncs, by index, in place of their symbols in items that
// begin with instruction base of the warp. Consecutive equal iterations stay
// folded.
func (o *syncOps) mark(items []seq.Item, base int64, syncs []*warpSync) ([]seq.Item, error) {
	var out []seq.Item
	for _, it := range items {
		if it.Body == nil {
			first := 0
			end := base + int64(len(it.Symbols))
			for len(syncs) > 0 && syncs[0].index < end {
				at := int(syncs[0].index - base)
				out = append(out, seq.Run(it.Symbols[first:at]...), seq.Run(o.op(it.Symbols[at], syncs[0])))
				first, syncs = at+1, syncs[1:]
			}
			out = append(out, seq.Run(it.Symbols[first:]...))
			base = end
			continue
		}
		length := it.Body.Len()
		end := base + it.Count*length
		var last *seq.Seq // iterations not put out yet
		var times int64
		add := func(n int64, body *seq.Seq) {
			if last != nil && seq.Equal(last, body) {
				times += n
				return
			}
			if times > 0 {
				out = append(out, seq.Repeat(times, last))
			}
			last, times = body, n
		}
		for base < end {
			before := (end - base) / length
			if len(syncs) > 0 && syncs[0].index < end {
				before = (syncs[0].index - base) / length
			}
			if before > 0 {
				add(before, it.Body)
				base += before * length
				continue
			}
			n := sort.Search(len(syncs), func(i int) bool { return syncs[i].index >= base+length })
			marked, err := o.mark(it.Body.Items(), base, syncs[:n])
			if err != nil {
				return nil, err
			}
			body, err := seq.New(marked...)
			if err != nil {
				return nil, err
			}
			add(1, body)
			base, syncs = base+length, syncs[n:]
		}
		if times > 0 {
			out = append(out, seq.Repeat(times, last))
		}
	}
	return out, nil
}

// same tells whether two blocks wait in the same way.
func (b *watchedBlock) same(c *watchedBlock) bool {
	if !slices.Equal(b.asleep, c.asleep) {
		return false
	}
	for i := range b.watch {
		if !slices.EqualFunc(b.watch[i].syncs, c.watch[i].syncs, func(x, y *warpSync) bool {
			return x.index == y.index && x.sync == y.sync && x.barrier == y.barrier && x.count == y.count && slices.Equal(x.wakes, y.wakes)
		}) {
			return false
		}
	}
	return true
}

// spawning makes the blocks of the input for a launch whose warps start one
// another.
func (r *launch) spawning(in *Input, watched []*watchedBlock) error {
	if int64(len(watched)) != r.Path.Blocks() {
		return fmt.Errorf("in %d of %d blocks warps start one another", len(watched), r.Path.Blocks())
	}
	ops := &syncOps{in, map[string]int32{}}
	for i := range watched {
		if first := r.Path.Classes[r.Path.Class(int64(i))].First; !watched[i].same(watched[first]) {
			return fmt.Errorf("blocks %d and %d execute the same and wait differently", first, i)
		}
	}
	for _, c := range r.Path.Classes {
		w := watched[c.First]
		b := Block{Asleep: w.asleep}
		for id, class := range c.Schedule {
			stream := c.Warps[class].Warp.Whole
			if stream.Len() == 0 {
				b.Warps = append(b.Warps, nil)
				continue
			}
			items, err := ops.mark(stream.Items(), 0, w.watch[id].syncs)
			if err != nil {
				return err
			}
			s, err := seq.New(items...)
			if err != nil {
				return err
			}
			b.Warps = append(b.Warps, s)
		}
		in.Blocks = append(in.Blocks, b)
	}
	return nil
}
