package warpbound_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/warpbound/warpbound"
)

// Makespans of strings and of launches.
func TestMakespan(t *testing.T) {
	ctx := context.Background()
	r, err := warpbound.Makespan(ctx, "LCL", warpbound.MakespanOptions{Warps: 4, Units: "L=32,C=32", Methods: []string{"dp"}})
	if err != nil || r.Exact == nil || r.Exact.Cycles != 9 || r.Best == nil || r.Best.Cycles != 9 || r.Warps != 4 {
		t.Errorf("%+v, %v", r, err)
	}
	for _, c := range []struct{ text, units string }{{"L(C", ""}, {"LX", ""}, {"L", "L=0"}} {
		if r, err := warpbound.Makespan(ctx, c.text, warpbound.MakespanOptions{Warps: 1, Units: c.units}); err == nil {
			t.Errorf("%q, %q: %+v", c.text, c.units, r)
		}
	}
	// The programme, the curve and the schedule of one study.
	var lp bytes.Buffer
	r, err = warpbound.Makespan(ctx, "LLCLL", warpbound.MakespanOptions{Warps: 4, Units: "L=32,C=32", Gantt: true, Curve: 3, Export: &lp})
	if err != nil || len(r.Curve) != 3 || r.Curve[2].ExactCycles != 13 || r.CurveStopped() != "" || !strings.HasPrefix(lp.String(), "Maximize") {
		t.Errorf("%+v, %v, %.20s", r, err, &lp)
	}
	if picture, err := r.Gantt(); err != nil || !bytes.Contains(picture, []byte("<svg")) {
		t.Errorf("%v", err)
	}
	// What was finished before the context ended is kept.
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if r, err := warpbound.Makespan(gone, "LLCLL", warpbound.MakespanOptions{Warps: 900, Units: "L=32,C=32", Methods: []string{"dp"}}); !errors.Is(err, context.Canceled) || r == nil || r.Complete || r.Best.Cycles != 4500 {
		t.Errorf("%+v, %v", r, err)
	}
	m, err := warpbound.GPU("examples/gpu/single-cycle.toml")
	if err != nil {
		t.Fatal(err)
	}
	of, err := open(t, "examples/basic/saxpy/saxpy.toml").Makespan(ctx, warpbound.MakespanOptions{GPU: m})
	if err != nil || len(of.Sections) == 0 || of.Sections[0].Result == nil || of.Sections[0].Result.Best.Cycles > of.Sections[0].VolumeCycles || of.VolumeCycles == 0 {
		t.Errorf("%+v, %v", of, err)
	}
}
