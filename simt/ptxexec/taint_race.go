package ptxexec

import "github.com/warpbound/warpbound/simt"

// Two warps of a block that access a granule between two barriers of the whole
// block, at least one of them writing, do so in an order that the schedule
// chooses. Where the data would otherwise be relied on, the order is part of
// what the path depends on:
//
//   - a load behind another warp's store loads a tainted value;
//   - a store behind another warp's load is recorded, because the load may have
//     been used already;
//   - stores of several warps leave a tainted value.
//
// Barriers of part of a block order nothing here, and equal values stored count
// as different ones: more is tainted than need be.

// access is what happened to a granule since the last barrier of the block:
// which warp has read a value that is not tainted and which has written it, as
// its number plus one, 0 for none and severalWarps for more than one.
type access struct {
	epoch          uint32 // of the block, when it was touched last
	reader, writer uint16
}

const severalWarps = ^uint16(0)

// newEpoch begins the time after a barrier of the whole block, or the block.
// Epochs of all blocks of a kernel differ.
func (b *block) newEpoch() {
	b.k.epochs++
	b.epoch = b.k.epochs
}

// in forgets what happened before the epoch.
func (a *access) in(epoch uint32) *access {
	if a.epoch != epoch {
		*a = access{epoch: epoch}
	}
	return a
}

// join adds a warp to those that have read or written, and says whether another
// one had before.
func join(who *uint16, warp int) (another bool) {
	me := uint16(warp) + 1
	switch *who {
	case 0:
		*who = me
		return false
	case me:
		return false
	}
	*who = severalWarps
	return true
}

// readRace notes that a warp reads a granule whose content is tainted or not,
// and says whether the schedule chooses what it reads.
func (w *warp) readRace(a *access, tainted bool) bool {
	a = a.in(w.blk.epoch)
	if a.writer != 0 && a.writer != uint16(w.id)+1 {
		return true
	}
	if !tainted {
		join(&a.reader, w.id)
	}
	return false
}

// writeRace notes that a warp writes a granule, and says whether what is there
// afterwards is the schedule's choice.
func (w *warp) writeRace(a *access, name string) bool {
	a = a.in(w.blk.epoch)
	if a.reader != 0 && a.reader != uint16(w.id)+1 {
		w.blk.k.record(w.top.pc, simt.TaintOrder, name)
	}
	return join(&a.writer, w.id)
}
