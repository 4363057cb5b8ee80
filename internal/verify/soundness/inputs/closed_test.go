package inputs

import (
	"strings"
	"testing"
)

// directed are kernels in which something about a closed covering execution was wrong
// once, or would be.
var directed = map[string]struct {
	body        string
	grid, block int
	bounds      bool
	not         string // covered, for this
}{
	// The low half of a number does not say where the number lies.
	"low half of a number": {body: "ld.global.u64 %d, [%u]; cvt.u32.u64 %c, %d; setp.lt.s32 %p0, %c, 5; @!%p0 bra A; setp.gt.s64 %p1, %d, -99; @!%p1 bra A; add.u32 %c, %c, 1; A:"},
	// A predicate that comes from a barrier.
	"predicate of a barrier": {grid: 4, block: 64, body: "setp.lt.u32 %p1, %b, 1; ld.global.u32 %x, [%u]; setp.gt.u32 %p2, %x, 0; bar.red.or.pred %p1, 0, %p2; @!%p1 bra A; setp.gt.u32 %p3, %b, 0; @!%p3 bra A; add.u32 %c, %b, 1; A:"},
	// Equal to something else in each iteration.
	"goes on while equal": {not: "no bound is known", body: "mov.u32 %c, 0; L: ld.global.u32 %x, [%ul]; add.u64 %ul, %ul, 4; setp.eq.u32 %p0, %c, %x; add.u32 %c, %c, 1; @%p0 bra L;"},
	// What an iteration excludes comes from outside.
	"narrow at the end":           {body: "mov.u32 %c, %n; mov.u32 %r0, 0; L: setp.gt.u32 %p0, %c, 4; @!%p0 bra A; add.u32 %r1, %r0, 1; A: setp.gt.u32 %p1, %n, 3; @%p1 bra E; ld.global.u32 %x, [%u]; and.b32 %x, %x, 1; min.u32 %c, %x, %n; add.u32 %r0, %r0, 1; setp.lt.u32 %p2, %r0, 3; @%p2 bra L; E:"},
	"narrow at the end, together": {body: "mov.u32 %c, %n; mov.u32 %r0, 0; L: setp.gt.u32 %p0, %c, 4; @!%p0 bra A; add.u32 %r1, %r0, 1; A: setp.gt.u32 %p1, %n, 3; @%p1 bra E; ld.global.u32 %x, [%u]; and.b32 %x, %x, 1; add.u32 %c, %x, 1; add.u32 %r0, %r0, 1; setp.lt.u32 %p2, %r0, 3; @%p2 bra L; E:"},
	// The lane that is not aligned is not there.
	"alignment of who is there": {body: "ld.global.u32 %x, [%u]; setp.gt.u32 %p0, %x, 0; setp.eq.u32 %p1, %lane, 0; and.pred %p0, %p0, %p1; mul.wide.u32 %d, %n, 128; add.u64 %d, %d, %u; mul.wide.u32 %e, %lane, 128; selp.u64 %e, %e, 2, !%p1; add.u64 %d, %d, %e; setp.ne.u32 %p2, %lane, 0; or.pred %p2, %p2, %p0; @%p2 ld.global.u32 %c, [%d];"},
	// Differences beyond 64 bits.
	"a difference that wraps around": {body: "cvt.u64.u32 %d, %n; neg.s64 %d, %d; neg.s64 %d, %d; setp.gt.s64 %p0, %d, -9223372036854775808; @!%p0 bra A; add.u32 %c, %n, 1; A:"},
	// A clock does not stand still.
	"clocks":        {body: "mov.u32 %c, %clock; mov.u32 %x, %clock; sub.u32 %x, %x, %c; setp.ne.u32 %p0, %x, 0; @!%p0 bra A; add.u32 %c, %c, 1; A:"},
	"clocks in one": {body: "mov.u64 %d, %clock64; mov.u32 %c, %n; mov.u64 %e, %clock64; setp.eq.u64 %p0, %d, %e; @%p0 bra A; add.u32 %c, %c, 1; A:"},
	// Comes back to the head from a call.
	"a call before the head": {bounds: true, body: "mov.u32 %c, 0; bra H; B: add.u32 %c, %c, 1; call (%x), direct, (%c); H: setp.lt.u32 %p0, %c, %n; @%p0 bra B;"},
	// Quotients by negative numbers.
	"negative divisor": {body: "mul.lo.u32 %c, %n, -4; div.s32 %x, %c, -4; setp.eq.u32 %p0, %x, 3; @%p0 bra A; add.u32 %x, %x, 1; A: add.u32 %c, %c, 7; div.s32 %x, %c, -4; setp.eq.s32 %p0, %x, -1; @%p0 bra B; add.u32 %x, %x, 1; B:"},
}

// directedOutcome runs one of them.
func directedOutcome(t *testing.T, name string) (*Outcome, error) {
	k := directed[name]
	c := Case{Seed: 5, Grid: max(k.grid, 1), Block: max(k.block, 32), GPU: "gtx480", AllBounds: k.bounds}
	c.PTX = ".version 8.0\n.target sm_90\n.address_size 64\n" + functions + ".visible .entry k(.param .u64 pa, .param .u64 pu, .param .u32 n) {\n" + prologue + k.body + "\n\tret;\n}\n"
	return c.Run(t.Context(), 32)
}

func TestDirectedClosedKernels(t *testing.T) {
	for name, k := range directed {
		t.Run(name, func(t *testing.T) {
			out, err := directedOutcome(t, name)
			if err != nil {
				t.Fatal(err)
			}
			if out.Wrong != "" {
				t.Error(out.Wrong)
			}
			if k.not == "" && !out.Closed || !strings.Contains(out.NotClosed, k.not) {
				t.Errorf("covered in closed form: %v, %s", out.Closed, out.NotClosed)
			}
		})
	}
}
