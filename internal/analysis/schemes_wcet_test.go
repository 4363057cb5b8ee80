package analysis

import (
	"context"
	"math"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/cache"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/testkit/gpus"
)

// The figures beside the scheme reorder: those of turns and of the enforced order on the
// machine with the cache of the row.
func TestWCETOfSchemes(t *testing.T) {
	l := kernel(t, touching, "2", "64")
	m := gpus.Preset(t, "gtx480", "sm.count=1")
	small := cache.Config{Sets: 1, Ways: 1, LineBytes: 128, SectorBytes: 128, WriteEvict: true}
	opt := CacheOptions{Configs: []cache.Config{cache.OfL1D(m.Desc.L1D), small}, WCET: true, Model: sim.Abstract}
	rows, err := CompareSchemes(context.Background(), cacheLaunch(l), m, opt, Schemes())
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		w := rows[i].WCET
		with, err := WithL1D(m, rows[i].Config)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(context.Background(), cacheLaunch(l), with, method.Question{Policy: "lrr", Reordered: true})
		if err != nil {
			t.Fatal(err)
		}
		o, err := Run(context.Background(), cacheLaunch(l), with, method.Question{Reordered: true})
		if err != nil {
			t.Fatal(err)
		}
		if w == nil || w.NoFigure != "" || !w.Claimed || w.SimulatedCycles != rows[i].Runs[2].Cycles || w.Bound == nil || w.Bound.Cycles != o.Best.Cycles ||
			w.UnknownCycles != r.Scopes[1].Bound("segment").Cycles || w.EstimatedCycles != r.Scopes[1].Bound("segment-estimate").Cycles {
			t.Fatalf("row %d: %+v", i, w)
		}
		if w.EstimatedCycles >= w.UnknownCycles || w.Violation() || r.Best != nil {
			t.Errorf("row %d: %+v", i, w)
		}
	}
	// More misses, a larger estimate; without hits known, nothing changes.
	if a, b := rows[0].WCET, rows[1].WCET; a.UnknownCycles != b.UnknownCycles || a.EstimatedCycles >= b.EstimatedCycles {
		t.Errorf("%+v, with a smaller cache %+v", a, b)
	}
	// The pipeline model is not what the bound is for.
	opt.Model = sim.Pipeline
	if rows, err = CompareSchemes(context.Background(), cacheLaunch(l), m, opt, Schemes()[2:]); err != nil || rows[0].WCET.Claimed {
		t.Errorf("%+v, %v", rows, err)
	}
	if rows, err = CompareSchemes(context.Background(), cacheLaunch(l), m, opt, Schemes()[:2]); err != nil || rows[0].WCET != nil {
		t.Errorf("without the unit: %+v, %v", rows, err)
	}
}

func TestSummarizeWCET(t *testing.T) {
	one, two := cache.Config{Sets: 1}, cache.Config{Sets: 2}
	holds := func(cycles int64) *bound.Bound { return &bound.Bound{Cycles: cycles, Safe: true} }
	rows := []SchemeRow{
		{Config: one, WCET: &SchemeWCET{SimulatedCycles: 100, UnknownCycles: 300, EstimatedCycles: 90, Bound: holds(150), Claimed: true}},
		{Config: two, WCET: &SchemeWCET{SimulatedCycles: 100, UnknownCycles: 99, EstimatedCycles: 99, Bound: holds(99), Claimed: true}},
		{Config: one, WCET: &SchemeWCET{SimulatedCycles: 200, UnknownCycles: 200, EstimatedCycles: 200, Bound: holds(199)}},
		{Config: one, WCET: &SchemeWCET{SimulatedCycles: 200, NoFigure: "no", NoBound: "no"}},
		{Config: one},
	}
	near := func(x, y float64) bool { return math.Abs(x-y) < 1e-12 }
	s := SummarizeWCET(rows)
	if len(s) != 2 {
		t.Fatalf("%+v", s)
	}
	if a := s[0]; a.Config != one || a.Figures != 2 || !near(a.Unknown, 1) || !near(a.Estimated, -0.05) || a.UnknownBelow != 0 || a.EstimatedBelow != 1 ||
		a.Bounds != 2 || !near(a.Bound, (0.5-0.005)/2) || a.BoundBelow != 1 || a.Violations != 0 {
		t.Errorf("%+v", a)
	}
	if b := s[1]; b.UnknownBelow != 1 || b.BoundBelow != 1 || b.Violations != 1 {
		t.Errorf("%+v", b)
	}
}
