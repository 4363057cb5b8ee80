package report

import (
	"math"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/plot"
	"github.com/warpbound/warpbound/internal/sim"
)

func pairRows() []analysis.PairRow {
	run := func(variant, fetch, issue string, cycles, errors int64) *analysis.PairRun {
		return &analysis.PairRun{
			Cycles: cycles, WarpInstructions: 500, ThreadInstructions: 16000, IPC: 16000 / float64(cycles),
			SchedulingStats: sim.SchedulingStats{Variant: variant, FetchPolicy: fetch, IssuePolicy: issue, Discrepancies: errors + 5, Errors: errors, ErrorRate: float64(errors) / float64(cycles), NOPs: 7, ICacheHits: 90, ICacheMisses: 3},
		}
	}
	return []analysis.PairRow{
		{Launch: "a/one.toml", Kernel: "k", Pair: analysis.Pair{Fetch: "lrr", Issue: "gtlrr"}, Baseline: run(gpu.Baseline, "lrr", "gtlrr", 1000, 250), SWaS: run(gpu.SWaS, "gtlrr", "gtlrr", 2000, 0), Ratio: 0.5},
		{Launch: "a/one.toml", Kernel: "k", Pair: analysis.Pair{Fetch: "gtlo", Issue: "gtlrr"}, Baseline: run(gpu.Baseline, "gtlo", "gtlrr", 1600, 0), SWaS: run(gpu.SWaS, "gtlrr", "gtlrr", 2000, 0), Ratio: 0.8},
		{Launch: "two.toml", Kernel: "l", Pair: analysis.Pair{Fetch: "lrr", Issue: "gtlrr"}, Baseline: run(gpu.Baseline, "lrr", "gtlrr", 1600, 160), SWaS: run(gpu.SWaS, "gtlrr", "gtlrr", 800, 0), Ratio: 2},
	}
}

func vortex(t *testing.T) *gpu.Description {
	t.Helper()
	d, err := gpu.Preset("vortex-32x32")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestPairs(t *testing.T) {
	d, err := PairsOf(vortex(t), pairRows(), sim.L1None, true)
	if err != nil {
		t.Fatal(err)
	}
	if s := d.Summaries[0]; len(d.Summaries) != 2 || s.Rows != 2 || *s.Mean != 1.25 || math.Abs(*s.GeometricMean-1) > 1e-12 || *s.Least != 0.5 || *s.Largest != 2 ||
		*s.ErrorRate != 0.175 || *s.MaxErrorRate != 0.25 || s.BaselineErrors != 410 || s.Violations != 0 {
		t.Errorf("%+v", d.Summaries)
	}
	text := d.Document().Text()
	contains(t, text, "one     LRR-GTLRR     1,000  16.000            255     250     25.00 %        2,000     8.000     7          0.500")
	contains(t, text, "LRR-GTLRR           2                1.250      1.000  0.500    2.000           17.50 %  25.00 %     410               0")
	csv := d.Document().CSV()
	lines := strings.Split(strings.TrimSpace(csv), "\n")
	if len(lines) != 4 || strings.Count(lines[0], ",") != 30 || !strings.HasPrefix(lines[3], "two.toml,l,vortex-32x32,none,lrr,gtlrr,1600,500,16000,10.000000,165,160,0.100000,7,0,90,3,800,500,") || !strings.HasSuffix(lines[3], ",2.000000,,") {
		t.Errorf("%s", csv)
	}
	for _, format := range []string{plot.SVG, plot.PNG} {
		if drawn, err := PairsPlot(d, format); err != nil || len(drawn) == 0 {
			t.Errorf("%s: %v", format, err)
		}
	}
	if strings.Contains(text, "BROKEN") {
		t.Errorf("%s", text)
	}
}

// Where one variant was not asked for, its columns are empty and there is no ratio.
func TestPairsOfOneVariant(t *testing.T) {
	for _, without := range []string{gpu.Baseline, gpu.SWaS} {
		rows := pairRows()
		for i := range rows {
			rows[i].Ratio = math.NaN()
			if without == gpu.Baseline {
				rows[i].Baseline = nil
			} else {
				rows[i].SWaS = nil
			}
		}
		d, err := PairsOf(vortex(t), rows, sim.L1Dynamic, false)
		if err != nil {
			t.Fatal(err)
		}
		if s := d.Summaries[0]; d.Complete || d.L1Order != sim.L1Dynamic || d.Rows[0].Ratio != nil || s.Mean != nil || s.Least != nil || (s.ErrorRate == nil) != (without == gpu.Baseline) {
			t.Errorf("without %s: %+v", without, s)
		}
		contains(t, d.Document().Text(), "  -  ")
		contains(t, d.Document().CSV(), ",,,,")
		if _, err := PairsPlot(d, plot.SVG); err != nil {
			t.Errorf("without %s: %v", without, err)
		}
	}
	d, err := PairsOf(vortex(t), nil, sim.L1None, true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := PairsPlot(d, plot.SVG); err == nil {
		t.Error("a picture of nothing")
	}
}

// Times by replay stand in a column of their own, and those that differ are told.
func TestReplayedPairs(t *testing.T) {
	rows := pairRows()
	rows[0].Replay = &analysis.PairReplay{Cycles: 2000, Claimed: true}
	rows[1].Replay = &analysis.PairReplay{Refused: "no such thing"}
	rows[2].Replay = &analysis.PairReplay{Cycles: 801, Claimed: true}
	d, err := PairsOf(vortex(t), rows, sim.L1None, true)
	if err != nil {
		t.Fatal(err)
	}
	if *d.Rows[0].Replay.Cycles != 2000 || d.Rows[0].Replay.Violation || d.Rows[1].Replay.Cycles != nil || !d.Rows[2].Replay.Violation || d.Summaries[0].Violations != 1 || d.Summaries[1].Violations != 0 {
		t.Errorf("%+v, %+v", d.Rows, d.Summaries)
	}
	text := d.Document().Text()
	contains(t, text, "0.500           2,000\n")
	contains(t, text, "0.800               -\n")
	contains(t, text, "2.000             801  VIOLATED\n")
	contains(t, text, "no replay of one: no such thing\n")
	contains(t, d.Document().CSV(), ",2.000000,801,\n")
	rows[2].Replay.Claimed = false
	if d, err = PairsOf(vortex(t), rows, sim.L1None, true); err != nil || d.Summaries[0].Violations != 0 {
		t.Errorf("%+v, %v", d.Summaries, err)
	}
	contains(t, d.Document().Text(), "801  differs (not claimed for this input)\n")
}

// A swas that is not what it is for is told.
func TestBrokenPairs(t *testing.T) {
	rows := pairRows()
	rows[0].SWaS.Errors, rows[2].SWaS.BrokenQueueCycles = 3, 1
	d, err := PairsOf(vortex(t), rows, sim.L1None, true)
	if err != nil {
		t.Fatal(err)
	}
	if d.Summaries[0].Violations != 2 || d.Summaries[1].Violations != 0 || d.Summaries[0].SWaSErrors != 3 {
		t.Errorf("%+v", d.Summaries)
	}
	text := d.Document().Text()
	contains(t, text, "BROKEN: 3 errors, 0 cycles of queues not full")
	contains(t, text, "BROKEN: 0 errors, 1 cycle of queues not full")
}

func TestSchedulingText(t *testing.T) {
	m := &gpu.Machine{Desc: vortex(t)}
	r := &sim.Result{Model: sim.Frontend, Policy: "lrr-gtlrr", Cycles: 1000, SMs: 1, Schedulers: 1, Scheduling: &sim.SchedulingStats{
		Variant: gpu.Baseline, FetchPolicy: "lrr", IssuePolicy: "gtlrr", Discrepancies: 500, Errors: 250, ErrorRate: 0.25, NOPs: 1, Discarded: 10, ICacheHits: 800, ICacheMisses: 20, ThreadIPC: 12.5,
	}}
	text := simulationText(t, m, r, "")
	contains(t, text, "MODEL   frontend, baseline, fetch policy LRR, issue policy GTLRR\n")
	contains(t, text, "errors                      250  25.00 %")
	contains(t, text, "12.500 thread instructions a cycle, NOPs not counted\n")
	r.Scheduling.Variant = gpu.SWaS
	contains(t, simulationText(t, m, r, ""), "MODEL   frontend, swas, policy GTLRR for fetch and issue\n")
	r.Scheduling = nil
	if text := simulationText(t, m, r, ""); strings.Contains(text, "NOPs") {
		t.Errorf("%s", text)
	}
}
