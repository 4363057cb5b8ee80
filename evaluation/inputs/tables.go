package inputs

import (
	"fmt"
	"path"
	"strings"

	"github.com/warpbound/warpbound/evaluation/internal/kit"
	"github.com/warpbound/warpbound/internal/report"
)

func tables(rows []row) map[string]string {
	return map[string]string{
		"inputs":          summary(rows),
		"inputs-launches": launches(rows),
		"inputs-kernels":  kernels(rows),
	}
}

// suite is where a launch is from.
func (r *row) suite() string {
	s, _, _ := strings.Cut(r.Launch, "/")
	return s
}

// kernel is what the launches have in common that differ in their inputs alone.
func (r *row) kernel() string {
	if r.suite() != "inputs" {
		return strings.TrimSuffix(r.Launch, ".toml")
	}
	entry, _, _ := strings.Cut(kit.Base(r.Launch), "-")
	return path.Join(path.Dir(r.Launch), entry)
}

// worst is the largest of a figure over the inputs of a kernel.
func worst(rows []row, r *row, of func(*row) int64) int64 {
	var most int64
	for i := range rows {
		if x := &rows[i]; x.GPU == r.GPU && x.kernel() == r.kernel() {
			most = max(most, of(x))
		}
	}
	return most
}

func recorded(r *row) int64  { return r.Recorded }
func simulated(r *row) int64 { return r.Simulated }

func pick(rows []row, keep func(*row) bool) []row {
	var out []row
	for i := range rows {
		if keep(&rows[i]) {
			out = append(out, rows[i])
		}
	}
	return out
}

// mean is the geometric mean of the bound over something, where there is a bound.
func mean(rows []row, over func(*row) int64) string {
	if len(rows) == 0 {
		return ""
	}
	return ratio(kit.Geometric(rows, func(r *row) float64 { return float64(r.Bound) / float64(over(r)) }))
}

// closedForm is the geometric mean of the bound in closed form over the other one.
func closedForm(rows []row) string {
	if len(rows) == 0 {
		return ""
	}
	return ratio(kit.Geometric(rows, func(r *row) float64 { return float64(r.Closed) / float64(r.Bound) }))
}

func ratio(x float64) string { return fmt.Sprintf("%.3f", x) }

// summary counts by machine and suite.
func summary(rows []row) string {
	t := report.Table{Left: []int{1}, Header: []string{
		"GPU", "suite", "launches", "path the same for all inputs", "covered", "with bounds on loops", "not covered", "with a bound for all inputs, %",
		"covered: bound / recorded", "bound / recorded of the worst input", "bound / longest simulation of any input",
		"in closed form", "closed form / bound",
	}}
	for _, g := range gpus {
		for _, suite := range []string{"inputs", "basic", "rodinia", "polybench", "sgemm", "huangfu", "units", "all"} {
			of := pick(rows, func(r *row) bool { return r.GPU == g && r.Path != tooLarge && (suite == "all" || r.suite() == suite) })
			bounded := pick(of, func(r *row) bool { return r.Bound > 0 })
			cover := pick(of, func(r *row) bool { return r.Path == covered })
			count := func(keep func(*row) bool) int { return len(pick(of, keep)) }
			t.Add(g, suite, len(of), count(func(r *row) bool { return r.Path == same }), len(cover), count(func(r *row) bool { return r.Loops > 0 }),
				count(func(r *row) bool { return r.Path == notCovered }), kit.Points(float64(len(bounded))/float64(len(of))),
				mean(cover, recorded), mean(cover, func(r *row) int64 { return worst(rows, r, recorded) }),
				mean(cover, func(r *row) int64 { return worst(rows, r, simulated) }),
				count(func(r *row) bool { return r.Closed > 0 }), closedForm(pick(bounded, func(r *row) bool { return r.Closed > 0 })))
		}
	}
	return t.Render(report.Markdown)
}

// launches are those whose path depends on data, on one machine.
func launches(rows []row) string {
	t := report.Table{Left: []int{1, 4}, Header: []string{
		"launch", "path", "bounds on loops", "bound for all inputs", "by", "recorded path", "bound / recorded", "longest simulation", "of any input", "bound / that",
	}}
	for _, r := range pick(rows, func(r *row) bool { return r.GPU == gpus[0] && (r.Path == covered || r.Path == notCovered) }) {
		cells := []any{strings.TrimSuffix(r.Launch, ".toml"), r.Path, r.Loops, "", "", report.Count(r.Recorded), "", report.Count(r.Simulated), "", ""}
		if r.Path == notCovered {
			cells[1] = "not covered: " + r.Reason
		}
		if r.Recorded == 0 {
			cells[5] = ""
		}
		if r.Bound > 0 {
			cells[3], cells[4], cells[6] = report.Count(r.Bound), r.Method, ratio(float64(r.Bound)/float64(r.Recorded))
			most := worst(rows, &r, simulated)
			cells[8], cells[9] = report.Count(most), ratio(float64(r.Bound)/float64(most))
		}
		t.Add(cells...)
	}
	return t.Render(report.Markdown)
}

// kernels are those with several inputs, on all machines.
func kernels(rows []row) string {
	t := report.Table{Header: []string{"kernel", "inputs"}}
	for _, g := range gpus {
		t.Header = append(t.Header, g+": bound", "bound / recorded of the worst input", "bound / longest simulation")
	}
	seen := map[string]bool{}
	for i := range rows {
		r := &rows[i]
		if r.suite() != "inputs" || seen[r.kernel()] {
			continue
		}
		seen[r.kernel()] = true
		cells := []any{path.Base(r.kernel()), len(pick(rows, func(x *row) bool { return x.GPU == r.GPU && x.kernel() == r.kernel() }))}
		for _, g := range gpus {
			of := pick(rows, func(x *row) bool { return x.GPU == g && x.kernel() == r.kernel() })[0]
			if of.Bound == 0 {
				cells = append(cells, "", "", "")
				continue
			}
			cells = append(cells, report.Count(of.Bound), ratio(float64(of.Bound)/float64(worst(rows, &of, recorded))), ratio(float64(of.Bound)/float64(worst(rows, &of, simulated))))
		}
		t.Add(cells...)
	}
	return t.Render(report.Markdown)
}
