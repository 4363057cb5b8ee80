package sim

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/multiphase"
	"github.com/warpbound/warpbound/internal/seq"
	"github.com/warpbound/warpbound/internal/sim/instr"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/sim/splitmix"
)

// drawProgram draws up to maxWarps warps of up to maxLength instructions; every
// warp has the same number of barriers.
func drawProgram(t *rapid.T, maxWarps, maxLength int) instr.Warps {
	units := rapid.IntRange(1, 4).Draw(t, "units")
	sections := rapid.IntRange(1, 3).Draw(t, "sections")
	var p instr.Warps
	for range rapid.IntRange(1, maxWarps).Draw(t, "warps") {
		if len(p) > 0 && rapid.Bool().Draw(t, "copy") {
			p = append(p, p[len(p)-1])
			continue
		}
		n := rapid.IntRange(sections, max(sections, maxLength)).Draw(t, "length")
		var w []instr.Instruction
		for j := range n {
			in := instr.Instruction{
				Unit:             rapid.IntRange(0, units-1).Draw(t, "unit"),
				InitiationCycles: rapid.Int64Range(1, 4).Draw(t, "initiation"),
				LatencyCycles:    rapid.SampledFrom([]int64{0, 0, 1, 2, 5, 40}).Draw(t, "latency"),
				BarrierBefore:    j > 0 && j < sections,
			}
			for s := range j {
				if rapid.IntRange(0, 3).Draw(t, "source") == 0 {
					in.Sources = append(in.Sources, s)
				}
			}
			w = append(w, in)
		}
		p = append(p, w)
	}
	return p
}

// drawHardware changes a machine's queues, barriers, schedulers and SMs.
func drawHardware(t *rapid.T, s *setup) {
	m := s.cfg.Machine
	m.Queue = rapid.SampledFrom([]gpu.QueueKind{gpu.Unbounded, gpu.Slots, gpu.NoQueue, gpu.Pooled}).Draw(t, "queue")
	m.Slots = rapid.IntRange(1, 3).Draw(t, "slots")
	m.FIFO = rapid.Bool().Draw(t, "fifo")
	m.Desc.Queue.KeepsWarpOrder = m.FIFO || rapid.Bool().Draw(t, "keeps order")
	m.Desc.Barrier = gpu.Barrier{Draining: rapid.Bool().Draw(t, "draining"), DelayCycles: rapid.Int64Range(0, 3).Draw(t, "delay")}
	m.Desc.Dispatch.StartDelayCycles = rapid.Int64Range(0, 3).Draw(t, "start")
	m.Desc.SM.Count = rapid.Int64Range(1, 3).Draw(t, "SMs")
	m.Desc.SM.Schedulers = rapid.SampledFrom([]int{1, 1, 2}).Draw(t, "schedulers")
	s.cfg.BlocksPerSM = rapid.IntRange(1, 3).Draw(t, "resident")
	s.cfg.Placement = rapid.SampledFrom([]Placement{MostFree, FillFirst}).Draw(t, "placement")
	for u := range m.Units {
		m.Units[u].Shared = rapid.IntRange(0, 3).Draw(t, "shared") == 0
	}
	abstractly(&s.cfg, func(m *AbstractModel) {
		m.DispatchOrder = policy.DispatchOrder{Name: rapid.SampledFrom([]string{"", "newest", "random", "starve"}).Draw(t, "order"), Seed: 9, Param: 1}
	})
	if rapid.Bool().Draw(t, "shorten") {
		seed := rapid.Uint64().Draw(t, "seed")
		s.cfg.Memory = FixedTimes{Shorten: func(x Shortening) (int64, int64) {
			r := splitmix.New(seed, uint64(x.Block)<<40^uint64(x.Warp)<<20^uint64(x.Index))
			return x.InitiationCycles - int64(r.Below(2)), x.LatencyCycles - int64(r.Below(3))
		}}
	}
}

func drawPolicy(t *rapid.T) string {
	return rapid.SampledFrom([]string{"lrr", "gto", "oldest", "two-level:2", "random:1", "random:2", "random:3", "starve:0", "starve:1", "ahead", "behind"}).Draw(t, "policy")
}

// hardwareOf states a machine's facts in the terms of the bounds.
func hardwareOf(s *setup, units int) method.Hardware {
	m := s.cfg.Machine
	kinds := map[gpu.QueueKind]method.QueueKind{gpu.Unbounded: method.Unbounded, gpu.Slots: method.Slots, gpu.NoQueue: method.NoQueue, gpu.Pooled: method.Pooled}
	facts := make([]method.UnitFact, units)
	for u := range facts {
		facts[u] = method.UnitFact{Name: m.Units[u].Name, Shared: m.Units[u].Shared}
	}
	return method.Hardware{
		NumUnits: units, Units: facts, Queue: kinds[m.Queue], QueueSlots: m.Slots, FIFO: m.FIFO, KeepsWarpOrder: m.Desc.Queue.KeepsWarpOrder,
		DrainingBarriers: m.Desc.Barrier.Draining, SubCores: m.Desc.SM.Schedulers, IssueWidth: 1,
		BarrierDelayCycles: m.Desc.Barrier.DelayCycles, BlockStartDelayCycles: m.Desc.Dispatch.StartDelayCycles,
		SlotsPerSM: int64(s.cfg.BlocksPerSM), SMs: m.Desc.SM.Count,
	}
}

// blockOf is a program in the terms of the bounds.
func blockOf(p instr.Warps, subCores int) *method.Block {
	b := &method.Block{}
	for i, w := range p {
		q := &method.Stream{}
		var run []int32
		for j, in := range w {
			if in.BarrierBefore {
				q.Sections = append(q.Sections, seq.Must(seq.Run(run...)))
				run = nil
			}
			op := method.Op{Unit: in.Unit, InitCycles: in.InitiationCycles, LatencyCycles: in.LatencyCycles, Writes: []int32{int32(j)}}
			for _, s := range in.Sources {
				op.Reads = append(op.Reads, int32(s))
			}
			q.Ops = append(q.Ops, op)
			run = append(run, int32(j))
		}
		q.Sections = append(q.Sections, seq.Must(seq.Run(run...)))
		b.Classes = append(b.Classes, method.WarpClass{Stream: q, Count: 1, SubCore: i % subCores})
	}
	return b
}

// Every safe bound covers every simulation.
func TestBoundsCoverSimulations(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t, 4, 8)
		n := rapid.IntRange(1, 5).Draw(t, "blocks")
		s := programSetup(t, p, n)
		drawHardware(t, s)
		s.policy(t, drawPolicy(t))
		a, err := multiphase.NewAnalyzer(hardwareOf(s, p.Units()), multiphase.Options{})
		if err != nil {
			t.Fatal(err)
		}
		b := blockOf(p, s.cfg.Machine.Desc.SM.Schedulers)
		var bounds *bound.Result
		if n == 1 {
			bounds, err = a.Block(ctx, b)
		} else {
			bounds, err = a.Kernel(ctx, []method.BlockClass{{Block: b, Count: int64(n)}})
		}
		if err != nil {
			t.Fatal(err)
		}
		r := s.run(t)
		for i := range bounds.Bounds {
			if x := &bounds.Bounds[i]; x.Safe && x.Cycles < r.Cycles {
				t.Errorf("%s bound %d below simulation %d: %s", x.Method, x.Cycles, r.Cycles, p)
			}
		}
	})
}

// A warp alone takes exactly its isolated time.
func TestAloneIsIsolated(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t, 1, 12)[:1]
		s := programSetup(t, p, 1)
		s.cfg.Machine.Queue = rapid.SampledFrom([]gpu.QueueKind{gpu.Unbounded, gpu.NoQueue}).Draw(t, "queue")
		a, err := multiphase.NewAnalyzer(hardwareOf(s, p.Units()), multiphase.Options{})
		if err != nil {
			t.Fatal(err)
		}
		bounds, err := a.Block(context.Background(), blockOf(p, 1))
		if err != nil {
			t.Fatal(err)
		}
		sections := 1
		for _, in := range p[0] {
			if in.BarrierBefore {
				sections++
			}
		}
		if got, want := s.run(t).Cycles, bounds.Bound(multiphase.SUM).Cycles; got > want || sections == 1 && got != want {
			t.Errorf("%d cycles, isolated %d: %s", got, want, p)
		}
	})
}

// Skipping idle cycles changes nothing but the time it takes.
func TestSkippingIsStepping(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t, 5, 8)
		s := programSetup(t, p, rapid.IntRange(1, 5).Draw(t, "blocks"))
		drawHardware(t, s)
		s.cfg.Machine.Desc.Issue.PerCycle = rapid.SampledFrom([]int{1, 1, 2}).Draw(t, "per cycle")
		s.cfg.KeepWarps = true
		if rapid.Bool().Draw(t, "pipeline") {
			drawPipeline(t, s)
		}
		s.policy(t, rapid.SampledFrom([]string{drawPolicy(t), "srr", "gsrr", "segments"}).Draw(t, "strict"))
		skipped := &eventLog{}
		s.cfg.Observers = []Observer{skipped}
		a := s.run(t)
		stepped := &eventLog{}
		s.cfg.Observers = []Observer{stepped}
		s.cfg.stepIdle = true
		b := s.run(t)
		if d := cmp.Diff(b, a); d != "" {
			t.Errorf("results differ (-stepped +skipped):\n%s", d)
		}
		if d := cmp.Diff(stepped.events, skipped.events, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("events differ (-stepped +skipped):\n%s", d)
		}
	})
}

// drawPipeline turns the machine into one for the pipeline model.
func drawPipeline(t *rapid.T, s *setup) {
	d := s.cfg.Machine.Desc
	s.cfg.Model = PipelineModel{}
	d.Pipeline = &gpu.Pipeline{
		FetchWidth: rapid.IntRange(1, 2).Draw(t, "fetch width"), FetchPerCycle: rapid.IntRange(1, 4).Draw(t, "fetches"),
		SubCores: rapid.Bool().Draw(t, "sub-cores"), CollectorSteps: rapid.IntRange(1, 4).Draw(t, "steps"),
		RegisterBanks: rapid.IntRange(1, 4).Draw(t, "banks"), ResultBuses: rapid.IntRange(1, 2).Draw(t, "buses"),
		LoadStoreUnit: "F0", SegmentsPerCycle: 1, ReturnCycles: rapid.Int64Range(0, 2).Draw(t, "returns"),
		MemoryLatencyCycles: 50, StoreDrainCycles: 20,
		CollectorOrder: unitNames(s.cfg.Machine),
		CollectorPools: []gpu.CollectorPool{{Units: []string{"*"}, Count: rapid.IntRange(1, 4).Draw(t, "collectors"), Dispatches: rapid.IntRange(1, 2).Draw(t, "dispatches")}},
	}
}

func unitNames(m *gpu.Machine) (names []string) {
	for _, u := range m.Units {
		names = append(names, u.Name)
	}
	return names
}

// eventLog keeps everything but stalls, which are cut differently.
type eventLog struct{ events []any }

func (l *eventLog) Issue(e IssueEvent)       { l.events = append(l.events, e) }
func (l *eventLog) Dispatch(e DispatchEvent) { l.events = append(l.events, e) }
func (l *eventLog) Complete(e CompleteEvent) { l.events = append(l.events, e) }
func (l *eventLog) Stall(StallEvent)         {}
func (l *eventLog) Wait(e WaitEvent)         { l.events = append(l.events, e) }
func (l *eventLog) Barrier(e BarrierEvent)   { l.events = append(l.events, e) }
func (l *eventLog) BlockStart(e BlockEvent)  { l.events = append(l.events, e) }
func (l *eventLog) BlockEnd(e BlockEvent)    { l.events = append(l.events, e) }
