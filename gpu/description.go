package gpu

// Description is a GPU file. Every table that holds numbers holds their source
// too. Integer fields are counts or the unit their key name ends in. The range
// and oneof tags are what Load enforces.
type Description struct {
	Format      int    `toml:"format" range:"1..1"` // version of the file format
	Name        string `toml:"name"`
	Description string `toml:"description"`
	// Model is what `simulate` runs unless told otherwise: "abstract", the SM
	// model the bounds are proved for, "pipeline", or "frontend".
	Model string `toml:"model" oneof:"abstract,pipeline,frontend"`

	Clock    Clock     `toml:"clock"`
	SM       SM        `toml:"sm"`
	Issue    Issue     `toml:"issue"`
	Queue    Queue     `toml:"queue"`
	Barrier  Barrier   `toml:"barrier"`
	Dispatch Dispatch  `toml:"block_dispatch"`
	Memory   Memory    `toml:"memory"`
	Units    []Unit    `toml:"units"`
	Timing   []Rule    `toml:"timing"`
	Pipeline *Pipeline `toml:"pipeline,omitempty"`  // nil where the file has none, like all below
	FrontEnd *FrontEnd `toml:"front_end,omitempty"` // how instructions reach the issue stage
	RISCV    *RISCV    `toml:"riscv,omitempty"`     // what RISC-V programs are built for
	L1D      *L1D      `toml:"l1d,omitempty"`
	LDSTPath *LDSTPath `toml:"ldst_path,omitempty"`
	L2       *L2       `toml:"l2,omitempty"`
	DRAM     *DRAM     `toml:"dram,omitempty"`
	CPUs     []CPU     `toml:"cpu,omitempty"` // what shares the DRAM with the GPU

	// Overrides are the `key=value` settings applied on top of the file, in
	// order. A description with overrides is not the machine its name says.
	Overrides []string `toml:"-"`
}

// Clock turns cycles into time.
type Clock struct {
	CoreKHz int64  `toml:"core_khz" range:"1..100000000"`
	Source  string `toml:"source"`
}

// SM gives the size of a streaming multiprocessor and how many there are.
type SM struct {
	Count                     int64  `toml:"count" range:"1..65536"`
	WarpSize                  int    `toml:"warp_size" range:"1..32"`
	Schedulers                int    `toml:"schedulers" range:"1..64"` // warp schedulers; warp i belongs to scheduler i mod Schedulers
	MaxThreads                int64  `toml:"max_threads" range:"1..1048576"`
	MaxThreadsPerBlock        int64  `toml:"max_threads_per_block" range:"1..1048576"`
	MaxWarps                  int64  `toml:"max_warps" range:"1..1048576"`
	MaxBlocks                 int64  `toml:"max_blocks" range:"1..65536"`
	Registers                 int64  `toml:"registers" range:"1..16777216"`                       // 32-bit registers
	RegistersPerWarpUnit      int64  `toml:"registers_per_warp_unit" range:"1..65536"`            // allocation granularity
	RegisterPartitions        int64  `toml:"register_partitions" range:"1..64"`                   // equal parts of the register file; a warp lies in one of them
	MaxRegistersPerThread     int64  `toml:"max_registers_per_thread" range:"1..65536"`           //
	SharedMemoryBytes         int64  `toml:"shared_memory_bytes" range:"0..1073741824"`           //
	SharedMemoryPerBlockBytes int64  `toml:"shared_memory_per_block_bytes" range:"0..1073741824"` //
	SharedMemoryUnitBytes     int64  `toml:"shared_memory_unit_bytes" range:"1..1048576"`         // allocation granularity
	SharedMemoryReservedBytes int64  `toml:"shared_memory_reserved_bytes" range:"0..1048576"`     // taken from every block by the system
	Source                    string `toml:"source"`
}

// Issue says how instructions leave a warp.
type Issue struct {
	PerCycle int    `toml:"per_cycle" range:"1..8"`                             // instructions a scheduler issues in a cycle
	Policy   string `toml:"policy" oneof:"lrr,gto,srr,oldest,two-level,random"` // default policy of the simulator
	// DependencyDepthCycles is added to every latency of the timing table: the
	// part of the issue-to-dependent-issue distance that the pipeline around
	// the functional unit takes.
	DependencyDepthCycles int64  `toml:"dependency_depth_cycles" range:"0..1000000"`
	InterlockWAW          bool   `toml:"interlock_waw"` // an instruction waits for earlier writers of its destinations
	Source                string `toml:"source"`
}

// Queue says what lies between issue and a functional unit.
type Queue struct {
	Kind           string `toml:"kind" oneof:"unbounded,slots,none,pooled"`
	Slots          int    `toml:"slots,omitempty" range:"1..1000000"` // entries per unit for "slots", shared entries for "pooled"; 0 for the others
	Order          string `toml:"order" oneof:"fifo,any"`             // which waiting instruction a unit takes
	KeepsWarpOrder bool   `toml:"keeps_warp_order"`                   // a unit takes one warp's instructions in issue order
	Source         string `toml:"source"`
}

// Barrier describes block barriers.
type Barrier struct {
	Draining    bool   `toml:"draining"`                        // opens only when everything before it has completed
	DelayCycles int64  `toml:"delay_cycles" range:"0..1000000"` // from opening to the first possible issue, beyond the next cycle
	Source      string `toml:"source"`
}

// Dispatch describes how blocks reach SMs.
type Dispatch struct {
	// Placement says on which SM a block starts where several have a free slot:
	// "any" (the default), or "breadth-first", one with the most free slots, so
	// that blocks that all find room at the launch are spread evenly.
	Placement        string `toml:"placement,omitempty" oneof:"any,breadth-first"`
	StartDelayCycles int64  `toml:"start_delay_cycles" range:"0..1000000000"` // from taking a slot to the first possible issue
	Source           string `toml:"source"`
}

// Memory says how many transactions an access makes.
type Memory struct {
	SharedBanks   int    `toml:"shared_banks" range:"1..1024"`
	BankWordBytes int64  `toml:"bank_word_bytes" range:"4..1024"`
	SegmentBytes  int64  `toml:"segment_bytes" range:"4..65536"` // coalescing granularity of global memory
	Source        string `toml:"source"`
}

// Unit is a kind of functional unit. A unit initiates one instruction at a time.
type Unit struct {
	Name   string `toml:"name"`
	Count  int    `toml:"count" range:"1..64"` // identical units behind one queue, per scheduler or per SM
	Shared bool   `toml:"shared"`              // one set for the whole SM instead of one per scheduler
	Source string `toml:"source"`
}

// Rule maps timing classes to a unit. Patterns are "family", "family.type",
// "family.space" or "family.space.type", with "*" for any family, space or type
// and "i*" for all integer types; a later rule wins over an earlier one.
type Rule struct {
	Name             string   `toml:"name,omitempty"` // how --set and other files address the rule
	Classes          []string `toml:"classes"`
	Unit             string   `toml:"unit"`
	InitiationCycles int64    `toml:"initiation_cycles" range:"1..1000000000"`
	// LatencyCycles is the published latency of the unit, initiation included;
	// a dependent instruction waits LatencyCycles + Issue.DependencyDepthCycles
	// after dispatch.
	LatencyCycles int64 `toml:"latency_cycles" range:"1..1000000000"`
	// DependentIssueCycles, where not 0, is the distance from dispatch to a
	// dependent issue itself, for instructions that bypass part of the pipeline.
	DependentIssueCycles int64 `toml:"dependent_issue_cycles,omitempty" range:"1..1000000000"`
	// Transactions is "none" (also where the file says nothing), "banks"
	// (conflicting words of one bank) or "segments"; each transaction after the
	// first adds TransactionCycles to the initiation.
	Transactions      string `toml:"transactions,omitempty" oneof:"none,banks,segments"`
	TransactionCycles int64  `toml:"transaction_cycles,omitempty" range:"1..1000000"`
	// NotIssued marks instructions that take no issue slot, like the `ret` that
	// ends a warp in Jeanmougin2025.
	NotIssued bool   `toml:"not_issued,omitempty"`
	Source    string `toml:"source"`
}
