package schedule_test

import (
	"fmt"

	"github.com/warpbound/warpbound/internal/premtime/schedule"
)

// A kernel of 64 tiles, in nanoseconds: the GPU holds memory for 40 %.
func Example() {
	in := schedule.Input{
		Intervals: []schedule.Interval{{Mem: 40_000, Comp: 45_000, Count: 64}},
		SyncTime:  5_800,
		TimerTime: 17_000,
	}
	share, err := schedule.ParseShare("40%")
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := schedule.WithShare(in, share)
	if err != nil {
		fmt.Println(err)
		return
	}
	slowdown, _, err := s.Slowdown(3_000_000)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("budgets %d and %d ns by %v\n", s.BudgetMem, s.BudgetComp, s.Rule)
	fmt.Printf("interval %d ns, idle %d ns (%.1f %%), kernel %d ns, slowdown %.2f\n",
		s.Length, s.Idle, 100*s.IdleOfBudgets().Float64(), s.Total, slowdown.Float64())
	// Output:
	// budgets 40000 and 60000 ns by T_comp/T_mem <= p_comp/p_mem
	// interval 111600 ns, idle 15000 ns (15.0 %), kernel 7142400 ns, slowdown 2.38
}
