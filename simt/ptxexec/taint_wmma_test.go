package ptxexec

import "testing"

// A matrix or a barrier object at an unknown address is one that may lie anywhere,
// whether or not the access itself counts for timing.
func TestUnknownAddressesOfObjects(t *testing.T) {
	const (
		offset = "ld.global.u32 %r5, [%u]; and.b32 %r5, %r5, 8; mov.u32 %r6, s; add.u32 %r6, %r6, %r5; mov.u32 %r7, 0; st.shared.u32 [s+256], %r7;\n"
		branch = "ld.shared.u32 %r1, [s+256]; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;"
		regs   = "{%r10, %r11, %r12, %r13}"
	)
	for _, c := range []struct{ name, body, want string }{
		{"a store of a matrix", "wmma.store.d.sync.aligned.row.m16n16k16.shared.f16 [%r6], " + regs + ", 16;\n", "address:%r6 branch:%p1"},
		{"a barrier object", "mbarrier.init.shared.b64 [%r6], 1;\n", "address:%r6 branch:%p1"},
	} {
		if got, _, _ := observed(t, "", offset+c.body+branch); got != c.want {
			t.Errorf("%s: recorded %q, want %q", c.name, got, c.want)
		}
	}
	const load = "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, [%r6], 16; setp.ne.u32 %p1, %r10, 0; @%p1 bra L;"
	if got, _, _ := observed(t, "", "mov.u32 %r2, 0; mad.lo.u32 %r3, %t, 16, 0; mov.u32 %r4, s; add.u32 %r3, %r3, %r4; st.shared.v4.u32 [%r3], {%r2, %r2, %r2, %r2}; bar.sync 0; bar.sync 0;\n"+offset+load); got != "address:%r6 branch:%p1" {
		t.Errorf("a load of a matrix: recorded %q", got)
	}
}
