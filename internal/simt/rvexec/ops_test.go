package rvexec

import (
	"math"
	"testing"

	"github.com/warpbound/warpbound/internal/rv"
	"github.com/warpbound/warpbound/internal/simt"
)

// bits32 is a float's pattern.
func bits32(x float32) uint32 { return math.Float32bits(x) }

// TestComputations runs every instruction that computes from registers, by hand
// cases: a in x5 or f5, b in x6 or f6, c in f7; the result in x7 or f8.
func TestComputations(t *testing.T) {
	const minInt = 1 << 31
	one, two, three := bits32(1), bits32(2), bits32(3)
	for _, c := range []struct {
		text    string
		a, b, c uint32
		want    uint32
	}{
		{"lui x7, 0x12345000", 0, 0, 0, 0x12345000},
		{"lui x7, -4096", 0, 0, 0, 0xfffff000},
		{"auipc x7, 0x1000", 0, 0, 0, textBase + 0x1000},
		{"addi x7, x5, -1", 0, 0, 0, 0xffffffff},
		{"slti x7, x5, -1", 0xfffffffe, 0, 0, 1},
		{"slti x7, x5, -1", 0, 0, 0, 0},
		{"sltiu x7, x5, -1", 5, 0, 0, 1},
		{"sltiu x7, x5, 1", 0, 0, 0, 1},
		{"xori x7, x5, -1", 0x0f0f0f0f, 0, 0, 0xf0f0f0f0},
		{"ori x7, x5, 0x700", 0x0f, 0, 0, 0x70f},
		{"andi x7, x5, 0xff", 0x1234, 0, 0, 0x34},
		{"slli x7, x5, 31", 3, 0, 0, minInt},
		{"srli x7, x5, 31", minInt, 0, 0, 1},
		{"srai x7, x5, 31", minInt, 0, 0, 0xffffffff},
		{"add x7, x5, x6", 0xffffffff, 2, 0, 1},
		{"sub x7, x5, x6", 1, 2, 0, 0xffffffff},
		{"sll x7, x5, x6", 1, 33, 0, 2},
		{"slt x7, x5, x6", minInt, 0, 0, 1},
		{"slt x7, x5, x6", 0, minInt, 0, 0},
		{"sltu x7, x5, x6", 0, minInt, 0, 1},
		{"sltu x7, x5, x6", 7, 7, 0, 0},
		{"xor x7, x5, x6", 0xff, 0x0f, 0, 0xf0},
		{"srl x7, x5, x6", 0x80000000, 36, 0, 0x08000000},
		{"sra x7, x5, x6", 0x80000000, 36, 0, 0xf8000000},
		{"or x7, x5, x6", 0xf0, 0x0f, 0, 0xff},
		{"and x7, x5, x6", 0xf1, 0x1f, 0, 0x11},
		{"mul x7, x5, x6", 0x10001, 0x10001, 0, 0x20001},
		{"mulh x7, x5, x6", 0xffffffff, 0xffffffff, 0, 0},
		{"mulh x7, x5, x6", minInt, minInt, 0, 0x40000000},
		{"mulhsu x7, x5, x6", 0xffffffff, 0xffffffff, 0, 0xffffffff},
		{"mulhsu x7, x5, x6", 2, 0x80000000, 0, 1},
		{"mulhu x7, x5, x6", 0xffffffff, 0xffffffff, 0, 0xfffffffe},
		{"div x7, x5, x6", 0xfffffff9, 2, 0, 0xfffffffd}, // -7/2 = -3
		{"div x7, x5, x6", 5, 0, 0, 0xffffffff},
		{"div x7, x5, x6", minInt, 0xffffffff, 0, minInt},
		{"divu x7, x5, x6", 0xffffffff, 2, 0, 0x7fffffff},
		{"divu x7, x5, x6", 5, 0, 0, 0xffffffff},
		{"rem x7, x5, x6", 0xfffffff9, 2, 0, 0xffffffff},
		{"rem x7, x5, x6", 5, 0, 0, 5},
		{"rem x7, x5, x6", minInt, 0xffffffff, 0, 0},
		{"remu x7, x5, x6", 0xffffffff, 10, 0, 5},
		{"remu x7, x5, x6", 5, 0, 0, 5},
		{"czero.eqz x7, x5, x6", 9, 0, 0, 0},
		{"czero.eqz x7, x5, x6", 9, minInt, 0, 9},
		{"czero.nez x7, x5, x6", 9, 0, 0, 9},
		{"czero.nez x7, x5, x6", 9, 1, 0, 0},
		{"fadd.s f8, f5, f6", one, two, 0, three},
		{"fsub.s f8, f5, f6", one, two, 0, bits32(-1)},
		{"fmul.s f8, f5, f6", two, three, 0, bits32(6)},
		{"fdiv.s f8, f5, f6", one, three, 0, 0x3eaaaaab},
		{"fdiv.s f8, f5, f6, rtz", one, three, 0, 0x3eaaaaaa},
		{"fdiv.s f8, f5, f6, rdn", bits32(-1), three, 0, 0xbeaaaaab},
		{"fdiv.s f8, f5, f6, rup", bits32(-1), three, 0, 0xbeaaaaaa},
		{"fsqrt.s f8, f5", two, 0, 0, 0x3fb504f3},
		{"fmadd.s f8, f5, f6, f7", two, three, one, bits32(7)},
		{"fmsub.s f8, f5, f6, f7", two, three, one, bits32(5)},
		{"fnmsub.s f8, f5, f6, f7", two, three, one, bits32(-5)},
		{"fnmadd.s f8, f5, f6, f7", two, three, one, bits32(-7)},
		{"fsgnj.s f8, f5, f6", one, 0x80000000, 0, bits32(-1)},
		{"fsgnjn.s f8, f5, f6", one, 0x80000000, 0, one},
		{"fsgnjx.s f8, f5, f6", bits32(-1), 0x80000000, 0, one},
		{"fmin.s f8, f5, f6", one, bits32(-2), 0, bits32(-2)},
		{"fmax.s f8, f5, f6", one, bits32(-2), 0, one},
		{"fcvt.w.s x7, f5, rtz", bits32(-2.5), 0, 0, 0xfffffffe},
		{"fcvt.w.s x7, f5, rdn", bits32(-2.5), 0, 0, 0xfffffffd},
		{"fcvt.w.s x7, f5, rmm", bits32(2.5), 0, 0, 3},
		{"fcvt.wu.s x7, f5, rtz", bits32(3e9), 0, 0, 3000000000},
		{"fcvt.s.w f8, x5", 0xffffffff, 0, 0, bits32(-1)},
		{"fcvt.s.wu f8, x5", 0xffffffff, 0, 0, bits32(1 << 32)},
		{"fcvt.s.wu f8, x5, rtz", 0xffffffff, 0, 0, 0x4f7fffff},
		{"fmv.x.w x7, f5", 0x7fa00001, 0, 0, 0x7fa00001},
		{"fmv.w.x f8, x5", 0x7fa00001, 0, 0, 0x7fa00001},
		{"fclass.s x7, f5", 0x7fa00001, 0, 0, 1 << 8},
		{"feq.s x7, f5, f6", one, one, 0, 1},
		{"flt.s x7, f5, f6", one, one, 0, 0},
		{"fle.s x7, f5, f6", one, one, 0, 1},
	} {
		k := kernel(t, LaunchConfig{Warps: 1, Threads: 4}, c.text+"; ecall")
		b, err := k.NewBlock(0)
		if err != nil {
			t.Fatal(err)
		}
		w := b.(*Core).Warp(0)
		w.mask = 0b1011
		for lane := range 4 {
			// Lane 3 has the operands of the case, lane 1 has others.
			x := uint32(lane ^ 3)
			for r, v := range []uint32{c.a, c.b, c.c} {
				w.SetRegister(5+r, lane, v+x)
				w.SetRegister(37+r, lane, v+x)
			}
			w.SetRegister(7, lane, 0xdead)
			w.SetRegister(40, lane, 0xdead)
		}
		w.SetRegister(39, 3, c.c)
		var s simt.Step
		if err := w.Step(&s); err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		got, other, kept := w.Register(7, 3), w.Register(40, 3), w.Register(7, 2)
		if k.img.Insts[0].Op.Operands().Rd == rv.FloatFile {
			got, other, kept = other, got, w.Register(40, 2)
		}
		if got != c.want || other != 0xdead && other != c.c || kept != 0xdead {
			t.Errorf("%s of %#x, %#x, %#x = %#x, want %#x; the other file has %#x, an inactive lane %#x", c.text, c.a, c.b, c.c, got, c.want, other, kept)
		}
		if s.PC != 0 || s.NextPC != 1 || s.Active != 0b1011 || s.Exec != 0b1011 || s.Barrier != -1 || s.WidthBytes != 0 {
			t.Errorf("%s: step %+v", c.text, s)
		}
	}
}

// TestPartialMasks runs computations under masks of every size: inactive lanes
// keep what they have.
func TestPartialMasks(t *testing.T) {
	k := kernel(t, one(32), "sub x7, x5, x6; fadd.s f7, f5, f6; ecall")
	for _, m := range []uint32{1, 1 << 31, 0x80000001, 0xff, 0x1ff, 0x55555555, 0x7fffffff, 1<<32 - 1} {
		b, err := k.NewBlock(0)
		if err != nil {
			t.Fatal(err)
		}
		w := b.(*Core).Warp(0)
		w.mask = m
		for lane := range 32 {
			w.SetRegister(5, lane, uint32(lane)*7)
			w.SetRegister(6, lane, uint32(lane)*5)
			w.SetRegister(7, lane, 0xdead)
			w.SetRegister(32+5, lane, bits32(float32(lane)))
			w.SetRegister(32+6, lane, bits32(1))
			w.SetRegister(32+7, lane, 0xdead)
		}
		var s simt.Step
		for range 2 {
			if err := w.Step(&s); err != nil {
				t.Fatal(err)
			}
		}
		for lane := range 32 {
			x, f := uint32(0xdead), uint32(0xdead)
			if m>>lane&1 != 0 {
				x, f = uint32(lane)*2, bits32(float32(lane)+1)
			}
			if w.Register(7, lane) != x || w.Register(32+7, lane) != f {
				t.Errorf("mask %#x: lane %d has %#x and %#x", m, lane, w.Register(7, lane), w.Register(32+7, lane))
			}
		}
		b.Release()
	}
}

// TestEveryOperationHasAGroup makes sure that none of the set is illegal.
func TestEveryOperationHasAGroup(t *testing.T) {
	for _, op := range rv.Ops() {
		_, match := op.Encoding()
		k, err := NewKernel(image([]uint32{match}), one(1))
		if err != nil {
			t.Fatal(err)
		}
		if g := k.code[0].group; g == gIllegal || g == gPure && k.code[0].f == nil || g == gBranch && k.code[0].cmp == nil {
			t.Errorf("%v is not executed", op)
		}
	}
}

func TestZeroRegister(t *testing.T) {
	_, c := mustRun(t, one(1), `
		addi x0, x0, 5
		jal x0, L
	L:	csrrs x0, nt, x0
		addi x5, x0, 1
		lui x6, -0x10000000
		lw x0, 0(x6)
		fcvt.w.s x0, f0
		add x7, x0, x0
		ecall`)
	w := c.Warp(0)
	if w.Register(0, 0) != 0 || w.Register(5, 0) != 1 || w.Register(7, 0) != 0 {
		t.Errorf("x0 %d, x5 %d, x7 %d", w.Register(0, 0), w.Register(5, 0), w.Register(7, 0))
	}
	w.SetRegister(0, 0, 3)
	if w.Register(0, 0) != 0 {
		t.Error("x0 was set")
	}
}

func TestFlagsAndModes(t *testing.T) {
	// 1/3 in each dynamic mode; flags gather and are read by every lane.
	_, c := mustRun(t, one(2), `
		li x5, 0x3f800000
		li x6, 0x40400000
		addi x9, x0, 3
		vx_tmc x9
		li x5, 0x3f800000
		li x6, 0x40400000
		fmv.w.x f5, x5
		fmv.w.x f6, x6
		csrrwi x10, frm, 1
		fdiv.s f1, f5, f6
		csrrwi x11, frm, 3
		fdiv.s f2, f5, f6
		csrrs x12, fcsr, x0
		csrrci x13, fflags, 1
		fdiv.s f3, f5, f0        # division by zero
		csrrs x14, fflags, x0
		csrrsi x15, fflags, 4
		csrrsi x15, fflags, 12     # sets what is set
		fdiv.s f4, f5, f5          # exact: raises nothing, clears nothing
		csrrw x16, fcsr, x0
		csrrs x17, fcsr, x0
		ecall`)
	w := c.Warp(0)
	for lane := range 2 {
		for _, x := range []struct {
			r    int
			want uint32
		}{{33, 0x3eaaaaaa}, {34, 0x3eaaaaab}, {10, 0}, {11, 1}, {12, 3<<5 | 1}, {13, 1}, {35, 0x7f800000}, {14, 8}, {15, 12}, {36, 0x3f800000}, {16, 3<<5 | 12}, {17, 0}} {
			if got := w.Register(x.r, lane); got != x.want {
				t.Errorf("register %d of lane %d is %#x, want %#x", x.r, lane, got, x.want)
			}
		}
	}
	// Inactive lanes raise nothing.
	k := kernel(t, one(4), "fdiv.s f1, f2, f3; ecall")
	b, err := k.NewBlock(0)
	if err != nil {
		t.Fatal(err)
	}
	w = b.(*Core).Warp(0)
	w.mask = 0b0100
	w.SetRegister(32+2, 2, bits32(4))
	w.SetRegister(32+3, 2, bits32(2))
	var s simt.Step
	if err := w.Step(&s); err != nil || w.FCSR() != 0 || w.Register(33, 2) != bits32(2) {
		t.Errorf("flags %#x of inactive lanes, %v", w.FCSR(), err)
	}
}

func TestReservedModes(t *testing.T) {
	mustFail(t, one(1), "fadd.s f1, f2, f3, m5; ecall", simt.ErrInvalid, "rounding mode 5 in rm", "fadd.s")
	mustFail(t, one(1), "fcvt.s.w f1, x2, m6; ecall", simt.ErrInvalid, "rounding mode 6 in rm")
	e := mustFail(t, one(1), "csrrwi x0, frm, 7; fmadd.s f1, f2, f3, f4; ecall", simt.ErrInvalid, "rounding mode 7 in frm", "0x80000004", "pc 1")
	if e.PC != 1 {
		t.Errorf("pc %d", e.PC)
	}
	mustRun(t, one(1), "csrrwi x0, frm, 5; fmin.s f1, f2, f3; feq.s x1, f1, f2; fsgnj.s f1, f2, f3; ecall")
}
