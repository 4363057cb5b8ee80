package kernels

import (
	"context"
	"testing"
)

// claimed are kernels whose path depends on the order of warps or blocks, and
// one whose timing was once taken from the wrong instruction.
func claimed() (ordered []Case, fence Case) {
	bare := func(lines ...string) (string, *source) {
		s := &source{temps: firstTemp, bare: true, body: []*node{{lines: lines}}}
		return s.text(), s
	}
	// A warp waits for what another writes to shared memory, without a barrier.
	flag := Case{Grid: 1, Block: 64, Base: "ecrts2025-5", Policies: []string{"starve:0"}}
	flag.PTX, flag.source = bare(
		"mov.u32 %r1, %tid.x;", "setp.ge.u32 %p1, %r1, 32;", "@%p1 bra $SPIN;",
		"st.shared.u32 [counters], 1;", "ret;",
		"$SPIN:", "ld.shared.u32 %r2, [counters];", "setp.eq.u32 %p2, %r2, 0;", "@%p2 bra $SPIN;")
	// Block 1 may write, at an address that depends on data, what block 0 reads.
	blocks := Case{Grid: 2, Block: 32, Known: true, Base: "ecrts2025-5", Policies: []string{"lrr"}, Set: []string{"sm.max_blocks=2"}}
	blocks.PTX, blocks.source = bare(
		"ld.param.u64 %rd1, [p_in];", "ld.param.u64 %rd2, [p_out];", "mov.u32 %r1, %ctaid.x;", "setp.eq.u32 %p1, %r1, 1;", "@%p1 bra $WRITE;",
		"mov.u32 %r4, 200;", "$WAIT:", "sub.u32 %r4, %r4, 1;", "setp.gt.s32 %p3, %r4, 0;", "@%p3 bra $WAIT;",
		"ld.global.u32 %r2, [%rd1];", "and.b32 %r2, %r2, 1023;", "$LOOP:", "sub.u32 %r2, %r2, 1;", "setp.gt.s32 %p2, %r2, 0;", "@%p2 bra $LOOP;", "ret;",
		"$WRITE:", "ld.global.u32 %r3, [%rd2];", "and.b32 %r3, %r3, 0;", "mul.wide.u32 %rd3, %r3, 4;", "add.u64 %rd4, %rd1, %rd3;", "mov.u32 %r5, 1000;", "st.global.u32 [%rd4], %r5;")
	// A fence makes no memory transactions, whatever was accessed before it.
	fence = Case{Grid: 1, Block: 64, Base: "vortex-32x32", Policies: []string{"lrr"}}
	fence.PTX, fence.source = bare(
		"ld.param.u64 %rd1, [p_in];", "mov.u32 %r1, %tid.x;", "shr.u32 %r2, %r1, 5;", "mul.lo.u32 %r3, %r1, %r2;",
		"mul.wide.u32 %rd2, %r3, 128;", "add.u64 %rd2, %rd1, %rd2;", "ld.global.f32 %f1, [%rd2];", "membar.gl;", "membar.gl;", "membar.gl;", "membar.gl;")
	return []Case{flag, blocks}, fence
}

// A path that depends on the order of warps or blocks is not claimed to hold for
// all inputs.
func TestOrderIsNotProved(t *testing.T) {
	cases, _ := claimed()
	for i := range cases {
		p, err := cases[i].prepare(context.Background(), "")
		if err != nil {
			t.Fatal(err)
		}
		if len(p.report.InputDependent) == 0 {
			t.Errorf("the ledger says proved:\n%s", cases[i].PTX)
		}
	}
}

// Fences make no transactions, in the analysis as in the simulation.
func TestFencesBetweenScatteredAccesses(t *testing.T) {
	_, fence := claimed()
	out, err := fence.Run(context.Background(), "")
	if err != nil {
		t.Fatal(err)
	}
	for i := range out.Violations {
		t.Errorf("%v", &out.Violations[i])
	}
	if out.Compared == 0 {
		t.Error("nothing was compared")
	}
}
