package gpu

import "math/bits"

// MemoryMap says where behind the L1D an address lies. Pieces of
// L2.InterleaveBytes are dealt to the slices in turn; slice i belongs to
// channel i mod DRAM.Channels, in whose rows the pieces of its slices lie
// beside each other; rows are dealt to the banks in turn.
type MemoryMap struct {
	slices, channels, banks, perChannel  uint64
	interleaveShift, rowShift, lineShift uint
	setMask                              uint64
}

// MemoryMap needs the tables of the caches (HasCaches).
func (d *Description) MemoryMap() MemoryMap {
	slices, channels := uint64(d.L2.Slices), uint64(d.DRAM.Channels)
	return MemoryMap{
		slices: slices, channels: channels, banks: uint64(d.DRAM.Banks), perChannel: (slices + channels - 1) / channels,
		interleaveShift: uint(bits.TrailingZeros64(uint64(d.L2.InterleaveBytes))), rowShift: uint(bits.TrailingZeros64(uint64(d.DRAM.RowBytes))),
		lineShift: uint(bits.TrailingZeros64(uint64(d.L2.LineBytes))), setMask: uint64(d.L2.Sets) - 1,
	}
}

// Slice is the slice of the L2 that an address lies in, and the address within
// it.
func (m *MemoryMap) Slice(addr uint64) (slice int, local uint64) {
	piece := addr >> m.interleaveShift
	return int(piece % m.slices), piece/m.slices<<m.interleaveShift | addr&(1<<m.interleaveShift-1)
}

// Global is the address of what a slice holds at a local one.
func (m *MemoryMap) Global(slice int, local uint64) uint64 {
	piece := local>>m.interleaveShift*m.slices + uint64(slice)
	return piece<<m.interleaveShift | local&(1<<m.interleaveShift-1)
}

// Set is the set of the slice that a local address lies in.
func (m *MemoryMap) Set(local uint64) int { return int(local >> m.lineShift & m.setMask) }

// Channel is the channel of a slice.
func (m *MemoryMap) Channel(slice int) int { return int(uint64(slice) % m.channels) }

// Row is the bank of the channel, and the row, that a local address of a slice
// lies in. A row lies in one bank.
func (m *MemoryMap) Row(slice int, local uint64) (bank int, row int64) {
	piece := local>>m.interleaveShift*m.perChannel + uint64(slice)/m.channels
	row = int64(piece << m.interleaveShift >> m.rowShift)
	return int(uint64(row) % m.banks), row
}
