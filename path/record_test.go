package path_test

import (
	"context"
	"errors"
	"testing"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/path"
	"github.com/warpbound/warpbound/ptx"
	"github.com/warpbound/warpbound/simt/ptxexec"
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

func record(t *testing.T, iterations uint32, opt path.Options) (*path.Launch, error) {
	t.Helper()
	f, err := ptx.Parse("restless.ptx", []byte(restless))
	if err != nil {
		t.Fatal(err)
	}
	p, err := ptxexec.Lower(f, "k")
	if err != nil {
		t.Fatal(err)
	}
	n := []byte{byte(iterations), byte(iterations >> 8), byte(iterations >> 16), byte(iterations >> 24)}
	k, err := ptxexec.NewKernel(p, ptxexec.Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}, Args: []ptxexec.Arg{{Bytes: n}}})
	if err != nil {
		t.Fatal(err)
	}
	d, err := gpu.Preset("ecrts2025-200")
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.Machine()
	if err != nil {
		t.Fatal(err)
	}
	timing, err := m.Resolve(k.Program())
	if err != nil {
		t.Fatal(err)
	}
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
