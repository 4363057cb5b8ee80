package jeanmougin2025

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/evaluation/internal/kit"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/report"
)

// tables renders every table, by the name of its marker.
func (r *results) tables() map[string]string {
	return map[string]string{
		"rodinia":  r.table3(),
		"methods":  r.methods(),
		"naive":    r.table4("naive"),
		"double":   r.table4("double"),
		"blocks":   r.anatomies(),
		"sections": r.tails(),
		"policies": r.underPolicies(),
		"launches": r.wholeLaunches(),
		"pipeline": r.pipelines(),
	}
}

// of picks a bound of a row: the published one or the best.
type of func(*row) int64

func gub(r *row) int64  { return r.GUB }
func best(r *row) int64 { return r.Best }

// summary sums up one bound over the rows that have it, as the compare command
// does.
func summary(rows []row, bound of) (analysis.Summary, bool) {
	var out []analysis.Row
	for i := range rows {
		r := &rows[i]
		b := bound(r)
		if b == 0 {
			continue
		}
		out = append(out, analysis.Row{
			BoundCycles: b, SimulatedCycles: r.Simulated, Overestimation: float64(b)/float64(r.Simulated) - 1,
		})
	}
	if len(out) == 0 {
		return analysis.Summary{}, false
	}
	return analysis.Summarize(out)[0], true
}

func pick(rows []row, keep func(*row) bool) []row {
	var out []row
	for i := range rows {
		if keep(&rows[i]) {
			out = append(out, rows[i])
		}
	}
	return out
}

func percents(s analysis.Summary) []any {
	return []any{kit.Percent(s.Mean), kit.Percent(s.Max), kit.Percent(s.WeightedMean), kit.Percent(s.StdDev)}
}

// table3 is Jeanmougin2025, table 3, with our figures beside the paper's.
func (r *results) table3() string {
	t := report.Table{Left: []int{1}, Header: []string{"latency", "policy"}}
	for _, who := range []string{"paper", "gub", "best"} {
		for _, what := range []string{"mean", "max", "weighted", "stddev"} {
			t.Header = append(t.Header, who+" "+what)
		}
	}
	for _, latency := range latencies {
		for _, policy := range []string{"lrr", "gto", ""} {
			f := paperTable3[latency][policy]
			scope, name := bound.Block, strings.ToUpper(policy)
			if policy == "" {
				scope, name = bound.Warp, "single warp"
			}
			rows := pick(r.rodinia, func(x *row) bool {
				return x.GPU == ecrts(latency) && x.Scope == scope.String() && (policy == "" || x.Policy == policy)
			})
			cells := []any{latency, name}
			for _, v := range []float64{f.mean, f.max, f.weighted, f.stddev} {
				cells = append(cells, fmt.Sprintf("%.2f", v))
			}
			for _, b := range []of{gub, best} {
				s, _ := summary(rows, b)
				cells = append(cells, percents(s)...)
			}
			t.Add(cells...)
		}
	}
	return t.Render(report.Markdown)
}

// methods compares the best bound with the published one, and counts by which
// method it is.
func (r *results) methods() string {
	t := report.Table{Header: []string{"latency", "best below gub", "equal", "above"}}
	for _, m := range analysis.General() {
		t.Header = append(t.Header, "by "+m)
	}
	for _, latency := range latencies {
		var below, equal, above int
		by := map[string]int{}
		for _, x := range r.rodinia {
			if x.GPU != ecrts(latency) || x.Scope != bound.Block.String() || x.Policy != policies[0].Name {
				continue
			}
			switch {
			case x.Best < x.GUB:
				below++
			case x.Best == x.GUB:
				equal++
			default:
				above++
			}
			by[x.Method]++
		}
		cells := []any{latency, below, equal, above}
		for _, m := range analysis.General() {
			cells = append(cells, by[m])
		}
		t.Add(cells...)
	}
	return t.Render(report.Markdown)
}

// table4Latencies are the rows of table 4 on the page; the data file has all.
var table4Latencies = []int{400, 200, 5}

// table4 is one half of Jeanmougin2025, table 4.
func (r *results) table4(variant string) string {
	t := report.Table{Header: []string{"latency", "bound", "policy"}, Left: []int{1, 2}}
	for _, w := range paperWarps {
		t.Header = append(t.Header, fmt.Sprintf("%d warps", w))
	}
	for _, latency := range table4Latencies {
		cells := []any{latency, "gub, paper", "not stated"}
		for _, v := range paperTable4[variant][latency] {
			cells = append(cells, fmt.Sprintf("%.2f", v))
		}
		t.Add(cells...)
		for _, b := range []struct {
			name string
			of   of
		}{{"gub", gub}, {"best", best}} {
			for _, p := range policies {
				cells := []any{latency, b.name, strings.ToUpper(p.Name)}
				for _, w := range paperWarps {
					launch := fmt.Sprintf("sgemm/%s/sgemm_%s_%d.toml", variant, variant, w)
					rows := pick(r.sgemm, func(x *row) bool {
						return x.GPU == ecrts(latency) && x.Launch == launch && x.Policy == p.Name
					})
					s, _ := summary(rows, b.of)
					cells = append(cells, kit.Percent(s.Mean))
				}
				t.Add(cells...)
			}
		}
	}
	return t.Render(report.Markdown)
}

// distinct leaves out launches whose block equals that of another one: the same
// kernel with the same figures.
func distinct(blocks []block) []block {
	seen := map[block]bool{}
	var out []block
	for _, b := range blocks {
		key := b
		key.Launch = path.Dir(b.Launch)
		if !seen[key] {
			seen[key] = true
			out = append(out, b)
		}
	}
	return out
}

// hideable is the time that the published bound adds up although it may pass at
// once: the slowest warp's idle time and the execution of the others.
func (b *block) hideable() int64 { return min(b.Idle, b.Others) }

// listed is how many blocks the anatomy shows.
const listed = 16

// anatomies lists the blocks with the largest overestimation, and how much of it
// over all blocks is hidden latency.
func (r *results) anatomies() string {
	blocks := distinct(r.blocks)
	slices.SortStableFunc(blocks, func(a, b block) int {
		return cmp.Compare(float64(b.GUB)/float64(b.Simulated), float64(a.GUB)/float64(a.Simulated))
	})
	t := report.Table{
		Header: []string{"launch", "warps", "simulated", "gub", "best", "method", "slowest warp", "of it idle", "other warps", "busiest unit", "its cycles", "gub over", "best over"},
		Left:   []int{5, 9},
	}
	for i := range blocks {
		b := &blocks[i]
		if i == listed {
			break
		}
		t.Add(kit.Base(b.Launch), b.Warps, b.Simulated, b.GUB, b.Best, b.Method, b.Own, b.Idle, b.Others, b.Unit, b.UnitCycles,
			kit.Percent(kit.Over(b.GUB, b.Simulated)), kit.Percent(kit.Over(b.Best, b.Simulated)))
	}
	var found, could int64
	var xs, ys []float64
	for i := range blocks {
		b := &blocks[i]
		found += b.GUB - b.Simulated
		could += b.hideable()
		xs = append(xs, float64(b.hideable())/float64(b.Simulated))
		ys = append(ys, kit.Over(b.GUB, b.Simulated))
	}
	return t.Render(report.Markdown) + fmt.Sprintf(
		"\nOver the %d distinct blocks, `gub` exceeds the simulation by %s cycles in all; min(idle of the slowest warp, execution of the others) is %s. The correlation of the two, each over the simulated time, is %.2f.\n",
		len(blocks), report.Count(found), report.Count(could), kit.Correlation(xs, ys))
}

// tails lists the blocks in which ending sections at barriers costs most.
func (r *results) tails() string {
	blocks := distinct(r.blocks)
	share := func(b *block) float64 { return float64(b.Own-b.Alone) / float64(b.Simulated) }
	slices.SortStableFunc(blocks, func(a, b block) int { return cmp.Compare(share(&b), share(&a)) })
	t := report.Table{Header: []string{"launch", "warps", "simulated", "slowest warp, section by section", "alone", "difference", "of simulated"}}
	var sum float64
	with := 0
	for i := range blocks {
		b := &blocks[i]
		sum += share(b)
		if b.Own == b.Alone {
			continue
		}
		with++
		if with <= 8 {
			t.Add(kit.Base(b.Launch), b.Warps, b.Simulated, b.Own, b.Alone, b.Own-b.Alone, kit.Percent(share(b)))
		}
	}
	return t.Render(report.Markdown) + fmt.Sprintf("\nIn %d of %d distinct blocks sections cost anything; the mean over all is %s %% of the simulated time.\n",
		with, len(blocks), kit.Percent(sum/float64(len(blocks))))
}

// underPolicies sums up the blocks under many policies, and under the slowest of
// them for each launch.
func (r *results) underPolicies() string {
	slowest := map[string]int64{}
	for _, x := range r.policies {
		slowest[x.Launch] = max(slowest[x.Launch], x.Simulated)
	}
	t := report.Table{Header: []string{"policy", "mean", "max", "weighted", "stddev", "slowest in"}}
	var worst []row
	seen := map[string]bool{}
	for _, p := range strings.Fields(manyPolicies) {
		rows := pick(r.policies, func(x *row) bool { return x.Policy == p })
		n := 0
		for _, x := range rows {
			if x.Simulated != slowest[x.Launch] {
				continue
			}
			n++
			if !seen[x.Launch] {
				seen[x.Launch] = true
				worst = append(worst, x)
			}
		}
		s, _ := summary(rows, best)
		t.Add(append(append([]any{p}, percents(s)...), n)...)
	}
	s, _ := summary(worst, best)
	t.Add(append(append([]any{"the slowest of these"}, percents(s)...), len(worst))...)
	return t.Render(report.Markdown)
}

var suites = []string{"basic", "rodinia", "polybench", "sgemm"}

// wholeLaunches sums up whole launches by machine and suite.
func (r *results) wholeLaunches() string {
	t := report.Table{Header: []string{"GPU", "suite", "policy", "launches", "mean", "max", "weighted", "stddev", "gub exceeded", "by method"}, Left: []int{1, 2, 9}}
	for _, g := range wholeLaunchGPUs {
		for _, suite := range append(slices.Clone(suites), "all") {
			for _, p := range policies {
				rows := pick(r.launches, func(x *row) bool {
					return x.GPU == g && x.Policy == p.Name && (suite == "all" || strings.HasPrefix(x.Launch, suite+"/"))
				})
				s, ok := summary(rows, best)
				if !ok {
					continue
				}
				cells := append([]any{g, suite, strings.ToUpper(p.Name), s.Rows}, percents(s)...)
				published, _ := summary(rows, gub)
				exceeded := fmt.Sprintf("%d of %d", published.Exceeded, published.Rows)
				t.Add(append(cells, exceeded, byMethod(rows))...)
			}
		}
	}
	return t.Render(report.Markdown)
}

// byMethod counts which methods the best bounds come from.
func byMethod(rows []row) string {
	count := map[string]int{}
	for _, r := range rows {
		count[r.Method]++
	}
	var parts []string
	for _, m := range analysis.General() {
		if n := count[m]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", m, n))
		}
	}
	return strings.Join(parts, ", ")
}

// pipelines sets the same bounds beside the pipeline model.
func (r *results) pipelines() string {
	t := report.Table{
		Header: []string{"machine", "scope", "policy", "bound", "launches", "mean", "smallest", "largest", "below the simulation"}, Left: []int{1, 2, 3},
	}
	for _, scope := range []bound.Scope{bound.Warp, bound.Block, bound.Kernel} {
		for _, g := range append([]string{undrained}, wholeLaunchGPUs...) {
			for _, p := range policies {
				rows := pick(r.pipeline, func(x *row) bool { return x.GPU == g && x.Policy == p.Name && x.Scope == scope.String() })
				for _, b := range []struct {
					name string
					of   of
				}{{"gub", gub}, {"best", best}} {
					s, ok := summary(rows, b.of)
					if !ok || scope == bound.Kernel && b.name == "gub" {
						continue
					}
					least := math.Inf(1)
					for i := range rows {
						if n := b.of(&rows[i]); n > 0 {
							least = min(least, kit.Over(n, rows[i].Simulated))
						}
					}
					t.Add(strings.Replace(g, " pipeline.store_drain_cycles=0", ", stores acknowledged at once", 1), scopeNames[scope], strings.ToUpper(p.Name), b.name,
						s.Rows, kit.Percent(s.Mean), kit.Percent(least), kit.Percent(s.Max), s.Exceeded)
				}
			}
		}
	}
	return t.Render(report.Markdown)
}

var scopeNames = map[bound.Scope]string{bound.Warp: "one warp", bound.Block: "one block", bound.Kernel: "launch"}
