package taint

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
// whatever stands between: the same holds for them, at any time.
//
// Barriers of part of a block order nothing here, and equal values that several
// warps store count as different ones: more is tainted than need be.
//
// "Has been relied on" and "is tainted" are two facts. A granule that became
// tainted after somebody had relied on it still must not be written by others.

// Agents is a set of warps of a block, or of blocks of a grid, in so far as it
// matters: empty, one of them, or several. The number of the one is kept plus
// one.
type Agents uint32

// Several is a set of more than one.
const Several = ^Agents(0)

// Agent is the set of the one with number i; those beyond the range count as
// several, which is true of none alone and errs to the safe side.
func Agent(i int64) Agents {
	if i >= int64(Several)-1 {
		return Several
	}
	return Agents(i + 1)
}

// Others says whether the set has a member that is not me.
func (a Agents) Others(me Agents) bool { return a != 0 && (a != me || a == Several) }

// Join adds me to the set.
func (a *Agents) Join(me Agents) {
	if *a == 0 {
		*a = me
	} else if *a != me {
		*a = Several
	}
}

// Who accesses memory.
type Who struct {
	Block, Warp Agents
	// Epoch is the time between two barriers of the whole block. Epochs of all blocks
	// of a launch differ, and none is 0.
	Epoch uint32
}

// Access is what warps of a block did with a granule since the block's last
// barrier of all warps.
type Access struct {
	epoch   uint32 // when it was touched last
	readers Agents // warps that relied on a value that is not tainted
	writers Agents
}

// in forgets what happened before the epoch.
func (a *Access) in(epoch uint32) *Access {
	if a.epoch != epoch {
		*a = Access{epoch: epoch}
	}
	return a
}

// Raced says whether the schedule chooses what a warp reads.
func (a *Access) Raced(who *Who) bool { return a.in(who.Epoch).writers.Others(who.Warp) }

// Rely notes that a warp has read and found nothing tainted.
func (a *Access) Rely(who *Who) { a.in(who.Epoch).readers.Join(who.Warp) }

// Write notes that a warp writes. raced says that what is there afterwards is the
// schedule's choice, relied that another warp has relied on what was there: the caller
// records it.
func (a *Access) Write(who *Who) (raced, relied bool) {
	a = a.in(who.Epoch)
	relied = a.readers.Others(who.Warp)
	raced = a.writers.Others(who.Warp)
	a.writers.Join(who.Warp)
	return raced, relied
}
