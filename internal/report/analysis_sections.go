package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/load"
)

// Document gives the analysis of r its forms; explain adds phases, what assumptions
// say and why methods give no bound. end is how a RISC-V program ended, nil for PTX.
// worst is the path to be shown where data choose it, nil for none.
func (d *AnalysisDocument) Document(r *analysis.Report, end *load.Outcome, explain bool, worst *analysis.WorstPath) *Document {
	if end != nil {
		d.ExitCode = &end.ExitCode
	}
	sections := []Section{
		{ID: "launch", Lead: failedText(end) + launchText(d.Launch, r, explain) + d.sizesText()},
		methodSection(r),
	}
	if len(r.Scopes) == 0 { // nothing is bounded
		sections = sections[:1]
	}
	if r.Best != nil {
		sections = append(sections, breakdownSection(figureName(r), r.Best))
	}
	if block := r.Scope(bound.Block); block != nil && len(block.Warps) > 0 {
		sections = append(sections, warpSection(r, block))
		if explain {
			sections = append(sections, Section{ID: "phases", Lead: profileText(block)})
		}
		if worst != nil {
			sections = append(sections, worstSections(worst)...)
		}
	}
	// Lists are wrapped at the width that counts when they are written.
	sections = append(sections, Section{ID: "assumptions", Write: func(p *Printer) {
		if r.Best != nil {
			p.WriteString(ledgerText(r.Best.Assumptions, explain))
		}
	}})
	if no := refusalText(r); no != "" && (explain || r.Best == nil) {
		sections = append(sections, Section{ID: "refused", Lead: no})
	}
	out := &Document{Kind: "analyze", Provenance: Written(d.Warpbound, []string{d.Launch}, d.MachineIdentity), JSON: d, Sections: sections}
	if d.Loops != nil {
		out.Sections = slices.Insert(out.Sections, min(2, len(sections)-1), d.loopSection())
		out.Values = d.loopSheet()
	}
	if d.WhatIf != nil {
		out.Sections = slices.Insert(out.Sections, 1, d.WhatIf.sections()...)
		out.Values = d.WhatIf.sheet()
	}
	if d.Costs != nil {
		out.Sections = slices.Insert(out.Sections, 1, append([]Section{d.costSection()}, listingSections(d.Costs.Listings, d.Costs.Cycles)...)...)
		out.Values = d.costSheet()
	}
	if len(d.BlockSizes) > 0 {
		out.Sections = slices.Insert(out.Sections, 1, d.sizeSection())
	}
	if d.formula != nil {
		out.Sections = slices.Insert(out.Sections, 1, Section{ID: "formula", Lead: d.formulaText()})
	}
	return out
}

// methodSection sets the methods side by side, a column a scope.
func methodSection(r *analysis.Report) Section {
	columns := []Column{{ID: "method", Heading: figureName(r) + " in cycles" + ofInput(r) + " by"}}
	for _, s := range r.Scopes {
		columns = append(columns, Column{ID: s.Scope.String(), Heading: scopeText(s.Scope), Unit: "cycles", Type: Amount})
	}
	sheet := &Sheet{Columns: columns}
	var unsafe, none bool
	var reasons []string
	for _, x := range analysis.Table {
		row := []any{x.Name}
		shown, said := false, false
		for _, s := range r.Scopes {
			bd := s.Bound(x.Name)
			if bd == nil {
				row, none = append(row, nil), true
				continue
			}
			shown = true
			cell := Marked{Value: bd.Cycles}
			if best := s.BestBound(); best != nil && best.Method == x.Name {
				cell.Sign = "*"
			}
			if !bd.Safe {
				cell.Sign, unsafe = "!"+cell.Sign, true
				if !said {
					said = true
					reasons = append(reasons, fmt.Sprintf("! %s is NOT SAFE here: %s\n", x.Name, bd.UnsafeReason))
				}
			}
			row = append(row, cell)
		}
		if shown {
			sheet.Rows = append(sheet.Rows, row)
		}
	}
	legend := "* smallest safe " + figureName(r) + " of its scope" + ofInput(r)
	if unsafe {
		legend += "   ! not safe: an execution may take longer"
	}
	if none {
		legend += "   - no bound for this scope (--explain says why)"
	}
	return Section{ID: "bounds", Sheet: sheet, Notes: legend + "\n" + strings.Join(reasons, "")}
}

// breakdownSection says what a bound is the sum of.
func breakdownSection(name string, b *bound.Bound) Section {
	var parts []bound.Component
	for _, c := range b.Breakdown {
		if c.Cycles > 0 {
			parts = append(parts, c)
		}
	}
	return Section{ID: "breakdown", Sheet: NewSheet("", parts, []Of[bound.Component]{
		{Column{ID: "part", Heading: "the " + name + " is the sum of"}, func(c *bound.Component) any { return c.Name }},
		{Column{ID: "cycles", Heading: "cycles", Unit: "cycles", Type: Amount}, func(c *bound.Component) any { return c.Cycles }},
		{Column{ID: "share", Heading: "share", Unit: "ratio", Type: Share, Bar: true}, func(c *bound.Component) any { return float64(c.Cycles) / float64(b.Cycles) }},
	})}
}

// warpSection says where the cycles of the slowest block's warps go when each is
// alone.
func warpSection(r *analysis.Report, block *bound.Result) Section {
	shown := slowestFirst(block.Warps)
	more := len(shown) - mostClasses
	shown = shown[:min(len(shown), mostClasses)]
	cycles := func(id, heading string, of func(*bound.WarpProfile) int64) Of[bound.WarpProfile] {
		return Of[bound.WarpProfile]{Column{ID: id, Heading: heading, Unit: "cycles", Type: Amount}, func(w *bound.WarpProfile) any { return of(w) }}
	}
	// Of a set of paths it is not known in which cycles the longest one initiates.
	once := func(of func(*bound.WarpProfile) int64) func(*bound.WarpProfile) any {
		return func(w *bound.WarpProfile) any {
			if r.ThisInput != nil || r.Unrecorded != "" {
				return "-"
			}
			return of(w)
		}
	}
	sheet := NewSheet("", shown, []Of[bound.WarpProfile]{
		{Column{ID: "warps", Heading: "warps of the slowest block"}, func(w *bound.WarpProfile) any { return fmt.Sprintf("%d of class %d", w.Warps, w.Class) }},
		{Column{ID: "instructions", Heading: "instructions", Unit: "instructions", Type: Amount}, func(w *bound.WarpProfile) any { return w.Instructions }},
		cycles("isolated_cycles", "isolated", func(w *bound.WarpProfile) int64 { return w.IsoCycles }),
		{Column{ID: "execution_cycles", Heading: "executing", Unit: "cycles", Type: Amount}, once(func(w *bound.WarpProfile) int64 { return w.ExecCycles })},
		{Column{ID: "idle_cycles", Heading: "idle", Unit: "cycles", Type: Amount}, once(func(w *bound.WarpProfile) int64 { return w.IdleCycles })},
		{Column{ID: "units", Heading: "cycles starting instructions, by unit"}, func(w *bound.WarpProfile) any { return unitText(r, w) }},
	})
	if more > 0 {
		row := []any{fmt.Sprintf("... %d more classes", more)}
		for range sheet.Columns[1:] {
			row = append(row, "")
		}
		sheet.Rows = append(sheet.Rows, row)
	}
	return Section{ID: "warps", Sheet: sheet, Notes: "isolated: each warp alone, from barrier to barrier, added up\n" + sectionsText(block)}
}

// unitText lists the units that a warp occupies, with the cycles.
func unitText(r *analysis.Report, w *bound.WarpProfile) string {
	var units []string
	for u, cycles := range w.UnitInitCycles {
		if cycles > 0 {
			units = append(units, fmt.Sprintf("%s %s", r.Machine.Units[u].Name, Count(cycles)))
		}
	}
	return strings.Join(units, ", ")
}
