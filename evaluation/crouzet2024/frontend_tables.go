package crouzet2024

import (
	"fmt"
	"strings"

	"github.com/warpbound/warpbound/evaluation/internal/kit"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/report"
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

	cachedRows = frontMachine{name: "data caches, rows open in a cycle", gpu: fastRows, caches: true}
	cachedWays = frontMachine{name: "data caches, fully associative", gpu: allWays, caches: true}
)

// frontTables renders the tables of Crouzet2024, by the names of their markers.
func (r *results) frontTables() map[string]string {
	return map[string]string{
		"front-kernels":  r.frontKernelSizes(),
		"front-ipc":      r.frontIPC(),
		"front-errors":   r.frontErrors(),
		"front-swas":     r.frontRatios(),
		"front-policies": r.frontSWaS(),
		"front-best":     r.frontBest(),
		"front-slots":    r.frontSlots(),
		"front-memory":   r.frontMemory(),
		"front-ranks":    r.frontRanks(),
		"front-lacks":    r.frontLacks(),
		"front-factors":  r.frontFactorTable(),
		"front-replays":  r.frontReplays(),
	}
}

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

// byPair tabulates a figure of every kernel, and the mean of all, by pair of
// policies.
func (r *results) byPair(mean string, sum func([]float64, func(*float64) float64) float64, print func(float64) string, of func(on frontMachine, kernel string, p analysis.Pair) float64) string {
	t := report.Table{Header: append(append([]string{"memory", "fetch-issue"}, frontKernels...), mean), Left: []int{1}}
	for _, on := range []frontMachine{constant, cachedDC} {
		for _, p := range analysis.Pairs() {
			cells := []any{on.name, pairName(p)}
			var all []float64
			for _, k := range frontKernels {
				x := of(on, k, p)
				all = append(all, x)
				cells = append(cells, print(x))
			}
			t.Add(append(cells, print(sum(all, func(x *float64) float64 { return *x })))...)
		}
	}
	return t.Render(report.Markdown)
}

// frontIPC is Crouzet2024, Fig. 4.
func (r *results) frontIPC() string {
	return r.byPair("geometric mean", kit.Geometric[float64], hundredth, func(on frontMachine, k string, p analysis.Pair) float64 {
		return r.fronted(on, k, gpu.Baseline, p).ipc()
	})
}

// frontErrors is Crouzet2024, Fig. 5.
func (r *results) frontErrors() string {
	return r.byPair("mean", kit.Mean[float64], kit.Percent, func(on frontMachine, k string, p analysis.Pair) float64 {
		return r.fronted(on, k, gpu.Baseline, p).errorRate()
	})
}

// frontRatios is Crouzet2024, Fig. 6 to 8.
func (r *results) frontRatios() string {
	return r.byPair("geometric mean", kit.Geometric[float64], hundredth, r.swasRatio)
}

// frontSWaS is the IPC of swas by policy, and what went wrong.
func (r *results) frontSWaS() string {
	t := report.Table{Header: append(append([]string{"memory", "policy"}, frontKernels...), "geometric mean", "errors", "cycles with a queue that is not full"), Left: []int{1}}
	for _, on := range []frontMachine{constant, cachedDC} {
		for _, policy := range []string{"lrr", "gtlrr", "gtlo"} {
			cells := []any{on.name, strings.ToUpper(policy)}
			var all []float64
			var errors, broken int64
			for _, k := range frontKernels {
				x := r.fronted(on, k, gpu.SWaS, analysis.Pair{Issue: policy})
				all = append(all, x.ipc())
				cells = append(cells, hundredth(x.ipc()))
				errors += x.Errors
				broken += x.Broken
			}
			t.Add(append(cells, hundredth(kit.Geometric(all, func(x *float64) float64 { return *x })), errors, broken)...)
		}
	}
	return t.Render(report.Markdown)
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
		t.Header = append(t.Header, "errors, "+on.name)
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

// frontKernelSizes is Crouzet2024, Table I, and the properties of the kernels
// that matter here.
func (r *results) frontKernelSizes() string {
	t := report.Table{Header: []string{
		"kernel", "warp instructions, paper", "ours", "from PTX", "lanes that are active", "taken branches", "instructions between them",
		"a load takes, every access hits", "data caches", "four lanes",
	}}
	for _, k := range frontKernels {
		x := r.fronted(constant, k, gpu.Baseline, bestPair)
		cells := []any{
			k, report.Count(paperSWaS[k].instructions), report.Count(x.Warp), report.Count(r.fronted(fromPTX, k, gpu.Baseline, bestPair).Warp),
			kit.Tenth(float64(x.Thread) / float64(x.Warp)), report.Count(x.Taken), kit.Tenth(float64(x.Warp) / float64(x.Taken)),
		}
		for _, on := range []frontMachine{constant, cachedDC, narrow} {
			cells = append(cells, kit.Tenth(r.fronted(on, k, gpu.Baseline, bestPair).latency()))
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

// idle is the cycles that issue nothing.
func (r *fronted) idle() int64 { return r.Cycles - r.Warp - r.NOPs }

// absorbed is the share of the NOPs of swas that found cycles which issue nothing
// in the baseline; the others lengthen the run.
func absorbed(baseline, swas *fronted) float64 {
	return float64(baseline.idle()-swas.idle()) / float64(swas.NOPs)
}

// frontSlots says what the cycles of an issue stage were used for.
func (r *results) frontSlots() string {
	t := report.Table{Header: []string{
		"kernel", "memory", "baseline, cycles", "issued", "no unit", "no operands", "no instruction", "idle after taken branches", "swas, cycles", "NOPs", "NOPs a taken branch",
		"NOPs in idle cycles", "swas over baseline", "at most",
	}, Left: []int{1}}
	for _, k := range frontKernels {
		for _, on := range []frontMachine{constant, cachedDC, narrow} {
			x, y := r.fronted(on, k, gpu.Baseline, bestPair), r.fronted(on, k, gpu.SWaS, bestPair)
			of := func(n int64) string { return kit.Points(float64(n) / float64(x.Cycles)) }
			t.Add(k, on.name, report.Count(x.Cycles), of(x.Warp), of(x.UnitBusy), of(x.Operands), of(x.Instructions),
				kit.Points(float64(x.IdleAfter)/float64(afterBranchCycles*x.Taken)), report.Count(y.Cycles), report.Count(y.NOPs), hundredth(float64(y.NOPs)/float64(y.Taken)), kit.Points(absorbed(x, y)),
				hundredth(y.ipc()/x.ipc()), hundredth(ceiling(x, y)))
		}
	}
	return t.Render(report.Markdown)
}

// frontMemory says what the memory does to the figures.
func (r *results) frontMemory() string {
	t := report.Table{Header: append([]string{"memory", "figure"}, frontKernels...), Left: []int{1}}
	for _, on := range []frontMachine{constant, narrow, cachedDC, cachedRows, cachedWays} {
		for _, f := range []struct {
			name string
			of   func(k string) string
		}{
			{"LRR-GTLRR, IPC", func(k string) string { return hundredth(r.fronted(on, k, gpu.Baseline, bestPair).ipc()) }},
			{"LRR-GTLRR, errors, % of cycles", func(k string) string { return kit.Percent(r.fronted(on, k, gpu.Baseline, bestPair).errorRate()) }},
			{"SWaS over LRR-GTLRR", func(k string) string { return hundredth(r.swasRatio(on, k, bestPair)) }},
			{"SWaS over LRR-GTLO", func(k string) string { return hundredth(r.swasRatio(on, k, worstPair)) }},
		} {
			cells := []any{on.name, f.name}
			for _, k := range frontKernels {
				cells = append(cells, f.of(k))
			}
			t.Add(cells...)
		}
	}
	return t.Render(report.Markdown)
}

// frontRanks is the correlation of Spearman, over the kernels, of IPC and error
// rate.
func (r *results) frontRanks() string {
	t := report.Table{Header: []string{"memory"}}
	for _, p := range analysis.Pairs() {
		t.Header = append(t.Header, pairName(p))
	}
	for _, on := range []frontMachine{constant, cachedDC} {
		cells := []any{on.name}
		for _, p := range analysis.Pairs() {
			var xs, ys []float64
			for _, k := range frontKernels {
				x := r.fronted(on, k, gpu.Baseline, p)
				xs, ys = append(xs, x.ipc()), append(ys, x.errorRate())
			}
			cells = append(cells, hundredth(kit.Correlation(kit.Ranks(xs), kit.Ranks(ys))))
		}
		t.Add(cells...)
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
		of := func(n int64) string { return kit.Points(float64(n) / float64(max(x.Errors, 1))) }
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
		on := frontMachine{gpu: f.GPU}
		cells := []any{f.Name}
		for _, k := range frontKernels {
			cells = append(cells, hundredth(r.swasRatio(on, k, bestPair)))
		}
		x := r.fronted(on, "psort", gpu.Baseline, bestPair)
		t.Add(append(cells, hundredth(r.swasRatio(on, "psort", worstPair)), hundredth(x.ipc()), report.Count(x.Errors))...)
	}
	return t.Render(report.Markdown)
}

// frontReplays compares the replay of the policies with the simulation, and with
// bounds for every policy.
func (r *results) frontReplays() string {
	t := report.Table{Header: []string{"kernel", "form", "swas, GTLRR, simulated", "replayed", "for every policy", "over swas", "without front end", "by", "over swas"}, Left: []int{1, 7}}
	for _, k := range frontKernels {
		for _, on := range []frontMachine{constant, fromPTX} {
			x := r.fronted(on, k, gpu.SWaS, bestPair)
			form, every, above := "RISC-V", "-", "-"
			if on.form == ptx {
				form = "PTX"
			}
			if x.AnyPolicy > 0 {
				every, above = report.Count(x.AnyPolicy), kit.Percent(kit.Over(x.AnyPolicy, x.Cycles))
			}
			t.Add(k, form, report.Count(x.Cycles), report.Count(x.Replay), every, above, report.Count(x.Without), x.Method, kit.Percent(kit.Over(x.Without, x.Cycles)))
		}
	}
	return t.Render(report.Markdown)
}
