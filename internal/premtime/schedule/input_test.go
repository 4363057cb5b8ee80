package schedule_test

import (
	"errors"
	"math"
	"testing"

	"github.com/warpbound/warpbound/internal/premtime/schedule"
)

// fails checks that an error is there, is of the wanted kind and reads as wanted.
func fails(t *testing.T, err error, overflow bool, want string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %q", want)
	}
	var input *schedule.InputError
	if errors.Is(err, schedule.ErrOverflow) != overflow || errors.As(err, &input) == overflow {
		t.Errorf("wrong kind of error: %#v", err)
	}
	if err.Error() != want {
		t.Errorf("got  %q\nwant %q", err, want)
	}
}

func TestBadInput(t *testing.T) {
	half := schedule.Share{Mem: 1, Comp: 1}
	good := func() schedule.Input { return tiles(10, 20, 3) }
	for _, c := range []struct {
		name     string
		change   func(*schedule.Input, *schedule.Share)
		overflow bool
		want     string
	}{
		{"no intervals", func(in *schedule.Input, _ *schedule.Share) { in.Intervals = nil }, false,
			"schedule: intervals: are none, expected at least one"},
		{"no work", func(in *schedule.Input, _ *schedule.Share) { in.Intervals[0].Mem, in.Intervals[0].Comp = 0, 0 }, false,
			"schedule: intervals: have no worst-case time above 0, expected one at least"},
		{"negative memory phase", func(in *schedule.Input, _ *schedule.Share) { in.Intervals[0].Mem = -1 }, false,
			"schedule: intervals[0].mem: is -1, expected 0 or more"},
		{"negative compute phase", func(in *schedule.Input, _ *schedule.Share) {
			in.Intervals = append(in.Intervals, schedule.Interval{Mem: 1, Comp: -5, Count: 1})
		}, false,
			"schedule: intervals[1].comp: is -5, expected 0 or more"},
		{"no count", func(in *schedule.Input, _ *schedule.Share) { in.Intervals[0].Count = 0 }, false,
			"schedule: intervals[0].count: is 0, expected 1 or more"},
		{"negative S", func(in *schedule.Input, _ *schedule.Share) { in.SyncTime = -1 }, false,
			"schedule: sync time: is -1, expected 0 or more"},
		{"negative R_timer", func(in *schedule.Input, _ *schedule.Share) { in.TimerTime = math.MinInt64 }, false,
			"schedule: timer time: is -9223372036854775808, expected 0 or more"},
		{"negative last memory phase", func(in *schedule.Input, _ *schedule.Share) { in.LastMem = -2 }, false,
			"schedule: last memory phase: is -2, expected 0 or more"},
		{"GPU without a share", func(_ *schedule.Input, p *schedule.Share) { p.Mem = 0 }, false,
			"schedule: share.mem: is 0, expected a positive number of parts"},
		{"CPU without a share", func(_ *schedule.Input, p *schedule.Share) { p.Comp = 0 }, false,
			"schedule: share.comp: is 0, expected a positive number of parts"},
		{"negative share", func(_ *schedule.Input, p *schedule.Share) { p.Comp = -3 }, false,
			"schedule: share.comp: is -3, expected a positive number of parts"},
		{"share too large", func(_ *schedule.Input, p *schedule.Share) { p.Mem = math.MaxInt64 }, true,
			"schedule: share mem+comp: beyond 64 bits"},
		{"interval too long", func(in *schedule.Input, _ *schedule.Share) { in.Intervals[0].Mem = math.MaxInt64 }, true,
			"schedule: work of an interval: beyond 64 bits"},
		{"kernel too long", func(in *schedule.Input, _ *schedule.Share) { in.Intervals[0].Count = math.MaxInt64 / 10 }, true,
			"schedule: work of the kernel: beyond 64 bits"},
		{"work sums too high", func(in *schedule.Input, _ *schedule.Share) {
			in.Intervals = append(in.Intervals, schedule.Interval{Mem: math.MaxInt64, Count: 1})
		}, true,
			"schedule: work of the kernel: beyond 64 bits"},
		{"too many intervals", func(in *schedule.Input, _ *schedule.Share) {
			in.Intervals = append(in.Intervals, schedule.Interval{Count: math.MaxInt64})
		}, true,
			"schedule: number of intervals: beyond 64 bits"},
		{"S too long", func(in *schedule.Input, _ *schedule.Share) { in.SyncTime = math.MaxInt64/2 + 1 }, true,
			"schedule: synchronisations of an interval: beyond 64 bits"},
		{"length too long", func(in *schedule.Input, _ *schedule.Share) { in.SyncTime = math.MaxInt64 / 2 }, true,
			"schedule: length of an interval: beyond 64 bits"},
		{"length at the wall too long", func(in *schedule.Input, _ *schedule.Share) { in.TimerTime = math.MaxInt64/2 + 1 }, true,
			"schedule: length of an interval: beyond 64 bits"},
		{"kernel too long with synchronisations", func(in *schedule.Input, _ *schedule.Share) { in.SyncTime = math.MaxInt64 / 5 }, true,
			"schedule: length of the kernel: beyond 64 bits"},
		{"compute budget too long", func(in *schedule.Input, p *schedule.Share) {
			in.Intervals[0].Mem, p.Comp = 1<<40, 1<<30
		}, true,
			"schedule: compute budget: beyond 64 bits"},
		{"compute budget of 2^64", func(in *schedule.Input, p *schedule.Share) {
			in.Intervals[0].Mem, p.Mem, p.Comp = 1<<40, 64, 1<<30
		}, true,
			"schedule: compute budget: beyond 64 bits"},
		{"memory budget too long", func(in *schedule.Input, p *schedule.Share) {
			in.Intervals[0].Comp, p.Mem = 1<<40, 1<<30
		}, true,
			"schedule: memory budget: beyond 64 bits"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in, p := good(), half
			c.change(&in, &p)
			s, err := schedule.WithShare(in, p)
			fails(t, err, c.overflow, c.want)
			if s != (schedule.Schedule{}) {
				t.Errorf("a schedule beside the error: %+v", s)
			}
			if p == half {
				_, err = schedule.Fair(in)
				fails(t, err, c.overflow, c.want)
			}
		})
	}
}

func TestBadInputOfTheOthers(t *testing.T) {
	_, err := schedule.BestCase(schedule.Input{})
	fails(t, err, false, "schedule: intervals: are none, expected at least one")

	s := must[schedule.Schedule](t)(schedule.Fair(tiles(1, 1, 1)))
	_, _, err = s.Slowdown(0)
	fails(t, err, false, "schedule: base time: is 0, expected a positive time")
	_, err = schedule.Ratio{Num: 1, Den: 2}.ScaledUp(0)
	fails(t, err, false, "schedule: scale: is 0, expected a positive number")
	_, err = schedule.Ratio{}.ScaledUp(100)
	fails(t, err, false, "schedule: ratio: 0/0 is not a ratio")
	_, err = schedule.Ratio{Num: math.MaxInt64, Den: 2}.ScaledUp(100)
	fails(t, err, true, "schedule: scaled ratio: beyond 64 bits")

	_, err = schedule.FromCycles(-1, 1)
	fails(t, err, false, "schedule: cycles: is -1, expected 0 or more")
	_, err = schedule.FromNanoseconds(-1, 1)
	fails(t, err, false, "schedule: nanoseconds: is -1, expected 0 or more")
	_, err = schedule.FromCycles(1, 0)
	fails(t, err, false, "schedule: hertz: is 0, expected a positive frequency")
	_, err = schedule.FromCycles(math.MaxInt64, 1)
	fails(t, err, true, "schedule: cycles in nanoseconds: beyond 64 bits")
	_, err = schedule.FromNanoseconds(math.MaxInt64, 1_000_000_001)
	fails(t, err, true, "schedule: nanoseconds in cycles: beyond 64 bits")
	// (2^64-1)/2 is 2^63-1 and a half: only rounding it up does not fit.
	_, err = schedule.Ratio{Num: math.MaxUint64 / 3, Den: 2}.ScaledUp(3)
	fails(t, err, true, "schedule: scaled ratio: beyond 64 bits")
}

// Whatever fits in 64 bits is scheduled, also where products on the way do not fit.
func TestLargestTimes(t *testing.T) {
	const most = math.MaxInt64
	s := must[schedule.Schedule](t)(schedule.Fair(schedule.Input{
		Intervals: []schedule.Interval{{Mem: most / 2, Count: 1}},
	}))
	if s.Total != most-1 || s.Idle != most/2 {
		t.Errorf("%+v", s)
	}
	s = must[schedule.Schedule](t)(schedule.WithShare(schedule.Input{
		Intervals: []schedule.Interval{{Mem: 1, Comp: 1 << 61, Count: 2}},
	}, schedule.Share{Mem: 1<<61 - 1, Comp: 1 << 61}))
	if s.BudgetMem != 1<<61-1 || s.BudgetComp != 1<<61 || s.Total != most-1 {
		t.Errorf("%+v", s)
	}
	// The two products of the inequality are 2^64 and 0, equal in their low halves.
	s = must[schedule.Schedule](t)(schedule.WithShare(schedule.Input{
		Intervals: []schedule.Interval{{Comp: 1 << 32, Count: 1}},
	}, schedule.Share{Mem: 1 << 32, Comp: 1 << 32}))
	if s.Rule != schedule.RuleCompute || s.BudgetMem != 1<<32 || s.BudgetComp != 1<<32 {
		t.Errorf("%+v", s)
	}
}

// The last memory phase counts for the budgets, and for no sum.
func TestLastMemoryPhase(t *testing.T) {
	in := tiles(10, 20, 3)
	in.LastMem = 15
	s := must[schedule.Schedule](t)(schedule.BestCase(in))
	if s.BudgetMem != 15 || s.BudgetComp != 20 || s.WorkTotal != 90 || s.Intervals != 3 || s.Total != 3*(35+2*in.SyncTime) || s.SpreadIdle != 15 {
		t.Errorf("%+v", s)
	}
	if s = must[schedule.Schedule](t)(schedule.WithShare(in, schedule.Share{Mem: 1, Comp: 2})); s.BudgetMem != 15 || s.BudgetComp != 30 {
		t.Errorf("%+v", s)
	}
}

// Values that no constructor made give no quotient, and no panic.
func TestZeroValues(t *testing.T) {
	var s schedule.Schedule
	total, wall, err := s.Slowdown(1)
	if err != nil || total != (schedule.Ratio{Num: 0, Den: 1}) || wall != total {
		t.Errorf("%v %v %v", total, wall, err)
	}
	for _, r := range []schedule.Ratio{
		s.IdleOfBudgets(), s.IdleOfTotal(), s.MemShare(), s.WallMemShare(), s.Share.PMem(),
	} {
		if r != (schedule.Ratio{}) {
			t.Errorf("%v of nothing", r)
		}
	}
	if w := s.Warnings(); len(w) != 0 {
		t.Errorf("%v", w)
	}
}

func TestShares(t *testing.T) {
	for _, c := range []struct {
		text string
		want schedule.Share
	}{
		{"1:1", schedule.Share{Mem: 1, Comp: 1}},
		{"30:70", schedule.Share{Mem: 3, Comp: 7}},
		{"3/10", schedule.Share{Mem: 3, Comp: 7}},
		{"50%", schedule.Share{Mem: 1, Comp: 1}},
		{"30%:70%", schedule.Share{Mem: 3, Comp: 7}},
		{"12.5%", schedule.Share{Mem: 1, Comp: 7}},
		{"12.5%:87.50%", schedule.Share{Mem: 1, Comp: 7}},
		{"0.000001%", schedule.Share{Mem: 1, Comp: 99_999_999}},
		{"4611686018427387903:4611686018427387904", schedule.Share{Mem: 1<<62 - 1, Comp: 1 << 62}},
	} {
		got, err := schedule.ParseShare(c.text)
		if err != nil || got != c.want {
			t.Errorf("%q: %v, %v, want %v", c.text, got, err, c.want)
		}
	}
}

func TestBadShares(t *testing.T) {
	for _, c := range []struct {
		text     string
		overflow bool
		want     string
	}{
		{"", false, `schedule: share: "" is no share, expected one like "3:7", "3/10", "30%" or "30%:70%"`},
		{"0.3", false, `schedule: share: "0.3" is no share, expected one like "3:7", "3/10", "30%" or "30%:70%"`},
		{":", false, `schedule: share: ":" lacks a number`},
		{"3:", false, `schedule: share: "3:" lacks a number`},
		{"%", false, `schedule: share: "%" lacks a number`},
		{"/3", false, `schedule: share: "/3" lacks a number`},
		{"3/", false, `schedule: share: "3/" lacks a number`},
		{"0:1", false, `schedule: share: "0:1" has a zero part, expected positive ones`},
		{"1:0", false, `schedule: share: "1:0" has a zero part, expected positive ones`},
		{"0/5", false, `schedule: share: "0/5" has a zero part, expected positive ones`},
		{"0%", false, `schedule: share: "0%" has a zero part, expected positive ones`},
		{"0%:100%", false, `schedule: share: "0%:100%" has a zero part, expected positive ones`},
		{"100%:0%", false, `schedule: share: "100%:0%" has a zero part, expected positive ones`},
		{"-3:7", false, `schedule: share: "-3:7" has a negative part, expected positive ones`},
		{"3:-7", false, `schedule: share: "3:-7" has a negative part, expected positive ones`},
		{"-30%", false, `schedule: share: "-30%" has a negative part, expected positive ones`},
		{"30%:60%", false, `schedule: share: "30%:60%" does not sum to 100%`},
		{"60%:60%", false, `schedule: share: "60%:60%" does not sum to 100%`},
		{"30%:70", false, `schedule: share: "30%:70" mixes percent and parts`},
		{"100%", false, `schedule: share: "100%" leaves the CPU no share, expected less than 100%`},
		{"100.1%", false, `schedule: share: "100.1%" is above 100%`},
		{"3/3", false, `schedule: share: "3/3" leaves the CPU no share, expected a fraction below 1`},
		{"4/3", false, `schedule: share: "4/3" leaves the CPU no share, expected a fraction below 1`},
		{"1:2:3", false, `schedule: share: "1:2:3" has "2:3" where a whole number was expected`},
		{"0.5:1", false, `schedule: share: "0.5:1" has "0.5" where a whole number was expected`},
		{"3/x", false, `schedule: share: "3/x" has "x" where a whole number was expected`},
		{"x%", false, `schedule: share: "x%" has "x" where a whole number was expected`},
		{"1.x%", false, `schedule: share: "1.x%" has "x" where a whole number was expected`},
		{"x%:1%", false, `schedule: share: "x%:1%" has "x" where a whole number was expected`},
		{"1%:x%", false, `schedule: share: "1%:x%" has "x" where a whole number was expected`},
		{"5.%", false, `schedule: share: "5.%" has a percentage with 0 decimals, expected 1 to 6 after the point`},
		{"5.1234567%", false, `schedule: share: "5.1234567%" has a percentage with 7 decimals, expected 1 to 6 after the point`},
		{"9223372036854775808:1", true, `schedule: share "9223372036854775808:1": beyond 64 bits`},
		{"9223372036854775807:1", true, `schedule: share mem+comp: beyond 64 bits`},
	} {
		s, err := schedule.ParseShare(c.text)
		fails(t, err, c.overflow, c.want)
		if s != (schedule.Share{}) {
			t.Errorf("%q: a share beside the error: %v", c.text, s)
		}
	}
	if _, err := schedule.NewShare(-1, 2); err == nil {
		t.Error("a negative share was taken")
	}
}

func TestNames(t *testing.T) {
	s := must[schedule.Schedule](t)(schedule.Fair(tiles(4_000, 20_000, 1)))
	for _, c := range [][2]string{
		{schedule.MethodBestCase.String(), "best-case"},
		{schedule.MethodFair.String(), "fair"},
		{schedule.MethodShare.String(), "share"},
		{schedule.Method(9).String(), "method 9"},
		{schedule.RuleNone.String(), "none"},
		{schedule.RuleMemory.String(), "T_comp/T_mem <= p_comp/p_mem"},
		{schedule.RuleCompute.String(), "T_comp/T_mem > p_comp/p_mem"},
		{schedule.Rule(9).String(), "rule 9"},
		{schedule.ComputePhase.String(), "compute"},
		{schedule.Phase(9).String(), "phase 9"},
		{s.Warnings()[0].String(), "synchronisation wall: the memory phase needs 4000, the timer 17000 to respond; waits 13000 an interval, within the budget of 20000"},
	} {
		if c[0] != c[1] {
			t.Errorf("%q, want %q", c[0], c[1])
		}
	}
	s = must[schedule.Schedule](t)(schedule.BestCase(tiles(4_000, 20_000, 1)))
	const want = "synchronisation wall: the memory phase needs 4000, the timer 17000 to respond; waits 13000 an interval, 13000 of it beyond the budget of 4000"
	if got := s.Warnings()[0].String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := (schedule.Ratio{Num: 1, Den: 4}).Float64(); got != 0.25 {
		t.Errorf("%v", got)
	}
}
