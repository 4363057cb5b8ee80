package rvexec

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/warpbound/warpbound/internal/rv"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

func TestLoadsAndStores(t *testing.T) {
	l := one(4)
	l.Memory = []Region{{Addr: 0x20000, Data: []byte{0x80, 0xff, 0x01, 0x7f, 0xef, 0xbe, 0xad, 0xde}}}
	k, c := mustRun(t, l, `
		li x5, 0x20000
		lb x10, 0(x5)
		lb x11, 3(x5)
		lbu x12, 0(x5)
		lh x13, 0(x5)
		lhu x14, 0(x5)
		lw x15, 4(x5)
		flw f1, 4(x5)
		li x6, 0x30000
		sw x15, 0(x6)
		sh x15, 4(x6)
		sb x15, 6(x6)
		sw x15, -4(x6)
		fsw f1, 8(x6)
		lw x16, 12(x6)
		ecall`)
	w := c.Warp(0)
	for _, x := range []struct {
		r    int
		want uint32
	}{{10, 0xffffff80}, {11, 0x7f}, {12, 0x80}, {13, 0xffffff80}, {14, 0xff80}, {15, 0xdeadbeef}, {33, 0xdeadbeef}, {16, 0}} {
		if got := w.Register(x.r, 0); got != x.want {
			t.Errorf("register %d is %#x, want %#x", x.r, got, x.want)
		}
	}
	got := make([]byte, 20)
	if err := k.ReadMemory(0x2fffc, got); err != nil {
		t.Fatal(err)
	}
	if want := []byte("\xef\xbe\xad\xde\xef\xbe\xad\xde\xef\xbe\xef\x00\xef\xbe\xad\xde\x00\x00\x00\x00"); !bytes.Equal(got, want) {
		t.Errorf("memory is % x", got)
	}
}

// TestAccessStep checks what a step says about an access, with a partial mask,
// and that of stores to one address the highest lane's stays.
func TestAccessStep(t *testing.T) {
	for _, v := range []Variant{V22, Feb2024} {
		l := LaunchConfig{Warps: 1, Threads: 4, Variant: v}
		k := kernel(t, l, "sh x6, 2(x5); lw x7, 0(x5); sb x6, 0(x8); ecall")
		b, err := k.NewBlock(0)
		if err != nil {
			t.Fatal(err)
		}
		w := b.(*Core).Warp(0)
		w.mask = 0b1101
		for lane := range 4 {
			w.SetRegister(5, lane, v.UserEnd()+0x100+uint32(lane)*8)
			w.SetRegister(6, lane, uint32(0x1110+lane))
			w.SetRegister(8, lane, 0x40000)
		}
		var s simt.Step
		step := func(space isa.Space, width int32, addresses ...uint64) {
			t.Helper()
			if err := w.Step(&s); err != nil {
				t.Fatal(err)
			}
			if s.Space != space || s.WidthBytes != width || s.Exec != 0b1101 {
				t.Errorf("%v: step %+v", v, s)
			}
			for i, lane := range []int{0, 2, 3} {
				if s.Addresses[lane] != addresses[i] {
					t.Errorf("%v: lane %d accesses %#x, want %#x", v, lane, s.Addresses[lane], addresses[i])
				}
			}
		}
		step(isa.Shared, 2, 0x102, 0x112, 0x11a)
		step(isa.Shared, 4, 0x100, 0x110, 0x118)
		step(isa.Global, 1, 0x40000, 0x40000, 0x40000)
		if w.Register(7, 3) != 0x11130000 || w.Register(7, 1) != 0 {
			t.Errorf("%v: local memory gave %#x", v, w.Register(7, 3))
		}
		var last [1]byte
		if err := k.ReadMemory(0x40000, last[:]); err != nil || last[0] != 0x13 {
			t.Errorf("%v: the last store left %#x, %v", v, last[0], err)
		}
	}
}

// TestMixedSpaces accesses local and user memory with one instruction.
func TestMixedSpaces(t *testing.T) {
	k := kernel(t, one(2), "sw x6, 0(x5); lw x7, 0(x5); ecall")
	b, err := k.NewBlock(0)
	if err != nil {
		t.Fatal(err)
	}
	w := b.(*Core).Warp(0)
	w.mask = 3
	w.SetRegister(5, 0, 0x50000)
	w.SetRegister(5, 1, V22.UserEnd()+LocalBytes-4)
	w.SetRegister(6, 0, 11)
	w.SetRegister(6, 1, 22)
	var s simt.Step
	for range 2 {
		if err := w.Step(&s); err != nil {
			t.Fatal(err)
		}
		if s.Space != isa.Generic || s.Addresses[0] != 0x50000 || s.Addresses[1] != uint64(V22.UserEnd()+LocalBytes-4) {
			t.Errorf("step %+v", s)
		}
	}
	if w.Register(7, 0) != 11 || w.Register(7, 1) != 22 {
		t.Error("values got mixed")
	}
}

func TestAccessErrors(t *testing.T) {
	access := func(addr uint32, op string) string {
		return fmt.Sprintf("li x5, %d; %s; ecall", addr, op)
	}
	for _, c := range []struct {
		v     Variant
		addr  uint32
		op    string
		kind  error
		parts []string
	}{
		{V22, 0x20001, "lw x6, 0(x5)", simt.ErrMisaligned, []string{"load of 4 bytes at 0x00020001", "lw"}},
		{V22, 0x20001, "sh x6, 2(x5)", simt.ErrMisaligned, []string{"store of 2 bytes at 0x00020003"}},
		{V22, 0, "lw x6, 0(x5)", simt.ErrOutOfBounds, []string{"load of 4 bytes from 0x000000", "0x80000008", "thread 0"}},
		{V22, 0, "sw x6, 0(x5)", simt.ErrOutOfBounds, []string{"store of 4 bytes"}},
		{V22, 0xfffc, "lw x6, 0(x5)", simt.ErrOutOfBounds, nil},
		{V22, 0x180, "lw x6, 0(x5)", simt.ErrOutOfBounds, nil},
		{V22, 0x40, "lb x6, 0(x5)", simt.ErrOutOfBounds, []string{"console"}},
		{V22, 0xffff4000, "lw x6, 0(x5)", simt.ErrOutOfBounds, nil},
		{V22, 0xffff4000, "sw x6, 0(x5)", simt.ErrOutOfBounds, nil},
		{Feb2024, 0xff004140, "lw x6, 0(x5)", simt.ErrOutOfBounds, nil},
		{Feb2024, 0x80, "sw x6, 0(x5)", simt.ErrOutOfBounds, nil},
		{V22, textBase + 8, "sw x6, 0(x5)", simt.ErrInvalid, []string{"not writable"}},
	} {
		l := one(1)
		l.Variant = c.v
		mustFail(t, l, access(c.addr, c.op), c.kind, c.parts...)
	}
	for _, c := range []struct {
		v    Variant
		addr uint32
		op   string
	}{
		{V22, 0x17c, "sw x6, 0(x5)"}, {V22, 0x17c, "lw x6, 0(x5)"}, {V22, 0xffff3ffc, "sw x6, 0(x5)"}, {V22, 0xfffefffc, "sw x6, 0(x5)"},
		{V22, 0x10000, "sb x6, 0(x5)"}, {Feb2024, 0xff00413c, "sw x6, 0(x5)"}, {Feb2024, 0xff003ffc, "sw x6, 0(x5)"}, {Feb2024, 0xfefffffc, "sw x6, 0(x5)"},
		{V22, textBase + 0x40, "sw x6, 0(x5)"}, {V22, textBase, "lw x6, 0(x5)"},
	} {
		l := one(1)
		l.Variant = c.v
		mustRun(t, l, access(c.addr, c.op))
	}
	// The thread at fault is told.
	e := mustFail(t, one(8), "addi x5, x0, -1; vx_tmc x5; csrrs x6, tid, x0; addi x7, x0, 7; sub x6, x7, x6; slli x6, x6, 16; lw x5, 0(x6); ecall", simt.ErrOutOfBounds)
	if e.Thread != 7 || e.PC != 6 || e.Block != 0 {
		t.Errorf("thread %d, pc %d", e.Thread, e.PC)
	}
}

func TestMemoryLimit(t *testing.T) {
	l := one(1)
	l.MaxMemoryBytes = 2 << 16
	mustFail(t, l, "lui x5, 0x20000; sw x5, 0(x5); lui x5, 0x40000; sw x5, 0(x5); ecall", simt.ErrOutOfBounds, "more than 131072 bytes", "pc 3")
	l.MaxMemoryBytes = 3 << 16
	mustRun(t, l, "lui x5, 0x20000; sw x5, 0(x5); lui x5, 0x40000; sw x5, 0(x5); lui x5, 0x60000; lw x5, 0(x5); ecall")
}

// TestTextGap stores between two executable segments, and to data among them.
func TestTextGap(t *testing.T) {
	words := assemble(t, "auipc x5, 0; sw x6, 16(x5); sw x6, 20(x5); jal x0, 12; .word 0; .word 0; ecall")
	img := image(words)
	data := img.Segments[0].Data
	img.Segments = []rv.Segment{
		{Addr: textBase, Data: data[:16], MemBytes: 16, Exec: true},
		{Addr: textBase + 20, MemBytes: 4},
		{Addr: textBase + 24, Data: data[24:], MemBytes: 4, Exec: true},
	}
	k, err := NewKernel(img, one(1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run(t, k); err != nil {
		t.Error(err)
	}
}

// TestWritableText changes instructions: data among them may change, executing
// what has changed is an error.
func TestWritableText(t *testing.T) {
	words := assemble(t, "auipc x5, 0; sw x6, 16(x5); lw x7, 16(x5); ecall; .word 0x13; ecall")
	img := image(words)
	img.Segments[0].Write = true
	k, err := NewKernel(img, one(1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run(t, k); err != nil {
		t.Error(err)
	}
	img.Text[3], img.Insts[3] = 0x13, rv.Inst{Op: rv.Addi}
	if k, err = NewKernel(img, one(1)); err != nil {
		t.Fatal(err)
	}
	if _, err := run(t, k); err == nil || !bytes.Contains([]byte(err.Error()), []byte("overwritten")) {
		t.Errorf("error %v", err)
	}
}

func TestConsoleAndExitCode(t *testing.T) {
	for _, v := range []Variant{V22, Feb2024} {
		l := LaunchConfig{Cores: 2, Warps: 1, Threads: 2, Variant: v}
		k := kernel(t, l, fmt.Sprintf(`
			addi x5, x0, 3
			vx_tmc x5
			li x5, %d
			csrrs x6, tid, x0
			csrrs x7, cid, x0
			add x5, x5, x6
			addi x8, x6, 97
			slli x7, x7, 1
			add x8, x8, x7
			sb x8, 0(x5)
			addi x8, x8, 4
			sb x8, 0(x5)
			addi x8, x0, 10
			sub x8, x8, x6     # lane 1 writes a tab instead of a new line
			sb x8, 0(x5)
			li x5, %d
			addi x6, x0, 42
			sw x6, 8(x5)
			lw x7, 8(x5)
			ecall`, v.consoleBase(), v.consoleBase()+consoleBytes))
		cores, err := run(t, k)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(k.Console()); got != "ae\ncg\nbf\tdh\t" {
			t.Errorf("%v: console %q", v, got)
		}
		if k.ExitCode() != 42 || cores[1].Warp(0).Register(7, 0) != 42 {
			t.Errorf("%v: exit code %d", v, k.ExitCode())
		}
	}
}

func TestArgumentAndStart(t *testing.T) {
	l := one(1)
	l.Argument = []byte{1, 2, 3, 4, 5}
	l.StartPC = textBase + 4
	k, c := mustRun(t, l, "ebreak; csrrs x5, mscratch, x0; lw x6, 0(x5); lbu x7, 4(x5); csrrwi x8, mscratch, 7; csrrs x9, mscratch, x0; ecall")
	w := c.Warp(0)
	if w.Register(5, 0) != ArgumentAddr || w.Register(6, 0) != 0x04030201 || w.Register(7, 0) != 5 || w.Register(8, 0) != ArgumentAddr || w.Register(9, 0) != 7 {
		t.Errorf("argument at %#x: %#x", w.Register(5, 0), w.Register(6, 0))
	}
	if err := k.WriteMemory(0x12345, []byte{9}); err != nil {
		t.Error(err)
	}
	var b [2]byte
	if err := k.ReadMemory(0x12344, b[:]); err != nil || b != [2]byte{0, 9} {
		t.Errorf("% x %v", b, err)
	}
	for _, addr := range []uint32{0, UserBase - 1, V22.UserEnd() - 1} {
		if k.ReadMemory(addr, b[:]) == nil || k.WriteMemory(addr, b[:]) == nil {
			t.Errorf("access at %#x", addr)
		}
	}
	if k.WriteMemory(textBase-1, b[:]) == nil || k.WriteMemory(textBase-2, b[:]) != nil || k.WriteMemory(textBase+4*7-1, b[:]) == nil || k.WriteMemory(textBase+4*7, b[:]) != nil {
		t.Error("writing next to instructions")
	}
	// Across pages.
	long := make([]byte, 3<<16)
	for i := 0; i < len(long); i += 4 {
		binary.LittleEndian.PutUint32(long[i:], uint32(i))
	}
	back := make([]byte, len(long))
	if err := k.WriteMemory(0x11234, long); err != nil {
		t.Error(err)
	}
	if err := k.ReadMemory(0x11234, back); err != nil || !bytes.Equal(long, back) {
		t.Errorf("long copies differ, %v", err)
	}
}

func TestBadLaunch(t *testing.T) {
	good := func() (*rv.Image, LaunchConfig) { return image(assemble(t, "ecall")), one(1) }
	for _, c := range []struct {
		what   string
		change func(*rv.Image, *LaunchConfig)
		want   string
	}{
		{"cores", func(_ *rv.Image, l *LaunchConfig) { l.Cores = 65 }, "65 cores"},
		{"warps", func(_ *rv.Image, l *LaunchConfig) { l.Warps = 33 }, "33 warps"},
		{"no warps", func(_ *rv.Image, l *LaunchConfig) { l.Warps = 0 }, "0 warps"},
		{"threads", func(_ *rv.Image, l *LaunchConfig) { l.Threads = 33 }, "33 threads"},
		{"variant", func(_ *rv.Image, l *LaunchConfig) { l.Variant = 9 }, "variant(9)"},
		{"memory", func(_ *rv.Image, l *LaunchConfig) { l.MaxMemoryBytes = -1 }, "-1 bytes"},
		{"too little", func(_ *rv.Image, l *LaunchConfig) { l.MaxMemoryBytes = 1 }, "more memory than allowed"},
		{"too little for regions", func(_ *rv.Image, l *LaunchConfig) { l.MaxMemoryBytes, l.Argument = 1<<16, []byte{1} }, "more memory than allowed"},
		{"argument", func(_ *rv.Image, l *LaunchConfig) { l.ArgumentAddr = 0x10002 }, "multiple of 4"},
		{"start", func(_ *rv.Image, l *LaunchConfig) { l.StartPC = textBase + 4 }, "start address 0x80000004"},
		{"start inside", func(_ *rv.Image, l *LaunchConfig) { l.StartPC = textBase + 2 }, "is no instruction"},
		{"image", func(i *rv.Image, _ *LaunchConfig) { i.Insts = nil }, "0 instructions for 1 words"},
		{"region outside", func(_ *rv.Image, l *LaunchConfig) { l.Memory = []Region{{Addr: 0x100, Data: []byte{1}}} }, "memory region 0"},
		{"region at the end", func(_ *rv.Image, l *LaunchConfig) { l.Memory = []Region{{Addr: 0xfffeffff, Data: []byte{1, 2}}} }, "outside user memory"},
		{"overlap", func(_ *rv.Image, l *LaunchConfig) { l.Memory = []Region{{Addr: textBase + 3, Data: []byte{1}}} }, "memory region 0 at 0x80000003 to 0x80000004 overlaps segment 0"},
		{"bss overlap", func(i *rv.Image, l *LaunchConfig) {
			i.Segments = append(i.Segments, rv.Segment{Addr: 0x20000, MemBytes: 0x100})
			l.ArgumentAddr, l.Argument = 0x200fc, []byte{1}
		}, "the argument at 0x200fc"},
	} {
		img, l := good()
		c.change(img, &l)
		if _, err := NewKernel(img, l); err == nil || !bytes.Contains([]byte(err.Error()), []byte(c.want)) {
			t.Errorf("%s: error %v, want %q", c.what, err, c.want)
		}
	}
	img, l := good()
	l.Warps, l.Threads = 0, 0
	if _, err := NewKernel(img, l); err == nil || bytes.Count([]byte(err.Error()), []byte("\n")) != 1 {
		t.Errorf("not all errors told: %v", err)
	}
}

func TestVariantNames(t *testing.T) {
	if got := fmt.Sprint(V22, Feb2024, numVariants); got != "v2.2 feb-2024 variant(2)" {
		t.Errorf("variants %s", got)
	}
}
