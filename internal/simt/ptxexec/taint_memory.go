package ptxexec

import (
	"math/bits"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/taint"
	"github.com/warpbound/warpbound/isa"
)

// sharedTaint is one account of the shared memory of a block, by granule.
type sharedTaint struct {
	shadow   []bool         // the content is tainted
	accesses []taint.Access // of warps
	copies   []uint8        // asynchronous copies to the granule under way; nil before the first
	spoilt   []bool         // of copies under way: something else wrote the granule
}

// open makes the contents unknown, as they are when a block starts.
func (s *sharedTaint) open() {
	for i := range s.shadow {
		s.shadow[i] = true
	}
	clear(s.copies)
	clear(s.spoilt)
}

// bufferTaint is one account of a known buffer.
type bufferTaint struct {
	granules []taint.Granule
	whole    taint.Whole
}

func newBufferTaint(g *segment) *bufferTaint {
	return &bufferTaint{granules: make([]taint.Granule, (g.size+granule-1)/granule)}
}

// memory records tainted addresses, moves taint between registers and memory,
// and returns the taint of what is loaded.
func (t *warpTaint) memory(w *warp, in *instr, m, g uint32) uint32 {
	t.address(w, in, in.a, m, g)
	return t.transfer(w, in, m, g)
}

// transfer moves taint between registers and memory, and returns the taint of what
// the lanes of m load. Whether the lanes of g take part is not known.
func (t *warpTaint) transfer(w *warp, in *instr, m, g uint32) uint32 {
	mi := in.mem
	off := mi.off
	if mi.frame {
		off += w.frames[len(w.frames)-1].base
	}
	var at [simt.MaxLanes]uint64
	var sp [simt.MaxLanes]isa.Space
	base, unknown, all := w.src(in.a), t.vals[in.a], m|g
	for left := all; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		sp[i], at[i] = w.where(mi, mi.at(base[i], off))
	}
	switch in.group {
	case gLoad:
		loaded := unknown & m
		for left := m &^ unknown; left != 0; left &= left - 1 {
			i := bits.TrailingZeros32(left) & 31
			if t.readMemory(w, sp[i], at[i], mi.total(), i) {
				loaded |= 1 << i
			}
		}
		return loaded
	case gStore:
		t.store(w, in, all, g, &at, &sp)
		return 0
	}
	for left := all &^ unknown; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		t.writeMemory(w, sp[i], at[i], mi.total(), i, true)
	}
	t.taintAll(w, mi, unknown&all)
	// What an atomic returns is tainted whatever it read.
	return ^uint32(0)
}

// store moves taint to memory. Lanes with an unknown address may store where
// others do, before or after them.
func (t *warpTaint) store(w *warp, in *instr, all, g uint32, at *[simt.MaxLanes]uint64, sp *[simt.MaxLanes]isa.Space) {
	mi := in.mem
	unknown := t.vals[in.a] & all
	clash := t.clashes(w, in, all&^unknown, g, at, sp)
	for left := all &^ unknown; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		for n, r := range mi.regs {
			tainted := (t.vals[r]|g|clash)>>i&1 != 0
			t.writeMemory(w, sp[i], at[i]+uint64(n)*mi.width, mi.width, i, tainted)
		}
	}
	t.taintAll(w, mi, unknown)
}

// clashes is the lanes of a store that store at the address of another lane,
// unless it is certain that all there store the same: which of them stays is
// open. Lanes have local memory of their own.
func (t *warpTaint) clashes(w *warp, in *instr, lanes, unsure uint32, at *[simt.MaxLanes]uint64, sp *[simt.MaxLanes]isa.Space) uint32 {
	mi := in.mem
	for _, r := range mi.regs {
		unsure |= t.vals[r]
	}
	for left := lanes; left != 0; left &= left - 1 {
		if i := bits.TrailingZeros32(left) & 31; sp[i] == isa.Local || sp[i] == isa.Param {
			lanes &^= 1 << i
		}
	}
	return taint.Clashes(lanes, unsure, at, sp, mi.align, func(i, j int) bool { return w.differ(mi, i, j) })
}

// differ says whether two lanes store different values.
func (w *warp) differ(mi *memInfo, i, j int) bool {
	mask := widthMask(int(8 * mi.width))
	for _, r := range mi.regs {
		if v := w.src(r); (v[i]^v[j])&mask != 0 {
			return true
		}
	}
	return false
}

// where resolves an address that may be generic.
func (w *warp) where(mi *memInfo, addr uint64) (isa.Space, uint64) {
	switch {
	case mi.space == isa.Generic:
		return resolve(addr)
	case mi.frame:
		return isa.Local, addr
	case mi.space == isa.Param && addr>>24 == localWindow>>24:
		return isa.Local, addr - localWindow
	}
	return mi.space, addr
}

// readMemory says whether a byte of [at, at+width) is tainted. Where none is, the
// warp relies on it.
func (t *warpTaint) readMemory(w *warp, sp isa.Space, at, width uint64, lane int) bool {
	switch sp {
	case isa.Param:
		return w.blk.k.mayVary(at, width)
	case isa.Shared:
		return t.readShared(w, at, width)
	case isa.Local:
		if at >= w.local.end {
			return true
		}
		return anyTrue(w.local.shadows[t.view], uint64(lane)*w.local.stride+at, width)
	}
	return t.readBuffer(w, at, width, w.blk.me())
}

func (t *warpTaint) readShared(w *warp, at, width uint64) bool {
	s := &w.blk.taint[t.view]
	first, last := at/granule, (at+width-1)/granule
	if last >= uint64(len(s.shadow)) {
		return true
	}
	tainted := w.blk.k.sharedUnknown || anyTrue(s.shadow, at, width)
	who := w.who()
	for i := first; i <= last; i++ {
		tainted = s.accesses[i].Raced(&who) || tainted
	}
	if !tainted {
		for i := first; i <= last; i++ {
			s.accesses[i].Rely(&who)
		}
	}
	return tainted
}

// readBuffer is readMemory of global and constant memory, where reader is the
// block, or several blocks for a read that happens at a time of its own. What
// another block wrote may or may not be there yet.
func (t *warpTaint) readBuffer(w *warp, at, width uint64, reader taint.Agents) bool {
	g := w.blk.k.memory.find(at, width)
	if g == nil || g.taint[t.view] == nil {
		return true
	}
	b, who := g.taint[t.view], w.who()
	granules := b.granules[(at-g.base)/granule : (at-g.base+width-1)/granule+1]
	tainted := b.whole.Spoilt()
	for i := range granules {
		tainted = tainted || granules[i].Tainted(&who, taint.AllBytes)
	}
	if tainted {
		return true
	}
	for i := range granules {
		granules[i].Rely(&who, reader)
	}
	b.whole.Rely(&who, reader)
	return false
}

// me is the block, among those of the grid.
func (b *block) me() taint.Agents {
	if b.several {
		return taint.Several
	}
	return taint.Agent(b.index)
}

func anyTrue(shadow []bool, at, width uint64) bool {
	for i := at / granule; i <= (at+width-1)/granule; i++ {
		if i >= uint64(len(shadow)) || shadow[i] {
			return true
		}
	}
	return false
}

// writeMemory notes a store.
func (t *warpTaint) writeMemory(w *warp, sp isa.Space, at, width uint64, lane int, tainted bool) {
	switch sp {
	case isa.Shared:
		s := &w.blk.taint[t.view]
		for i := at / granule; i <= (at+width-1)/granule && i < uint64(len(s.accesses)); i++ {
			tainted = t.writes(w, &s.accesses[i], sharedMemory) || tainted
			if s.copies != nil && s.copies[i] != 0 {
				// Before or after the copy: who knows.
				s.spoilt[i] = true
				tainted = true
			}
		}
		mark(s.shadow, at, width, tainted)
	case isa.Local:
		if at < w.local.end {
			mark(w.local.shadows[t.view], uint64(lane)*w.local.stride+at, width, tainted)
		}
	case isa.Global, isa.Generic:
		t.writeBuffer(w, at, width, tainted)
	}
}

// writeBuffer is writeMemory of global memory. Where another block reads or
// writes the granule, which comes first is the schedule's choice, and a reader
// may already have used what it found.
func (t *warpTaint) writeBuffer(w *warp, at, width uint64, tainted bool) {
	g := w.blk.k.memory.find(at, width)
	if g == nil || g.taint[t.view] == nil || g.constant {
		return
	}
	b, who := g.taint[t.view], w.who()
	from, to := at-g.base, at-g.base+width
	for i := from / granule; i <= (to-1)/granule; i++ {
		bytes := taint.AllBytes
		if !tainted && !covers(i, from, to) {
			bytes = 0
		}
		if b.granules[i].Write(&who, bytes, tainted) {
			t.recordOrder(w, g.name)
		}
	}
}

// covers says whether [from, to) covers granule i: a store that covers only part
// of one cannot make it known.
func covers(i, from, to uint64) bool {
	return i*granule >= from && (i+1)*granule <= to
}

// mark sets the taint of the granules of [at, at+width).
func mark(shadow []bool, at, width uint64, tainted bool) {
	for i := at / granule; i <= (at+width-1)/granule && i < uint64(len(shadow)); i++ {
		if tainted {
			shadow[i] = true
		} else if covers(i, at, at+width) {
			shadow[i] = false
		}
	}
}

// taintAll taints all that stores of some lanes to unknown addresses may have
// changed: of every space, where the address is generic, and of the thread's own
// frames, where it is one of a parameter, which lies there.
func (t *warpTaint) taintAll(w *warp, mi *memInfo, lanes uint32) {
	if lanes == 0 {
		return
	}
	if w.reach != nil {
		t.taintReach(w, w.reach)
		return
	}
	generic := mi.space == isa.Generic
	if generic || mi.space == isa.Shared {
		t.taintShared(w, 0, uint64(len(w.blk.taint[t.view].shadow)))
	}
	if generic || mi.space == isa.Local || mi.space == isa.Param {
		for left := lanes; left != 0; left &= left - 1 {
			i := uint64(bits.TrailingZeros32(left))
			mark(w.local.shadows[t.view], i*w.local.stride, w.local.end, true)
		}
	}
	if generic || mi.space == isa.Global {
		t.taintBuffers(w, 0, ^uint64(0))
	}
}

// taintShared is taintAll of the granules [from, to) of shared memory.
func (t *warpTaint) taintShared(w *warp, from, to uint64) {
	s := &w.blk.taint[t.view]
	to = min(to, uint64(len(s.shadow)))
	for at := from; at < to; at++ {
		s.shadow[at] = true
		if s.copies != nil && s.copies[at] != 0 {
			s.spoilt[at] = true
		}
	}
	for at := from; at < to; at++ {
		t.writes(w, &s.accesses[at], sharedMemory)
	}
}

// reach is the first and the last byte that stores may hit.
type reach struct {
	space     isa.Space
	low, last uint64
}

// taintReach is taintAll where it is known what may be hit.
func (t *warpTaint) taintReach(w *warp, at *reach) {
	if at.space == isa.Shared {
		t.taintShared(w, at.low/granule, at.last/granule+1)
		return
	}
	t.taintBuffers(w, at.low, at.last)
}

// taintBuffers notes a store to an unknown place of the global memory, from the first
// byte to the last. From then on nothing is known in the buffers that it may hit, whoever
// writes them. Another block or warp may have relied on what the store changes.
func (t *warpTaint) taintBuffers(w *warp, low, last uint64) {
	who := w.who()
	for _, g := range w.blk.k.memory {
		b := g.taint[t.view]
		if g.constant || b == nil || last < g.base || low >= g.base+g.size {
			continue
		}
		if b.whole.Spoil(&who) {
			t.recordOrder(w, g.name)
		}
	}
}

// copySource is the taint of an argument or result that moves between frames
// through a register.
func (t *warpTaint) copySource(w *warp, c *copyInfo, base uint64) uint32 {
	switch c.from {
	case inReg:
		return t.vals[c.fromReg]
	case inPred:
		return t.preds[c.fromReg]
	}
	var s uint32
	for i := range 32 {
		if anyTrue(w.local.shadows[t.view], uint64(i)*w.local.stride+base+c.fromOff, c.bytes) {
			s |= 1 << i
		}
	}
	return s
}

// copyDest gives the lanes of m the taint of an argument or result.
func (t *warpTaint) copyDest(w *warp, c *copyInfo, taint uint32, from, base uint64, m uint32) {
	switch c.to {
	case inReg:
		t.vals[c.toReg] = t.vals[c.toReg]&^m | taint&m
		return
	case inPred:
		t.preds[c.toReg] = t.preds[c.toReg]&^m | taint&m
		return
	}
	shadow := w.local.shadows[t.view]
	for ; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		lane := uint64(i) * w.local.stride
		if c.from != inMem {
			mark(shadow, lane+base+c.toOff, c.bytes, taint>>i&1 != 0)
			continue
		}
		for n := uint64(0); n < c.bytes; n += granule {
			size := min(granule, c.bytes-n)
			mark(shadow, lane+base+c.toOff+n, size, anyTrue(shadow, lane+from+c.fromOff+n, size))
		}
	}
}
