package ptxexec

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
// Two blocks of a launch access a granule in an order that the schedule chooses
// whatever stands between: the same holds for them, at any time (ownership).
//
// Barriers of part of a block order nothing here, and equal values that several
// warps store count as different ones: more is tainted than need be.
//
// "Has been relied on" and "is tainted" are two facts. A granule that became
// tainted after somebody had relied on it still must not be written by others.

// agents is a set of warps of a block, or of blocks of a grid, in so far as it
// matters: empty, one of them, or several. The number of the one is kept plus
// one.
type agents uint32

const several = ^agents(0)

// agent is the set of the one with number i; those beyond the range count as
// several, which is true of none alone and errs to the safe side.
func agent(i int64) agents {
	if i >= int64(several)-1 {
		return several
	}
	return agents(i + 1)
}

// others says whether the set has a member that is not me.
func (a agents) others(me agents) bool { return a != 0 && (a != me || a == several) }

// join adds me to the set.
func (a *agents) join(me agents) {
	if *a == 0 {
		*a = me
	} else if *a != me {
		*a = several
	}
}

// access is what warps of a block did with a granule since the block's last
// barrier of all warps.
type access struct {
	epoch   uint32 // of the block, when it was touched last
	readers agents // warps that relied on a value that is not tainted
	writers agents
}

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

// me is the warp, among those of its block.
func (w *warp) me() agents { return agent(int64(w.id)) }

// readRace says whether the schedule chooses what a warp reads from a granule.
func (w *warp) readRace(a *access) bool {
	return a.in(w.blk.epoch).writers.others(w.me())
}

// relies notes that a warp has read a granule and found nothing tainted.
func (w *warp) relies(a *access) {
	a.in(w.blk.epoch).readers.join(w.me())
}

// writeRace notes that a warp writes a granule, and says whether what is there
// afterwards is the schedule's choice.
func (w *warp) writeRace(t *warpTaint, a *access, name string) bool {
	a = a.in(w.blk.epoch)
	me := w.me()
	if a.readers.others(me) {
		t.recordOrder(w, name)
	}
	another := a.writers.others(me)
	a.writers.join(me)
	return another
}
