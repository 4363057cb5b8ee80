package report

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/version"
)

// ComparisonDocument is the JSON form of a comparison (docs/json.md).
type ComparisonDocument struct {
	Warpbound version.Info `json:"warpbound"`
	// MachineIdentity is of the first of the GPUs, which are all in GPUs.
	MachineIdentity
	GPUs []MachineIdentity `json:"gpus"`
	// Complete is false where the comparison was cut short: the rows are then those
	// of the launches that were finished.
	Complete  bool               `json:"complete"`
	Rows      []ComparisonRow    `json:"rows"`
	Summaries []analysis.Summary `json:"summaries"` // by GPU, method and policy
	// Summary is over all GPUs and policies: of `best` where it was asked for, otherwise of
	// the last method. Its violations are those of all methods.
	Summary analysis.Summary `json:"summary"`

	rows []analysis.Row
}

// ComparisonRow is one bound beside one simulation. BoundCycles and
// Overestimation are nil where the method gives no bound; Refused then says why.
type ComparisonRow struct {
	Kernel          string      `json:"kernel"`
	Launch          string      `json:"launch"`
	GPU             string      `json:"gpu"`
	Policy          string      `json:"policy"`
	Model           string      `json:"model"`
	Scope           bound.Scope `json:"scope"`
	Method          string      `json:"method"`
	BoundCycles     *int64      `json:"bound_cycles"`
	SimulatedCycles int64       `json:"simulated_cycles"`
	Overestimation  *float64    `json:"overestimation"` // bound / simulated - 1
	Refused         string      `json:"refused,omitempty"`
	Safe            bool        `json:"safe"`
	AllInputs       bool        `json:"holds_for_all_inputs"`
	Claimed         bool        `json:"claimed"`
	Violation       bool        `json:"violation"`
}

// Comparison makes the JSON form of a comparison on machines of different names.
func Comparison(on []*gpu.Description, rows []analysis.Row, complete bool) (*ComparisonDocument, error) {
	var ids []MachineIdentity
	for _, d := range on {
		id, err := identity(d)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	doc := &ComparisonDocument{
		Warpbound: version.Get(), MachineIdentity: ids[0], GPUs: ids, Complete: complete,
		Rows: []ComparisonRow{}, Summaries: append([]analysis.Summary{}, analysis.Summarize(rows)...), rows: rows,
	}
	for i := range rows {
		r := &rows[i]
		row := ComparisonRow{
			Kernel: r.Kernel, Launch: r.Launch, GPU: r.GPU, Policy: r.Policy, Model: r.Model, Scope: r.Scope, Method: r.Method,
			SimulatedCycles: r.SimulatedCycles, Refused: r.Refused,
		}
		if r.Refused == "" {
			row.BoundCycles, row.Overestimation = &r.BoundCycles, &r.Overestimation
			row.Safe, row.AllInputs, row.Claimed, row.Violation = r.Safe, r.AllInputs, r.Claimed, r.Violation()
		}
		doc.Rows = append(doc.Rows, row)
	}
	doc.Summary = overall(rows, doc.Summaries, len(ids))
	return doc, nil
}

// overall sums up the rows of `best`, or of the last method, over all policies.
func overall(rows []analysis.Row, all []analysis.Summary, gpus int) analysis.Summary {
	if len(rows) == 0 {
		return analysis.Summary{Policy: "all"}
	}
	method := rows[len(rows)-1].Method
	for _, r := range rows {
		if r.Method == analysis.Best {
			method = r.Method
		}
	}
	var of []analysis.Row
	for _, r := range rows {
		if r.Method == method {
			if r.Policy = "all"; gpus > 1 {
				r.GPU = "all"
			}
			of = append(of, r)
		}
	}
	sum := analysis.Summarize(of)[0]
	for _, s := range all {
		if s.Method != method {
			sum.Violations += s.Violations
		}
	}
	return sum
}

// thisInput marks a figure that holds for the input of the launch file only.
const thisInput = "THIS INPUT"

// ComparisonText writes a comparison as tables.
func ComparisonText(d *ComparisonDocument) string {
	t := Table{Header: []string{"launch", "kernel", "policy", "method", "bound", "simulated", "overestimation", ""}, Left: []int{1, 2, 3, 7}}
	several := len(d.GPUs) > 1
	if several {
		t.Header, t.Left = slices.Insert(t.Header, 2, "GPU"), []int{1, 2, 3, 4, 8}
	}
	refused := 0
	for i := range d.rows {
		r := &d.rows[i]
		cycles, over := Count(r.BoundCycles), Percent(r.Overestimation)
		if r.Refused != "" {
			cycles, over = "-", "-"
			refused++
		}
		row := []any{strings.TrimSuffix(filepath.Base(r.Launch), ".toml"), r.Kernel, r.Policy, r.Method, cycles, Count(r.SimulatedCycles), over, rowNote(r)}
		if several {
			row = slices.Insert(row, 2, any(r.GPU))
		}
		t.Add(row...)
	}
	s := t.Render(Text)
	if slices.ContainsFunc(d.rows, func(r analysis.Row) bool { return r.Refused == "" && !r.AllInputs }) {
		s += thisInput + ": the figure holds for the input of the launch file only, in the order recorded; others may take longer\n"
	}
	if refused > 0 {
		s += "- the method gives no bound for this scope or GPU; analyze --explain and --json say why\n"
	}
	return s + "\n" + SummaryTable(d.Summaries, Text)
}

// ComparisonCSV writes the rows of a comparison as comma-separated values.
func ComparisonCSV(d *ComparisonDocument) string {
	t := Table{Header: []string{"launch", "kernel", "gpu", "policy", "model", "scope", "method", "bound_cycles", "simulated_cycles", "overestimation", "note", "gpu_settings", "holds_for_all_inputs"}}
	for i := range d.rows {
		r := &d.rows[i]
		cycles, over, note := fmt.Sprint(r.BoundCycles), fmt.Sprintf("%.6f", r.Overestimation), rowNote(r)
		if r.Refused != "" {
			cycles, over, note = "", "", "no bound: "+r.Refused
		}
		t.Add(r.Launch, r.Kernel, r.GPU, r.Policy, r.Model, r.Scope, r.Method, cycles, r.SimulatedCycles, over, note, d.settings(r.GPU), r.Refused == "" && r.AllInputs)
	}
	return t.Render(CSV)
}

// settings are those of a GPU, as they were given.
func (d *ComparisonDocument) settings(name string) string {
	for _, id := range d.GPUs {
		if id.GPU == name {
			return id.settings()
		}
	}
	return ""
}

// rowNote says what is remarkable about a row.
func rowNote(r *analysis.Row) string {
	switch {
	case r.Refused != "":
		return ""
	case r.Violation():
		return "VIOLATED"
	case r.BoundCycles < r.SimulatedCycles && !r.Safe:
		return "exceeded (unsafe bound)"
	case r.BoundCycles < r.SimulatedCycles:
		return "exceeded (not claimed for this model, policy or input)"
	case !r.AllInputs:
		return thisInput
	}
	return ""
}

// SummaryTable writes summaries in the form of Jeanmougin2025's table 3.
func SummaryTable(summaries []analysis.Summary, f Format) string {
	t := Table{Header: []string{"method", "policy", "bounds", "mean", "max", "weighted mean", "stddev", "violations", "exceeded"}, Left: []int{1}}
	several := slices.ContainsFunc(summaries, func(s analysis.Summary) bool { return s.GPU != summaries[0].GPU })
	if several {
		t.Header, t.Left = append([]string{"GPU"}, t.Header...), []int{1, 2}
	}
	for _, s := range summaries {
		row := []any{s.Method, s.Policy, s.Rows, Percent(s.Mean), Percent(s.Max), Percent(s.WeightedMean), Percent(s.StdDev), s.Violations, s.Exceeded}
		if s.Rows == 0 {
			row = []any{s.Method, s.Policy, 0, "-", "-", "-", "-", 0, 0}
		}
		if several {
			row = append([]any{s.GPU}, row...)
		}
		t.Add(row...)
	}
	return t.Render(f)
}
