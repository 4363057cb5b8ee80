package report

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/cache"
	"github.com/warpbound/warpbound/internal/plot"
	"github.com/warpbound/warpbound/internal/version"
)

// SchemesDocument is the JSON form of a comparison of schemes (docs/json.md).
type SchemesDocument struct {
	Warpbound version.Info `json:"warpbound"`
	MachineIdentity
	Batches bool `json:"batches"`
	// Complete is false where the comparison was cut short: the rows are then those
	// of the launches that were finished.
	Complete  bool            `json:"complete"`
	Rows      []SchemeRow     `json:"rows"`
	Summaries []SchemeSummary `json:"summaries"` // by cache and scheme
	// WCET sums up the times foretold for the scheme reorder, by cache; empty
	// unless asked for.
	WCET []WCETSummary `json:"wcet_summaries"`
}

// SchemeCache is a cache that rows are about.
type SchemeCache struct {
	SizeBytes   int64  `json:"size_bytes"`
	Sets        int    `json:"sets"`
	Ways        int    `json:"ways"`
	LineBytes   int    `json:"line_bytes"`
	Replacement string `json:"replacement"`
	Index       string `json:"index"`
}

// SchemeRow is one launch with one cache. Refused says why it has no runs.
type SchemeRow struct {
	Launch string `json:"launch"`
	Kernel string `json:"kernel"`
	SchemeCache
	Blocks    int64       `json:"blocks"`
	Rounds    int64       `json:"rounds"`
	Exact     bool        `json:"exact"`
	Estimated CacheTally  `json:"estimated"`
	Runs      []SchemeRun `json:"runs"`
	WCET      *SchemeWCET `json:"wcet,omitempty"`
	Refused   string      `json:"refused,omitempty"`
}

// SchemeRun is one simulation. Ratio is null where nothing missed.
type SchemeRun struct {
	Scheme     string     `json:"scheme"`
	Policy     string     `json:"policy"`
	Model      string     `json:"model"`
	Cycles     int64      `json:"cycles"`
	Normalised float64    `json:"normalised"`
	Simulated  CacheTally `json:"simulated"`
	Ratio      *float64   `json:"ratio"`
}

// SchemeSummary is the mean over the launches with runs.
type SchemeSummary struct {
	Scheme string `json:"scheme"`
	SchemeCache
	Rows              int      `json:"rows"`
	Mean              float64  `json:"mean"`
	GeometricMean     float64  `json:"geometric_mean"`
	Ratio             *float64 `json:"ratio"`
	EstimatedMissRate float64  `json:"estimated_miss_rate"`
	SimulatedMissRate float64  `json:"simulated_miss_rate"`
}

// SchemesOf makes the JSON form of a comparison on a machine.
func SchemesOf(d *gpu.Description, rows []analysis.SchemeRow, batches, complete bool) (*SchemesDocument, error) {
	id, err := identity(d)
	if err != nil {
		return nil, err
	}
	doc := &SchemesDocument{Warpbound: version.Get(), MachineIdentity: id, Batches: batches, Complete: complete, Rows: []SchemeRow{}, Summaries: []SchemeSummary{}, WCET: wcetSummaries(rows)}
	for i := range rows {
		r := &rows[i]
		row := SchemeRow{
			Launch: r.Launch, Kernel: r.Kernel, SchemeCache: schemeCache(&r.Config), Blocks: r.Blocks, Rounds: r.Rounds, Exact: r.Exact,
			Estimated: tally(r.Estimated.Both()), Runs: []SchemeRun{}, WCET: wcetOf(r.WCET), Refused: r.Refused,
		}
		for _, run := range r.Runs {
			row.Runs = append(row.Runs, SchemeRun{
				Scheme: run.Scheme, Policy: run.Policy, Model: run.Model, Cycles: run.Cycles, Normalised: run.Normalised,
				Simulated: tally(run.Counts.Both()), Ratio: orNull(run.Ratio),
			})
		}
		doc.Rows = append(doc.Rows, row)
	}
	for _, s := range analysis.SummarizeSchemes(rows) {
		doc.Summaries = append(doc.Summaries, SchemeSummary{
			Scheme: s.Scheme, SchemeCache: schemeCache(&s.Config), Rows: s.Rows, Mean: s.Mean, GeometricMean: s.Geometric, Ratio: orNull(s.Ratio),
			EstimatedMissRate: s.Estimated, SimulatedMissRate: s.Simulated,
		})
	}
	return doc, nil
}

func schemeCache(c *cache.Config) SchemeCache {
	return SchemeCache{
		SizeBytes: c.Bytes(), Sets: c.Sets, Ways: c.Ways, LineBytes: c.LineBytes, Replacement: c.Replacement.String(), Index: c.Index.String(),
	}
}

// orNull is nil for NaN, which JSON does not have.
func orNull(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	return &x
}

func (c *SchemeCache) name() string { return fmt.Sprintf("%s/%d", kilobytes(c.SizeBytes), c.Ways) }

// launchName is the short name of a launch file.
func launchName(file string) string { return strings.TrimSuffix(filepath.Base(file), ".toml") }

// SchemesText writes a comparison of schemes as tables.
func SchemesText(d *SchemesDocument) string {
	t := Table{Header: []string{"launch", "cache", "scheme", "cycles", "normalised", "miss rate", "estimated", "ratio", ""}, Left: []int{1, 2, 8}}
	for i := range d.Rows {
		r := &d.Rows[i]
		name := launchName(r.Launch)
		if r.Refused != "" {
			t.Add(name, r.name(), "-", "-", "-", "-", "-", "-", "refused")
		}
		for _, run := range r.Runs {
			note := ""
			if !r.Exact {
				note = "in " + plural(r.Rounds, "round")
			}
			t.Add(name, r.name(), run.Scheme, Count(run.Cycles), fmt.Sprintf("%.4f", run.Normalised), rateText(run.Simulated.MissRate), rateText(r.Estimated.MissRate), ratioText(run.Ratio), note)
		}
	}
	s := t.Render(Text)
	for i := range d.Rows {
		if r := &d.Rows[i]; r.Refused != "" && (i == 0 || d.Rows[i-1].Launch != r.Launch) {
			s += "- refused: " + r.Refused + "\n"
		}
	}
	if len(d.WCET) > 0 {
		s += "\n" + wcetText(d)
	}
	return s + "\n" + SchemeSummaryTable(d, Text)
}

// SchemeSummaryTable writes the means of a comparison of schemes.
func SchemeSummaryTable(d *SchemesDocument, f Format) string {
	t := Table{Header: []string{"cache", "scheme", "launches", "mean of normalised cycles", "geometric", "simulated miss rate", "estimated", "ratio"}, Left: []int{1}}
	for i := range d.Summaries {
		s := &d.Summaries[i]
		t.Add(s.name(), s.Scheme, s.Rows, fmt.Sprintf("%.4f", s.Mean), fmt.Sprintf("%.4f", s.GeometricMean), Percent(s.SimulatedMissRate), Percent(s.EstimatedMissRate), ratioText(s.Ratio))
	}
	return t.Render(f)
}

// SchemesCSV writes a row a simulation.
func SchemesCSV(d *SchemesDocument) string {
	t := Table{Header: []string{"launch", "kernel", "gpu", "size_bytes", "sets", "ways", "line_bytes", "replacement", "index", "blocks", "rounds", "exact", "estimated_miss_rate", "scheme", "policy", "model", "cycles", "normalised", "simulated_miss_rate", "ratio", "refused", "unknown_cycles", "estimated_cycles", "bound_cycles", "bound_claimed", "gpu_settings"}}
	for i := range d.Rows {
		r := &d.Rows[i]
		row := []any{r.Launch, r.Kernel, d.GPU, r.SizeBytes, r.Sets, r.Ways, r.LineBytes, r.Replacement, r.Index, r.Blocks, r.Rounds, r.Exact, numberText(r.Estimated.MissRate)}
		if r.Refused != "" {
			t.Add(append(row, "", "", "", "", "", "", "", r.Refused, "", "", "", "", d.settings())...)
		}
		for _, run := range r.Runs {
			t.Add(append(row[:len(row):len(row)], run.Scheme, run.Policy, run.Model, run.Cycles, fmt.Sprintf("%.6f", run.Normalised), numberText(run.Simulated.MissRate), numberText(run.Ratio), "")...)
			t.Rows[len(t.Rows)-1] = append(t.Rows[len(t.Rows)-1], append(r.WCET.cells(run.Scheme), d.settings())...)
		}
	}
	return t.Render(CSV)
}

// launchesOfPanel is how many launches a panel has room to name.
const launchesOfPanel = 10

// SchemesPlot draws, as PNG or SVG, the normalised cycles of each launch with the
// first cache, the ratio of estimated and simulated miss rates, what is foretold of
// the time if asked for, and, where there are several caches, the means by cache
// (Huangfu2017, Fig. 12 to 16).
func SchemesPlot(d *SchemesDocument, format string) ([]byte, error) {
	if len(d.Summaries) == 0 {
		return nil, fmt.Errorf("no launch was simulated")
	}
	first := d.Summaries[0].SchemeCache
	var rows []*SchemeRow
	for i := range d.Rows {
		if r := &d.Rows[i]; r.SchemeCache == first && len(r.Runs) > 0 {
			rows = append(rows, r)
		}
	}
	f := plot.Figure{Title: "Schemes on " + d.GPU, Note: d.note(), Width: max(560, 125*float64(min(len(rows), launchesOfPanel)))}
	for _, of := range []struct {
		label string
		value func(*SchemeRun) *float64
	}{
		{"normalised cycles", func(r *SchemeRun) *float64 { return &r.Normalised }},
		{"estimated / simulated misses", func(r *SchemeRun) *float64 { return r.Ratio }},
	} {
		for from := 0; from < len(rows); from += launchesOfPanel {
			points := map[string][]plot.Point{}
			x := plot.Axis{Label: "launch, " + first.name() + " (kB/ways)"}
			for i, r := range rows[from:min(from+launchesOfPanel, len(rows))] {
				x.Names = append(x.Names, launchName(r.Launch))
				for j := range r.Runs {
					if y := of.value(&r.Runs[j]); y != nil {
						points[r.Runs[j].Scheme] = append(points[r.Runs[j].Scheme], plot.Point{X: float64(i), Y: *y})
					}
				}
			}
			if s := d.series(points); len(s) > 0 {
				f.Panels = append(f.Panels, plot.Panel{X: x, Y: plot.Axis{Label: of.label}, Series: s})
			}
		}
	}
	f.Panels = append(f.Panels, wcetPanels(rows, first.name())...)
	means, caches := map[string][]plot.Point{}, []string{}
	for i := range d.Summaries {
		s := &d.Summaries[i]
		if i == 0 || s.SchemeCache != d.Summaries[i-1].SchemeCache {
			caches = append(caches, s.name())
		}
		means[s.Scheme] = append(means[s.Scheme], plot.Point{X: float64(len(caches) - 1), Y: s.Mean})
	}
	if len(caches) > 1 {
		f.Panels = append(f.Panels, plot.Panel{X: plot.Axis{Label: "size in kB / ways", Names: caches}, Y: plot.Axis{Label: "mean of normalised cycles"}, Series: d.series(means)})
	}
	return f.Render(format)
}

// series are bars in the order of the schemes.
func (d *SchemesDocument) series(points map[string][]plot.Point) []plot.Series {
	var out []plot.Series
	for i := range d.Summaries {
		s := &d.Summaries[i]
		if s.SchemeCache != d.Summaries[0].SchemeCache {
			break
		}
		if p := points[s.Scheme]; len(p) > 0 {
			out = append(out, plot.Series{Name: s.Scheme, Style: plot.Bars, Points: p})
		}
	}
	return out
}
