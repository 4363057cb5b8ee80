package gantt_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/gantt"
	"github.com/warpbound/warpbound/internal/sim/instr"
	"github.com/warpbound/warpbound/internal/sim/policy"
)

// run simulates a program of package instr under a policy.
func run(t *testing.T, program string, blocks int, policyName string, o sim.Observer) *sim.Result {
	t.Helper()
	p, err := instr.Parse(program)
	if err != nil {
		t.Fatal(err)
	}
	k, err := instr.NewKernel(p, blocks)
	if err != nil {
		t.Fatal(err)
	}
	pick, err := policy.Parse(policyName)
	if err != nil {
		t.Fatal(err)
	}
	cfg := sim.Config{Machine: k.Machine(), Model: sim.OwnModel{Policy: pick}, BlocksPerSM: 1, Checks: true, KeepBlocks: true, Observers: []sim.Observer{o}}
	r, err := sim.Run(context.Background(), cfg, k, k.Timing())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRecorder(t *testing.T) {
	r := &gantt.Recorder{}
	run(t, "F0/2/6 F1/3/4 F1/3/4 F2/2/4(0)", 1, "gto", r)
	want := []gantt.Interval{
		{FromCycle: 0, ToCycle: 3, State: "issue"},
		{FromCycle: 3, ToCycle: 8, State: "data"},
		{FromCycle: 8, ToCycle: 9, State: "issue"},
		{FromCycle: 9, ToCycle: 14, State: "drain"},
	}
	if d := cmp.Diff(want, r.Intervals()); d != "" {
		t.Error(d)
	}
}

// In pieces of some cycles every state of a slot has its time, but for less than a piece,
// and no gap.
func TestCoarsen(t *testing.T) {
	r := &gantt.Recorder{}
	run(t, "3x F0/2/7 F1/1/3 F0/1/0(0) F1/2/4(1,2) | F0/3/0 F1/1/9(0)", 40, "lrr", r)
	exact := r.Intervals()
	times := func(intervals []gantt.Interval) map[string]int64 {
		sum := map[string]int64{}
		for _, v := range intervals {
			sum[v.State] += v.ToCycle - v.FromCycle
		}
		return sum
	}
	last := len(exact)
	for _, quantum := range []int64{1, 4, 16, 64} {
		coarse := gantt.Coarsen(exact, quantum)
		if len(coarse) > last || quantum == 1 && cmp.Diff(exact, coarse) != "" {
			t.Errorf("pieces of %d cycles: %d intervals of %d", quantum, len(coarse), last)
		}
		last = len(coarse)
		for i, v := range coarse {
			if i > 0 && coarse[i-1].Slot == v.Slot && coarse[i-1].ToCycle != v.FromCycle {
				t.Errorf("pieces of %d cycles: a gap between %+v and %+v", quantum, coarse[i-1], v)
			}
		}
		want, got := times(exact), times(coarse)
		for state, n := range want {
			// Three slots, and as many states may be owed in each.
			if d := got[state] - n; d > 3*quantum*int64(len(want)) || d < -3*quantum*int64(len(want)) {
				t.Errorf("pieces of %d cycles: %s takes %d of %d cycles", quantum, state, got[state], n)
			}
		}
	}
	if last >= len(exact)/4 {
		t.Errorf("%d intervals of %d", last, len(exact))
	}
}

// The intervals of a warp follow each other without a gap from its start to the
// end of its block, whatever the policy.
func TestRecorderCoversWarps(t *testing.T) {
	for _, policy := range []string{"lrr", "gto", "srr"} {
		r := &gantt.Recorder{}
		res := run(t, "3x F0/2/7 F1/1/3 F0/1/0(0) F1/2/4(1,2) | F0/3/0 F1/1/9(0)", 5, policy, r)
		reached := map[[2]int64]int64{}
		for _, b := range res.BlockTimes {
			for w := range int64(3) {
				reached[[2]int64{b.Block, w}] = b.StartCycle
			}
		}
		for _, i := range r.Intervals() {
			key := [2]int64{i.Block, int64(i.Warp)}
			if reached[key] != i.FromCycle {
				t.Errorf("%s: block %d, warp %d: interval %+v after cycle %d", policy, i.Block, i.Warp, i, reached[key])
			}
			reached[key] = i.ToCycle
		}
		for _, b := range res.BlockTimes {
			for w := range int64(3) {
				if end := reached[[2]int64{b.Block, w}]; end != b.EndCycle {
					t.Errorf("%s: block %d, warp %d: intervals end at %d, the block at %d", policy, b.Block, w, end, b.EndCycle)
				}
			}
		}
	}
}

// A recorder that keeps few intervals keeps all the time: slots begin and end when
// they did, the state of a piece is one that occurred in it, and each state has the
// cycles that it took, but for a few pieces.
func TestRecorderCoarsens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		exact := &gantt.Recorder{MaxIntervals: 1 << 20}
		coarse := &gantt.Recorder{MaxIntervals: rapid.IntRange(3, 40).Draw(t, "most")}
		now := map[int]int64{}
		for range rapid.IntRange(1, 400).Draw(t, "events") {
			p := sim.Place{SM: 1, Slot: rapid.IntRange(0, 2).Draw(t, "slot")}
			from := now[p.Slot]
			p.Block = from / 50
			to := from + rapid.SampledFrom([]int64{1, 1, 1, 2, 5, 9, 70}).Draw(t, "length")
			reason := sim.Reason(rapid.IntRange(0, 3).Draw(t, "reason"))
			for _, r := range []*gantt.Recorder{exact, coarse} {
				if to == from+1 && reason == 0 {
					r.Issue(sim.IssueEvent{Place: p, Cycle: from})
				} else {
					r.Wait(sim.WaitEvent{Place: p, FromCycle: from, ToCycle: to, Reason: reason})
				}
			}
			now[p.Slot] = to
		}
		got, q := coarse.Intervals(), coarse.Quantum()
		if len(got) > coarse.MaxIntervals+3 { // a piece of each slot was open
			t.Fatalf("%d intervals, at most %d wanted", len(got), coarse.MaxIntervals)
		}
		type piece struct {
			slot  int
			index int64
			state string
		}
		occurs, cycles := map[piece]bool{}, map[piece]int64{}
		for _, i := range exact.Intervals() {
			for c := i.FromCycle; c < i.ToCycle; c++ {
				occurs[piece{i.Slot, c / q, i.State}] = true
			}
			cycles[piece{i.Slot, 0, i.State}] += i.ToCycle - i.FromCycle
		}
		reached := map[int]int64{}
		for _, i := range got {
			if i.FromCycle != reached[i.Slot] || i.ToCycle <= i.FromCycle {
				t.Fatalf("%+v after cycle %d", i, reached[i.Slot])
			}
			reached[i.Slot] = i.ToCycle
			for c := i.FromCycle; c < i.ToCycle; c++ {
				if !occurs[piece{i.Slot, c / q, i.State}] {
					t.Fatalf("%+v: the state does not occur at cycle %d, quantum %d", i, c, q)
				}
			}
			cycles[piece{i.Slot, 0, i.State}] -= i.ToCycle - i.FromCycle
		}
		for slot, end := range now {
			if reached[slot] != end {
				t.Fatalf("slot %d ends at %d, want %d", slot, reached[slot], end)
			}
		}
		for k, n := range cycles {
			if n > 4*q || n < -4*q {
				t.Fatalf("slot %d: %s has %d cycles too few, quantum %d", k.slot, k.state, n, q)
			}
		}
	})
}

// Only the window, and of too many slots only the first, are recorded.
func TestRecorderWindowAndSlots(t *testing.T) {
	r := &gantt.Recorder{FromCycle: 10, ToCycle: 20, MaxSlots: 2}
	for _, slot := range []int{3, 1, 2, 0} {
		r.Wait(sim.WaitEvent{Place: sim.Place{Slot: slot}, FromCycle: 0, ToCycle: 12, Reason: sim.DataRAW})
		r.Wait(sim.WaitEvent{Place: sim.Place{Slot: slot}, FromCycle: 12, ToCycle: 30, Reason: sim.MemoryRAW})
		r.Issue(sim.IssueEvent{Place: sim.Place{Slot: slot}, Cycle: 30})
	}
	want := []gantt.Interval{
		{Slot: 0, FromCycle: 10, ToCycle: 12, State: "data"}, {Slot: 0, FromCycle: 12, ToCycle: 20, State: "memory"},
		{Slot: 1, FromCycle: 10, ToCycle: 12, State: "data"}, {Slot: 1, FromCycle: 12, ToCycle: 20, State: "memory"},
	}
	if d := cmp.Diff(want, r.Intervals()); d != "" || r.Hidden() != 2 {
		t.Errorf("%d hidden\n%s", r.Hidden(), d)
	}
}
