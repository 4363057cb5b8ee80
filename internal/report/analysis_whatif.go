package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/internal/analysis"
)

// WhatIfDocument is what becomes of the best bound where one thing is changed.
type WhatIfDocument struct {
	Method string              `json:"method"`
	Cycles int64               `json:"cycles"`
	Rows   []WhatIfRowDocument `json:"rows"`
}

// WhatIfRowDocument is an analysis with one thing changed.
type WhatIfRowDocument struct {
	Kind     string `json:"kind"`
	Name     string `json:"name"`
	Position string `json:"position"`
	Change   string `json:"change"`
	From     int64  `json:"from"`
	To       int64  `json:"to"`
	Setting  string `json:"setting"`
	// Cycles and Difference are null where there is no bound then, and Method is empty.
	Cycles     *int64 `json:"cycles"`
	Difference *int64 `json:"difference"`
	Method     string `json:"method"`
	NoBound    string `json:"no_bound"`
}

// AddWhatIf adds what becomes of the bound where one thing is changed.
func (d *AnalysisDocument) AddWhatIf(w *analysis.WhatIf) {
	d.WhatIf = &WhatIfDocument{Method: w.Bound.Method, Cycles: w.Bound.Cycles, Rows: []WhatIfRowDocument{}}
	for _, r := range w.Rows {
		row := WhatIfRowDocument{Kind: r.Kind, Name: r.Name, Change: r.Change, From: r.From, To: r.To, Setting: r.Setting, NoBound: r.NoBound}
		if r.Pos.Line > 0 {
			row.Position = r.Pos.String()
		}
		if b := r.Bound; b != nil {
			difference := b.Cycles - w.Bound.Cycles
			row.Cycles, row.Difference, row.Method = &b.Cycles, &difference, b.Method
		}
		d.WhatIf.Rows = append(d.WhatIf.Rows, row)
	}
}

// changes is a sheet of rows about something, which lie at path in the JSON form.
func (w *WhatIfDocument) changes(path string, rows []WhatIfRowDocument, what string) *Sheet {
	return NewSheet(path, rows, []Of[WhatIfRowDocument]{
		{Column{ID: "kind", Heading: "kind", In: InCSV}, func(r *WhatIfRowDocument) any { return r.Kind }},
		{Column{ID: "name", Heading: what}, func(r *WhatIfRowDocument) any { return r.Name }},
		{Column{ID: "position", Heading: "at", In: InCSV}, func(r *WhatIfRowDocument) any { return r.Position }},
		{Column{ID: "change", Heading: "change"}, func(r *WhatIfRowDocument) any { return r.Change }},
		{Column{ID: "setting", Heading: "setting", In: InCSV}, func(r *WhatIfRowDocument) any { return r.Setting }},
		{Column{ID: "cycles", Heading: "bound", Unit: "cycles", Type: Amount}, func(r *WhatIfRowDocument) any { return maybe(r.Cycles) }},
		{Column{ID: "difference", Heading: "difference", Unit: "cycles", Type: Amount}, func(r *WhatIfRowDocument) any { return signed(r.Difference) }},
		{Column{ID: "share", Heading: "share", Unit: "ratio", Type: Share, In: InText}, func(r *WhatIfRowDocument) any {
			if r.Difference == nil {
				return nil
			}
			return float64(*r.Difference) / float64(max(w.Cycles, 1))
		}},
		{Column{ID: "method", Heading: "method"}, func(r *WhatIfRowDocument) any { return r.Method }},
		{Column{ID: "no_bound", Heading: "no bound", In: InCSV}, func(r *WhatIfRowDocument) any { return r.NoBound }},
	})
}

// signed is a number with its sign, nil where there is none.
func signed(n *int64) any {
	switch {
	case n == nil:
		return nil
	case *n > 0:
		return Marked{"+", *n}
	}
	return *n
}

// sheet is all changes.
func (w *WhatIfDocument) sheet() *Sheet { return w.changes("what_if.rows[]", w.Rows, "name") }

// whatIfKinds are the kinds of changes, with what a table of them is about.
var whatIfKinds = []struct{ kind, heading, notes string }{
	{analysis.OfSetting, "setting of the GPU", ""},
	{analysis.OfClass, "instructions", ""},
	{analysis.OfAccess, "access", ""},
	{analysis.OfBarrier, "barrier", "without a barrier the kernel computes something else: what it costs, not what it may be left out for\n"},
	{analysis.OfOccupancy, "occupancy", ""},
}

// sections are tables by kind, those first that save most; what changes nothing is counted.
func (w *WhatIfDocument) sections() []Section {
	var out []Section
	lead := fmt.Sprintf("what becomes of the bound of %s cycles by %s, one thing changed at a time:\n", Count(w.Cycles), w.Method)
	for _, k := range whatIfKinds {
		var rows []WhatIfRowDocument
		same, none := 0, 0
		for _, r := range w.Rows {
			switch {
			case r.Kind != k.kind:
			case r.Difference == nil:
				none++
			case *r.Difference == 0 && k.kind != analysis.OfOccupancy:
				same++
			default:
				rows = append(rows, r)
			}
		}
		if len(rows)+same+none == 0 {
			continue
		}
		if k.kind != analysis.OfOccupancy {
			slices.SortStableFunc(rows, func(a, b WhatIfRowDocument) int { return cmp.Compare(*a.Difference, *b.Difference) })
		}
		notes := k.notes
		if same > 0 {
			notes += fmt.Sprintf("%s of %s change nothing\n", Count(int64(same)), plural(int64(len(rows)+same+none), "change"))
		}
		if none > 0 {
			notes += fmt.Sprintf("%s leave no bound (--json says why)\n", plural(int64(none), "change"))
		}
		s := Section{ID: "what-if-" + k.kind, Lead: lead, Notes: notes}
		if len(rows) > 0 {
			s.Sheet = w.changes("", rows, k.heading)
		}
		lead = ""
		out = append(out, s)
	}
	return out
}
