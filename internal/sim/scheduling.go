package sim

// SchedulingStats is what the Frontend model measures of its schedulers
// (Crouzet2024, Section VI-A), over all SMs.
type SchedulingStats struct {
	Variant     string `json:"variant"`
	FetchPolicy string `json:"fetch_policy"` // that of the issue stage with gpu.SWaS
	IssuePolicy string `json:"issue_policy"`
	// Discrepancies are the cycles in which the issue stage did not select what
	// the policy would if instructions were always at hand, and Errors those of
	// them that neither a miss of the instruction cache nor a taken branch of the
	// warp explains.
	Discrepancies int64   `json:"discrepancies"`
	Errors        int64   `json:"errors"`
	ErrorRate     float64 `json:"error_rate"` // errors a cycle
	NOPs          int64   `json:"nops"`       // issued
	Discarded     int64   `json:"discarded"`  // instructions fetched in vain, NOPs not counted
	ICacheHits    int64   `json:"icache_hits"`
	ICacheMisses  int64   `json:"icache_misses"`
	// ThreadIPC is the committed thread instructions a cycle, NOPs not counted.
	ThreadIPC float64 `json:"thread_ipc"`
	// BrokenQueueCycles are the cycles, summed over warps, after which the queue
	// of an active warp was not full with gpu.SWaS. A run with checks fails where
	// there are any.
	BrokenQueueCycles int64 `json:"broken_queue_cycles"`
}

// scheduling adds up what the front ends counted.
func (g *grid) scheduling(r *Result) *SchedulingStats {
	fetch, issue := g.cfg.front.Policies()
	s := &SchedulingStats{Variant: g.cfg.front.Variant(), FetchPolicy: fetch.String(), IssuePolicy: issue.String()}
	for _, x := range g.cores {
		u := x.(*frontSM).front.Use()
		s.Discrepancies += u.Discrepancies
		s.Errors += u.Errors
		s.NOPs += u.NOPs
		s.Discarded += u.Discarded
		s.ICacheHits += u.ICacheHits
		s.ICacheMisses += u.ICacheMisses
		s.BrokenQueueCycles += u.BrokenQueueCycles
	}
	if r.Cycles > 0 {
		s.ErrorRate = float64(s.Errors) / float64(r.Cycles)
		s.ThreadIPC = float64(r.ThreadInstructions) / float64(r.Cycles)
	}
	return s
}
