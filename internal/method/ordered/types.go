package ordered

import (
	"iter"

	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/seq"
)

// Input is what the blocks of one batch execute: blocks that start together on
// one SM and of which none is replaced before all have retired.
type Input struct {
	// Ops is the timing of each symbol of the sequences. Of an access the
	// initiation is the time the LD/ST unit is occupied, coalescing included, and
	// the latency is not used.
	Ops []method.Op
	// Accesses says which symbols are accesses of the order; what is executed
	// with no lane active, or outside the order, is a symbol of its own. It has
	// the length of Ops.
	Accesses []bool
	// Warps in any order; Access.Warp is the index into it.
	Warps []Warp
	// Order yields all accesses in the order enforced. It is walked once. An
	// error it yields ends the computation.
	Order iter.Seq2[Access, error]
	// Costs, if it is not nil, gets what the fixed sequence of Turns is the sum of, where
	// there is no order: the costs of its bound.
	Costs map[method.Cost]int64
}

// Warp is what one warp executes: its sections between barriers of the whole
// block. A warp with fewer sections than others of its block has ended before
// the barriers it lacks, and they wait for its end.
type Warp struct {
	Sections []*seq.Seq
	Block    int // any number; warps of equal number meet at barriers
}

// Places of earlier accesses, for Access.FilledBy and Access.WaitsFor. Other
// values are 1 + the place of an access in the order, counted from 0.
const (
	// AnyEarlier is the safe answer of a caller who does not know.
	AnyEarlier int64 = 0
	// NoEarlier says that no earlier access matters.
	NoEarlier int64 = -1
)

// Access is one warp's execution of a load, store or atomic, at its place in
// the order.
type Access struct {
	Warp int // index into Input.Warps; it is the warp's next access
	// TagCycles is how long the access occupies the tags, all its lines together.
	TagCycles int64
	// Entries is the number of channel entries it takes, at least 1.
	Entries int
	// Hits is the number of lines found in the cache, whether filled or pending.
	Hits int
	// Requests is the number of requests sent to the memory behind the cache:
	// lines missed, stores written through, lines written back.
	Requests int
	// Fills is the number of requests that hold an MSHR until a line is filled.
	Fills int
	// FilledBy tells which accesses may still be filling lines that this one hits:
	// those up to this place. Used only if Hits > 0.
	FilledBy int64
	// WaitsFor tells for whose fills the access may wait before it passes the
	// tags, besides waiting for a free MSHR: those up to this place. It waits
	// because all victims, or the list of merged accesses, are taken.
	WaitsFor int64
	// SelfWaits is how often the access stops between two of its lines until
	// lines that it has missed itself are filled: a set or the MSHRs' merge list
	// has no room for all of them.
	SelfWaits int
	// HeldCycles is how long its requests wait before they leave for the places of
	// CachedSM.Stages, and Places where each of them goes: request by request a
	// place of every stage, Elsewhere if it passes the stage by. Both are used only
	// if there are stages. The slice is read before the next access is yielded.
	HeldCycles int64
	Places     []int32
}

// Elsewhere is the place of a request that passes a stage by.
const Elsewhere int32 = -1

// Stage is places of the memory side by side, each of which serves the requests
// that come to it one after the other, and whose order between SMs is fair: once
// all earlier requests of the SM that come to the place have been served there,
// the next one is within ServiceCycles of its arrival (docs/soundness/order.md, theorem
// 29 (in turn)).
type Stage struct {
	Places int
	// ReachCycles is the longest time from a request's leaving the place before, or
	// the SM, to its arrival.
	ReachCycles, ServiceCycles int64
}

// ChannelKind says what becomes of an access whose warp's channel is full.
type ChannelKind int

const (
	// NeverFull: a full channel stops the LD/ST unit, which can deadlock; the
	// bound is refused unless no channel can be full.
	NeverFull ChannelKind = iota
	// Credits: an access is issued only when its channel has room for it and for
	// everything its warp has issued before.
	Credits
)

// CachedSM is the SM and the memory behind its L1 data cache.
type CachedSM struct {
	Queue method.QueueKind
	// KeepsWarpOrder: units serve the instructions of one warp in order. If not,
	// a larger bound is computed.
	KeepsWarpOrder bool
	// FIFO: units serve all instructions in issue order; implies KeepsWarpOrder.
	// Only Turns asks for it.
	FIFO             bool
	DrainingBarriers bool
	// BarrierDelayCycles is the longest time from the last arrival (or
	// completion) to the first issue behind a barrier, StartDelayCycles that from
	// the start of the batch to the first issue.
	BarrierDelayCycles, StartDelayCycles int64

	Channels       int // warps that can be resident
	ChannelEntries int // of each channel
	Channel        ChannelKind

	// ArriveCycles is the longest time from the LD/ST unit's end of an access to
	// where the reordering unit can send it, if it is the one expected.
	ArriveCycles int64
	// HitCycles is the longest time from the last tag cycle of an access, or from
	// a fill it waits for, to its completion.
	HitCycles int64
	// MissCycles is the longest time from the end of a request's service to the
	// line filled, the MSHR free and the access complete, plus that from the tags
	// to the resource that serves requests.
	MissCycles int64
	// ServiceCycles bounds the time between the service of successive requests of
	// the SM, what other SMs are served in between included. QueueCycles bounds
	// the time from a request's arrival to the end of its service. 0 means not
	// stated; if both are 0, requests do not delay one another.
	ServiceCycles, QueueCycles int64
	// Stages, if there are any, are the places that every request goes through, in
	// this order. Their times then take the place of ServiceCycles and QueueCycles,
	// which are 0, and MissCycles begins where a request leaves the last one it goes
	// to.
	Stages []Stage
	// MSHRs is the number of lines that can be pending.
	MSHRs int
	// FillCycles is how long a fill keeps accesses from the tags.
	FillCycles int64
}
