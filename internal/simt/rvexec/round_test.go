package rvexec

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/warpbound/warpbound/internal/simt"
)

// waits is the start code of programs of May 2024: warp 0 starts the others,
// works like them, waits in a loop until it is the only one active, and reads a
// counter that is reserved.
const waits = `
	addi x5, x0, 4
	auipc x6, 0
	addi x6, x6, 48        # W
	vx_wspawn x5, x6
	addi x7, x0, 1
S:	csrrs x10, warps, x0
	addi x20, x20, 1
	bne x10, x7, S
	csrrs x11, 0xb01, x0
	csrrs x12, 0xb81, x0
	addi x13, x0, 7
	ecall
	addi x0, x0, 0
W:	addi x14, x14, 1
	addi x15, x0, 100
	bne x14, x15, W
	vx_tmc x0`

func TestWaitForOthers(t *testing.T) {
	for _, v := range []Variant{V22, Feb2024} {
		_, c := mustRun(t, LaunchConfig{Warps: 4, Threads: 2, Variant: v}, waits)
		w := c.Warp(0)
		if w.Register(10, 0) != 1 || w.Register(11, 0) != 0 || w.Register(12, 0) != 0 || w.Register(13, 0) != 7 {
			t.Errorf("%v: warps %#x, reserved counter %d %d, end %d", v, w.Register(10, 0), w.Register(11, 0), w.Register(12, 0), w.Register(13, 0))
		}
		if n := w.Register(20, 0); n != 2 {
			t.Errorf("%v: warp 0 looked %d times, expected once before the others ran and once after", v, n)
		}
		for i := 1; i < 4; i++ {
			if n := c.Warp(i).Register(14, 0); n != 100 {
				t.Errorf("%v: warp %d made %d rounds", v, i, n)
			}
		}
	}
	mustFail(t, one(1), "csrrw x1, 0xb01, x1", simt.ErrInvalid, "vx_mpm_reserved cannot be written")
}

// TestYieldWhereTimeDecides: only a look at the active warps that can have
// several answers yields.
func TestYieldWhereTimeDecides(t *testing.T) {
	for _, c := range []struct {
		variant Variant
		want    string
	}{{V22, "no yes no"}, {Feb2024, "no yes yes"}} {
		k := kernel(t, LaunchConfig{Warps: 2, Threads: 1, Variant: c.variant}, `
			addi x5, x0, 2
			auipc x6, 0
			addi x6, x6, 36        # W
			csrrs x10, warps, x0
			vx_wspawn x5, x6
			csrrs x11, warps, x0
			addi x7, x0, 1
			vx_wspawn x7, x0
			csrrs x12, warps, x0
			ecall
		W:	vx_tmc x0`)
		b, err := k.NewBlock(0)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		var executed int64
		if err := simt.RunBlock(context.Background(), b, simt.Limits{}, &executed, func(_ int, s *simt.Step) {
			if strings.Contains(k.Program().Instructions[s.PC].Opcode, "csrr") {
				got = append(got, map[bool]string{true: "yes", false: "no"}[s.Yield])
			} else if s.Yield {
				t.Errorf("%v: pc %d yields", c.variant, s.PC)
			}
		}); err != nil {
			t.Fatal(err)
		}
		w := b.(*Core).Warp(0)
		if x, y, z := w.Register(10, 0), w.Register(11, 0), w.Register(12, 0); x != 1 || y != 3 || z != 1 {
			t.Errorf("%v: active warps %#x, %#x, %#x", c.variant, x, y, z)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%v: yields %v, want %s", c.variant, got, c.want)
		}
	}
}

// TestEndlessLoop: loops that can only go round, and others that look like them.
func TestEndlessLoop(t *testing.T) {
	two := LaunchConfig{Warps: 2, Threads: 2}
	const spawn = `
		addi x5, x0, 2
		auipc x6, 0
		addi x6, x6, 200       # W
		vx_wspawn x5, x6
	`
	// at puts text at W, 204 bytes after the start.
	at := func(first, other string) string {
		pad := 51 - 4 - len(assemble(t, first))
		return spawn + first + strings.Repeat("\naddi x0, x0, 0", pad) + "\n" + other
	}
	for _, c := range []struct {
		what   string
		launch LaunchConfig
		text   string
		parts  []string
	}{
		{"jump to itself", one(2), "addi x1, x0, 1; L: jal x0, L", []string{"in warp 0 at 0x80000004: ", "the registers are what they were a round ago"}},
		{"a delay inside", one(1), "L: addi x1, x0, 1000; D: addi x1, x1, -1; bne x1, x0, D; jal x0, L", nil},
		{"waits for memory", one(1), "li x1, 0x10000; L: lw x2, 0(x1); beq x2, x0, L; ecall", nil},
		{"through a register", one(1), "auipc x1, 0; jalr x0, 0(x1)", nil},
		{"open splits", one(4), "addi x7, x0, 15; vx_tmc x7; csrrs x1, tid, x0; L: addi x0, x0, 0; vx_split x2, x1; vx_join x2; vx_join x2; jal x0, L", nil},
		{"others wait", two, at("L: csrrs x1, warps, x0; addi x2, x0, 1; bne x1, x2, L; ecall", "addi x3, x0, 2; vx_bar x0, x3; vx_tmc x0"), []string{"; 1 warps wait"}},
		{"all go round", two, at("L: jal x0, L", "K: jal x0, K"), nil},
	} {
		t.Run(c.what, func(t *testing.T) { mustFail(t, c.launch, c.text, simt.ErrEndlessLoop, c.parts...) })
	}
	for _, c := range []struct {
		what   string
		launch LaunchConfig
		text   string
	}{
		{"counts", one(2), "li x1, 100000; L: addi x1, x1, -1; bne x1, x0, L; ecall"},
		{"counts in memory", one(1), "li x1, 0x10000; li x3, 50000; L: lw x2, 0(x1); addi x2, x2, 1; sw x2, 0(x1); addi x4, x2, 0; addi x2, x0, 0; bltu x4, x3, M; ecall; M: addi x4, x0, 0; jal x0, L"},
		{"waits for time", one(1), "li x3, 200000; L: csrrs x1, mcycle, x0; bltu x1, x3, M; ecall; M: addi x1, x0, 0; jal x0, L"},
		{"waits for another warp", two, at("li x1, 0x10000; L: lw x2, 0(x1); beq x2, x0, L; ecall", "li x1, 0x10000; addi x2, x0, 5; sw x2, 0(x1); vx_tmc x0")},
		{"another warp waits for it", two, at("li x1, 0x10000; li x3, 30000; D: addi x3, x3, -1; bne x3, x0, D; addi x2, x0, 5; sw x2, 0(x1); ecall", "li x1, 0x10000; L: lw x2, 0(x1); beq x2, x0, L; vx_tmc x0")},
		{"mscratch counts", one(1), "csrrw x0, mscratch, x0; li x3, 50000; L: csrrs x1, mscratch, x0; addi x1, x1, 1; csrrw x0, mscratch, x1; bltu x1, x3, M; ecall; M: addi x1, x0, 0; jal x0, L"},
	} {
		t.Run(c.what, func(t *testing.T) { mustRun(t, c.launch, c.text) })
	}
	// Several cores share memory: only the limit ends a loop that another core could end.
	k := kernel(t, LaunchConfig{Cores: 2, Warps: 1, Threads: 1}, "L: jal x0, L")
	if _, err := run(t, k); !errors.Is(err, simt.ErrInstructionLimit) {
		t.Errorf("two cores: %v", err)
	}
	// A loop that stores does something.
	mustFail(t, one(1), "li x1, 0x10000; L: sw x1, 0(x1); jal x0, L", simt.ErrInstructionLimit)
}

// A warp that is timed alone runs the others where it yields.
func TestWaitForOthersAlone(t *testing.T) {
	k := kernel(t, LaunchConfig{Warps: 4, Threads: 2}, waits)
	if n, err := simt.Run(context.Background(), simt.Solo(k, 0), simt.Limits{MaxInstructions: 1000}); err != nil || n != 5+2*3+4 {
		t.Errorf("%d instructions, %v", n, err)
	}
}

// An execution that is interrupted says where, and one that is watched.
func TestInterruptedRound(t *testing.T) {
	k := kernel(t, LaunchConfig{Cores: 2, Warps: 1, Threads: 1}, "addi x1, x0, 1; L: jal x0, L")
	ctx, cancel := context.WithCancel(context.Background())
	var seen []simt.At
	_, err := simt.Run(ctx, k, simt.Limits{Watch: func(at simt.At) {
		if seen = append(seen, at); len(seen) == 3 {
			cancel()
		}
	}})
	var cut *simt.Interrupted
	if !errors.As(err, &cut) || !errors.Is(err, context.Canceled) || err.Error() != "interrupted after 262144 warp instructions (block 0, warp 0, pc 1)" {
		t.Errorf("%v", err)
	}
	for i, at := range seen {
		if want := (simt.At{Instructions: int64(i+1) << 16, Cycle: simt.NoTime, PC: 1}); at != want {
			t.Errorf("watched %+v, want %+v", at, want)
		}
	}
}

// Programs that end are never taken for endless, however often they are looked at,
// and compute the same: nested loops around random computations, accesses to
// memory and to registers of control and status, by two warps of which the first
// waits for the second.
func TestRoundsThatEnd(outer *testing.T) {
	rapid.Check(outer, func(t *rapid.T) {
		reg := func(name string) int { return rapid.IntRange(10, 17).Draw(t, name) }
		body := func() (out string) {
			for range rapid.IntRange(0, 4).Draw(t, "ops") {
				a, b, c := reg("a"), reg("b"), reg("c")
				switch rapid.IntRange(0, 8).Draw(t, "op") {
				case 0:
					out += fmt.Sprintf("addi x%d, x0, %d\n", a, rapid.IntRange(0, 1).Draw(t, "imm"))
				case 1:
					out += fmt.Sprintf("xor x%d, x%d, x%d\n", a, b, c)
				case 2:
					out += fmt.Sprintf("sltu x%d, x%d, x%d\n", a, b, c)
				case 3:
					out += fmt.Sprintf("lw x%d, 0(x9)\n", a)
				case 4:
					out += fmt.Sprintf("sw x%d, 0(x9)\n", a)
				case 5:
					out += fmt.Sprintf("csrrw x%d, mscratch, x%d\n", a, b)
				case 6:
					out += fmt.Sprintf("csrrw x%d, fcsr, x%d\n", a, b)
				case 7:
					out += fmt.Sprintf("csrrs x%d, minstret, x0\nandi x%d, x%d, 1\n", a, a, a)
				case 8:
					out += fmt.Sprintf("andi x%d, x%d, 1\n", a, b)
				}
			}
			return out
		}
		loops := func(label string) string {
			// The counters are in memory or in registers: what a warp is comes back
			// to what it was in the first case, but for memory.
			n, m := rapid.IntRange(1, 5).Draw(t, "n"), rapid.IntRange(1, 5).Draw(t, "m")
			if rapid.Bool().Draw(t, "memory") {
				return fmt.Sprintf("sw x0, 4(x9)\n%[1]s: %[2]slw x5, 4(x9)\naddi x5, x5, 1\nsw x5, 4(x9)\nslti x6, x5, %[3]d\naddi x5, x0, 0\naddi x7, x6, 0\naddi x6, x0, 0\nbeq x7, x0, %[1]sE\naddi x7, x0, 0\njal x0, %[1]s\n%[1]sE: addi x0, x0, 0\n", label, body(), n*m)
			}
			return fmt.Sprintf("addi x5, x0, %[3]d\n%[1]s: addi x6, x0, %[4]d\n%[1]sI: %[2]saddi x6, x6, -1\nbne x6, x0, %[1]sI\naddi x5, x5, -1\nbne x5, x0, %[1]s\n", label, body(), n, m)
		}
		first, second := loops("A"), loops("B")
		lead := "li x9, 0x10000\naddi x5, x0, 2\nauipc x6, 0\naddi x6, x6, %d\nvx_wspawn x5, x6\n" + first
		wait := "addi x7, x0, 1\nS: csrrs x8, warps, x0\nbne x8, x7, S\necall\n"
		// The distance from auipc, which is word 3, to the second warp's start.
		at := 4 * (len(assemble(outer, fmt.Sprintf(lead, 0)+wait)) - 3)
		text := fmt.Sprintf(lead, at) + wait + "li x9, 0x10040\n" + second + "vx_tmc x0\n"
		var results [2]string
		for i, look := range []uint64{1, 1 << 40} {
			k, err := NewKernel(image(assemble(outer, text)), LaunchConfig{Warps: 2, Threads: 2})
			if err != nil {
				t.Fatal(err)
			}
			k.firstLook = look
			b, err := k.NewBlock(0)
			if err != nil {
				t.Fatal(err)
			}
			var executed int64
			if err := simt.RunBlock(context.Background(), b, simt.Limits{MaxInstructions: 1 << 14}, &executed, nil); err != nil {
				t.Fatalf("looked at from jump %d on: %v\n%s", look, err, text)
			}
			memory := make([]byte, 128)
			if err := k.ReadMemory(0x10000, memory); err != nil {
				t.Fatal(err)
			}
			results[i] = fmt.Sprint(executed, memory, b.(*Core).warps[0].regs[:discard], b.(*Core).warps[1].regs[:discard])
		}
		if results[0] != results[1] {
			t.Fatalf("looked at often and never:\n%s\n%s\n%s", results[0], results[1], text)
		}
	})
}
