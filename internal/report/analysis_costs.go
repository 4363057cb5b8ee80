package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/analysis"
)

// CostsDocument is the cycles of a bound by what they belong to.
type CostsDocument struct {
	By     string         `json:"by"`
	Method string         `json:"method"`
	Cycles int64          `json:"cycles"`
	Rows   []CostDocument `json:"rows"`
	// Listings are the sources with their costs, absent where nobody asks.
	Listings []ListingDocument `json:"listings,omitempty"`
}

// CostDocument is the cycles that belong to a line, an instruction, a loop or a unit.
type CostDocument struct {
	Name     string `json:"name"`
	Position string `json:"position"`
	// InlinedAt are calls in whose place instructions of the line stand.
	InlinedAt []string               `json:"inlined_at"`
	Text      string                 `json:"text"`
	Cycles    int64                  `json:"cycles"`
	Issue     int64                  `json:"issue"`
	Occupied  int64                  `json:"occupied"`
	Awaited   int64                  `json:"awaited"`
	Charged   int64                  `json:"charged"`
	Other     int64                  `json:"other"`
	Parts     map[bound.PartID]int64 `json:"parts"`
}

// AddCosts adds the cycles of a bound by what they belong to; text is the line of a file,
// "" where it is not at hand.
func (d *AnalysisDocument) AddCosts(a *analysis.Attribution, text func(file string, line int) string) {
	if a == nil {
		return
	}
	d.Costs = &CostsDocument{By: a.By, Method: a.Bound.Method, Cycles: a.Bound.Cycles, Rows: []CostDocument{}}
	for _, r := range a.Rows {
		row := CostDocument{
			Name: r.Name, InlinedAt: []string{}, Cycles: r.Cycles, Issue: r.Issue, Occupied: r.Occupied, Awaited: r.Awaited, Charged: r.Charged, Other: r.Other, Parts: r.Parts,
		}
		for _, at := range r.InlinedAt {
			row.InlinedAt = append(row.InlinedAt, at.String())
		}
		if r.Pos.Line > 0 {
			row.Position, row.Text = r.Pos.String(), strings.Join(strings.Fields(text(r.Pos.File, r.Pos.Line)), " ")
		}
		d.Costs.Rows = append(d.Costs.Rows, row)
	}
}

// costSheet is what the cycles belong to, a row each.
func (d *AnalysisDocument) costSheet() *Sheet {
	c := d.Costs
	cycles := func(id, heading string, of func(*CostDocument) int64) Of[CostDocument] {
		return Of[CostDocument]{Column{ID: id, Heading: heading, Unit: "cycles", Type: Amount}, func(r *CostDocument) any { return of(r) }}
	}
	columns := []Of[CostDocument]{
		{Column{ID: "name", Heading: c.By}, func(r *CostDocument) any { return r.Name }},
		{Column{ID: "position", Heading: "at", In: InCSV}, func(r *CostDocument) any { return r.Position }},
		cycles("cycles", "cycles", func(r *CostDocument) int64 { return r.Cycles }),
		{Column{ID: "share", Heading: "share", Unit: "ratio", Type: Share, Bar: true, In: InText}, func(r *CostDocument) any { return float64(r.Cycles) / float64(max(c.Cycles, 1)) }},
		cycles("issue", "issue", func(r *CostDocument) int64 { return r.Issue }),
		cycles("occupied", "unit", func(r *CostDocument) int64 { return r.Occupied }),
		cycles("awaited", "awaited", func(r *CostDocument) int64 { return r.Awaited }),
		cycles("charged", "others", func(r *CostDocument) int64 { return r.Charged }),
		cycles("other", "else", func(r *CostDocument) int64 { return r.Other }),
	}
	if slices.ContainsFunc(c.Rows, func(r CostDocument) bool { return len(r.InlinedAt) > 0 }) {
		columns = append(columns, Of[CostDocument]{Column{ID: "inlined_at", Heading: "inlined at"}, func(r *CostDocument) any { return strings.Join(r.InlinedAt, " ") }})
	}
	if slices.ContainsFunc(c.Rows, func(r CostDocument) bool { return r.Text != "" }) {
		columns = append(columns, Of[CostDocument]{Column{ID: "text", Heading: "text"}, func(r *CostDocument) any { return shortened(r.Text) }})
	}
	return NewSheet("costs.rows[]", c.Rows, columns)
}

// mostText is how much of a line of a program is shown.
const mostText = 60

func shortened(s string) string {
	if r := []rune(s); len(r) > mostText {
		return string(r[:mostText-1]) + "…"
	}
	return s
}

// costSection says where the cycles of the bound go.
func (d *AnalysisDocument) costSection() Section {
	return Section{
		ID: "costs", Sheet: d.costSheet(),
		Lead:  fmt.Sprintf("where the %s cycles of the bound by %s go, by %s:\n", Count(d.Costs.Cycles), d.Costs.Method, d.Costs.By),
		Notes: "issue, unit, awaited: on the longest chain, the next instruction of the warp waits for this one's issue slot, for its unit, for\nits result; others: other warps and blocks may start it first; else: it is held by the front end; delays; what belongs to no single path\n",
	}
}
