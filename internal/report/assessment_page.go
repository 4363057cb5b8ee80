package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Document gives the assessment its forms: the text is the summary, the page is all.
func (d *AssessmentDocument) Document() *Document {
	ids := make([]MachineIdentity, len(d.GPUs))
	for i := range d.GPUs {
		ids[i] = d.GPUs[i].MachineIdentity
	}
	var inputs []string
	for i := range d.Cases {
		inputs = append(inputs, d.Cases[i].Launch)
	}
	title := "Timing of GPU kernels"
	if d.Name != "" {
		title += ": " + d.Name
	}
	out := &Document{
		Kind: "report", Provenance: Written(d.Warpbound, inputs, ids...), JSON: d, Values: d.caseSheet(),
		Title: title, Sections: d.summary(), Page: d.page(),
	}
	return out
}

// summary are the sections of the text form.
func (d *AssessmentDocument) summary() []Section {
	out := []Section{{ID: "summary", Lead: d.summaryText()}, {ID: "cases", Sheet: d.caseSheet()}}
	if len(d.Findings) > 0 {
		var b strings.Builder
		for i := range d.Findings {
			b.WriteString(d.Findings[i].line(true) + "\n")
		}
		out = append(out, Section{ID: "findings", Lead: b.String()})
	}
	if d.Changes != nil {
		out = append(out, d.changeSection())
	}
	return out
}

func (d *AssessmentDocument) changeSection() Section {
	if len(*d.Changes) == 0 {
		return Section{ID: "changes", Lead: "no figure and no verdict is another than before\n"}
	}
	return Section{ID: "changes", Sheet: changeSheet(*d.Changes)}
}

// pages collects the sections of a page.
type pages struct{ list []Section }

// add adds a section under a heading; title is "" for one that goes on.
func (p *pages) add(level int, id, title, at string, s Section) {
	s.Level, s.ID, s.Title, s.At = level, id, title, at
	p.list = append(p.list, s)
}

// take adds sections of another document under a heading, those of the ids named, in
// this order.
func (p *pages) take(prefix, title, at string, of *Document, ids ...string) {
	if of == nil {
		return
	}
	for _, id := range ids {
		for i := range of.Sections {
			if s := of.Sections[i]; s.ID == id && (s.Sheet != nil || s.Lead != "" || s.Notes != "") {
				p.add(3, fmt.Sprintf("%s-%s-%d", prefix, id, len(p.list)), title, at, s)
				title = ""
			}
		}
	}
}

// sources adds the sources with the cycles of each line, which are in the order of the
// files, below one heading.
func (p *pages) sources(prefix, at string, of *Document) {
	if of == nil {
		return
	}
	title := "The source, with the cycles of each line"
	for i := range of.Sections {
		s := of.Sections[i]
		if !strings.HasPrefix(s.ID, listingID) {
			continue
		}
		s.Sheet, s.Notes = shortSheet(s.Sheet, mostListedRows, s.Notes)
		p.add(3, prefix+"-"+s.ID, title, at, s)
		title = ""
	}
}

// page are the sections of the page form.
func (d *AssessmentDocument) page() []Section {
	p := &pages{}
	p.add(2, "summary", "Summary", "", Section{Lead: d.summaryText(), Sheet: d.caseSheet()})
	if len(d.Findings) > 0 {
		p.add(3, "findings", "Findings", "", Section{Sheet: findingSheet("findings[]", d.Findings)})
	}
	if d.Changes != nil {
		p.add(3, "changes", "Changes since the earlier assessment", "", d.changeSection())
	}
	if len(d.Accepted) > 0 {
		p.add(3, "accepted", "Accepted assumptions", "", Section{Sheet: d.acceptSheet()})
	}
	p.add(3, "reading", "How to read this report", "", Section{Lead: readingText})
	for i := range d.Cases {
		d.casePage(p, i)
	}
	for i := range d.GPUs {
		d.GPUs[i].page(p, i)
	}
	p.add(2, "provenance", "Provenance", "", Section{Sheet: provenanceSheet(d)})
	if len(d.Inputs) > 0 {
		p.add(3, "project", "Files of the project", "", Section{Sheet: inputSheet(d.Inputs)})
	}
	p.add(2, "signatures", "Signatures", "", Section{
		Lead:  "Whoever signs has read the summary, the findings, and for each launch what has to be promised.\n",
		Sheet: signatureSheet(), Blank: true,
	})
	return p.list
}

// readingText says what the words of the report mean.
const readingText = `BOUND for all inputs: no execution of this launch takes longer on the GPU described, whatever the data, where every assumption listed as assumed is true.
BOUND within what is stated: the same for arguments and data in the ranges that the launch file states, and executions within its facts.
THIS INPUT only: the figure holds for the input of the launch file. Other data may take longer.
REFUSED: no method gives a safe figure; the findings say why.
A simulation is one execution, of one input, under one policy: it is never a bound. It shows how far above an execution the bound is.
Bars with an outline are simulations, filled bars are bounds; the line across them is the budget.
`

// pair is a row of a table of names and values.
type pair struct{ name, value string }

func pairSheetOf(name, value string, rows []pair) *Sheet {
	return NewSheet("", rows, []Of[pair]{
		{Column{ID: "name", Heading: name}, func(p *pair) any { return p.name }},
		{Column{ID: "value", Heading: value}, func(p *pair) any { return p.value }},
	})
}

func provenanceSheet(d *AssessmentDocument) *Sheet {
	rows := []pair{
		{"warpbound", d.Warpbound.Version}, {"commit", d.Warpbound.Commit}, {"GPU files that come with it (SHA-256)", d.Warpbound.GPUHash},
		{"command that repeats this report", d.Command},
	}
	return pairSheetOf("what", "is", rows)
}

// signatureSheet has the fields that people fill in.
func signatureSheet() *Sheet {
	s := &Sheet{Columns: []Column{{ID: "role", Heading: "role"}, {ID: "name", Heading: "name"}, {ID: "date", Heading: "date"}, {ID: "signature", Heading: "signature"}}}
	for _, role := range []string{"prepared by", "checked by", "approved by"} {
		s.Rows = append(s.Rows, []any{role, "", "", ""})
	}
	return s
}

// casePage adds the chapter of a case.
func (d *AssessmentDocument) casePage(p *pages, i int) {
	c := &d.Cases[i]
	prefix, at := fmt.Sprintf("case-%d", i+1), fmt.Sprintf("cases.%d", i)
	p.add(2, prefix, c.Name(), at, Section{Lead: c.verdictText(d), Sheet: c.glance(d)})
	index := int64(i)
	if found := d.findingsOf(&index); len(found) > 0 {
		p.add(3, prefix+"-findings", "Findings", at, Section{Sheet: findingSheet("", found)})
	}
	if len(c.Figures) > 0 {
		p.add(3, prefix+"-figures", "Bound, budget and simulations", at, Section{Figure: c.figureChart(), Sheet: c.figureSheet()})
	}
	if len(c.Assumptions) > 0 {
		p.add(3, prefix+"-ledger", "What has to be promised", at, Section{Sheet: c.ledgerSheet(d.Project != ""), Lead: ledgerLead})
	}
	of := at + ".analysis"
	p.take(prefix, "What the bound is the sum of", of, c.pages.analysis, "breakdown")
	if a := c.Analysis; a != nil && a.Costs != nil {
		s := a.costSection()
		s.Figure = a.costChart()
		s.Sheet, s.Notes = shortSheet(s.Sheet, mostRows, s.Notes)
		p.add(3, prefix+"-costs", "Where the cycles go, in the source", of, s)
	}
	p.sources(prefix, of, c.pages.analysis)
	c.worstPage(p, prefix, at)
	p.take(prefix, "Bounds by every method", of, c.pages.analysis, "bounds", "refused")
	p.take(prefix, "Loops", of, c.pages.analysis, "loops")
	if len(c.Facts) > 0 {
		p.add(3, prefix+"-facts", "Facts of the launch", at, Section{Sheet: c.factSheet()})
	}
	p.take(prefix, "Warps of the slowest block, each alone", of, c.pages.analysis, "warps")
	c.timelinePage(p, prefix, at)
	p.take(prefix, "Simulation under the slowest policy", at+".simulation", c.pages.simulation, "summary", "schedulers", "units", "scheduling")
	p.take(prefix, "Memory, simulated with the caches of the GPU under the same policy", at+".memory", c.pages.memory, "summary", "memory", "traffic_of_memory")
	p.take(prefix, "Hits and misses in the L1 data cache", at+".cache", c.pages.cache, "caches", "sequence")
	if len(c.Remarks) > 0 {
		p.add(3, prefix+"-remarks", "What is left out, and why", at, Section{Lead: strings.Join(c.Remarks, "\n") + "\n"})
	}
	if len(c.Inputs) > 0 {
		p.add(3, prefix+"-inputs", "Files of the launch", at, Section{Sheet: inputSheet(c.Inputs)})
	}
	if len(c.Commands) > 0 {
		p.add(3, prefix+"-commands", "Commands that give this again", at, Section{Lead: strings.Join(c.Commands, "\n") + "\n", Listing: true})
	}
}

const ledgerLead = "The bound holds where all of these are true. What is enforced is a property of the described GPU; what is proved was shown for this kernel; what is ASSUMED somebody has to answer for.\n"

// verdictText is the verdict of a case in a sentence.
func (c *CaseDocument) verdictText(d *AssessmentDocument) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", c.result(), verdictTexts[c.Verdict])
	if c.Cycles != nil {
		fmt.Fprintf(&b, ": %s cycles = %s at %s MHz, by %s (%s)", Count(*c.Cycles), Time(*c.Cycles, d.GPUs[c.GPUIndex].CoreKHz), trimZeros(fmt.Sprintf("%.3f", float64(d.GPUs[c.GPUIndex].CoreKHz)/1000)), c.Method, c.Theorem)
	}
	b.WriteString("\n")
	switch c.BudgetStatus {
	case BudgetWithin:
		fmt.Fprintf(&b, "Within the budget of %s: it takes %s of it.\n", c.budgetWords(), Percent(*c.Share))
	case BudgetOver:
		fmt.Fprintf(&b, "OVER the budget of %s: it takes %s of it.\n", c.budgetWords(), Percent(*c.Share))
	case BudgetUnknown:
		fmt.Fprintf(&b, "Whether it is within the budget of %s is not shown.\n", c.budgetWords())
	}
	if c.Within != "" {
		fmt.Fprintf(&b, "The bound holds for %s.\n", c.Within)
	}
	if c.Model != "" {
		fmt.Fprintf(&b, "Model: %s.\n", c.Model)
	}
	if c.Why != "" {
		b.WriteString(c.Why + "\n")
	}
	return b.String()
}

// budgetWords is the budget as it was stated, in cycles where that was time.
func (c *CaseDocument) budgetWords() string {
	if strings.HasSuffix(c.Stated, " cycles") {
		return Count(*c.Budget) + " cycles"
	}
	return fmt.Sprintf("%s (%s cycles)", c.Stated, Count(*c.Budget))
}

func trimZeros(s string) string { return strings.TrimSuffix(strings.TrimRight(s, "0"), ".") }

// glance is what was assessed.
func (c *CaseDocument) glance(d *AssessmentDocument) *Sheet {
	rows := []pair{{"launch file", c.Launch}, {"kernel", cmp.Or(c.Kernel, "not read")}, {"GPU", c.GPU + " (description SHA-256 " + d.GPUs[c.GPUIndex].SHA256 + ")"}}
	if a := c.Analysis; a != nil {
		rows = append(rows,
			pair{"grid", fmt.Sprintf("%d x %d x %d blocks of %d x %d x %d threads", a.Grid[0], a.Grid[1], a.Grid[2], a.Block[0], a.Block[1], a.Block[2])},
			pair{"resident on an SM", fmt.Sprintf("%s (limit: %s)", plural(a.BlocksPerSM, "block"), a.OccupancyLim)},
		)
		if a.Instructions > 0 {
			rows = append(rows, pair{"warp instructions", Count(a.Instructions)})
		}
		if a.ThisInput != nil {
			rows = append(rows, pair{"this input alone", fmt.Sprintf("%s cycles by %s", Count(a.ThisInput.Cycles), a.ThisInput.Method)})
		}
	}
	if c.AllInputs {
		rows = append(rows, pair{"required", "a bound for all inputs"})
	}
	if c.BudgetAt != "" {
		rows = append(rows, pair{"budget stated at", c.BudgetAt})
	}
	return pairSheetOf("what", "is", rows)
}

// figureChart draws the bound of a case beside its simulations and the budget.
func (c *CaseDocument) figureChart() *Figure {
	b := &bars{
		title: "Bound and simulations of " + c.Name(), description: "Cycles of the bound and of the simulation under each policy; the table below has the numbers.",
		sheet: c.figureSheet(), label: 0, value: 2,
		hatched: func(row []any) bool { return strings.HasPrefix(fmt.Sprint(row[0]), "simulated") },
	}
	if c.Budget != nil {
		b.mark, b.markLabel = *c.Budget, "budget "+Count(*c.Budget)
		b.description += " The vertical line is the budget of " + Count(*c.Budget) + " cycles."
	}
	return b.figure()
}

// How many rows of long tables a page has; all are in the JSON form.
const (
	mostRows       = 30
	mostListedRows = 400
)

// shortSheet is the first rows of a long sheet, with a note that says so.
func shortSheet(s *Sheet, most int, notes string) (*Sheet, string) {
	more := len(s.Rows) - most
	if more <= 0 {
		return s, notes
	}
	short := *s
	short.Rows = s.Rows[:most]
	return &short, fmt.Sprintf("and %s, which the JSON form has\n", plural(int64(more), "more row")) + notes
}

// mostBars is how many rows of a long table its chart shows.
const mostBars = 12

// costChart draws where most cycles of the bound go.
func (d *AnalysisDocument) costChart() *Figure {
	s := d.costSheet()
	b := &bars{title: "Cycles of the bound by " + d.Costs.By, description: "The rows with most cycles; the table below has them and more.", sheet: s, label: 0, value: slices.IndexFunc(s.Columns, func(c Column) bool { return c.ID == "cycles" }), most: mostBars}
	return b.figure()
}

// worstPage shows a path that takes long, where data choose it.
func (c *CaseDocument) worstPage(p *pages, prefix, at string) {
	if c.Worst == nil {
		return
	}
	at += ".worst_path"
	lead := fmt.Sprintf("A path of one warp alone that takes %s of the at most %s cycles, by line.\n", Count(c.Worst.Cycles), Count(c.Worst.Most))
	sheet, notes := shortSheet(c.Worst.lineSheet(), mostRows, "")
	p.add(3, prefix+"-worst", "A worst path, in the source", at, Section{Lead: lead, Sheet: sheet, Notes: notes})
	if len(c.Worst.Choices) > 0 {
		p.add(3, prefix+"-choices", "", at, Section{Lead: "What data have to decide for it:\n", Sheet: c.Worst.choiceSheet()})
	}
}

// timelinePage shows what the warps of the slowest block did.
func (c *CaseDocument) timelinePage(p *pages, prefix, at string) {
	t := c.Timeline
	if t == nil {
		return
	}
	s := Section{
		Lead:  fmt.Sprintf("Block %d, of all blocks the one that takes longest in the simulation under %s: on SM %d from cycle %s to cycle %s.\n", t.Block, t.Policy, t.SM, Count(t.Start), Count(t.End)),
		Sheet: t.stateSheet(),
	}
	if c.pages.timeline != nil {
		if svg, err := c.pages.timeline(); err == nil {
			s.Figure = &Figure{Title: fmt.Sprintf("Warps of block %d over time", t.Block), Description: "A row a warp, colours by what it waits for; the table below has the cycles of each state.", SVG: svg}
		}
	}
	p.add(3, prefix+"-timeline", "Timeline of the slowest block", at+".timeline", s)
}

// page adds the chapter of a GPU.
func (g *AssessedGPU) page(p *pages, i int) {
	lead := fmt.Sprintf("Description SHA-256 %s, settings applied.\n", g.SHA256)
	if len(g.Settings) > 0 {
		lead += "Settings: " + strings.Join(g.Settings, ", ") + "\n"
	}
	p.add(2, fmt.Sprintf("gpu-%d", i+1), "GPU "+g.GPU, fmt.Sprintf("gpus.%d", i), Section{Lead: lead, Sheet: g.parameterSheet()})
}
