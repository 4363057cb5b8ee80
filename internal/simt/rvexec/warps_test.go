package rvexec

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// TestSpawn starts four warps, waits for them and starts two again.
func TestSpawn(t *testing.T) {
	const text = `
		addi x5, x0, 9
		auipc x6, 0
		addi x6, x6, 44        # W
		vx_wspawn x5, x6       # 9 warps of 4: all
		addi x10, x0, 3        # a look at the active warps would let them run here
		addi x7, x0, 1
		vx_wspawn x7, x0       # join
		csrrs x11, warps, x0
		addi x5, x0, 2
		vx_wspawn x5, x6
		addi x12, x0, 1
		ecall
	W:	addi x20, x20, 1
		csrrs x21, threads, x0
		csrrs x22, wid, x0
		vx_tmc x0`
	k := kernel(t, LaunchConfig{Warps: 4, Threads: 2}, text)
	b, err := k.NewBlock(0)
	if err != nil {
		t.Fatal(err)
	}
	c := b.(*Core)
	if got := statuses(c); got != "ready waiting waiting waiting" {
		t.Fatalf("at the start: %s", got)
	}
	if c.Warps()[1].PC() != isa.NoPC {
		t.Errorf("an inactive warp has pc %d", c.Warps()[1].PC())
	}
	var opened []string
	var executed int64
	err = simt.RunBlock(context.Background(), b, simt.Limits{}, &executed, func(warp int, s *simt.Step) {
		if s.Barrier != -1 || s.BarrierFull {
			t.Errorf("step %+v", s)
		}
		if s.BarrierOpened {
			opened = append(opened, fmt.Sprintf("warp %d pc %d next %d: %s", warp, s.PC, s.NextPC, statuses(c)))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"warp 0 pc 3 next 4: ready ready ready ready",
		"warp 3 pc 15 next -1: ready waiting waiting waiting",
		"warp 0 pc 9 next 10: ready ready waiting waiting",
	}
	if strings.Join(opened, "\n") != strings.Join(want, "\n") {
		t.Errorf("let go:\n%s", strings.Join(opened, "\n"))
	}
	if got := statuses(c); got != "done done done done" {
		t.Errorf("at the end: %s", got)
	}
	for i := range 4 {
		if w := c.Warp(i); w.Register(20, 0) != uint32([]int{0, 2, 1, 1}[i]) || w.Register(22, 0) != uint32(i) || i > 0 && w.Register(21, 0) != 1 {
			t.Errorf("warp %d ran %d times", i, w.Register(20, 0))
		}
	}
	if c.Warp(0).Register(11, 0) != 1 || executed != 12+4*4 {
		t.Errorf("active warps %#x; %d instructions", c.Warp(0).Register(11, 0), executed)
	}
}

// TestSpawnThatWaits starts warps that have to wait for others to end, once.
func TestSpawnThatWaits(t *testing.T) {
	_, c := mustRun(t, LaunchConfig{Warps: 3, Threads: 1}, `
		addi x5, x0, 3
		auipc x6, 0
		addi x6, x6, 28        # W
		vx_wspawn x5, x6
		addi x5, x0, 2
		vx_wspawn x5, x6       # waits for both, then starts one
		vx_bar x0, x5          # until that one is at it, which then ends first
		ecall
	W:	addi x20, x20, 1
		addi x21, x0, 2
		bne x20, x21, E
		vx_bar x0, x21
	E:	vx_tmc x0`)
	if a, b := c.Warp(1).Register(20, 0), c.Warp(2).Register(20, 0); a != 2 || b != 1 {
		t.Errorf("warps ran %d and %d times", a, b)
	}
}

// TestSpawnDoesNotWait is the February 2024 variant.
func TestSpawnDoesNotWait(t *testing.T) {
	const text = `
		addi x5, x0, 2
		auipc x6, 0
		addi x6, x6, 36        # W
		vx_wspawn x5, x6
		addi x7, x0, 1
		vx_wspawn x7, x0       # goes on
		%s
		csrrs x10, warps, x0
		addi x0, x0, 0
		ecall
	W:	vx_tmc x0`
	l := LaunchConfig{Warps: 4, Threads: 1, Variant: Feb2024}
	_, c := mustRun(t, l, fmt.Sprintf(text, "addi x0, x0, 0"))
	if got := c.Warp(0).Register(10, 0); got != 3 {
		t.Errorf("active warps %#x", got)
	}
	mustFail(t, l, fmt.Sprintf(text, "vx_wspawn x5, x6"), simt.ErrInvalid, "spawn of warps 0x2, which are active")
}

func statuses(c *Core) string {
	var s []string
	for _, w := range c.Warps() {
		s = append(s, w.Status().String())
	}
	return strings.Join(s, " ")
}

// spawned makes the first n warps of a core run what follows, n in x5.
func spawned(n int) string {
	return fmt.Sprintf(`
	auipc x6, 0
	addi x6, x6, 8
	addi x5, x0, %d
	csrrs x7, wid, x0
	bne x7, x0, M
	vx_wspawn x5, x6
	M:
	`, n)
}

func TestBarriers(t *testing.T) {
	k := kernel(t, LaunchConfig{Warps: 4, Threads: 1}, spawned(4)+`
		csrrs x10, wid, x0
		addi x11, x0, 1
		vx_bar x0, x11         # does nothing
		vx_bar x11, x5         # all four
		srl x12, x10, x11      # pairs
		addi x13, x0, 2
		vx_bar x12, x13
		lui x14, 0x80000000
		vx_bar x14, x11        # across one core
		ecall`)
	b, err := k.NewBlock(0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	var executed int64
	err = simt.RunBlock(context.Background(), b, simt.Limits{}, &executed, func(warp int, s *simt.Step) {
		c := b.(*Core)
		for i := range 4 {
			if _, ok := c.Wait(i); ok && c.Warp(i).Mask() == 0 {
				t.Errorf("warp %d is inactive and waits", i)
			}
		}
		if wait, ok := c.Wait(warp); ok != (s.Barrier >= 0 && !s.BarrierOpened) || ok && (wait.Barrier != s.Barrier || wait.PC != s.PC) {
			t.Errorf("%+v, %v after %+v", wait, ok, s)
		}
		if s.Barrier >= 0 {
			got = append(got, fmt.Sprintf("%d at %d full %v opened %v next %d", warp, s.Barrier, s.BarrierFull, s.BarrierOpened, s.NextPC-s.PC))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `0 at 1 full true opened false next 1
1 at 1 full true opened false next 1
2 at 1 full true opened false next 1
3 at 1 full true opened true next 1
3 at 1 full false opened false next 1
0 at 0 full false opened false next 1
1 at 0 full false opened true next 1
2 at 1 full false opened true next 1`
	if s := strings.Join(got, "\n"); s != want {
		t.Errorf("arrivals:\n%s", s)
	}
}

func TestNumberOfBarriers(t *testing.T) {
	for _, c := range []struct {
		v           Variant
		warps, want int
	}{{V22, 1, 1}, {V22, 4, 2}, {V22, 32, 16}, {Feb2024, 1, 4}, {Feb2024, 32, 4}} {
		if got := c.v.barriers(c.warps); got != c.want {
			t.Errorf("%v with %d warps: %d barriers, want %d", c.v, c.warps, got, c.want)
		}
	}
}

func TestBarrierCountsDiffer(t *testing.T) {
	mustFail(t, LaunchConfig{Warps: 4, Threads: 1}, spawned(4)+"csrrs x10, wid, x0; addi x10, x10, 3; vx_bar x0, x10; ecall", simt.ErrInvalid, "barrier 0 of 4 warps, where others gave 3", "warp 1")
}

func TestBarriersOfSeveralCores(t *testing.T) {
	mustFail(t, LaunchConfig{Cores: 2, Warps: 1, Threads: 1}, "lui x5, 0x80000000; addi x6, x0, 1; vx_bar x5, x6; ecall", simt.ErrUnsupported, "across cores")
}

func TestDeadlocks(t *testing.T) {
	// Three of four warps wait; warp 3 ends. A missing warp is told as ended.
	e := mustFail(t, LaunchConfig{Warps: 5, Threads: 1}, spawned(4)+`
		csrrs x10, wid, x0
		addi x11, x0, 3
		beq x10, x11, E
		addi x12, x0, 4
		vx_bar x0, x12
	E:	ecall`, simt.ErrDeadlock, "warps 0-2 wait at barrier 0, pc 10", "2 warps have ended")
	if e.PC != 10 {
		t.Errorf("pc %d", e.PC)
	}
	// Warp 0 waits for the others to end, one of which waits for warp 0.
	mustFail(t, LaunchConfig{Warps: 2, Threads: 1}, `
		addi x5, x0, 2
		auipc x6, 0
		addi x6, x6, 20
		vx_wspawn x5, x6
		vx_wspawn x0, x0
		ecall
	W:	vx_bar x0, x5          # x5 is 0 in this warp
		ecall`, simt.ErrInvalid)
	mustFail(t, LaunchConfig{Warps: 2, Threads: 1}, `
		addi x5, x0, 2
		auipc x6, 0
		addi x6, x6, 20
		vx_wspawn x5, x6
		vx_wspawn x0, x0
		ecall
	W:	addi x5, x0, 2
		vx_bar x0, x5
		ecall`, simt.ErrDeadlock, "warps 0 wait at pc 4", "warps 1 wait at barrier 0, pc 7")
}

// TestStepOfWaitingWarp makes sure that nothing steps out of turn.
func TestStepOfWaitingWarp(t *testing.T) {
	k := kernel(t, LaunchConfig{Warps: 2, Threads: 1}, "ecall")
	b, err := k.NewBlock(0)
	if err != nil {
		t.Fatal(err)
	}
	var s simt.Step
	if err := b.Warps()[1].Step(&s); !errors.Is(err, simt.ErrInvalid) {
		t.Errorf("error %v", err)
	}
	if err := b.Warps()[0].Step(&s); err != nil || s.NextPC != isa.NoPC {
		t.Errorf("%+v, %v", s, err)
	}
	if err := b.Warps()[0].Step(&s); !errors.Is(err, simt.ErrInvalid) {
		t.Errorf("error %v", err)
	}
	if _, err := k.NewBlock(1); err == nil {
		t.Error("core 1 of one")
	}
}

// TestRunAgain executes a core twice: it starts afresh, but for user memory.
func TestRunAgain(t *testing.T) {
	k := kernel(t, LaunchConfig{Warps: 2, Threads: 2, Argument: make([]byte, 4)}, `
		csrrs x5, mscratch, x0
		lw x6, 0(x5)
		addi x6, x6, 1
		sw x6, 0(x5)
		csrrs x7, local, x0
		lw x8, 0(x7)
		sw x5, 0(x7)
		addi x9, x9, 1
		csrrwi x10, fcsr, 21
		csrrwi x11, mscratch, 3
		csrrs x12, mcycle, x0
		ecall`)
	for i := range 2 {
		b, err := k.NewBlock(0)
		if err != nil {
			t.Fatal(err)
		}
		var executed int64
		if err := simt.RunBlock(context.Background(), b, simt.Limits{}, &executed, nil); err != nil {
			t.Fatal(err)
		}
		w := b.(*Core).Warp(0)
		if w.Register(6, 0) != uint32(i+1) || w.Register(8, 0) != 0 || w.Register(9, 0) != 1 || w.Register(10, 0) != 0 || w.Register(11, 0) != ArgumentAddr || w.Register(12, 0) != 11 {
			t.Errorf("run %d starts with something left", i)
		}
		b.Release()
		b.Release()
	}
}

// TestRunAgainAfterTrouble leaves a barrier with a warp at it and a split open.
func TestRunAgainAfterTrouble(t *testing.T) {
	k := kernel(t, LaunchConfig{Warps: 2, Threads: 2}, `
		addi x5, x0, 3
		vx_tmc x5
		csrrs x6, tid, x0
		vx_split x7, x6
		addi x5, x0, 2
		csrrsi x0, fcsr, 1
		vx_bar x0, x5`)
	_, first := run(t, k)
	for range 2 {
		b, err := k.NewBlock(0)
		if err != nil {
			t.Fatal(err)
		}
		var executed int64
		err = simt.RunBlock(context.Background(), b, simt.Limits{}, &executed, nil)
		w := b.(*Core).Warp(0)
		if err == nil || err.Error() != first.Error() || w.Register(7, 1) != 0 || w.Splits() != 1 || w.FCSR() != 1 {
			t.Errorf("%v after %v; depth %d", err, first, w.Register(7, 1))
		}
		b.Release()
	}
}

// TestRunAgainAfterDeadlock leaves, where the argument is 0, two warps at a
// barrier and the other in a spawn; else it uses the barrier as it should.
func TestRunAgainAfterDeadlock(t *testing.T) {
	k := kernel(t, LaunchConfig{Warps: 3, Threads: 1}, `
		csrrs x10, mscratch, x0
		lw x10, 0(x10)
		addi x5, x0, 3
		addi x11, x0, 2
		auipc x6, 0
		addi x6, x6, 32        # W
		vx_wspawn x5, x6
		bne x10, x0, B
		vx_wspawn x5, x6       # deadlock
	B:	vx_bar x0, x5
		vx_bar x0, x11
		jal x0, E
	W:	addi x20, x20, 1
		addi x5, x0, 3
		vx_bar x0, x5
		csrrs x5, wid, x0
		addi x11, x0, 2
		beq x5, x11, E
		vx_bar x0, x11         # warp 1, with warp 0
	E:	vx_tmc x0`)
	for i := range 2 {
		if err := k.WriteMemory(ArgumentAddr, []byte{byte(i)}); err != nil {
			t.Fatal(err)
		}
		b, err := k.NewBlock(0)
		if err != nil {
			t.Fatal(err)
		}
		var executed int64
		err = simt.RunBlock(context.Background(), b, simt.Limits{MaxInstructions: 1000}, &executed, nil)
		ran := b.(*Core).Warp(1).Register(20, 0)
		if ran != 1 || i == 0 && !errors.Is(err, simt.ErrDeadlock) || i == 1 && err != nil {
			t.Errorf("run %d: %v; warp 1 ran %d times", i, err, ran)
		}
		b.Release()
	}
}

func TestKernelContract(t *testing.T) {
	k := kernel(t, LaunchConfig{Cores: 3, Warps: 4, Threads: 8}, "ecall")
	if k.Grid() != [3]int{3, 1, 1} || k.BlockDim() != [3]int{32, 1, 1} || k.WarpSize() != 8 || k.SharedBytes() != 16384 {
		t.Errorf("grid %v, block %v, warp %d, shared %d", k.Grid(), k.BlockDim(), k.WarpSize(), k.SharedBytes())
	}
	if len(k.Program().Instructions) < 1 || k.Image().Text[0] != 0x73 {
		t.Error("program")
	}
	if err := k.Program().Check(); err != nil {
		t.Error(err)
	}
}
