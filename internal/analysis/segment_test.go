package analysis

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/cache/l1d"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/testkit/gpus"
	"github.com/warpbound/warpbound/internal/testkit/settings"
)

// simulateTurns runs a launch, or one block of it, as the bounds for turns take it.
func simulateTurns(t testing.TB, l *load.Opened, r *Report, opt method.Question, block int64) (int64, error) {
	t.Helper()
	ctx := context.Background()
	policy, err := policy.Parse(opt.Policy)
	if err != nil {
		t.Fatal(err)
	}
	cfg := sim.Config{Machine: r.Machine, Model: sim.AbstractModel{Policy: policy}, BlocksPerSM: int(r.Occupancy.Blocks), Placement: sim.InBatches, Checks: true}
	if block >= 0 {
		cfg.Blocks = []int64{block}
	}
	if opt.Reordered {
		follow, err := l.Kernel(true)
		if err != nil {
			t.Fatal(err)
		}
		a, err := l1d.Analyse(ctx, follow, l1d.AnalyseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		own, err := l.Fresh()
		if err != nil {
			t.Fatal(err)
		}
		enforced, err := a.NewOrder(own, l1d.Options{SegmentBytes: r.Machine.Desc.L1D.SectorBytes})
		if err != nil {
			t.Fatal(err)
		}
		cfg.Memory = sim.Caches{Order: enforced}
	}
	k, err := l.Fresh()
	if err != nil {
		t.Fatal(err)
	}
	got, err := sim.Run(ctx, cfg, k, r.Timing)
	if err != nil {
		return 0, err
	}
	return got.Cycles, nil
}

// tally counts what a comparison with simulations has found, by method.
type tally struct{ claimed, exact, unsafe, exceeded int }

// hold compares the figures of a report with a simulation of the launch and of one
// block alone.
func hold(t *testing.T, name string, l *load.Opened, r *Report, opt method.Question, block int64, seen map[string]*tally) {
	t.Helper()
	for i, b := range []int64{block, -1} {
		scope := r.Scopes[i]
		cycles, err := simulateTurns(t, l, r, opt, b)
		if err != nil {
			// It may stop for ever; then nothing claims that it does not.
			if !strings.Contains(err.Error(), "holds the turn") {
				t.Fatalf("%s, block %d: %v", name, b, err)
			}
			if best := scope.BestBound(); best != nil {
				t.Errorf("%s: %v, and %s bounds it", name, err, best.Method)
			}
			continue
		}
		for _, x := range scope.Bounds {
			n := seen[x.Method]
			if n == nil {
				n = &tally{}
				seen[x.Method] = n
			}
			if !x.Safe {
				if n.unsafe++; x.Cycles < cycles {
					n.exceeded++
				}
				continue
			}
			if n.claimed++; x.Cycles == cycles {
				n.exact++
			}
			if x.Cycles < cycles {
				t.Errorf("%s, block %d: %d cycles, %s is %d", name, b, cycles, x.Method, x.Cycles)
			}
		}
	}
}

// No example exceeds a figure that claims to hold: all of them under turns of
// segments, and some under all strict policies, on machines that theorem 19 (turns) is
// for and others, without caches and with.
func TestSegmentBoundsHold(t *testing.T) {
	wide := settings.Everything(t)
	machines := []struct {
		gpu, order string
		every      bool
		set        []string
	}{
		{"ecrts2025-200", sim.L1None, true, nil},
		{"ecrts2025-200", sim.L1None, false, []string{"sm.count=1", "barrier.draining=true", "barrier.delay_cycles=7", "block_dispatch.start_delay_cycles=5", "sm.max_blocks=2"}},
		{"gtx480", sim.L1None, false, []string{"sm.count=2", "sm.max_blocks=1", "sm.schedulers=1", "queue.order=\"fifo\"", "queue.keeps_warp_order=true"}},
		{"gtx480", sim.L1None, false, []string{"sm.count=1"}},
		{"gtx480", sim.L1Reorder, true, []string{"sm.schedulers=1", "queue.order=\"fifo\"", "queue.keeps_warp_order=true", "sm.count=2"}},
	}
	seen := map[string]*tally{}
	for i, e := range placed() {
		l := open(t, "../../examples/"+e.Launch)
		for j, on := range machines {
			m := gpus.Preset(t, on.gpu, on.set...)
			for k, policy := range []string{"segments", "srr", "gsrr"} {
				every := policy == "segments" && on.every
				if !wide && !every && (i+j+k)%20 != 0 {
					continue
				}
				opt := method.Question{Policy: policy, Reordered: on.order == sim.L1Reorder}
				r, err := Run(context.Background(), cacheLaunch(l), m, opt)
				if err != nil && strings.Contains(err.Error(), "does not fit") {
					continue
				}
				name := fmt.Sprintf("%s on %s %v, %s", e.Launch, on.gpu, on.set, policy)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if len(r.InputDependent) > 0 || len(r.Scopes[0].Bounds) == 0 {
					continue
				}
				hold(t, name, l, r, opt, int64(i+j)%r.Blocks, seen)
			}
		}
	}
	if n := seen["turns"]; n == nil || n.claimed < 100 || n.exact < 50 {
		t.Errorf("turns: %+v: the figures are not compared", n)
	}
	logTallies(t, seen)
}

func logTallies(t *testing.T, seen map[string]*tally) {
	t.Helper()
	for _, m := range Names(method.InTurns) {
		if n := seen[m]; n != nil {
			t.Logf("%s: claimed %d times, exact %d times; not claimed %d times, and then below the simulation %d times", m, n.claimed, n.exact, n.unsafe, n.exceeded)
		}
	}
}

// fixed are settings under which turns of segments and of instructions are fixed.
var fixed = []string{"sm.schedulers=1", "queue.order=\"fifo\"", "queue.keeps_warp_order=true"}

// Random kernels on random machines: no run exceeds a figure that claims to hold,
// without caches and behind a reordering unit.
func TestSegmentBoundsHoldAtRandom(t *testing.T) {
	seeds := settings.Cases(t, 40)
	seen := map[string]*tally{}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(uint64(seed), 26))
		l := drawMemoryKernel(t, rng)
		name, set := drawCaches(rng)
		if seed%5 > 0 {
			set = append(set, fixed...)
		}
		m := gpus.Preset(t, name, set...)
		for k, policy := range []string{"segments", "srr", "gsrr"} {
			opt := method.Question{Policy: policy, Reordered: (seed+k)%2 == 1}
			r, err := Run(context.Background(), cacheLaunch(l), m, opt)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if len(r.InputDependent) > 0 || len(r.Scopes[0].Bounds) == 0 {
				continue
			}
			hold(t, fmt.Sprintf("seed %d, %s %v, %s, reordered %t", seed, name, set, policy, opt.Reordered), l, r, opt, int64(seed)%r.Blocks, seen)
		}
	}
	if n := seen["turns"]; n == nil || n.claimed < seeds/2 {
		t.Errorf("turns: %+v: the figures are not compared", n)
	}
	logTallies(t, seen)
}

// What the tests above compare shows a mistake: figures of other turns, of shorter
// latencies and of a shorter barrier delay are exceeded.
func TestSegmentBoundsCanFail(t *testing.T) {
	opt := method.Question{Policy: "segments"}
	on := gpus.Preset(t, "ecrts2025-200", "barrier.delay_cycles=5", "sm.max_blocks=1", "sm.count=1")
	slower := gpus.Preset(t, "ecrts2025-200", "barrier.delay_cycles=5", "sm.max_blocks=1", "sm.count=1", "timing.memory.latency_cycles=260")
	later := gpus.Preset(t, "ecrts2025-200", "barrier.delay_cycles=6", "sm.max_blocks=1", "sm.count=1")
	exceeded := map[string]int{}
	for i, e := range placed() {
		if i%4 != 0 {
			continue
		}
		l := open(t, "../../examples/"+e.Launch)
		r, err := Run(context.Background(), cacheLaunch(l), on, opt)
		if err != nil {
			t.Fatalf("%s: %v", e.Launch, err)
		}
		b := r.Scopes[1].Bound("turns")
		if b == nil {
			continue
		}
		try := func(mistake string, opt method.Question, r Report) {
			cycles, err := simulateTurns(t, l, &r, opt, -1)
			if err != nil {
				t.Fatalf("%s: %v", e.Launch, err)
			}
			if b.Cycles < cycles {
				exceeded[mistake]++
			}
		}
		try("none", opt, *r)
		try("turns", method.Question{Policy: "srr"}, *r)
		other := *r
		other.Machine = later
		try("barriers", opt, other)
		other.Machine = slower
		if other.Timing, err = slower.Resolve(r.Program); err != nil {
			t.Fatal(err)
		}
		try("latencies", opt, other)
	}
	for mistake, n := range exceeded {
		t.Logf("%s: %d", mistake, n)
	}
	if exceeded["none"] > 0 || exceeded["turns"] == 0 || exceeded["barriers"] == 0 || exceeded["latencies"] == 0 {
		t.Errorf("exceeded: %v", exceeded)
	}
}

// Batches go on with the turns of the batch before: the warp behind the last
// holder has the first one. The bound is exact, so another warp would show.
func TestTurnsGoOnOverBatches(t *testing.T) {
	// The second of three warps executes most, and has the last turn.
	l := kernel(t, `	mov.u32 %r0, %tid.x;
	shr.u32 %r1, %r0, 5;
	setp.eq.u32 %p0, %r1, 1;
	@!%p0 bra E;
	add.u32 %r2, %r0, 1;
	mul.lo.u32 %r2, %r2, 3;
	mul.lo.u32 %r2, %r2, 5;
	add.u32 %r3, %r2, 7;
E:
	add.u32 %r4, %r0, 9;
`, "5", "96")
	for _, policy := range policies("segments", "srr") {
		opt := method.Question{Policy: policy.String(), BlocksPerSM: 1}
		r, err := Run(context.Background(), cacheLaunch(l), gpus.Preset(t, "ecrts2025-200", "sm.count=1"), opt)
		if err != nil {
			t.Fatal(err)
		}
		cycles, err := simulateTurns(t, l, r, opt, -1)
		if b := r.Scopes[1].Bound("turns"); err != nil || b == nil || b.Cycles != cycles {
			t.Errorf("%s: %d cycles, bound %+v, %v", policy, cycles, b, err)
		}
		if five := 5 * r.Scopes[0].Bound("turns").Cycles; five >= cycles {
			t.Errorf("%s: %d cycles, five blocks alone %d: the first warp makes no difference", policy, cycles, five)
		}
	}
}

// Turns of several schedulers are not in step, and more than one instruction in a
// cycle is outside the theorems.
func TestSegmentsOnOtherMachines(t *testing.T) {
	l := kernel(t, touching, "2", "64")
	opt := method.Question{Policy: "segments"}
	r, err := Run(context.Background(), cacheLaunch(l), gpus.Preset(t, "ecrts2025-200", "sm.schedulers=2"), opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range r.Scopes {
		if x := s.Bound("segment"); x == nil || x.Safe || !strings.Contains(x.UnsafeReason, "several") || s.Bound("turns") != nil {
			t.Errorf("%s: %+v", s.Scope, x)
		}
		if x := s.BestBound(); x == nil || x.Method != "strict" || x.Theorem != "docs/soundness.md, theorem 26" {
			t.Errorf("%s: best %+v", s.Scope, x)
		}
	}
	r, err = Run(context.Background(), cacheLaunch(l), gpus.Preset(t, "ecrts2025-200", "issue.per_cycle=2"), opt)
	if err != nil || r.Best != nil || len(r.Scopes[1].Refused) != len(Names(method.InTurns)) || !strings.Contains(r.Scopes[1].Refused[0].Reason, "2 instructions issue") {
		t.Errorf("%+v, %v", r, err)
	}
	for reason, on := range map[string]struct {
		order, gpu string
		set        []string
	}{
		"units do not serve in issue order": {sim.L1None, "ecrts2025-200", []string{"queue.order=\"any\""}},
		"with 1 channels":                   {sim.L1Reorder, "gtx480", append([]string{"ldst_path.channels=1", "sm.max_blocks=1"}, fixed...)},
	} {
		r, err := Run(context.Background(), cacheLaunch(l), gpus.Preset(t, on.gpu, on.set...), method.Question{Policy: opt.Policy, Reordered: on.order == sim.L1Reorder})
		if err != nil {
			t.Fatal(err)
		}
		if s := r.Scopes[1]; s.Bound("segment") == nil || s.Bound("segment").Safe || s.Bound("turns") != nil || !strings.Contains(r.whyNone(s, "turns"), reason) {
			t.Errorf("%s: %+v", reason, s)
		}
	}
	opt.BlocksPerSM = 1000
	if _, err := Run(context.Background(), cacheLaunch(l), gpus.Preset(t, "gtx480"), opt); err == nil {
		t.Error("1000 blocks an SM")
	}
}
