package gpu

// Description is a GPU file. Every table that holds numbers holds their source
// too. Integer fields are counts or the unit their key name ends in.
type Description struct {
	Format      int    `toml:"format"` // version of the file format, 1
	Name        string `toml:"name"`
	Description string `toml:"description"`
	// Model is what `simulate` runs unless told otherwise: "abstract", the SM
	// model the bounds are proved for, or "pipeline".
	Model string `toml:"model"`

	Clock    Clock     `toml:"clock"`
	SM       SM        `toml:"sm"`
	Issue    Issue     `toml:"issue"`
	Queue    Queue     `toml:"queue"`
	Barrier  Barrier   `toml:"barrier"`
	Dispatch Dispatch  `toml:"block_dispatch"`
	Memory   Memory    `toml:"memory"`
	Units    []Unit    `toml:"units"`
	Timing   []Rule    `toml:"timing"`
	Pipeline *Pipeline `toml:"pipeline"` // nil where the file has none
}

// Clock turns cycles into time.
type Clock struct {
	CoreKHz int64  `toml:"core_khz"`
	Source  string `toml:"source"`
}

// SM gives the size of a streaming multiprocessor and how many there are.
type SM struct {
	Count                     int64  `toml:"count"`
	WarpSize                  int    `toml:"warp_size"`
	Schedulers                int    `toml:"schedulers"` // warp schedulers; warp i belongs to scheduler i mod Schedulers
	MaxThreads                int64  `toml:"max_threads"`
	MaxWarps                  int64  `toml:"max_warps"`
	MaxBlocks                 int64  `toml:"max_blocks"`
	Registers                 int64  `toml:"registers"`                     // 32-bit registers
	RegistersPerWarpUnit      int64  `toml:"registers_per_warp_unit"`       // allocation granularity
	MaxRegistersPerThread     int64  `toml:"max_registers_per_thread"`      //
	SharedMemoryBytes         int64  `toml:"shared_memory_bytes"`           //
	SharedMemoryPerBlockBytes int64  `toml:"shared_memory_per_block_bytes"` //
	SharedMemoryUnitBytes     int64  `toml:"shared_memory_unit_bytes"`      // allocation granularity
	SharedMemoryReservedBytes int64  `toml:"shared_memory_reserved_bytes"`  // taken from every block by the system
	Source                    string `toml:"source"`
}

// Issue says how instructions leave a warp.
type Issue struct {
	PerCycle int    `toml:"per_cycle"` // instructions a scheduler issues in a cycle
	Policy   string `toml:"policy"`    // default policy of the simulator
	// DependencyDepthCycles is added to every latency of the timing table: the
	// part of the issue-to-dependent-issue distance that the pipeline around
	// the functional unit takes.
	DependencyDepthCycles int64  `toml:"dependency_depth_cycles"`
	InterlockWAW          bool   `toml:"interlock_waw"` // an instruction waits for earlier writers of its destinations
	Source                string `toml:"source"`
}

// Queue says what lies between issue and a functional unit.
type Queue struct {
	Kind           string `toml:"kind"`             // "unbounded", "slots", "none", "pooled"
	Slots          int    `toml:"slots"`            // entries per unit for "slots", shared entries for "pooled"
	Order          string `toml:"order"`            // "fifo" or "any": which waiting instruction a unit takes
	KeepsWarpOrder bool   `toml:"keeps_warp_order"` // a unit takes one warp's instructions in issue order
	Source         string `toml:"source"`
}

// Barrier describes block barriers.
type Barrier struct {
	Draining    bool   `toml:"draining"`     // opens only when everything before it has completed
	DelayCycles int64  `toml:"delay_cycles"` // from opening to the first possible issue, beyond the next cycle
	Source      string `toml:"source"`
}

// Dispatch describes how blocks reach SMs.
type Dispatch struct {
	StartDelayCycles int64  `toml:"start_delay_cycles"` // from taking a slot to the first possible issue
	Source           string `toml:"source"`
}

// Memory says how many transactions an access makes.
type Memory struct {
	SharedBanks   int    `toml:"shared_banks"`
	BankWordBytes int64  `toml:"bank_word_bytes"`
	SegmentBytes  int64  `toml:"segment_bytes"` // coalescing granularity of global memory
	Source        string `toml:"source"`
}

// Unit is a kind of functional unit. A unit initiates one instruction at a time.
type Unit struct {
	Name   string `toml:"name"`
	Count  int    `toml:"count"`  // identical units behind one queue, per scheduler or per SM
	Shared bool   `toml:"shared"` // one set for the whole SM instead of one per scheduler
	Source string `toml:"source"`
}

// Rule maps timing classes to a unit. Patterns are "family", "family.type",
// "family.space" or "family.space.type", with "*" for any type or family and
// "i*" for all integer types; a later rule wins over an earlier one.
type Rule struct {
	Classes          []string `toml:"classes"`
	Unit             string   `toml:"unit"`
	InitiationCycles int64    `toml:"initiation_cycles"`
	// LatencyCycles is the published latency of the unit, initiation included;
	// a dependent instruction waits LatencyCycles + Issue.DependencyDepthCycles
	// after dispatch.
	LatencyCycles int64 `toml:"latency_cycles"`
	// Transactions is "none", "banks" (conflicting words of one bank) or
	// "segments"; each transaction after the first adds TransactionCycles to
	// the initiation.
	Transactions      string `toml:"transactions"`
	TransactionCycles int64  `toml:"transaction_cycles"`
	// NotIssued marks instructions that take no issue slot, like the `ret` that
	// ends a warp in Jeanmougin2025.
	NotIssued bool   `toml:"not_issued"`
	Source    string `toml:"source"`
}
