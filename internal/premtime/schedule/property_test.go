package schedule_test

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/warpbound/warpbound/internal/premtime/schedule"
)

func drawTime(t *rapid.T, name string) schedule.Time {
	top := rapid.SampledFrom([]int64{2, 20, 1_000, 1_000_000_000}).Draw(t, name+" up to")
	return schedule.Time(rapid.Int64Range(0, top).Draw(t, name))
}

func drawShare(t *rapid.T) schedule.Share {
	top := rapid.SampledFrom([]int64{2, 12, 100_000}).Draw(t, "share up to")
	return schedule.Share{
		Mem:  rapid.Int64Range(1, top).Draw(t, "p_mem"),
		Comp: rapid.Int64Range(1, top).Draw(t, "p_comp"),
	}
}

func drawInput(t *rapid.T) schedule.Input {
	in := schedule.Input{
		SyncTime:     drawTime(t, "S"),
		TimerTime:    drawTime(t, "R_timer"),
		RaiseToTimer: rapid.Bool().Draw(t, "raise"),
		LastMem:      drawTime(t, "last memory phase"),
	}
	for range rapid.IntRange(1, 4).Draw(t, "intervals") {
		in.Intervals = append(in.Intervals, schedule.Interval{
			Mem: drawTime(t, "mem"), Comp: drawTime(t, "comp"), Count: rapid.Int64Range(1, 50).Draw(t, "count"),
		})
	}
	in.Intervals[0].Mem = max(in.Intervals[0].Mem, 1-in.Intervals[0].Comp)
	return in
}

// worst gives what equation 2 takes for T_mem and T_comp.
func worst(in schedule.Input) (mem, comp schedule.Time) {
	mem = in.LastMem
	for _, v := range in.Intervals {
		mem, comp = max(mem, v.Mem), max(comp, v.Comp)
	}
	if in.RaiseToTimer {
		mem, comp = max(mem, in.TimerTime), max(comp, in.TimerTime)
	}
	return mem, comp
}

func rat(num, den int64) *big.Rat { return big.NewRat(num, den) }

// exactBudgets is equation 2 as it is printed, over the rationals.
func exactBudgets(mem, comp schedule.Time, p schedule.Share) (eMem, eComp *big.Rat) {
	tMem, tComp := rat(int64(mem), 1), rat(int64(comp), 1)
	if mem > 0 && new(big.Rat).Quo(tComp, tMem).Cmp(rat(p.Comp, p.Mem)) <= 0 {
		return tMem, new(big.Rat).Mul(rat(p.Comp, p.Mem), tMem)
	}
	return new(big.Rat).Mul(rat(p.Mem, p.Comp), tComp), tComp
}

func TestBudgetsAreEquation2(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, p := drawInput(t), drawShare(t)
		s := must[schedule.Schedule](t)(schedule.WithShare(in, p))
		mem, comp := worst(in)
		if s.BudgetMem < mem || s.BudgetComp < comp {
			t.Fatalf("budgets %d, %d do not cover %d, %d", s.BudgetMem, s.BudgetComp, mem, comp)
		}
		eMem, eComp := exactBudgets(mem, comp, p)
		below := new(big.Rat).Sub(eMem, rat(int64(s.BudgetMem), 1))
		above := new(big.Rat).Sub(rat(int64(s.BudgetComp), 1), eComp)
		for _, d := range []*big.Rat{below, above} {
			if d.Sign() < 0 || d.Cmp(rat(1, 1)) >= 0 {
				t.Fatalf("budgets %d, %d, exact ones %v, %v", s.BudgetMem, s.BudgetComp, eMem, eComp)
			}
		}
		if got, most := s.MemShare(), p.PMem(); got.Cmp(most) > 0 {
			t.Fatalf("memory share %v above %v", got, most)
		}
		closedMem := max(int64(mem), int64(comp)*p.Mem/p.Comp)
		closedComp := max(int64(comp), (int64(mem)*p.Comp+p.Mem-1)/p.Mem)
		if int64(s.BudgetMem) != closedMem || int64(s.BudgetComp) != closedComp {
			t.Fatalf("budgets %d, %d, closed form %d, %d", s.BudgetMem, s.BudgetComp, closedMem, closedComp)
		}
	})
}

func TestTotalsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		var s schedule.Schedule
		switch rapid.IntRange(0, 2).Draw(t, "method") {
		case 0:
			s = must[schedule.Schedule](t)(schedule.BestCase(in))
		case 1:
			s = must[schedule.Schedule](t)(schedule.Fair(in))
		case 2:
			s = must[schedule.Schedule](t)(schedule.WithShare(in, drawShare(t)))
		}
		if s.Idle < 0 || s.ShareIdle < 0 || s.SpreadIdle < 0 {
			t.Fatalf("negative idle time: %+v", s)
		}
		if s.Total != s.WorkTotal+s.ShareIdle+s.SpreadIdle+s.SyncTotal {
			t.Fatalf("parts do not sum to the total: %+v", s)
		}
		if total, wall := play(in, s.BudgetMem, s.BudgetComp); total != s.Total || wall != s.WallTotal {
			t.Fatalf("played %d and %d: %+v", total, wall, s)
		}
		var lost schedule.Time
		for _, w := range s.Warnings() {
			lost += w.Lost
		}
		if s.WallLength != s.Length+lost {
			t.Fatalf("lengths %d and %d, lost %d", s.Length, s.WallLength, lost)
		}
		if in.RaiseToTimer && (s.Total != s.WallTotal || s.MemShare() != s.WallMemShare()) {
			t.Fatalf("raised budgets below the timer: %+v", s)
		}
	})
}

// play walks the kernel interval by interval. A phase lasts until the timer fires,
// or as long as its work if that is longer, which would be a missed hand-over; the
// timer fires when the budget is over, in the second figure not before R_timer.
func play(in schedule.Input, mem, comp schedule.Time) (total, wall schedule.Time) {
	for _, v := range in.Intervals {
		for range v.Count {
			for _, p := range [2][2]schedule.Time{{v.Mem, mem}, {v.Comp, comp}} {
				total += max(p[0], p[1]) + in.SyncTime
				wall += max(p[0], p[1], in.TimerTime) + in.SyncTime
			}
		}
	}
	return total, wall
}

func TestFairIsHalf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		fair := must[schedule.Schedule](t)(schedule.Fair(in))
		half := must[schedule.Schedule](t)(schedule.WithShare(in, schedule.Share{Mem: 1, Comp: 1}))
		half.Method = schedule.MethodFair
		if fair != half {
			t.Fatalf("fair %+v, half %+v", fair, half)
		}
		mem, comp := worst(in)
		if fair.BudgetMem != max(mem, comp) || fair.BudgetComp != fair.BudgetMem {
			t.Fatalf("budgets %d, %d of %d, %d", fair.BudgetMem, fair.BudgetComp, mem, comp)
		}
	})
}

func TestScheduleIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, p := drawInput(t), drawShare(t)
		more := in
		more.Intervals = append([]schedule.Interval(nil), in.Intervals...)
		i := rapid.IntRange(0, len(in.Intervals)-1).Draw(t, "which")
		more.Intervals[i].Mem += drawTime(t, "more mem")
		more.Intervals[i].Comp += drawTime(t, "more comp")
		more.Intervals[i].Count += rapid.Int64Range(0, 3).Draw(t, "more intervals")
		more.SyncTime += drawTime(t, "more S")
		more.TimerTime += drawTime(t, "more R_timer")

		a := must[schedule.Schedule](t)(schedule.WithShare(in, p))
		b := must[schedule.Schedule](t)(schedule.WithShare(more, p))
		if b.BudgetMem < a.BudgetMem || b.BudgetComp < a.BudgetComp || b.Total < a.Total || b.WallTotal < a.WallTotal {
			t.Fatalf("more work, smaller schedule:\n%+v\n%+v", a, b)
		}
		best := must[schedule.Schedule](t)(schedule.BestCase(in))
		if best.BudgetMem > a.BudgetMem || best.BudgetComp > a.BudgetComp || best.WallTotal > a.WallTotal {
			t.Fatalf("best case %+v is above %+v", best, a)
		}

		q := drawShare(t)
		if q.Cmp(p) < 0 {
			p, q = q, p
			a = must[schedule.Schedule](t)(schedule.WithShare(in, p))
		}
		c := must[schedule.Schedule](t)(schedule.WithShare(in, q))
		if c.BudgetMem < a.BudgetMem || c.BudgetComp > a.BudgetComp {
			t.Fatalf("p_mem from %v to %v:\n%+v\n%+v", p, q, a, c)
		}
	})
}

func TestConversionsRoundUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cycles := int64(drawTime(t, "cycles"))
		hertz := rapid.Int64Range(1, 4_000_000_000).Draw(t, "hertz")
		ns := must[schedule.Time](t)(schedule.FromCycles(cycles, hertz))
		exact := rat(cycles, hertz)
		exact.Mul(exact, rat(1_000_000_000, 1))
		if d := new(big.Rat).Sub(rat(int64(ns), 1), exact); d.Sign() < 0 || d.Cmp(rat(1, 1)) >= 0 {
			t.Fatalf("%d cycles at %d Hz are %v ns, got %d", cycles, hertz, exact, ns)
		}
		back := must[schedule.Time](t)(schedule.FromNanoseconds(int64(ns), hertz))
		if int64(back) < cycles {
			t.Fatalf("%d cycles, %d ns, %d cycles", cycles, ns, back)
		}
	})
}
