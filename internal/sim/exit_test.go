package sim_test

import (
	"context"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
	"github.com/warpbound/warpbound/ptx"
)

// exitCycles times a block of two warps: warp 0 waits at a barrier that opens when
// warp 1, after what slow says, has ended without coming to it.
func exitCycles(t *testing.T, slow string, set ...string) int64 {
	t.Helper()
	src := `.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p)
{
	.reg .b32 %r<9>; .reg .b64 %rd<3>; .reg .pred %p<2>;
	ld.param.u64 %rd1, [p];
	mov.u32 %r1, %tid.x;
	setp.ge.u32 %p1, %r1, 32;
	@%p1 bra SLOW;
	bar.sync 0;
	ret;
SLOW:
` + slow + `
	ret;
}
`
	f, err := ptx.Parse("exit.ptx", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	p, err := ptxexec.Lower(f, "k")
	if err != nil {
		t.Fatal(err)
	}
	k, err := ptxexec.NewKernel(p, ptxexec.LaunchConfig{Grid: [3]int{1, 1, 1}, Block: [3]int{64, 1, 1}, Args: []ptxexec.Arg{{Name: "p", Buffer: &ptxexec.Buffer{Contents: make([]byte, 64)}}}})
	if err != nil {
		t.Fatal(err)
	}
	d, err := gpu.Open("ecrts2025-200", set)
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
	r, err := sim.Run(context.Background(), sim.Config{Machine: m, BlocksPerSM: 1, Checks: true}, k, timing)
	if err != nil {
		t.Fatal(err)
	}
	return r.Cycles
}

// The delay of a barrier that an exit opens runs from the exit.
func TestBarrierOpenedByAnExit(t *testing.T) {
	slow := strings.Repeat("\tadd.u32 %r2, %r2, 1;\n", 40) // 8 cycles each
	without := exitCycles(t, slow)
	if without < 40*8 {
		t.Fatalf("%d cycles: the slow warp is not slow", without)
	}
	if with := exitCycles(t, slow, "barrier.delay_cycles=300"); with < 40*8+300 {
		t.Errorf("%d cycles with a delay of 300, %d without", with, without)
	}
}

// A draining barrier waits for what warps that have ended left behind.
func TestBarrierDrainsEndedWarps(t *testing.T) {
	load := "\tld.global.u32 %r3, [%rd1];"
	plain := exitCycles(t, load, "barrier.delay_cycles=50")
	drained := exitCycles(t, load, "barrier.delay_cycles=50", "barrier.draining=true")
	if plain > 260 || drained < 200+50 {
		t.Errorf("%d cycles, draining %d: expected the load's 200 before the delay of 50 only where the barrier drains", plain, drained)
	}
	if drained <= plain {
		t.Errorf("draining %d cycles, not draining %d", drained, plain)
	}
}
