package certify

import (
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	cert "github.com/warpbound/warpbound/internal/certificate"
)

// maxCycles limits initiations, latencies and delays.
const maxCycles = 1 << 32

// machine is what is read of a GPU description (docs/gpu-format.md).
type machine struct {
	Name  string         `toml:"name"`
	SM    map[string]any `toml:"sm"`
	Issue struct {
		PerCycle     int64 `toml:"per_cycle"`
		DepthCycles  int64 `toml:"dependency_depth_cycles"`
		InterlockWAW bool  `toml:"interlock_waw"`
	} `toml:"issue"`
	Queue struct {
		Kind           string `toml:"kind"`
		Order          string `toml:"order"`
		KeepsWarpOrder bool   `toml:"keeps_warp_order"`
	} `toml:"queue"`
	Barrier struct {
		Draining    bool  `toml:"draining"`
		DelayCycles int64 `toml:"delay_cycles"`
	} `toml:"barrier"`
	Dispatch struct {
		Placement        string `toml:"placement"`
		StartDelayCycles int64  `toml:"start_delay_cycles"`
	} `toml:"block_dispatch"`
	Units []struct {
		Name   string `toml:"name"`
		Shared bool   `toml:"shared"`
	} `toml:"units"`
	Timing []*rule `toml:"timing"`

	sm   map[string]int64 // the numbers of SM
	unit map[string]int
}

// rule is the timing of some classes of instructions.
type rule struct {
	Classes              []string `toml:"classes"`
	Unit                 string   `toml:"unit"`
	InitiationCycles     int64    `toml:"initiation_cycles"`
	LatencyCycles        int64    `toml:"latency_cycles"`
	DependentIssueCycles int64    `toml:"dependent_issue_cycles"`
	Transactions         string   `toml:"transactions"`
	TransactionCycles    int64    `toml:"transaction_cycles"`
	NotIssued            bool     `toml:"not_issued"`
}

// class is the timing class of an instruction: memory families have a space, and ""
// is no type or space.
type class struct{ family, space, typ string }

func (c class) String() string {
	return strings.TrimSuffix(strings.ReplaceAll(c.family+"."+c.space+"."+c.typ, "..", "."), ".")
}

// readMachine reads a description and refuses what would make no sense below.
func readMachine(text string) *machine {
	m := &machine{sm: map[string]int64{}, unit: map[string]int{}}
	err := toml.Unmarshal([]byte(text), m)
	need(err == nil, "gpu.text", "%v", err)
	for i, u := range m.Units {
		_, twice := m.unit[u.Name]
		need(!twice, "gpu.text", "two units are called %q", u.Name)
		m.unit[u.Name] = i
	}
	need(len(m.Units) >= 1 && len(m.Units) <= 64, "gpu.text", "%d units, expected 1 to 64", len(m.Units))
	need(slices.Contains([]string{"unbounded", "slots", "none", "pooled"}, m.Queue.Kind), "gpu.text", "queue.kind %q, expected unbounded, slots, none or pooled", m.Queue.Kind)
	for key, x := range m.SM {
		m.sm[key], _ = x.(int64)
		need(m.sm[key] >= 0 && m.sm[key] <= 1<<30, "gpu.text", "sm.%s %d, expected 0 to %d", key, m.sm[key], 1<<30)
	}
	for _, key := range []string{"count", "warp_size", "schedulers", "max_threads", "max_threads_per_block", "max_warps", "max_blocks", "registers_per_warp_unit", "register_partitions", "shared_memory_unit_bytes"} {
		need(m.sm[key] >= 1, "gpu.text", "sm.%s %d, expected at least 1", key, m.sm[key])
	}
	delays := []int64{m.Issue.DepthCycles, m.Barrier.DelayCycles, m.Dispatch.StartDelayCycles}
	need(slices.Min(delays) >= 0 && slices.Max(delays) <= 1<<30, "gpu.text", "delays of %v cycles, expected 0 to %d", delays, 1<<30)
	need(m.Issue.PerCycle == 1, "gpu.text", "%d instructions issue per cycle and scheduler; the theorems are for one", m.Issue.PerCycle)
	need(m.Queue.Order != "fifo" || m.Queue.KeepsWarpOrder, "gpu.text", "queue.order fifo keeps the order of a warp, but keeps_warp_order is false")
	for i, r := range m.Timing {
		_, ok := m.unit[r.Unit]
		need(ok && min(r.InitiationCycles, r.LatencyCycles) >= 1 && min(r.TransactionCycles, r.DependentIssueCycles) >= 0 && max(r.InitiationCycles, r.LatencyCycles, r.TransactionCycles, r.DependentIssueCycles) <= 1<<30,
			"gpu.text", "timing rule %d: unit %q, initiation %d, latency %d", i, r.Unit, r.InitiationCycles, r.LatencyCycles)
	}
	return m
}

// keepsOrder: each unit serves a warp in program order.
func (m *machine) keepsOrder() bool { return m.Queue.KeepsWarpOrder || m.Queue.Kind == "none" }

// additive: bounds of sections may be added (theorem 3 (barriers)).
func (m *machine) additive() bool {
	return m.Queue.Order == "fifo" || m.Barrier.Draining || m.Queue.Kind == "none"
}

// rule is that of a class: the last one that matches.
func (m *machine) rule(c class) *rule {
	for _, r := range slices.Backward(m.Timing) {
		if slices.ContainsFunc(r.Classes, func(pattern string) bool { return matches(pattern, c) }) {
			return r
		}
	}
	refuse("gpu.text", "no timing rule for class %s", c)
	return nil
}

// matches tells whether a pattern family.space.type, of which space and type may be left
// out, is of a class. "*" is any family or type, "i*" any integer type.
func matches(pattern string, c class) bool {
	family, rest, _ := strings.Cut(pattern, ".")
	space, typ, _ := strings.Cut(rest, ".")
	if !spaces[space] && typ == "" { // no space
		space, typ = "*", space
	}
	return (family == "*" || family == c.family) &&
		(space == "*" || space == c.space) &&
		(typ == "" || typ == "*" || typ == c.typ || typ == "i*" && strings.HasPrefix(c.typ, "i"))
}

var spaces = map[string]bool{"global": true, "shared": true, "const": true, "local": true, "param": true, "generic": true}

// times are initiation and latency, from the end of the initiation on, of an access
// that makes n transactions.
func (m *machine) times(r *rule, n int64) (initiation, latency int64) {
	distance := r.LatencyCycles + m.Issue.DepthCycles
	if r.DependentIssueCycles > 0 {
		distance = r.DependentIssueCycles
	}
	initiation, latency = r.InitiationCycles, max(0, distance-r.InitiationCycles)
	if r.Transactions != "" && r.Transactions != "none" {
		initiation += (n - 1) * r.TransactionCycles
	}
	return initiation, latency
}

// occupancy is how many blocks an SM holds: warps are whole, the registers of a warp are
// rounded up and lie in one partition, shared memory is rounded up.
func (m *machine) occupancy(threads int64, o *cert.Occupancy) int64 {
	sm := m.sm
	need(threads <= sm["max_threads_per_block"] && o.RegistersPerThread >= 0 && o.RegistersPerThread <= sm["max_registers_per_thread"] && o.SharedBytes >= 0 && o.SharedBytes <= sm["shared_memory_per_block_bytes"],
		"occupancy", "a block of %d threads with %d registers each and %d bytes of shared memory does not fit an SM", threads, o.RegistersPerThread, o.SharedBytes)
	up := func(n, unit int64) int64 { return (n + unit - 1) / unit * unit }
	warps := up(threads, sm["warp_size"]) / sm["warp_size"]
	blocks := min(sm["max_blocks"], sm["max_warps"]/warps, sm["max_threads"]/(warps*sm["warp_size"]))
	if o.RegistersPerThread > 0 {
		blocks = min(blocks, sm["registers"]/sm["register_partitions"]/up(o.RegistersPerThread*sm["warp_size"], sm["registers_per_warp_unit"])*sm["register_partitions"]/warps)
	}
	if bytes := up(o.SharedBytes+sm["shared_memory_reserved_bytes"], sm["shared_memory_unit_bytes"]); bytes > 0 {
		blocks = min(blocks, sm["shared_memory_bytes"]/bytes)
	}
	return blocks
}
