package ptxexec

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/simt"
)

func TestBarrierReductions(t *testing.T) {
	got := runBody(t, `
	setp.lt.u32 %p1, %t, 50;
	bar.red.popc.u32 %r1, 0, %p1;
	bar.red.and.pred %p2, 1, %p1;
	bar.red.or.pred %p3, 1, %p1;
	setp.ge.u32 %p4, %t, 0;
	barrier.cta.red.and.pred %p4, 2, !%p4;
	selp.b32 %r2, 100, 0, %p2; selp.b32 %r3, 1000, 0, %p3; selp.b32 %r4, 10000, 0, %p4;
	add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; add.u32 %r1, %r1, %r4;
	st.global.u32 [%o], %r1; ret;`, 70, 70)
	expect(t, got, func(uint32) uint32 { return 1050 })
}

func TestBarrierAfterEarlyExit(t *testing.T) {
	// The second warp ends before the others reach the barrier, the third one
	// after they wait.
	got := runBody(t, `
	.shared .u32 s[128];
	shr.u32 %r1, %t, 5;
	shl.b32 %r3, %t, 2; mov.u32 %r4, s; add.u32 %r4, %r4, %r3;
	st.shared.u32 [%r4], %t;
	setp.eq.u32 %p1, %r1, 1; @%p1 exit;
	setp.eq.u32 %p2, %r1, 3; @%p2 bra SPIN;
	bar.sync 0;
	ld.shared.u32 %r5, [%r4+4]; st.global.u32 [%o], %r5; ret;
SPIN:	add.u32 %r6, %r6, 1; setp.lt.u32 %p3, %r6, 50; @%p3 bra SPIN; ret;`, 128, 128)
	for i := range uint32(32) {
		if got[i] != i+1 || got[i+64] != i+65 || got[i+32] != 0 || got[i+96] != 0 {
			t.Fatalf("thread %d: %d %d %d %d", i, got[i], got[i+32], got[i+64], got[i+96])
		}
	}
}

// Warps arrive at one barrier with different reductions, or some without one.
func TestBarrierOfDifferentReductions(t *testing.T) {
	for _, other := range []string{"bar.red.or.pred %p2, 0, %p1", "bar.sync 0", "bar.red.popc.u32 %r2, 0, %p1"} {
		k := bodyKernel(t, kernel("setp.lt.u32 %p1, %t, 32; @%p1 bra A; "+other+"; ret; A: bar.red.popc.u32 %r1, 0, %p1; ret;"), 64, 64)
		_, err := simt.Run(context.Background(), k, simt.Limits{})
		if errors.Is(err, simt.ErrInvalid) == strings.Contains(other, "popc") {
			t.Errorf("%s beside a reduction: %v", other, err)
		}
	}
}

// Some threads of a warp return early: they wait for the others at the common
// end of the kernel, behind the last barrier.
func TestBarrierAfterEarlyReturnOfLanes(t *testing.T) {
	got := runBody(t, `
	.shared .u32 s[64];
	and.b32 %r1, %t, 3; setp.eq.u32 %p1, %r1, 0;
	shl.b32 %r2, %t, 2; mov.u32 %r3, s; add.u32 %r3, %r3, %r2;
	mov.u32 %r6, 1000;
	@%p1 bra END;
	mov.u32 %r4, 0;
L:	st.shared.u32 [%r3], %t; bar.sync 0;
	xor.b32 %r5, %r2, 128; mov.u32 %r7, s; add.u32 %r5, %r5, %r7; ld.shared.u32 %r6, [%r5];
	setp.lt.u32 %p2, %t, 30; bar.red.popc.u32 %r8, 0, %p2; add.u32 %r6, %r6, %r8;
	add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, 3; @%p3 bra L;
END:	add.u32 %r6, %r6, %r8; st.global.u32 [%o], %r6; ret;`, 64, 64)
	expect(t, got, func(i uint32) uint32 {
		if i&3 == 0 {
			return 1000 // %r8 is not written in these
		}
		return (i ^ 32) + 44
	})
	// A barrier inside a function that could still be called counts as well.
	src := header + `.func sync () { bar.sync 0; ret; }
.visible .entry k(.param .u64 out, .param .u32 n) { .reg .b32 t; .reg .pred p; mov.u32 t, %tid.x; setp.lt.u32 p, t, 5; @p bra A; call sync, (); A: call sync, (); ret; }`
	_, err := simt.Run(context.Background(), bodyKernel(t, src, 32, 32), simt.Limits{})
	if !errors.Is(err, simt.ErrDeadlock) {
		t.Errorf("lanes that wait before a call with a barrier: %v", err)
	}
}

// A producer warp arrives without waiting; consumers wait for it, by count.
func TestArriveAndSyncWithCounts(t *testing.T) {
	body := `
	.shared .u32 s;
	shr.u32 %r1, %t, 5; mov.u32 %r9, 64;
	setp.eq.u32 %p1, %r1, 2; @%p1 bra PRODUCE;
	setp.eq.u32 %p2, %r1, 1; @%p2 bra OTHER;
	bar.sync 3, %r9;
	ld.shared.u32 %r2, [s]; st.global.u32 [%o], %r2; ret;
OTHER:	ret;
PRODUCE: mov.u32 %r3, 77; st.shared.u32 [s], %r3; membar.cta; bar.arrive 3, 64; st.global.u32 [%o], %r1; ret;`
	got := runBody(t, body, 96, 96)
	expect(t, got, func(i uint32) uint32 { return [3]uint32{77, 0, 2}[i/32] })

	k := bodyKernel(t, kernel(body), 96, 96)
	b, err := k.NewBlock(0)
	if err != nil {
		t.Fatal(err)
	}
	var n int64
	opened, arrived := 0, 0
	err = simt.RunBlock(context.Background(), b, simt.Limits{}, &n, func(warp int, s *simt.Step) {
		if s.Barrier == 3 {
			arrived++
			if s.BarrierFull {
				t.Error("a barrier of some of the warps counts as full")
			}
		}
		if s.BarrierOpened {
			opened++
		}
	})
	if err != nil || arrived != 2 || opened != 1 {
		t.Errorf("%v, %d arrivals, opened %d times", err, arrived, opened)
	}
}

// Only the barriers that a warp may arrive at without waiting are not full.
func TestArrivalsSpareOtherBarriers(t *testing.T) {
	for inst, want := range map[string]int{"bar.arrive 3, 64; bar.sync 3, 64;": 0, "bar.arrive 4, 64; bar.sync 3;": 2, "mov.u32 %r1, 5; bar.arrive %r1, 64; bar.sync 3;": 0} {
		k := bodyKernel(t, kernel(inst+" ret;"), 64, 64)
		b, err := k.NewBlock(0)
		if err != nil {
			t.Fatal(err)
		}
		full := 0
		var n int64
		if err := simt.RunBlock(context.Background(), b, simt.Limits{}, &n, func(_ int, s *simt.Step) {
			if s.BarrierFull {
				full++
			}
		}); err != nil || full != want {
			t.Errorf("%s: %v, %d full arrivals, want %d", inst, err, full, want)
		}
	}
}

func TestFullBarriersAreSectionEnds(t *testing.T) {
	for _, inst := range []string{"bar.sync 0;", "bar.sync 1, 96;", "barrier.sync 2;", "bar.red.popc.u32 %r1, 0, %p1;"} {
		k := bodyKernel(t, kernel(inst+" ret;"), 70, 70)
		b, err := k.NewBlock(0)
		if err != nil {
			t.Fatal(err)
		}
		var n int64
		full, opened := 0, 0
		if err := simt.RunBlock(context.Background(), b, simt.Limits{}, &n, func(_ int, s *simt.Step) {
			if s.BarrierFull {
				full++
			}
			if s.BarrierOpened {
				opened++
			}
		}); err != nil || full != 3 || opened != 1 {
			t.Errorf("%s: %v, %d full arrivals, opened %d times", inst, err, full, opened)
		}
	}
}

func TestDeadlocksSayWhoWaitsWhere(t *testing.T) {
	e := fails(t, `
	setp.lt.u32 %p1, %t, 32; @%p1 bra A;
	setp.lt.u32 %p1, %t, 96; @%p1 bra B;
	ret;
A:	bar.sync 0, 96; ret;
B:	bar.sync 1; ret;`, 128, 128, simt.ErrDeadlock)
	for _, want := range []string{"warps 0 wait at barrier 0, pc 12 (line 13)", "warps 1-2 wait at barrier 1, pc 14 (line 14)", "1 warps have ended"} {
		if !strings.Contains(e.Error(), want) {
			t.Errorf("%v lacks %q", e, want)
		}
	}
	e = fails(t, `
	and.b32 %r1, %t, 1; setp.eq.u32 %p1, %r1, 0;
	@%p1 bra A; bar.sync 0; A: bar.sync 0; ret;`, 32, 32, simt.ErrDeadlock)
	if !strings.Contains(e.Error(), "lanes 0xaaaaaaaa of warp 0 reach a barrier without its lanes 0x55555555, which have barriers before them") {
		t.Errorf("divergent barrier: %v", e)
	}
}

func TestWrongBarriersAreErrors(t *testing.T) {
	for inst, want := range map[string]string{
		"bar.sync 16;":                      "barrier 16 of 16",
		"bar.sync 0, 33;":                   "not a multiple of the warp size",
		"bar.sync 0, 128;":                  "up to 64",
		"bar.sync %t;":                      "barrier number differs",
		"bar.arrive 0, 64; bar.sync 0, 32;": "where others gave 64",
	} {
		_, err := simt.Run(context.Background(), bodyKernel(t, kernel(inst+" ret;"), 64, 64), simt.Limits{})
		if !errors.Is(err, simt.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", inst, err, want)
		}
	}
}
