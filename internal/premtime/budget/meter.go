package budget

import (
	"context"
	"sort"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/memory"
	"github.com/warpbound/warpbound/internal/simt"
)

// Meter measures the phases of a launch while it is simulated. It is the kernel to
// simulate, and an observer of the run; each run needs one of its own.
//
// Where two barriers of the same number follow each other, as in a kernel with its
// guard, what lies between is the hand-over, which belongs to no phase.
type Meter struct {
	simt.Kernel
	sim.NopObserver

	blocks  map[int64]*metered
	arrived arrival // of the step that is being issued
	written []write // what the L2 wrote back
}

// write is when a line arrived at the DRAM and when it was written.
type write struct{ arrived, end int64 }

// arrival is a warp coming to a barrier.
type arrival struct {
	barrier int32
	opened  bool
}

// metered is a block in execution.
type metered struct {
	regions []region
	warps   []meteredWarp
	waiting bool // for its release into the last region
}

// region is what a block executes between two of its barriers.
type region struct {
	kind       Kind
	begins     bool // a phase, or the setup
	start, end int64
}

type meteredWarp struct {
	starts  []int64 // by region: its first instruction
	barrier int32   // it came to last
}

// NewMeter makes a meter for a kernel.
func NewMeter(k simt.Kernel) *Meter {
	return &Meter{Kernel: k, blocks: map[int64]*metered{}, arrived: arrival{barrier: -1}}
}

// NewBlock implements simt.Kernel.
func (m *Meter) NewBlock(i int64) (simt.Block, error) {
	b, err := m.Kernel.NewBlock(i)
	if err != nil {
		return nil, err
	}
	ws := b.Warps()
	x := &metered{regions: []region{{kind: Setup, begins: true}}, warps: make([]meteredWarp, len(ws))}
	m.blocks[i] = x
	out := &meterBlock{Block: b, warps: make([]meterWarp, len(ws)), list: make([]simt.Warp, len(ws))}
	for j := range ws {
		x.warps[j] = meteredWarp{starts: []int64{0}, barrier: -1}
		out.warps[j] = meterWarp{ws[j], m}
		out.list[j] = &out.warps[j]
	}
	return out, nil
}

type meterBlock struct {
	simt.Block
	warps []meterWarp
	list  []simt.Warp
}

type meterWarp struct {
	simt.Warp
	meter *Meter
}

// Warps implements simt.Block.
func (b *meterBlock) Warps() []simt.Warp { return b.list }

// Wait implements simt.Waiter.
func (b *meterBlock) Wait(warp int) (simt.Wait, bool) {
	if w, ok := b.Block.(simt.Waiter); ok {
		return w.Wait(warp)
	}
	return simt.Wait{}, false
}

// Step implements simt.Warp.
func (w *meterWarp) Step(s *simt.Step) error {
	if err := w.Warp.Step(s); err != nil {
		return err
	}
	w.meter.arrived = arrival{s.Barrier, s.BarrierOpened}
	return nil
}

// BlockStart implements sim.Observer.
func (m *Meter) BlockStart(e sim.BlockEvent) { m.blocks[e.Block].regions[0].start = e.Cycle }

// Issue implements sim.Observer.
func (m *Meter) Issue(e sim.IssueEvent) {
	b := m.blocks[e.Block]
	a := m.arrived
	m.arrived.barrier = -1
	b.waiting = false
	last := &b.regions[len(b.regions)-1]
	last.end = max(last.end, e.Cycle+1)
	w := &b.warps[e.Warp]
	if at := &w.starts[len(w.starts)-1]; *at == never {
		*at = e.Index
	}
	if a.barrier >= 0 {
		w.barrier = a.barrier
	}
	if !a.opened {
		return
	}
	number := a.barrier
	if number < 0 {
		// The end of a warp has opened the barrier at which the others wait.
		for i := range b.warps {
			if b.warps[i].barrier >= 0 && i != e.Warp {
				number = b.warps[i].barrier
			}
		}
	}
	next := region{kind: last.kind}
	switch number {
	case EnterMem:
		next = region{kind: Memory, begins: true}
	case EnterComp:
		next = region{kind: Compute, begins: true}
	}
	b.regions = append(b.regions, next)
	b.waiting = true
	for i := range b.warps {
		b.warps[i].starts = append(b.warps[i].starts, never)
	}
}

const never = int64(1) << 62

// Barrier implements sim.Observer.
func (m *Meter) Barrier(e sim.BarrierEvent) {
	b := m.blocks[e.Block]
	if last := &b.regions[len(b.regions)-1]; b.waiting {
		last.start = max(last.start, e.Cycle)
		last.end = max(last.end, e.Cycle)
	}
}

// Complete implements sim.Observer.
func (m *Meter) Complete(e sim.CompleteEvent) {
	b := m.blocks[e.Block]
	starts := b.warps[e.Warp].starts
	i := sort.Search(len(starts), func(i int) bool { return starts[i] > e.Index }) - 1
	b.regions[i].end = max(b.regions[i].end, e.Cycle)
}

// DRAM implements sim.DRAMObserver.
func (m *Meter) DRAM(e memory.Transfer) {
	if e.Core >= 0 || !e.Write {
		return
	}
	m.written = append(m.written, write{e.ArriveCycle, (e.EndMillicycle + 999) / 1000})
}

// Measured is what a simulation says of the phases of a launch.
type Measured struct {
	Kinds []Kind // by phase, the setup first
	// Cycles is by phase: from the later of the release of all teams and the
	// completion of everything before, write-backs included, to the completion of
	// all instructions, and Drained to that of the write-backs.
	Cycles, Drained []int64
	// Teams is by phase and team, -1 where a team has ended: the same for the team
	// alone.
	Teams [][]int64
	// Released is by phase the release of the last team, and Start the cycle from
	// which the phase counts.
	Released, Start []int64
	// Apart says that a team was in a phase before another had ended the one before, as
	// without a guard: phases were not in step (A33), and what is measured of them can be
	// more than a bound.
	Apart bool
	Run   *sim.Result
}

// Spans lists the phases in their order, as Input takes them.
func (m *Measured) Spans() []Span {
	out := make([]Span, len(m.Kinds))
	for i := range out {
		out[i] = Span{m.Kinds[i], m.Cycles[i]}
	}
	return out
}

// Worst is the longest phase of a kind, 0 where there is none.
func (m *Measured) Worst(k Kind) int64 {
	worst := int64(0)
	for i, c := range m.Cycles {
		if m.Kinds[i] == k {
			worst = max(worst, c)
		}
	}
	return worst
}

// Measure simulates a launch and measures its phases. The observers of cfg are
// kept. Phases of several teams are measured together, the k-th phases of all of
// them from the last release on. That is meant for kernels whose teams wait for one
// another.
func Measure(ctx context.Context, cfg sim.Config, k simt.Kernel, timing []gpu.Timing) (*Measured, error) {
	m := NewMeter(k)
	cfg.Observers = append(cfg.Observers[:len(cfg.Observers):len(cfg.Observers)], m)
	run, err := sim.Run(ctx, cfg, m, timing)
	if err != nil {
		return nil, err
	}
	out := m.Measured()
	out.Run = run
	return out, nil
}

// phases joins the regions of each phase of a block. Of two barriers of one number
// the first begins a hand-over. In a kernel with its guard what the last barrier
// begins is how it leaves.
func (b *metered) phases() []region {
	var out []region
	guarded := false
	last := len(b.regions) - 1
	for i, r := range b.regions {
		n := len(out) - 1
		switch {
		case r.begins && n >= 0 && out[n].kind == r.kind:
			guarded = true
			out[n] = r
		case r.begins:
			out = append(out, r)
		case i == last && guarded:
		default:
			out[n].end = max(out[n].end, r.end)
		}
	}
	return out
}

// apart tells whether a team was released into phase k, but for the first one, which
// follows the setup, before another had ended the
// one before.
func apart(phases [][]region, k int) bool {
	for i, p := range phases {
		for j, q := range phases {
			if i != j && 1 < k && k < len(p) && k <= len(q) && p[k].start < q[k-1].end {
				return true
			}
		}
	}
	return false
}

// Measured is what has been measured, when the run is over.
func (m *Meter) Measured() *Measured {
	out := &Measured{}
	blocks := make([]int64, 0, len(m.blocks))
	for i := range m.blocks {
		blocks = append(blocks, i)
	}
	sort.Slice(m.written, func(i, j int) bool { return m.written[i].arrived < m.written[j].arrived })
	sort.Slice(blocks, func(i, j int) bool { return blocks[i] < blocks[j] })
	phases := make([][]region, len(blocks))
	for i, block := range blocks {
		phases[i] = m.blocks[block].phases()
	}
	ended := int64(0) // when the accesses of the phases before had completed
	done := int64(0)  // and what they drove out of the L2 was written
	before := make([]int64, len(blocks))
	next := 0
	for k := 0; ; k++ {
		start, end := int64(0), int64(0)
		any := false
		out.Apart = out.Apart || apart(phases, k)
		teams := make([]int64, len(blocks))
		for i, p := range phases {
			teams[i] = -1
			if k >= len(p) {
				continue
			}
			any = true
			if k == len(out.Kinds) {
				out.Kinds = append(out.Kinds, p[k].kind)
			}
			start, end = max(start, p[k].start), max(end, p[k].end)
			teams[i] = max(0, p[k].end-max(p[k].start, before[i]))
			before[i] = max(before[i], p[k].end)
		}
		if !any {
			return out
		}
		out.Released = append(out.Released, start)
		start = max(start, done)
		ended = max(ended, end)
		done = max(done, ended)
		// What is written back has come to the DRAM before the access that drove it
		// out of the L2 is answered.
		for next < len(m.written) && m.written[next].arrived <= ended {
			done = max(done, m.written[next].end)
			next++
		}
		out.Drained = append(out.Drained, max(0, done-start))
		out.Cycles = append(out.Cycles, max(0, end-start))
		out.Teams = append(out.Teams, teams)
		out.Start = append(out.Start, start)
	}
}
