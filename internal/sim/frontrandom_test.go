package sim_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/isa"
)

// drawFlow draws a program with dependences, branches back and ahead, and
// barriers.
func drawFlow(t *rapid.T) *flowKernel {
	n := rapid.IntRange(1, 24).Draw(t, "n")
	ops := make([]fop, 0, n+1)
	back := 0 // no loop reaches back beyond this
	for pc := range n {
		switch rapid.IntRange(0, 9).Draw(t, "op") {
		case 0:
			if pc > back {
				ops = append(ops, branchOp(int32(rapid.IntRange(back, pc).Draw(t, "target")), rapid.IntRange(0, 3).Draw(t, "taken")))
				back = pc
				continue
			}
			ops = append(ops, branchOp(int32(rapid.IntRange(pc+1, n).Draw(t, "ahead")), rapid.IntRange(0, 1).Draw(t, "taken")))
		case 1:
			ops = append(ops, control(isa.Barrier))
		default:
			op := plain(int64(rapid.SampledFrom([]int{1, 2, 4, 9, 30}).Draw(t, "distance")), isa.Reg(rapid.IntRange(-1, 3).Draw(t, "reads")), isa.Reg(rapid.IntRange(-1, 3).Draw(t, "writes")))
			op.timing.Unit = int32(rapid.IntRange(0, 1).Draw(t, "unit"))
			op.timing.InitiationCycles = int64(rapid.IntRange(1, 3).Draw(t, "initiation"))
			ops = append(ops, op)
		}
	}
	k := newFlow(rapid.IntRange(1, 6).Draw(t, "warps"), append(ops, control(isa.Exit))...)
	k.blocks = rapid.IntRange(1, 4).Draw(t, "blocks")
	return k
}

func drawFront(t *rapid.T) (gpu.FrontEnd, string) {
	f := flowFront()
	f.FetchCycles = int64(rapid.IntRange(1, 6).Draw(t, "fetch"))
	f.BranchResolveCycles = int64(rapid.IntRange(1, 12).Draw(t, "resolve"))
	f.StartGapCycles = int64(rapid.SampledFrom([]int{0, 0, 1, 7}).Draw(t, "gap"))
	f.ICache = gpu.ICache{
		Perfect: rapid.Bool().Draw(t, "perfect"), Sets: 1 << rapid.IntRange(0, 2).Draw(t, "sets"), Ways: rapid.IntRange(1, 3).Draw(t, "ways"),
		LineBytes: 8 << rapid.IntRange(0, 2).Draw(t, "line"), MissCycles: int64(rapid.SampledFrom([]int{2, 5, 40}).Draw(t, "miss")),
	}
	policies := frontPolicies()
	f.IssuePolicy = rapid.SampledFrom(policies).Draw(t, "issue")
	f.FetchPolicy = rapid.SampledFrom(policies).Draw(t, "fetch policy")
	kind := rapid.SampledFrom([]string{"baseline", "stall", "swas"}).Draw(t, "kind")
	switch kind {
	case "swas":
		f.Variant, f.QueueEntries = gpu.SWaS, int(f.FetchCycles)+1
	case "stall":
		f.Kind, f.RefetchCycles = gpu.Stall, int64(rapid.IntRange(1, 9).Draw(t, "refetch"))
		fallthrough
	default:
		f.QueueEntries = rapid.IntRange(1, 8).Draw(t, "entries")
	}
	return f, kind
}

// Whatever the kernel, the machine and the policies: what is executed is what the
// abstract machine executes; skipping idle cycles and observing change nothing;
// SWaS makes no errors and keeps its queues full, which Checks verifies.
func TestFrontRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := drawFlow(t)
		f, kind := drawFront(t)
		cfg := sim.Config{Machine: flowMachine(f), BlocksPerSM: rapid.IntRange(1, 2).Draw(t, "resident"), Checks: true}
		if rapid.Bool().Draw(t, "slots") {
			cfg.Machine.Queue, cfg.Machine.Slots = gpu.Slots, 1
		}
		if kind != "swas" {
			cfg.Machine.Desc.SM.Schedulers = rapid.SampledFrom([]int{1, 1, 2, 3, 4}).Draw(t, "schedulers")
			cfg.Machine.Units[1].Shared = rapid.Bool().Draw(t, "shared")
		}
		cfg.Machine.Desc.Barrier.Draining = rapid.Bool().Draw(t, "draining")
		cfg.Machine.Desc.Dispatch.StartDelayCycles = int64(rapid.SampledFrom([]int{0, 5}).Draw(t, "delay"))
		abstract, err := sim.Run(context.Background(), cfg, k, k.timing())
		if err != nil {
			t.Fatal(err)
		}
		cfg.Model = sim.FrontModel{}
		seen := &counter{stalled: map[string]int64{}}
		log := &frontLog{}
		turns := &issueTurns{t: t, schedulers: cfg.Machine.Desc.SM.Schedulers, last: map[int]int64{}}
		cfg.Observers = []sim.Observer{seen, log, turns}
		r, err := sim.Run(context.Background(), cfg, k, k.timing())
		if stuck(err, f.IssuePolicy, f.FetchPolicy) {
			return
		}
		if err != nil {
			t.Fatalf("%s, %s-%s: %v", kind, f.FetchPolicy, f.IssuePolicy, err)
		}
		if r.ThreadInstructions != abstract.ThreadInstructions || r.Barriers != abstract.Barriers || r.Cycles < r.WarpInstructions {
			t.Fatalf("%d thread instructions and %d barriers in %d cycles, abstract %d and %d", r.ThreadInstructions, r.Barriers, r.Cycles, abstract.ThreadInstructions, abstract.Barriers)
		}
		s := r.Scheduling
		if kind == "swas" && (s.Errors != 0 || s.BrokenQueueCycles != 0) {
			t.Fatalf("swas, %s: %d errors, queues not full in %d cycles", f.IssuePolicy, s.Errors, s.BrokenQueueCycles)
		}
		if s.Errors != log.errors || s.Discrepancies != log.discrepancies || f.ICache.Perfect && s.ICacheMisses != 0 || kind != "swas" && s.NOPs != 0 {
			t.Fatalf("%s: %+v, %d discrepancies and %d errors seen", kind, s, log.discrepancies, log.errors)
		}
		if d := cmp.Diff(r.Stalls, seen.stalled); d != "" || seen.issued != r.WarpInstructions {
			t.Fatalf("%d instructions of %d seen, stalls by statistics and by events:\n%s", seen.issued, r.WarpInstructions, d)
		}
		// Every instruction was requested, hit, and then issued or discarded; what
		// is on its way when a block ends is neither.
		if s.ICacheHits < r.WarpInstructions+s.Discarded {
			t.Fatalf("%d requests hit, %d instructions issued, %d discarded", s.ICacheHits, r.WarpInstructions, s.Discarded)
		}
		cfg.Observers = nil
		sim.StepIdle(&cfg)
		again, err := sim.Run(context.Background(), cfg, k, k.timing())
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(r, again); d != "" {
			t.Fatalf("%s, %s-%s: visiting every cycle:\n%s", kind, f.FetchPolicy, f.IssuePolicy, d)
		}
	})
}

// issueTurns verifies that a scheduler issues one instruction a cycle.
type issueTurns struct {
	sim.NopObserver
	t          interface{ Errorf(string, ...any) }
	schedulers int
	last       map[int]int64 // by scheduler: the cycle of its last issue, from 1
	now, most  int64
	cycle      int64
}

func (o *issueTurns) Issue(e sim.IssueEvent) {
	i := e.Slot % o.schedulers
	if o.last[i] == e.Cycle+1 {
		o.t.Errorf("scheduler %d issues twice in cycle %d", i, e.Cycle)
	}
	o.last[i] = e.Cycle + 1
	if e.Cycle != o.cycle {
		o.cycle, o.now = e.Cycle, 0
	}
	o.now++
	o.most = max(o.most, o.now)
}
