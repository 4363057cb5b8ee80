package sim

import "github.com/warpbound/warpbound/isa"

// Memory is what decides how long memory accesses take: FixedTimes or Caches.
type Memory interface{ memory() }

// FixedTimes is the initiation and latency that the timing table says.
type FixedTimes struct {
	// Stage decides the time of memory accesses instead; nil for none.
	Stage Stage
	// Shorten, if not nil, may shorten the initiation and latency of any
	// instruction; results outside [1, initiation] and [0, latency] are clamped.
	Shorten func(Shortening) (initiationCycles, latencyCycles int64)
}

func (FixedTimes) memory() {}

// Shortening is one dynamic instruction whose timing may be shortened.
type Shortening struct {
	Block            int64
	Warp             int
	Index            int64 // dynamic instruction of the warp, from 0
	PC               int32
	InitiationCycles int64
	LatencyCycles    int64
}

// A Request is a memory instruction about to start on its unit.
type Request struct {
	Cycle        int64
	SM           int
	Block        int64
	Warp         int
	PC           int32
	Kind         isa.Kind
	Space        isa.Space
	Transactions int // by the transaction rule of the timing class
	// Segments are the distinct aligned segments of gpu.Memory.SegmentBytes
	// touched, in lane order, as byte addresses. Valid during the call.
	Segments         []uint64
	InitiationCycles int64 // by the timing table, transactions included
	LatencyCycles    int64
}

// Stage is a memory behind the load/store units that is not one of the simulator's. It
// sees accesses to every state space. Access returns the initiation (at least 1) and
// latency (at least 0) of one request; it is called in the order in which requests
// start, SMs in index order within a cycle.
type Stage interface {
	Access(*Request) (initiationCycles, latencyCycles int64)
}
