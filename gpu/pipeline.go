package gpu

// Pipeline holds what the `pipeline` model of the simulator needs beyond the
// common tables: front end, operand collectors, result bus, memory behaviour.
type Pipeline struct {
	FetchWidth        int    `toml:"fetch_width"`         // instructions fetched at once for one warp
	FetchPerCycle     int    `toml:"fetch_per_cycle"`     // warps served by fetch in a cycle
	BufferEntries     int    `toml:"buffer_entries"`      // instruction buffer entries of a warp
	Collectors        int    `toml:"collectors"`          // operand collector units per scheduler
	CollectorSteps    int    `toml:"collector_steps"`     // operand collector steps in a cycle
	RegisterBanks     int    `toml:"register_banks"`      // register-file banks per scheduler
	ResultBusWidth    int    `toml:"result_bus_width"`    // results written back in a cycle
	StoreDrainCycles  int64  `toml:"store_drain_cycles"`  // from dispatch of a store to its acknowledgement
	LaunchDelayCycles int64  `toml:"launch_delay_cycles"` // before the first fetch of a kernel
	Source            string `toml:"source"`
}
