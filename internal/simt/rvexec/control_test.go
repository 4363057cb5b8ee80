package rvexec

import (
	"fmt"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/simt"
)

func TestBranches(t *testing.T) {
	for _, c := range []struct {
		op    string
		a, b  int64
		taken bool
	}{
		{"beq", 1, 1, true}, {"beq", 1, 2, false}, {"bne", 1, 2, true}, {"bne", 1, 1, false},
		{"blt", -1, 0, true}, {"blt", 0, -1, false}, {"blt", 0, 0, false}, {"bge", 0, 0, true}, {"bge", -1, 0, false},
		{"bltu", 0, 0xffffffff, true}, {"bltu", 0xffffffff, 0, false}, {"bgeu", 0xffffffff, 0, true}, {"bgeu", 0, 1, false},
	} {
		_, core := mustRun(t, one(1), fmt.Sprintf("li x5, %d; li x6, %d; %s x5, x6, L; addi x7, x0, 1; L: ecall", c.a, c.b, c.op))
		if got := core.Warp(0).Register(7, 0) == 0; got != c.taken {
			t.Errorf("%s %d %d: taken %v", c.op, c.a, c.b, got)
		}
	}
}

func TestJumps(t *testing.T) {
	_, c := mustRun(t, one(1), `
		jal x1, F          # 0
		addi x6, x6, 1     # 4, returned to
		auipc x7, 0        # 8
		jalr x8, 13(x7)    # 12: to 21, rounded to 20
		ebreak             # 16
		jal x0, E          # 20
	F:	addi x5, x5, 1
		jalr x0, 0(x1)
	E:	ecall`)
	w := c.Warp(0)
	if w.Register(1, 0) != textBase+4 || w.Register(5, 0) != 1 || w.Register(6, 0) != 1 || w.Register(8, 0) != textBase+16 {
		t.Errorf("ra %#x, x8 %#x", w.Register(1, 0), w.Register(8, 0))
	}
	// The link register may be the base.
	_, c = mustRun(t, one(1), "auipc x1, 0; jalr x1, 12(x1); ebreak; ecall")
	if got := c.Warp(0).Register(1, 0); got != textBase+8 {
		t.Errorf("ra %#x", got)
	}
}

func TestControlErrors(t *testing.T) {
	const all = "addi x5, x0, -1; vx_tmc x5; csrrs x6, tid, x0;"
	for _, c := range []struct {
		text  string
		kind  error
		parts []string
	}{
		{all + "beq x6, x0, 8; ecall; ecall", simt.ErrInvalid, []string{"divergent branch: of active lanes 0xf, 0x1 take it", "0x8000000c", "beq", "pc 3"}},
		{all + "auipc x7, 0; slli x6, x6, 2; add x7, x7, x6; jalr x0, 12(x7); ecall; ecall", simt.ErrInvalid, []string{"divergent jump: of active lanes 0xf, lane 0 goes to", "0x80000018", "jalr"}},
		{"jal x0, 6; ecall; ecall", simt.ErrMisaligned, []string{"jump to 0x80000006"}},
		{"jal x0, -4; ecall", simt.ErrOutOfBounds, []string{"jump to 0x7ffffffc, outside the text"}},
		{"beq x0, x0, 1024; ecall", simt.ErrOutOfBounds, []string{"jump to 0x80000400"}},
		{"jalr x0, 0(x0); ecall", simt.ErrOutOfBounds, []string{"jump to 0x000000"}},
		{"auipc x5, 0; jalr x0, 2(x5); ecall", simt.ErrMisaligned, []string{"jump to 0x80000002"}},
		{"addi x5, x0, 1", simt.ErrOutOfBounds, []string{"runs into 0x80000004"}},
		{"csrrs x5, nt, x0", simt.ErrOutOfBounds, []string{"runs into 0x80000004"}},
		{"ebreak", simt.ErrTrap, []string{"ebreak"}},
		{".word 0", simt.ErrUnsupported, []string{"illegal instruction", "0x80000000"}},
		{".word 0xffffffff", simt.ErrUnsupported, []string{"illegal instruction"}},
		{"vx_join x5; addi x5, x0, 1; vx_join x5; ecall", simt.ErrInvalid, []string{"join to 1 open splits, where none is open", "pc 2"}},
		{all + "vx_split x7, x6; addi x7, x7, -1; vx_join x7; ecall", simt.ErrInvalid, []string{"join to 4294967295 open splits, where 1 are open"}},
		{all + "vx_split x7, x6; vx_split x7, x6; addi x5, x0, 1; srl x6, x6, x5; vx_split x7, x6; addi x5, x0, 3; vx_join x5; ecall", simt.ErrInvalid, []string{"join to 3 open splits, where 2 are open"}},
		{"addi x5, x0, 2; vx_bar x5, x5; ecall", simt.ErrInvalid, []string{"barrier 2 of 2"}},
		{"addi x5, x0, 5; vx_bar x0, x5; ecall", simt.ErrInvalid, []string{"barrier 0 of 5 warps, where a core has 4"}},
		{"vx_bar x0, x0; ecall", simt.ErrInvalid, []string{"barrier 0 of 0 warps"}},
		{"lui x5, 0x80000000; addi x6, x0, 2; vx_bar x5, x6; ecall", simt.ErrUnsupported, []string{"barrier 0x80000000 of 2 cores"}},
		{"addi x5, x0, 2; vx_wspawn x5, x0; ecall", simt.ErrOutOfBounds, []string{"jump to 0x000000"}},
		{"addi x5, x0, 2; auipc x6, 0; addi x6, x6, 2; vx_wspawn x5, x6; ecall", simt.ErrMisaligned, nil},
		{"addi x5, x0, 2; auipc x6, 0; vx_wspawn x5, x6; ecall", simt.ErrInvalid, []string{"spawn by a warp other than warp 0", "warp 1"}},
		{"csrrs x5, 0x7c0, x0; ecall", simt.ErrUnsupported, []string{"no register 0x7c0"}},
		{"csrrw x5, mhartid, x0; ecall", simt.ErrInvalid, []string{"mhartid cannot be written"}},
		{"csrrsi x5, mcycle, 1; ecall", simt.ErrInvalid, []string{"mcycle cannot be written"}},
		{"csrrc x5, tid, x6; ecall", simt.ErrInvalid, []string{"cannot be written"}},
	} {
		mustFail(t, LaunchConfig{Warps: 4, Threads: 4}, c.text, c.kind, c.parts...)
	}
}

func TestRegistersOfControl(t *testing.T) {
	const body = `
		csrrs x20, warps, x0
		csrrs x21, minstret, x0    # 3 instructions of thread 0 so far, this one included
		csrrs x22, mcycle, x0
		addi x5, x0, 7
		vx_tmc x5
		csrrs x10, tid, x0
		csrrs x11, wid, x0
		csrrs x12, cid, x0
		csrrs x13, threads, x0
		csrrs x14, nt, x0
		csrrs x15, nw, x0
		csrrs x16, nc, x0
		csrrs x17, local, x0
		csrrs x18, mhartid, x0
		csrrs x19, minstret, x0
		csrrs x23, mcycle, x0
		csrrs x24, mcycleh, x0
		csrrwi x25, mstatus, 3
		csrrsi x26, mstatus, 0
		csrrs x27, misa, x0
		csrrs x28, hpm3, x0
		csrrw x29, mscratch, x10
		csrrs x30, mscratch, x0
		csrrs x31, minstreth, x0
		csrrsi x9, mhartid, 0      # does not write
		csrrci x9, mcycle, 0
		ecall`
	for _, v := range []Variant{V22, Feb2024} {
		k := kernel(t, LaunchConfig{Cores: 2, Warps: 4, Threads: 4, Variant: v}, "nop: addi x0, x0, 0\n"+body)
		cores, err := run(t, k)
		if err != nil {
			t.Fatal(err)
		}
		w := cores[1].Warp(0)
		for lane := range 3 {
			for _, x := range []struct {
				r    int
				want uint32
			}{
				{10, uint32(lane)}, {11, 0}, {12, 1}, {13, 7}, {14, 4}, {15, 4}, {16, 2}, {17, v.UserEnd()}, {18, uint32(16 + lane)},
				{19, 6 + 10*3}, {23, 17}, {24, 0}, {25, 0}, {26, 0}, {27, 1<<30 | 1<<8 | 1<<12 | 1<<5 | 1<<20 | 1<<23}, {28, 0},
				{29, ArgumentAddr}, {30, 2}, {31, 0},
			} {
				if got := w.Register(x.r, lane); got != x.want {
					t.Errorf("%v: x%d of lane %d is %#x, want %#x", v, x.r, lane, got, x.want)
				}
			}
		}
		if w.Register(20, 0) != 1 || w.Register(21, 0) != 3 || w.Register(22, 0) != 4 {
			t.Errorf("%v: warps %d, minstret %d, mcycle %d", v, w.Register(20, 0), w.Register(21, 0), w.Register(22, 0))
		}
		if w.Register(18, 3) != 0 {
			t.Error("an inactive lane was written")
		}
	}
}

// TestSplit runs an if-then-else on every mask of predicates; the order of the
// two parts is that of their sizes.
func TestSplit(t *testing.T) {
	const text = `
		li x5, -1
		vx_tmc x5
		csrrs x6, tid, x0
		csrrs x12, mscratch, x0
		lw x12, 0(x12)
		srl x6, x12, x6
		andi x6, x6, 1        # the predicate
		vx_split x7, x6
		beq x6, x0, E
		addi x20, x20, 1      # then
		csrrs x21, threads, x0
		csrrs x22, mcycle, x0
		vx_join x7
		jal x0, D
	E:	addi x20, x20, 2
		csrrs x21, threads, x0
		csrrs x22, mcycle, x0
		jal x0, J
	J:	vx_join x7
	D:	csrrs x23, threads, x0
		csrrs x24, minstret, x0
		ecall`
	// The same with one JOIN, where the parts meet.
	const meet = `
		li x5, -1
		vx_tmc x5
		csrrs x6, tid, x0
		csrrs x12, mscratch, x0
		lw x12, 0(x12)
		srl x6, x12, x6
		andi x6, x6, 1
		vx_split x7, x6
		beq x6, x0, E
		addi x20, x20, 1
		csrrs x21, threads, x0
		csrrs x22, mcycle, x0
		jal x0, J
	E:	addi x20, x20, 2
		csrrs x21, threads, x0
		csrrs x22, mcycle, x0
	J:	vx_join x7
		csrrs x23, threads, x0
		ecall`
	for _, program := range []string{text, meet} {
		for mask := uint32(0); mask < 16; mask++ {
			l := one(4)
			l.Argument = []byte{byte(mask), 0, 0, 0}
			_, c := mustRun(t, l, program)
			w := c.Warp(0)
			taken, fell := 0, 0
			for lane := range 4 {
				want, part := uint32(2), 15&^mask
				if mask>>lane&1 != 0 {
					want, part = 1, mask
					taken = int(w.Register(22, lane))
				} else {
					fell = int(w.Register(22, lane))
				}
				if w.Register(20, lane) != want || w.Register(21, lane) != part || w.Register(23, lane) != 15 || w.Register(7, lane) != 0 {
					t.Errorf("predicates %#x, lane %d: ran %d with mask %#x, then %#x", mask, lane, w.Register(20, lane), w.Register(21, lane), w.Register(23, lane))
				}
			}
			if taken != 0 && fell != 0 {
				if n := strings.Count(fmt.Sprintf("%b", mask), "1"); (n >= 2) != (taken < fell) {
					t.Errorf("predicates %#x: the part that holds ran at %d, the other at %d", mask, taken, fell)
				}
			}
			if w.Splits() != 0 {
				t.Errorf("%d splits are open", w.Splits())
			}
		}
	}
}

// TestNegatedPredicates looks at SPLIT and PRED one step at a time.
func TestNegatedPredicates(t *testing.T) {
	for _, c := range []struct {
		text   string
		preds  uint32 // lanes whose predicate holds, of 4
		active uint32
		mask   uint32
		splits int
	}{
		{"vx_split x7, x6", 0b0001, 0b1111, 0b1110, 1},
		{"vx_split x7, x6, neg", 0b0001, 0b1111, 0b1110, 1},
		{"vx_split x7, x6", 0b0011, 0b1111, 0b0011, 1},
		{"vx_split x7, x6, neg", 0b0011, 0b1111, 0b1100, 1},
		{"vx_split x7, x6", 0b0111, 0b0111, 0b0111, 0},
		{"vx_split x7, x6", 0b1000, 0b0111, 0b0111, 0},
		{"vx_pred x6, x8", 0b0101, 0b1111, 0b0101, 0},
		{"vx_pred x6, x8", 0b0101, 0b0011, 0b0001, 0},
		{"vx_pred x6, x8, neg", 0b0101, 0b1111, 0b1010, 0},
		{"vx_pred x6, x8", 0b1000, 0b0111, 0b1101, 0},
		{"vx_pred x6, x8, neg", 0b0111, 0b0111, 0b1101, 0},
	} {
		k := kernel(t, LaunchConfig{Warps: 1, Threads: 4}, c.text+"; ecall")
		b, err := k.NewBlock(0)
		if err != nil {
			t.Fatal(err)
		}
		w := b.(*Core).Warp(0)
		w.mask = c.active
		for lane := range 4 {
			w.SetRegister(6, lane, c.preds>>lane&1|0xfffffff0)
			w.SetRegister(8, lane, uint32(lane)) // overridden in the last active lane
		}
		w.SetRegister(8, last(c.active), 0xfffffffd)
		var s simt.Step
		if err := w.Step(&s); err != nil {
			t.Fatal(err)
		}
		if uint32(w.Mask()) != c.mask || w.Splits() != c.splits || uint32(s.Active) != c.active || s.NextPC != 1 {
			t.Errorf("%s of %04b in %04b: mask %04b, %d splits; step %+v", c.text, c.preds, c.active, w.Mask(), w.Splits(), s)
		}
	}
	// A mask of 0 ends the warp.
	_, c := mustRun(t, one(4), "vx_pred x0, x0; ebreak")
	if c.Warp(0).Status() != simt.Done {
		t.Error("the warp has not ended")
	}
}

// TestSplitDepth opens as many splits as there are, and one too many.
func TestSplitDepth(t *testing.T) {
	// Each split leaves one lane behind: 4 threads part at most 3 times, all of
	// which fit; lanes that come back part again only where a join is missing.
	nest := `
		addi x5, x0, -1
		vx_tmc x5
		csrrs x6, tid, x0
		sltu x8, x0, x6       # tid > 0
		vx_split x10, x8
		addi x9, x0, 1
		sltu x8, x9, x6       # tid > 1
		vx_split x11, x8
		addi x9, x0, 2
		sltu x8, x9, x6
		vx_split x12, x8, neg
	`
	_, c := mustRun(t, one(4), nest+"vx_join x12; vx_join x11; vx_join x10; ecall")
	w := c.Warp(0)
	if w.Register(10, 3) != 0 || w.Register(11, 3) != 1 || w.Register(12, 3) != 2 || w.Splits() != 0 {
		t.Errorf("depths %d %d %d, %d open", w.Register(10, 3), w.Register(11, 3), w.Register(12, 3), w.Splits())
	}
	// Without its join, every trip of a loop opens one more.
	const endless = `
		addi x5, x0, -1
		vx_tmc x5
		csrrs x6, tid, x0
		addi x5, x0, -1
	L:	vx_split x10, x6
		vx_tmc x5
		jal x0, L`
	mustFail(t, one(4), endless, simt.ErrInvalid, "more than 3 open splits; active lanes 0xf part into 0xa and 0x5", "vx_split")
	for _, threads := range []int{2, 4, 32} {
		cores, err := run(t, kernel(t, one(threads), endless))
		if n := cores[0].Warp(0).Splits(); err == nil || n != threads-1 {
			t.Errorf("%d threads: %d splits are open, %v", threads, n, err)
		}
	}
}
