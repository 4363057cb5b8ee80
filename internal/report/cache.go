package report

import (
	"fmt"

	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/cache"
	"github.com/warpbound/warpbound/internal/cache/static"
	"github.com/warpbound/warpbound/internal/version"
)

// CacheDocument is the JSON form of a study of L1 data caches (docs/json.md).
// Everything is counted in requests: a warp instruction makes one for each sector
// that it touches.
type CacheDocument struct {
	Warpbound version.Info `json:"warpbound"`
	MachineIdentity
	Launch string `json:"launch"`
	Kernel string `json:"kernel"`

	Blocks      int64 `json:"blocks"`
	SMs         int   `json:"sms"` // that get blocks
	BlocksPerSM int   `json:"blocks_per_sm"`
	Rounds      int64 `json:"rounds"` // batches of the SM with the most
	// Batches says that blocks are admitted in batches, Exact that under the
	// enforced order the misses are those estimated.
	Batches bool `json:"batches"`
	Exact   bool `json:"exact"`

	WarpInstructions int64 `json:"warp_instructions"`
	// Irregular counts accesses at a program point before one that their block had
	// passed; Irregularity explains the first.
	Irregular    int64  `json:"irregular"`
	Irregularity string `json:"irregularity,omitempty"`

	Caches []CacheConfiguration `json:"caches"`
}

// CacheConfiguration is what one cache makes of the launch. Reordered and Dynamic
// are null without simulation.
type CacheConfiguration struct {
	SizeBytes     int64            `json:"size_bytes"`
	Sets          int              `json:"sets"`
	Ways          int              `json:"ways"`
	LineBytes     int              `json:"line_bytes"`
	SectorBytes   int              `json:"sector_bytes"`
	Replacement   string           `json:"replacement"`
	Index         string           `json:"index"`
	WriteBack     bool             `json:"write_back"`
	WriteAllocate bool             `json:"write_allocate"`
	WriteEvict    bool             `json:"write_evict"`
	Estimated     CacheRates       `json:"estimated"`
	AnyOrder      CacheAnyOrder    `json:"any_order"`
	Reordered     *CacheSimulation `json:"reordered"`
	Dynamic       *CacheSimulation `json:"dynamic"`
	// SameSequence says that request by request the reordered simulation met what
	// was estimated; null without simulation.
	SameSequence *bool             `json:"same_sequence"`
	Instructions []CacheAtPosition `json:"instructions"`
}

// CacheRates are the tallies of loads, of stores and of both.
type CacheRates struct {
	Loads  CacheTally `json:"loads"`
	Stores CacheTally `json:"stores"`
	Both   CacheTally `json:"both"`
}

// CacheTally counts requests. MissRate is null where there are none.
type CacheTally struct {
	Requests int64    `json:"requests"`
	Hits     int64    `json:"hits"`
	Misses   int64    `json:"misses"`
	MissRate *float64 `json:"miss_rate"`
}

// CacheAnyOrder holds of every order of the accesses.
type CacheAnyOrder struct {
	LeastMisses int64        `json:"least_misses"`
	MostMisses  int64        `json:"most_misses"`
	Loads       CacheClasses `json:"loads"`
	Stores      CacheClasses `json:"stores"`
	// PersistentSectors, of all SMs, are what the persistent requests can miss
	// once each.
	PersistentSectors int64 `json:"persistent_sectors"`
	// LinesLeftOut says that the warps that share a cache touch more distinct lines
	// than are told apart, so that the bounds are wider.
	LinesLeftOut bool `json:"lines_left_out"`
}

// CacheClasses counts requests by what is known of them in every order.
type CacheClasses struct {
	AlwaysHit    int64 `json:"always_hit"`
	AlwaysMiss   int64 `json:"always_miss"`
	Persistent   int64 `json:"persistent"`
	Unclassified int64 `json:"unclassified"`
}

// CacheSimulation is what a simulation counted. Ratio is the estimated miss rate
// over the simulated one, of loads and stores; null where nothing missed.
type CacheSimulation struct {
	Policy       string     `json:"policy"`
	Model        string     `json:"model"`
	Cycles       int64      `json:"cycles"`
	HitsReserved int64      `json:"hits_reserved"`
	Ratio        *float64   `json:"ratio"`
	Rates        CacheRates `json:"rates"`
}

// CacheAtPosition is one static instruction. Atomics have no hits and no misses.
type CacheAtPosition struct {
	PC        int32    `json:"pc"`
	Position  string   `json:"position"`
	Kind      string   `json:"kind"` // L, S or A
	Accesses  int64    `json:"accesses"`
	Requests  int64    `json:"requests"`
	MostOfOne int      `json:"most_of_one"` // requests of one access
	Hits      int64    `json:"hits"`
	Misses    int64    `json:"misses"`
	MissRate  *float64 `json:"miss_rate"`
}

// Cache makes the JSON form of a study of a launch.
func Cache(launch string, r *analysis.CacheReport) (*CacheDocument, error) {
	id, err := identity(r.Machine.Desc)
	if err != nil {
		return nil, err
	}
	e := r.Estimate
	doc := &CacheDocument{
		Warpbound: version.Get(), MachineIdentity: id, Launch: launch, Kernel: r.Program.Name,
		Blocks: e.Residency.Blocks, SMs: e.Residency.SMs, BlocksPerSM: e.Residency.BlocksPerSM, Rounds: e.Residency.Rounds(),
		Batches: r.Batches, Exact: r.Exact(), WarpInstructions: e.Executed, Irregular: e.Irregular,
	}
	if e.FirstIrregular != nil {
		doc.Irregularity = e.FirstIrregular.Error()
	}
	for i := range r.Caches {
		doc.Caches = append(doc.Caches, configuration(r, &r.Caches[i]))
	}
	return doc, nil
}

func configuration(r *analysis.CacheReport, c *analysis.CacheResult) CacheConfiguration {
	t := &c.Config
	out := CacheConfiguration{
		SizeBytes: t.Bytes(), Sets: t.Sets, Ways: t.Ways, LineBytes: t.LineBytes, SectorBytes: t.SectorBytes,
		Replacement: t.Replacement.String(), Index: t.Index.String(),
		WriteBack: t.WriteBack, WriteAllocate: t.WriteAllocate, WriteEvict: t.WriteEvict,
		Estimated: rates(&c.Estimated.Total), Instructions: []CacheAtPosition{},
	}
	a := &c.AnyOrder
	out.AnyOrder = CacheAnyOrder{
		LeastMisses: a.LeastMisses, MostMisses: a.MostMisses, PersistentSectors: a.PersistentSectors,
		Loads: cacheClasses(a.Loads), Stores: cacheClasses(a.Stores), LinesLeftOut: a.LinesLeftOut,
	}
	out.Reordered = simulated(c.Reordered, &out.Estimated)
	out.Dynamic = simulated(c.Dynamic, &out.Estimated)
	if c.Reordered != nil {
		out.SameSequence = &c.Same
	}
	for i := range r.Estimate.Instructions {
		in, counts := &r.Estimate.Instructions[i], &c.Estimated.ByInstruction[i]
		both := tally(counts.Both())
		out.Instructions = append(out.Instructions, CacheAtPosition{
			PC: in.PC, Position: fmt.Sprint(in.Position(r.Program)), Kind: in.Kind.String(),
			Accesses: in.Accesses, Requests: in.Segments, MostOfOne: in.Most,
			Hits: both.Hits, Misses: both.Misses, MissRate: both.MissRate,
		})
	}
	return out
}

func rates(c *cache.Counts) CacheRates {
	return CacheRates{Loads: tally(c.Loads), Stores: tally(c.Stores), Both: tally(c.Both())}
}

func tally(t cache.Tally) CacheTally {
	out := CacheTally{Requests: t.Accesses, Hits: t.Hits, Misses: t.Misses()}
	if t.Accesses > 0 {
		rate := float64(out.Misses) / float64(t.Accesses)
		out.MissRate = &rate
	}
	return out
}

func cacheClasses(t static.Tally) CacheClasses {
	return CacheClasses{AlwaysHit: t.AlwaysHit, AlwaysMiss: t.AlwaysMiss, Persistent: t.Persistent, Unclassified: t.Unclassified}
}

func simulated(run *analysis.CacheRun, estimated *CacheRates) *CacheSimulation {
	if run == nil {
		return nil
	}
	out := &CacheSimulation{Policy: run.Policy, Model: run.Model, Cycles: run.Cycles, HitsReserved: run.HitsReserved, Rates: rates(&run.Counts)}
	if e, s := estimated.Both.MissRate, out.Rates.Both.MissRate; e != nil && s != nil && *s > 0 {
		ratio := *e / *s
		out.Ratio = &ratio
	}
	return out
}
