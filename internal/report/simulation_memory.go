package report

import (
	"fmt"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim"
)

// CacheUse counts what reached the L1Ds: a request for each sector that a warp
// instruction touched. Hits and misses add up to loads and stores.
type CacheUse struct {
	Loads        int64 `json:"loads"`
	Stores       int64 `json:"stores"`
	Atomics      int64 `json:"atomics"`  // neither hits nor misses
	Uncached     int64 `json:"uncached"` // of the loads, those that passed; neither, too
	Hits         int64 `json:"hits"`
	Misses       int64 `json:"misses"`
	HitsReserved int64 `json:"hits_reserved"` // of the hits, those on sectors on their way
	SectorMisses int64 `json:"sector_misses"` // of the misses, those in lines that were there
	LoadHits     int64 `json:"load_hits"`
	LoadMisses   int64 `json:"load_misses"`
	StoreHits    int64 `json:"store_hits"`
	StoreMisses  int64 `json:"store_misses"`
	Accesses     int64 `json:"accesses"` // warp instructions
	Merged       int64 `json:"merged"`
	WriteBacks   int64 `json:"write_backs"`
	MostMSHRs    int64 `json:"most_mshrs"`
	// What requests at the tags waited for, and how full the channels of the
	// reordering unit were.
	VictimWaitCycles  int64 `json:"victim_wait_cycles"`
	MSHRWaitCycles    int64 `json:"mshr_wait_cycles"`
	MergeWaitCycles   int64 `json:"merge_wait_cycles"`
	MostInChannel     int64 `json:"most_in_channel"`
	ChannelWaitCycles int64 `json:"channel_wait_cycles"`
}

// L2Use counts sectors at the L2.
type L2Use struct {
	Reads      int64 `json:"reads"`
	Hits       int64 `json:"hits"`
	Misses     int64 `json:"misses"`
	Writes     int64 `json:"writes"`
	WriteBacks int64 `json:"write_backs"` // lines
}

// DRAMUse counts transfers.
type DRAMUse struct {
	Reads       int64   `json:"reads"`
	Writes      int64   `json:"writes"`
	RowMisses   int64   `json:"row_misses"`
	Bytes       int64   `json:"bytes"`
	Utilization float64 `json:"utilization"` // share of the cycles of all channels
	Refreshes   int64   `json:"refreshes"`   // begun, of all channels
}

// memoryUse fills the document's parts on memory.
func (d *SimulationDocument) memoryUse(m *gpu.Machine, r *sim.Result) {
	if r.Memory == nil {
		return
	}
	u, l2, dram := &r.Memory.L1D, &r.Memory.L2, &r.Memory.DRAM
	d.L1D = &CacheUse{
		Loads: u.Loads, Stores: u.Stores, Atomics: u.Atomics, Uncached: u.Uncached, Hits: u.Hits + u.HitsReserved, Misses: u.Misses,
		HitsReserved: u.HitsReserved, SectorMisses: u.SectorMisses,
		LoadHits: u.LoadHits + u.HitsReserved, LoadMisses: u.LoadMisses, StoreHits: u.StoreHits, StoreMisses: u.StoreMisses,
		Accesses: u.Accesses, Merged: u.Merged, WriteBacks: u.WriteBacks, MostMSHRs: u.MSHRsMost,
		VictimWaitCycles: u.VictimWaitCycles(), MSHRWaitCycles: u.MSHRWaitCycles(), MergeWaitCycles: u.MergeWaitCycles(),
		MostInChannel: u.ChannelMost, ChannelWaitCycles: u.ChannelFullCycles,
	}
	d.L2 = &L2Use{Reads: l2.Reads, Hits: l2.Hits, Misses: l2.Misses, Writes: l2.Writes, WriteBacks: l2.WriteBacks}
	d.DRAM = &DRAMUse{Reads: dram.Reads, Writes: dram.Writes, RowMisses: dram.RowMisses, Bytes: dram.Bytes, Utilization: dramUtilization(m, r), Refreshes: dram.Refreshes}
}

func dramUtilization(m *gpu.Machine, r *sim.Result) float64 {
	if r.Cycles == 0 {
		return 0
	}
	return float64(r.Memory.DRAM.BusyMillicycles) / (1000 * float64(r.Cycles) * float64(m.Desc.DRAM.Channels))
}

// memorySections say what the caches counted, where there are any.
func memorySections(m *gpu.Machine, r *sim.Result) []Section {
	if r.Memory == nil {
		return nil
	}
	u, l2, dram := &r.Memory.L1D, &r.Memory.L2, &r.Memory.DRAM
	refreshes, uncached, channel := "", "", ""
	if dram.Refreshes > 0 {
		refreshes = "; refreshes begun: " + Count(dram.Refreshes)
	}
	if u.Uncached > 0 {
		uncached = " and " + plural(u.Uncached, "uncached load")
	}
	if r.L1Order == sim.L1Reorder {
		channel = fmt.Sprintf("the fullest channel of the reordering unit held %s\n", accesses(u.ChannelMost))
	}
	return []Section{
		{ID: "memory", Sheet: memorySheet([]memoryUse{
			{"L1D loads", u.Loads, u.LoadHits + u.HitsReserved, u.LoadMisses},
			{"L1D stores", u.Stores, u.StoreHits, u.StoreMisses},
			{"L2 reads", l2.Reads, l2.Hits, l2.Misses},
		})},
		{ID: "traffic_of_memory", Lead: fmt.Sprintf("%s of the hits were on their way to the L1D; %s%s went past it\n", Count(u.HitsReserved), plural(u.Atomics, "atomic"), uncached) +
			fmt.Sprintf("DRAM moved %s bytes (%s of its bandwidth), %s opened%s\n", Count(dram.Bytes), Percent(dramUtilization(m, r)), plural(dram.RowMisses, "row"), refreshes) +
			channel},
	}
}

// memoryUse is what one kind of request met.
type memoryUse struct {
	what                   string
	requests, hits, misses int64
}

func memorySheet(rows []memoryUse) *Sheet {
	requests := func(id string, of func(*memoryUse) int64) Of[memoryUse] {
		return Of[memoryUse]{Column{ID: id, Heading: id, Unit: "requests", Type: Amount}, func(u *memoryUse) any { return of(u) }}
	}
	return NewSheet("", rows, []Of[memoryUse]{
		{Column{ID: "what", Heading: "memory"}, func(u *memoryUse) any { return u.what }},
		requests("requests", func(u *memoryUse) int64 { return u.requests }),
		requests("hits", func(u *memoryUse) int64 { return u.hits }),
		requests("misses", func(u *memoryUse) int64 { return u.misses }),
		{Column{ID: "hit_rate", Heading: "hit rate", Unit: "ratio", Type: Share}, func(u *memoryUse) any { return shareOf(u.hits, u.hits+u.misses) }},
	})
}

// shareOf is a part of a whole, nothing of nothing.
func shareOf(part, whole int64) any {
	if whole == 0 {
		return nil
	}
	return float64(part) / float64(whole)
}

func accesses(n int64) string {
	if n == 1 {
		return "1 access"
	}
	return Count(n) + " accesses"
}
