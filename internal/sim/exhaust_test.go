package sim

import (
	"errors"
	"sort"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim/instr"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/sim/splitmix"
	"github.com/warpbound/warpbound/internal/verify/exhaust"
)

// systemOf is a program in the terms of the independent explorer.
func systemOf(t failer, p instr.Warps) exhaust.System {
	t.Helper()
	s, err := exhaust.ParseSystem(p.String())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// explored is a setup's machine in the terms of the explorer.
func explored(s *setup) exhaust.Rules {
	m := s.cfg.Machine
	e := exhaust.Rules{Slots: m.Slots, Pooled: m.Queue == gpu.Pooled, FIFO: m.FIFO, OwnOrder: m.FIFO || m.Desc.Queue.KeepsWarpOrder, Draining: m.Desc.Barrier.Draining}
	switch m.Queue {
	case gpu.Unbounded:
		e.Slots = -1
	case gpu.NoQueue:
		e.Slots = 0
	}
	if times, ok := s.cfg.Memory.(FixedTimes); ok && times.Shorten != nil {
		e.ShortLat, e.ShortInit = true, true
	}
	return e
}

// drawSM changes the machine's queues, order and barriers.
func drawSM(t *rapid.T, s *setup) {
	m := s.cfg.Machine
	m.Queue = rapid.SampledFrom([]gpu.QueueKind{gpu.Unbounded, gpu.Unbounded, gpu.Slots, gpu.NoQueue, gpu.Pooled}).Draw(t, "queue")
	m.Slots = rapid.IntRange(1, 2).Draw(t, "slots")
	m.FIFO = rapid.Bool().Draw(t, "fifo")
	m.Desc.Queue.KeepsWarpOrder = m.FIFO || rapid.Bool().Draw(t, "keeps order")
	m.Desc.Barrier.Draining = rapid.Bool().Draw(t, "draining")
}

// No simulation takes longer than the worst of all schedules, found by an
// independent implementation that tries them all.
func TestWorstOfAllSchedules(t *testing.T) {
	var explorer exhaust.Explorer
	reached, runs, tooLarge := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t, 3, 3)
		s := programSetup(t, p, 1)
		drawSM(t, s)
		if rapid.Bool().Draw(t, "shorten") {
			seed := rapid.Uint64().Draw(t, "seed")
			s.cfg.Memory = FixedTimes{Shorten: func(x Shortening) (int64, int64) {
				r := splitmix.New(seed, uint64(x.Warp)<<20^uint64(x.Index))
				return x.InitiationCycles - int64(r.Below(2)), x.LatencyCycles - int64(r.Below(3))
			}}
		}
		for _, w := range p {
			for i := range w {
				w[i].LatencyCycles = min(w[i].LatencyCycles, 3)
			}
		}
		s = &setup{kernel: programSetup(t, p, 1).kernel, cfg: s.cfg}
		sys := systemOf(t, p)
		worst, err := explorer.Worst(&sys, explored(s))
		if errors.Is(err, exhaust.ErrStates) {
			tooLarge++
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		found := int64(0)
		for _, name := range []string{"lrr", "gto", "oldest", "starve:0", "starve:1", "ahead", "behind", "random:1", "random:2", "random:3", "random:4", "random:5"} {
			for _, order := range []string{"", "newest", "random", "starve"} {
				abstractly(&s.cfg, func(m *AbstractModel) { m.DispatchOrder = policy.DispatchOrder{Name: order, Seed: 3} })
				found = max(found, s.policy(t, name).run(t).Cycles)
			}
		}
		runs++
		if found == int64(worst) {
			reached++
		}
		if found > int64(worst) {
			t.Errorf("%d cycles, worst of all schedules %d on %s: %s", found, worst, explored(s), p)
		}
	})
	t.Logf("policies reach the worst schedule of %d of %d programs", reached, runs)
	if tooLarge > runs {
		t.Errorf("%d programs explored, %d too large", runs, tooLarge)
	}
	if reached*4 < runs {
		t.Errorf("policies reach the worst schedule of %d of %d programs only", reached, runs)
	}
}

// moment is an issue or a dispatch.
type moment struct {
	Cycle       int64
	Block, Warp int
}

func inOrder(ms []moment) []moment {
	sort.Slice(ms, func(i, j int) bool {
		a, b := ms[i], ms[j]
		if a.Cycle != b.Cycle {
			return a.Cycle < b.Cycle
		}
		if a.Block != b.Block {
			return a.Block < b.Block
		}
		return a.Warp < b.Warp
	})
	return ms
}

type moments struct {
	NopObserver
	issues, dispatches []moment
}

func (m *moments) Issue(e IssueEvent) {
	if !e.NotIssued {
		m.issues = append(m.issues, moment{e.Cycle, int(e.Block), e.Warp})
	}
}

func (m *moments) Dispatch(e DispatchEvent) {
	m.dispatches = append(m.dispatches, moment{e.Cycle, int(e.Block), e.Warp})
}

func flatten(times [][][]int) (ms []moment) {
	for b, warps := range times {
		for w, instrs := range warps {
			for _, at := range instrs {
				ms = append(ms, moment{int64(at), b, w})
			}
		}
	}
	return inOrder(ms)
}

// An independent implementation of the model issues and dispatches everything
// in the same cycles under LRR (one block) and GTO (several blocks in slots).
func TestIndependentModelAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t, 4, 8)
		policy := rapid.SampledFrom([]string{"lrr", "gto"}).Draw(t, "policy")
		blocks, slots := 1, 1
		if policy == "gto" {
			blocks, slots = rapid.IntRange(1, 4).Draw(t, "blocks"), rapid.IntRange(1, 3).Draw(t, "slots")
		}
		s := programSetup(t, p, blocks).policy(t, policy)
		drawSM(t, s)
		s.cfg.BlocksPerSM = slots
		s.cfg.Machine.Desc.Barrier.DelayCycles = rapid.Int64Range(0, 2).Draw(t, "barrier delay")
		s.cfg.Machine.Desc.Dispatch.StartDelayCycles = rapid.Int64Range(0, 2).Draw(t, "start delay")
		seen := &moments{}
		s.cfg.Observers = []Observer{seen}
		r := s.run(t)

		g := exhaust.Grid{Machine: explored(s), SlotsPerSM: slots, SMs: 1, SubCores: 1, Shared: make([]bool, p.Units()),
			BarrierDelay: int(s.cfg.Machine.Desc.Barrier.DelayCycles), StartDelay: int(s.cfg.Machine.Desc.Dispatch.StartDelayCycles)}
		for range blocks {
			g.Blocks = append(g.Blocks, systemOf(t, p))
		}
		var chooser exhaust.Chooser = &exhaust.LRR{}
		if policy == "gto" {
			chooser = &exhaust.GTO{}
		}
		trace, err := g.Run(chooser)
		if err != nil {
			t.Fatal(err)
		}
		if r.Cycles != int64(trace.End) {
			t.Errorf("%s, %s: %d cycles, independently %d: %s", policy, g.Machine, r.Cycles, trace.End, p)
		}
		if d := cmp.Diff(flatten(trace.Issue), inOrder(seen.issues)); d != "" {
			t.Errorf("%s, %s: issues:\n%s", policy, g.Machine, d)
		}
		if d := cmp.Diff(flatten(trace.Dispatch), inOrder(seen.dispatches)); d != "" {
			t.Errorf("%s, %s: dispatches:\n%s", policy, g.Machine, d)
		}
	})
}
