package report

import (
	"fmt"
	"strings"

	"github.com/warpbound/warpbound/bound"
)

// word is a column of words that is empty where there are none.
func word[R any](id, heading string, of func(*R) string) Of[R] {
	return Of[R]{Column{ID: id, Heading: heading}, func(r *R) any {
		if s := of(r); s != "" {
			return s
		}
		return nil
	}}
}

// amount is a column of whole numbers.
func amount[R any](id, heading, unit string, of func(*R) any) Of[R] {
	return Of[R]{Column{ID: id, Heading: heading, Unit: unit, Type: Amount}, of}
}

// caseSheet has a row for each case.
func (d *AssessmentDocument) caseSheet() *Sheet {
	return NewSheet("cases[]", d.Cases, []Of[CaseDocument]{
		word("launch", "launch", func(c *CaseDocument) string { return c.Launch }),
		word("gpu", "GPU", func(c *CaseDocument) string { return c.GPU }),
		{Column{ID: "result", Heading: "result", In: InText}, func(c *CaseDocument) any { return c.result() }},
		{Column{ID: "passed", Type: Flag, In: InCSV}, func(c *CaseDocument) any { return c.Passed }},
		{Column{ID: "verdict", Heading: "verdict", In: InText}, func(c *CaseDocument) any { return verdictTexts[c.Verdict] }},
		{Column{ID: "verdict", In: InCSV}, func(c *CaseDocument) any { return c.Verdict }},
		amount("cycles", "cycles", "cycles", func(c *CaseDocument) any { return maybe(c.Cycles) }),
		{Column{ID: "nanoseconds", Heading: "time", Unit: "µs", Type: Nanos}, func(c *CaseDocument) any { return maybe(c.Nanoseconds) }},
		word("method", "method", func(c *CaseDocument) string { return c.Method }),
		amount("budget_cycles", "budget", "cycles", func(c *CaseDocument) any { return maybe(c.Budget) }),
		{Column{ID: "budget_share", Heading: "of budget", Unit: "ratio", Type: Share}, func(c *CaseDocument) any { return maybe(c.Share) }},
		{Column{ID: "budget_status", Heading: "budget is", In: InText}, func(c *CaseDocument) any { return budgetText(c.BudgetStatus) }},
		{Column{ID: "budget_status", In: InCSV}, func(c *CaseDocument) any { return c.BudgetStatus }},
	})
}

// findingSheet lists findings; path is where they are in the JSON form, "" for some of
// them.
func findingSheet(path string, list []Finding) *Sheet {
	return NewSheet(path, list, []Of[Finding]{
		word("level", "level", func(f *Finding) string { return f.Level }),
		word("rule", "rule", func(f *Finding) string { return f.Rule }),
		{Column{ID: "at", Heading: "at"}, func(f *Finding) any { return f.At.String() }},
		word("message", "message", func(f *Finding) string { return f.Message }),
	})
}

// figureSheet sets the bound of a case beside its simulations.
func (c *CaseDocument) figureSheet() *Sheet {
	return NewSheet("figures[]", c.Figures, []Of[FigureRow]{
		word("what", "what", func(f *FigureRow) string { return f.What }),
		word("model", "model", func(f *FigureRow) string { return f.Model }),
		amount("cycles", "cycles", "cycles", func(f *FigureRow) any { return f.Cycles }),
		{Column{ID: "nanoseconds", Heading: "time", Unit: "µs", Type: Nanos}, func(f *FigureRow) any { return maybe(f.Nanoseconds) }},
		{Column{ID: "budget_share", Heading: "of budget", Unit: "ratio", Type: Share}, func(f *FigureRow) any { return maybe(f.Share) }},
		{Column{ID: "overestimation", Heading: "bound is above it by", Unit: "ratio", Type: Share}, func(f *FigureRow) any { return maybe(f.Overestimation) }},
		{Column{ID: "note", Heading: "note", In: InText}, func(f *FigureRow) any { return f.note() }},
	})
}

// note says what a simulation says about the bound.
func (f *FigureRow) note() string {
	switch {
	case f.Violation:
		return "VIOLATED"
	case f.Policy == "" || f.Overestimation == nil:
		return ""
	case f.Claimed:
		return "covered by the bound"
	case *f.Overestimation < 0:
		return "ABOVE the bound, which does not claim to cover it"
	}
	return "not claimed for this model, policy or input"
}

// ledgerSheet lists assumptions, those that somebody answers for first.
func (c *CaseDocument) ledgerSheet(judged bool) *Sheet {
	status := map[bound.Status]string{bound.Assumed: "ASSUMED", bound.Proved: "proved for this kernel", bound.Enforced: "enforced by the GPU description"}
	return NewSheet("assumptions[]", c.Assumptions, []Of[CaseAssumption]{
		{Column{ID: "id", Heading: "id"}, func(a *CaseAssumption) any { return string(a.ID) }},
		word("name", "assumption", func(a *CaseAssumption) string { return a.Name }),
		{Column{ID: "status", Heading: "status"}, func(a *CaseAssumption) any { return status[a.Status] }},
		word("text", "what it says", func(a *CaseAssumption) string { return a.Text }),
		word("note", "here", func(a *CaseAssumption) string { return a.Note }),
		{Column{ID: "reason", Heading: "who answers for it, and why"}, func(a *CaseAssumption) any {
			switch {
			case a.Status != bound.Assumed:
				return nil
			case a.Accepted:
				return "accepted: " + a.Reason
			case judged:
				return "NOT ACCEPTED"
			}
			return "not judged: no project file says"
		}},
	})
}

// acceptSheet lists what the project accepts.
func (d *AssessmentDocument) acceptSheet() *Sheet {
	return NewSheet("accepted[]", d.Accepted, []Of[AcceptDocument]{
		{Column{ID: "id", Heading: "id"}, func(a *AcceptDocument) any { return string(a.ID) }},
		word("name", "assumption", func(a *AcceptDocument) string { return a.Name }),
		word("reason", "reason", func(a *AcceptDocument) string { return a.Reason }),
		{Column{ID: "launches", Heading: "for"}, func(a *AcceptDocument) any {
			if len(a.Launches) == 0 {
				return "all launches"
			}
			return strings.Join(a.Launches, ", ")
		}},
		word("position", "at", func(a *AcceptDocument) string { return a.Position }),
		{Column{ID: "used", Heading: "launches that rest on it", Unit: "launches", Type: Integer}, func(a *AcceptDocument) any { return a.Used }},
	})
}

// inputSheet lists files with their hashes.
func inputSheet(list []InputDocument) *Sheet {
	return NewSheet("inputs[]", list, []Of[InputDocument]{
		word("path", "file", func(i *InputDocument) string { return i.Path }),
		word("role", "is", func(i *InputDocument) string { return i.Role }),
		amount("bytes", "bytes", "bytes", func(i *InputDocument) any { return i.Bytes }),
		word("sha256", "SHA-256", func(i *InputDocument) string { return i.SHA256 }),
	})
}

// factSheet lists the facts that a launch states.
func (c *CaseDocument) factSheet() *Sheet {
	return NewSheet("facts[]", c.Facts, []Of[FactDocument]{
		word("fact", "fact, assumed for every execution", func(f *FactDocument) string { return f.Fact }),
		word("position", "stated at", func(f *FactDocument) string { return f.Position }),
	})
}

// lineSheet is the worst path by line, choiceSheet what data decide on it.
func (w *WorstDocument) lineSheet() *Sheet {
	return NewSheet("lines[]", w.Lines, []Of[PathLine]{
		word("position", "line", func(l *PathLine) string { return l.Position }),
		amount("instructions", "instructions", "instructions", func(l *PathLine) any { return l.Instructions }),
		amount("initiation_cycles", "cycles starting them", "cycles", func(l *PathLine) any { return l.Initiation }),
		word("text", "text", func(l *PathLine) string { return l.Text }),
	})
}

func (w *WorstDocument) choiceSheet() *Sheet {
	return NewSheet("choices[]", w.Choices, []Of[ChoiceOfWay]{
		word("position", "what begins at", func(c *ChoiceOfWay) string { return c.Position }),
		amount("times", "is executed", "times", func(c *ChoiceOfWay) any { return c.Times }),
		amount("most", "of at most", "times", func(c *ChoiceOfWay) any { return c.Most }),
		word("text", "text", func(c *ChoiceOfWay) string { return c.Text }),
	})
}

// stateSheet says what the warps of the slowest block did.
func (t *TimelineDocument) stateSheet() *Sheet {
	return NewSheet("states[]", t.States, []Of[StateCycle]{
		word("state", "what its warps do", func(s *StateCycle) string { return s.State }),
		amount("cycles", "cycles, all warps together", "cycles", func(s *StateCycle) any { return s.Cycles }),
		{Column{ID: "share", Heading: "share", Unit: "ratio", Type: Share}, func(s *StateCycle) any { return s.Share }},
	})
}

// parameterSheet lists the numbers of a GPU description with their sources.
func (g *AssessedGPU) parameterSheet() *Sheet {
	return NewSheet("parameters[]", g.Parameters, []Of[Parameter]{
		word("table", "table", func(p *Parameter) string { return p.Table }),
		word("key", "key", func(p *Parameter) string { return p.Key }),
		{Column{ID: "value", Heading: "value", Type: Label}, func(p *Parameter) any { return p.Value }},
		word("source", "source", func(p *Parameter) string { return p.Source }),
	})
}

// changeSheet lists what is different from an earlier assessment.
func changeSheet(list []ChangeDocument) *Sheet {
	return NewSheet("changes[]", list, []Of[ChangeDocument]{
		word("launch", "launch", func(c *ChangeDocument) string { return c.Launch }),
		word("gpu", "GPU", func(c *ChangeDocument) string { return c.GPU }),
		amount("before_cycles", "before", "cycles", func(c *ChangeDocument) any { return maybe(c.Before) }),
		amount("after_cycles", "now", "cycles", func(c *ChangeDocument) any { return maybe(c.After) }),
		{Column{ID: "change", Heading: "change", Unit: "ratio", Type: Share}, func(c *ChangeDocument) any { return maybe(c.Change) }},
		word("note", "note", func(c *ChangeDocument) string { return c.Note }),
	})
}

// summaryText says in a line what came of the assessment.
func (d *AssessmentDocument) summaryText() string {
	passed := 0
	for i := range d.Cases {
		if d.Cases[i].Passed {
			passed++
		}
	}
	word := "PASS"
	switch {
	case !d.Complete:
		word = "CUT SHORT"
	case !d.Passed:
		word = "FAIL"
	}
	text := fmt.Sprintf("%s: %d of %s passed", word, passed, launches(len(d.Cases)))
	if n := len(d.Errors()); n > 0 {
		text += ", " + plural(int64(n), "error")
	}
	return text + "\n"
}

func launches(n int) string {
	if n == 1 {
		return "1 launch"
	}
	return Count(int64(n)) + " launches"
}
