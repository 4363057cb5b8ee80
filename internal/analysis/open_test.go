package analysis

import (
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/testkit/gpus"
)

// Where a path depends on a result that PTX leaves open, every bound says so and
// names the instruction; where only data do, or nothing depends on it, none does.
func TestOpenResultsAreInTheLedger(t *testing.T) {
	for _, c := range []struct {
		name, body, want string // part of the note; "" where there is no entry
		input            bool   // for this input only
	}{
		{"a trip count", "mov.f32 %f1, 0f41800000; lg2.approx.f32 %f1, %f1; cvt.rzi.s32.f32 %r1, %f1; L: sub.s32 %r1, %r1, 1; setp.gt.s32 %p1, %r1, 0; @%p1 bra L;\n", "lg2.approx.f32", false},
		{"a sum", "ld.param.u64 %rd1, [p]; mov.f32 %f1, 0f41800000; lg2.approx.f32 %f1, %f1; st.global.f32 [%rd1], %f1;\n", "", false},
		{"a division by what is not zero", "mov.u32 %r1, %tid.x; add.u32 %r1, %r1, 1; div.u32 %r2, 64, %r1; setp.gt.u32 %p1, %r2, 3; @%p1 bra L; L:\n", "", false},
		{"a division by zero", "mov.u32 %r1, %tid.x; div.u32 %r2, 64, %r1; setp.gt.u32 %p1, %r2, 3; @%p1 bra L; L:\n", "div.u32", false},
		{"data beside", "ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1]; sin.approx.f32 %f1, %f2; setp.gt.u32 %p1, %r1, 3; @%p1 bra L; L:\n", "sin.approx.f32", true},
	} {
		l := kernel(t, c.body, "2", "64")
		r := analysed(t, l, gpus.Preset(t, "gtx480"))
		if got := len(r.InputDependent) > 0; got != c.input {
			t.Errorf("%s: for this input only %v", c.name, got)
		}
		for _, s := range r.Scopes {
			for i := range s.Bounds {
				b := &s.Bounds[i]
				at := slices.IndexFunc(b.Assumptions, func(a bound.Assumption) bool { return a.ID == bound.OpenResults })
				switch {
				case (at >= 0) != (c.want != ""):
					t.Errorf("%s: %s of the %s: A35 at %d", c.name, b.Method, b.Scope, at)
				case at >= 0 && (b.Assumptions[at].Status != bound.Assumed || !strings.Contains(b.Assumptions[at].Note, c.want)):
					t.Errorf("%s: %+v", c.name, b.Assumptions[at])
				}
			}
		}
	}
}
