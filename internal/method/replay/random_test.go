package replay

import (
	"math/rand/v2"

	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/seq"
)

// node is a piece of a random program: an op, a loop, or a branch over a piece.
type node struct {
	op   int32 // of a leaf, and of the branch at the end of a loop or before a piece
	kind int   // leaf, loop, skip
	body []node
	// trips is the number of iterations of a loop for all warps, 0 where each has
	// its own.
	trips int64
}

const (
	leaf = iota
	loop
	skip
)

// builder draws the code of a program: instruction i is op i.
type builder struct {
	r     *rand.Rand
	in    *Input
	units int
	line  int64 // instructions of a line
}

func (b *builder) add(control bool, sync Sync) int32 {
	pc := int32(len(b.in.Ops))
	op := Op{PC: pc, Sync: sync, Op: method.Op{Unit: b.r.IntN(b.units), InitCycles: 1 + b.r.Int64N(3), LatencyCycles: b.r.Int64N(9), Writes: []int32{b.r.Int32N(6)}}}
	if b.r.IntN(16) == 0 {
		op.LatencyCycles = b.r.Int64N(400)
	}
	if b.r.IntN(2) == 0 {
		op.Reads = []int32{b.r.Int32N(6)}
	}
	b.in.Ops = append(b.in.Ops, op)
	b.in.Code = append(b.in.Code, Instruction{Line: int64(pc) / b.line, Control: control})
	return pc
}

// piece draws a sequence of nodes; uniform says that barriers may stand in it.
func (b *builder) piece(depth int, uniform bool) []node {
	var out []node
	for range 1 + b.r.IntN(4) {
		switch k := b.r.IntN(8); {
		case k < 2 && depth > 0:
			n := node{kind: loop}
			if uniform && b.r.IntN(2) == 0 {
				n.trips = 1 + b.r.Int64N(9)
			}
			n.body = b.piece(depth-1, uniform && n.trips > 0)
			n.op = b.add(true, NoSync)
			out = append(out, n)
		case k == 2 && depth > 0:
			n := node{kind: skip, op: b.add(true, NoSync)}
			n.body = b.piece(depth-1, false)
			out = append(out, n)
		case k == 3 && uniform:
			out = append(out, node{op: b.add(true, Arrive)})
		default:
			out = append(out, node{op: b.add(false, NoSync)})
		}
	}
	return out
}

// items is what one warp executes of a piece.
func (b *builder) items(nodes []node, most int64) []seq.Item {
	var out []seq.Item
	for _, n := range nodes {
		switch n.kind {
		case leaf:
			out = append(out, seq.Run(n.op))
		case skip:
			out = append(out, seq.Run(n.op))
			if b.r.IntN(2) == 0 {
				out = append(out, b.items(n.body, most)...)
			}
		case loop:
			trips := n.trips
			if trips == 0 {
				trips = 1 + b.r.Int64N(most)
			}
			out = append(out, seq.Repeat(trips, seq.Must(append(b.items(n.body, most), seq.Run(n.op))...)))
		}
	}
	return out
}

// drawInput draws blocks of the same program, whose warps make trips of their
// own where there is no barrier.
func drawInput(r *rand.Rand, units int, most int64) *Input {
	b := &builder{r: r, in: &Input{}, units: units, line: 1 + r.Int64N(4)}
	code := b.piece(2, true)
	last := b.add(true, NoSync)
	warps := 1 + r.IntN(5)
	for range 1 + r.IntN(2) {
		var block Block
		for range warps {
			if n := len(block.Warps); n > 0 && r.IntN(2) == 0 {
				block.Warps = append(block.Warps, block.Warps[n-1])
				continue
			}
			block.Warps = append(block.Warps, seq.Must(append(b.items(code, most), seq.Run(last))...))
		}
		b.in.Blocks = append(b.in.Blocks, block)
	}
	for range 1 + r.IntN(3) {
		b.in.Order = append(b.in.Order, Stretch{r.IntN(len(b.in.Blocks)), 1 + r.Int64N(12)})
	}
	return b.in
}

// policies are all of them, adaptive ones with a short lead.
var policies = []Policy{
	{RoundRobin, Loose, 0}, {Oldest, Loose, 0}, {ICount, Loose, 0},
	{RoundRobin, Strict, 0}, {Oldest, Strict, 0}, {ICount, Strict, 0},
	{RoundRobin, Greedy, 0}, {Oldest, Greedy, 0}, {ICount, Greedy, 0},
	{RoundRobin, GreedyStrict, 0},
	{RoundRobin, Adaptive, 3}, {Oldest, Adaptive, 2},
}

func drawMachine(r *rand.Rand, units int) *Core {
	m := &Core{
		Queue: method.QueueKind(r.IntN(4)), QueueSlots: 1 + r.IntN(3), DrainingBarriers: r.IntN(3) == 0,
		BarrierDelayCycles: r.Int64N(3), StartDelayCycles: r.Int64N(3), BlockSlots: 1 + r.IntN(3),
		Front: FrontEnd{
			SWaS: r.IntN(2) == 0, Fetch: policies[r.IntN(len(policies))], Issue: policies[r.IntN(len(policies))],
			FetchCycles: 1 + r.Int64N(4), ResolveCycles: 1 + r.Int64N(6), StartGapCycles: r.Int64N(4),
			ICache: ICache{Perfect: r.IntN(4) == 0, Sets: 1 << r.IntN(3), Ways: 1 + r.IntN(3), MissCycles: 2 + r.Int64N(20)},
		},
	}
	for range units {
		m.Servers = append(m.Servers, 1+r.IntN(2))
	}
	m.Front.QueueEntries = 1 + r.IntN(6)
	if m.Front.SWaS {
		m.Front.QueueEntries = int(m.Front.FetchCycles) + 1
	} else if r.IntN(4) == 0 {
		m.Front.Stall, m.Front.RefetchCycles = true, 1+r.Int64N(6)
	}
	return m
}
