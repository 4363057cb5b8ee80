package search

import (
	"fmt"
	"strings"

	"github.com/warpbound/warpbound/internal/report"
)

// Report gives the document its forms.
func (d *Document) Report() *report.Document {
	return report.Sentences("soundness", report.Written(d.Warpbound, nil), d, func(p *report.Printer) { p.WriteString(d.text()) })
}

func (d *Document) text() string {
	t := report.Table{Header: []string{"what was tried", "cases", "comparisons", "skipped"}}
	var found strings.Builder
	if d.Programs != nil {
		for _, k := range d.Programs.Kinds {
			t.Add(k.Kind, report.Count(int64(k.Cases)), report.Count(k.Compared), report.Count(k.Skipped))
		}
		for i := range d.Programs.Violations {
			found.WriteString("VIOLATION\n" + d.Programs.Violations[i].String() + "\n")
		}
	}
	if d.Kernels != nil {
		t.Add("PTX kernels, simulated", report.Count(int64(d.Kernels.Cases)), report.Count(int64(d.Kernels.Compared)), 0)
		for i := range d.Kernels.Violations {
			found.WriteString("VIOLATION\n" + d.Kernels.Violations[i].String() + "\n")
		}
	}
	if d.Claims != nil {
		t.Add("PTX kernels, executed again", report.Count(int64(d.Claims.Cases)), report.Count(int64(d.Claims.Executions)), report.Count(int64(d.Claims.Cases-d.Claims.Claimed)))
		for i := range d.Claims.Violations {
			found.WriteString("VIOLATION\n" + d.Claims.Violations[i].String() + "\n")
		}
	}
	for _, r := range d.Scopes {
		t.Add(r.Scope+", complete", report.Count(r.Blocks), report.Count(r.Compared), report.Count(r.Skipped))
		for i := range r.Violations {
			found.WriteString("VIOLATION\n" + r.Violations[i].String() + "\n")
		}
	}
	for _, a := range d.Attacks {
		t.Add("attack on "+a.Method+": "+a.Machine, report.Count(int64(a.Climbs)), fmt.Sprintf("within %d", a.Closest), "")
		if a.Violation != nil {
			found.WriteString("VIOLATION\n" + a.Violation.String() + "\n")
		}
	}
	s := t.Render(report.Text) + "\n" + found.String()
	if d.Violations() == 0 {
		s += "no safe bound was violated\n"
	}
	return s
}
