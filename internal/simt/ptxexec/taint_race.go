package ptxexec

import "github.com/warpbound/warpbound/internal/simt/taint"

// newEpoch begins the time after a barrier of the whole block, or the block.
// Epochs of all blocks of a kernel differ.
func (b *block) newEpoch() {
	b.k.epochs++
	b.epoch = b.k.epochs
}

// who is the warp as one that accesses memory now.
func (w *warp) who() taint.Who {
	return taint.Who{Block: w.blk.me(), Warp: taint.Agent(int64(w.id)), Epoch: w.blk.epoch}
}

// writes notes that a warp writes a granule of a memory, and says whether what is there
// afterwards is the schedule's choice.
func (t *warpTaint) writes(w *warp, a *taint.Access, name string) bool {
	who := w.who()
	raced, relied := a.Write(&who)
	if relied {
		t.recordOrder(w, name)
	}
	return raced
}
