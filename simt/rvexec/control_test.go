package rvexec

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/simt"
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
		mustFail(t, Launch{Warps: 4, Threads: 4}, c.text, c.kind, c.parts...)
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
		k := kernel(t, Launch{Cores: 2, Warps: 4, Threads: 4, Variant: v}, "nop: addi x0, x0, 0\n"+body)
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
				{19, 6 + 10*3}, {23, 17}, {24, 0}, {25, 0}, {26, 0}, {27, 1<<30 | 1<<8 | 1<<12 | 1<<5}, {28, 0},
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
		k := kernel(t, Launch{Warps: 1, Threads: 4}, c.text+"; ecall")
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

// TestSpawn starts four warps, waits for them and starts two again.
func TestSpawn(t *testing.T) {
	const text = `
		addi x5, x0, 9
		auipc x6, 0
		addi x6, x6, 44        # W
		vx_wspawn x5, x6       # 9 warps of 4: all
		csrrs x10, warps, x0
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
	k := kernel(t, Launch{Warps: 4, Threads: 2}, text)
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
	if c.Warp(0).Register(10, 0) != 15 || c.Warp(0).Register(11, 0) != 1 || executed != 12+4*4 {
		t.Errorf("active warps %#x, then %#x; %d instructions", c.Warp(0).Register(10, 0), c.Warp(0).Register(11, 0), executed)
	}
}

// TestSpawnThatWaits starts warps that have to wait for others to end, once.
func TestSpawnThatWaits(t *testing.T) {
	_, c := mustRun(t, Launch{Warps: 3, Threads: 1}, `
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
		csrrs x10, warps, x0
		%s
		addi x0, x0, 0
		ecall
	W:	vx_tmc x0`
	l := Launch{Warps: 4, Threads: 1, Variant: Feb2024}
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
	k := kernel(t, Launch{Warps: 4, Threads: 1}, spawned(4)+`
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
	mustFail(t, Launch{Warps: 4, Threads: 1}, spawned(4)+"csrrs x10, wid, x0; addi x10, x10, 3; vx_bar x0, x10; ecall", simt.ErrInvalid, "barrier 0 of 4 warps, where others gave 3", "warp 1")
}

func TestBarriersOfSeveralCores(t *testing.T) {
	mustFail(t, Launch{Cores: 2, Warps: 1, Threads: 1}, "lui x5, 0x80000000; addi x6, x0, 1; vx_bar x5, x6; ecall", simt.ErrUnsupported, "across cores")
}

func TestDeadlocks(t *testing.T) {
	// Three of four warps wait; warp 3 ends. A missing warp is told as ended.
	e := mustFail(t, Launch{Warps: 5, Threads: 1}, spawned(4)+`
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
	mustFail(t, Launch{Warps: 2, Threads: 1}, `
		addi x5, x0, 2
		auipc x6, 0
		addi x6, x6, 20
		vx_wspawn x5, x6
		vx_wspawn x0, x0
		ecall
	W:	vx_bar x0, x5          # x5 is 0 in this warp
		ecall`, simt.ErrInvalid)
	mustFail(t, Launch{Warps: 2, Threads: 1}, `
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
	k := kernel(t, Launch{Warps: 2, Threads: 1}, "ecall")
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
	k := kernel(t, Launch{Warps: 2, Threads: 2, Argument: make([]byte, 4)}, `
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
	k := kernel(t, Launch{Warps: 2, Threads: 2}, `
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
	k := kernel(t, Launch{Warps: 3, Threads: 1}, `
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
	k := kernel(t, Launch{Cores: 3, Warps: 4, Threads: 8}, "ecall")
	if k.Grid() != [3]int{3, 1, 1} || k.BlockDim() != [3]int{32, 1, 1} || k.WarpSize() != 8 || k.SharedBytes() != 16384 {
		t.Errorf("grid %v, block %v, warp %d, shared %d", k.Grid(), k.BlockDim(), k.WarpSize(), k.SharedBytes())
	}
	if len(k.Program().Instructions) < 1 || k.Image().Text[0] != 0x73 {
		t.Error("program")
	}
	if k = kernel(t, Launch{Warps: 4, Threads: 8, StartPC: textBase + 4}, "ecall; ecall"); len(k.Taints()) != 1 || k.Taints()[0].PC != 1 {
		t.Errorf("taints %v", k.Taints())
	}
	if taints := k.Taints(); len(taints) != 1 || taints[0].Kind != simt.TaintUnfollowed {
		t.Errorf("taints %v", taints)
	}
	if err := k.Program().Check(); err != nil {
		t.Error(err)
	}
}
