package report

import (
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/plot"
)

// SchemeWCET is the worst-case time predicted for the scheme reorder. Unknown and
// estimated cycles are published estimates, no bounds; null where there are none.
type SchemeWCET struct {
	SimulatedCycles         int64    `json:"simulated_cycles"`
	UnknownCycles           *int64   `json:"unknown_cycles"`
	UnknownOverestimation   *float64 `json:"unknown_overestimation"`
	EstimatedCycles         *int64   `json:"estimated_cycles"`
	EstimatedOverestimation *float64 `json:"estimated_overestimation"`
	NoFigure                string   `json:"no_figure,omitempty"`
	BoundMethod             string   `json:"bound_method,omitempty"`
	BoundCycles             *int64   `json:"bound_cycles"`
	BoundOverestimation     *float64 `json:"bound_overestimation"`
	NoBound                 string   `json:"no_bound,omitempty"`
	Claimed                 bool     `json:"claimed"`
	Violation               bool     `json:"violation"`
}

// WCETSummary is the mean over the launches with one cache.
type WCETSummary struct {
	SchemeCache
	Figures                 int     `json:"figures"`
	UnknownOverestimation   float64 `json:"unknown_overestimation"`
	UnknownBelow            int     `json:"unknown_below"`
	EstimatedOverestimation float64 `json:"estimated_overestimation"`
	EstimatedBelow          int     `json:"estimated_below"`
	Bounds                  int     `json:"bounds"`
	BoundOverestimation     float64 `json:"bound_overestimation"`
	BoundBelow              int     `json:"bound_below"`
	Violations              int     `json:"violations"`
}

func wcetOf(w *analysis.SchemeWCET) *SchemeWCET {
	if w == nil {
		return nil
	}
	out := &SchemeWCET{SimulatedCycles: w.SimulatedCycles, NoFigure: w.NoFigure, NoBound: w.NoBound, Claimed: w.Claimed && w.Bound != nil, Violation: w.Violation()}
	set := func(cycles **int64, over **float64, x int64) {
		o := w.Overestimation(x)
		*cycles, *over = &x, &o
	}
	if w.NoFigure == "" {
		set(&out.UnknownCycles, &out.UnknownOverestimation, w.UnknownCycles)
		set(&out.EstimatedCycles, &out.EstimatedOverestimation, w.EstimatedCycles)
	}
	if w.Bound != nil {
		out.BoundMethod = w.Bound.Method
		set(&out.BoundCycles, &out.BoundOverestimation, w.Bound.Cycles)
	}
	return out
}

func wcetSummaries(rows []analysis.SchemeRow) []WCETSummary {
	out := []WCETSummary{}
	for _, s := range analysis.SummarizeWCET(rows) {
		out = append(out, WCETSummary{
			SchemeCache: schemeCache(&s.Config),
			Figures:     s.Figures, UnknownOverestimation: s.Unknown, UnknownBelow: s.UnknownBelow, EstimatedOverestimation: s.Estimated, EstimatedBelow: s.EstimatedBelow,
			Bounds: s.Bounds, BoundOverestimation: s.Bound, BoundBelow: s.BoundBelow, Violations: s.Violations,
		})
	}
	return out
}

// reorderScheme is the scheme that the figures are for.
const reorderScheme = "reorder"

// The names of the three in tables and pictures.
const (
	unknownName   = "eq. 3 (estimate)"
	estimatedName = "eq. 4 (estimate)"
	boundName     = "ordered (bound)"
)

// wcetSections have the predicted times beside the simulated ones, and their means.
func (d *SchemesDocument) wcetSections() []Section {
	var rows []*SchemeRow
	for i := range d.Rows {
		if d.Rows[i].WCET != nil {
			rows = append(rows, &d.Rows[i])
		}
	}
	columns := []Of[*SchemeRow]{
		{Column{ID: "launch", Heading: "launch", Type: File}, func(r **SchemeRow) any { return (*r).Launch }},
		{Column{ID: "cache", Heading: "L1D"}, func(r **SchemeRow) any { return (*r).name() }},
		{Column{ID: "simulated_cycles", JSON: "wcet.simulated_cycles", Heading: "simulated", Unit: "cycles", Type: Amount}, func(r **SchemeRow) any { return (*r).WCET.SimulatedCycles }},
	}
	for _, x := range []struct {
		id, heading string
		cycles      func(*SchemeWCET) *int64
		over        func(*SchemeWCET) *float64
	}{
		{"unknown", unknownName, func(w *SchemeWCET) *int64 { return w.UnknownCycles }, func(w *SchemeWCET) *float64 { return w.UnknownOverestimation }},
		{"estimated", estimatedName, func(w *SchemeWCET) *int64 { return w.EstimatedCycles }, func(w *SchemeWCET) *float64 { return w.EstimatedOverestimation }},
		{"bound", boundName, func(w *SchemeWCET) *int64 { return w.BoundCycles }, func(w *SchemeWCET) *float64 { return w.BoundOverestimation }},
	} {
		columns = append(columns,
			Of[*SchemeRow]{Column{ID: x.id + "_cycles", JSON: "wcet." + x.id + "_cycles", Heading: x.heading, Unit: "cycles", Type: Amount}, func(r **SchemeRow) any { return maybe(x.cycles((*r).WCET)) }},
			Of[*SchemeRow]{Column{ID: x.id + "_overestimation", JSON: "wcet." + x.id + "_overestimation", Heading: "over", Unit: "ratio", Type: Share}, func(r **SchemeRow) any { return maybe(x.over((*r).WCET)) }})
	}
	columns = append(columns, Of[*SchemeRow]{Column{ID: "note"}, func(r **SchemeRow) any { return wcetNote((*r).WCET) }})
	count := func(id, heading string, of func(*WCETSummary) int) Of[WCETSummary] {
		return Of[WCETSummary]{Column{ID: id, Heading: heading, Unit: "launches", Type: Integer}, func(s *WCETSummary) any { return int64(of(s)) }}
	}
	over := func(id, heading string, of func(*WCETSummary) float64) Of[WCETSummary] {
		return Of[WCETSummary]{Column{ID: id, Heading: heading, Unit: "ratio", Type: Share}, func(s *WCETSummary) any { return of(s) }}
	}
	means := NewSheet("wcet_summaries[]", d.WCET, []Of[WCETSummary]{
		{Column{ID: "cache", Heading: "L1D"}, func(s *WCETSummary) any { return s.name() }},
		count("figures", "figures", func(s *WCETSummary) int { return s.Figures }),
		over("unknown_overestimation", unknownName, func(s *WCETSummary) float64 { return s.UnknownOverestimation }),
		count("unknown_below", "below", func(s *WCETSummary) int { return s.UnknownBelow }),
		over("estimated_overestimation", estimatedName, func(s *WCETSummary) float64 { return s.EstimatedOverestimation }),
		count("estimated_below", "below", func(s *WCETSummary) int { return s.EstimatedBelow }),
		count("bounds", "bounds", func(s *WCETSummary) int { return s.Bounds }),
		over("bound_overestimation", boundName, func(s *WCETSummary) float64 { return s.BoundOverestimation }),
		count("bound_below", "below", func(s *WCETSummary) int { return s.BoundBelow }),
		count("violations", "violations", func(s *WCETSummary) int { return s.Violations }),
	})
	return []Section{
		{ID: "wcet", Sheet: NewSheet("", rows, columns), Notes: "eq. 3 and 4 are for strict turns, and claim nothing of this scheme\n"},
		{ID: "wcet_summaries", Sheet: means},
	}
}

func wcetNote(w *SchemeWCET) string {
	switch {
	case w.Violation:
		return "VIOLATED"
	case w.BoundCycles == nil:
		return "no bound: " + w.NoBound
	case !w.Claimed:
		return "bound not claimed"
	}
	return ""
}

// wcetPanels draw predicted over simulated cycles, launch by launch.
func wcetPanels(rows []*SchemeRow, cache string) []plot.Panel {
	var panels []plot.Panel
	for from := 0; from < len(rows); from += launchesOfPanel {
		x := plot.Axis{Label: "launch, " + cache + " (kB/ways)"}
		points := make([][]plot.Point, 3)
		for i, r := range rows[from:min(from+launchesOfPanel, len(rows))] {
			x.Names = append(x.Names, launchName(r.Launch))
			if r.WCET == nil {
				continue
			}
			for j, over := range []*float64{r.WCET.UnknownOverestimation, r.WCET.EstimatedOverestimation, r.WCET.BoundOverestimation} {
				if over != nil {
					points[j] = append(points[j], plot.Point{X: float64(i), Y: 1 + *over})
				}
			}
		}
		p := plot.Panel{X: x, Y: plot.Axis{Label: "predicted / simulated cycles"}}
		for j, name := range []string{unknownName, estimatedName, boundName} {
			if len(points[j]) > 0 {
				p.Series = append(p.Series, plot.Series{Name: name, Style: plot.Bars, Points: points[j]})
			}
		}
		if len(p.Series) > 0 {
			panels = append(panels, p)
		}
	}
	return panels
}
