package rvexec

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"testing"

	"github.com/warpbound/warpbound/internal/rv"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// FuzzExecute runs what it is given as a program. Nothing may panic, errors must
// be those of the machine, steps must keep their contract, and a second run must
// do the same. Programs are either words or, since few words are instructions,
// operations with operands; shape chooses that and the machine.
func FuzzExecute(f *testing.F) {
	seeds := []string{
		"addi x5, x0, -1; vx_tmc x5; csrrs x6, mhartid, x0; slli x7, x6, 2; li x8, 0x20000; add x7, x7, x8; sw x6, 0(x7); lh x9, 2(x7); lbu x9, 1(x7); sb x9, 3(x7); ecall",
		spawned(3) + "addi x10, x0, 3; vx_bar x0, x10; csrrs x11, wid, x0; vx_bar x11, x10; vx_tmc x0",
		"addi x5, x0, -1; vx_tmc x5; csrrs x6, tid, x0; vx_split x7, x6; andi x8, x6, 1; beq x8, x0, 8; mul x9, x6, x6; vx_join x7; vx_pred x6, x5, neg; div x9, x9, x6; ecall",
		"csrrwi x0, frm, 3; fcvt.s.w f1, x5; fdiv.s f2, f1, f1; fmadd.s f3, f1, f2, f1, rtz; fsqrt.s f4, f3; csrrs x5, fflags, x0; flw f1, -4(x5); fsw f1, 0(x0)",
		"jal x1, 8; ecall; auipc x5, 0; jalr x1, 8(x5); .word 0; ebreak",
		"li x5, 0x40; addi x6, x0, 65; sb x6, 0(x5); sw x6, 0x48(x5); addi x7, x7, 1; jal x0, -4",
	}
	for i, text := range seeds {
		var data []byte
		for _, w := range assemble(f, text) {
			data = binary.LittleEndian.AppendUint32(data, w)
		}
		f.Add(uint16(i), data)
		f.Add(uint16(0x100+i), data)
	}
	f.Fuzz(func(t *testing.T, shape uint16, data []byte) {
		if len(data) < 4 || len(data) > 1024 {
			return
		}
		l := LaunchConfig{
			Cores: 1 + int(shape>>1&1), Warps: []int{1, 2, 4, 32}[shape>>2&3], Threads: []int{1, 2, 5, 32}[shape>>4&3],
			Variant: Variant(shape & 1), MaxMemoryBytes: 1 << 22,
		}
		img := image(fuzzWords(data, shape>>8&1 != 0))
		img.Segments[0].Write = shape>>6&1 != 0
		first, second := fuzzRun(t, img, l), fuzzRun(t, img, l)
		if first != second {
			t.Fatalf("two runs differ: %s and %s", first, second)
		}
	})
}

// fuzzWords makes words of data, or operations numbered by its first byte.
func fuzzWords(data []byte, operations bool) []uint32 {
	ops := rv.Ops()
	var words []uint32
	for ; len(data) >= 4; data = data[4:] {
		w := binary.LittleEndian.Uint32(data)
		if operations {
			mask, match := ops[int(data[0])%len(ops)].Encoding()
			w = w&^mask | match
		}
		words = append(words, w)
	}
	return words
}

// fuzzRun executes a program and says what it did.
func fuzzRun(t *testing.T, img *rv.Image, l LaunchConfig) string {
	k, err := NewKernel(img, l)
	if err != nil {
		t.Fatalf("refused: %v", err)
	}
	all := simt.Mask(k.threads())
	var executed int64
	trace := crc32.NewIEEE()
	for core := range l.Cores {
		b, err := k.NewBlock(int64(core))
		if err != nil {
			t.Fatal(err)
		}
		warps := b.Warps()
		err = simt.RunBlock(context.Background(), b, simt.Limits{MaxInstructions: 3000}, &executed, func(warp int, s *simt.Step) {
			w := warps[warp]
			switch {
			case s.Active == 0 || s.Active&^all != 0 || s.Exec != s.Active:
				t.Fatalf("masks of %+v", s)
			case s.NextPC != w.PC() || s.NextPC != isa.NoPC && uint32(s.NextPC) >= uint32(len(img.Text)):
				t.Fatalf("next instruction of %+v", s)
			case (s.NextPC == isa.NoPC) != (b.(*Core).Warp(warp).Mask() == 0):
				t.Fatalf("mask after %+v", s)
			case s.BarrierFull && s.Barrier < 0 || (s.Space != isa.NoSpace) != (s.WidthBytes != 0):
				t.Fatalf("step %+v", s)
			}
			fmt.Fprintf(trace, "%d %d %d %#x %v %v;", warp, s.PC, s.NextPC, s.Active, s.Barrier, s.BarrierOpened)
		})
		var e *simt.RuntimeError
		if err != nil {
			if !errors.As(err, &e) || e.Kind != simt.ErrInstructionLimit && (e.PC < 0 || int(e.PC) >= len(img.Text)) {
				t.Fatalf("an error of another kind: %v", err)
			}
			return fmt.Sprintf("%v %x %d %q %d", err, trace.Sum32(), executed, k.Console(), k.ExitCode())
		}
		for _, w := range warps {
			if w.Status() != simt.Done {
				t.Fatalf("a warp is %v", w.Status())
			}
		}
		b.Release()
	}
	return fmt.Sprintf("%x %d %q %d", trace.Sum32(), executed, k.Console(), k.ExitCode())
}
