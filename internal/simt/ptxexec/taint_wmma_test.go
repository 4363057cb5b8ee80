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

// Which elements of a fragment registers hold is left open: what a kernel puts into
// them by itself is computed on, and stored, in an order of the machine's own. Of
// rows that overlap where they are stored, which stays is open as of any lanes that
// store at one address.
func TestFragmentsFilledByHand(t *testing.T) {
	const (
		regs   = "{%r2, %r2, %r2, %r2}"
		eight  = "{%r2, %r2, %r2, %r2, %r2, %r2, %r2, %r2}"
		branch = " setp.ne.u32 %p1, %r1, 0; @%p1 bra L;"
		read   = " ld.shared.u32 %r1, [s];" + branch
		fill   = "mov.u32 %r2, 0; mov.u32 %r6, s; mad.lo.u32 %r3, %t, 16, %r6; st.shared.v4.u32 [%r3], {%r2, %r2, %r2, %r2}; bar.sync 0; mov.u32 %r2, %t; mov.u32 %r3, 1; "
	)
	for _, c := range []struct{ name, body, taints, open string }{
		{"stored", fill + "wmma.store.d.sync.aligned.row.m16n16k16.shared.f16 [%r6], " + regs + ", 16;" + read, "", "branch:%p1"},
		{"multiplied", fill + "wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32 {%r1, %r10, %r11, %r12, %r13, %r14, %r15, %r16}, {%r2, %r3}, {%r3, %r3}, " + eight + ";" + branch, "", "branch:%p1"},
		{"stored with rows that overlap", fill + "wmma.store.d.sync.aligned.row.m16n16k16.shared.f16 [%r6], " + regs + ", 8;" + read, "branch:%p1", ""},
		{"multiplied, in a layout that is known", fill + "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r1, %r10}, {%r2}, {%r3}, {%r2, %r2};" + branch, "", ""},
	} {
		if taints, open, _ := observed(t, "", c.body); taints != c.taints || open != c.open {
			t.Errorf("%s: recorded %q, open %q; want %q, %q", c.name, taints, open, c.taints, c.open)
		}
	}
}
