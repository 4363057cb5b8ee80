package gpu

import (
	"slices"

	"github.com/warpbound/warpbound/internal/conf"
)

// The tables of this file describe the data caches and what lies behind them.
// They come together or not at all, and only a simulation that is asked to use
// caches reads them: every bound and every other run knows memory by the
// latencies of the timing table alone.

// L1D is the data cache of an SM. An access is one distinct sector that a warp
// instruction touches, in the order of its lanes.
type L1D struct {
	Sets        int    `toml:"sets" range:"1..65536"` // a power of two
	Ways        int    `toml:"ways" range:"1..256"`
	LineBytes   int    `toml:"line_bytes" range:"4..65536"`   // a power of two
	SectorBytes int    `toml:"sector_bytes" range:"4..65536"` // what one miss fetches; line_bytes for whole lines
	Replacement string `toml:"replacement" oneof:"lru,fifo,plru"`
	Index       string `toml:"index" oneof:"linear,fermi-hash"`
	// Write is what a store does to a line that is here: "through" updates it,
	// "evict" removes it, and both send the store on; "back" keeps it until the
	// line is evicted.
	Write         string `toml:"write" oneof:"through,evict,back"`
	WriteAllocate bool   `toml:"write_allocate"`             // a store that misses brings its sector in, without a fetch
	MSHRs         int    `toml:"mshrs" range:"1..65536"`     // sectors on their way at a time
	MSHRMerges    int    `toml:"mshr_merges" range:"1..256"` // accesses that can wait for one of them, the first included
	// Banks take one access each in a cycle, consecutive sectors lie in
	// consecutive banks, and accesses go in order.
	Banks int `toml:"banks" range:"1..64"`
	// HitLatencyCycles is the published latency of a hit, as latency_cycles of
	// a timing rule is.
	HitLatencyCycles int64 `toml:"hit_latency_cycles" range:"1..1000000"`
	// WriteLatencyCycles is from a store or an atomic reaching the tags to its
	// leaving for the L2; a load that misses leaves at once.
	WriteLatencyCycles int64  `toml:"write_latency_cycles" range:"0..1000000"`
	Source             string `toml:"source"`
}

// LDSTPath is the reordering unit of Huangfu2017 between the load/store units of
// an SM and its L1D.
type LDSTPath struct {
	Channels       int `toml:"channels" range:"1..65536"`       // one for each resident warp
	ChannelEntries int `toml:"channel_entries" range:"1..4096"` // warp instructions a channel holds
	// FullChannel is what waits for an entry of a full channel: "hold-warp",
	// the warp before it issues, or "stall-unit", the load/store unit, and with
	// it every warp behind.
	FullChannel string `toml:"full_channel" oneof:"hold-warp,stall-unit"`
	Source      string `toml:"source"`
}

// L2 is the cache that all SMs share and the network to it. It writes back and
// allocates on writes, without a fetch.
type L2 struct {
	Slices          int    `toml:"slices" range:"1..1024"`
	InterleaveBytes int64  `toml:"interleave_bytes" range:"4..1048576"` // consecutive pieces of this size lie in consecutive slices
	Sets            int    `toml:"sets" range:"1..65536"`               // of a slice
	Ways            int    `toml:"ways" range:"1..256"`
	LineBytes       int    `toml:"line_bytes" range:"4..65536"`
	SectorBytes     int    `toml:"sector_bytes" range:"4..65536"`
	Replacement     string `toml:"replacement" oneof:"lru,fifo,plru"`
	// LatencyCycles is from the start of an access to a slice to its answer
	// leaving; AccessCycles is how long one sector occupies the slice.
	LatencyCycles int64 `toml:"latency_cycles" range:"1..1000000"`
	AccessCycles  int64 `toml:"access_cycles" range:"1..1024"`
	// RequestLatencyCycles and ResponseLatencyCycles are the ways through the
	// network; ResponseCycles is how long one L1D sector occupies the way into
	// an SM. A request occupies the way out of an SM for a cycle, and an
	// acknowledgement the way in.
	RequestLatencyCycles  int64 `toml:"request_latency_cycles" range:"1..1000000"`
	ResponseLatencyCycles int64 `toml:"response_latency_cycles" range:"1..1000000"`
	ResponseCycles        int64 `toml:"response_cycles" range:"1..1024"`
	// Arbitration is which request a slice, or a channel of the DRAM, serves next:
	// "fifo" (the default), the one that came first, or "round-robin", the SMs in
	// turn, of each the request that it sent first.
	Arbitration string `toml:"arbitration,omitempty" oneof:"fifo,round-robin"`
	Source      string `toml:"source"`
}

// DRAM is the memory behind the L2. Slice i belongs to channel i mod Channels. A
// channel serves as Scheduling says, and with "fifo" as L2.Arbitration does.
type DRAM struct {
	Channels int   `toml:"channels" range:"1..1024"`
	Banks    int   `toml:"banks" range:"1..1024"`           // of a channel; each keeps one row open
	RowBytes int64 `toml:"row_bytes" range:"4..1073741824"` // of a bank
	// LatencyCycles is from the start of a transfer to its end, without the
	// transfer itself; RowMissCycles is added where another row is open.
	LatencyCycles int64 `toml:"latency_cycles" range:"1..1000000"`
	RowMissCycles int64 `toml:"row_miss_cycles" range:"0..1000000"`
	// BytesPerKilocycle is what a channel moves in 1000 cycles of the core.
	BytesPerKilocycle int64 `toml:"bytes_per_kilocycle" range:"1..1000000000"`
	// Scheduling is "fifo" (the default), or "fr-fcfs": transfers from rows that are
	// open go first, the oldest of them, and a bank opens the row of its oldest
	// request. QueueEntries are the requests among which a channel chooses; the
	// others wait outside, in order of arrival. RowHitCap is how many transfers
	// from the open row of a bank go before an older request for another of its
	// rows. Both are read with "fr-fcfs" only.
	Scheduling   string `toml:"scheduling,omitempty" oneof:"fifo,fr-fcfs"`
	QueueEntries int    `toml:"queue_entries,omitempty" range:"0..65536"`
	RowHitCap    int64  `toml:"row_hit_cap,omitempty" range:"0..1000000000"`
	// In every cycle k x RefreshIntervalCycles, k > 0, a refresh of all banks begins.
	// It closes every row and lasts RefreshCycles, in which no transfer begins and
	// no row is opened. RefreshCycles 0 for none.
	RefreshIntervalCycles int64  `toml:"refresh_interval_cycles,omitempty" range:"0..1000000000"`
	RefreshCycles         int64  `toml:"refresh_cycles,omitempty" range:"0..1000000000"`
	Source                string `toml:"source"`
}

// CPU is a group of equal cores that share the DRAM with the GPU. Their misses
// enter at the channels: they meet neither the network of the GPU nor its L2.
// Cores say nothing about what they run; a simulation does.
type CPU struct {
	Name        string `toml:"name"`
	Cores       int    `toml:"cores" range:"1..1024"`
	LineBytes   int64  `toml:"line_bytes" range:"4..4096"`  // what a request moves
	Outstanding int    `toml:"outstanding" range:"1..1024"` // requests of a core under way at a time
	// RequestLatencyCycles is from a core's miss to its channel, and
	// ResponseLatencyCycles the way back, in cycles of the GPU.
	RequestLatencyCycles  int64  `toml:"request_latency_cycles" range:"1..1000000"`
	ResponseLatencyCycles int64  `toml:"response_latency_cycles" range:"0..1000000"`
	Source                string `toml:"source"`
}

// FRFCFS tells whether channels prefer requests to open rows.
func (m *DRAM) FRFCFS() bool { return m.Scheduling == "fr-fcfs" }

// HasCaches tells whether the description has the tables a simulation with
// caches needs.
func (d *Description) HasCaches() bool { return d.L1D != nil && d.L2 != nil && d.DRAM != nil }

// RoundRobin tells whether the places that SMs share serve them in turn.
func (l *L2) RoundRobin() bool { return l.Arbitration == "round-robin" }

func powerOfTwo(n int64) bool { return n > 0 && n&(n-1) == 0 }

// cacheShape is what the checks of both caches read.
type cacheShape struct {
	table                    string
	sets, ways, line, sector int
	replacement, index       string
}

// caches checks the tables of this file.
func (c *checker) caches() {
	d := c.d
	tables := []struct {
		name string
		has  bool
	}{{"l1d", d.L1D != nil}, {"l2", d.L2 != nil}, {"dram", d.DRAM != nil}}
	some, all := d.LDSTPath != nil, true
	for _, t := range tables {
		some, all = some || t.has, all && t.has
	}
	if !all {
		for _, t := range tables {
			if some && !t.has {
				c.errs.Addf(c.root.Pos, "no table [%s], expected [l1d], [l2] and [dram] together", t.name)
			}
		}
		return
	}
	l1, l2 := d.L1D, d.L2
	c.cache(cacheShape{"l1d", l1.Sets, l1.Ways, l1.LineBytes, l1.SectorBytes, l1.Replacement, l1.Index})
	c.cache(cacheShape{"l2", l2.Sets, l2.Ways, l2.LineBytes, l2.SectorBytes, l2.Replacement, "linear"})
	if l1.Write == "evict" && l1.WriteAllocate {
		c.errs.Addf(c.pos("l1d", "write_allocate"), "l1d.write_allocate is true, expected false with write = \"evict\"")
	}
	if !powerOfTwo(int64(l1.Banks)) {
		c.errs.Addf(c.pos("l1d", "banks"), "l1d.banks is %d, expected a power of two", l1.Banks)
	}
	if l1.SectorBytes > l2.LineBytes {
		c.errs.Addf(c.pos("l1d", "sector_bytes"), "l1d.sector_bytes is %d, expected at most l2.line_bytes = %d", l1.SectorBytes, l2.LineBytes)
	}
	if !powerOfTwo(l2.InterleaveBytes) || l2.InterleaveBytes < int64(l2.LineBytes) {
		c.errs.Addf(c.pos("l2", "interleave_bytes"), "l2.interleave_bytes is %d, expected a power of two of at least line_bytes = %d", l2.InterleaveBytes, l2.LineBytes)
	}
	if d.DRAM.Channels > l2.Slices {
		c.errs.Addf(c.pos("dram", "channels"), "dram.channels is %d, expected at most l2.slices = %d", d.DRAM.Channels, l2.Slices)
	}
	if !powerOfTwo(d.DRAM.RowBytes) {
		c.errs.Addf(c.pos("dram", "row_bytes"), "dram.row_bytes is %d, expected a power of two", d.DRAM.RowBytes)
	}
	c.dram()
}

// dram checks how channels schedule and refresh.
func (c *checker) dram() {
	m := c.d.DRAM
	for _, x := range []struct {
		key   string
		value int64
	}{{"queue_entries", int64(m.QueueEntries)}, {"row_hit_cap", m.RowHitCap}} {
		if m.FRFCFS() && x.value == 0 {
			c.errs.Addf(c.pos("dram", x.key), "dram.%s is 0, expected at least 1 with scheduling = \"fr-fcfs\"", x.key)
		}
	}
	if m.FRFCFS() && c.d.L2.RoundRobin() {
		c.errs.Addf(c.pos("dram", "scheduling"), "dram.scheduling is \"fr-fcfs\", expected \"fifo\" with l2.arbitration = \"round-robin\"")
	}
	if least := m.RefreshCycles + m.RowMissCycles; m.RefreshCycles > 0 && m.RefreshIntervalCycles <= least {
		c.errs.Addf(c.pos("dram", "refresh_interval_cycles"), "dram.refresh_interval_cycles is %d, expected more than refresh_cycles + row_miss_cycles = %d", m.RefreshIntervalCycles, least)
	}
}

// cpus checks the cores beside the GPU.
func (c *checker) cpus() {
	for i := range c.d.CPUs {
		x := &c.d.CPUs[i]
		at := func(key string) conf.Pos { return c.pos("cpu", i, key) }
		if !unitName.MatchString(x.Name) {
			c.errs.Addf(at("name"), "name %q of a cpu, expected letters, digits, - and _, a letter first", x.Name)
		}
		if slices.ContainsFunc(c.d.CPUs[:i], func(o CPU) bool { return o.Name == x.Name }) {
			c.errs.Addf(at("name"), "a second cpu %q, expected another name", x.Name)
		}
		if !powerOfTwo(x.LineBytes) {
			c.errs.Addf(at("line_bytes"), "cpu.%s.line_bytes is %d, expected a power of two", x.Name, x.LineBytes)
		}
		if c.d.DRAM == nil {
			c.errs.Addf(at("name"), "cpu %q without a table [dram], expected the DRAM that it shares", x.Name)
		}
	}
}

// The largest cache, in lines, and the most sectors of a line.
const (
	maxCacheLines = 1 << 22
	maxSectors    = 32
)

func (c *checker) cache(s cacheShape) {
	bad := func(key, format string, args ...any) {
		c.errs.Addf(c.pos(s.table, key), "%s.%s is "+format, append([]any{s.table, key}, args...)...)
	}
	if !powerOfTwo(int64(s.sets)) {
		bad("sets", "%d, expected a power of two", s.sets)
	} else if s.sets > maxCacheLines/s.ways {
		bad("sets", "%d with %d ways, expected at most %d lines", s.sets, s.ways, maxCacheLines)
	}
	if s.replacement == "plru" && !powerOfTwo(int64(s.ways)) {
		bad("ways", "%d, expected a power of two for replacement = \"plru\"", s.ways)
	}
	switch {
	case !powerOfTwo(int64(s.line)):
		bad("line_bytes", "%d, expected a power of two", s.line)
	case !powerOfTwo(int64(s.sector)) || s.sector > s.line || s.line/s.sector > maxSectors:
		bad("sector_bytes", "%d, expected a power of two from 1/%d of line_bytes = %d to all of it", s.sector, maxSectors, s.line)
	}
	if s.index == "fermi-hash" && (s.sets != 32 && s.sets != 64 || s.line != 128) {
		bad("index", "\"fermi-hash\" with %d sets of lines of %d bytes, expected 32 or 64 sets of lines of 128 bytes", s.sets, s.line)
	}
}
