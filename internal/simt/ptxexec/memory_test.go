package ptxexec

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/simt"
)

// fails runs a body and returns the error it must end with.
func fails(t *testing.T, body string, n, block int, kind error) *simt.RuntimeError {
	t.Helper()
	_, err := simt.Run(context.Background(), bodyKernel(t, kernel(body), n, block), simt.Limits{MaxInstructions: 1 << 20})
	var e *simt.RuntimeError
	if !errors.As(err, &e) || !errors.Is(err, kind) {
		t.Fatalf("error %v, want %v", err, kind)
	}
	return e
}

func TestOutOfBoundsIsFoundToTheByte(t *testing.T) {
	for _, c := range []struct {
		inst   string
		thread int
		want   []string
	}{
		{"st.global.u32 [%o+4], %t", 39, []string{"0 bytes past the end of out (160 bytes)", "store of 4 bytes"}},
		{"ld.global.u8 %r1, [%o+4]", 39, []string{"0 bytes past the end of out"}},
		{"ld.global.u32 %r1, [%o+-4]", 0, []string{"4 bytes before out"}},
		{"ld.global.u32 %r1, [%o+4096]", 0, []string{"bytes past the end of out"}},
		{"ld.global.u32 %r1, [0]", 0, []string{"address 0x0", "before out"}},
		{"ld.u32 %r1, [%o+2000]", 0, []string{"past the end of out"}},
		{"st.shared.u32 [%r9], %t", 0, []string{"shared memory of the block"}},
		{"ld.local.u32 %r1, [%r9]", 0, []string{"local memory"}},
		{"atom.global.add.u32 %r1, [%o+4], 1", 39, []string{"past the end of out"}},
	} {
		e := fails(t, c.inst+";\nret;", 40, 40, simt.ErrOutOfBounds)
		if e.Thread != c.thread || e.Pos.Line != 9 || e.PC < 0 || e.Block != 0 {
			t.Errorf("%s: %v (thread %d)", c.inst, e, e.Thread)
		}
		for _, want := range c.want {
			if !strings.Contains(e.Error(), want) {
				t.Errorf("%s: %q lacks %q", c.inst, e.Error(), want)
			}
		}
	}
	e := fails(t, "@%p1 bra L; L: ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%o];\nret;", 2, 1, simt.ErrOutOfBounds)
	if want := "byte 0 of out (8 bytes): the last 8 bytes are outside"; !strings.Contains(e.Error(), want) {
		t.Errorf("%v lacks %q", e, want)
	}
}

func TestMisalignedAccess(t *testing.T) {
	e := fails(t, "ld.global.u32 %r1, [%o+2];\nret;", 40, 40, simt.ErrMisaligned)
	if want := "byte 2 of out (160 bytes): the address is not a multiple of 4"; !strings.Contains(e.Error(), want) {
		t.Errorf("%v lacks %q", e, want)
	}
	fails(t, ".shared .align 8 .b8 s[64]; ld.shared.v2.u32 {%r1,%r2}, [s+4];\nret;", 40, 40, simt.ErrMisaligned)
	fails(t, "atom.global.cas.b64 %rd1, [%o], 0, 1;\nret;", 4, 4, simt.ErrMisaligned)
}

func TestConstantMemoryIsReadOnly(t *testing.T) {
	src := header + `.const .align 4 .u32 table[4] = {5, 6, 7, 8};
.visible .entry k(.param .u64 out, .param .u32 n) { .reg .b64 %rd<3>; .reg .b32 %r<3>;
	mov.u64 %rd1, table; cvta.const.u64 %rd1, %rd1; st.u32 [%rd1], %r1; ret; }`
	_, err := simt.Run(context.Background(), bodyKernel(t, src, 1, 1), simt.Limits{})
	if !errors.Is(err, simt.ErrOutOfBounds) || !strings.Contains(err.Error(), "store to constant memory, byte 0 of table") {
		t.Errorf("store to constant memory: %v", err)
	}
}

func TestLoadsExtendToTheRegister(t *testing.T) {
	src := header + `.global .align 8 .b8 g[16] = {0x81, 0x92, 0xa3, 0xb4, 0xc5, 0xd6, 0xe7, 0xf8};
.visible .entry k(.param .u64 out, .param .u32 n) {
	.reg .b64 %o, %rd<9>; .reg .b32 %r<9>; .reg .b16 %h<9>;
	ld.param.u64 %o, [out];
	ld.global.s8 %r1, [g]; st.global.b32 [%o], %r1;
	ld.global.u8 %r1, [g]; st.global.b32 [%o+4], %r1;
	ld.global.s16 %rd1, [g+2]; st.global.b64 [%o+8], %rd1;
	ld.global.s8 %h1, [g+1]; st.global.b16 [%o+16], %h1;
	ld.global.b16 %r1, [g+6]; st.global.b16 [%o+18], %r1;
	ld.global.s32 %rd2, [g]; st.global.b64 [%o+24], %rd2;
	ld.global.v4.u8 {%r1, _, %r3, %r4}, [g+4]; shl.b32 %r3, %r3, 8; or.b32 %r1, %r1, %r3; st.global.b32 [%o+20], %r1;
	ret; }`
	k := bodyKernel(t, src, 8, 1)
	b, err := k.NewBlock(0)
	if err != nil {
		t.Fatal(err)
	}
	var n int64
	if err := simt.RunBlock(context.Background(), b, simt.Limits{}, &n, nil); err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintf("%x", k.Buffer("out"))
	want := "81ffffff" + "81000000" + "a3b4ffffffffffff" + "92ff" + "e7f8" + "c5e70000" + "8192a3b4ffffffff"
	if got != want {
		t.Errorf("loaded %s, want %s", got, want)
	}
}

func TestGenericAddresses(t *testing.T) {
	src := header + `.global .u32 g = 11; .const .u32 c = 22;
.visible .entry k(.param .u64 out, .param .u32 n) {
	.reg .b64 %o, %rd<20>; .reg .b32 %r<9>; .reg .pred %p<9>;
	.shared .u32 s; .local .u32 l; .local .u32 pad;
	ld.param.u64 %o, [out];
	mov.u32 %r1, 33; st.shared.u32 [s], %r1; mov.u32 %r1, 44; st.local.u32 [l], %r1;
	mov.u64 %rd1, g; cvta.global.u64 %rd1, %rd1;
	mov.u64 %rd2, c; cvta.const.u64 %rd2, %rd2;
	cvta.shared.u64 %rd3, s;
	mov.u64 %rd4, l; cvta.local.u64 %rd4, %rd4;
	mov.u64 %rd5, n; cvta.param.u64 %rd5, %rd5;
	mov.u32 %r2, %tid.x;
	// one instruction, another space in each thread
	mov.u64 %rd6, %rd1;
	setp.eq.u32 %p1, %r2, 1; @%p1 mov.u64 %rd6, %rd2;
	setp.eq.u32 %p1, %r2, 2; @%p1 mov.u64 %rd6, %rd3;
	setp.eq.u32 %p1, %r2, 3; @%p1 mov.u64 %rd6, %rd4;
	setp.eq.u32 %p1, %r2, 4; @%p1 mov.u64 %rd6, %rd5;
	ld.u32 %r3, [%rd6];
	isspacep.shared %p2, %rd6; @%p2 add.u32 %r3, %r3, 100;
	isspacep.local %p2, %rd6; @%p2 add.u32 %r3, %r3, 200;
	isspacep.global %p2, %rd6; @%p2 add.u32 %r3, %r3, 300;
	isspacep.const %p2, %rd6; @%p2 add.u32 %r3, %r3, 400;
	isspacep.param %p2, %rd6; @%p2 add.u32 %r3, %r3, 500;
	cvta.to.shared.u64 %rd7, %rd3; ld.shared.u32 %r4, [%rd7]; mad.lo.u32 %r3, %r4, 1000, %r3;
	cvta.to.local.u64 %rd8, %rd4; ld.local.u32 %r4, [%rd8]; mad.lo.u32 %r3, %r4, 100000, %r3;
	mul.wide.u32 %rd9, %r2, 4; add.u64 %o, %o, %rd9; st.u32 [%o], %r3;
	ret; }`
	k := bodyKernel(t, src, 5, 5)
	run(t, k)
	expect(t, u32s(k.Buffer("out")), func(i uint32) uint32 {
		return 4400000 + 33000 + [5]uint32{311, 422, 133, 244, 505}[i]
	})
}

func TestInitialisers(t *testing.T) {
	src := header + `
.global .align 4 .f32 f[3] = {1.5, 0f40000000, -2};
.global .align 2 .b16 m[2][3] = {{1, 2}, {3, 4, 5}};
.global .u64 p[2] = {m, generic(f)+4};
.const .align 1 .b8 text[] = {72, 105, 0};
.global .u32 zero[2];
.visible .entry k(.param .u64 out, .param .u32 n) { ret; }`
	p := lower(t, src, "k")
	k := launch(t, p, LaunchConfig{Grid: [3]int{1, 1, 1}, Block: [3]int{1, 1, 1}, Args: []Arg{{Name: "out", Buffer: buffer(nil)}, {Bytes: u32bytes(0)}}})
	address := func(name string) uint64 { a, _ := k.BufferAddress(name); return a }
	var ptrs []byte
	for _, a := range []uint64{address("m"), address("f") + 4} {
		b := make([]byte, 8)
		writeBytes(b, 8, a)
		ptrs = append(ptrs, b...)
	}
	for name, want := range map[string]string{
		"f": "0000c03f" + "00000040" + "000000c0", "m": "0100020000000300" + "04000500", "p": fmt.Sprintf("%x", ptrs), "text": "486900", "zero": "0000000000000000",
	} {
		if got := fmt.Sprintf("%x", k.Buffer(name)); got != want {
			t.Errorf("%s holds %s, want %s", name, got, want)
		}
	}
}

func TestAtomics(t *testing.T) {
	// The 32 lanes of a warp on one word: the result is that of the host doing
	// the same in lane order.
	type row struct {
		op   string
		init uint32
		f    func(old, x uint32) uint32
	}
	for _, c := range []row{
		{"add.u32", 5, func(o, x uint32) uint32 { return o + x }},
		{"add.s32", 5, func(o, x uint32) uint32 { return o + x }},
		{"min.s32", 20, func(o, x uint32) uint32 { return uint32(min(int32(o), int32(x))) }},
		{"max.u32", 3, func(o, x uint32) uint32 { return max(o, x) }},
		{"and.b32", 0xff, func(o, x uint32) uint32 { return o & x }},
		{"or.b32", 0, func(o, x uint32) uint32 { return o | x }},
		{"xor.b32", 9, func(o, x uint32) uint32 { return o ^ x }},
		{"exch.b32", 9, func(o, x uint32) uint32 { return x }},
		{"inc.u32", 3, func(o, x uint32) uint32 {
			if o >= x {
				return 0
			}
			return o + 1
		}},
		{"dec.u32", 3, func(o, x uint32) uint32 {
			if o == 0 || o > x {
				return x
			}
			return o - 1
		}},
		{"add.f32", 0x3f800000, func(o, x uint32) uint32 { return uint32(bits32(f32(uint64(o)) + f32(uint64(x)))) }},
	} {
		for _, space := range []string{"global", "shared", ""} {
			dot := "." + space
			decl := ".shared .u32 s; .reg .b64 %rs; mov.u64 %rs, s;"
			if space != "shared" {
				decl = ".global .u32 s; .reg .b64 %rs; mov.u64 %rs, s;"
			}
			if space == "" {
				dot = ""
			}
			src := header + ".visible .entry k(.param .u64 out, .param .u32 n) {" + decl + `
	.reg .b64 %o, %w; .reg .b32 %t, %r<9>; .reg .pred %p;
	ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %w, %t, 4; add.u64 %o, %o, %w;
	setp.eq.u32 %p, %t, 0; mov.u32 %r1, ` + fmt.Sprint(c.init) + `; @%p st` + dot + `.u32 [%rs], %r1; mul.lo.u32 %r2, %t, 0x9E3779B9; shr.u32 %r2, %r2, 27;
	atom` + dot + "." + c.op + ` %r3, [%rs], %r2; st.global.u32 [%o], %r3;
	bar.sync 0;
	red` + dot + "." + strings.Replace(c.op, "exch", "or", 1) + ` [%rs], %r2;
	bar.sync 0;
	ld` + dot + `.u32 %r4, [%rs]; @%p st.global.u32 [%o+128], %r4;
	ret; }`
			k := launch(t, lower(t, src, "k"), LaunchConfig{Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}, Args: []Arg{{Name: "out", Buffer: buffer(make([]byte, 132))}, {Bytes: u32bytes(0)}}})
			run(t, k)
			got := u32s(k.Buffer("out"))
			mem := c.init
			operand := func(i uint32) uint32 { return i * 0x9E3779B9 >> 27 }
			for i := range uint32(32) {
				if got[i] != mem {
					t.Fatalf("%s in %q: thread %d got %#x, want %#x", c.op, space, i, got[i], mem)
				}
				mem = c.f(mem, operand(i))
			}
			for i := range uint32(32) {
				if c.op == "exch.b32" {
					mem |= operand(i)
					continue
				}
				mem = c.f(mem, operand(i))
			}
			if got[32] != mem {
				t.Errorf("%s in %q leaves %#x, want %#x", c.op, space, got[32], mem)
			}
		}
	}
}

func TestCompareAndSwapTakesALock(t *testing.T) {
	// Each thread adds to a sum by a compare-and-swap loop.
	got := runBody(t, `
	.shared .u32 s;
	mov.u32 %r1, 0; setp.eq.u32 %p1, %t, 0; @%p1 st.shared.u32 [s], %r1; bar.sync 0;
	ld.volatile.shared.u32 %r2, [s];
AGAIN:	add.u32 %r3, %r2, %t;
	atom.shared.cas.b32 %r4, [s], %r2, %r3;
	setp.ne.u32 %p2, %r4, %r2; mov.u32 %r2, %r4;
	@%p2 bra AGAIN;
	bar.sync 0;
	ld.shared.u32 %r5, [s]; st.global.u32 [%o], %r5; ret;`, 64, 64)
	expect(t, got, func(uint32) uint32 { return 64 * 63 / 2 })
}

func TestFloatAtomicsFlushInGlobalMemoryOnly(t *testing.T) {
	for space, want := range map[string]uint32{"global": 0, "shared": 3} {
		decl := map[string]string{"global": ".global .f32 s;", "shared": ".shared .f32 s;"}[space]
		src := kernel(decl + `
	mov.f32 %f1, 0f00000001; st.` + space + `.f32 [s], %f1; mov.f32 %f2, 0f00000002;
	red.` + space + `.add.f32 [s], %f2; ld.` + space + `.f32 %f3, [s]; st.global.f32 [%o], %f3; ret;`)
		k := bodyKernel(t, src, 1, 1)
		run(t, k)
		if got := u32s(k.Buffer("out"))[0]; got != want {
			t.Errorf("%s: the sum of subnormals is %#x, want %#x", space, got, want)
		}
	}
}

func TestAsyncCopy(t *testing.T) {
	got := runBody(t, `
	.shared .align 16 .b8 s[512];
	.global .align 16 .b8 g[512] = {1,0,0,0, 2,0,0,0, 3,0,0,0, 4,0,0,0};
	shl.b32 %r1, %t, 4; mov.u32 %r2, s; add.u32 %r2, %r2, %r1;
	mov.u64 %rd1, g; setp.eq.u32 %p1, %t, 1; setp.eq.u32 %p2, %t, 2;
	mov.u32 %r5, 16; @%p1 mov.u32 %r5, 6;
	cp.async.cg.shared.global [%r2], [%rd1], 16, %r5;
	cp.async.commit_group; cp.async.wait_group 0;
	@%p2 cp.async.ca.shared.global [%r2], [%rd1+4], 4;
	cp.async.wait_all;
	ld.shared.v4.u32 {%r6,%r7,%r8,%r9}, [%r2];
	mad.lo.u32 %r6, %r7, 10, %r6; mad.lo.u32 %r6, %r8, 100, %r6; mad.lo.u32 %r6, %r9, 1000, %r6;
	st.global.u32 [%o], %r6; ret;`, 4, 4)
	expect(t, got, func(i uint32) uint32 { return [4]uint32{4321, 21, 4322, 4321}[i] })
}

func TestParameterStructuresAnd32BitModules(t *testing.T) {
	src := `.version 8.0
.target sm_30
.address_size 32
.global .u32 g = 7;
.visible .entry k(.param .u32 out, .param .align 8 .b8 s[12]) {
	.reg .b32 %r<9>; .shared .u32 sh;
	ld.param.u32 %r1, [out]; ld.param.v2.u32 {%r2, %r3}, [s]; ld.param.u16 %r4, [s+8];
	mov.u32 %r5, g; ld.u32 %r6, [%r5]; st.shared.u32 [sh], %r6; mov.u32 %r7, sh; cvta.shared.u32 %r7, %r7; ld.u32 %r8, [%r7];
	st.global.v2.u32 [%r1], {%r2, %r3}; st.global.u32 [%r1+8], %r4; st.global.u32 [%r1+12], %r8; ret; }`
	p := lower(t, src, "k")
	k := launch(t, p, LaunchConfig{Grid: [3]int{1, 1, 1}, Block: [3]int{1, 1, 1}, Args: []Arg{{Name: "out", Buffer: buffer(make([]byte, 16))}, {Name: "s", Bytes: u32bytes(1, 2, 0x10003)}}})
	run(t, k)
	if got := fmt.Sprint(u32s(k.Buffer("out"))); got != "[1 2 3 7]" {
		t.Errorf("got %s", got)
	}
	if got := fmt.Sprint(p.Params()); got != "[{out u32 4 0 false} {s b8[12] 12 8 false}]" {
		t.Errorf("parameters %s", got)
	}
}

func TestWrongLaunchesAreErrors(t *testing.T) {
	p := lower(t, header+`.extern .shared .b8 d[];
.visible .entry k(.param .u64 a, .param .u32 n) .reqntid 32, 1, 1 { .reg .b32 r; mov.u32 r, d; ret; }`, "k")
	good := LaunchConfig{Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}, Args: []Arg{{Name: "a", Buffer: buffer(nil)}, {Name: "n", Bytes: u32bytes(1)}}}
	if _, err := NewKernel(p, good); err != nil {
		t.Fatal(err)
	}
	for what, spoil := range map[string]func(*LaunchConfig){
		"0 arguments for 2 parameters":         func(l *LaunchConfig) { l.Args = nil },
		"has 2 bytes, parameter n has 4 (u32)": func(l *LaunchConfig) { l.Args[1].Bytes = []byte{1, 2} },
		"argument 1 (n) is a buffer":           func(l *LaunchConfig) { l.Args[1] = Arg{Name: "n", Buffer: buffer(nil)} },
		"grid y is 0":                          func(l *LaunchConfig) { l.Grid[1] = 0 },
		"block z is -1":                        func(l *LaunchConfig) { l.Block[2] = -1 },
		"2048 threads":                         func(l *LaunchConfig) { l.Block = [3]int{64, 32, 1} },
		".reqntid wants [32 1 1]":              func(l *LaunchConfig) { l.Block[0] = 64 },
		"warp size 33":                         func(l *LaunchConfig) { l.WarpSize = 33 },
		"-1 bytes of dynamic shared memory":    func(l *LaunchConfig) { l.DynamicSharedBytes = -1 },
		"bytes of shared memory, more than":    func(l *LaunchConfig) { l.DynamicSharedBytes = 1 << 30 },
		"the buffers take 100 bytes":           func(l *LaunchConfig) { l.Args[0].Buffer = buffer(make([]byte, 100)); l.Options.MaxBufferBytes = 10 },
	} {
		l := good
		l.Args = append([]Arg(nil), good.Args...)
		spoil(&l)
		if _, err := NewKernel(p, l); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%q: %v", what, err)
		}
	}
	k := launch(t, p, good)
	if _, err := k.NewBlock(1); err == nil {
		t.Error("a block beyond the grid")
	}
}

func TestLocalMemoryIsPerThread(t *testing.T) {
	got := runBody(t, `
	.local .align 4 .b8 buf[64];
	mov.u32 %r1, 0;
	and.b32 %r4, %t, 15;
L:	shl.b32 %r2, %r1, 2; cvt.u64.u32 %rd1, %r2; mov.u64 %rd2, buf; add.u64 %rd2, %rd2, %rd1;
	mul.lo.u32 %r3, %r1, %t; st.local.u32 [%rd2], %r3;
	add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 16; @%p1 bra L;
	shl.b32 %r2, %r4, 2; cvt.u64.u32 %rd1, %r2; mov.u64 %rd2, buf; cvta.local.u64 %rd2, %rd2; add.u64 %rd2, %rd2, %rd1;
	ld.u32 %r5, [%rd2]; st.global.u32 [%o], %r5; ret;`, 40, 40)
	expect(t, got, func(i uint32) uint32 { return i * (i & 15) })
	p := lower(t, kernel(".local .align 8 .b8 buf[100]; .shared .f64 s[3]; st.shared.u32 [s], %t; ret;"), "k")
	if p.ISA().LocalBytes != 100 || p.ISA().SharedBytes != 24 {
		t.Errorf("%d local and %d shared bytes", p.ISA().LocalBytes, p.ISA().SharedBytes)
	}
}

// Addresses of shared, local and parameter memory have 32 bits: base - 124 with
// an offset of 128 is base + 4, and what a wider register holds above them does
// not matter. The sum of a generic or global address has 64.
func TestAddressesWrap(t *testing.T) {
	const prologue = `.visible .entry k(.param .u64 out, .param .u32 n) {
	.reg .b64 %o, %b, %rd<9>; .reg .b32 %r<9>; .reg .b32 %t;
	.shared .align 16 .b8 s[512]; .local .align 4 .b8 l[64];
	ld.param.u64 %b, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 4; add.u64 %o, %o, %b;
	mov.u32 %r1, s; mad.lo.u32 %r1, %t, 4, %r1; st.shared.u32 [%r1], %t; mul.lo.u32 %r5, %t, 2; st.local.u32 [l+4], %r5; bar.sync 0;
	`
	id := func(i uint32) uint32 { return i }
	for name, c := range map[string]struct {
		body string
		want func(i uint32) uint32
	}{
		"shared, each lane its own":   {"mov.u32 %r2, s; mad.lo.u32 %r2, %t, 4, %r2; sub.u32 %r2, %r2, 128; ld.shared.u32 %r3, [%r2+128];", id},
		"shared, all lanes one":       {"mov.u32 %r2, s; add.u32 %r2, %r2, -124; ld.shared.u32 %r3, [%r2+128];", func(uint32) uint32 { return 1 }},
		"shared, some lanes below":    {"mov.u32 %r2, s; mad.lo.u32 %r2, %t, 4, %r2; sub.u32 %r2, %r2, 64; ld.shared.u32 %r3, [%r2+64];", id},
		"shared, backwards":           {"mov.u32 %r2, s; mul.lo.u32 %r4, %t, 4; sub.u32 %r2, %r2, %r4; ld.shared.u32 %r3, [%r2+156];", func(i uint32) uint32 { return 39 - i }},
		"shared, negative offset":     {"mov.u32 %r2, 60; mad.lo.u32 %r2, %t, 4, %r2; ld.shared.u32 %r3, [%r2+-60];", id},
		"shared, by a wider register": {"mad.lo.u32 %r2, %t, 4, -128; mov.b64 %rd1, {%r2, %t}; ld.shared.u32 %r3, [%rd1+128];", id},
		"shared, store":               {"mad.lo.u32 %r2, %t, 4, -128; add.u32 %r4, %t, 7; st.shared.u32 [%r2+128], %r4; ld.shared.u32 %r3, [%r1];", func(i uint32) uint32 { return i + 7 }},
		"shared, pairs":               {"mad.lo.u32 %r2, %t, 8, -256; bar.sync 0; st.shared.v2.u32 [%r2+256], {%t, %r5}; ld.shared.v2.u32 {%r4, %r3}, [%r2+256];", func(i uint32) uint32 { return 2 * i }},
		"shared, atomic":              {"mad.lo.u32 %r2, %t, 4, -128; atom.shared.add.u32 %r4, [%r2+128], 3; ld.shared.u32 %r3, [%r1];", func(i uint32) uint32 { return i + 3 }},
		"shared, asynchronous copy":   {"st.global.u32 [%o], %r5; mad.lo.u32 %r2, %t, 4, -128; cp.async.ca.shared.global [%r2+128], [%o], 4; cp.async.wait_all; ld.shared.u32 %r3, [%r1];", func(i uint32) uint32 { return 2 * i }},
		"local":                       {"mov.u32 %r2, l; sub.u32 %r2, %r2, 12; ld.local.u32 %r3, [%r2+16];", func(i uint32) uint32 { return 2 * i }},
		"parameter":                   {"mov.u32 %r2, n; sub.u32 %r2, %r2, 124; ld.param.u32 %r3, [%r2+124];", func(uint32) uint32 { return 40 }},
	} {
		src := header + prologue + c.body + "\nst.global.u32 [%o], %r3; ret; }\n"
		for _, taint := range []bool{false, true} {
			k := launch(t, lower(t, src, "k"), LaunchConfig{Grid: [3]int{1, 1, 1}, Block: [3]int{40, 1, 1}, Options: Options{Taint: taint}, Args: []Arg{
				{Name: "out", Buffer: buffer(make([]byte, 160))}, {Bytes: u32bytes(40)}}})
			if _, err := simt.Run(context.Background(), k, simt.Limits{MaxInstructions: 1 << 20}); err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			for i, got := range u32s(k.Buffer("out")) {
				if want := c.want(uint32(i)); got != want {
					t.Errorf("%s: thread %d has %d, want %d", name, i, got, want)
					break
				}
			}
		}
	}
	fails(t, "sub.u64 %rd1, %o, 4294967168;\nld.global.u32 %r1, [%rd1+128];\nret;", 40, 40, simt.ErrOutOfBounds)
	fails(t, ".shared .u32 s;\nmov.u32 %r1, -124;\nld.shared.u32 %r2, [%r1+132];\nret;", 40, 40, simt.ErrOutOfBounds)
}

// What is known of an address that wraps stays known: a store through one is
// seen by the load that follows, and the value may decide a branch.
func TestTaintOfAddressesThatWrap(t *testing.T) {
	const before = ".shared .u32 s[64]; mov.u32 %r8, s; cvt.u32.u64 %r9, %w; add.u32 %r9, %r9, %r8; sub.u32 %r9, %r9, 512;\n"
	const after = "\nld.shared.u32 %r2, [%r9+512]; setp.gt.u32 %p1, %r2, 1;\n@%p1 bra L;\nL: ret;"
	if got := taints(t, before+"st.shared.u32 [%r9+512], %t;"+after, false); got != "" {
		t.Errorf("what was stored is clean, but %q is recorded", got)
	}
	if got := taints(t, before+"ld.global.u32 %r1, [%i]; st.shared.u32 [%r9+512], %r1;"+after, false); got != "4:branch:%p1" {
		t.Errorf("what was stored is tainted, but %q is recorded", got)
	}
}
