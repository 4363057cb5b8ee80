package report

import (
	"reflect"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/premtime/study"
)

// Bounds of phases that hold for this input only are marked wherever they stand.
func TestPremOfThisInput(t *testing.T) {
	d := &PremSchedules{ClockKHz: 1000, Kernels: []PremScheduled{
		{Kernel: "f_0", Scheme: "sdma", Source: "bounded", Launches: 1, InputDependent: true, Bounds: []PremBound{{Phase: "memory", Cycles: 7, Method: "sum", Theorem: "t"}}},
		{Kernel: "f_1", Scheme: "sdma", Source: "bounded", Launches: 1, Bounds: []PremBound{{Phase: "memory", Cycles: 8, Method: "sum", Theorem: "t"}}},
	}}
	text := d.Document(true).Text()
	contains(t, text, "f_0     sdma    bounded, THIS INPUT  ", "f_1     sdma    bounded  ", "f_0, sdma: THIS INPUT ONLY: ",
		"f_0, sdma: the longest memory phase takes at most 7 cycles = 7.000 µs for THIS INPUT, by sum", "f_1, sdma: the longest memory phase takes at most 8 cycles = 8.000 µs, by sum")
	if strings.Contains(text, "f_1, sdma: THIS INPUT") {
		t.Error(text)
	}
}

func TestPremRuns(t *testing.T) {
	desc, err := gpu.Open("tx1", nil)
	if err != nil {
		t.Fatal(err)
	}
	simulated := func(cycles int64) study.Simulation { return study.Simulation{Cycles: cycles} }
	guarded := &study.Guarded{
		MemCycles: 998, CompCycles: 100, Raises: 1,
		Isolation:    study.Outcome{Cycles: 4000, HandOvers: 5, MemIdleCycles: 900, CompIdleCycles: 100, LongestMem: 990, LongestComp: 90},
		Interference: []study.Outcome{{Cycles: 4400, HandOvers: 5, Misses: 2, MemIdleCycles: 1100, LongestMem: 1200, LongestComp: 91}},
	}
	r := &study.Result{Function: "f", Kernels: []study.KernelTimes{
		{
			Name: "f_0", Launches: 2, Base: study.Base{Simulation: simulated(2000), Interference: []study.Simulation{simulated(3000)}},
			Schemes: []study.Scheme{{Scheme: device.SDMA, Guarded: guarded}, {Scheme: device.CMPT}},
		},
		{Name: "f_1", Base: study.Base{Interference: []study.Simulation{{}}}, Schemes: []study.Scheme{{Scheme: device.SDMA, Guarded: &study.Guarded{Interference: []study.Outcome{{}}}}}},
	}}
	schedules := func(traffic ...string) *PremSchedules {
		t.Helper()
		d, err := NewPremSchedules("f.c", desc, true, "best", study.Costs{}, traffic)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	d := schedules("stress")
	d.AddRuns(r)
	stress := "stress"
	want := []PremRun{
		{Kernel: "f_0", Scheme: "base", Cycles: 2000, Slowdown: 1, Sensitivity: 1},
		{Kernel: "f_0", Scheme: "base", Traffic: &stress, Cycles: 3000, Slowdown: 1.5, Sensitivity: 1.5},
		{Kernel: "f_0", Scheme: "sdma", Cycles: 4000, Slowdown: 2, Sensitivity: 1, Guard: &PremGuard{
			MemBudgetCycles: 998, CompBudgetCycles: 100, Raises: 1, HandOvers: 5, Idle: 0.25, LongestMemCycles: 990, LongestCompCycles: 90,
		}},
		{Kernel: "f_0", Scheme: "sdma", Traffic: &stress, Cycles: 4400, Slowdown: 2.2, Sensitivity: 1.1, Guard: &PremGuard{
			MemBudgetCycles: 998, CompBudgetCycles: 100, Raises: 1, HandOvers: 5, Misses: 2, Idle: 0.25, LongestMemCycles: 1200, LongestCompCycles: 91,
		}},
	}
	if !reflect.DeepEqual(d.Runs, want) {
		t.Errorf("%+v\nwant %+v", d.Runs, want)
	}
	text := d.Document(false).Text()
	contains(t, text, "f_0     base    -        2,000       1.00            -           -       -")
	contains(t, text, "f_0     base    stress   3,000       1.50        1.500           -       -")
	contains(t, text, "f_0     sdma    stress   4,400       2.20        1.100           5       2  25.00 %  1.000 µs  0.101 µs       1     1.202 µs      0.092 µs\n")
	contains(t, text, "sensitivity: over the same in isolation\n")

	// Without the guard and without traffic there is nothing to say.
	r.Kernels[0].Schemes = r.Kernels[0].Schemes[1:]
	d = schedules()
	if d.AddRuns(r); len(d.Runs) > 0 || d.Traffic == nil {
		t.Errorf("%+v", d)
	}
}
