package search

import (
	"fmt"
	"strings"

	"github.com/warpbound/warpbound/internal/report"
)

// Report is a search in the forms of a report of the library.
type Report struct{ *report.Document }

// JSON is one JSON document, indented.
func (r Report) JSON() ([]byte, error) { return r.EncodeJSON() }

// Report gives the document its forms.
func (d *Document) Report() Report {
	rows, found := d.rows()
	if d.Violations() == 0 {
		found += "no safe bound was violated\n"
	}
	return Report{&report.Document{
		Kind: "soundness", Provenance: report.Written(d.Warpbound, nil), JSON: d,
		Sections: []report.Section{{ID: "tried", Sheet: report.NewSheet("", rows, columns)}, {ID: "violations", Lead: found}},
	}}
}

// row is something that was tried.
type row struct {
	what           string
	cases          int64
	compared, left any
}

var columns = []report.Of[row]{
	{Column: report.Column{ID: "tried", Heading: "what was tried"}, Value: func(r *row) any { return r.what }},
	{Column: report.Column{ID: "cases", Heading: "cases", Unit: "cases", Type: report.Amount}, Value: func(r *row) any { return r.cases }},
	{Column: report.Column{ID: "comparisons", Heading: "comparisons", Unit: "comparisons", Type: report.Amount}, Value: func(r *row) any { return r.compared }},
	{Column: report.Column{ID: "skipped", Heading: "skipped", Unit: "cases", Type: report.Amount}, Value: func(r *row) any { return r.left }},
}

// rows are everything that was tried, with what was found.
func (d *Document) rows() ([]row, string) {
	var out []row
	var found strings.Builder
	if d.Programs != nil {
		for _, k := range d.Programs.Kinds {
			out = append(out, row{k.Kind, int64(k.Cases), k.Compared, k.Skipped})
		}
		for i := range d.Programs.Violations {
			found.WriteString(violation(&d.Programs.Violations[i]))
		}
	}
	if d.Kernels != nil {
		out = append(out, row{"PTX kernels, simulated", int64(d.Kernels.Cases), int64(d.Kernels.Compared), int64(0)})
		for i := range d.Kernels.Violations {
			found.WriteString(violation(&d.Kernels.Violations[i]))
		}
	}
	if d.Claims != nil {
		out = append(out, row{"PTX kernels, executed again", int64(d.Claims.Cases), int64(d.Claims.Executions), int64(d.Claims.Cases - d.Claims.Claimed)})
		for i := range d.Claims.Violations {
			found.WriteString(violation(&d.Claims.Violations[i]))
		}
	}
	for _, r := range d.Scopes {
		out = append(out, row{r.Scope + ", complete", r.Blocks, r.Compared, r.Skipped})
		for i := range r.Violations {
			found.WriteString(violation(&r.Violations[i]))
		}
	}
	for _, a := range d.Attacks {
		out = append(out, row{"attack on " + a.Method + ": " + a.Machine, int64(a.Climbs), fmt.Sprintf("within %d", a.Closest), ""})
		if a.Violation != nil {
			found.WriteString(violation(a.Violation))
		}
	}
	return out, found.String()
}

func violation(v fmt.Stringer) string { return "VIOLATION\n" + v.String() + "\n" }
