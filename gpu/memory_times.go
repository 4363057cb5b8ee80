package gpu

// MemoryTimes bounds how long requests of the L1D take in the abstract model,
// whose accesses reach the tags when their unit starts them.
type MemoryTimes struct {
	// HitCycles is from the cycle in which the last request of an access reaches
	// the tags to its completion, where nothing is fetched or sent on, and
	// FillCycles from the arrival of a sector in the SM to that of the access.
	HitCycles, FillCycles int64
	// MissCycles and WriteCycles are from the cycle in which a request is sent to
	// the completion of its access, for a load that misses everywhere, and for a
	// store (until it is acknowledged) or an atomic, when no other request is
	// between the L1Ds and the DRAM. LoadL2Cycles is that of a load that hits the
	// L2.
	MissCycles, WriteCycles, LoadL2Cycles int64
	// ServiceCycles is by how much every other request in flight, of any SM,
	// can delay it: the sum of its service times at the places that both pass,
	// each of which serves in order of arrival.
	ServiceCycles int64
}

// MemoryTimes computes the times from the tables of the caches, which the
// description has to have (HasCaches). A request meets four servers that are
// never idle while something waits: the way out of its SM, its slice, its
// channel, where a row may have to be opened and a line written back first, and
// the way in. So the delays at each are at most what those before it take there.
func (d *Description) MemoryTimes() MemoryTimes {
	l1, l2, m := d.L1D, d.L2, d.DRAM
	depth := d.Issue.DependencyDepthCycles
	sector := int64(max(l1.SectorBytes, l2.SectorBytes))
	sectors := sector / int64(l2.SectorBytes)
	slice := sectors * l2.AccessCycles
	fetch := m.RowMissCycles + m.transferCycles(sector)
	writeBack := m.RowMissCycles + m.transferCycles(int64(l2.LineBytes))
	t := MemoryTimes{HitCycles: max(1, l1.HitLatencyCycles+depth), FillCycles: max(1, depth)}
	ways := l2.RequestLatencyCycles + slice - l2.AccessCycles + l2.LatencyCycles + l2.ResponseLatencyCycles
	t.LoadL2Cycles = ways + l2.ResponseCycles + t.FillCycles
	t.MissCycles = t.LoadL2Cycles + fetch + m.LatencyCycles
	// An atomic may have to be fetched, and a store waits for no fetch.
	t.WriteCycles = l1.WriteLatencyCycles + ways + 1 + t.FillCycles + fetch + m.LatencyCycles
	t.ServiceCycles = 1 + slice + fetch + writeBack + max(1, l2.ResponseCycles)
	return t
}

// transferCycles is the time of a transfer, rounded up.
func (m *DRAM) transferCycles(bytes int64) int64 {
	return (bytes*1000 + m.BytesPerKilocycle - 1) / m.BytesPerKilocycle
}
