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
	// WCET sums up the times predicted for the scheme reorder, by cache; empty
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

// Document gives the comparison its forms.
func (d *SchemesDocument) Document() *Document {
	notes := ""
	for i := range d.Rows {
		if r := &d.Rows[i]; r.Refused != "" && (i == 0 || d.Rows[i-1].Launch != r.Launch) {
			notes += "- refused: " + r.Refused + "\n"
		}
	}
	runs := d.sheet()
	sections := []Section{{ID: "rows", Sheet: runs, Notes: notes}}
	if len(d.WCET) > 0 {
		sections = append(sections, d.wcetSections()...)
	}
	return &Document{
		Kind: "compare-schemes", Provenance: Written(d.Warpbound, nil, d.MachineIdentity), JSON: d, Values: runs,
		Sections: append(sections, Section{ID: "summaries", Sheet: d.summarySheet()}),
		Plot:     func(format string) ([]byte, error) { return SchemesPlot(d, format) },
	}
}

// launchRun is a simulation of a row, nil where the row was refused.
type launchRun struct {
	*SchemeRow
	run *SchemeRun
}

// sheet has a row for each simulation.
func (d *SchemesDocument) sheet() *Sheet {
	var rows []launchRun
	for i := range d.Rows {
		r := &d.Rows[i]
		if len(r.Runs) == 0 && r.Refused != "" {
			rows = append(rows, launchRun{r, nil})
		}
		for j := range r.Runs {
			rows = append(rows, launchRun{r, &r.Runs[j]})
		}
	}
	ofRun := func(c Column, value func(*SchemeRun) any) Of[launchRun] {
		return Of[launchRun]{c, func(r *launchRun) any {
			if r.run == nil {
				return nil
			}
			return value(r.run)
		}}
	}
	columns := []Of[launchRun]{
		{Column{ID: "launch", Heading: "launch", Type: File}, func(r *launchRun) any { return r.Launch }},
		{Column{ID: "cache", Heading: "cache", In: InText}, func(r *launchRun) any { return r.name() }},
		{Column{ID: "kernel", In: InCSV}, func(r *launchRun) any { return r.Kernel }},
		{Column{ID: "gpu", In: InCSV}, func(*launchRun) any { return d.GPU }},
		{Column{ID: "size_bytes", Unit: "bytes", Type: Integer, In: InCSV}, func(r *launchRun) any { return r.SizeBytes }},
		{Column{ID: "sets", Unit: "sets", Type: Integer, In: InCSV}, func(r *launchRun) any { return int64(r.Sets) }},
		{Column{ID: "ways", Unit: "ways", Type: Integer, In: InCSV}, func(r *launchRun) any { return int64(r.Ways) }},
		{Column{ID: "line_bytes", Unit: "bytes", Type: Integer, In: InCSV}, func(r *launchRun) any { return int64(r.LineBytes) }},
		{Column{ID: "replacement", In: InCSV}, func(r *launchRun) any { return r.Replacement }},
		{Column{ID: "index", In: InCSV}, func(r *launchRun) any { return r.Index }},
		{Column{ID: "blocks", Unit: "blocks", Type: Integer, In: InCSV}, func(r *launchRun) any { return r.Blocks }},
		{Column{ID: "rounds", Unit: "rounds", Type: Integer, In: InCSV}, func(r *launchRun) any { return r.Rounds }},
		{Column{ID: "exact", Type: Flag, In: InCSV}, func(r *launchRun) any { return r.Exact }},
		{Column{ID: "estimated_miss_rate", JSON: "estimated.miss_rate", Unit: "ratio", Type: Share, In: InCSV}, func(r *launchRun) any { return maybe(r.Estimated.MissRate) }},
		ofRun(Column{ID: "scheme", Heading: "scheme"}, func(r *SchemeRun) any { return r.Scheme }),
		ofRun(Column{ID: "policy", In: InCSV}, func(r *SchemeRun) any { return r.Policy }),
		ofRun(Column{ID: "model", In: InCSV}, func(r *SchemeRun) any { return r.Model }),
		ofRun(Column{ID: "cycles", Heading: "cycles", Unit: "cycles", Type: Amount}, func(r *SchemeRun) any { return r.Cycles }),
		ofRun(Column{ID: "normalised", Heading: "normalised", Unit: "ratio", Type: Number, Digits: 4}, func(r *SchemeRun) any { return r.Normalised }),
		ofRun(Column{ID: "simulated_miss_rate", JSON: "simulated.miss_rate", Heading: "miss rate", Unit: "ratio", Type: Share}, func(r *SchemeRun) any { return maybe(r.Simulated.MissRate) }),
		{Column{ID: "estimated_miss_rate", JSON: "estimated.miss_rate", Heading: "estimated", Unit: "ratio", Type: Share, In: InText}, func(r *launchRun) any {
			if r.run == nil {
				return nil
			}
			return maybe(r.Estimated.MissRate)
		}},
		ofRun(Column{ID: "ratio", Heading: "ratio", Unit: "ratio", Type: Number, Digits: 4}, func(r *SchemeRun) any { return maybe(r.Ratio) }),
		{Column{ID: "note", In: InText}, func(r *launchRun) any { return r.note() }},
		{Column{ID: "refused", In: InCSV}, func(r *launchRun) any { return r.Refused }},
	}
	for _, c := range []struct {
		id string
		of func(*SchemeWCET) any
	}{
		{"unknown_cycles", func(w *SchemeWCET) any { return maybe(w.UnknownCycles) }},
		{"estimated_cycles", func(w *SchemeWCET) any { return maybe(w.EstimatedCycles) }},
		{"bound_cycles", func(w *SchemeWCET) any { return maybe(w.BoundCycles) }},
	} {
		columns = append(columns, Of[launchRun]{Column{ID: c.id, JSON: "wcet." + c.id, Unit: "cycles", Type: Integer, In: InCSV}, func(r *launchRun) any { return r.predicted(c.of) }})
	}
	return NewSheet("rows[].runs[]", rows, append(columns,
		Of[launchRun]{Column{ID: "bound_claimed", JSON: "wcet.claimed", Type: Flag, In: InCSV}, func(r *launchRun) any { return r.predicted(func(w *SchemeWCET) any { return w.Claimed }) }},
		Of[launchRun]{Column{ID: "gpu_settings", In: InCSV}, func(*launchRun) any { return d.settings() }},
	))
}

// note says what is remarkable about a simulation.
func (r *launchRun) note() string {
	switch {
	case r.run == nil:
		return "refused"
	case !r.Exact:
		return "in " + plural(r.Rounds, "round")
	}
	return ""
}

// predicted is a figure of the predicted time, nil but for the scheme with the
// reordering unit.
func (r *launchRun) predicted(of func(*SchemeWCET) any) any {
	if r.WCET == nil || r.run == nil || r.run.Scheme != reorderScheme {
		return nil
	}
	return of(r.WCET)
}

// summarySheet has the means, a row for each cache and scheme.
func (d *SchemesDocument) summarySheet() *Sheet {
	return NewSheet("summaries[]", d.Summaries, []Of[SchemeSummary]{
		{Column{ID: "cache", Heading: "cache"}, func(s *SchemeSummary) any { return s.name() }},
		{Column{ID: "scheme", Heading: "scheme"}, func(s *SchemeSummary) any { return s.Scheme }},
		{Column{ID: "rows", Heading: "launches", Unit: "launches", Type: Integer}, func(s *SchemeSummary) any { return int64(s.Rows) }},
		{Column{ID: "mean", Heading: "mean of normalised cycles", Unit: "ratio", Type: Number, Digits: 4}, func(s *SchemeSummary) any { return s.Mean }},
		{Column{ID: "geometric_mean", Heading: "geometric", Unit: "ratio", Type: Number, Digits: 4}, func(s *SchemeSummary) any { return s.GeometricMean }},
		{Column{ID: "simulated_miss_rate", Heading: "simulated miss rate", Unit: "ratio", Type: Share}, func(s *SchemeSummary) any { return s.SimulatedMissRate }},
		{Column{ID: "estimated_miss_rate", Heading: "estimated", Unit: "ratio", Type: Share}, func(s *SchemeSummary) any { return s.EstimatedMissRate }},
		{Column{ID: "ratio", Heading: "ratio", Unit: "ratio", Type: Number, Digits: 4}, func(s *SchemeSummary) any { return maybe(s.Ratio) }},
	})
}

// launchesOfPanel is how many launches a panel has room to name.
const launchesOfPanel = 10

// SchemesPlot draws, as PNG or SVG, the normalised cycles of each launch with the
// first cache, the ratio of estimated and simulated miss rates, the predicted over
// the simulated cycles if asked for, and, where there are several caches, the means by cache
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
