package crouzet2024

import (
	"bytes"
	"context"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/evaluation/internal/kit"

	"github.com/google/go-cmp/cmp"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/sim"
)

const frontAgain = "is out of date; run: go run ./evaluation crouzet2024"

// What the file says of the small kernels in every shape, and of psort as the
// paper's Table II has it, is what is simulated and replayed now. The other kernels
// take the same road; the command simulates all.
func TestFrontendIsUpToDate(t *testing.T) {
	shapes := frontShapes()
	one := shapes[0]
	one.pairs = []analysis.Pair{bestPair}
	b := newBench(root)
	small, err := b.frontends(shapes, []string{"hotspot", "sgemm"})
	if err != nil {
		t.Fatal(err)
	}
	large, err := b.frontends([]frontShape{one}, []string{"psort", "hotspot3d"})
	if err != nil {
		t.Fatal(err)
	}
	data := committed(t).frontend
	for _, x := range append(small, large...) {
		i := slices.IndexFunc(data, func(y fronted) bool {
			return x.GPU == y.GPU && x.Caches == y.Caches && x.Launch == y.Launch && x.Variant == y.Variant && x.Fetch == y.Fetch && x.Issue == y.Issue
		})
		if i < 0 {
			t.Errorf("%s %s\nno row for %+v", frontFile, frontAgain, x)
			continue
		}
		if d := cmp.Diff(data[i], x); d != "" {
			t.Errorf("%s %s\n%s", frontFile, frontAgain, d)
		}
	}
}

// The simulations of the page are those of compare pairs.
func TestFrontendIsThatOfCompare(t *testing.T) {
	b := newBench(root)
	m, err := b.Machine(vortex)
	if err != nil {
		t.Fatal(err)
	}
	data := committed(t)
	for _, on := range []frontMachine{constant, cachedDC} {
		opt := analysis.PairOptions{Baseline: true, SWaS: true}
		if on.caches {
			opt.L1Order = sim.L1Dynamic
		}
		l, err := b.Open(kernelFile("sgemm", on.form))
		if err != nil {
			t.Fatal(err)
		}
		if err := l.On(m.Desc); err != nil {
			t.Fatal(err)
		}
		rows, err := analysis.ComparePairs(context.Background(), l.Fresh, m, opt)
		if err != nil || len(rows) != 9 {
			t.Fatalf("%d rows, %v", len(rows), err)
		}
		for i := range rows {
			row := &rows[i]
			for variant, run := range map[string]*analysis.PairRun{gpu.Baseline: row.Baseline, gpu.SWaS: row.SWaS} {
				x := data.fronted(on, "sgemm", variant, row.Pair)
				if x.Cycles != run.Cycles || x.Errors != run.Errors || x.NOPs != run.NOPs || x.ipc() != run.IPC || x.errorRate() != run.ErrorRate {
					t.Errorf("%s, %s, %s: %+v, compare has %+v", on.name, variant, pairName(row.Pair), x, run)
				}
			}
			if got := data.swasRatio(on, "sgemm", row.Pair); got != row.Ratio {
				t.Errorf("%s, %s: %v, compare has %v", on.name, pairName(row.Pair), got, row.Ratio)
			}
		}
	}
}

// What the page says of all simulations: no error and no queue that is not full
// under swas, errors and causes that add up otherwise, IPC of at most a warp, and
// replays that are exact.
func TestFrontendHoldsWhatThePageSays(t *testing.T) {
	r := committed(t)
	want := 0
	for _, s := range frontShapes() {
		policies := map[string]bool{}
		for _, p := range s.pairs {
			policies[p.Issue] = true
		}
		want += len(frontKernels) * (len(s.pairs) + len(policies))
	}
	if len(r.frontend) != want {
		t.Errorf("%d rows, want %d", len(r.frontend), want)
	}
	instructions, replayed := map[string]int64{}, 0
	for i := range r.frontend {
		x := &r.frontend[i]
		name := x.Launch + " on " + x.GPU + ", " + x.Variant + " " + x.Fetch + "-" + x.Issue
		if swas := x.Variant == gpu.SWaS; swas && (x.Errors != 0 || x.Broken != 0 || x.NOPs == 0) || !swas && (x.Errors == 0 || x.NOPs != 0) {
			t.Errorf("%s: %d errors, %d NOPs, %d cycles with queues that are not full", name, x.Errors, x.NOPs, x.Broken)
		}
		if got := x.LackAfterBranch + x.LackFetch + x.LackFlight + x.LackNothing; got != x.Errors {
			t.Errorf("%s: %d errors, %d explained", name, x.Errors, got)
		}
		if x.OtherStalls < 0 || x.ipc() > 32 || x.Thread > 32*x.Warp || x.Loads == 0 || x.LoadCycles == 0 {
			t.Errorf("%s: %+v", name, x)
		}
		if was, ok := instructions[x.Launch]; ok && was != x.Warp {
			t.Errorf("%s: %d instructions, %d before", name, x.Warp, was)
		}
		instructions[x.Launch] = x.Warp
		if x.Replay > 0 {
			replayed++
		}
		if want := x.Variant == gpu.SWaS && strings.Contains(x.Launch, ptx); want != (x.AnyPolicy > 0) || want && x.AnyPolicy < x.Cycles {
			t.Errorf("%s: bound %d for every policy, simulated in %d", name, x.AnyPolicy, x.Cycles)
		}
		if x.Caches == "yes" && x.Replay != 0 || x.Caches == "" && x.Replay != x.Cycles {
			t.Errorf("%s: replayed in %d cycles, simulated in %d", name, x.Replay, x.Cycles)
		}
	}
	if replayed != 288 {
		t.Errorf("%d replays", replayed)
	}
}

// The shape of Crouzet2024: psort loses most by swas, and nothing else as much; of
// fetch policies LRR is fastest and GTLO slowest for psort; and where memory is
// what takes time, no other kernel loses more than three percent.
func TestFrontendHasTheShapeOfThePaper(t *testing.T) {
	r := committed(t)
	for _, k := range frontKernels {
		ratio := r.swasRatio(narrow, k, bestPair)
		if k == "psort" && ratio > 0.75 || k != "psort" && (ratio < 0.97 || ratio > 1.08) {
			t.Errorf("%s: swas over baseline %.3f with four lanes", k, ratio)
		}
	}
	// The loop of psort leaves no cycle for NOPs: it takes as much longer as it has
	// NOPs, as many as the queue is long.
	for gpu, entries := range map[string]float64{vortex: 4, frontFactors[2].GPU: 2, frontFactors[3].GPU: 8} {
		if got, want := r.swasRatio(frontMachine{gpu: gpu}, "psort", bestPair), 10/(10+entries); math.Abs(got-want) > 0.005 {
			t.Errorf("psort on %s: swas over baseline %.4f, want %.4f", gpu, got, want)
		}
	}
	for _, on := range []frontMachine{constant, cachedDC} {
		for _, issue := range []string{"lrr", "gtlrr", "gtlo"} {
			ipc := func(fetch string) float64 {
				return r.fronted(on, "psort", gpu.Baseline, analysis.Pair{Fetch: fetch, Issue: issue}).ipc()
			}
			if ipc("lrr") < ipc("gtlrr") || ipc("gtlrr") < ipc("gtlo") {
				t.Errorf("psort, %s, issue %s: %.2f, %.2f, %.2f", on.name, issue, ipc("lrr"), ipc("gtlrr"), ipc("gtlo"))
			}
		}
	}
}

// The paper's loss for psort is that of a loop of 15 instructions with two taken
// branches.
func TestSecondBranch(t *testing.T) {
	m, err := newBench(root).Machine(vortex)
	if err != nil {
		t.Fatal(err)
	}
	l, err := load.Open(filepath.Join("testdata", "psort-jump.toml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := l.On(m.Desc); err != nil {
		t.Fatal(err)
	}
	rows, err := analysis.ComparePairs(context.Background(), l.Fresh, m, analysis.PairOptions{
		Pairs: []analysis.Pair{bestPair, worstPair}, Baseline: true, SWaS: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{0.65, 0.61} {
		if r := &rows[i]; math.Abs(r.Ratio-want) > 0.005 || r.Baseline.WarpInstructions/(32*1024) != 15 {
			t.Errorf("%s: swas over baseline %.4f, want %.2f; %d instructions", pairName(r.Pair), r.Ratio, want, r.Baseline.WarpInstructions)
		}
	}
}

// Where the page says that GTLO lets warps end one after another: psort, under SWaS
// from a fifth of the time on, and in the baseline one warp long after all others.
func TestOldestFirstEndsOneByOne(t *testing.T) {
	b := newBench(root)
	m, err := b.Machine(vortex)
	if err != nil {
		t.Fatal(err)
	}
	l, err := b.Open(kernelFile("psort", elf))
	if err != nil {
		t.Fatal(err)
	}
	if err := l.On(m.Desc); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		variant, fetch string
		first, lastBut int64 // percent of the time
	}{{gpu.SWaS, "gtlo", 20, 98}, {gpu.Baseline, "lrr", 77, 77}} {
		k, err := l.Fresh()
		if err != nil {
			t.Fatal(err)
		}
		timing, err := m.Resolve(k.Program())
		if err != nil {
			t.Fatal(err)
		}
		got, err := sim.Run(context.Background(), sim.Config{
			Machine: m, Model: sim.FrontModel{Variant: c.variant, FetchPolicy: c.fetch, IssuePolicy: "gtlo"}, BlocksPerSM: 1, KeepBlocks: true, KeepWarps: true,
		}, k, timing)
		if err != nil {
			t.Fatal(err)
		}
		var ends []int64
		for _, w := range got.BlockTimes[0].Warps {
			ends = append(ends, w.EndCycle*100/got.Cycles)
		}
		slices.Sort(ends)
		if ends[0] != c.first || ends[len(ends)-2] != c.lastBut {
			t.Errorf("%s: warps end after %d %% of the time", c.variant, ends)
		}
	}
}

func TestFrontRowsSurviveTheFile(t *testing.T) {
	row := fronted{GPU: "g a=1", Caches: "yes", Launch: "l", Variant: "v", Fetch: "f", Issue: "i", Method: "m"}
	for i, n := range row.numbers() {
		*n = int64(i * 7)
	}
	text := encodeFronted([]fronted{row})
	got, err := kit.Decode(text, frontHeader, decodeFronted)
	if err != nil || len(got) != 1 || got[0] != row {
		t.Errorf("%+v, %v, want %+v", got, err, row)
	}
	if _, err := kit.Decode(bytes.Replace(text, []byte("133"), []byte("many"), 1), frontHeader, decodeFronted); err == nil {
		t.Error("a word for a number: no error")
	}
}

// An error is laid to what the passed over warp lacks.
func TestFrontWatch(t *testing.T) {
	b := newBench(root)
	m, err := b.Machine(vortex)
	if err != nil {
		t.Fatal(err)
	}
	l, err := b.Open(kernelFile("sgemm", elf))
	if err != nil {
		t.Fatal(err)
	}
	w := newFrontWatch(m.Desc, l.Program())
	at := func(slot int) sim.Place { return sim.Place{Slot: slot} }
	missed := func(cycle int64, slot, expected int) {
		w.Discrepancy(sim.DiscrepancyEvent{Cycle: cycle, Slot: slot, Intended: expected, Expected: expected})
	}
	w.Fetch(sim.FetchEvent{Place: at(1), Cycle: 4, Miss: true, AvailableCycle: sim.Unknown})
	missed(5, 0, 1) // not requested
	w.Fetch(sim.FetchEvent{Place: at(1), Cycle: 6, AvailableCycle: 10})
	missed(9, 0, 1)  // on its way
	missed(10, 0, 1) // there
	missed(10, 1, 1) // no error
	missed(10, 1, -1)
	w.Issue(sim.IssueEvent{Place: at(1), Cycle: 11})
	missed(12, 0, 1) // not requested
	w.Redirect(sim.RedirectEvent{Place: at(1), Cycle: 20, NextPC: 3})
	missed(30, 0, 1) // after the branch
	w.Fetch(sim.FetchEvent{Place: at(1), Cycle: 31, AvailableCycle: 35})
	missed(32, 0, 1) // after the branch
	w.Redirect(sim.RedirectEvent{Place: at(1), Cycle: 40, NextPC: -1})
	missed(41, 0, 1) // not requested
	// One issue within 32 cycles before the branch, none after.
	if got := w.idleAfter(); got != afterBranchCycles {
		t.Errorf("%d cycles without an instruction after a branch", got)
	}
	want := [5]int64{1, 2, 3, 1, 2}
	if got := [5]int64{w.taken, w.afterBranch, w.notRequested, w.inFlight, w.nothing}; got != want {
		t.Errorf("taken, after branch, not requested, on its way, nothing: %v, want %v", got, want)
	}
}

func TestNoFrontendOfAMachineWithout(t *testing.T) {
	if _, err := newBench(root).frontends([]frontShape{{gpu: "gtx480", pairs: []analysis.Pair{bestPair}}}, []string{"sgemm"}); err == nil {
		t.Error("no error")
	}
	if _, err := newBench(root).frontends(frontShapes()[:1], []string{"none"}); err == nil {
		t.Error("no error")
	}
}
