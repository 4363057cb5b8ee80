package analysis

import (
	"context"
	"fmt"
	"testing"

	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/replay"
	"github.com/warpbound/warpbound/internal/rv"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/simt/rvexec"
)

// startsAgain is a program in which the end of warp 1 starts that warp again, and
// warp 0 waits in the end for warp 1, which it need not where warps are executed
// one after the other.
func startsAgain(t *testing.T, v rvexec.Variant) *rvexec.Kernel {
	t.Helper()
	const (
		zero, t0, t1, a0 = 0, 5, 6, 10
	)
	insts := []rv.Inst{
		{Op: rv.Addi, Rd: t0, Imm: 2},
		{Op: rv.Auipc, Rd: t1},
		{Op: rv.Addi, Rd: t1, Rs1: t1, Imm: 4 * 9},
		{Op: rv.Wspawn, Rs1: t0, Rs2: t1},
		{Op: rv.Addi, Rd: t1, Rs1: t1, Imm: 4 * 2},
		{Op: rv.Wspawn, Rs1: t0, Rs2: t1}, // waits, and the end of warp 1 starts it again
		{Op: rv.Addi, Rd: t0, Imm: 1},
		{Op: rv.Wspawn, Rs1: t0, Rs2: t1}, // waits for warp 1, which has ended in the recording
		{Op: rv.Div, Rd: a0, Rs1: a0, Rs2: a0},
		{Op: rv.Tmc, Rs1: zero},
		{Op: rv.Div, Rd: a0, Rs1: a0, Rs2: a0}, // warp 1, at first
		{Op: rv.Tmc, Rs1: zero},
		{Op: rv.Div, Rd: a0, Rs1: a0, Rs2: a0}, // and then
		{Op: rv.Div, Rd: a0, Rs1: a0, Rs2: a0},
		{Op: rv.Tmc, Rs1: zero},
	}
	if v == rvexec.Feb2024 {
		insts[5] = rv.Inst{Op: rv.Addi} // it would be an error to start an active warp
		insts[4].Imm = 0
		insts[2].Imm += 4 * 2
	}
	return assembled(t, "again.elf", insts, rvexec.LaunchConfig{Warps: 2, Threads: 32, Variant: v})
}

// assembled is a program of one segment of text.
func assembled(t *testing.T, name string, insts []rv.Inst, l rvexec.LaunchConfig) *rvexec.Kernel {
	t.Helper()
	const base = 0x80000000
	img := &rv.Image{Name: name, Entry: base, TextBase: base, Insts: insts}
	var text []byte
	for i := range insts {
		word, err := rv.Encode(insts[i])
		if err != nil {
			t.Fatal(err)
		}
		img.Text = append(img.Text, word)
		text = append(text, byte(word), byte(word>>8), byte(word>>16), byte(word>>24))
	}
	img.Segments = []rv.Segment{{Addr: base, Data: text, MemBytes: uint32(len(text)), Exec: true}}
	k, err := rvexec.NewKernel(img, l)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// A text whose last instruction could be run off is analysed like any other, with
// every front end: the program has one instruction more than the text.
func TestTextThatMayRunOffItsEnd(t *testing.T) {
	const zero, t0 = 0, 5
	for _, v := range []rvexec.Variant{rvexec.V22, rvexec.Feb2024} {
		for _, last := range []rv.Inst{
			{Op: rv.Addi, Rd: t0, Imm: 1},
			{Op: rv.Beq, Rs1: t0, Rs2: t0, Imm: -4},
			{Op: rv.Tmc, Rs1: t0},
			{Op: rv.Wspawn, Rs1: t0, Rs2: t0},
		} {
			insts := []rv.Inst{{Op: rv.Addi, Rd: t0, Imm: 1}, {Op: rv.Tmc, Rs1: zero}, last}
			k := assembled(t, "open.elf", insts, rvexec.LaunchConfig{Warps: 2, Threads: 32, Variant: v})
			if n := len(k.Program().Instructions); n != len(insts)+1 {
				t.Fatalf("%v: %d instructions for a text of %d that may be run off", last.Op, n, len(insts))
			}
			for pc := range k.Program().Instructions {
				if got, want := k.Joins(int32(pc)), v == rvexec.V22 && pc < len(insts) && insts[pc].Op == rv.Wspawn; got != want {
					t.Errorf("%v: instruction %d joins: %v, want %v", last.Op, pc, got, want)
				}
			}
			m := frontMachine(t, 0)
			for _, use := range append(frontUses(), method.FrontEnd{}) {
				opt := method.Question{}
				if use.Variant != "" {
					opt = method.Question{Methods: []string{}, FrontEnd: &use}
				}
				r, err := Run(context.Background(), Of(assembled(t, "open.elf", insts, rvexec.LaunchConfig{Warps: 2, Threads: 32, Variant: v})), m, opt)
				if err != nil {
					t.Fatalf("%v, %+v: %v", last.Op, use, err)
				}
				if n := len(r.Scopes); n == 0 {
					t.Errorf("%v, %+v: no bounds", last.Op, use)
				}
			}
		}
	}
}

// What a replay of warps that start one another waits for is what the
// instructions say, not what the recording happened to wait for.
func TestReplayOfStarts(t *testing.T) {
	ctx := context.Background()
	for _, v := range []rvexec.Variant{rvexec.V22, rvexec.Feb2024} {
		for i, use := range frontUses() {
			t.Run(fmt.Sprintf("%s/%s-%s-%s", v, use.Variant, use.FetchPolicy, use.IssuePolicy), func(t *testing.T) {
				m := frontMachine(t, 4*(i%2))
				r, err := Run(ctx, Of(startsAgain(t, v)), m, method.Question{Methods: []string{}, FrontEnd: &use})
				if err != nil {
					t.Fatal(err)
				}
				whole := r.Scopes[len(r.Scopes)-1]
				res, err := sim.Run(ctx, sim.Config{Machine: m, Model: sim.FrontModel{Variant: use.Variant, FetchPolicy: use.FetchPolicy, IssuePolicy: use.IssuePolicy}, BlocksPerSM: 1, MaxCycles: 1 << 17, Checks: true}, startsAgain(t, v), r.Timing)
				b := whole.Bound(replay.Method)
				switch {
				case b == nil && err != nil: // a strict policy waits for a warp that has ended
				case b == nil || err != nil:
					t.Errorf("bound %v; simulation: %v", b != nil, err)
				case b.Cycles != res.Cycles:
					t.Errorf("%d cycles, safe %v; simulated %d", b.Cycles, b.Safe, res.Cycles)
				}
			})
		}
	}
}
