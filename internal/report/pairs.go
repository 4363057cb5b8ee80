package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/plot"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/version"
)

// PairsDocument is the JSON form of a comparison of scheduling policies of a
// front end (docs/json.md).
type PairsDocument struct {
	Warpbound version.Info `json:"warpbound"`
	MachineIdentity
	L1Order string `json:"l1_order"`
	// Complete is false where the comparison was cut short: the rows are then those
	// of the launches that were finished.
	Complete  bool          `json:"complete"`
	Rows      []PairRow     `json:"rows"`
	Summaries []PairSummary `json:"summaries"` // by pair
}

// PairRow is one launch under one pair of policies. Baseline or SWaS is null where
// not asked for, and Ratio without both.
type PairRow struct {
	Launch      string   `json:"launch"`
	Kernel      string   `json:"kernel"`
	FetchPolicy string   `json:"fetch_policy"`
	IssuePolicy string   `json:"issue_policy"`
	Baseline    *PairRun `json:"baseline"`
	SWaS        *PairRun `json:"swas"`
	Ratio       *float64 `json:"ratio"`
	// Replay is null where it was not asked for.
	Replay *PairReplay `json:"replay"`
	// Stuck says why a run that was asked for is null: it never ends.
	Stuck string `json:"stuck,omitempty"`
}

// PairReplay is the time of swas as internal/method/replay computes it. Cycles is null where
// it is refused.
type PairReplay struct {
	Cycles    *int64 `json:"cycles"`
	Claimed   bool   `json:"claimed"`
	Violation bool   `json:"violation"`
	Refused   string `json:"refused,omitempty"`
}

// PairRun is one simulation.
type PairRun struct {
	Cycles             int64   `json:"cycles"`
	WarpInstructions   int64   `json:"warp_instructions"`
	ThreadInstructions int64   `json:"thread_instructions"`
	IPC                float64 `json:"ipc"` // thread instructions a cycle
	sim.SchedulingStats
}

// PairSummary is over the launches of a pair.
type PairSummary struct {
	FetchPolicy    string   `json:"fetch_policy"`
	IssuePolicy    string   `json:"issue_policy"`
	Rows           int      `json:"rows"`
	Mean           *float64 `json:"mean"` // of the ratios, like the next three
	GeometricMean  *float64 `json:"geometric_mean"`
	Least          *float64 `json:"least"`
	Largest        *float64 `json:"largest"`
	ErrorRate      *float64 `json:"error_rate"`
	MaxErrorRate   *float64 `json:"max_error_rate"`
	BaselineErrors int64    `json:"baseline_errors"`
	SWaSErrors     int64    `json:"swas_errors"`
	Violations     int      `json:"violations"`
}

// PairsOf makes the JSON form of a comparison of policies on a machine.
func PairsOf(d *gpu.Description, rows []analysis.PairRow, l1Order string, complete bool) (*PairsDocument, error) {
	id, err := identity(d)
	if err != nil {
		return nil, err
	}
	doc := &PairsDocument{Warpbound: version.Get(), MachineIdentity: id, L1Order: l1Order, Complete: complete, Rows: []PairRow{}, Summaries: []PairSummary{}}
	for i := range rows {
		r := &rows[i]
		doc.Rows = append(doc.Rows, PairRow{
			Launch: r.Launch, Kernel: r.Kernel, FetchPolicy: r.Fetch, IssuePolicy: r.Issue,
			Baseline: pairRun(r.Baseline), SWaS: pairRun(r.SWaS), Ratio: orNull(r.Ratio), Replay: pairReplay(r), Stuck: r.Stuck,
		})
	}
	for _, s := range analysis.SummarizePairs(rows) {
		doc.Summaries = append(doc.Summaries, PairSummary{
			FetchPolicy: s.Fetch, IssuePolicy: s.Issue, Rows: s.Rows,
			Mean: orNull(s.Mean), GeometricMean: orNull(s.Geometric), Least: orNull(s.Least), Largest: orNull(s.Largest),
			ErrorRate: orNull(s.ErrorRate), MaxErrorRate: orNull(s.MaxErrorRate),
			BaselineErrors: s.BaselineErrors, SWaSErrors: s.SWaSErrors, Violations: s.Broken,
		})
	}
	return doc, nil
}

func pairRun(r *analysis.PairRun) *PairRun {
	if r == nil {
		return nil
	}
	return &PairRun{Cycles: r.Cycles, WarpInstructions: r.WarpInstructions, ThreadInstructions: r.ThreadInstructions, IPC: r.IPC, SchedulingStats: r.SchedulingStats}
}

func pairReplay(r *analysis.PairRow) *PairReplay {
	switch p := r.Replay; {
	case p == nil:
		return nil
	case p.Refused != "":
		return &PairReplay{Refused: p.Refused}
	default:
		return &PairReplay{Cycles: &p.Cycles, Claimed: p.Claimed, Violation: r.Differs()}
	}
}

// pairName is how Crouzet2024 writes a pair of policies.
func pairName(fetch, issue string) string {
	return strings.ToUpper(fetch) + "-" + strings.ToUpper(issue)
}

// Document gives the comparison its forms.
func (d *PairsDocument) Document() *Document {
	rows := d.sheet()
	stuck, refused := "", ""
	for i := range d.Rows {
		r := &d.Rows[i]
		if r.Stuck != "" {
			stuck += launchName(r.Launch) + ": " + r.Stuck + "\n"
		}
		if p := r.Replay; p != nil && p.Cycles == nil && refused == "" {
			refused = fmt.Sprintf("no replay of %s: %s\n", launchName(r.Launch), p.Refused)
		}
	}
	return &Document{
		Kind: "compare-pairs", Provenance: Written(d.Warpbound, nil, d.MachineIdentity), JSON: d, Values: rows,
		Sections: []Section{{ID: "rows", Sheet: rows, Notes: stuck + refused}, {ID: "summaries", Sheet: d.summarySheet()}},
		Plot:     func(format string) ([]byte, error) { return PairsPlot(d, format) },
	}
}

// pairColumn is a column of rows.
type pairColumn = Of[PairRow]

// sheet has a row for each launch and pair.
func (d *PairsDocument) sheet() *Sheet {
	replayed := InCSV
	if slices.ContainsFunc(d.Rows, func(r PairRow) bool { return r.Replay != nil }) {
		replayed = All
	}
	columns := []pairColumn{
		{Column{ID: "launch", Heading: "launch", Type: File}, func(r *PairRow) any { return r.Launch }},
		{Column{ID: "kernel", In: InCSV}, func(r *PairRow) any { return r.Kernel }},
		{Column{ID: "gpu", In: InCSV}, func(*PairRow) any { return d.GPU }},
		{Column{ID: "l1_order", In: InCSV}, func(*PairRow) any { return d.L1Order }},
		{Column{ID: "fetch_policy", In: InCSV}, func(r *PairRow) any { return r.FetchPolicy }},
		{Column{ID: "issue_policy", In: InCSV}, func(r *PairRow) any { return r.IssuePolicy }},
		{Column{ID: "fetch_issue", Heading: "fetch-issue", In: InText}, func(r *PairRow) any { return pairName(r.FetchPolicy, r.IssuePolicy) }},
	}
	columns = append(columns, runColumns("", "baseline", func(r *PairRow) *PairRun { return r.Baseline })...)
	columns = append(columns, runColumns("swas_", "swas", func(r *PairRow) *PairRun { return r.SWaS })...)
	return NewSheet("rows[]", d.Rows, append(columns,
		pairColumn{Column{ID: "ratio", Heading: "SWaS/baseline", Unit: "ratio", Type: Number, Digits: 3}, func(r *PairRow) any { return maybe(r.Ratio) }},
		pairColumn{Column{ID: "replay_cycles", JSON: "replay.cycles", Heading: "SWaS by replay", Unit: "cycles", Type: Amount, In: replayed}, func(r *PairRow) any {
			if r.Replay == nil {
				return nil
			}
			return maybe(r.Replay.Cycles)
		}},
		pairColumn{Column{ID: "note", In: InText}, func(r *PairRow) any { return r.note() }},
		pairColumn{Column{ID: "gpu_settings", In: InCSV}, func(*PairRow) any { return d.settings() }},
	))
}

// runColumns are the columns of one variant. The text has those of the published
// tables.
func runColumns(prefix, path string, of func(*PairRow) *PairRun) []pairColumn {
	var columns []pairColumn
	add := func(c Column, value func(*PairRun) any) {
		c.ID, c.JSON = prefix+c.ID, path+"."+c.ID
		columns = append(columns, pairColumn{c, func(r *PairRow) any {
			if run := of(r); run != nil {
				return value(run)
			}
			return nil
		}})
	}
	baseline, swas, name := All, InCSV, ""
	if prefix != "" {
		baseline, swas, name = InCSV, All, "SWaS "
	}
	add(Column{ID: "cycles", Heading: name + "cycles", Unit: "cycles", Type: Amount}, func(r *PairRun) any { return r.Cycles })
	add(Column{ID: "warp_instructions", Unit: "warp instructions", Type: Integer, In: InCSV}, func(r *PairRun) any { return r.WarpInstructions })
	add(Column{ID: "thread_instructions", Unit: "thread instructions", Type: Integer, In: InCSV}, func(r *PairRun) any { return r.ThreadInstructions })
	add(Column{ID: "ipc", Heading: name + "IPC", Unit: "thread instructions a cycle", Type: Number, Digits: 3}, func(r *PairRun) any { return r.IPC })
	add(Column{ID: "discrepancies", Heading: "discrepancies", Unit: "cycles", Type: Amount, In: baseline}, func(r *PairRun) any { return r.Discrepancies })
	add(Column{ID: "errors", Heading: "errors", Unit: "cycles", Type: Amount, In: baseline}, func(r *PairRun) any { return r.Errors })
	add(Column{ID: "error_rate", Heading: "error rate", Unit: "ratio", Type: Share, In: baseline}, func(r *PairRun) any { return r.ErrorRate })
	add(Column{ID: "nops", Heading: "NOPs", Unit: "instructions", Type: Amount, In: swas}, func(r *PairRun) any { return r.NOPs })
	add(Column{ID: "discarded", Unit: "instructions", Type: Integer, In: InCSV}, func(r *PairRun) any { return r.Discarded })
	add(Column{ID: "icache_hits", Unit: "fetches", Type: Integer, In: InCSV}, func(r *PairRun) any { return r.ICacheHits })
	add(Column{ID: "icache_misses", Unit: "fetches", Type: Integer, In: InCSV}, func(r *PairRun) any { return r.ICacheMisses })
	return columns
}

// note says what is wrong with a row.
func (r *PairRow) note() string {
	switch {
	case r.Stuck != "":
		return "never ends"
	case r.SWaS.broken():
		return fmt.Sprintf("BROKEN: %s, %s of queues not full", plural(r.SWaS.Errors, "error"), plural(r.SWaS.BrokenQueueCycles, "cycle"))
	case r.Replay != nil && r.Replay.Violation:
		return "VIOLATED"
	case r.Replay != nil && r.Replay.Cycles != nil && r.SWaS != nil && *r.Replay.Cycles != r.SWaS.Cycles:
		return "differs (not claimed for this input)"
	}
	return ""
}

func (r *PairRun) broken() bool {
	return r != nil && r.Variant == gpu.SWaS && (r.Errors > 0 || r.BrokenQueueCycles > 0)
}

// summarySheet has the means, a row a pair.
func (d *PairsDocument) summarySheet() *Sheet {
	ratio := func(id, heading string, of func(*PairSummary) *float64) Of[PairSummary] {
		return Of[PairSummary]{Column{ID: id, Heading: heading, Unit: "ratio", Type: Number, Digits: 3}, func(s *PairSummary) any { return maybe(of(s)) }}
	}
	rate := func(id, heading string, of func(*PairSummary) *float64) Of[PairSummary] {
		return Of[PairSummary]{Column{ID: id, Heading: heading, Unit: "ratio", Type: Share}, func(s *PairSummary) any { return maybe(of(s)) }}
	}
	return NewSheet("summaries[]", d.Summaries, []Of[PairSummary]{
		{Column{ID: "fetch_issue", Heading: "fetch-issue"}, func(s *PairSummary) any { return pairName(s.FetchPolicy, s.IssuePolicy) }},
		{Column{ID: "rows", Heading: "launches", Unit: "launches", Type: Integer}, func(s *PairSummary) any { return int64(s.Rows) }},
		ratio("mean", "SWaS/baseline, mean", func(s *PairSummary) *float64 { return s.Mean }),
		ratio("geometric_mean", "geometric", func(s *PairSummary) *float64 { return s.GeometricMean }),
		ratio("least", "least", func(s *PairSummary) *float64 { return s.Least }),
		ratio("largest", "largest", func(s *PairSummary) *float64 { return s.Largest }),
		rate("error_rate", "error rate, mean", func(s *PairSummary) *float64 { return s.ErrorRate }),
		rate("max_error_rate", "largest", func(s *PairSummary) *float64 { return s.MaxErrorRate }),
		{Column{ID: "baseline_errors", Heading: "errors", Unit: "cycles", Type: Amount}, func(s *PairSummary) any { return s.BaselineErrors }},
		{Column{ID: "swas_errors", Heading: "errors of SWaS", Unit: "cycles", Type: Amount}, func(s *PairSummary) any { return s.SWaSErrors }},
	})
}

// PairsPlot draws, as PNG or SVG, for each issue policy and by fetch policy, the
// IPC and the error rate of the baseline (Crouzet2024, Fig. 4 and 5) and the IPC of
// swas over that of the baseline (Fig. 6 to 8).
func PairsPlot(d *PairsDocument, format string) ([]byte, error) {
	p := pairPlot{rows: d.Rows}
	for i := range d.Rows {
		p.launch(d.Rows[i].Launch)
	}
	if len(p.launches) == 0 {
		return nil, fmt.Errorf("no launch was simulated")
	}
	f := plot.Figure{Title: "Fetch and issue policies on " + d.GPU, Note: d.note(), Width: max(560, 125*float64(min(len(p.launches), launchesOfPanel)))}
	for _, of := range []struct {
		label string
		level float64 // drawn across, where not 0
		value func(*PairRow) *float64
	}{
		{"baseline IPC", 0, func(r *PairRow) *float64 {
			if r.Baseline == nil {
				return nil
			}
			return &r.Baseline.IPC
		}},
		{"baseline errors, % of cycles", 0, func(r *PairRow) *float64 {
			if r.Baseline == nil {
				return nil
			}
			percent := 100 * r.Baseline.ErrorRate
			return &percent
		}},
		{"SWaS / baseline IPC", 1, func(r *PairRow) *float64 { return r.Ratio }},
	} {
		for _, issue := range p.issues {
			panels := p.panels(of.label+", issue "+strings.ToUpper(issue),
				func(r *PairRow) bool { return r.IssuePolicy == issue },
				func(r *PairRow) string { return "fetch " + strings.ToUpper(r.FetchPolicy) }, of.value)
			for i := range panels {
				if of.level > 0 {
					panels[i].Levels = []plot.Level{{Name: "as fast", Y: of.level}}
				}
			}
			f.Panels = append(f.Panels, panels...)
		}
	}
	if len(f.Panels) == 0 {
		f.Panels = p.panels("IPC of SWaS", func(*PairRow) bool { return true },
			func(r *PairRow) string { return strings.ToUpper(r.IssuePolicy) }, func(r *PairRow) *float64 {
				if r.SWaS == nil {
					return nil
				}
				return &r.SWaS.IPC
			})
	}
	return f.Render(format)
}

// pairPlot draws rows by launch.
type pairPlot struct {
	rows     []PairRow
	launches []string
	position map[string]int
	issues   []string
}

// launch notes a launch where it is new, and the issue policies in passing.
func (p *pairPlot) launch(name string) {
	if p.position == nil {
		p.position = map[string]int{}
		seen := map[string]bool{}
		for i := range p.rows {
			if s := p.rows[i].IssuePolicy; !seen[s] {
				seen[s] = true
				p.issues = append(p.issues, s)
			}
		}
	}
	if _, ok := p.position[name]; !ok {
		p.position[name] = len(p.launches)
		p.launches = append(p.launches, name)
	}
}

// panels draws a value of the rows that are taken, a panel for every ten launches
// and bars for every name.
func (p *pairPlot) panels(label string, take func(*PairRow) bool, name func(*PairRow) string, value func(*PairRow) *float64) []plot.Panel {
	var out []plot.Panel
	for from := 0; from < len(p.launches); from += launchesOfPanel {
		to := min(from+launchesOfPanel, len(p.launches))
		panel := plot.Panel{X: plot.Axis{Label: "launch"}, Y: plot.Axis{Label: label}}
		for _, l := range p.launches[from:to] {
			panel.X.Names = append(panel.X.Names, launchName(l))
		}
		index := map[string]int{}
		for i := range p.rows {
			r := &p.rows[i]
			x := p.position[r.Launch]
			if x < from || x >= to || !take(r) {
				continue
			}
			y := value(r)
			if y == nil || math.IsInf(*y, 0) {
				continue
			}
			at, ok := index[name(r)]
			if !ok {
				at = len(panel.Series)
				index[name(r)] = at
				panel.Series = append(panel.Series, plot.Series{Name: name(r), Style: plot.Bars})
			}
			panel.Series[at].Points = append(panel.Series[at].Points, plot.Point{X: float64(x - from), Y: *y})
		}
		if len(panel.Series) > 0 {
			out = append(out, panel)
		}
	}
	return out
}
