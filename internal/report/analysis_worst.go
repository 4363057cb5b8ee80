package report

import (
	"fmt"

	"github.com/warpbound/warpbound/internal/analysis"
)

// The most lines and choices of a path that are shown.
const (
	mostLines   = 16
	mostChoices = 16
)

// worstSections show a path that takes long: what it executes by line, and what data have
// to decide for it.
func worstSections(w *analysis.WorstPath) []Section {
	all := int64(0)
	for i := range w.Lines {
		all += w.Lines[i].InitiationCycles
	}
	lines, more := w.Lines, ""
	if n := len(lines) - mostLines; n > 0 {
		lines = lines[:mostLines]
		more = fmt.Sprintf("and %s more\n", plural(int64(n), "line"))
	}
	lead := fmt.Sprintf("a path of one warp alone that takes %s of the at most %s cycles, by line:\n", Count(w.Cycles), Count(w.Most))
	sections := []Section{{ID: "worst-path", Lead: lead, Notes: more, Sheet: NewSheet("", lines, []Of[analysis.WorstLine]{
		{Column{ID: "line", Heading: "line"}, func(l *analysis.WorstLine) any { return fmt.Sprintf("%s:%d", l.Pos.File, l.Pos.Line) }},
		{Column{ID: "instructions", Heading: "instructions", Unit: "instructions", Type: Amount}, func(l *analysis.WorstLine) any { return l.Instructions }},
		{Column{ID: "initiation", Heading: "starts for", Unit: "cycles", Type: Amount}, func(l *analysis.WorstLine) any { return l.InitiationCycles }},
		{Column{ID: "share", Heading: "share", Unit: "ratio", Type: Share, Bar: true}, func(l *analysis.WorstLine) any { return float64(l.InitiationCycles) / float64(max(all, 1)) }},
	})}}
	if len(w.Choices) == 0 {
		return sections
	}
	choices := w.Choices[:min(len(w.Choices), mostChoices)]
	return append(sections, Section{ID: "worst-choices", Lead: "what data have to decide for it:\n", Sheet: NewSheet("", choices, []Of[analysis.WorstChoice]{
		{Column{ID: "from", Heading: "what begins at"}, func(c *analysis.WorstChoice) any { return c.Pos.String() }},
		{Column{ID: "times", Heading: "is executed", Unit: "times", Type: Amount}, func(c *analysis.WorstChoice) any { return c.Times }},
		{Column{ID: "most", Heading: "of at most", Unit: "times", Type: Amount}, func(c *analysis.WorstChoice) any { return c.Most }},
	})})
}
