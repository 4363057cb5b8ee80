package sim

// Result is what a run measured. All times are cycles from the start of the
// launch; a half-open interval [start, end) where two are given.
type Result struct {
	Model  string `json:"model"`
	Policy string `json:"policy"`
	GPU    string `json:"gpu"`
	Kernel string `json:"kernel"`

	L1Order string `json:"l1_order"` // L1None, L1Dynamic or L1Reorder
	Batches bool   `json:"batches"`  // blocks were admitted in batches

	Cycles             int64   `json:"cycles"` // until the last instruction of the last block completed
	WarpInstructions   int64   `json:"warp_instructions"`
	ThreadInstructions int64   `json:"thread_instructions"`
	IPC                float64 `json:"ipc"` // warp instructions a cycle, all SMs

	Blocks      int64 `json:"blocks"`
	SMs         int   `json:"sms"` // that could get a block: no more than there are blocks
	Schedulers  int   `json:"schedulers_per_sm"`
	BlocksPerSM int   `json:"blocks_per_sm"`

	// Scheduler cycles: issuing ones and stalled ones by reason make up
	// Cycles x SMs x Schedulers.
	IssueCycles int64            `json:"issue_cycles"` // those that issue NOPs included
	Stalls      map[string]int64 `json:"stalls"`

	Units []UnitUse `json:"units"`
	// Occupancy is the mean number of warps of an SM that have not ended, and
	// ResidentWarpCycles what it is the mean of.
	Occupancy          float64 `json:"occupancy"`
	ResidentWarpCycles int64   `json:"resident_warp_cycles"`
	Barriers           int64   `json:"barriers"` // barriers opened

	Block       Spread      `json:"block"` // of a block's time on its SM
	BlockTimes  []BlockTime `json:"block_times,omitempty"`
	BlocksOnSMs []int64     `json:"blocks_on_sms"` // by SM

	Memory *MemoryUse `json:"-"` // nil without caches

	// Scheduling is what the Frontend model measures of its schedulers, nil with
	// the others.
	Scheduling *SchedulingStats `json:"scheduling,omitempty"`
}

// UnitUse is the load of one kind of unit over the whole run.
type UnitUse struct {
	Name             string  `json:"name"`
	Instructions     int64   `json:"instructions"`
	InitiationCycles int64   `json:"initiation_cycles"`
	Utilization      float64 `json:"utilization"` // initiation cycles over cycles of all such units
}

// Spread sums up a set of durations.
type Spread struct {
	MinCycles  int64   `json:"min_cycles"`
	MaxCycles  int64   `json:"max_cycles"`
	MeanCycles float64 `json:"mean_cycles"`
}

// BlockTime is when a block ran, and where.
type BlockTime struct {
	Block      int64      `json:"block"`
	SM         int        `json:"sm"`
	Slot       int        `json:"slot"`
	StartCycle int64      `json:"start_cycle"`
	EndCycle   int64      `json:"end_cycle"`
	Warps      []WarpTime `json:"warps,omitempty"`
}

// WarpTime is what one warp did: when it executed its first instruction, how
// many it executed, and when the last of them completed.
type WarpTime struct {
	StartCycle   int64 `json:"start_cycle"`
	EndCycle     int64 `json:"end_cycle"`
	Instructions int64 `json:"instructions"`
}

// counters are the statistics of one SM.
type counters struct {
	warpInstructions   int64
	threadInstructions int64
	issued             int64 // instructions that took an issue slot
	issueCycles        int64 // scheduler cycles that issued
	dispatched         int64
	stalls             [NumReasons]int64
	barriers           int64
	residentWarpCycles int64
	residentWarps      int64
	residentSince      int64
	unitInstructions   []int64
	unitInitiation     []int64
	blocks             int64
}

// resident changes the number of resident warps at cycle t.
func (c *counters) resident(t, change int64) {
	t = max(t, c.residentSince)
	c.residentWarpCycles += c.residentWarps * (t - c.residentSince)
	c.residentSince = t
	c.residentWarps += change
}

func (g *grid) result() *Result {
	cfg := g.cfg
	r := &Result{
		Model: cfg.model, Policy: cfg.policyName(), GPU: cfg.Machine.Desc.Name, Kernel: g.kernel.Program().Name,
		L1Order: cfg.caches.name(), Batches: cfg.Placement == InBatches, Cycles: g.end, Blocks: g.blocksDone, SMs: len(g.cores), Schedulers: cfg.Machine.Desc.SM.Schedulers, BlocksPerSM: cfg.BlocksPerSM,
		Stalls: map[string]int64{}, BlockTimes: g.blockTimes,
	}
	r.Units = make([]UnitUse, len(cfg.Machine.Units))
	for _, c := range g.cores {
		n := c.stats()
		r.WarpInstructions += n.warpInstructions
		r.ThreadInstructions += n.threadInstructions
		r.IssueCycles += n.issueCycles
		r.ResidentWarpCycles += n.residentWarpCycles
		r.Barriers += n.barriers
		r.BlocksOnSMs = append(r.BlocksOnSMs, n.blocks)
		for i, v := range n.stalls {
			if v > 0 {
				r.Stalls[Reason(i).String()] += v
			}
		}
		for u := range r.Units {
			r.Units[u].Instructions += n.unitInstructions[u]
			r.Units[u].InitiationCycles += n.unitInitiation[u]
		}
	}
	for u := range r.Units {
		r.Units[u].Name = cfg.Machine.Units[u].Name
		if r.Cycles > 0 {
			r.Units[u].Utilization = float64(r.Units[u].InitiationCycles) / float64(r.Cycles*int64(len(g.cores)*unitServers(cfg, u)))
		}
	}
	if r.Cycles > 0 {
		r.IPC = float64(r.WarpInstructions) / float64(r.Cycles)
		r.Occupancy = float64(r.ResidentWarpCycles) / float64(r.Cycles*int64(len(g.cores)))
	}
	if g.mem != nil {
		r.Memory = g.memoryUse()
	}
	if cfg.model == Frontend {
		r.Scheduling = g.scheduling(r)
	}
	if g.blocksDone > 0 {
		r.Block = Spread{MinCycles: g.blockMin, MaxCycles: g.blockMax, MeanCycles: float64(g.blockSum) / float64(g.blocksDone)}
	}
	return r
}

// unitServers is the number of units of kind u in one SM.
func unitServers(cfg *settings, u int) int {
	unit := &cfg.Machine.Units[u]
	if unit.Shared {
		return unit.Count
	}
	return unit.Count * cfg.Machine.Desc.SM.Schedulers
}
