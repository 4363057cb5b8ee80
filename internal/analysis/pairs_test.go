package analysis

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/testkit/gpus"
)

func TestPairsOfThePaper(t *testing.T) {
	// Crouzet2024, Section VI-A3: nine configurations, three policies each.
	pairs := Pairs()
	if len(pairs) != 9 || pairs[0] != (Pair{"lrr", "lrr"}) || !slices.Contains(pairs, Pair{"lrr", "gtlrr"}) {
		t.Errorf("%v", pairs)
	}
	for _, p := range pairs {
		for _, name := range []string{p.Fetch, p.Issue} {
			if _, err := gpu.ParseFrontPolicy(name); err != nil {
				t.Error(err)
			}
		}
	}
}

// What is compared is what single simulations give, and swas has no errors.
func TestComparePairs(t *testing.T) {
	m := gpus.Preset(t, "vortex-32x32")
	l := open(t, "../../examples/vortex/kernels/sgemm/sgemm.toml")
	opt := PairOptions{Pairs: []Pair{{"lrr", "gtlrr"}, {"gtlo", "gtlrr"}, {"lrr", "lrr"}}, Baseline: true, SWaS: true, Checks: true}
	var done []int64
	opt.Progress = func(n, total int64) { done = append(done, n, total) }
	rows, err := ComparePairs(context.Background(), l.Fresh, m, opt)
	if err != nil {
		t.Fatal(err)
	}
	// Three baselines, and swas once for each issue policy.
	if want := []int64{1, 5, 2, 5, 3, 5, 4, 5, 5, 5}; !slices.Equal(done, want) {
		t.Errorf("progress %v, want %v", done, want)
	}
	for i := range rows {
		r := &rows[i]
		if r.Pair != opt.Pairs[i] || r.Kernel != "sgemm" || math.Abs(r.Ratio-r.SWaS.IPC/r.Baseline.IPC) > 1e-12 || r.SWaS.Broken() || r.SWaS.Errors != 0 {
			t.Errorf("%+v: %+v, %+v", r.Pair, r.Baseline, r.SWaS)
		}
		for _, run := range []*PairRun{r.Baseline, r.SWaS} {
			k, err := l.Fresh()
			if err != nil {
				t.Fatal(err)
			}
			timing, err := m.Resolve(k.Program())
			if err != nil {
				t.Fatal(err)
			}
			got, err := sim.Run(context.Background(), sim.Config{Machine: m, Model: sim.FrontModel{Variant: run.Variant, FetchPolicy: run.FetchPolicy, IssuePolicy: run.IssuePolicy}, BlocksPerSM: 1}, k, timing)
			if err != nil {
				t.Fatal(err)
			}
			if got.Cycles != run.Cycles || got.ThreadInstructions != run.ThreadInstructions || !cmp.Equal(*got.Scheduling, run.SchedulingStats) || run.IPC != float64(got.ThreadInstructions)/float64(got.Cycles) {
				t.Errorf("%+v: %+v, alone %+v", r.Pair, run, got)
			}
		}
	}
	if rows[0].SWaS != rows[1].SWaS || rows[0].Baseline.Errors == 0 {
		t.Errorf("%+v, %+v", rows[0].SWaS, rows[0].Baseline)
	}
	sums := SummarizePairs(rows)
	if len(sums) != 3 || sums[0].Rows != 1 || sums[0].Mean != rows[0].Ratio || math.Abs(sums[0].Geometric-rows[0].Ratio) > 1e-12 || sums[0].ErrorRate != rows[0].Baseline.ErrorRate || sums[0].Broken != 0 {
		t.Errorf("%+v", sums)
	}
}

// Replays give the cycles of swas, for PTX and for programs whose warps start one
// another.
func TestComparePairsReplays(t *testing.T) {
	m := gpus.Preset(t, "vortex-32x32")
	for _, file := range []string{"../../examples/vortex/kernels/sgemm/sgemm.toml", "../../examples/basic/reduce/reduce.toml"} {
		l := open(t, file)
		opt := PairOptions{Pairs: []Pair{{"lrr", "gtlrr"}, {"gtlo", "gtlrr"}, {"lrr", "srr"}}, SWaS: true, Baseline: true}
		made := 0
		opt.Tainted = func() (simt.Tainted, error) { made++; return l.Kernel(true) }
		rows, err := ComparePairs(context.Background(), l.Fresh, m, opt)
		if err != nil {
			t.Fatal(err)
		}
		for i := range rows {
			if r := &rows[i]; r.Replay == nil || r.Replay.Refused != "" || !r.Replay.Claimed || r.Replay.Cycles != r.SWaS.Cycles || r.Broken() {
				t.Errorf("%s: %+v: %+v, simulated %+v", file, r.Pair, r.Replay, r.SWaS)
			}
		}
		if made != 2 {
			t.Errorf("%s: %d kernels for two policies", file, made)
		}
		rows[0].Replay.Cycles++
		if !rows[0].Differs() || !rows[0].Broken() {
			t.Error("a replay of another time passes")
		}
		rows[0].Replay.Claimed = false
		if rows[0].Differs() {
			t.Error("a replay that claims nothing is violated")
		}
		for _, bad := range []PairOptions{{L1Order: sim.L1Dynamic}, {BlocksPerSM: 1}} {
			bad.SWaS, bad.Tainted = true, opt.Tainted
			if _, err := ComparePairs(context.Background(), l.Fresh, m, bad); err == nil || !strings.Contains(err.Error(), "expected no caches") {
				t.Errorf("%+v: %v", bad, err)
			}
		}
	}
}

// Without the baseline there is a row an issue policy.
func TestComparePairsOfOneVariant(t *testing.T) {
	m := gpus.Preset(t, "vortex-32x32")
	l := open(t, "../../examples/basic/barrier/counting.toml")
	rows, err := ComparePairs(context.Background(), l.Fresh, m, PairOptions{SWaS: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 3 || rows[1].Pair != (Pair{"gtlrr", "gtlrr"}) || rows[1].Baseline != nil || rows[1].SWaS == nil || !math.IsNaN(rows[1].Ratio) {
		t.Errorf("%+v", rows)
	}
	if s := SummarizePairs(rows); !math.IsNaN(s[0].ErrorRate) || !math.IsNaN(s[0].Least) {
		t.Errorf("%+v", s)
	}
	if rows, err = ComparePairs(context.Background(), l.Fresh, m, PairOptions{Baseline: true}); err != nil || len(rows) != 9 || rows[0].SWaS != nil || !math.IsNaN(rows[0].Ratio) {
		t.Errorf("%+v, %v", rows, err)
	}
}

func TestComparePairsErrors(t *testing.T) {
	l := open(t, "../../examples/basic/barrier/counting.toml")
	m := gpus.Preset(t, "vortex-32x32")
	one := PairOptions{Pairs: []Pair{{"lrr", "lrr"}}, Baseline: true}
	if _, err := ComparePairs(context.Background(), l.Fresh, gpus.Preset(t, "ecrts2025-200"), one); !errors.Is(err, sim.ErrConfig) || !strings.Contains(err.Error(), "has no front end") {
		t.Errorf("no front end: %v", err)
	}
	bad := one
	bad.Pairs = []Pair{{"lrr", "none"}}
	if _, err := ComparePairs(context.Background(), l.Fresh, m, bad); !errors.Is(err, sim.ErrConfig) {
		t.Errorf("no such policy: %v", err)
	}
	many := one
	many.BlocksPerSM = 100
	if _, err := ComparePairs(context.Background(), l.Fresh, m, many); err == nil || !strings.Contains(err.Error(), "100 resident blocks") {
		t.Errorf("too many blocks: %v", err)
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := ComparePairs(gone, l.Fresh, m, one); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	failing := errors.New("no kernel")
	if _, err := ComparePairs(context.Background(), func() (simt.Kernel, error) { return nil, failing }, m, one); !errors.Is(err, failing) {
		t.Errorf("no kernel: %v", err)
	}
}

// A swas with errors, or with queues that were not full, is not what it is for.
func TestBroken(t *testing.T) {
	for _, c := range []struct {
		stats sim.SchedulingStats
		want  bool
	}{
		{sim.SchedulingStats{Variant: gpu.SWaS}, false},
		{sim.SchedulingStats{Variant: gpu.SWaS, Discrepancies: 3}, false},
		{sim.SchedulingStats{Variant: gpu.SWaS, Errors: 1}, true},
		{sim.SchedulingStats{Variant: gpu.SWaS, BrokenQueueCycles: 1}, true},
		{sim.SchedulingStats{Variant: gpu.Baseline, Errors: 1, BrokenQueueCycles: 9}, false},
	} {
		if got := (&PairRun{SchedulingStats: c.stats}).Broken(); got != c.want {
			t.Errorf("%+v: %v", c.stats, got)
		}
	}
	rows := []PairRow{{SWaS: &PairRun{SchedulingStats: sim.SchedulingStats{Variant: gpu.SWaS, Errors: 2}}, Ratio: math.NaN()}}
	if s := SummarizePairs(rows); s[0].Broken != 1 || s[0].SWaSErrors != 2 {
		t.Errorf("%+v", s)
	}
}
