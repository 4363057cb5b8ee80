package report

import (
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/premtime/study"
)

// premDocuments are documents of prem, with values of every kind and with values that
// there are none of.
func premDocuments(t *testing.T) []*Document {
	t.Helper()
	tx1, err := gpu.Preset("tx1")
	if err != nil {
		t.Fatal(err)
	}
	plans, err := NewPremPlans("f.c", tx1, 32768)
	if err != nil {
		t.Fatal(err)
	}
	why, stress := "an access is indirect", "stress"
	plans.Kernels = []PremPlan{
		{Kernel: "f_0", At: "f.c:3:1", Teams: 1200, Threads: 64, Bytes: 4352, SIMT: []PremDim{{"i", 2, 4}, {"j", 32, 1}}, Tiled: []PremLoop{{"k", 7}}, Walked: []string{"l"}, Intervals: make([]PremInterval, 2)},
		{Kernel: "f_1", At: "sub/k.h:7:1", Teams: 1, Threads: 32, Compatible: &why},
	}
	times, err := NewPremSchedules("f.c", tx1, true, "fair", study.Costs{SyncNanos: 5800, TimerNanos: 10700}, []string{stress})
	if err != nil {
		t.Fatal(err)
	}
	bounds := []PremBound{{Phase: "memory", Cycles: 1234, Method: "sum", Breakdown: []bound.Component{{ID: "a", Name: "some", Cycles: 1000}, {ID: "b", Name: "others", Cycles: 234}}}}
	times.Kernels = []PremScheduled{
		{Kernel: "f_0", Scheme: "sdma", Source: "bounded", Launches: 2, BaseCycles: 4321, Intervals: 1234, MemNanos: 1234567, CompNanos: 89, BudgetMem: 2000, BudgetComp: 1000, Idle: 0.125, TotalNanos: 99999, Slowdown: 1.25, AtWall: []string{"compute"}, InputDependent: true, Bounds: bounds},
		{Kernel: "f_1", Scheme: "sdma", Source: "simulated"},
	}
	times.Runs = []PremRun{
		{Kernel: "f_0", Scheme: "base", Cycles: 4321, Slowdown: 1, Sensitivity: 1},
		{Kernel: "f_0", Scheme: "sdma", Traffic: &stress, Cycles: 8642, Slowdown: 2, Sensitivity: 1.125, Guard: &PremGuard{MemBudgetCycles: 5, CompBudgetCycles: 6, Raises: 1, HandOvers: 1018, Misses: 2, Idle: 0.5, LongestMemCycles: 7, LongestCompCycles: 8}},
	}
	return []*Document{plans.Document(nil), plans.Document(func(int) string { return "so it is\n" }), times.Document(false), times.Document(true)}
}

// Plans are rows with what else is said below them, and an explanation of each.
func TestPremPlans(t *testing.T) {
	text := premDocuments(t)[1].Text()
	contains(t, text, "f.c for tx1, 32,768 bytes of scratchpad a team\n\nkernel   line  teams  threads  intervals  bytes  a tile of the SIMT loops  cut into tiles  phases\n",
		"f_0         3  1,200       64          2  4,352  i by 2x4, j by 32         l by 1, k by 7  separate\n",
		"f_1     k.h:7      1       32          0      0                            -               compatible only\nf_1: no separate phases: an access is indirect\n\nf_0\nso it is\n\nf_1\nso it is\n")
}
