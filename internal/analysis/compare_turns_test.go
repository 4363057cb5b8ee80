package analysis

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/testkit/gpus"
)

func policies(names ...string) []policy.Policy {
	var out []policy.Policy
	for _, n := range names {
		out = append(out, policy.Policy{Name: n})
	}
	return out
}

// What is claimed of which policy, and that rows are those of the reports.
func TestCompareTurns(t *testing.T) {
	l := kernel(t, touching, "5", "64")
	m := gpus.Preset(t, "gtx480", append([]string{"sm.count=1", "sm.max_blocks=2"}, fixed...)...)
	opt := TurnsOptions{
		Methods: slices.Concat(Names(method.InTurns), Names(method.InOrder)), Policies: policies("segments", "srr", "lrr"),
		Scope: bound.Kernel, Model: sim.Abstract, Order: sim.L1None, Checks: true,
	}
	for _, order := range []string{sim.L1None, sim.L1Reorder} {
		for _, scope := range []bound.Scope{bound.Kernel, bound.Block} {
			opt.Order, opt.Scope = order, scope
			rows, err := CompareTurns(context.Background(), cacheLaunch(l), m, opt)
			if err != nil || len(rows) != 3*len(opt.Methods) {
				t.Fatalf("%s: %d rows, %v", order, len(rows), err)
			}
			compared := 0
			for _, r := range rows {
				if r.Refused != "" {
					continue
				}
				compared++
				if strict := r.Policy != "lrr"; r.Claimed != (strict != isOrdered(r.Method)) {
					t.Errorf("%s, scope %s: claimed %t: %+v", order, scope, r.Claimed, r)
				}
				if r.Violation() || r.SimulatedCycles == 0 {
					t.Errorf("%s: %+v", order, r)
				}
			}
			if compared < 8 {
				t.Errorf("%s: %d rows with bounds", order, compared)
			}
		}
	}
}

func TestCompareTurnsRefuses(t *testing.T) {
	const unknown = "\tld.param.u64 %rd0, [p];\n\tld.global.u32 %r0, [%rd0];\n\tmul.wide.u32 %rd1, %r0, 4;\n\tadd.u64 %rd1, %rd0, %rd1;\n\tst.global.u32 [%rd1], %r0;\n"
	l := kernel(t, unknown, "1", "32")
	opt := TurnsOptions{Methods: []string{"turns", "ordered"}, Policies: policies("segments"), Scope: bound.Kernel, Order: sim.L1Reorder}
	rows, err := CompareTurns(context.Background(), cacheLaunch(l), gpus.Preset(t, "gtx480"), opt)
	if err != nil || len(rows) != 2 || !strings.Contains(rows[0].Refused, "unknown data") || !strings.Contains(rows[1].Refused, "unknown data") {
		t.Errorf("%+v, %v", rows, err)
	}
	opt.Order = sim.L1None
	if rows, err = CompareTurns(context.Background(), cacheLaunch(l), gpus.Preset(t, "gtx480"), opt); err != nil || rows[1].Refused != "it is for accesses in an enforced order" {
		t.Errorf("%+v, %v", rows, err)
	}
	opt.Scope = bound.Warp
	if _, err := CompareTurns(context.Background(), cacheLaunch(l), gpus.Preset(t, "gtx480"), opt); err == nil {
		t.Error("one warp has turns")
	}
	// Warp 0 waits for its load, which comes behind that of warp 1, which gets no turn.
	stops := kernel(t, `	ld.param.u64 %rd0, [p];
	mov.u32 %r0, %tid.x;
	setp.lt.u32 %p0, %r0, 32;
	@%p0 bra B;
	add.u32 %r2, %r0, 1;
	add.u32 %r2, %r2, 1;
	add.u32 %r2, %r2, 1;
	ld.global.u32 %r1, [%rd0];
	add.u32 %r1, %r1, 1;
	bra E;
B:
	ld.global.u32 %r1, [%rd0+128];
	add.u32 %r1, %r1, 1;
E:
	add.u32 %r1, %r1, 1;
`, "1", "64")
	opt.Scope, opt.Order, opt.Model, opt.Policies = bound.Kernel, sim.L1Reorder, sim.Abstract, policies("segments", "srr", "lrr")
	rows, err = CompareTurns(context.Background(), cacheLaunch(stops), gpus.Preset(t, "gtx480", fixed...), opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		want := "the simulation stops for ever: "
		switch {
		case r.Policy != "lrr":
		case r.Method == "turns":
			want = "when a warp passes its turn on"
		default:
			want = ""
		}
		if !strings.HasPrefix(r.Refused, want) || want == "" && (r.Refused != "" || !r.Claimed) {
			t.Errorf("%+v, want %q", r, want)
		}
	}
	// The bound says so beforehand.
	for _, policy := range policies("segments", "srr") {
		r, err := Run(context.Background(), cacheLaunch(stops), gpus.Preset(t, "gtx480", fixed...), method.Question{Policy: policy.String(), Reordered: true})
		if err != nil || r.Best != nil || !strings.HasPrefix(r.whyNone(r.Scopes[1], "turns"), "the machine stops for ever: ") {
			t.Errorf("%s: %+v, %v", policy, r, err)
		}
	}
}
