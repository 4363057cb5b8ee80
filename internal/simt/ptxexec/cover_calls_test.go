package ptxexec

import (
	"testing"

	"pgregory.net/rapid"
)

// callees are functions with loops, and such as loops call.
const callees = `.func (.param .b32 q) next (.param .b32 x) { .reg .b32 a; ld.param.b32 a, [x]; add.u32 a, a, 1; st.param.b32 [q], a; ret; }
.func (.reg .b32 q) more (.reg .b32 x) { add.u32 q, x, 1; ret; }
.func (.param .b32 q) upto (.param .b32 x) { .reg .b32 a, i; .reg .pred p; ld.param.b32 a, [x]; mov.u32 i, 0; UL: add.u32 i, i, 1; setp.lt.u32 p, i, a; @p bra UL; st.param.b32 [q], i; ret; }
.func (.reg .b32 q) halves (.reg .b32 x) { .reg .pred p; mov.u32 q, 0; HL: add.u32 q, q, 1; shr.u32 x, x, 1; setp.ne.u32 p, x, 0; @p bra HL; ret; }
.func (.reg .b32 q) deep (.reg .b32 x, .reg .b32 d) { .reg .b32 e, i, n; .reg .pred p; mov.b32 n, x; mov.u32 i, 0; setp.eq.u32 p, d, 0; @p bra DL; sub.u32 e, d, 1; call (n), deep, (x, e); mov.b32 n, x; DL: add.u32 i, i, 1; setp.lt.u32 p, i, n; @p bra DL; mov.b32 q, i; ret; }
.func (.reg .b32 q) inner (.reg .b32 x, .reg .b32 d) { .reg .b32 e, h, i, n; .reg .pred p; mov.b32 n, x; mov.u32 i, 0; setp.eq.u32 p, d, 0; @p bra IL; sub.u32 e, d, 1; shr.u32 h, x, 3; call (h), inner, (h, e); IL: add.u32 i, i, 1; setp.lt.u32 p, i, n; @p bra IL; mov.b32 q, i; ret; }
.func (.reg .b32 q) stale (.reg .b32 x) { .reg .b32 y; mov.b32 q, y; mov.b32 y, x; ret; }
.func (.reg .pred q) above (.reg .b32 x, .reg .b32 y) { setp.lt.u32 q, x, y; ret; }
.func (.reg .b32 q) writes (.reg .b64 at) { st.u32 [at], 9; mov.u32 q, 1; ret; }
.func (.reg .b64 q) pair (.reg .b64 x) { add.u64 q, x, 1; ret; }
.func (.param .b64 q) wide (.param .b64 x) { .reg .b32 a; .reg .b64 b; ld.param.b32 a, [x]; cvt.u64.u32 b, a; st.param.b64 [q], b; ret; }
`

// What is known of registers stays known over calls, and no more than that.
func TestLoopsWithCallsAreClosed(t *testing.T) { loopsWithCalls(t) }

func loopsWithCalls(t rapid.TB) {
	kernels := map[string]closedKernel{}
	const up = "mov.u32 %r2, 0; L: "
	const test = " setp.lt.u32 %p0, %r2, %r0; @%p0 bra L;"
	const passes = ".param .b32 a; .param .b32 b; "
	for name, k := range map[string]struct{ body, want string }{
		"a call in a loop":                   {up + "call (%r3), more, (%r1); add.u32 %r2, %r2, 1;" + test, "99"},
		"a call by memory":                   {passes + up + "st.param.b32 [a], %r1; call (b), next, (a); ld.param.b32 %r3, [b]; add.u32 %r2, %r2, 1;" + test, "99"},
		"counted by a function":              {up + "call (%r2), more, (%r2);" + test, "99"},
		"counted by a function in memory":    {passes + up + "st.param.b32 [a], %r2; call (b), next, (a); ld.param.b32 %r2, [b];" + test, "99"},
		"as far as a function says":          {up + "call (%r3), more, (%r0); add.u32 %r2, %r2, 1; setp.lt.u32 %p0, %r2, %r3; @%p0 bra L;", "100"},
		"a loop in a function":               {passes + "st.param.b32 [a], %r0; call (b), upto, (a);", "99"},
		"a loop in a function, in registers": {"call (%r3), halves, (%r0);", "6"},
		"a loop in a function in a loop":     {up + "call (%r3), halves, (%r0); add.u32 %r2, %r2, 1;" + test, "6 6 6 6 99"},
		"what a loop in a function counts":   {passes + "st.param.b32 [a], %r0; call (b), upto, (a); ld.param.b32 %r3, [b]; " + up + "add.u32 %r2, %r2, 1; setp.lt.u32 %p0, %r2, %r3; @%p0 bra L;", "99 99"},
		"a call of some lanes":               {"setp.lt.u32 %p1, %r1, 7; " + up + "@%p1 call (%r3), more, (%r1); add.u32 %r2, %r2, 1;" + test, "99"},
		"counted by some lanes' calls":       {"setp.lt.u32 %p1, %r1, 7; " + up + "@%p1 call (%r2), more, (%r2); @!%p1 add.u32 %r2, %r2, 1;" + test, ""},
		"a predicate from a function":        {up + "add.u32 %r2, %r2, 1; call (%p0), above, (%r2, %r0); @%p0 bra L;", "99"},
		"a function that calls itself":       {"call (%r3), deep, (%r0, 1);", noBound},
		"what an earlier call left":          {"call (%r3), stale, (%r0); call (%r3), stale, (%r0); " + up + "add.u32 %r2, %r2, 1; setp.lt.u32 %p0, %r2, %r3; @%p0 bra L;", noBound},
		"what an inner call knew":            {"call (%r3), inner, (%r0, 1);", noBound},
		"a result in place of another":       {"shr.u32 %r3, %r0, 5; call (%r3), more, (%r0); " + up + "add.u32 %r2, %r2, 1; setp.lt.u32 %p0, %r2, %r3; @%p0 bra L;", "100"},
		"what a function changes in memory":  {passes + "mov.u64 %d3, l; cvta.local.u64 %d3, %d3; " + up + "st.local.u32 [l], %r2; call (%r3), writes, (%d3); ld.local.u32 %r2, [l]; add.u32 %r2, %r2, 1;" + test, noBound},
		"a counter in local memory":          {"st.local.u32 [l], 0; L: ld.local.u32 %r2, [l]; add.u32 %r2, %r2, 1; st.local.u32 [l], %r2;" + test, ""},
		"a limit in local memory":            {"st.local.u32 [l], %r0; " + up + "add.u32 %r2, %r2, 1; ld.local.u32 %r3, [l]; setp.lt.u32 %p0, %r2, %r3; @%p0 bra L;", "99"},
		"half of it written":                 {"st.local.u32 [l], %r0; " + up + "st.local.u16 [l+2], 1; add.u32 %r2, %r2, 1; ld.local.u32 %r3, [l]; setp.lt.u32 %p0, %r2, %r3; @%p0 bra L;", noBound},
		"half of it written in two":          {"st.local.u32 [l], %r0; cvt.u16.u32 %h1, %r0; " + up + "st.local.v2.u8 [l+2], {%h1, %h1}; add.u32 %r2, %r2, 1; ld.local.u32 %r3, [l]; setp.lt.u32 %p0, %r2, %r3; @%p0 bra L;", noBound},
		"written in each iteration":          {"st.local.u32 [l], %r0; " + up + "add.u32 %r2, %r2, 1; ld.local.u32 %r3, [l]; ld.global.u32 %r4, [%d0]; st.local.u32 [l], %r4; setp.lt.u32 %p0, %r2, %r3; @%p0 bra L;", noBound},
		"written where data say":             {"st.local.u32 [l], %r0; ld.global.u32 %r4, [%d0]; setp.eq.u32 %p1, %r4, 0; @%p1 st.local.u32 [l], %r4; " + up + "add.u32 %r2, %r2, 1; ld.local.u32 %r3, [l]; setp.lt.u32 %p0, %r2, %r3; @%p0 bra L;", noBound},
		"the same behind two sides":          {passes + "ld.global.u32 %r4, [%d0]; setp.eq.u32 %p1, %r4, 0; @%p1 bra A; st.param.b32 [a], %r0; bra B; A: st.param.b32 [a], %r0; B: call (b), upto, (a);", "99"},
		"another behind two sides":           {passes + "ld.global.u32 %r4, [%d2]; setp.eq.u32 %p1, %r4, 0; @%p1 bra A; st.param.b32 [a], %r0; bra B; A: st.param.b32 [a], %r4; B: call (b), upto, (a);", noBound},
		"a number passed where data say":     {passes + "ld.global.u32 %r4, [%d0]; setp.eq.u32 %p1, %r4, 0; @%p1 bra A; st.param.b32 [a], 12; call (b), upto, (a); A:", "11"},
		"the low half":                       {".param .b64 a; .param .b64 b; cvt.u64.u32 %d3, %r0; st.param.b64 [a], %d3; call (b), wide, (a); ld.param.b64 %d4, [b]; cvt.u32.u64 %r3, %d4; " + up + "add.u32 %r2, %r2, 1; setp.lt.u32 %p0, %r2, %r3; @%p0 bra L;", noBound},
	} {
		kernels[name] = closedKernel{k.body, "u32", Integers{0, 100}, k.want}
	}
	counts(t, callees, kernels)
}
