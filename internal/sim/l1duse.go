package sim

import (
	"github.com/warpbound/warpbound/internal/sim/memory"
	"github.com/warpbound/warpbound/internal/sim/soc"
	"github.com/warpbound/warpbound/isa"
)

// AccessClass is what a request met in the L1D.
type AccessClass uint8

// The classes. A request whose sector is on its way hits the tags.
const (
	Hit AccessClass = iota
	HitReserved
	Miss
	SectorMiss // the line was there, the sector was not
	Passed     // an atomic, which is performed at the L2, or an uncached load: it changes no tag
)

var classNames = [...]string{"hit", "hit-reserved", "miss", "sector-miss", "passed"}

func (c AccessClass) String() string { return classNames[c] }

// Hits tells whether the tags were hit.
func (c AccessClass) Hits() bool { return c <= HitReserved }

// AccessEvent is a request that reaches the tags of an L1D: one sector of a
// global access.
type AccessEvent struct {
	Place
	Cycle    int64
	PC       int32
	Index    int64 // of the access among the warp's global accesses, from 0
	Request  int   // of the access, from 0, in the order of the lanes
	Requests int   // that the access makes
	Address  uint64
	Kind     isa.Kind // load, store, atomic or asynchronous copy
	Class    AccessClass
}

// AccessObserver is an observer that also sees what reaches the L1Ds, SM by SM
// in the order in which it does.
type AccessObserver interface {
	Observer
	Access(AccessEvent)
}

// AccessesOnly is what an AccessObserver embeds that wants no event of an Observer: nobody collects them for it, which makes
// the run some 10 % faster. It is sent no other event, whatever methods it has.
type AccessesOnly struct{ NopObserver }

func (AccessesOnly) accessesOnly() {}

// MemoryUse is what a run with caches counted, over all SMs.
type MemoryUse struct {
	L1D L1DUse
	memory.Use
	CPU []soc.CoreUse // of each core that can send, in the order of Caches.SoC.Traffic
}

// DRAMObserver is an observer that also sees the transfers of the DRAM, channel by
// channel in the order of time.
type DRAMObserver interface {
	Observer
	memory.Observer
}

// L1DUse counts requests, one for each sector that a warp instruction touched.
// Hits, HitsReserved, Misses and Uncached add up to Loads and Stores.
type L1DUse struct {
	Accesses int64 // warp instructions
	Loads    int64 // asynchronous copies included
	Stores   int64
	Atomics  int64 // neither hits nor misses
	Uncached int64 // loads that passed the L1D (Caches.SoC)

	Hits, LoadHits, StoreHits int64 // without the reserved ones
	HitsReserved              int64 // loads of sectors that were on their way
	Misses                    int64
	LoadMisses, StoreMisses   int64
	SectorMisses              int64 // misses of lines that were there

	Merged     int64 // loads that waited for the fetch of another
	Reads      int64 // sectors fetched
	Writes     int64 // stores sent to the L2
	WriteBacks int64 // lines
	MSHRsMost  int64 // in use at a time, on one SM

	// Waits are cycles in which the request at the tags waited.
	Waits [numCauses]int64
	// ChannelMost is the fullest that a channel was, ChannelFullCycles for how
	// long load/store units waited for an entry.
	ChannelMost       int64
	ChannelFullCycles int64
}

// VictimWaitCycles is how long requests waited for the line that they replace
// to arrive.
func (u *L1DUse) VictimWaitCycles() int64 { return u.Waits[forVictim] }

// MSHRWaitCycles is how long requests waited for an MSHR.
func (u *L1DUse) MSHRWaitCycles() int64 { return u.Waits[forMSHR] }

// MergeWaitCycles is how long requests waited for an MSHR with no room to merge.
func (u *L1DUse) MergeWaitCycles() int64 { return u.Waits[forMerge] }

func (u *L1DUse) count(kind isa.Kind, class AccessClass) {
	store := int64(0)
	switch kind {
	case isa.Atomic:
		u.Atomics++
		return
	case isa.Store:
		store = 1
	}
	load := 1 - store
	u.Stores += store
	u.Loads += load
	switch class {
	case Passed:
		u.Uncached++
	case Hit:
		u.Hits++
		u.LoadHits += load
		u.StoreHits += store
	case HitReserved:
		u.HitsReserved++
	case SectorMiss:
		u.SectorMisses++
		fallthrough
	case Miss:
		u.Misses++
		u.LoadMisses += load
		u.StoreMisses += store
	}
}

// channel notes how full a channel is.
func (u *L1DUse) channel(n int64) { u.ChannelMost = max(u.ChannelMost, n) }

// add adds what another SM counted.
func (u *L1DUse) add(v *L1DUse) {
	for _, p := range [...]struct {
		to   *int64
		from int64
	}{
		{&u.Accesses, v.Accesses}, {&u.Loads, v.Loads}, {&u.Stores, v.Stores}, {&u.Atomics, v.Atomics},
		{&u.Hits, v.Hits}, {&u.LoadHits, v.LoadHits}, {&u.StoreHits, v.StoreHits}, {&u.HitsReserved, v.HitsReserved},
		{&u.Misses, v.Misses}, {&u.LoadMisses, v.LoadMisses}, {&u.StoreMisses, v.StoreMisses}, {&u.SectorMisses, v.SectorMisses},
		{&u.Uncached, v.Uncached}, {&u.Merged, v.Merged}, {&u.Reads, v.Reads}, {&u.Writes, v.Writes}, {&u.WriteBacks, v.WriteBacks},
		{&u.ChannelFullCycles, v.ChannelFullCycles},
	} {
		*p.to += p.from
	}
	for i := range u.Waits {
		u.Waits[i] += v.Waits[i]
	}
	u.MSHRsMost = max(u.MSHRsMost, v.MSHRsMost)
	u.channel(v.ChannelMost)
}
