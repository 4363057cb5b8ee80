package schedule_test

import (
	"errors"
	"math/big"
	"testing"

	"github.com/warpbound/warpbound/internal/premtime/schedule"
)

// A text is refused, or printing what it means and reading that again gives the same.
func FuzzParseShare(f *testing.F) {
	for _, text := range []string{"1:1", "30:70", "3/10", "30%", "12.5%:87.5%", "-1:2", "0%", "1:"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := schedule.ParseShare(text)
		if err != nil {
			return
		}
		if s.Mem <= 0 || s.Comp <= 0 || s.Mem+s.Comp < 0 {
			t.Fatalf("%q gives %v", text, s)
		}
		again, err := schedule.ParseShare(s.String())
		if err != nil || again != s {
			t.Fatalf("%q gives %v, printed and read %v, %v", text, s, again, err)
		}
	})
}

// Any numbers: an error of one of the two kinds, or budgets and totals that hold
// over the integers without a limit.
func FuzzWithShare(f *testing.F) {
	f.Add(int64(100), int64(60), int64(1), int64(1), int64(10), int64(5), int64(17), false)
	f.Add(int64(60), int64(100), int64(3), int64(7), int64(10), int64(5), int64(170), true)
	f.Add(int64(1)<<61, int64(1), int64(1)<<61, int64(1)<<61-1, int64(1), int64(0), int64(0), false)
	f.Fuzz(func(t *testing.T, mem, comp, pMem, pComp, count, syncTime, timer int64, raise bool) {
		share := schedule.Share{Mem: pMem, Comp: pComp}
		s, err := schedule.WithShare(schedule.Input{
			Intervals: []schedule.Interval{{Mem: schedule.Time(mem), Comp: schedule.Time(comp), Count: count}},
			SyncTime:  schedule.Time(syncTime), TimerTime: schedule.Time(timer), RaiseToTimer: raise,
		}, share)
		if err != nil {
			var input *schedule.InputError
			if !errors.Is(err, schedule.ErrOverflow) && !errors.As(err, &input) {
				t.Fatalf("error of no kind: %v", err)
			}
			return
		}
		if s.BudgetMem < schedule.Time(mem) || s.BudgetComp < schedule.Time(comp) {
			t.Fatalf("budgets do not cover: %+v", s)
		}
		if raise && (s.BudgetMem < schedule.Time(timer) || s.BudgetComp < schedule.Time(timer)) {
			t.Fatalf("budgets below the timer: %+v", s)
		}
		held := product(int64(s.BudgetMem), pComp)
		left := product(int64(s.BudgetComp), pMem)
		if held.Cmp(left) > 0 {
			t.Fatalf("the GPU has more than its share: %+v", s)
		}
		// One unit less of the padded budget, or more, would be on the other side.
		if s.Rule == schedule.RuleCompute && product(int64(s.BudgetMem)+1, pComp).Cmp(left) <= 0 ||
			s.Rule == schedule.RuleMemory && held.Cmp(product(int64(s.BudgetComp)-1, pMem)) <= 0 {
			t.Fatalf("a budget is a unit or more from the exact one: %+v", s)
		}
		total := new(big.Int).Add(big.NewInt(int64(s.BudgetMem)), big.NewInt(int64(s.BudgetComp)))
		total.Add(total, product(syncTime, 2)).Mul(total, big.NewInt(count))
		if total.Cmp(big.NewInt(int64(s.Total))) != 0 || s.WallTotal < s.Total {
			t.Fatalf("total %v: %+v", total, s)
		}
		if s.Idle < 0 || s.ShareIdle < 0 || s.SpreadIdle != 0 || s.Total != s.WorkTotal+s.ShareIdle+s.SyncTotal {
			t.Fatalf("idle time: %+v", s)
		}
	})
}

func product(a, b int64) *big.Int {
	return new(big.Int).Mul(big.NewInt(a), big.NewInt(b))
}
