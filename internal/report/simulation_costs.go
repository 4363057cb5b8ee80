package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/internal/analysis"
)

// RunCostsDocument is the scheduler cycles of a simulation by what they belong to.
type RunCostsDocument struct {
	By     string            `json:"by"`
	Cycles int64             `json:"cycles"`
	Rows   []RunCostDocument `json:"rows"`
	// Listings are the sources with their cycles, absent where nobody asks.
	Listings []ListingDocument `json:"listings,omitempty"`
}

// RunCostDocument is the scheduler cycles that belong to a line, an instruction, a loop, a
// unit or arrays.
type RunCostDocument struct {
	Name      string           `json:"name"`
	Position  string           `json:"position"`
	InlinedAt []string         `json:"inlined_at"`
	Text      string           `json:"text"`
	Cycles    int64            `json:"cycles"`
	Issued    int64            `json:"issued"`
	Awaited   int64            `json:"awaited"`
	Held      int64            `json:"held"`
	Nobody    int64            `json:"nobody"`
	Reasons   map[string]int64 `json:"reasons"`
}

// AddCosts adds the scheduler cycles of a run by what they belong to; text is the line of a
// file, "" where it is not at hand.
func (d *SimulationDocument) AddCosts(a *analysis.RunAttribution, text func(file string, line int) string) {
	d.Costs = &RunCostsDocument{By: a.By, Cycles: a.Cycles, Rows: []RunCostDocument{}}
	for _, r := range a.Rows {
		row := RunCostDocument{Name: r.Name, InlinedAt: []string{}, Cycles: r.Cycles, Issued: r.Issued, Awaited: r.Awaited, Held: r.Held, Nobody: r.Nobody, Reasons: r.Reasons}
		for _, at := range r.InlinedAt {
			row.InlinedAt = append(row.InlinedAt, at.String())
		}
		if r.Pos.Line > 0 {
			row.Position, row.Text = r.Pos.String(), strings.Join(strings.Fields(text(r.Pos.File, r.Pos.Line)), " ")
		}
		d.Costs.Rows = append(d.Costs.Rows, row)
	}
}

// sheet is what the cycles belong to, a row each.
func (c *RunCostsDocument) sheet() *Sheet {
	cycles := func(id, heading string, of func(*RunCostDocument) int64) Of[RunCostDocument] {
		return Of[RunCostDocument]{Column{ID: id, Heading: heading, Unit: "cycles", Type: Amount}, func(r *RunCostDocument) any { return of(r) }}
	}
	columns := []Of[RunCostDocument]{
		{Column{ID: "name", Heading: c.By}, func(r *RunCostDocument) any { return r.Name }},
		{Column{ID: "position", Heading: "at", In: InCSV}, func(r *RunCostDocument) any { return r.Position }},
		cycles("cycles", "cycles", func(r *RunCostDocument) int64 { return r.Cycles }),
		{Column{ID: "share", Heading: "share", Unit: "ratio", Type: Share, In: InText}, func(r *RunCostDocument) any { return float64(r.Cycles) / float64(max(c.Cycles, 1)) }},
		cycles("issued", "issued", func(r *RunCostDocument) int64 { return r.Issued }),
		cycles("awaited", "awaited", func(r *RunCostDocument) int64 { return r.Awaited }),
		cycles("held", "held", func(r *RunCostDocument) int64 { return r.Held }),
		cycles("nobody", "no warp", func(r *RunCostDocument) int64 { return r.Nobody }),
	}
	if slices.ContainsFunc(c.Rows, func(r RunCostDocument) bool { return len(r.InlinedAt) > 0 }) {
		columns = append(columns, Of[RunCostDocument]{Column{ID: "inlined_at", Heading: "inlined at"}, func(r *RunCostDocument) any { return strings.Join(r.InlinedAt, " ") }})
	}
	if slices.ContainsFunc(c.Rows, func(r RunCostDocument) bool { return r.Text != "" }) {
		columns = append(columns, Of[RunCostDocument]{Column{ID: "text", Heading: "text"}, func(r *RunCostDocument) any { return shortened(r.Text) }})
	}
	return NewSheet("costs.rows[]", c.Rows, columns)
}

// section says where the scheduler cycles go.
func (c *RunCostsDocument) section() Section {
	return Section{
		ID: "costs", Sheet: c.sheet(),
		Lead:  fmt.Sprintf("where the %s cycles of all schedulers go, by %s:\n", Count(c.Cycles), c.By),
		Notes: "issued: a scheduler issues it; awaited: what is issued next waits for its result, or its block for its end; held: it is issued\nnext, and held by its unit, a barrier, the policy or the front end; no warp: none could issue\n",
	}
}
