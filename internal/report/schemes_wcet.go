package report

import (
	"fmt"
	"strconv"

	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/plot"
)

// SchemeWCET is what is said of the time under the scheme reorder without
// simulating. Unknown and estimated cycles are published figures that claim
// nothing here; null where there are none.
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

// wcetText writes what is foretold beside the simulations, and its means.
func wcetText(d *SchemesDocument) string {
	t := Table{Header: []string{"launch", "L1D", "simulated", unknownName, "over", estimatedName, "over", boundName, "over", ""}, Left: []int{1, 9}}
	for i := range d.Rows {
		w := d.Rows[i].WCET
		if w == nil {
			continue
		}
		row := []any{launchName(d.Rows[i].Launch), d.Rows[i].name(), Count(w.SimulatedCycles)}
		for _, x := range []struct {
			cycles *int64
			over   *float64
		}{{w.UnknownCycles, w.UnknownOverestimation}, {w.EstimatedCycles, w.EstimatedOverestimation}, {w.BoundCycles, w.BoundOverestimation}} {
			if x.cycles == nil {
				row = append(row, "-", "-")
				continue
			}
			row = append(row, Count(*x.cycles), Percent(*x.over))
		}
		t.Add(append(row, wcetNote(w))...)
	}
	m := Table{Header: []string{"L1D", "figures", unknownName, "below", estimatedName, "below", "bounds", boundName, "below", "violations"}}
	for i := range d.WCET {
		s := &d.WCET[i]
		row := []any{s.name(), s.Figures, Percent(s.UnknownOverestimation), s.UnknownBelow, Percent(s.EstimatedOverestimation), s.EstimatedBelow, s.Bounds}
		m.Add(append(row, Percent(s.BoundOverestimation), s.BoundBelow, s.Violations)...)
	}
	return t.Render(Text) + "eq. 3 and 4 are for strict turns, and claim nothing of this scheme\n\n" + m.Render(Text)
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

// cells are the columns of comma-separated values, empty but for the scheme with
// the reordering unit.
func (w *SchemeWCET) cells(scheme string) []string {
	out := make([]string, 4)
	if w == nil || scheme != reorderScheme {
		return out
	}
	for i, x := range []*int64{w.UnknownCycles, w.EstimatedCycles, w.BoundCycles} {
		if x != nil {
			out[i] = strconv.FormatInt(*x, 10)
		}
	}
	out[3] = fmt.Sprint(w.Claimed)
	return out
}

// wcetPanels draw what is foretold over what is simulated, launch by launch.
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
		p := plot.Panel{X: x, Y: plot.Axis{Label: "foretold / simulated cycles"}}
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
