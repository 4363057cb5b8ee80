package ptxexec

import (
	"math/bits"

	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/simt"
)

// asyncCopy moves the taint of a copy from global to shared memory.
func (t *warpTaint) asyncCopy(w *warp, in *instr, m, g uint32) {
	k := w.blk.k
	switch from, to := t.vals[in.a]&m, t.vals[in.b]&m; {
	case from != 0:
		k.record(w.top.pc, simt.TaintAddress, k.prog.valNames[in.a])
	case to != 0:
		k.record(w.top.pc, simt.TaintAddress, k.prog.valNames[in.b])
	case g != 0:
		k.record(w.top.pc, simt.TaintAddress, k.prog.predNames[in.guard])
	}
	src, dst := w.src(in.a), w.src(in.b)
	for left := m | g; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		bit := uint32(1) << i
		if t.vals[in.b]&bit != 0 {
			t.taintAll(w, isa.Shared, i)
			continue
		}
		tainted := (t.sources(in)|g)&bit != 0
		if n := w.copySize(in, i); n > 0 {
			tainted = t.readMemory(w, isa.Global, in.mem.at(src[i], in.mem.off), n, i) || tainted
		}
		t.writeMemory(w, isa.Shared, in.x.to.at(dst[i], in.x.to.off), in.x.to.width, i, tainted)
	}
}

// memory records tainted addresses, moves taint between registers and memory,
// and returns the taint of what is loaded.
func (t *warpTaint) memory(w *warp, in *instr, m, g uint32) uint32 {
	mi := in.mem
	k := w.blk.k
	addr := t.vals[in.a]
	if addr&m != 0 {
		k.record(w.top.pc, simt.TaintAddress, k.prog.valNames[in.a])
	} else if g != 0 {
		k.record(w.top.pc, simt.TaintAddress, k.prog.predNames[in.guard])
	}
	off := mi.off
	if mi.frame {
		off += w.frames[len(w.frames)-1].base
	}
	var loaded uint32
	base := w.src(in.a)
	for left := m | g; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		bit := uint32(1) << i
		sp, at := w.where(mi, mi.at(base[i], off))
		// What an atomic returns is tainted whatever it read.
		if in.group == gLoad && m&bit != 0 {
			if addr&bit != 0 || t.readMemory(w, sp, at, mi.total(), i) {
				loaded |= bit
			}
		}
		switch {
		case in.group == gLoad:
		case addr&bit != 0:
			t.taintAll(w, mi.space, i)
		case in.group == gStore:
			for n, r := range mi.regs {
				tainted := t.vals[r]&bit != 0 || g&bit != 0
				t.writeMemory(w, sp, at+uint64(n)*mi.width, mi.width, i, tainted)
			}
		default:
			t.writeMemory(w, sp, at, mi.total(), i, true)
		}
	}
	if in.group == gMem {
		return ^uint32(0)
	}
	return loaded
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

// readMemory says whether a byte of [at, at+width) is tainted.
func (t *warpTaint) readMemory(w *warp, sp isa.Space, at, width uint64, lane int) bool {
	switch sp {
	case isa.Param:
		return false
	case isa.Shared:
		race := false
		for i := at / granule; i <= (at+width-1)/granule && i < uint64(len(w.blk.accesses)); i++ {
			race = w.readRace(&w.blk.accesses[i], w.blk.shadow[i]) || race
		}
		return anyTrue(w.blk.shadow, at, width) || race
	case isa.Local:
		if at >= w.local.end {
			return true
		}
		return anyTrue(w.local.shadow, uint64(lane)*w.local.stride+at, width)
	}
	g := w.blk.k.memory.find(at, width)
	if g == nil || g.owner == nil {
		return true
	}
	tainted := false
	for i := (at - g.base) / granule; i <= (at-g.base+width-1)/granule; i++ {
		theirs := w.blk.readOwner(&g.owner[i])
		tainted = tainted || theirs
		if i < uint64(len(g.accesses)) {
			tainted = w.readRace(&g.accesses[i], theirs) || tainted
		}
	}
	return tainted
}

// readOwner notes that the block reads a granule of a known buffer, and says
// whether it is tainted: what another block wrote may or may not be there yet.
func (b *block) readOwner(o *uint32) bool {
	me := b.ownerMark()
	switch *o {
	case ownTainted:
		return true
	case ownNobody:
		*o = me
		return false
	case ownReaders, me, me | 1:
		return false
	}
	if *o&1 != 0 {
		*o = ownTainted
		return true
	}
	*o = ownReaders
	return false
}

// ownerMark is the state of a granule read by this block. Blocks beyond the
// range of marks count as one reader.
func (b *block) ownerMark() uint32 {
	if b.index+1 >= 1<<30 {
		return ownReaders
	}
	return uint32(b.index+1) << 1
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
		for i := at / granule; i <= (at+width-1)/granule && i < uint64(len(w.blk.accesses)); i++ {
			tainted = w.writeRace(&w.blk.accesses[i], "shared memory") || tainted
		}
		mark(w.blk.shadow, at, width, tainted)
		return
	case isa.Local:
		if at < w.local.end {
			mark(w.local.shadow, uint64(lane)*w.local.stride+at, width, tainted)
		}
		return
	}
	g := w.blk.k.memory.find(at, width)
	if g == nil || g.owner == nil {
		return
	}
	me := w.blk.ownerMark()
	for i := (at - g.base) / granule; i <= (at-g.base+width-1)/granule; i++ {
		o := &g.owner[i]
		if i < uint64(len(g.accesses)) {
			tainted = w.writeRace(&g.accesses[i], g.name) || tainted
		}
		mine := me != ownReaders && (*o == ownNobody || *o&^1 == me)
		switch {
		case tainted:
			if *o != ownTainted && !mine {
				w.blk.k.record(w.top.pc, simt.TaintOrder, g.name)
			}
			*o = ownTainted
		case *o == ownTainted:
		case mine:
			*o = me | 1
		default:
			// Another block reads or writes the granule: which comes first is
			// the schedule's choice, and the reader may already have used it.
			w.blk.k.record(w.top.pc, simt.TaintOrder, g.name)
			*o = ownTainted
		}
	}
}

// mark sets the taint of the granules of [at, at+width). A store that covers
// only part of a granule cannot clear it.
func mark(shadow []bool, at, width uint64, tainted bool) {
	for i := at / granule; i <= (at+width-1)/granule && i < uint64(len(shadow)); i++ {
		if tainted {
			shadow[i] = true
		} else if i*granule >= at && (i+1)*granule <= at+width {
			shadow[i] = false
		}
	}
}

// taintAll taints all that a store of a lane to an unknown address of a space
// may have changed: of every space, where the address is generic.
func (t *warpTaint) taintAll(w *warp, sp isa.Space, lane int) {
	if sp == isa.Shared || sp == isa.Generic {
		for i := range w.blk.shadow {
			w.blk.shadow[i] = true
		}
		for i := range w.blk.accesses {
			w.writeRace(&w.blk.accesses[i], "shared memory")
		}
	}
	if sp == isa.Local || sp == isa.Generic {
		mark(w.local.shadow, uint64(lane)*w.local.stride, w.local.end, true)
	}
	if sp == isa.Global || sp == isa.Generic {
		for _, g := range w.blk.k.memory {
			if g.constant {
				continue
			}
			me := w.blk.ownerMark()
			for i := range g.owner {
				// Another block or warp may have relied on what this store changes.
				if o := g.owner[i]; o != ownNobody && o != ownTainted && (me == ownReaders || o&^1 != me) {
					w.blk.k.record(w.top.pc, simt.TaintOrder, g.name)
				}
				g.owner[i] = ownTainted
			}
			for i := range g.accesses {
				w.writeRace(&g.accesses[i], g.name)
			}
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
		if anyTrue(w.local.shadow, uint64(i)*w.local.stride+base+c.fromOff, c.bytes) {
			s |= 1 << i
		}
	}
	return s
}

// copyDest gives the lanes of m the taint of an argument or result.
func (t *warpTaint) copyDest(w *warp, c *copyInfo, a *argument, from, base uint64, m uint32) {
	switch c.to {
	case inReg:
		t.vals[c.toReg] = t.vals[c.toReg]&^m | a.taint&m
		return
	case inPred:
		t.preds[c.toReg] = t.preds[c.toReg]&^m | a.taint&m
		return
	}
	for ; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		lane := uint64(i) * w.local.stride
		if c.from != inMem {
			mark(w.local.shadow, lane+base+c.toOff, c.bytes, a.taint>>i&1 != 0)
			continue
		}
		for n := uint64(0); n < c.bytes; n += granule {
			size := min(granule, c.bytes-n)
			mark(w.local.shadow, lane+base+c.toOff+n, size, anyTrue(w.local.shadow, lane+from+c.fromOff+n, size))
		}
	}
}
