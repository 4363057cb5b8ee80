package report

import (
	"time"

	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/method/makespan/study"
	"github.com/warpbound/warpbound/internal/version"
)

// MakespanDocument is the JSON form of a study of a makespan (docs/json.md).
type MakespanDocument struct {
	Warpbound version.Info      `json:"warpbound"`
	Instance  *MakespanInstance `json:"instance"`
	// Complete is false where a method or the curve ended before its time: a budget
	// was exhausted, or the command interrupted.
	Complete    bool              `json:"complete"`
	Rows        []MakespanRow     `json:"rows"`
	Pessimistic *int64            `json:"pessimistic"`
	Safe        *int64            `json:"safe"`
	Potential   *int64            `json:"potential"`
	Exact       *MakespanExact    `json:"exact"`
	Estimate    *MakespanEstimate `json:"estimate"`
	Best        MakespanBest      `json:"best"`
	Curve       []MakespanPoint   `json:"curve"`
	// Launch and Sections are of a launch file; the figures above then are sums over
	// all sections, and Instance is null unless there is one of identical warps.
	Launch   *MakespanLaunch   `json:"launch"`
	Sections []MakespanSection `json:"sections"`

	study     *study.Study
	curve     *study.Curve
	scheduled bool // the schedule was asked for
}

// MakespanInstance is the problem.
type MakespanInstance struct {
	Source string `json:"source"`
	// Code is the transformed string, absent where it is longer than MaxCodeShown.
	Code     string         `json:"code,omitempty"`
	Length   int64          `json:"length"`
	Warps    int64          `json:"warps"`
	WarpSize int64          `json:"warp_size"`
	Kinds    []MakespanKind `json:"kinds"`
	// DefaultUnits says that the units are the defaults and were not stated.
	DefaultUnits bool `json:"default_units"`
}

// MaxCodeShown is the longest transformed string that is written out.
const MaxCodeShown = 4096

// MakespanKind is a kind of unit.
type MakespanKind struct {
	Letter string `json:"letter"`
	makespan.Kind
}

// MakespanRow is what one method says; Cycles is nil where it has no answer.
type MakespanRow struct {
	Method     string     `json:"method"`
	Kind       study.Kind `json:"kind"`
	Cycles     *int64     `json:"cycles"`
	Theorem    string     `json:"theorem,omitempty"`
	Work       int64      `json:"work,omitempty"`
	WorkUnit   string     `json:"work_unit,omitempty"`
	Note       string     `json:"note,omitempty"`
	Unfinished string     `json:"unfinished,omitempty"`
	Seconds    *float64   `json:"seconds,omitempty"`
}

// MakespanExact is the exact makespan; Schedule[w][i] is the cycle, from 1 on, in
// which warp w executes instruction i.
type MakespanExact struct {
	Cycles   int64     `json:"cycles"`
	Method   string    `json:"method"`
	Schedule [][]int32 `json:"schedule,omitempty"`
}

// MakespanEstimate is the published estimate from up to X warps.
type MakespanEstimate struct {
	X      int64 `json:"x"`
	Cycles int64 `json:"cycles"`
}

// MakespanBest is the smallest safe figure.
type MakespanBest struct {
	Cycles int64  `json:"cycles"`
	Method string `json:"method"`
	Exact  bool   `json:"exact"`
}

// MakespanPoint is a point of the curve.
type MakespanPoint struct {
	makespan.Estimate
	Method string         `json:"method"`
	Times  []MakespanTime `json:"times,omitempty"`
}

// MakespanTime is how long a method took for a point.
type MakespanTime struct {
	Method     string  `json:"method"`
	Seconds    float64 `json:"seconds"`
	Unfinished string  `json:"unfinished,omitempty"`
}

// MakespanOptions say what to show of a study.
type MakespanOptions struct {
	// Times shows how long methods took: the one thing that differs between runs.
	Times bool
	// Schedule shows the witness of the exact makespan.
	Schedule bool
	// DefaultUnits says that the units were not stated.
	DefaultUnits bool
}

// Makespan makes the JSON form of a study, and of a curve unless that is nil.
func Makespan(s *study.Study, c *study.Curve, o MakespanOptions) *MakespanDocument {
	doc := &MakespanDocument{
		Warpbound: version.Get(), Complete: s.Complete, Rows: []MakespanRow{}, Curve: []MakespanPoint{}, Sections: []MakespanSection{},
		Instance: makespanInstance(s.Instance, o), study: s, curve: c, scheduled: o.Schedule,
	}
	for i := range s.Rows {
		doc.Rows = append(doc.Rows, makespanRow(&s.Rows[i], o.Times))
	}
	doc.Pessimistic, doc.Safe, doc.Potential = doc.cycles(study.Paper), doc.cycles(study.Safe), doc.cycles(study.Potential)
	doc.Best = MakespanBest{Cycles: s.Best.Cycles, Method: s.Best.Method, Exact: s.Exact != nil}
	doc.Exact = makespanExact(s, o)
	if e := s.Estimated; e != nil {
		doc.Estimate = &MakespanEstimate{X: e.X, Cycles: e.Cycles}
	}
	if c != nil {
		doc.Complete = doc.Complete && c.Stopped == ""
		for _, p := range c.Points {
			point := MakespanPoint{Estimate: p.Estimate, Method: p.Method}
			for _, t := range p.Times {
				if o.Times {
					point.Times = append(point.Times, MakespanTime{t.Method, seconds(t.Elapsed), t.Unfinished})
				}
			}
			doc.Curve = append(doc.Curve, point)
		}
	}
	return doc
}

func makespanInstance(in *makespan.Instance, o MakespanOptions) *MakespanInstance {
	doc := &MakespanInstance{
		Source: in.Source, Length: in.Length, Warps: in.Warps, WarpSize: in.WarpSize,
		Kinds: []MakespanKind{}, DefaultUnits: o.DefaultUnits,
	}
	if in.Length <= MaxCodeShown {
		doc.Code = in.Text()
	}
	for _, k := range in.Kinds {
		doc.Kinds = append(doc.Kinds, MakespanKind{string(rune(k.Letter)), k})
	}
	return doc
}

// makespanExact is nil where no exact method ended.
func makespanExact(s *study.Study, o MakespanOptions) *MakespanExact {
	if s.Exact == nil {
		return nil
	}
	doc := &MakespanExact{Cycles: s.Exact.Cycles, Method: s.Exact.Method}
	if o.Schedule && s.Exact.Schedule != nil {
		doc.Schedule = s.Exact.Schedule.Cycle
	}
	return doc
}

func makespanRow(r *study.Row, times bool) MakespanRow {
	row := MakespanRow{
		Method: r.Method, Kind: r.Kind, Theorem: r.Theorem, Work: r.Work, WorkUnit: r.WorkUnit, Note: r.Note, Unfinished: r.Unfinished,
	}
	if r.Kind != study.NoAnswer {
		cycles := r.Cycles
		row.Cycles = &cycles
	}
	if times {
		s := seconds(r.Elapsed)
		row.Seconds = &s
	}
	return row
}

// cycles is the figure of a method, nil where it has none.
func (d *MakespanDocument) cycles(method string) *int64 { return makespanCycles(d.Rows, method) }

func makespanCycles(rows []MakespanRow, method string) *int64 {
	for _, r := range rows {
		if r.Method == method {
			return r.Cycles
		}
	}
	return nil
}

// seconds rounds to microseconds.
func seconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1e6 }
