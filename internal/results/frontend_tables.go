package main

import (
	"fmt"
	"strings"

	"github.com/warpbound/warpbound/analysis"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/report"
)

// frontMachine is a column of the tables: a machine, with data caches or
// without, and a form of the kernels.
type frontMachine struct {
	name, gpu string
	caches    bool
	form      string
}

var (
	constant = frontMachine{name: "every access hits", gpu: vortex}
	cachedDC = frontMachine{name: "data caches", gpu: vortex, caches: true}
	narrow   = frontMachine{name: "four lanes", gpu: fourLanes}
	fromPTX  = frontMachine{name: "from PTX", gpu: vortex, form: ptx}
)

// fronted finds a simulation, nil where there is none.
func (r *results) fronted(on frontMachine, kernel, variant string, p analysis.Pair) *fronted {
	if variant == gpu.SWaS {
		p.Fetch = p.Issue
	}
	for i := range r.frontend {
		x := &r.frontend[i]
		if x.GPU == on.gpu && (x.Caches == "yes") == on.caches && x.Launch == kernelFile(kernel, on.form) && x.Variant == variant && x.Fetch == p.Fetch && x.Issue == p.Issue {
			return x
		}
	}
	return nil
}

// swasRatio is the IPC of swas over that of a pair of policies.
func (r *results) swasRatio(on frontMachine, kernel string, p analysis.Pair) float64 {
	return r.fronted(on, kernel, gpu.SWaS, p).ipc() / r.fronted(on, kernel, gpu.Baseline, p).ipc()
}

func pairName(p analysis.Pair) string { return strings.ToUpper(p.Fetch + "-" + p.Issue) }

func hundredth(x float64) string { return fmt.Sprintf("%.2f", x) }

// byPair sets a figure of every kernel beside every pair of policies.
func (r *results) byPair(of func(on frontMachine, kernel string, p analysis.Pair) string) string {
	t := report.Table{Header: append([]string{"memory", "fetch-issue"}, frontKernels...), Left: []int{1}}
	for _, on := range []frontMachine{constant, cachedDC} {
		for _, p := range analysis.Pairs() {
			cells := []any{on.name, pairName(p)}
			for _, k := range frontKernels {
				cells = append(cells, of(on, k, p))
			}
			t.Add(cells...)
		}
	}
	return t.Render(report.Markdown)
}

// frontIPC is Crouzet2024, Fig. 4.
func (r *results) frontIPC() string {
	return r.byPair(func(on frontMachine, k string, p analysis.Pair) string {
		return hundredth(r.fronted(on, k, gpu.Baseline, p).ipc())
	})
}

// frontErrors is Crouzet2024, Fig. 5.
func (r *results) frontErrors() string {
	return r.byPair(func(on frontMachine, k string, p analysis.Pair) string {
		return percent(r.fronted(on, k, gpu.Baseline, p).errorRate())
	})
}

// frontRatios is Crouzet2024, Fig. 6 to 8.
func (r *results) frontRatios() string {
	return r.byPair(func(on frontMachine, k string, p analysis.Pair) string {
		return hundredth(r.swasRatio(on, k, p))
	})
}

// frontBest is Crouzet2024, Table II.
func (r *results) frontBest() string {
	machines := []frontMachine{constant, cachedDC, narrow, fromPTX}
	t := report.Table{Header: []string{"kernel", "SWaS over baseline, paper"}}
	for _, on := range machines {
		t.Header = append(t.Header, on.name)
	}
	t.Header = append(t.Header, "errors, paper")
	for _, on := range machines {
		t.Header = append(t.Header, on.name)
	}
	for _, k := range frontKernels {
		said := paperSWaS[k]
		cells := []any{k, hundredth(said.ratio)}
		for _, on := range machines {
			cells = append(cells, hundredth(r.swasRatio(on, k, bestPair)))
		}
		cells = append(cells, report.Count(said.errors))
		for _, on := range machines {
			cells = append(cells, report.Count(r.fronted(on, k, gpu.Baseline, bestPair).Errors))
		}
		t.Add(cells...)
	}
	return t.Render(report.Markdown)
}

// frontKernelSizes is Crouzet2024, Table I, and what of the kernels matters here.
func (r *results) frontKernelSizes() string {
	t := report.Table{Header: []string{
		"kernel", "warp instructions, paper", "ours", "from PTX", "lanes that are active", "taken branches", "instructions between them",
		"a load takes, every access hits", "data caches", "four lanes",
	}}
	for _, k := range frontKernels {
		x := r.fronted(constant, k, gpu.Baseline, bestPair)
		cells := []any{
			k, report.Count(paperSWaS[k].instructions), report.Count(x.Warp), report.Count(r.fronted(fromPTX, k, gpu.Baseline, bestPair).Warp),
			tenth(float64(x.Thread) / float64(x.Warp)), report.Count(x.Taken), tenth(float64(x.Warp) / float64(x.Taken)),
		}
		for _, on := range []frontMachine{constant, cachedDC, narrow} {
			cells = append(cells, tenth(r.fronted(on, k, gpu.Baseline, bestPair).latency()))
		}
		t.Add(cells...)
	}
	return t.Render(report.Markdown)
}

// ceiling is what swas can reach of the IPC of the baseline if each of its
// instructions and NOPs takes a cycle and nothing else does.
func ceiling(baseline, swas *fronted) float64 {
	return min(1, float64(baseline.Cycles)/float64(swas.Warp+swas.NOPs))
}

// frontSlots says what the cycles of an issue stage were used for.
func (r *results) frontSlots() string {
	t := report.Table{Header: []string{
		"kernel", "memory", "baseline, cycles", "issued", "no unit", "no operands", "no instruction", "swas, cycles", "NOPs", "NOPs a taken branch", "issued with NOPs", "swas over baseline", "at most",
	}, Left: []int{1}}
	for _, k := range frontKernels {
		for _, on := range []frontMachine{constant, cachedDC, narrow} {
			x, y := r.fronted(on, k, gpu.Baseline, bestPair), r.fronted(on, k, gpu.SWaS, bestPair)
			of := func(n int64, r *fronted) string { return points(float64(n) / float64(r.Cycles)) }
			t.Add(k, on.name, report.Count(x.Cycles), of(x.Warp, x), of(x.UnitBusy, x), of(x.Operands, x), of(x.Instructions, x),
				report.Count(y.Cycles), report.Count(y.NOPs), hundredth(float64(y.NOPs)/float64(y.Taken)), of(y.Warp+y.NOPs, y),
				hundredth(y.ipc()/x.ipc()), hundredth(ceiling(x, y)))
		}
	}
	return t.Render(report.Markdown)
}

// frontLacks says what the warp lacked that should have issued: of each kernel
// under the best pair, and of psort under all.
func (r *results) frontLacks() string {
	t := report.Table{Header: []string{
		"kernel", "fetch-issue", "errors", "an issued instruction", "since a taken branch none", "not requested", "requested", "has it", "fetched in vain, a taken branch",
	}, Left: []int{1}}
	add := func(k string, p analysis.Pair) {
		x := r.fronted(constant, k, gpu.Baseline, p)
		of := func(n int64) string { return points(float64(n) / float64(max(x.Errors, 1))) }
		t.Add(k, pairName(p), report.Count(x.Errors), hundredth(float64(x.Errors)/float64(x.Warp)), of(x.LackAfterBranch), of(x.LackFetch), of(x.LackFlight), of(x.LackNothing),
			hundredth(float64(x.Discarded)/float64(x.Taken)))
	}
	for _, k := range frontKernels {
		add(k, bestPair)
	}
	for _, p := range analysis.Pairs() {
		if p != bestPair {
			add("psort", p)
		}
	}
	return t.Render(report.Markdown)
}

// frontFactorTable says what changes of the machine do to swas.
func (r *results) frontFactorTable() string {
	t := report.Table{Header: append(append([]string{"machine"}, frontKernels...), "psort, GTLO", "psort, LRR-GTLRR: IPC", "errors")}
	for _, f := range frontFactors {
		on := frontMachine{gpu: f.gpu}
		cells := []any{f.name}
		for _, k := range frontKernels {
			cells = append(cells, hundredth(r.swasRatio(on, k, bestPair)))
		}
		x := r.fronted(on, "psort", gpu.Baseline, bestPair)
		t.Add(append(cells, hundredth(r.swasRatio(on, "psort", oldPair)), hundredth(x.ipc()), report.Count(x.Errors))...)
	}
	return t.Render(report.Markdown)
}

// frontReplays sets the replay of the policies beside the simulation, and beside
// bounds for every policy.
func (r *results) frontReplays() string {
	t := report.Table{Header: []string{"kernel", "form", "swas, GTLRR, simulated", "replayed", "smallest bound for every policy", "by", "over swas"}, Left: []int{1, 5}}
	for _, k := range frontKernels {
		for _, on := range []frontMachine{constant, fromPTX} {
			x := r.fronted(on, k, gpu.SWaS, bestPair)
			form := "RISC-V"
			if on.form == ptx {
				form = "PTX"
			}
			t.Add(k, form, report.Count(x.Cycles), report.Count(x.Replay), report.Count(x.Agnostic), x.Method, percent(over(x.Agnostic, x.Cycles)))
		}
	}
	return t.Render(report.Markdown)
}
