package forsberg2021

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/evaluation/internal/kit"

	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/premtime/study"
	"github.com/warpbound/warpbound/internal/report"
)

// premKernel is a target loop with its schemes.
type premKernel struct {
	loop            *loopRow
	cmpt, dae, sdma *phaseRow // nil where not measured
}

// joinPrem joins loops and schemes, for one unrolling of the copy loops.
func joinPrem(loops []loopRow, phases []phaseRow, unroll int64) []premKernel {
	var out []premKernel
	for i := range loops {
		k := premKernel{loop: &loops[i]}
		for j := range phases {
			p := &phases[j]
			if p.Kernel != k.loop.Kernel || p.Threads != k.loop.Threads || p.Unroll != unroll {
				continue
			}
			switch p.Scheme {
			case device.CMPT.String():
				k.cmpt = p
			case device.DAE.String():
				k.dae = p
			case device.SDMA.String():
				k.sdma = p
			}
		}
		out = append(out, k)
	}
	return out
}

// premKernels are those of the figures, by group and, within one, from the fastest
// under fair sharing on.
func (r *results) premKernels(unroll int64) []premKernel {
	all := joinPrem(r.loops, r.phases, unroll)
	slices.SortStableFunc(all, func(a, b premKernel) int {
		if d := premOrder(a.group()) - premOrder(b.group()); d != 0 {
			return d
		}
		if x, y := a.fair(a.sdma), b.fair(b.sdma); x != y {
			return int(math.Copysign(1, x-y))
		}
		return 0
	})
	return all
}

// premGroups are in the order of the paper's Fig. 8.
var premGroups = []string{string(study.GroupA), string(study.GroupC), string(study.GroupB)}

func premOrder(group string) int { return slices.Index(premGroups, group) }

// group is that of the kernel under SDMA, by the simulated phases.
func (k *premKernel) group() string { return k.sdma.Simulated.Group }

// premKHz is the clock of the machine, which the test holds to its description.
const premKHz = 998_400

// over is a time over that of BASE in isolation.
func (k *premKernel) over(nanos int64) float64 {
	return float64(nanos) * premKHz / 1e6 / float64(k.loop.Alone.Cycles)
}

func (k *premKernel) code(p *phaseRow) float64 { return k.over(p.Simulated.Code) }
func (k *premKernel) sync(p *phaseRow) float64 { return k.over(p.Simulated.Sync) }

// alone is Fig. 7: code and synchronisation.
func (k *premKernel) alone(p *phaseRow) float64 { return k.over(p.Simulated.Code + p.Simulated.Sync) }
func (k *premKernel) best(p *phaseRow) float64  { return k.over(p.Simulated.Best) }
func (k *premKernel) fair(p *phaseRow) float64  { return k.over(p.Simulated.Fair) }

// idle is what fair sharing adds to the best case, the green part of Fig. 8.
func (k *premKernel) idle(p *phaseRow) float64 { return k.fair(p) - k.best(p) }

// beside are BASE and the guarded SDMA with a kind of interference, over
// themselves alone.
func (k *premKernel) besideBase(kind int) float64 {
	return float64(k.loop.Beside[kind].Cycles) / float64(k.loop.Alone.Cycles)
}

func (k *premKernel) besideSDMA(kind int) float64 {
	g := &k.sdma.Guarded.Runs
	return float64(g[1+kind].Cycles) / float64(g[0].Cycles)
}

// guarded is SDMA with the guard alone, over BASE alone.
func (k *premKernel) guarded() float64 {
	return float64(k.sdma.Guarded.Runs[0].Cycles) / float64(k.loop.Alone.Cycles)
}

func twice(x float64) string { return fmt.Sprintf("%.2f", x) }
func tens(ns int64) string   { return fmt.Sprintf("%.1f", float64(ns)/1000) }

// premTables are the tables of Forsberg2021.
func (r *results) premTables() map[string]string {
	all := r.premKernels(premUnroll)
	return map[string]string{
		"prem-averages": premAverages(all, r.premKernels(0)),
		"prem-groups":   premByGroup(all),
		"prem-alone":    premAlone(all),
		"prem-fair":     premFair(all),
		"prem-bounds":   premBounds(all),
		"prem-beside":   premBeside(all),
		"prem-memory":   premMemory(all),
		"prem-trend":    premTrend(all),
		"prem-threads":  r.premByThreads(),
		"prem-machines": r.premByMachine(),
	}
}

// premAverage is a line of the averages: a mean over a group, as in the paper.
type premAverage struct {
	what, paper, group string // group "" is all, "AC" is all but B
	print              func(float64) string
	value              func(*premKernel) float64
}

func premLines() []premAverage {
	var out []premAverage
	add := func(what, paper, group string, print func(float64) string, value func(*premKernel) float64) {
		out = append(out, premAverage{what, paper, group, print, value})
	}
	sdma := func(k *premKernel) *phaseRow { return k.sdma }
	dae := func(k *premKernel) *phaseRow { return k.dae }
	cmpt := func(k *premKernel) *phaseRow { return k.cmpt }
	fair := func(p func(*premKernel) *phaseRow) func(*premKernel) float64 {
		return func(k *premKernel) float64 { return k.fair(p(k)) }
	}
	for _, g := range append(premGroups, "") {
		add("SDMA, fair sharing, over BASE", twice(paperPrem.fair[g]), g, twice, fair(sdma))
	}
	add("CMPT, fair sharing, over BASE", twice(paperPrem.cmptFairA), "A", twice, fair(cmpt))
	add("DAE, fair sharing, over BASE", twice(paperPrem.daeFairA), "A", twice, fair(dae))
	add("SDMA faster than DAE, fair sharing, %", kit.Points(paperPrem.fasterFair), "", kit.Points, func(k *premKernel) float64 { return 1 - k.fair(k.sdma)/k.fair(k.dae) })
	faster := func(k *premKernel) float64 { return 1 - k.alone(k.sdma)/k.alone(k.dae) }
	add("SDMA faster than DAE, code and synchronisation, %", kit.Points(paperPrem.fasterA), "A", kit.Points, faster)
	add("SDMA faster than DAE, code and synchronisation, %", kit.Points(paperPrem.faster), "", kit.Points, faster)
	add("CMPT: code over BASE, %", "none", "", kit.Points, func(k *premKernel) float64 { return k.code(k.cmpt) - 1 })
	add("DAE: code over BASE, %", kit.Points(paperPrem.daeCode), "", kit.Points, func(k *premKernel) float64 { return k.code(k.dae) - 1 })
	add("SDMA: code over BASE, %", "none", "", kit.Points, func(k *premKernel) float64 { return k.code(k.sdma) - 1 })
	sync := func(k *premKernel) float64 { return k.sync(k.sdma) }
	add("SDMA: synchronisation over BASE, %", kit.Points(paperPrem.sync), "", kit.Points, sync)
	add("SDMA: synchronisation over BASE, %", "", "AC", kit.Points, sync)
	return out
}

// ofGroups are the kernels of some groups, all for "".
func ofGroups(all []premKernel, groups string) []premKernel {
	return slices.DeleteFunc(slices.Clone(all), func(k premKernel) bool { return groups != "" && !strings.Contains(groups, k.group()) })
}

// idlesLess is how much less SDMA idles for fair sharing than another scheme. It is
// that of the means, since some kernels do not idle at all.
func idlesLess(all []premKernel, than func(*premKernel) *phaseRow) float64 {
	return 1 - kit.Mean(all, func(k *premKernel) float64 { return k.idle(k.sdma) })/kit.Mean(all, func(k *premKernel) float64 { return k.idle(than(k)) })
}

// premAverages compares the averages with the paper's, with copy loops unrolled and
// not. The groups are those of the kernels as compiled.
func premAverages(all, plain []premKernel) string {
	t := report.Table{Header: []string{"", "group", "Forsberg2021", "mean", "median", "kernels", "not unrolled: mean", "median", "kernels"}, Left: []int{1}}
	name := func(groups string) string {
		switch groups {
		case "":
			return "all"
		case "AC":
			return "A and C"
		}
		return groups
	}
	for _, l := range premLines() {
		cells := []any{l.what, name(l.group), l.paper}
		for _, of := range [][]premKernel{all, plain} {
			in := ofGroups(of, l.group)
			cells = append(cells, l.print(kit.Mean(in, l.value)), l.print(kit.Median(in, l.value)), len(in))
		}
		t.Add(cells...)
	}
	once := func(what, group, paper string, of func([]premKernel) float64) {
		in, plainly := ofGroups(all, group), ofGroups(plain, group)
		t.Add(what, name(group), paper, kit.Points(of(in)), "", len(in), kit.Points(of(plainly)), "", len(plainly))
	}
	once("SDMA faster than DAE, fair sharing, at most, %", "", kit.Points(paperPrem.fasterFairMost), func(all []premKernel) float64 {
		return most(all, func(k *premKernel) float64 { return 1 - k.fair(k.sdma)/k.fair(k.dae) })
	})
	for _, x := range []struct {
		name  string
		than  func(*premKernel) *phaseRow
		paper float64
	}{
		{"CMPT", func(k *premKernel) *phaseRow { return k.cmpt }, paperPrem.idleOfCMPT},
		{"DAE", func(k *premKernel) *phaseRow { return k.dae }, paperPrem.idleOfDAE},
	} {
		what := "SDMA idles less than " + x.name + " for fair sharing, %"
		once(what, "", kit.Points(x.paper), func(in []premKernel) float64 { return idlesLess(in, x.than) })
		once(what, "A", "", func(in []premKernel) float64 { return idlesLess(in, x.than) })
	}
	for i, kind := range premKinds {
		sdma := func(k *premKernel) float64 { return k.besideSDMA(i) - 1 }
		base := func(k *premKernel) float64 { return k.besideBase(i) - 1 }
		t.Add("SDMA with the guard: longer beside "+kind+" interference, %", "all", kit.Points(paperPrem.sensitivity), hundredths(kit.Mean(all, sdma)), hundredths(kit.Median(all, sdma)), len(all), "", "", "")
		t.Add("BASE: longer beside "+kind+" interference, %", "all", "", hundredths(kit.Mean(all, base)), hundredths(kit.Median(all, base)), len(all), "", "", "")
	}
	return t.Render(report.Markdown)
}

func hundredths(x float64) string { return fmt.Sprintf("%.2f", 100*x) }

// most is the largest value.
func most(of []premKernel, value func(*premKernel) float64) float64 {
	out := math.Inf(-1)
	for i := range of {
		out = max(out, value(&of[i]))
	}
	return out
}

// premByGroup shows the members of the groups, and all schemes in them.
func premByGroup(all []premKernel) string {
	t := report.Table{Header: []string{
		"group", "kernels", "SDMA's code not slower than BASE", "CMPT code", "DAE code", "SDMA code", "SDMA synchronisation",
		"CMPT fair", "DAE fair", "SDMA fair", "median CMPT", "median DAE", "median SDMA",
	}}
	for _, g := range append(premGroups, "") {
		of := ofGroups(all, g)
		name := g
		if g == "" {
			name = "**all**"
		}
		not := 0
		for i := range of {
			if of[i].code(of[i].sdma) <= 1 {
				not++
			}
		}
		value := func(f func(*premKernel) float64) any { return twice(kit.Mean(of, f)) }
		t.Add(name, len(of), not,
			value(func(k *premKernel) float64 { return k.code(k.cmpt) }), value(func(k *premKernel) float64 { return k.code(k.dae) }),
			value(func(k *premKernel) float64 { return k.code(k.sdma) }), value(func(k *premKernel) float64 { return k.sync(k.sdma) }),
			value(func(k *premKernel) float64 { return k.fair(k.cmpt) }), value(func(k *premKernel) float64 { return k.fair(k.dae) }),
			value(func(k *premKernel) float64 { return k.fair(k.sdma) }),
			twice(kit.Median(of, func(k *premKernel) float64 { return k.fair(k.cmpt) })), twice(kit.Median(of, func(k *premKernel) float64 { return k.fair(k.dae) })),
			twice(kit.Median(of, func(k *premKernel) float64 { return k.fair(k.sdma) })),
		)
	}
	return t.Render(report.Markdown)
}

// premAlone is Fig. 7, with the phases.
func premAlone(all []premKernel) string {
	t := report.Table{Header: []string{
		"kernel", "group", "launches", "BASE, cycles", "intervals", "T_mem, us", "T_comp, us",
		"CMPT code", "CMPT", "DAE code", "DAE", "SDMA code", "SDMA",
	}, Left: []int{1}}
	for i := range all {
		k := &all[i]
		s := &k.sdma.Simulated
		t.Add(k.name(), k.group(), k.loop.Launches, report.Count(k.loop.Alone.Cycles), s.Intervals, tens(s.Mem), tens(s.Comp),
			twice(k.code(k.cmpt)), twice(k.alone(k.cmpt)), twice(k.code(k.dae)), twice(k.alone(k.dae)), twice(k.code(k.sdma)), twice(k.alone(k.sdma)))
	}
	return t.Render(report.Markdown)
}

// name marks kernels that run as compatible intervals under all schemes.
func (k *premKernel) name() string {
	if k.sdma.Compatible != "" {
		return k.loop.Kernel + " *"
	}
	return k.loop.Kernel
}

// premFair is Fig. 8.
func premFair(all []premKernel) string {
	t := report.Table{Header: []string{"kernel", "group"}, Left: []int{1}}
	schemes := []string{"CMPT", "DAE", "SDMA"}
	for _, s := range schemes {
		t.Header = append(t.Header, s, s+" best", s+" fair")
	}
	for i := range all {
		k := &all[i]
		cells := []any{k.name(), k.group()}
		for _, p := range []*phaseRow{k.cmpt, k.dae, k.sdma} {
			cells = append(cells, twice(k.alone(p)), twice(k.best(p)), twice(k.fair(p)))
		}
		t.Add(cells...)
	}
	return t.Render(report.Markdown)
}

// premBounds are the schedules from the bounds.
func premBounds(all []premKernel) string {
	t := report.Table{Header: []string{
		"kernel", "group", "T_mem, us", "bound", "T_comp, us", "bound", "SDMA best", "by bounds", "SDMA fair", "by bounds", "DAE fair, by bounds", "CMPT fair, by bounds",
	}, Left: []int{1}}
	for i := range all {
		k := &all[i]
		s, b := &k.sdma.Simulated, &k.sdma.Bounded
		name := k.name()
		if k.sdma.InputDependent {
			name += " †"
		}
		t.Add(name, k.group(), tens(s.Mem), tens(b.Mem), tens(s.Comp), tens(b.Comp), twice(k.best(k.sdma)), twice(k.over(b.Best)),
			twice(k.fair(k.sdma)), twice(k.over(b.Fair)), twice(k.over(k.dae.Bounded.Fair)), twice(k.over(k.cmpt.Bounded.Fair)))
	}
	for _, of := range []struct {
		name string
		sum  func([]premKernel, func(*premKernel) float64) float64
	}{{"**mean**", kit.Mean[premKernel]}, {"median", kit.Median[premKernel]}} {
		value := func(f func(*premKernel) int64) any {
			return twice(of.sum(all, func(k *premKernel) float64 { return k.over(f(k)) }))
		}
		t.Add(of.name, "", "", "", "", "",
			value(func(k *premKernel) int64 { return k.sdma.Simulated.Best }), value(func(k *premKernel) int64 { return k.sdma.Bounded.Best }),
			value(func(k *premKernel) int64 { return k.sdma.Simulated.Fair }), value(func(k *premKernel) int64 { return k.sdma.Bounded.Fair }),
			value(func(k *premKernel) int64 { return k.dae.Bounded.Fair }), value(func(k *premKernel) int64 { return k.cmpt.Bounded.Fair }))
	}
	return t.Render(report.Markdown)
}

// premBeside is Fig. 9 and 10.
func premBeside(all []premKernel) string {
	t := report.Table{Header: []string{"kernel", "group"}, Left: []int{1}}
	for _, kind := range premKinds {
		t.Header = append(t.Header, "BASE, "+kind)
	}
	t.Header = append(t.Header, "SDMA alone, over BASE", "best case")
	for _, kind := range premKinds {
		t.Header = append(t.Header, "SDMA, "+kind+", over BASE")
	}
	for _, kind := range premKinds {
		t.Header = append(t.Header, "SDMA, "+kind+", over itself")
	}
	t.Header = append(t.Header, "misses")
	for i := range all {
		k := &all[i]
		g := &k.sdma.Guarded.Runs
		cells := []any{k.name(), k.group()}
		for j := range premKinds {
			cells = append(cells, twice(k.besideBase(j)))
		}
		cells = append(cells, twice(k.guarded()), twice(k.best(k.sdma)))
		for j := range premKinds {
			cells = append(cells, twice(k.besideSDMA(j)*k.guarded()))
		}
		for j := range premKinds {
			cells = append(cells, kit.Fixed(k.besideSDMA(j)))
		}
		t.Add(append(cells, fmt.Sprintf("%d/%d/%d", g[0].Misses, g[1].Misses, g[2].Misses))...)
	}
	return t.Render(report.Markdown)
}
