package gpu

import "slices"

// Pipeline holds what the `pipeline` model of the simulator needs beyond the
// common tables: front end, operand collectors, result buses, memory path.
// Units start instructions in the order in which the file declares them.
type Pipeline struct {
	// FetchWidth is the number of consecutive instructions that one fetch puts
	// into the buffer of a warp, which has that many entries and must be empty.
	FetchWidth    int `toml:"fetch_width" range:"1..16"`
	FetchPerCycle int `toml:"fetch_per_cycle" range:"1..64"` // warps fetched for in a cycle
	// SubCores says that issue ports, collectors and register banks belong to
	// one scheduler each; Count and RegisterBanks are then per scheduler.
	SubCores       bool            `toml:"sub_cores"`
	CollectorPools []CollectorPool `toml:"collector_pools"`
	// IssuePorts is the number of instructions of a unit that may wait for a
	// collector, where it is not one a scheduler (with sub-cores) or unit.
	IssuePorts map[string]int `toml:"issue_ports,omitempty" range:"1..16"`
	// CollectorOrder lists all units in the order in which their instructions
	// take free collectors.
	CollectorOrder []string `toml:"collector_order"`
	CollectorSteps int      `toml:"collector_steps" range:"1..16"` // operand collector steps in a cycle
	RegisterBanks  int      `toml:"register_banks" range:"1..64"`  // register-file banks, one operand each in a step
	ResultBuses    int      `toml:"result_buses" range:"1..64"`    // results that may arrive in the same cycle, per SM
	LoadStoreUnit  string   `toml:"load_store_unit"`               // the unit with the memory path; others are plain pipelines
	// SegmentsPerCycle is how many segments of an access to global memory the
	// load/store unit sends in a cycle, ReturnCycles how long one segment
	// occupies the way back from memory; an acknowledgement occupies it for at
	// most one cycle.
	SegmentsPerCycle int   `toml:"segments_per_cycle" range:"1..64"`
	ReturnCycles     int64 `toml:"return_cycles" range:"0..1024"`
	// MemoryLatencyCycles is from sending the last segment of a load of global
	// memory to its return, without contention; the latencies of the timing
	// table, which bounds use, may be larger.
	MemoryLatencyCycles int64  `toml:"memory_latency_cycles" range:"1..1000000"`
	StoreDrainCycles    int64  `toml:"store_drain_cycles" range:"0..1000000"` // from sending a store to its acknowledgement
	Source              string `toml:"source"`
}

// CollectorPool is a set of operand collectors that serves some units.
type CollectorPool struct {
	Units      []string `toml:"units"` // unit names; "*" is every unit
	Count      int      `toml:"count" range:"1..64"`
	Dispatches int      `toml:"dispatches" range:"1..64"` // instructions sent to units in a step
	Source     string   `toml:"source"`
}

// Serves tells whether the pool takes instructions of a unit.
func (p *CollectorPool) Serves(unit string) bool {
	return slices.Contains(p.Units, "*") || slices.Contains(p.Units, unit)
}
