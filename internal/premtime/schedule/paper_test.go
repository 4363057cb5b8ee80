package schedule_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warpbound/warpbound/internal/premtime/schedule"
)

// The figures of Forsberg2021, in nanoseconds.
const (
	paperSync    = 5_800  // Section 4.2.1: S measured
	paperTimer95 = 10_700 // Section 4.2.1: R_timer, 95 % of the cases
	paperTimer   = 17_000 // Section 4.2.1: R_timer, 99.9 % of the cases
)

func tiles(mem, comp schedule.Time, count int64) schedule.Input {
	return schedule.Input{
		Intervals: []schedule.Interval{{Mem: mem, Comp: comp, Count: count}},
		SyncTime:  paperSync,
		TimerTime: paperTimer,
	}
}

func must[T any](t interface {
	Helper()
	Fatal(...any)
}) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// Equation 2 has two cases; these are its values worked out by hand.
func TestEquation2(t *testing.T) {
	for _, c := range []struct {
		name       string
		mem, comp  schedule.Time
		share      schedule.Share
		wantMem    schedule.Time
		wantComp   schedule.Time
		wantIdle   schedule.Time
		wantRule   schedule.Rule
		wantLength schedule.Time
	}{
		// 60/100 <= 1: E_comp = 1 * T_mem
		{"memory sets the pace, fair", 100_000, 60_000, schedule.Share{Mem: 1, Comp: 1}, 100_000, 100_000, 40_000, schedule.RuleMemory, 211_600},
		// 100/60 > 1: E_mem = 1 * T_comp
		{"compute sets the pace, fair", 60_000, 100_000, schedule.Share{Mem: 1, Comp: 1}, 100_000, 100_000, 40_000, schedule.RuleCompute, 211_600},
		// 60/100 <= 7/3: E_comp = 7/3 * T_mem = 233333.3, rounded up
		{"GPU 30 %", 100_000, 60_000, schedule.Share{Mem: 3, Comp: 7}, 100_000, 233_334, 173_334, schedule.RuleMemory, 344_934},
		// 60/100 > 3/7: E_mem = 7/3 * T_comp = 140000
		{"GPU 70 %", 100_000, 60_000, schedule.Share{Mem: 7, Comp: 3}, 140_000, 60_000, 40_000, schedule.RuleCompute, 211_600},
		// 61/100 > 3/7: E_mem = 7/3 * 61000 = 142333.3, rounded down
		{"GPU 70 %, rounded", 100_000, 61_000, schedule.Share{Mem: 7, Comp: 3}, 142_333, 61_000, 42_333, schedule.RuleCompute, 214_933},
		// equality belongs to the first case, and nothing idles
		{"share as the phases", 100_000, 60_000, schedule.Share{Mem: 5, Comp: 3}, 100_000, 60_000, 0, schedule.RuleMemory, 171_600},
		// T_mem = 0 makes the quotient infinite: the second case
		{"no memory phase", 0, 60_000, schedule.Share{Mem: 1, Comp: 2}, 30_000, 60_000, 30_000, schedule.RuleCompute, 101_600},
		{"no compute phase", 60_000, 0, schedule.Share{Mem: 1, Comp: 2}, 60_000, 120_000, 120_000, schedule.RuleMemory, 191_600},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := must[schedule.Schedule](t)(schedule.WithShare(tiles(c.mem, c.comp, 10), c.share))
			want := schedule.Schedule{
				Method: schedule.MethodShare, Share: c.share, Rule: c.wantRule,
				WorstMem: c.mem, WorstComp: c.comp, BudgetMem: c.wantMem, BudgetComp: c.wantComp,
				Idle: c.wantIdle, Length: c.wantLength, WallLength: c.wantLength,
				Intervals: 10, WorkTotal: 10 * (c.mem + c.comp), ShareIdle: 10 * c.wantIdle,
				SyncTotal: 10 * 2 * paperSync, Total: 10 * c.wantLength, WallTotal: 10 * c.wantLength,
				SyncTime: paperSync, TimerTime: paperTimer,
			}
			if diff := cmp.Diff(want, s); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// Section 4.2.2: "it will always idle for half of the time", of a kernel in
// compatible intervals, whose compute phases are empty, under fair sharing.
func TestCompatibleIntervalsIdleHalf(t *testing.T) {
	for _, mem := range []schedule.Time{1, 999, 123_457} {
		s := must[schedule.Schedule](t)(schedule.Fair(tiles(mem, 0, 7)))
		if got := s.IdleOfBudgets(); got != (schedule.Ratio{Num: 1, Den: 2}) {
			t.Errorf("T_mem = %d: idle %v of the budgets, want 1/2", mem, got)
		}
	}
}

// Section 4.2.2 gives 1.2 % of idle time for convolution-2d under fair sharing and
// says that its phases are about equally long. By equations 2 and 3, and taken as
// a part of the budgets, it is that where one phase needs 97.6 % of the other one,
// whichever it is.
func TestConvolutionIdle(t *testing.T) {
	for _, in := range []schedule.Input{tiles(97_600, 100_000, 3), tiles(100_000, 97_600, 3)} {
		s := must[schedule.Schedule](t)(schedule.Fair(in))
		if got := s.IdleOfBudgets(); got != (schedule.Ratio{Num: 3, Den: 250}) {
			t.Errorf("idle %v, want 3/250", got)
		}
	}
}

// Section 3.3.1: the best case has I = 0 and E = T.
func TestBestCase(t *testing.T) {
	s := must[schedule.Schedule](t)(schedule.BestCase(tiles(30_000, 50_000, 4)))
	if s.BudgetMem != 30_000 || s.BudgetComp != 50_000 || s.Idle != 0 || s.ShareIdle != 0 || s.Rule != schedule.RuleNone {
		t.Errorf("%+v", s)
	}
	if s.Total != 4*(80_000+11_600) {
		t.Errorf("total %d", s.Total)
	}
	if s.Share != (schedule.Share{}) || s.MemShare() != (schedule.Ratio{Num: 3, Den: 8}) {
		t.Errorf("share %v, memory share %v", s.Share, s.MemShare())
	}
}

// Section 4.2.1: below R_timer the GPU waits for R_timer - T.
func TestWall(t *testing.T) {
	in := tiles(4_000, 12_000, 100)
	in.TimerTime = paperTimer95
	s := must[schedule.Schedule](t)(schedule.BestCase(in))
	want := []schedule.Warning{{
		Phase: schedule.MemoryPhase, Worst: 4_000, Budget: 4_000, Timer: 10_700, Wait: 6_700, Lost: 6_700,
	}}
	if diff := cmp.Diff(want, s.Warnings()); diff != "" {
		t.Errorf("95 %% (-want +got)\n%s", diff)
	}
	if s.Length != 27_600 || s.WallLength != 34_300 || s.Total != 2_760_000 || s.WallTotal != 3_430_000 {
		t.Errorf("95 %%: lengths %d %d, totals %d %d", s.Length, s.WallLength, s.Total, s.WallTotal)
	}

	in.TimerTime = paperTimer
	s = must[schedule.Schedule](t)(schedule.Fair(in))
	want = []schedule.Warning{
		{Phase: schedule.MemoryPhase, Worst: 4_000, Budget: 12_000, Timer: 17_000, Wait: 13_000, Lost: 5_000},
		{Phase: schedule.ComputePhase, Worst: 12_000, Budget: 12_000, Timer: 17_000, Wait: 5_000, Lost: 5_000},
	}
	if diff := cmp.Diff(want, s.Warnings()); diff != "" {
		t.Errorf("99.9 %% (-want +got)\n%s", diff)
	}
	if s.WallLength != 2*17_000+11_600 {
		t.Errorf("99.9 %%: length at the wall %d", s.WallLength)
	}

	// The GPU keeps memory for 17 of 57 parts of the time where 1/11 was asked for.
	skewed := must[schedule.Schedule](t)(schedule.WithShare(tiles(4_000, 12_000, 1), schedule.Share{Mem: 1, Comp: 10}))
	if skewed.MemShare() != (schedule.Ratio{Num: 1, Den: 11}) || skewed.WallMemShare() != (schedule.Ratio{Num: 17, Den: 57}) {
		t.Errorf("memory shares %v and %v", skewed.MemShare(), skewed.WallMemShare())
	}

	// A phase below the wall whose budget is above it costs nothing more.
	s = must[schedule.Schedule](t)(schedule.Fair(tiles(4_000, 20_000, 100)))
	want = []schedule.Warning{{
		Phase: schedule.MemoryPhase, Worst: 4_000, Budget: 20_000, Timer: 17_000, Wait: 13_000,
	}}
	if diff := cmp.Diff(want, s.Warnings()); diff != "" {
		t.Errorf("within the budget (-want +got)\n%s", diff)
	}
	if s.Length != s.WallLength {
		t.Errorf("lengths %d and %d differ", s.Length, s.WallLength)
	}

	// T = R_timer is no wall.
	s = must[schedule.Schedule](t)(schedule.BestCase(tiles(paperTimer, paperTimer, 1)))
	if w := s.Warnings(); len(w) != 0 {
		t.Errorf("warned at R_timer itself: %v", w)
	}
}

func TestRaiseToTimer(t *testing.T) {
	in := tiles(4_000, 2_000, 10)
	in.RaiseToTimer = true
	s := must[schedule.Schedule](t)(schedule.WithShare(in, schedule.Share{Mem: 1, Comp: 2}))
	if s.BudgetMem != 17_000 || s.BudgetComp != 34_000 || s.Idle != 51_000-6_000 || s.WorstMem != 4_000 {
		t.Errorf("%+v", s)
	}
	if s.Total != s.WallTotal {
		t.Errorf("totals %d and %d differ", s.Total, s.WallTotal)
	}
	for _, w := range s.Warnings() {
		if w.Lost != 0 {
			t.Errorf("%v", w)
		}
	}
}

// One pair of budgets for intervals that differ.
func TestIntervalsThatDiffer(t *testing.T) {
	in := tiles(100_000, 20_000, 8)
	in.Intervals = append(in.Intervals,
		schedule.Interval{Mem: 40_000, Comp: 50_000, Count: 1},
		schedule.Interval{Mem: 0, Comp: 10_000, Count: 1})
	s := must[schedule.Schedule](t)(schedule.Fair(in))
	want := schedule.Schedule{
		Method: schedule.MethodFair, Share: schedule.Share{Mem: 1, Comp: 1}, Rule: schedule.RuleMemory,
		WorstMem: 100_000, WorstComp: 50_000, BudgetMem: 100_000, BudgetComp: 100_000,
		Idle: 50_000, Length: 211_600, WallLength: 211_600, Intervals: 10,
		WorkTotal: 8*120_000 + 90_000 + 10_000, ShareIdle: 500_000,
		SpreadIdle: 8*30_000 + 60_000 + 140_000, SyncTotal: 116_000,
		Total: 2_116_000, WallTotal: 2_116_000, SyncTime: paperSync, TimerTime: paperTimer,
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := s.IdleOfBudgets(); got != (schedule.Ratio{Num: 47, Den: 100}) {
		t.Errorf("idle %v", got)
	}
	if got := s.IdleOfTotal(); got != (schedule.Ratio{Num: 235, Den: 529}) {
		t.Errorf("idle %v of the total", got)
	}
}

func TestSlowdown(t *testing.T) {
	s := must[schedule.Schedule](t)(schedule.Fair(tiles(4_000, 2_000, 10)))
	total, wall, err := s.Slowdown(80_000)
	if err != nil || total != (schedule.Ratio{Num: 49, Den: 20}) || wall != (schedule.Ratio{Num: 57, Den: 10}) {
		t.Errorf("%v %v %v", total, wall, err)
	}
	if p, err := total.ScaledUp(100); err != nil || p != 245 {
		t.Errorf("%d %% %v", p, err)
	}
	if p, err := total.ScaledUp(10); err != nil || p != 25 {
		t.Errorf("%d tenths %v, want 24.5 rounded up", p, err)
	}
}
