package enforced

import (
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/ordered"
)

// memoryCosts is what the memory of package sim takes for a request of an SM, in
// thousandths of a cycle.
//
// A request meets the way out of its SM, a slice of the L2, a bank and the bus of
// a DRAM channel, and the way into its SM. Each place serves one after the other
// and is not idle while something waits, so in every cycle between sending and
// answer the request either is on one of the ways of fixed length, whose sum is at
// most missCycles, or a place is occupied, by it or by one that it waits for: a bus
// that is kept for a transfer whose row is not open yet counts as that bank
// occupied, and what joins a fetch in progress waits for that one's request.
//
// Hence the cycles in which places are occupied, each place for itself, can be
// counted in I(s) of docs/soundness/order.md, theorem 21 (ORDER), as the cycles of fills
// are: with them, a request sent at X has been answered by F ≤ X + missCycles + the
// growth of I, whatever overtakes it and whoever else sends. The service of requests
// then takes no time of its own, and what the launch can occupy in all of the places
// that the SM's requests go to is added at the end (theorem 28 (occupation)). In theorem
// 20 (everything one after the other) it is the same. Where places serve the SMs in
// turn, theorem 29 (in turn) bounds the time at slices and channels instead, and the
// smaller bound is taken.
type memoryCosts struct {
	// What a request occupies of its slice, a fetch and a write-back of the bus, and
	// another row of its bank.
	slice, unitBus, lineBus, opening int64
	// What a request occupies of the ways of its own SM.
	readWays, otherWays int64
	unitBytes           uint64 // what is looked up and fetched together
}

func newMemoryCosts(d *gpu.Description) *memoryCosts {
	l1, l2, dram := d.L1D, d.L2, d.DRAM
	bus := func(bytes int) int64 {
		took := (int64(bytes)*1_000_000 + dram.BytesPerKilocycle - 1) / dram.BytesPerKilocycle
		if l2.RoundRobin() {
			// A channel that serves SMs in turn begins with the next request at a cycle.
			took = (took + 999) / 1000 * 1000
		}
		return took
	}
	unit := max(l1.SectorBytes, l2.SectorBytes)
	return &memoryCosts{
		slice: 1000 * int64(unit/l2.SectorBytes) * l2.AccessCycles, unitBus: bus(unit), lineBus: bus(l2.LineBytes), opening: 1000 * dram.RowMissCycles,
		readWays: 1000 * (1 + l2.ResponseCycles), otherWays: 1000 * 2, unitBytes: uint64(unit),
	}
}

// requests counts what SMs send to the memory.
type requests struct{ reads, writes, atomics int64 }

func (n *requests) add(x requests) {
	n.reads += x.reads
	n.writes += x.writes
	n.atomics += x.atomics
}

// orderedMachine states the SM of a description, with its caches and a
// reordering unit, as theorems 20 and 21 ask for it. atomics says that the
// program has atomics.
func orderedMachine(m *gpu.Machine, atomics bool) *ordered.CachedSM {
	d := m.Desc
	l1, l2, dram := d.L1D, d.L2, d.DRAM
	channel := ordered.Credits
	if d.LDSTPath.FullChannel == "stall-unit" {
		channel = ordered.NeverFull
	}
	// From the arrival of a sector to a dependent issue, and from the tags to a
	// dependent issue after a hit, as in the abstract model.
	fill := max(1, d.Issue.DependencyDepthCycles)
	hit := max(1, l1.HitLatencyCycles+d.Issue.DependencyDepthCycles)
	// The ways of fixed length. A transfer ends in the middle of a cycle. A store
	// waits before it leaves, and is answered by its slice.
	slice := l2.RequestLatencyCycles + l2.LatencyCycles + l2.ResponseLatencyCycles
	load := slice + 1 + dram.LatencyCycles + fill
	miss := max(load, l1.WriteLatencyCycles+slice+1)
	if atomics {
		miss = l1.WriteLatencyCycles + load
	}
	return &ordered.CachedSM{
		Queue: method.QueueKinds[m.Queue], KeepsWarpOrder: d.Queue.KeepsWarpOrder, FIFO: m.FIFO, DrainingBarriers: d.Barrier.Draining,
		BarrierDelayCycles: d.Barrier.DelayCycles, StartDelayCycles: d.Dispatch.StartDelayCycles,
		Channels: d.LDSTPath.Channels, ChannelEntries: d.LDSTPath.ChannelEntries, Channel: channel,
		// A unit hands its access over in the cycle in which it starts it, which
		// also is the first in which it can be sent.
		ArriveCycles: 0,
		// The last request reaches the tags in the cycle before the access has
		// passed them. For one that leaves later, this is the cycle in which it
		// occupies the way out.
		HitCycles: hit - 1, MissCycles: miss - 1,
		MSHRs: l1.MSHRs,
	}
}

// inTurn states the SM besides as one of a number of SMs that slices and channels
// serve in turn, for the cycles in which requests wait there (docs/soundness/order.md,
// theorem 29 (in turn)). writesBack says that the L2 may write lines back, overtakes
// that a request can leave the SM before one that is sent earlier.
func inTurn(o *ordered.CachedSM, d *gpu.Description, c *memoryCosts, sms int64, writesBack, overtakes bool) *ordered.CachedSM {
	l2, dram := d.L2, d.DRAM
	fill := max(1, d.Issue.DependencyDepthCycles)
	// Of each SM there is one request before ours, or the one being served; at a
	// channel, requests of our own may also arrive in another order than they
	// were sent.
	atSlice, atChannel, transfer := sms, sms+1, c.unitBus
	if overtakes {
		atSlice++
	}
	if writesBack {
		atChannel++
		transfer = max(transfer, c.lineBus)
	}
	m := *o
	m.Stages = []ordered.Stage{
		{Places: l2.Slices, ReachCycles: l2.RequestLatencyCycles, ServiceCycles: atSlice * c.slice / 1000},
		{Places: dram.Channels, ReachCycles: l2.LatencyCycles, ServiceCycles: atChannel * (c.opening + transfer) / 1000},
	}
	m.MissCycles = max(dram.LatencyCycles, l2.LatencyCycles) + l2.ResponseLatencyCycles + fill
	return &m
}

// orderedOp is the op of a symbol.
func orderedOp(r *method.Facts, s streamSymbol) method.Op {
	op := r.Op(s.pc, s.transactions)
	// A register of its own stands for the room in a warp's channel, which every
	// access takes.
	room := int32(len(r.Program.Registers))
	switch s.kind {
	case accessStep:
		// The unit is busy for at least the cycles that the requests take.
		banks := int64(r.Machine.Desc.L1D.Banks)
		op.InitCycles, op.LatencyCycles = (int64(s.transactions)+banks-1)/banks, 0
		op.Writes = append(op.Writes, room)
	case heldStep:
		// It waits for room, which there is once the access before it has left.
		op.Reads = append(op.Reads, room)
	}
	return op
}
