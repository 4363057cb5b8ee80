package ptxexec

import (
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/taint"
)

// block is one thread block: its warps, shared memory and barriers.
type block struct {
	k        *Kernel
	index    int64
	warps    []warp
	list     []simt.Warp
	shared   []byte
	taint    [numViews]sharedTaint
	epoch    uint32     // the time between two barriers of the whole block
	held     bool       // barriers do not end it
	hits     []*segment // last buffer hit by each memory instruction
	barriers [numBarriers]barrierState
	more     *[simt.MaxMore][simt.MaxLanes]uint64 // of the step executed last, where lanes access several places
	released bool
	several  bool // it stands for all blocks of the grid (closed covering executions)
}

// newBlock allocates a block's warps; open prepares it for a block number.
func newBlock(k *Kernel) *block {
	p := k.prog
	n := simt.NumWarps(k.block, k.warpSize)
	b := &block{
		k:      k,
		warps:  make([]warp, n),
		list:   make([]simt.Warp, n),
		shared: make([]byte, k.sharedBytes+pad),
		hits:   make([]*segment, p.sites),
	}
	for v := range k.views {
		b.taint[v].shadow = make([]bool, (k.sharedBytes+granule-1)/granule)
		b.taint[v].accesses = make([]taint.Access, len(b.taint[v].shadow))
	}
	vals := make([]lanes, n*len(p.regInit))
	st := make([]uint8, n*len(p.regInit))
	preds := make([]uint32, n*p.numPreds)
	for i := range b.warps {
		w := &b.warps[i]
		w.blk, w.id, w.code = b, i, p.code
		w.local.vary = k.vary
		w.vals, vals = vals[:len(p.regInit):len(p.regInit)], vals[len(p.regInit):]
		w.st, st = st[:len(p.regInit):len(p.regInit)], st[len(p.regInit):]
		w.preds, preds = preds[:p.numPreds:p.numPreds], preds[p.numPreds:]
		for v := range k.views {
			w.taints = append(w.taints, newWarpTaint(p, v))
			w.local.shadows[v] = []bool{}
		}
		for r, init := range p.regInit {
			if init == initConst {
				w.vals[r][0] = p.consts[r]
				w.st[r] = uniform
			}
		}
		b.list[i] = w
	}
	return b
}

// open starts block number index on b.
func (b *block) open(index int64) {
	b.index = index
	b.released, b.several, b.held = false, false, false
	clear(b.shared)
	for v := range b.taint {
		b.taint[v].open()
	}
	b.newEpoch()
	for i := range b.barriers {
		b.barriers[i] = barrierState{}
	}
	threads := b.k.block[0] * b.k.block[1] * b.k.block[2]
	for i := range b.warps {
		w := &b.warps[i]
		n := min(threads-i*b.k.warpSize, b.k.warpSize)
		w.start(uint32(uint64(1)<<n - 1))
		for _, sr := range b.k.prog.specials {
			sr.fill(w, sr.reg)
		}
	}
	if b.k.vary != nil {
		b.k.vary.open(b)
	}
}

// Index implements simt.Block.
func (b *block) Index() int64 { return b.index }

// Warps implements simt.Block.
func (b *block) Warps() []simt.Warp { return b.list }

// Release implements simt.Block.
func (b *block) Release() {
	if !b.released {
		b.released = true
		b.k.free = append(b.k.free, b)
	}
}

// coordinates splits the block number into x, y, z.
func (b *block) coordinates() [3]uint64 {
	gx, gy := int64(b.k.grid[0]), int64(b.k.grid[1])
	return [3]uint64{uint64(b.index % gx), uint64(b.index / gx % gy), uint64(b.index / gx / gy)}
}

// ended is called when a warp's last lane has exited: barriers that wait for
// all live warps may open.
func (b *block) ended(w *warp) {
	for id := range b.barriers {
		st := &b.barriers[id]
		if st.arrivedWarps > 0 && st.threads == 0 && b.complete(st) {
			b.openBarrier(st)
			if b.k.prog.arrives>>id&1 == 0 && !b.held {
				b.newEpoch()
			}
			w.step.BarrierOpened = true
		}
	}
}

// Wait implements simt.Waiter.
func (b *block) Wait(warp int) (simt.Wait, bool) {
	w := &b.warps[warp]
	if w.status != simt.Waiting {
		return simt.Wait{}, false
	}
	in := &b.k.prog.isa.Instructions[w.waitPC]
	return simt.Wait{Barrier: w.waitBarrier, PC: w.waitPC, Pos: in.Pos, Source: in.Source}, true
}

var _ interface {
	simt.Block
	simt.Waiter
} = (*block)(nil)

// moreAddresses is the room for the further addresses of a step.
func (b *block) moreAddresses() *[simt.MaxMore][simt.MaxLanes]uint64 {
	if b.more == nil {
		b.more = new([simt.MaxMore][simt.MaxLanes]uint64)
	}
	return b.more
}
