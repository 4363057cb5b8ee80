package study

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/method/makespan/dp"
)

// Curve is the published estimate for W warps from the exact makespans of 1, 2,
// ... warps (Berezovskyi2012, Figures 6 and 7), with the time that these took
// (Figures 5 and 7).
type Curve struct {
	Points []CurvePoint
	// Stopped says why the curve is shorter than asked for, "" where it is not.
	Stopped string
}

// CurvePoint is a point of the curve.
type CurvePoint struct {
	makespan.Estimate
	// Method gave the exact makespan of X warps.
	Method string
	// Times are of the methods that were run on X warps alone, in the order in which
	// they were; empty where one run gave all points.
	Times []MethodTime
}

// MethodTime is how long a method took.
type MethodTime struct {
	Method  string
	Elapsed time.Duration
	// Unfinished says what ran out, "" where the method ended.
	Unfinished string
}

// Trace gives the curve up to most warps, at least 1 and at most the instance's. The
// exact makespans are those of the exact methods that c names, each run on each
// number of warps by itself and timed, or where it names none those of the
// cheapest, which is not timed. A method that exhausts its budget is not run on
// more warps.
//
// The error is as that of Run; the curve is what was found until then.
func Trace(ctx context.Context, in *makespan.Instance, c Config, most int64) (*Curve, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if most < 1 || most > in.Warps {
		return nil, fmt.Errorf("a curve of %d points, expected 1 to %d: one for each number of warps", most, in.Warps)
	}
	t := &tracer{ctx: ctx, in: in, config: c, most: most, curve: &Curve{}}
	for _, m := range c.methods {
		if m.exact && len(c.Methods) > 0 && c.wants(m.name, false) {
			t.running = append(t.running, m)
		}
	}
	var err error
	if len(t.running) > 0 {
		if err := t.warmUp(); err != nil {
			return nil, err
		}
		err = t.timed(1)
	} else {
		err = t.cheapest()
	}
	if err != nil {
		return nil, err
	}
	if err := t.estimate(); err != nil {
		return nil, err
	}
	if ctx.Err() != nil && int64(len(t.curve.Points)) < most {
		t.curve.Stopped = "interrupted"
	}
	return t.curve, ctx.Err()
}

// tracer is a Curve in the making.
type tracer struct {
	ctx     context.Context
	in      *makespan.Instance
	config  Config
	most    int64
	running []method
	curve   *Curve
	// certificate, where set, is the one of all numbers of warps.
	certificate *certificate
}

// warmUp runs every method once on one warp: that a solver is loaded at its first
// use is no part of the time of the first point.
func (t *tracer) warmUp() error {
	r, err := t.runner(1)
	if err != nil {
		return err
	}
	for _, m := range t.running {
		if _, _, err := r.run(m, r.in, t.config.Timeout); err != nil {
			return err
		}
	}
	return nil
}

// timed runs every method on every number of warps from first on.
func (t *tracer) timed(first int64) error {
	deadline := time.Now().Add(t.config.Timeout)
	for x := first; x <= t.most; x++ {
		r, err := t.runner(x)
		if err != nil {
			return err
		}
		point := CurvePoint{}
		var left []method
		stopped := "no exact method is left"
		for i, m := range t.running {
			share := time.Until(deadline) / time.Duration(len(t.running)-i)
			row, out, err := r.run(m, r.in, max(share, time.Millisecond))
			if err == nil {
				err = r.accept(row, out)
			}
			if err != nil {
				return err
			}
			if t.ctx.Err() != nil {
				return nil
			}
			r.study.Rows = append(r.study.Rows, row)
			point.Times = append(point.Times, MethodTime{m.name, row.Elapsed, row.Unfinished})
			if row.Unfinished == "" {
				left = append(left, m)
			} else {
				stopped = fmt.Sprintf("%s, %d warps: %s", m.name, x, row.Unfinished)
			}
		}
		if t.running = left; len(left) == 0 {
			t.curve.Stopped = stopped
			return nil
		}
		point.X, point.Exact, point.Method = x, r.study.Exact.Cycles, r.study.Exact.Method
		t.curve.Points = append(t.curve.Points, point)
	}
	return nil
}

// cheapest takes the points from one run of the dynamic programme, and where that
// would take long searches for those beyond what it reaches quickly.
func (t *tracer) cheapest() error {
	t.config.Witness = false
	in := t.in.WithWarps(t.most)
	exact, err := dpTable(t.ctx, in.WithWarps(reach(in, t.config.quick())), dp.Options{MemoryBytes: t.config.MemoryBytes})
	if err != nil {
		return err
	}
	for x, cycles := range exact {
		t.curve.Points = append(t.curve.Points, CurvePoint{Estimate: makespan.Estimate{X: int64(x) + 1, Exact: cycles}, Method: DP})
	}
	for _, m := range t.config.methods {
		if m.name == Search {
			t.running = append(t.running, m)
		}
	}
	t.certificate = &certificate{}
	if err := t.timed(int64(len(t.curve.Points)) + 1); err != nil {
		return err
	}
	for i := range t.curve.Points {
		t.curve.Points[i].Times = nil
	}
	return nil
}

// runner is a Study of x warps that knows the closed form.
func (t *tracer) runner(x int64) (*runner, error) {
	in := t.in.WithWarps(x)
	bound, err := in.Safe()
	if err != nil {
		return nil, err
	}
	c := t.certificate
	if c == nil {
		c = &certificate{}
	}
	return &runner{ctx: t.ctx, in: in, config: t.config, certificate: c, study: &Study{
		Instance: in, Best: &Answer{Method: Safe, Cycles: bound}, Rows: []Row{{Method: Safe, Kind: SafeBound, Cycles: bound}},
	}}, nil
}

// estimate adds the published estimate to the exact makespans.
func (t *tracer) estimate() error {
	exact := make([]int64, len(t.curve.Points))
	for i, p := range t.curve.Points {
		exact[i] = p.Exact
	}
	estimates, err := makespan.Estimates(t.in.Warps, exact)
	if err != nil {
		return errors.Join(fmt.Errorf("the estimate of %s", t.in.Source), err)
	}
	for i, e := range estimates {
		t.curve.Points[i].Estimate = e
	}
	return nil
}
