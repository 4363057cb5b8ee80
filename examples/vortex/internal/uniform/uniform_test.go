package uniform

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/rv"
)

// program makes an image of instructions; all threads are on from the third one on, and x10 is the thread's number.
func program(t *testing.T, body ...rv.Inst) *rv.Image {
	t.Helper()
	insts := append([]rv.Inst{
		{Op: rv.Addi, Rd: 5, Imm: -1}, {Op: rv.Tmc, Rs1: 5}, {Op: rv.Lui, Rd: 2, Imm: -1 << 16},
		{Op: rv.Csrrs, Rd: 10, CSR: threadCSR},
	}, body...)
	img := &rv.Image{Name: "p", Entry: 0x1000, TextBase: 0x1000}
	for _, in := range insts {
		word, err := rv.Encode(in)
		if err != nil {
			t.Fatal(err)
		}
		in, err = rv.Decode(word)
		if err != nil {
			t.Fatal(err)
		}
		img.Text, img.Insts = append(img.Text, word), append(img.Insts, in)
	}
	return img
}

var (
	end     = rv.Inst{Op: rv.Tmc}
	low     = rv.Inst{Op: rv.Sltiu, Rd: 11, Rs1: 10, Imm: 4} // x11: threads 0 to 3
	split   = rv.Inst{Op: rv.Split, Rd: 12, Rs1: 11}
	skip    = rv.Inst{Op: rv.Beq, Rs1: 11, Imm: 8} // the next instruction is for those of x11
	join    = rv.Inst{Op: rv.Join, Rs1: 12}
	one     = rv.Inst{Op: rv.Addi, Rd: 13, Imm: 1}
	more    = rv.Inst{Op: rv.Addi, Rd: 13, Rs1: 13, Imm: 1}
	ask     = rv.Inst{Op: rv.Beq, Rs1: 13, Imm: 8} // a branch on x13
	nop     = rv.Inst{Op: rv.Addi}
	pushed  = rv.Inst{Op: rv.Sw, Rs1: 2, Rs2: 13, Imm: 8}
	popped  = rv.Inst{Op: rv.Lw, Rd: 13, Rs1: 2, Imm: 8}
	pred    = rv.Inst{Op: rv.Pred, Rs1: 11, Rs2: 5}
	less    = rv.Inst{Op: rv.Sltu, Rd: 11, Rs1: 13, Rs2: 10}
	ret     = rv.Inst{Op: rv.Jalr, Rs1: 1}
	link    = rv.Inst{Op: rv.Jal, Rd: 1}
	looping = rv.Inst{Op: rv.Bne, Rs1: 11}
)

func to(in rv.Inst, instructions int32) rv.Inst {
	in.Imm = 4 * instructions
	return in
}

func TestCheck(t *testing.T) {
	warp := rv.Inst{Op: rv.Csrrs, Rd: 13, CSR: 0xcc1}
	for _, c := range []struct {
		name string
		want string // of the error; "" for none
		body []rv.Inst
	}{
		{"branch on the thread", "0x1010: beq a1, zero, 0x1018: threads may disagree", []rv.Inst{skip, nop, end}},
		{"branch on a number of the thread", "threads may disagree", []rv.Inst{low, skip, nop, end}},
		{"branch on the warp", "", []rv.Inst{warp, ask, nop, end}},
		{"split", "", []rv.Inst{low, split, skip, more, join, end}},
		{"split by the warp's number", "", []rv.Inst{warp, {Op: rv.Split, Rd: 12, Rs1: 13}, ask, nop, join, end}},
		{"split by more than a bit", "0x1014: vx_split a2, a1: the condition may be other than 0 and 1", []rv.Inst{{Op: rv.Andi, Rd: 11, Rs1: 10, Imm: 4}, split, skip, nop, join, end}},
		{"branch on another number than split by", "threads may disagree", []rv.Inst{low, split, {Op: rv.Beq, Rs1: 10, Imm: 8}, nop, join, end}},
		{"branch on the condition after the join", "threads may disagree", []rv.Inst{low, split, skip, nop, join, skip, nop, end}},
		{"a side's value within it", "", []rv.Inst{low, one, split, to(skip, 4), one, ask, nop, join, end}},
		{"a side's value after the join", "threads may disagree", []rv.Inst{low, one, split, skip, more, join, ask, nop, end}},
		{"the same value of a side put away and back", "", []rv.Inst{low, one, split, to(skip, 4), pushed, more, popped, join, ask, nop, end}},
		{"another value of a side put away and back", "threads may disagree", []rv.Inst{low, one, split, to(skip, 4), more, pushed, popped, join, ask, nop, end}},
		{"a uniform split's value after the join", "", []rv.Inst{warp, {Op: rv.Split, Rd: 12, Rs1: 13}, ask, more, join, ask, nop, end}},
		{"within nested splits", "threads may disagree", []rv.Inst{low, one, {Op: rv.Split, Rd: 15, Rs1: 11}, to(skip, 8), {Op: rv.Sltiu, Rd: 11, Rs1: 10, Imm: 2}, split, skip, more, join, ask, nop, {Op: rv.Join, Rs1: 15}, end}},
		{"load from one address", "", []rv.Inst{warp, {Op: rv.Lw, Rd: 13, Rs1: 13}, ask, nop, end}},
		{"load from the thread's address", "threads may disagree", []rv.Inst{{Op: rv.Lw, Rd: 13, Rs1: 10}, ask, nop, end}},
		{"product with the thread's number", "threads may disagree", []rv.Inst{one, {Op: rv.Mul, Rd: 13, Rs1: 13, Rs2: 10}, ask, nop, end}},
		{"loop left by threads", "", []rv.Inst{one, more, less, pred, to(looping, -3), end}},
		{"its count afterwards", "threads may disagree", []rv.Inst{one, more, less, pred, to(looping, -3), ask, nop, end}},
		{"its count in a loop around", "threads may disagree", []rv.Inst{warp, {Op: rv.Add, Rd: 14, Rs1: 13}, more, less, pred, to(looping, -3), {Op: rv.Addi, Rd: 14, Rs1: 14, Imm: -1}, {Op: rv.Bne, Rs1: 14, Rs2: 13, Imm: -24}, end}},
		{"the count of a loop around", "", []rv.Inst{warp, {Op: rv.Add, Rd: 14, Rs1: 13}, nop, more, less, pred, to(looping, -3), {Op: rv.Addi, Rd: 14, Rs1: 14, Imm: -1}, {Op: rv.Bne, Rs1: 14, Imm: -24}, end}},
		{"pred without its branch", "no branch on its condition follows", []rv.Inst{less, pred, less, to(looping, -3), end}},
		{"pred by more than a bit", "the condition may be other than 0 and 1", []rv.Inst{{Op: rv.Pred, Rs1: 10, Rs2: 5}, {Op: rv.Bne, Rs1: 10, Imm: -4}, end}},
		{"call", "", []rv.Inst{one, to(link, 4), {Op: rv.Beq, Rs1: 14, Imm: 8}, nop, end, {Op: rv.Addi, Rd: 14, Rs1: 13, Imm: 1}, ret}},
		{"call with the thread's number", "threads may disagree", []rv.Inst{to(link, 4), {Op: rv.Beq, Rs1: 14, Imm: 8}, nop, end, {Op: rv.Add, Rd: 14, Rs1: 10}, ret}},
		{"call on one side", "threads may disagree", []rv.Inst{low, {Op: rv.Addi, Rd: 14}, split, skip, to(link, 5), join, {Op: rv.Beq, Rs1: 14, Imm: 8}, nop, end, {Op: rv.Addi, Rd: 14, Rs1: 13, Imm: 1}, ret}},
		{"what a function saves", "", []rv.Inst{low, {Op: rv.Addi, Rd: 8}, split, skip, to(link, 5), join, {Op: rv.Beq, Rs1: 8, Imm: 8}, nop, end, {Op: rv.Addi, Rd: 14, Rs1: 13, Imm: 1}, ret}},
		{"jump to the thread's number", "neither a call nor a return", []rv.Inst{{Op: rv.Jalr, Rs1: 10}, end}},
		{"return where the thread says", "threads may jump to different places", []rv.Inst{to(link, 2), end, {Op: rv.Add, Rd: 1, Rs1: 10}, ret}},
		{"join without split", "no split is open", []rv.Inst{join, end}},
		{"return with a split open", "returns with a split open", []rv.Inst{low, to(link, 2), end, split, ret}},
		{"a split on one of two ways", "reached with other splits open", []rv.Inst{low, warp, ask, split, nop, end}},
		{"stack pointer on one of two ways", "reached with the stack at two places", []rv.Inst{warp, ask, {Op: rv.Addi, Rd: 2, Rs1: 2, Imm: -16}, nop, end}},
		{"jump into a function", "reached from two functions", []rv.Inst{to(link, 2), {Op: rv.Jal, Imm: 8}, nop, ret}},
		{"address in the stack", "takes an address in the stack", []rv.Inst{{Op: rv.Addi, Rd: 13, Rs1: 2, Imm: 4}, end}},
		{"no end", "goes on outside the code", []rv.Inst{nop}},
		{"branch before the start", "goes on outside the code", []rv.Inst{to(ask, -5), end}},
		{"call beyond the end", "goes on outside the code", []rv.Inst{to(link, 9), end}},
	} {
		err := Check(program(t, c.body...))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

// A word that is no instruction is an error where control comes to it.
func TestInvalid(t *testing.T) {
	img := program(t, nop, end)
	img.Insts[4].Op = rv.Invalid
	if err := Check(img); err == nil || !strings.Contains(err.Error(), "no instruction") {
		t.Errorf("error %v", err)
	}
	img.Entry = 0
	if err := Check(img); err == nil || !strings.Contains(err.Error(), "no entry") {
		t.Errorf("error %v", err)
	}
}

// Programs with the number of the warp read as that of the thread are refused where a branch depends on it.
func TestProgramsThatAreNoLongerRight(t *testing.T) {
	refused := 0
	for _, name := range []string{"rounding", "spawn", "reduce"} {
		file := filepath.Join("..", "..", "kernels", name, name+".elf")
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, csr := range []uint16{0xfc1, 0xfc0} {
			img, err := rv.Load(file, data)
			if err != nil {
				t.Fatal(err)
			}
			for i := range img.Insts {
				if in := &img.Insts[i]; in.Op == rv.Csrrs && in.CSR == csr {
					in.CSR = hartCSR
				}
			}
			if Check(img) != nil {
				refused++
			}
		}
	}
	if refused < 5 {
		t.Errorf("%d of 6 are refused", refused)
	}
}
