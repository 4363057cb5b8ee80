package taint

import (
	"math/bits"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// GranuleBytes is how many bytes of memory are followed together, at a multiple of it.
const GranuleBytes = 4

// AllBytes are all bytes of a granule.
const AllBytes uint8 = 1<<GranuleBytes - 1

// Granule is GranuleBytes bytes of memory that blocks share. The zero value is known.
type Granule struct {
	readers Agents // blocks that relied on a value that is not tainted
	writers Agents // blocks
	warps   Access
	tainted uint8 // by byte: what the writers, if they are one block, left there
}

// Taint taints bytes.
func (g *Granule) Taint(bytes uint8) { g.tainted |= bytes }

// Know makes bytes known; nobody has accessed the granule yet.
func (g *Granule) Know(bytes uint8) { g.tainted &^= bytes }

// Tainted says whether what is read of some bytes is tainted. What another block wrote
// may or may not be there yet.
func (g *Granule) Tainted(who *Who, bytes uint8) bool {
	raced := g.warps.Raced(who)
	return g.tainted&bytes != 0 || g.writers.Others(who.Block) || raced
}

// Rely notes that who has read the granule and found nothing tainted. reader is the
// block, or several for a read that happens at a time of its own.
func (g *Granule) Rely(who *Who, reader Agents) {
	g.readers.Join(reader)
	g.warps.Rely(who)
}

// Write notes a store, after which the bytes are tainted or not. relied says that
// somebody has relied on what was there: where another block or warp reads or writes the
// granule, which comes first is the schedule's choice, and a reader may already have used
// what it found. The caller records it.
func (g *Granule) Write(who *Who, bytes uint8, tainted bool) (relied bool) {
	raced, relied := g.warps.Write(who)
	if g.readers.Others(who.Block) {
		relied = true
	}
	g.writers.Join(who.Block)
	switch {
	case raced || g.writers == Several:
		g.tainted = AllBytes
	case tainted:
		g.tainted |= bytes
	default:
		g.tainted &^= bytes
	}
	return relied
}

// Whole is a memory as a whole: who relied on any granule of it, and the blocks that
// stored at an address that is not known, which may be that of each of them.
type Whole struct {
	readers, spoilers Agents
	warps             Access
}

// Spoilt says that nothing in the memory is known any more, whoever writes it.
func (m *Whole) Spoilt() bool { return m.spoilers != 0 }

// Rely is Granule.Rely of any granule.
func (m *Whole) Rely(who *Who, reader Agents) {
	m.readers.Join(reader)
	m.warps.Rely(who)
}

// Spoil notes a store to an unknown place of the memory. From then on nothing in there is
// known. relied says that another block or warp has relied on what the store may change.
func (m *Whole) Spoil(who *Who) (relied bool) {
	_, relied = m.warps.Write(who)
	if m.readers.Others(who.Block) {
		relied = true
	}
	m.spoilers.Join(who.Block)
	return relied
}

// Clashes is the lanes of a store that store at the address of another lane, unless it is
// certain that all there store the same: which of them stays is open. Addresses in
// different spaces are different ones; all are multiples of align. Whether the lanes of
// unsure take part, or what they store, is not known; differ says whether two lanes store
// different values.
func Clashes(lanes, unsure uint32, at *[simt.MaxLanes]uint64, spaces *[simt.MaxLanes]isa.Space, align uint64, differ func(i, j int) bool) uint32 {
	// A table of the lanes met first at each address, by a hash of it.
	var table, first [2 * simt.MaxLanes]uint8
	var bad uint32 // of those lanes
	met := false
	for left := lanes; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		h := at[i] / align * 0x9e3779b97f4a7c15 >> 58
		for table[h] != 0 && (at[table[h]-1] != at[i] || spaces[table[h]-1] != spaces[i]) {
			h = (h + 1) % uint64(len(table))
		}
		if table[h] == 0 {
			table[h] = uint8(i + 1)
		} else if j := int(table[h] - 1); (unsure>>i|unsure>>j)&1 != 0 || differ(i, j) {
			bad |= 1 << j
			met = true
		}
		first[i] = table[h]
	}
	if !met {
		return 0
	}
	var out uint32
	for left := lanes; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		if first[i] != 0 && bad>>(first[i]-1)&1 != 0 {
			out |= 1 << i
		}
	}
	return out
}
