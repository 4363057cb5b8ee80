package memory

// Use is what the memory of a run did.
type Use struct {
	L2   L2Use
	DRAM DRAMUse
	GPU  RequesterUse // the share of the GPU in what the DRAM did
}

// Use is what was done when the run ended in cycle end.
func (m *System) Use(end int64) Use {
	u := m.use
	u.DRAM.Refreshes = m.refresh.begun(end) * int64(len(m.channels))
	return u
}

// L2Use counts sectors.
type L2Use struct {
	Reads, Hits, Misses int64 // atomics included
	Writes              int64
	WriteBacks          int64 // lines
}

// DRAMUse counts transfers.
type DRAMUse struct {
	Reads, Writes   int64
	RowMisses       int64
	Bytes           int64
	BusyMillicycles int64 // thousandths of cycles in which a channel transferred
	Refreshes       int64 // begun, of all channels
}

// RequesterUse counts what the DRAM did for one requester.
type RequesterUse struct {
	Reads, Writes int64
	Bytes         int64
	RowMisses     int64
	// WaitCycles is how long its requests waited at the channels, from arrival to
	// the beginning of the transfer, rows to open and refreshes included, and
	// MostWaitCycles how long one did.
	WaitCycles, MostWaitCycles int64
}

// RowHits is how many transfers found their row open.
func (u *RequesterUse) RowHits() int64 { return u.Reads + u.Writes - u.RowMisses }
