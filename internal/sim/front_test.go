package sim_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/isa"
)

// frontLog writes what happens as "cycle:what": i warp.pc for an issue, n warp
// for a NOP, f and m warp.pc for a request that hits or misses, r warp for a
// redirection with its target and how many instructions it discards.
type frontLog struct {
	sim.NopObserver
	lines                 []string
	discrepancies, errors int64
}

func (l *frontLog) add(cycle int64, format string, args ...any) {
	l.lines = append(l.lines, fmt.Sprintf("%d:%s", cycle, fmt.Sprintf(format, args...)))
}

func (l *frontLog) Issue(e sim.IssueEvent) { l.add(e.Cycle, "i%d.%d", e.Warp, e.PC) }
func (l *frontLog) NOP(e sim.NOPEvent)     { l.add(e.Cycle, "n%d", e.Warp) }
func (l *frontLog) Redirect(e sim.RedirectEvent) {
	l.add(e.Cycle, "r%d>%d-%d", e.Warp, e.NextPC, e.Discarded)
}

func (l *frontLog) Fetch(e sim.FetchEvent) {
	what := "f"
	if e.Miss {
		what = "m"
	}
	l.add(e.Cycle, "%s%d.%d", what, e.Warp, e.PC)
}

func (l *frontLog) Discrepancy(e sim.DiscrepancyEvent) {
	if e.Intended != e.Slot {
		l.discrepancies++
	}
	if e.Expected != e.Slot {
		l.errors++
	}
}

// flowRun simulates a flow kernel and returns its events in one line.
func flowRun(t testing.TB, k *flowKernel, f gpu.FrontEnd, change ...func(*sim.Config)) (*sim.Result, string) {
	t.Helper()
	log := &frontLog{}
	cfg := sim.Config{Machine: flowMachine(f), Model: sim.FrontModel{}, BlocksPerSM: 1, Checks: true, Observers: []sim.Observer{log}}
	for _, c := range change {
		c(&cfg)
	}
	r, err := sim.Run(context.Background(), cfg, k, k.timing())
	if err != nil {
		t.Fatal(err)
	}
	if s := r.Scheduling; log.discrepancies != s.Discrepancies || log.errors != s.Errors {
		t.Errorf("%d discrepancies and %d errors seen, %d and %d counted", log.discrepancies, log.errors, s.Discrepancies, s.Errors)
	}
	return r, strings.Join(log.lines, " ")
}

const none = isa.NoReg

// Straight line: requests in cycles 0 to 3, each instruction four cycles later.
// Nothing excuses the empty queue of the first four cycles.
func TestFrontStraightLine(t *testing.T) {
	k := newFlow(1, plain(1, none, none), plain(1, none, 0), plain(6, 0, 1), plain(1, 1, none), control(isa.Exit))
	r, log := flowRun(t, k, flowFront())
	want := "0:f0.0 1:f0.1 2:f0.2 3:f0.3 4:i0.0 4:f0.4 5:i0.1 6:i0.2 12:i0.3 13:i0.4"
	if log != want {
		t.Errorf("events\n%s, want\n%s", log, want)
	}
	s := r.Scheduling
	if r.Cycles != 14 || s.Discrepancies != 4 || s.Errors != 4 || s.ICacheHits != 5 || s.ICacheMisses != 0 || s.NOPs != 0 || s.Discarded != 0 {
		t.Errorf("%d cycles, %+v", r.Cycles, s)
	}
	if d := r.Stalls; d["fetch"] != 4 || d["data"] != 5 {
		t.Errorf("stalls %v", d)
	}
	// NOPs fill the first four cycles.
	f := flowFront()
	f.Variant = gpu.SWaS
	r, log = flowRun(t, k, f)
	want = "0:n0 0:f0.0 1:n0 1:f0.1 2:n0 2:f0.2 3:n0 3:f0.3 4:i0.0 4:f0.4 5:i0.1 6:i0.2 12:i0.3 13:i0.4"
	if log != want {
		t.Errorf("swas: events\n%s, want\n%s", log, want)
	}
	if s = r.Scheduling; r.Cycles != 14 || s.Discrepancies != 0 || s.NOPs != 4 || r.WarpInstructions != 5 || s.ThreadIPC != 160.0/14 {
		t.Errorf("swas: %d cycles, %+v", r.Cycles, s)
	}
}

// A branch issued in cycle 6 is resolved in cycle 11: two instructions behind it
// are discarded, and the target issues after four cycles, which are excused.
func TestFrontTakenBranch(t *testing.T) {
	k := newFlow(1, plain(1, none, none), plain(1, none, none), branchOp(0, 1), plain(1, none, none), control(isa.Exit))
	r, log := flowRun(t, k, flowFront())
	want := "0:f0.0 1:f0.1 2:f0.2 3:f0.3 4:i0.0 4:f0.4 5:i0.1 6:i0.2 11:r0>0-2 11:f0.0 12:f0.1 13:f0.2 14:f0.3 15:i0.0 15:f0.4 16:i0.1 17:i0.2 22:i0.3 23:i0.4"
	if log != want {
		t.Errorf("events\n%s, want\n%s", log, want)
	}
	s := r.Scheduling
	if r.Cycles != 24 || s.Discrepancies != 8 || s.Errors != 4 || s.Discarded != 2 {
		t.Errorf("%d cycles, %+v", r.Cycles, s)
	}
	if d := r.Stalls; d["fetch"] != 4 || d["refetch"] != 4 || d["branch"] != 8 {
		t.Errorf("stalls %v", d)
	}
	// The two instructions become NOPs beside those for what lies behind the end.
	f := flowFront()
	f.Variant = gpu.SWaS
	r, log = flowRun(t, k, f)
	want = "0:n0 0:f0.0 1:n0 1:f0.1 2:n0 2:f0.2 3:n0 3:f0.3 4:i0.0 4:f0.4 5:i0.1 6:i0.2 11:r0>0-2 11:n0 11:f0.0 12:n0 12:f0.1 13:n0 13:f0.2 14:n0 14:f0.3 15:i0.0 15:f0.4 16:i0.1 17:i0.2 22:i0.3 23:i0.4"
	if log != want {
		t.Errorf("swas: events\n%s, want\n%s", log, want)
	}
	if s = r.Scheduling; r.Cycles != 24 || s.Discrepancies != 0 || s.NOPs != 8 || s.Discarded != 2 {
		t.Errorf("swas: %d cycles, %+v", r.Cycles, s)
	}
}

// Lines of four instructions that take ten cycles. A miss excuses an empty queue
// from the cycle after the request.
func TestFrontMiss(t *testing.T) {
	k := newFlow(1, plain(1, none, none), plain(1, none, none), plain(1, none, none), plain(1, none, none), plain(1, none, none), control(isa.Exit))
	f := flowFront()
	f.ICache.Perfect = false
	r, log := flowRun(t, k, f)
	want := "0:m0.0 10:f0.0 11:f0.1 12:f0.2 13:f0.3 14:i0.0 14:m0.4 15:i0.1 16:i0.2 17:i0.3 24:f0.4 25:f0.5 28:i0.4 29:i0.5"
	if log != want {
		t.Errorf("events\n%s, want\n%s", log, want)
	}
	s := r.Scheduling
	if r.Cycles != 30 || s.Discrepancies != 14+10 || s.Errors != 1 || s.ICacheHits != 6 || s.ICacheMisses != 2 {
		t.Errorf("%d cycles, %+v", r.Cycles, s)
	}
	if d := r.Stalls; d["icache_miss"] != 9+6 || d["fetch"] != 1+4+4 {
		t.Errorf("stalls %v", d)
	}
	f.Variant = gpu.SWaS
	r, log = flowRun(t, k, f)
	want = "0:n0 0:m0.0 10:n0 10:f0.0 11:n0 11:f0.1 12:n0 12:f0.2 13:n0 13:f0.3 14:i0.0 14:m0.4 24:i0.1 24:f0.4 25:i0.2 25:f0.5 26:i0.3 27:n0 28:i0.4 29:i0.5"
	if log != want {
		t.Errorf("swas: events\n%s, want\n%s", log, want)
	}
	if s = r.Scheduling; r.Cycles != 30 || s.Discrepancies != 9+9 || s.Errors != 0 || s.NOPs != 6 || s.ICacheHits != 6 || s.ICacheMisses != 2 {
		t.Errorf("swas: %d cycles, %+v", r.Cycles, s)
	}
}

// Two warps at a barrier: it opens in cycle 6, and each goes on when its own
// arrival is resolved; with a delay, when the barrier lets it.
func TestFrontBarrier(t *testing.T) {
	k := newFlow(2, control(isa.Barrier), plain(1, none, none), control(isa.Exit))
	r, log := flowRun(t, k, flowFront())
	want := "0:f0.0 1:f1.0 2:f0.1 3:f1.1 4:i0.0 4:f0.2 5:i1.0 5:f1.2 9:i0.1 10:i1.1 11:i0.2 12:i1.2"
	if log != want || r.Cycles != 13 || r.Barriers != 1 {
		t.Errorf("%d cycles, %d barriers, events\n%s, want\n%s", r.Cycles, r.Barriers, log, want)
	}
	_, log = flowRun(t, k, flowFront(), func(c *sim.Config) { c.Machine.Desc.Barrier.DelayCycles = 20 })
	want = "0:f0.0 1:f1.0 2:f0.1 3:f1.1 4:i0.0 4:f0.2 5:i1.0 5:f1.2 26:i0.1 27:i1.1 28:i0.2 29:i1.2"
	if log != want {
		t.Errorf("delay 20: events\n%s, want\n%s", log, want)
	}
}

// Two warps share fetch and issue. Greedy fetch fills one queue first, so that
// warp 1 has nothing when it is its turn.
func TestFrontTwoWarps(t *testing.T) {
	k := newFlow(2, plain(1, none, none), plain(1, none, none), control(isa.Exit))
	for _, c := range []struct {
		fetch, issue, variant, want string
		cycles, errors, nops        int64
	}{
		{"lrr", "lrr", gpu.Baseline, "0:f0.0 1:f1.0 2:f0.1 3:f1.1 4:i0.0 4:f0.2 5:i1.0 5:f1.2 6:i0.1 7:i1.1 8:i0.2 9:i1.2", 10, 4, 0},
		// osched2 keeps its own pointer: it selects 0, 1, 0, 1 in the empty cycles,
		// then 0 and 1 in turn, and the stage issues 0, 0, 0, 1, 1, 1.
		{"gtlrr", "lrr", gpu.Baseline, "0:f0.0 1:f0.1 2:f0.2 3:f1.0 4:i0.0 4:f1.1 5:i0.1 5:f1.2 6:i0.2 7:i1.0 8:i1.1 9:i1.2", 10, 4 + 1, 0},
		// Greedy issue would stay with the warp it selected last, whose next
		// instruction comes a cycle later, in cycles 5 to 8.
		{"lrr", "gtlrr", gpu.Baseline, "0:f0.0 1:f1.0 2:f0.1 3:f1.1 4:i0.0 4:f0.2 5:i1.0 5:f1.2 6:i0.1 7:i1.1 8:i0.2 9:i1.2", 10, 4 + 4, 0},
		{"", "lrr", gpu.SWaS, "0:n0 0:f0.0 1:n1 1:f1.0 2:n0 2:f0.1 3:n1 3:f1.1 4:n0 4:f0.2 5:n1 5:f1.2 6:n0 7:n1 8:i0.0 9:i1.0 10:i0.1 11:i1.1 12:i0.2 13:i1.2", 14, 0, 8},
		// The end of warp 0 is known in cycle 11; until then it has NOPs to issue.
		{"", "gtlo", gpu.SWaS, "0:n0 0:f0.0 1:n0 1:f0.1 2:n0 2:f0.2 3:n0 4:i0.0 5:i0.1 6:i0.2 7:n0 8:n0 9:n0 10:n0 11:r0>-1-0 11:n1 11:f1.0 12:n1 12:f1.1 13:n1 13:f1.2 14:n1 15:i1.0 16:i1.1 17:i1.2", 18, 0, 12},
		{"", "srr", gpu.SWaS, "0:n0 0:f0.0 1:n1 1:f1.0 2:n0 2:f0.1 3:n1 3:f1.1 4:n0 4:f0.2 5:n1 5:f1.2 6:n0 7:n1 8:i0.0 9:i1.0 10:i0.1 11:i1.1 12:i0.2 13:i1.2", 14, 0, 8},
	} {
		f := flowFront()
		f.Variant, f.FetchPolicy, f.IssuePolicy = c.variant, c.fetch, c.issue
		if c.fetch == "" {
			f.FetchPolicy = c.issue
		}
		r, log := flowRun(t, k, f)
		s := r.Scheduling
		if log != c.want || r.Cycles != c.cycles || s.Errors != c.errors || s.NOPs != c.nops {
			t.Errorf("%s %s %s: %d cycles, %d errors, %d NOPs, events\n%s, want %d, %d, %d\n%s", c.variant, c.fetch, c.issue, r.Cycles, s.Errors, s.NOPs, log, c.cycles, c.errors, c.nops, c.want)
		}
	}
}

// A branch back ends the suspension for a line behind it, which arrives all the
// same: in cycle 24, so that the second request for it, in cycle 26, hits.
func TestFrontBranchEndsSuspension(t *testing.T) {
	k := newFlow(1, plain(1, none, none), plain(1, none, none), plain(1, none, none), branchOp(0, 1), plain(1, none, none), control(isa.Exit))
	f := flowFront()
	f.ICache.Perfect = false
	r, log := flowRun(t, k, f)
	want := "0:m0.0 10:f0.0 11:f0.1 12:f0.2 13:f0.3 14:i0.0 14:m0.4 15:i0.1 16:i0.2 17:i0.3 22:r0>0-0 22:f0.0 23:f0.1 24:f0.2 25:f0.3 26:i0.0 26:f0.4 27:i0.1 27:f0.5 28:i0.2 29:i0.3 34:i0.4 35:i0.5"
	if s := r.Scheduling; log != want || r.Cycles != 36 || s.ICacheHits != 10 || s.ICacheMisses != 2 {
		t.Errorf("%d cycles, %+v, events\n%s, want\n%s", r.Cycles, s, log, want)
	}
}

// A warp that misses a line that is on its way waits for that one.
func TestFrontSharedLine(t *testing.T) {
	k := newFlow(2, plain(1, none, none), control(isa.Exit))
	f := flowFront()
	f.ICache.Perfect = false
	f.StartGapCycles = 6
	r, log := flowRun(t, k, f)
	want := "0:m0.0 6:m1.0 10:f0.0 11:f1.0 12:f0.1 13:f1.1 14:i0.0 15:i1.0 16:i0.1 17:i1.1"
	if s := r.Scheduling; log != want || s.ICacheHits != 4 || s.ICacheMisses != 2 {
		t.Errorf("%+v, events\n%s, want\n%s", s, log, want)
	}
}

// Four warps wait for a result, each a cycle after the one before, with full queues
// behind it: then as many issue at once as there are schedulers, each for warps of
// its own, until the queues are empty and one instruction a cycle comes in.
func TestFrontSeveralSchedulers(t *testing.T) {
	ops := []fop{plain(30, none, 0), plain(1, 0, none)}
	for range 6 {
		ops = append(ops, plain(1, none, none))
	}
	k := newFlow(4, append(ops, control(isa.Exit))...)
	var cycles []int64
	for _, n := range []int{1, 2, 4} {
		m := flowMachine(flowFront())
		m.Desc.SM.Schedulers = n
		turns := &issueTurns{t: t, schedulers: n, last: map[int]int64{}}
		r, err := sim.Run(context.Background(), sim.Config{Machine: m, Model: sim.FrontModel{}, BlocksPerSM: 1, Checks: true, Observers: []sim.Observer{turns}}, k, k.timing())
		if err != nil {
			t.Fatal(err)
		}
		if turns.most != int64(n) || r.IssueCycles != r.WarpInstructions || r.Schedulers != n {
			t.Errorf("%d schedulers: at most %d instructions in a cycle, %d issue cycles of %d schedulers for %d instructions", n, turns.most, r.IssueCycles, r.Schedulers, r.WarpInstructions)
		}
		if r.Cycles < r.WarpInstructions {
			t.Errorf("%d schedulers: %d instructions in %d cycles, one of which is fetched a cycle", n, r.WarpInstructions, r.Cycles)
		}
		cycles = append(cycles, r.Cycles)
	}
	if !(cycles[0] > cycles[1] && cycles[1] >= cycles[2]) {
		t.Errorf("%v cycles with 1, 2 and 4 schedulers", cycles)
	}
}
