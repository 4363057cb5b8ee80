package analysis

import (
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/testkit/gpus"
)

// Where a launch is covered only if approximate functions give equal results for equal
// operands, every bound says so and names the instruction; where it is without, none does.
func TestFunctionsAreInTheLedger(t *testing.T) {
	const load = "ld.param.u64 %rd1, [p]; ld.global.f32 %f1, [%rd1]; "
	for _, c := range []struct {
		name, body string
		all, used  bool
	}{
		{"a barrier by an approximation", load + "ex2.approx.f32 %f1, %f1; setp.gt.f32 %p1, %f1, 0f3f800000; @%p1 bra L; bar.sync 0; L:\n", true, true},
		{"of each lane", load + "mov.u32 %r1, %tid.x; cvt.rn.f32.u32 %f2, %r1; ex2.approx.f32 %f2, %f2; add.f32 %f1, %f1, %f2; setp.gt.f32 %p1, %f1, 0f3f800000; @%p1 bra L; bar.sync 0; L:\n", false, false},
		{"a barrier by data", load + "setp.gt.f32 %p1, %f1, 0f3f800000; @%p1 bra L; bar.sync 0; L:\n", true, false},
		{"an approximation without a barrier", load + "ex2.approx.f32 %f1, %f1; setp.gt.f32 %p1, %f1, 0f3f800000; @%p1 bra L; add.u32 %r1, %r1, 1; L:\n", true, false},
		{"an approximation beside", load + "ex2.approx.f32 %f2, %f1; setp.gt.f32 %p1, %f1, 0f3f800000; @%p1 bra L; bar.sync 0; L:\n", true, false},
	} {
		l := kernel(t, c.body, "2", "64")
		r, err := Run(t.Context(), method.Source{Fresh: l.Fresh, Tainted: func() (simt.Tainted, error) { return l.Kernel(true) }}, gpus.Preset(t, "gtx480"), method.Question{})
		if err != nil {
			t.Fatal(err)
		}
		if r.AllInputs() != c.all {
			t.Errorf("%s: for all inputs %v: %s", c.name, r.AllInputs(), r.NotCovered)
			continue
		}
		for _, s := range r.Scopes {
			for i := range s.Bounds {
				b := &s.Bounds[i]
				at := slices.IndexFunc(b.Assumptions, func(a bound.Assumption) bool { return a.ID == bound.OpenFunctions })
				switch {
				case b.Safe && (at >= 0) != c.used:
					t.Errorf("%s: %s of the %s: A36 at %d", c.name, b.Method, b.Scope, at)
				case at >= 0 && (b.Assumptions[at].Status != bound.Assumed || !strings.Contains(b.Assumptions[at].Note, "first at")):
					t.Errorf("%s: %+v", c.name, b.Assumptions[at])
				}
			}
		}
	}
}
