package warpbound

import (
	"errors"

	"github.com/warpbound/warpbound/internal/method/makespan/study"
	"github.com/warpbound/warpbound/internal/report"
)

// MakespanReport gives makespans the forms that the command makespan prints.
type MakespanReport struct {
	document func() *report.MakespanDocument
}

// Report is the answer as the command makespan prints it; its picture is the curve.
func (r *MakespanReport) Report() (*Report, error) { return &Report{r.document().Document()}, nil }

// Gantt draws the schedule that takes as long as the exact worst case, as SVG. The
// error says why there is none.
func (r *MakespanReport) Gantt() ([]byte, error) {
	d := r.document()
	if d.Instance == nil {
		return nil, errors.New("no schedule: there are several sections, or warps that differ")
	}
	return report.MakespanGantt(d)
}

// CurveStopped says why the curve is shorter than asked for, "" where it is not.
func (r *MakespanReport) CurveStopped() string { return r.document().CurveStopped() }

// MakespanResult is what the methods say of W identical warps that execute one string
// of instructions on one SM.
type MakespanResult struct {
	MakespanReport
	String  string // the instructions
	Warps   int64
	Figures []MakespanFigure
	// Best is the smallest safe figure; Exact is the worst case itself, nil where no
	// exact method ended in its budget.
	Best, Exact *MakespanFigure
	// Complete is false where a method or the curve ended before its time.
	Complete bool
	Curve    []MakespanPoint // empty unless asked for
}

// MakespanFigure is what one method says.
type MakespanFigure struct {
	Method string
	Cycles int64 // 0 where the method ended without an answer
	// Kind says what the figure is: exact, a safe bound, a published figure that is
	// or is not safe here, the published estimate, which is no bound, or no answer.
	Kind       string
	Theorem    string // where the proof or the formula is
	Note       string // what has to be known before the figure is used
	Unfinished string // what ran out before the method ended, "" where it ended
}

// MakespanPoint is a point of the curve: the published estimate for all warps from the
// exact makespan of X of them (Berezovskyi2012, Section 5.6), which is no bound.
type MakespanPoint struct {
	X           int64
	ExactCycles int64 // of X warps
	RawCycles   int64 // the estimate from X
	LeastCycles int64 // the least of those up to X
	Method      string
}

func newMakespanResult(s *study.Study, c *study.Curve, shown report.MakespanOptions) *MakespanResult {
	out := &MakespanResult{String: s.Instance.Text(), Warps: s.Instance.Warps, Complete: s.Complete}
	out.document = func() *report.MakespanDocument { return report.Makespan(s, c, shown) }
	for i := range s.Rows {
		r := &s.Rows[i]
		out.Figures = append(out.Figures, MakespanFigure{Method: r.Method, Cycles: r.Cycles, Kind: string(r.Kind), Theorem: r.Theorem, Note: r.Note, Unfinished: r.Unfinished})
	}
	out.Best, out.Exact = out.figure(s.Best), out.figure(s.Exact)
	if c != nil {
		out.Complete = out.Complete && c.Stopped == ""
		for _, p := range c.Points {
			out.Curve = append(out.Curve, MakespanPoint{X: p.X, ExactCycles: p.Exact, RawCycles: p.Raw, LeastCycles: p.Least, Method: p.Method})
		}
	}
	return out
}

// figure is the figure of an answer, nil where there is none.
func (r *MakespanResult) figure(a *study.Answer) *MakespanFigure {
	if a == nil {
		return nil
	}
	for i := range r.Figures {
		if f := &r.Figures[i]; f.Method == a.Method && f.Cycles == a.Cycles {
			return f
		}
	}
	return &MakespanFigure{Method: a.Method, Cycles: a.Cycles}
}
