package ptx

import (
	"strings"
	"testing"
)

// Modifiers that do not go together are refused with what was expected; what is
// written instead is taken.
func TestRules(t *testing.T) {
	const body = ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .f64 %fd<9>; .shared .b32 s[8]; .local .b32 l[8];\n"
	check := func(version, target, inst string) error {
		f := mustParse(t, "t.ptx", []byte(".version "+version+"\n.target "+target+"\n.entry k() {\n"+body+inst+";\nret; }"))
		return Check(f)
	}
	for _, c := range []struct{ version, target, wrong, want, right string }{
		{"7.8", "sm_80", "ld.global.b32 %r1, [%rd1], %rd2", "a cache policy and no modifier for it", "ld.global.L2::cache_hint.b32 %r1, [%rd1], %rd2"},
		{"7.8", "sm_80", "ld.global.L2::cache_hint.b32 %r1, [%rd1]", "no cache policy", "ld.global.b32 %r1, [%rd1]"},
		{"7.8", "sm_80", "st.global.b32 [%rd1], %r1, %rd2", "a cache policy and no modifier for it", "st.global.L2::cache_hint.b32 [%rd1], %r1, %rd2"},
		{"7.8", "sm_80", "red.global.add.u32 [%rd1], %r1, %rd2", "a cache policy and no modifier for it", "red.global.add.u32 [%rd1], %r1"},
		{"7.8", "sm_80", "atom.shared.add.L2::cache_hint.u32 %r1, [s], %r2, %rd2", "in shared memory", "atom.shared.add.u32 %r1, [s], %r2"},
		{"7.8", "sm_80", "atom.global.add.s64 %rd1, [%rd2], %rd3", "addition of .s64, expected .u64", "atom.global.add.u64 %rd1, [%rd2], %rd3"},
		{"7.8", "sm_80", "atom.global.add.f16 %h1, [%rd2], %h3", "no modifier .noftz", "atom.global.add.noftz.f16 %h1, [%rd2], %h3"},
		{"7.8", "sm_80", "cp.async.cg.shared.global [s], [%rd1], 8", "another size, expected 16 bytes", "cp.async.cg.shared.global [s], [%rd1], 16"},
		{"7.8", "sm_80", "cp.async.ca.shared.global.L2::cache_hint [s], [%rd1], 8, %r1", "a cache policy of type .b32", "cp.async.ca.shared.global.L2::cache_hint [s], [%rd1], 8, %rd2"},
		{"7.8", "sm_80", "setp.eq.u32 %p1, %r1, %r2, %p2", "no operation, expected .and", "setp.eq.and.u32 %p1, %r1, %r2, %p2"},
		{"7.8", "sm_80", "set.eq.and.u32.u32 %r1, %r2, %r3", "no predicate", "set.eq.u32.u32 %r1, %r2, %r3"},
		{"6.4", "sm_70", "vote.all.pred %p1, %p2", "no modifier .sync, expected it for sm_70 from PTX 6.4 on", "vote.sync.all.pred %p1, %p2, -1"},
		{"6.4", "sm_70", "shfl.up.b32 %r1, %r2, 1, 0", "no modifier .sync", "shfl.sync.up.b32 %r1, %r2, 1, 0, -1"},
		{"7.8", "sm_80", "ld.volatile.local.b32 %r1, [l]", "modifier .volatile in .local", "ld.volatile.shared.b32 %r1, [s]"},
		{"7.8", "sm_80", "st.relaxed.cta.local.b32 [l], %r1", "order of accesses in .local", "st.relaxed.cta.shared.b32 [s], %r1"},
		{"7.8", "sm_80", "ld.nc.b32 %r1, [%rd1]", "modifier .nc, expected it with .global", "ld.global.nc.b32 %r1, [%rd1]"},
		{"7.8", "sm_80", "ld.shared.L2::64B.b32 %r1, [s]", "prefetch into L2 from .shared", "ld.global.L2::64B.b32 %r1, [%rd1]"},
		{"7.8", "sm_80", "ld.global.ca.L1::evict_last.b32 %r1, [%rd1]", "a cache operator and an eviction priority", "ld.global.L1::evict_last.b32 %r1, [%rd1]"},
		{"7.8", "sm_80", "div.f32 %f1, %f2, %f3", "no accuracy, expected a rounding such as .rn or .approx", "div.full.f32 %f1, %f2, %f3"},
		{"7.8", "sm_80", "sqrt.f64 %fd1, %fd2", "no rounding", "sqrt.rn.f64 %fd1, %fd2"},
		{"7.8", "sm_80", "sin.f32 %f1, %f2", "no modifier .approx", "sin.approx.f32 %f1, %f2"},
		{"7.8", "sm_80", "mad.f32 %f1, %f2, %f3, %f4", "no rounding", "mad.rn.f32 %f1, %f2, %f3, %f4"},
		{"7.8", "sm_90", "cvt.u16.bf16 %h1, %h2", "no rounding, expected .rni", "cvt.rni.u16.bf16 %h1, %h2"},
	} {
		err := check(c.version, c.target, c.wrong)
		if err == nil || !strings.Contains(err.Error(), "t.ptx:5:1: instruction") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.wrong, err, c.want)
		}
		if err := check(c.version, c.target, c.right); err != nil {
			t.Errorf("%s: %v", c.right, err)
		}
	}
	// What versions and targets of their time had defaults for.
	for _, c := range []struct{ version, target, inst string }{
		{"1.3", "sm_13", "div.f32 %f1, %f2, %f3"}, {"1.3", "sm_13", "sin.f32 %f1, %f2"}, {"1.4", "sm_13", "mad.f32 %f1, %f2, %f3, %f4"},
		{"6.3", "sm_70", "vote.all.pred %p1, %p2"}, {"6.4", "sm_60", "shfl.up.b32 %r1, %r2, 1, 0"},
	} {
		if err := check(c.version, c.target, c.inst); err != nil {
			t.Errorf("%s for %s, %s: %v", c.version, c.target, c.inst, err)
		}
	}
}
