package path_test

import (
	"context"
	"errors"
	"testing"

	"github.com/warpbound/warpbound/internal/path"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
	"github.com/warpbound/warpbound/internal/testkit/gpus"
	"github.com/warpbound/warpbound/ptx"
)

// restless is a loop of n iterations whose branch follows a linear congruential
// generator: its stream does not repeat.
const restless = `.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u32 n)
{
	.reg .b32 %r<9>; .reg .pred %p<3>;
	ld.param.u32 %r1, [n];
	mov.u32 %r2, 12345;
L:	mad.lo.u32 %r2, %r2, 1664525, 1013904223;
	shr.u32 %r3, %r2, 31;
	setp.eq.u32 %p1, %r3, 0;
	@%p1 bra M;
	add.u32 %r4, %r4, 1;
M:	sub.u32 %r1, %r1, 1;
	setp.ne.u32 %p2, %r1, 0;
	@%p2 bra L;
	ret;
}
`

// restlessNest is a nest of three loops whose branches and numbers of iterations
// follow a linear congruential generator, as solvers with steps of their own have
// them: no iteration of any of the loops is like another.
const restlessNest = `.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u32 n)
{
	.reg .b32 %r<9>, %i, %j, %k; .reg .pred %p<5>;
	ld.param.u32 %i, [n];
	mov.u32 %r2, 12345;
I:	mov.u32 %j, 8;
J:	mad.lo.u32 %r2, %r2, 1664525, 1013904223;
	shr.u32 %k, %r2, 29; add.u32 %k, %k, 1;
K:	mad.lo.u32 %r2, %r2, 1664525, 1013904223;
	shr.u32 %r3, %r2, 31; setp.eq.u32 %p1, %r3, 0; @%p1 bra A; add.u32 %r4, %r4, 1; add.u32 %r4, %r4, 1;
A:	shr.u32 %r3, %r2, 30; and.b32 %r3, %r3, 1; setp.eq.u32 %p1, %r3, 0; @%p1 bra B; add.u32 %r4, %r4, 1; add.u32 %r4, %r4, 1;
B:	shr.u32 %r3, %r2, 29; and.b32 %r3, %r3, 1; setp.eq.u32 %p1, %r3, 0; @%p1 bra C; add.u32 %r4, %r4, 1; add.u32 %r4, %r4, 1;
C:	shr.u32 %r3, %r2, 28; and.b32 %r3, %r3, 1; setp.eq.u32 %p1, %r3, 0; @%p1 bra D; add.u32 %r4, %r4, 1; add.u32 %r4, %r4, 1;
D:	sub.u32 %k, %k, 1; setp.ne.u32 %p2, %k, 0; @%p2 bra K;
	sub.u32 %j, %j, 1; setp.ne.u32 %p3, %j, 0; @%p3 bra J;
	sub.u32 %i, %i, 1; setp.ne.u32 %p4, %i, 0; @%p4 bra I;
	ret;
}
`

func record(t *testing.T, iterations uint32, opt path.Options) (*path.Recorded, error) {
	t.Helper()
	return recordOf(t, restless, iterations, opt)
}

func recordOf(t *testing.T, source string, iterations uint32, opt path.Options) (*path.Recorded, error) {
	t.Helper()
	f, err := ptx.Parse("restless.ptx", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	p, err := ptxexec.Lower(f, "k")
	if err != nil {
		t.Fatal(err)
	}
	n := []byte{byte(iterations), byte(iterations >> 8), byte(iterations >> 16), byte(iterations >> 24)}
	k, err := ptxexec.NewKernel(p, ptxexec.LaunchConfig{Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}, Args: []ptxexec.Arg{{Bytes: n}}})
	if err != nil {
		t.Fatal(err)
	}
	m, timing := gpus.Timed(t, k.Program(), "ecrts2025-200")
	return path.Record(context.Background(), k, m, timing, opt)
}

// What does not repeat is kept up to a limit, and refused beyond it.
func TestStreamsThatDoNotRepeat(t *testing.T) {
	l, err := record(t, 1000, path.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := l.Classes[0].Warps[0].Warp.Whole.Len(); got != l.Instructions {
		t.Errorf("%d instructions kept of %d", got, l.Instructions)
	}
	if _, err := record(t, 100_000, path.Options{MaxItems: 100_000}); !errors.Is(err, path.ErrTooLarge) {
		t.Errorf("recorded with 100,000 items: %v", err)
	}
}

// A nest in which nothing repeats is kept once, and not once for each of its loops:
// it took more than two items an instruction, and was refused at a third of what a
// loop alone may have.
func TestNestsAreKeptOnce(t *testing.T) {
	const iterations = 600
	all, err := recordOf(t, restlessNest, iterations, path.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := all.Classes[0].Warps[0].Warp.Whole.Len(); got != all.Instructions || got < 500_000 {
		t.Errorf("%d instructions kept of %d", got, all.Instructions)
	}
	if _, err := recordOf(t, restlessNest, iterations, path.Options{MaxItems: all.Instructions * 7 / 4}); err != nil {
		t.Errorf("seven quarters of an item for each of %d instructions: %v", all.Instructions, err)
	}
	if _, err := recordOf(t, restlessNest, iterations, path.Options{MaxItems: all.Instructions}); !errors.Is(err, path.ErrTooLarge) {
		t.Errorf("an item an instruction, and none for what holds them: %v", err)
	}
}
