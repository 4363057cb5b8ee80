package forsberg2021

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/evaluation/internal/kit"

	"github.com/warpbound/warpbound/internal/premtime/study"
	"github.com/warpbound/warpbound/internal/report"
)

// premChannels is the number of DRAM channels of the machine, which the test holds
// to its description.
const premChannels = 2

// perAccess is the sectors that an access touches.
func perAccess(u *study.Use) float64 { return float64(u.Requests) / float64(max(u.Accesses, 1)) }

// wait is how long a transfer waits at the DRAM, in cycles.
func wait(u *study.Use) float64 { return float64(u.WaitCycles) / float64(max(u.Transfers, 1)) }

// busy is the share of the time in which the channels transfer.
func busy(s *study.Simulation) float64 {
	return float64(s.Memory.BusyMillicycles) / 1000 / premChannels / float64(s.Cycles)
}

// rowMisses is the share of transfers that have to open their row.
func rowMisses(u *study.Use) float64 {
	return float64(u.RowMisses) / float64(max(u.Transfers, 1))
}

// cpuBandwidth is what the CPU transfers, in GB/s.
func cpuBandwidth(s *study.Simulation) float64 {
	return float64(s.Memory.CPUBytes) / float64(s.Cycles) * premKHz / 1e6
}

// premMemory is what the loops do to the memories.
func premMemory(all []premKernel) string {
	t := report.Table{Header: []string{"group", "of the kernels", "kernels"}, Left: []int{1}}
	type column struct {
		name  string
		print func(float64) string
		value func(*premKernel) float64
	}
	columns := []column{
		{"sectors an access, BASE", kit.Tenth, func(k *premKernel) float64 { return perAccess(&k.loop.Alone.Memory) }},
		{"SDMA", kit.Tenth, func(k *premKernel) float64 { return perAccess(&k.sdma.Memory) }},
		{"accesses, SDMA over BASE", twice, func(k *premKernel) float64 {
			return float64(k.sdma.Memory.Accesses) / float64(k.loop.Alone.Memory.Accesses)
		}},
		{"sectors, SDMA over BASE", twice, func(k *premKernel) float64 {
			return float64(k.sdma.Memory.Requests) / float64(k.loop.Alone.Memory.Requests)
		}},
		{"SDMA's code over BASE", twice, func(k *premKernel) float64 { return k.code(k.sdma) }},
		{"BASE: DRAM busy, %", kit.Points, func(k *premKernel) float64 { return busy(&k.loop.Alone) }},
		{"rows opened, %", kit.Points, func(k *premKernel) float64 { return rowMisses(&k.loop.Alone.Memory) }},
		{"wait a transfer, alone", kit.Tenth, func(k *premKernel) float64 { return wait(&k.loop.Alone.Memory) }},
	}
	for i, kind := range premKinds {
		columns = append(columns, column{kind, kit.Tenth, func(k *premKernel) float64 { return wait(&k.loop.Beside[i].Memory) }})
	}
	for _, c := range columns {
		t.Header = append(t.Header, c.name)
	}
	row := func(group, which string, of []premKernel) {
		cells := []any{group, which, len(of)}
		for _, c := range columns {
			cells = append(cells, c.print(kit.Mean(of, c.value)))
		}
		t.Add(cells...)
	}
	for _, g := range append(premGroups, "") {
		of := ofGroups(all, g)
		fast := slices.DeleteFunc(slices.Clone(of), func(k premKernel) bool { return k.code(k.sdma) > 1 })
		slow := slices.DeleteFunc(slices.Clone(of), func(k premKernel) bool { return k.code(k.sdma) <= 1 })
		name := cmp.Or(g, "**all**")
		if len(fast) > 0 {
			row(name, "SDMA's code is not slower", fast)
		}
		if len(slow) > 0 {
			row(name, "SDMA's code is slower", slow)
		}
	}
	return t.Render(report.Markdown)
}

// premTrend are Spearman's correlations of BASE's sensitivity and of the gain of
// SDMA's code with what the loops do.
func premTrend(all []premKernel) string {
	t := report.Table{Header: []string{"property of a kernel", "with BASE's time beside sequential interference", "beside random", "with SDMA's code over BASE"}}
	of := func(value func(*premKernel) float64) []float64 {
		var out []float64
		for i := range all {
			out = append(out, value(&all[i]))
		}
		return kit.Ranks(out)
	}
	targets := [][]float64{
		of(func(k *premKernel) float64 { return k.besideBase(0) }), of(func(k *premKernel) float64 { return k.besideBase(1) }),
		of(func(k *premKernel) float64 { return k.code(k.sdma) }),
	}
	for _, p := range []struct {
		name  string
		value func(*premKernel) float64
	}{
		{"sectors an access of BASE", func(k *premKernel) float64 { return perAccess(&k.loop.Alone.Memory) }},
		{"sectors an access of SDMA", func(k *premKernel) float64 { return perAccess(&k.sdma.Memory) }},
		{"sectors, SDMA over BASE", func(k *premKernel) float64 {
			return float64(k.sdma.Memory.Requests) / float64(k.loop.Alone.Memory.Requests)
		}},
		{"accesses, SDMA over BASE", func(k *premKernel) float64 {
			return float64(k.sdma.Memory.Accesses) / float64(k.loop.Alone.Memory.Accesses)
		}},
		{"transfers of the DRAM a cycle, BASE", func(k *premKernel) float64 {
			return float64(k.loop.Alone.Memory.Transfers) / float64(k.loop.Alone.Cycles)
		}},
		{"transfers, SDMA over BASE", func(k *premKernel) float64 {
			return float64(k.sdma.Memory.Transfers) / float64(max(k.loop.Alone.Memory.Transfers, 1))
		}},
	} {
		cells := []any{p.name}
		for _, target := range targets {
			cells = append(cells, fmt.Sprintf("%.2f", kit.Correlation(of(p.value), target)))
		}
		t.Add(cells...)
	}
	return t.Render(report.Markdown)
}

// premByThreads compares numbers of threads.
func (r *results) premByThreads() string {
	t := report.Table{Header: []string{
		"threads a team", "kernels", "BASE over that of 256, geometric mean", "fastest BASE in", "intervals", "SDMA code over BASE", "SDMA fair over BASE", "SDMA fair over BASE of 256, geometric mean",
	}}
	all := joinPrem(r.threadLoops, r.threadPhases, premUnroll)
	by := map[int64][]premKernel{}
	for _, k := range all {
		by[k.loop.Threads] = append(by[k.loop.Threads], k)
	}
	reference := by[premThreads]
	for _, threads := range premCompare {
		of := by[threads]
		fastest, intervals := 0, int64(0)
		var base, fair []float64
		for i := range of {
			k := &of[i]
			intervals += k.sdma.Simulated.Intervals
			was := float64(reference[i].loop.Alone.Cycles)
			base = append(base, float64(k.loop.Alone.Cycles)/was)
			fair = append(fair, reference[i].fair(k.sdma))
			if !slices.ContainsFunc(premCompare, func(other int64) bool { return by[other][i].loop.Alone.Cycles < k.loop.Alone.Cycles }) {
				fastest++
			}
		}
		same := func(x *float64) float64 { return *x }
		t.Add(threads, len(of), twice(kit.Geometric(base, same)), fastest, report.Count(intervals),
			twice(kit.Mean(of, func(k *premKernel) float64 { return k.code(k.sdma) })), twice(kit.Mean(of, func(k *premKernel) float64 { return k.fair(k.sdma) })),
			twice(kit.Geometric(fair, same)))
	}
	return t.Render(report.Markdown)
}

// premByMachine shows what BASE suffers from interference on other machines.
func (r *results) premByMachine() string {
	t := report.Table{Header: []string{"machine", "kernels"}}
	for _, kind := range premKinds {
		t.Header = append(t.Header, kind+": mean, %", "most, %", "CPU, GB/s", "wait a transfer, cycles")
	}
	t.Header = append(t.Header, "wait alone", "most, of")
	for _, m := range premMachines {
		of := slices.DeleteFunc(joinPrem(r.factorLoops, nil, 0), func(k premKernel) bool { return k.loop.GPU != m.gpu || k.loop.Alone.Cycles < premShort })
		cells := []any{m.name, len(of)}
		worst, name := 0.0, ""
		for i := range premKinds {
			longer := func(k *premKernel) float64 { return k.besideBase(i) - 1 }
			for j := range of {
				if x := longer(&of[j]); x > worst {
					worst, name = x, of[j].loop.Kernel
				}
			}
			cells = append(cells, kit.Points(kit.Mean(of, longer)), kit.Points(most(of, longer)),
				kit.Tenth(kit.Mean(of, func(k *premKernel) float64 { return cpuBandwidth(&k.loop.Beside[i]) })),
				kit.Tenth(kit.Mean(of, func(k *premKernel) float64 { return wait(&k.loop.Beside[i].Memory) })))
		}
		cells = append(cells, kit.Tenth(kit.Mean(of, func(k *premKernel) float64 { return wait(&k.loop.Alone.Memory) })), name)
		t.Add(cells...)
	}
	return t.Render(report.Markdown)
}

// premShort is the number of cycles below which a kernel ends before the cores
// have started.
const premShort = 10_000
