package report

import (
	"slices"

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
		Rows: []ComparisonRow{}, Summaries: append([]analysis.Summary{}, analysis.Summarize(rows)...),
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

// Document gives the comparison its forms.
func (d *ComparisonDocument) Document() *Document {
	rows := d.sheet()
	notes := ""
	if slices.ContainsFunc(d.Rows, func(r ComparisonRow) bool { return r.Refused == "" && !r.AllInputs }) {
		notes += thisInput + ": the figure holds for the input of the launch file only, in the order recorded; others may take longer\n"
	}
	if slices.ContainsFunc(d.Rows, func(r ComparisonRow) bool { return r.Refused != "" }) {
		notes += "- the method gives no bound for this scope or GPU; analyze --explain and --json say why\n"
	}
	return &Document{
		Kind: "compare", Provenance: Written(d.Warpbound, nil, d.GPUs...), JSON: d, Values: rows,
		Sections: []Section{{ID: "rows", Sheet: rows, Notes: notes}, {ID: "summaries", Sheet: summarySheet(d.Summaries)}},
	}
}

// sheet has a row for each launch, GPU, policy and method.
func (d *ComparisonDocument) sheet() *Sheet {
	ofGPU := All
	if len(d.GPUs) < 2 {
		ofGPU = InCSV
	}
	return NewSheet("rows[]", d.Rows, []Of[ComparisonRow]{
		{Column{ID: "launch", Heading: "launch", Type: File}, func(r *ComparisonRow) any { return r.Launch }},
		{Column{ID: "kernel", Heading: "kernel"}, func(r *ComparisonRow) any { return r.Kernel }},
		{Column{ID: "gpu", Heading: "GPU", In: ofGPU}, func(r *ComparisonRow) any { return r.GPU }},
		{Column{ID: "policy", Heading: "policy"}, func(r *ComparisonRow) any { return r.Policy }},
		{Column{ID: "model", In: InCSV}, func(r *ComparisonRow) any { return r.Model }},
		{Column{ID: "scope", In: InCSV}, func(r *ComparisonRow) any { return r.Scope.String() }},
		{Column{ID: "method", Heading: "method"}, func(r *ComparisonRow) any { return r.Method }},
		{Column{ID: "bound_cycles", Heading: "bound", Unit: "cycles", Type: Amount}, func(r *ComparisonRow) any { return maybe(r.BoundCycles) }},
		{Column{ID: "simulated_cycles", Heading: "simulated", Unit: "cycles", Type: Amount}, func(r *ComparisonRow) any { return r.SimulatedCycles }},
		{Column{ID: "overestimation", Heading: "overestimation", Unit: "ratio", Type: Share}, func(r *ComparisonRow) any { return maybe(r.Overestimation) }},
		{Column{ID: "note", In: InText}, func(r *ComparisonRow) any { return r.note() }},
		{Column{ID: "note", In: InCSV}, func(r *ComparisonRow) any {
			if r.Refused != "" {
				return "no bound: " + r.Refused
			}
			return r.note()
		}},
		{Column{ID: "gpu_settings", In: InCSV}, func(r *ComparisonRow) any { return d.settings(r.GPU) }},
		{Column{ID: "holds_for_all_inputs", Type: Flag, In: InCSV}, func(r *ComparisonRow) any { return r.AllInputs }},
	})
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

// note says what is remarkable about a row.
func (r *ComparisonRow) note() string {
	switch {
	case r.BoundCycles == nil:
		return ""
	case r.Violation:
		return "VIOLATED"
	case *r.BoundCycles < r.SimulatedCycles && !r.Safe:
		return "exceeded (unsafe bound)"
	case *r.BoundCycles < r.SimulatedCycles:
		return "exceeded (not claimed for this model, policy or input)"
	case !r.AllInputs:
		return thisInput
	}
	return ""
}

// summarySheet has summaries in the form of Jeanmougin2025's table 3.
func summarySheet(summaries []analysis.Summary) *Sheet {
	ofGPU := InCSV
	if slices.ContainsFunc(summaries, func(s analysis.Summary) bool { return s.GPU != summaries[0].GPU }) {
		ofGPU = All
	}
	share := func(id, heading string, of func(*analysis.Summary) float64) Of[analysis.Summary] {
		return Of[analysis.Summary]{Column{ID: id, Heading: heading, Unit: "ratio", Type: Share}, func(s *analysis.Summary) any {
			if s.Rows == 0 {
				return nil
			}
			return of(s)
		}}
	}
	return NewSheet("summaries[]", summaries, []Of[analysis.Summary]{
		{Column{ID: "gpu", Heading: "GPU", In: ofGPU}, func(s *analysis.Summary) any { return s.GPU }},
		{Column{ID: "method", Heading: "method"}, func(s *analysis.Summary) any { return s.Method }},
		{Column{ID: "policy", Heading: "policy"}, func(s *analysis.Summary) any { return s.Policy }},
		{Column{ID: "rows", Heading: "bounds", Unit: "bounds", Type: Integer}, func(s *analysis.Summary) any { return int64(s.Rows) }},
		share("mean", "mean", func(s *analysis.Summary) float64 { return s.Mean }),
		share("max", "max", func(s *analysis.Summary) float64 { return s.Max }),
		share("weighted_mean", "weighted mean", func(s *analysis.Summary) float64 { return s.WeightedMean }),
		share("stddev", "stddev", func(s *analysis.Summary) float64 { return s.StdDev }),
		{Column{ID: "violations", Heading: "violations", Unit: "bounds", Type: Integer}, func(s *analysis.Summary) any { return int64(s.Violations) }},
		{Column{ID: "exceeded", Heading: "exceeded", Unit: "bounds", Type: Integer}, func(s *analysis.Summary) any { return int64(s.Exceeded) }},
	})
}
