package replay

import (
	"errors"
	"fmt"

	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/seq"
)

// The ways a replay can fail besides bad input.
var (
	// ErrStuck says that the machine makes no more progress, for example because
	// a strict policy waits for a warp that stands at a barrier.
	ErrStuck = errors.New("the machine makes no progress")
	// ErrTooLong says that more cycles were stepped than Options.MaxSteps.
	ErrTooLong = errors.New("too many cycles to step")
)

// maxTime keeps sums of a time and a delay within int64.
const maxTime = int64(1) << 62

// never is later than every time.
const never = maxTime + 1

// Limits of the input, far from what hardware has.
const (
	maxDelay   = int64(1) << 32
	maxEntries = 1 << 16
	maxSlots   = 1 << 16
	maxLines   = 1 << 24
)

// Algorithm orders the warps a stage may select (Crouzet2024, Section II-B).
type Algorithm uint8

// The algorithms.
const (
	RoundRobin Algorithm = iota // by slot, after the one selected last
	Oldest                      // by activation
	ICount                      // fewest entries fetched and not issued, the lower slot of equals
)

// Category says what becomes of a warp that is selected and not ready, and how
// long one that is ready stays selected.
type Category uint8

// The categories.
const (
	Loose        Category = iota // warps that are not ready are passed over
	Strict                       // the stage idles for one that is not ready
	Greedy                       // the one selected last while it is ready, else loosely
	GreedyStrict                 // the one selected last while it is ready, else strictly
	Adaptive                     // greedily within a lead, else loosely
)

// Policy is how a stage selects a warp.
type Policy struct {
	Algorithm Algorithm
	Category  Category
	// Lead is, for Adaptive, by how many instructions a selected warp may be
	// ahead of the active warp that issued fewest.
	Lead int64
}

// strict tells whether the stage can idle although some warp is ready.
func (p Policy) strict() bool { return p.Category == Strict || p.Category == GreedyStrict }

// Core is one SM with one scheduler that issues at most one instruction a
// cycle, behind a front end. Units serve in issue order.
type Core struct {
	Servers            []int // of each unit
	Queue              method.QueueKind
	QueueSlots         int // a unit with multiphase.Slots, all together with multiphase.Pooled
	DrainingBarriers   bool
	BarrierDelayCycles int64 // beyond the cycle after the last arrival
	StartDelayCycles   int64 // from a block's start to the activation of its first warp
	BlockSlots         int
	Front              FrontEnd
}

// FrontEnd is what brings instructions to the issue stage.
type FrontEnd struct {
	// SWaS says that one scheduler serves both stages, with policy Issue, and that
	// queues are kept full with NOPs. Otherwise fetch selects by Fetch.
	SWaS         bool
	Fetch, Issue Policy
	// Stall says that the fetch of a warp stops for RefetchCycles at each request,
	// and at a control instruction until that is resolved. Excludes SWaS.
	Stall         bool
	RefetchCycles int64
	// QueueEntries of each warp, those in flight included; with SWaS it is
	// FetchCycles + 1.
	QueueEntries   int
	FetchCycles    int64 // hit latency; decode takes one cycle more
	ResolveCycles  int64 // from the issue of a control instruction to its resolution
	StartGapCycles int64 // between the activations of a block's warps
	ICache         ICache
}

// ICache is an instruction cache with LRU replacement, empty at the start.
type ICache struct {
	Perfect    bool // every request hits; the other fields are not used
	Sets, Ways int
	MissCycles int64 // from a request to the arrival of its line, at least 2
}

// Sync is what an executed instruction does to the other warps of its block.
type Sync uint8

// The kinds of synchronisation.
const (
	NoSync Sync = iota
	// Arrive waits at a barrier of all warps of the block that have not ended.
	Arrive
	// Await waits at barrier Op.Barrier until Op.Count warps have arrived there.
	Await
	// Sleep ends the warp, or lets it wait until another one starts it.
	Sleep
	// Spawn starts the warps Op.Wakes, which sleep.
	Spawn
	// SpawnAlone waits until all other warps sleep or have ended, and then starts
	// Op.Wakes.
	SpawnAlone
)

// Op is an executed instruction: what issue needs of it, and its place.
type Op struct {
	method.Op
	PC      int32
	Sync    Sync
	Barrier int32 // of Await
	Count   int   // of Await
	Wakes   []int // of Spawn and SpawnAlone: warps of the block, by number
	// Symbol is that of the launch which it executes.
	Symbol int32
}

// Instruction is a static instruction, as far as fetch is concerned.
type Instruction struct {
	Line int64 // of the instruction cache
	// Control says that it may change the warp's PC: the next instruction of the
	// warp waits for its resolution. An executed instruction that is not
	// followed by its neighbour counts as a control instruction in any case.
	Control bool
}

// Block is what the warps of a block execute: sequences of indices into
// Input.Ops, by warp number. Equal sequences may be one *seq.Seq.
type Block struct {
	Warps []*seq.Seq
	// Asleep says which warps wait to be started by others; nil where all start
	// with the block.
	Asleep []bool
}

// Stretch is a number of equal blocks that start consecutively.
type Stretch struct {
	Class int // index into Input.Blocks
	Count int64
}

// Input is what the blocks given to one SM execute.
type Input struct {
	Ops    []Op
	Code   []Instruction // by PC
	Blocks []Block       // the distinct ones, all with equally many warps
	Order  []Stretch     // in which blocks start
}

func (m *Core) validate() error {
	f := &m.Front
	switch {
	case len(m.Servers) == 0:
		return errors.New("no units")
	case m.Queue < method.Unbounded || m.Queue > method.Pooled:
		return fmt.Errorf("queue kind %d is not known", int(m.Queue))
	case (m.Queue == method.Slots || m.Queue == method.Pooled) && m.QueueSlots < 1:
		return fmt.Errorf("queues of %d slots, expected at least 1", m.QueueSlots)
	case m.BlockSlots < 1 || m.BlockSlots > maxSlots:
		return fmt.Errorf("%d block slots, expected 1 to %d", m.BlockSlots, maxSlots)
	case f.SWaS && f.Stall:
		return errors.New("SWaS with a fetch stage that stops at control instructions")
	case f.SWaS && int64(f.QueueEntries) != f.FetchCycles+1:
		return fmt.Errorf("SWaS with queues of %d entries, expected %d", f.QueueEntries, f.FetchCycles+1)
	case f.QueueEntries < 1 || f.QueueEntries > maxEntries:
		return fmt.Errorf("queues of %d entries, expected 1 to %d", f.QueueEntries, maxEntries)
	case f.FetchCycles < 1 || f.FetchCycles > maxDelay || f.ResolveCycles < 1 || f.ResolveCycles > maxDelay:
		return fmt.Errorf("fetch in %d cycles, resolution in %d, expected 1 to %d", f.FetchCycles, f.ResolveCycles, maxDelay)
	case f.Stall && (f.RefetchCycles < 1 || f.RefetchCycles > maxDelay):
		return fmt.Errorf("requests %d cycles apart, expected 1 to %d", f.RefetchCycles, maxDelay)
	}
	for i, n := range m.Servers {
		if n < 1 {
			return fmt.Errorf("unit %d: %d servers, expected at least 1", i, n)
		}
	}
	for _, d := range [...]int64{m.BarrierDelayCycles, m.StartDelayCycles, f.StartGapCycles} {
		if d < 0 || d > maxDelay {
			return fmt.Errorf("delay of %d cycles, expected 0 to %d", d, maxDelay)
		}
	}
	for _, p := range [...]Policy{f.Fetch, f.Issue} {
		if p.Algorithm > ICount || p.Category > Adaptive || p.Lead < 0 {
			return fmt.Errorf("policy %d of category %d with lead %d is not known", p.Algorithm, p.Category, p.Lead)
		}
	}
	return f.ICache.validate()
}

func (c *ICache) validate() error {
	if c.Perfect {
		return nil
	}
	if c.Sets < 1 || c.Ways < 1 || c.Sets > maxLines/c.Ways {
		return fmt.Errorf("instruction cache of %d sets of %d lines, expected at least 1 and at most %d together", c.Sets, c.Ways, maxLines)
	}
	if c.MissCycles < 2 || c.MissCycles > maxDelay {
		return fmt.Errorf("misses of %d cycles, expected 2 to %d", c.MissCycles, maxDelay)
	}
	return nil
}

func (in *Input) validate(m *Core) error {
	for i := range in.Ops {
		op := &in.Ops[i]
		for _, w := range op.Wakes {
			if w < 0 || len(in.Blocks) > 0 && w >= len(in.Blocks[0].Warps) {
				return fmt.Errorf("op %d: starts warp %d", i, w)
			}
		}
		switch {
		case op.Unit < 0 || op.Unit >= len(m.Servers):
			return fmt.Errorf("op %d: unit %d of %d", i, op.Unit, len(m.Servers))
		case op.InitCycles < 1 || op.InitCycles > maxDelay || op.LatencyCycles < 0 || op.LatencyCycles > maxDelay:
			return fmt.Errorf("op %d: initiation %d, latency %d", i, op.InitCycles, op.LatencyCycles)
		case op.PC < 0 || int(op.PC) >= len(in.Code):
			return fmt.Errorf("op %d: instruction %d of %d", i, op.PC, len(in.Code))
		case op.Sync > SpawnAlone:
			return fmt.Errorf("op %d: synchronisation %d is not known", i, op.Sync)
		case op.Sync == Await && (op.Count < 1 || op.Barrier < 0):
			return fmt.Errorf("op %d: barrier %d of %d warps", i, op.Barrier, op.Count)
		case op.Sync == Await && m.DrainingBarriers:
			return fmt.Errorf("op %d: a barrier of %d warps on a machine that drains at barriers", i, op.Count)
		}
	}
	if len(in.Blocks) == 0 || len(in.Order) == 0 {
		return errors.New("no blocks")
	}
	warps := len(in.Blocks[0].Warps)
	if warps < 1 || warps > maxSlots/m.BlockSlots {
		return fmt.Errorf("%d warps in each of %d blocks at a time", warps, m.BlockSlots)
	}
	counts := make([]int64, len(in.Ops))
	for i, b := range in.Blocks {
		if len(b.Warps) != warps {
			return fmt.Errorf("block %d has %d warps, expected %d", i, len(b.Warps), warps)
		}
		if b.Asleep != nil && len(b.Asleep) != warps {
			return fmt.Errorf("block %d says of %d of %d warps whether they sleep", i, len(b.Asleep), warps)
		}
		for w, s := range b.Warps {
			if b.Asleep != nil && b.Asleep[w] && s == nil {
				continue // never started
			}
			if s == nil || s.Len() == 0 {
				return fmt.Errorf("warp %d of block %d executes nothing", w, i)
			}
			clear(counts)
			if err := s.Counts(1, counts); err != nil {
				return fmt.Errorf("warp %d of block %d: %w", w, i, err)
			}
		}
	}
	for i, r := range in.Order {
		if r.Class < 0 || r.Class >= len(in.Blocks) || r.Count < 1 {
			return fmt.Errorf("stretch %d: %d blocks of class %d of %d", i, r.Count, r.Class, len(in.Blocks))
		}
	}
	return nil
}
