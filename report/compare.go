package report

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/warpbound/warpbound/analysis"
	"github.com/warpbound/warpbound/internal/version"
)

// ComparisonDocument is the JSON form of a comparison (docs/json.md).
type ComparisonDocument struct {
	Warpbound version.Info       `json:"warpbound"`
	Rows      []analysis.Row     `json:"rows"`
	Summaries []analysis.Summary `json:"summaries"` // by method and policy
	// Summary is that of the last method over all policies: of `best` unless
	// another was asked for last.
	Summary analysis.Summary `json:"summary"`
}

// Comparison makes the JSON form of a comparison.
func Comparison(rows []analysis.Row) *ComparisonDocument {
	d := &ComparisonDocument{Warpbound: version.Get(), Rows: rows, Summaries: analysis.Summarize(rows)}
	if len(rows) == 0 {
		d.Rows, d.Summaries = []analysis.Row{}, []analysis.Summary{}
		return d
	}
	last := rows[len(rows)-1].Method
	var of []analysis.Row
	for _, r := range rows {
		if r.Method == last {
			r.Policy = "all"
			of = append(of, r)
		}
	}
	d.Summary = analysis.Summarize(of)[0]
	for _, s := range d.Summaries {
		if s.Method != last {
			d.Summary.Violations += s.Violations
		}
	}
	return d
}

// ComparisonText writes a comparison as tables, or its rows as CSV.
func ComparisonText(d *ComparisonDocument, csv bool) string {
	t := Table{Header: []string{"launch", "kernel", "policy", "method", "bound", "simulated", "overestimation", ""}, Left: []int{1, 2, 3, 7}}
	for i := range d.Rows {
		r := &d.Rows[i]
		note := ""
		switch {
		case r.Violation():
			note = "VIOLATED"
		case r.BoundCycles < r.SimulatedCycles && !r.Safe:
			note = "exceeded (unsafe bound)"
		case r.BoundCycles < r.SimulatedCycles:
			note = "exceeded (not claimed for this model or policy)"
		}
		if csv {
			t.Add(r.Launch, r.Kernel, r.Policy, r.Method, r.BoundCycles, r.SimulatedCycles, fmt.Sprintf("%.6f", r.Overestimation), note)
			continue
		}
		t.Add(strings.TrimSuffix(filepath.Base(r.Launch), ".toml"), r.Kernel, r.Policy, r.Method, Count(r.BoundCycles), Count(r.SimulatedCycles), Percent(r.Overestimation), note)
	}
	if csv {
		t.Header[7] = "note"
		return t.Render(CSV)
	}
	return t.Render(Text) + "\n" + SummaryTable(d.Summaries, Text)
}

// SummaryTable writes summaries in the form of Jeanmougin2025's table 3.
func SummaryTable(summaries []analysis.Summary, f Format) string {
	t := Table{Header: []string{"method", "policy", "launches", "mean", "max", "weighted mean", "stddev", "violations", "exceeded"}, Left: []int{1}}
	for _, s := range summaries {
		t.Add(s.Method, s.Policy, s.Rows, Percent(s.Mean), Percent(s.Max), Percent(s.WeightedMean), Percent(s.StdDev), s.Violations, s.Exceeded)
	}
	return t.Render(f)
}
