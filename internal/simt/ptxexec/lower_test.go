package ptxexec

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// Refused instructions matter only to kernels that can reach them.
func TestRefusalIsLazy(t *testing.T) {
	src := header + `
.func bad () { trap; setmaxnreg.inc.sync.aligned.u32 64; ret; }
.func alsobad () { call bad; ret; }
.visible .entry good () { ret; }
.visible .entry uses () { call alsobad; ret; }
.visible .entry indirect () { .reg .b64 %rd; P: .calltargets alsobad; call %rd, (), P; ret; }
.visible .entry printing () { .reg .b32 r; .param .b64 a; .param .b64 b; .param .b32 c; call (c), vprintf, (a, b); ret; }
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
`
	f := parse(t, src)
	if _, err := Lower(f, "good"); err != nil {
		t.Error(err)
	}
	for entry, want := range map[string]string{
		"uses":     "t.ptx:5:22: instruction setmaxnreg.inc",
		"indirect": "t.ptx:5:22: instruction setmaxnreg.inc",
		"printing": "call of vprintf: instruction not executed by this machine: the function has no body",
	} {
		_, err := Lower(f, entry)
		if !errors.Is(err, simt.ErrUnsupported) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", entry, err, want)
		}
	}
	// A table of functions holds their addresses.
	table := header + `.func f () { ret; }
.global .u64 table[1] = {f};
.visible .entry good () { ret; }
.visible .entry uses () { .reg .b64 %rd; ld.global.u64 %rd, [table]; ret; }
.visible .entry takes () { .reg .b64 %rd; mov.u64 %rd, table; ret; }`
	if _, err := Lower(parse(t, table), "good"); err != nil {
		t.Error(err)
	}
	for _, entry := range []string{"uses", "takes"} {
		if _, err := Lower(parse(t, table), entry); err != nil {
			t.Errorf("%s: %v", entry, err)
		}
	}
	if _, err := Lower(f, "bad"); err == nil || !strings.Contains(err.Error(), `no kernel named "bad"`) {
		t.Errorf("a function as kernel: %v", err)
	}
	var entries []string
	for _, e := range f.Entries() {
		entries = append(entries, e.Name)
	}
	if got := fmt.Sprint(entries); got != "[good uses indirect printing]" {
		t.Errorf("entries %s", got)
	}
}

func TestWrongModulesAreErrors(t *testing.T) {
	for body, want := range map[string]string{
		"add.u32 %r1, %r2, %nosuch;":                             "special register %nosuch: instruction not executed",
		"add.u32 %r1, %r2, nosuch;":                              "nosuch is not declared",
		"add.u32 r, %r2, %r3;":                                   "r is not a declared register",
		"add.u32 5, %r2, %r3;":                                   "expected a register",
		"add.u32 %r1, %p1, %r3;":                                 "%p1 is a predicate",
		"setp.eq.u32 %r1, %r2, %r3;":                             "%r1 is not a declared predicate",
		"@%r1 ret;":                                              "guard %r1 is not a declared predicate",
		"add.u33 %r1, %r2, %r3;":                                 ".u33",
		"frobnicate %r1;":                                        "frobnicate",
		"add.u32 %r1, %r2;":                                      "does not take 2 operands",
		"bra NOWHERE;":                                           "label NOWHERE is not declared",
		"brx.idx %r1, NOWHERE;":                                  "not a declared list of branch targets",
		"call nothing;":                                          "function nothing is not declared",
		"call k;":                                                "is a kernel, expected a function",
		"ld.global.v2.u32 %r1, [%o];":                            "takes 2 registers, not 1",
		"ld.shared.u32 %r1, [out];":                              "out is in param memory, not in shared",
		"ld.global.u32 %r1, %o;":                                 "expected an address in brackets",
		"mov.b64 %rd1, {%r1, %r2, %r3};":                         "has no 3 elements",
		"mov.b64 {%r1, %r2}, {%r3, %r4};":                        "packs or unpacks",
		"cp.async.ca.shared.global [%r1], [%o], 5;":              "expected 4, 8 or 16 bytes",
		".local .b8 big[600000];":                                "more than 524288 bytes",
		".shared .b8 big[20000000]; st.shared.u8 [big], 1;":      "shared variables take 20000000 bytes",
		".global .b8 big[5000000000];":                           "has more than 4294967296 bytes",
		".global .u32 g[2] = {1, 2, 3}; ld.global.u32 %r1, [g];": "larger than its variable",
		".extern .global .u32 e; ld.global.u32 %r1, [e];":        "declared but not defined",
		".local .u32 l; add.u64 %rd1, l, 4;":                     "is taken by mov or cvta only",
	} {
		_, err := Lower(parse(t, kernel(body+"\nret;")), "k")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", body, err, want)
		}
		if err != nil && !strings.Contains(err.Error(), "t.ptx:9:") {
			t.Errorf("%s: no position in %v", body, err)
		}
	}
	many := strings.Repeat("bra NOWHERE;\n", 100)
	_, err := Lower(parse(t, kernel(many)), "k")
	if err == nil || strings.Count(err.Error(), "\n") != conf.MaxErrors-1 {
		t.Errorf("%d errors, want %d", strings.Count(err.Error(), "\n")+1, conf.MaxErrors)
	}
}

func TestStaticProgram(t *testing.T) {
	src := header + `
.file 1 "saxpy.cu"
.visible .entry k(.param .u64 out) {
	.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .pred %p<3>;
	.loc 1 12 3
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	.loc 1 13 5
	fma.rn.f32 %f1, %f2, %f3, %f1;
	@%p1 ld.global.v2.f32 {%f4, %f5}, [%rd1+8];
	st.shared.u8 [%r1], %r2;
	cvt.f64.f32 %rd2, %f1;
	setp.lt.and.s32 %p2, %r1, %r2, !%p1;
	mul.wide.u16 %r3, 1, 2;
	atom.add.f64 %rd3, [%rd1], %rd2;
	cp.async.cg.shared.global [%r1], [%rd1], 16;
	membar.gl;
	bar.sync 0;
HERE:	@%p2 bra HERE;
	ld %r1;
}`
	src = strings.Replace(src, "	ld %r1;\n", "	exit;\n", 1)
	p := lower(t, src, "k").ISA()
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	names := func(rs []isa.Reg) string {
		var out []string
		for _, r := range rs {
			out = append(out, p.Registers[r])
		}
		return strings.Join(out, ",")
	}
	var got []string
	for _, in := range p.Instructions {
		got = append(got, fmt.Sprintf("%s %s %d r(%s) w(%s) %d", in.Class, in.Kind, in.WidthBytes, names(in.Reads), names(in.Writes), in.Source.Line))
	}
	want := []string{
		"load.param.i64 load 8 r() w(%rd1) 12",
		"move.i32 plain 0 r() w(%r1) 12",
		"mad.f32 plain 0 r(%f2,%f3,%f1) w(%f1) 13",
		"load.global.f32 load 8 r(%p1,%rd1) w(%f4,%f5) 13",
		"store.shared.i8 store 1 r(%r1,%r2) w() 13",
		"convert.f64 plain 0 r(%f1) w(%rd2) 13",
		"compare.i32 plain 0 r(%r1,%r2,%p1) w(%p2) 13",
		"mul.i32 plain 0 r() w(%r3) 13",
		"atomic.generic.f64 atomic 8 r(%rd1,%rd2) w(%rd3) 13",
		"copy.global async-copy 16 r(%r1,%rd1) w(copy at line 19) 13",
		"fence fence 0 r() w() 13",
		"barrier barrier 0 r() w() 13",
		"branch branch 0 r(%p2) w() 13",
		"exit exit 0 r() w() 13",
	}
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			t.Errorf("instruction %d: %q, want %q", i, got[min(i, len(got)-1)], want[i])
		}
	}
	if p.Labels["HERE"] != 12 || p.Instructions[12].Targets[0] != 12 || p.Instructions[3].Guard == isa.NoReg {
		t.Errorf("labels %v", p.Labels)
	}
	if in := p.Instructions[2]; in.Opcode != "fma.rn.f32" || in.Pos.Line != 12 || in.Pos.File != "t.ptx" || in.Source.File != "saxpy.cu" || in.Source.Col != 5 {
		t.Errorf("positions of %+v", in)
	}
}

func TestRegisterUnits(t *testing.T) {
	for body, want := range map[string]int{
		"st.global.u32 [o], a; ret;": 3,
		"add.u32 b, a, 1; add.u32 c, a, 2; add.u32 d, b, c; st.global.u32 [o], d; ret;": 4,
		"mov.u64 x, 1; mov.u64 y, 2; add.u64 x, x, y; st.global.u64 [o], x; ret;":       6,
		// Values that live around a loop count at every point of it.
		"mov.u32 b, 5; mov.u32 c, 0; L: add.u32 c, c, 1; setp.lt.u32 p, c, a; @p bra L; add.u32 b, b, c; st.global.u32 [o], b; ret;": 5,
		// A guarded write does not end the life of the old value.
		"mov.u32 b, 5; setp.lt.u32 p, a, 3; @p mov.u32 b, 6; st.global.u32 [o], b; ret;": 4,
		// What is written and never read takes a register where it is written.
		"mov.u64 x, 1; ret;": 2,
		"ret;":               2,
	} {
		src := header + ".visible .entry k(.param .u64 out) { .reg .b32 a, b, c, d; .reg .b64 o, x, y; .reg .pred p;\nld.param.u64 o, [out]; mov.u32 a, %tid.x; " + body + "}"
		if got := lower(t, src, "k").ISA().RegisterUnits; got != want {
			t.Errorf("%s: %d units, want %d", body, got, want)
		}
	}
	src := header + `.func (.reg .b32 r) f (.reg .b32 x) { .reg .b64 a, b; mov.u64 a, 1; mov.u64 b, 2; add.u64 a, a, b; cvt.u32.u64 r, a; add.u32 r, r, x; ret; }
.visible .entry k(.param .u64 out) { .reg .b32 a, b; .reg .b64 o; ld.param.u64 o, [out]; mov.u32 a, 1; call (b), f, (a); st.global.u32 [o], b; ret; }`
	// o (2) and b (1) live at the call with x, and in f: x, a, b = 5.
	if got := lower(t, src, "k").ISA().RegisterUnits; got != 2+1+1+5 {
		t.Errorf("with a call: %d units, want 9", got)
	}
}

func TestScopesMayRepeatNames(t *testing.T) {
	got := runBody(t, `
	mov.u32 %r1, 1;
	{ .reg .b32 r; .reg .pred p; mov.u32 r, %t; setp.lt.u32 p, r, 5; @p bra L; add.u32 %r1, %r1, 10; L: }
	{ .reg .b32 r; .reg .pred p; mov.u32 r, 7; setp.lt.u32 p, %t, r; @p bra L; add.u32 %r1, %r1, 100; L: }
	.reg .v4 .u32 %v; mov.u32 %v.x, %r1; mov.u32 %v.y, 2; mov.u32 %v.z, 3; mov.u32 %v.w, 4;
	add.u32 %r1, %v.x, %v.w;
	st.global.u32 [%o], %r1; ret;`, 32, 32)
	expect(t, got, func(i uint32) uint32 {
		v := uint32(5)
		if i >= 5 {
			v += 10
		}
		if i >= 7 {
			v += 100
		}
		return v
	})
	p := lower(t, kernel("{ L: } { L: } L: ret;"), "k").ISA()
	if len(p.Labels) != 3 {
		t.Errorf("labels %v", p.Labels)
	}
}

func TestOldDialectAndAliases(t *testing.T) {
	// Module-scope local variables, 16-bit special registers, dollar names, set.
	src := `.version 1.4
.target sm_10
.local .align 4 .b8 keep[8];
.entry k (.param .u32 out, .param .u32 n) {
	.reg .u16 $rh<4>; .reg .u32 $r<12>; .reg .pred $p<2>;
$LBB1:
	mov.u16 $rh1, %ctaid.x; mov.u16 $rh2, %ntid.x; mul.wide.u16 $r1, $rh1, $rh2; cvt.u32.u16 $r2, %tid.x; add.u32 $r3, $r2, $r1;
	st.local.u32 [keep+4], $r3; ld.local.u32 $r4, [keep+4];
	set.gt.u32.u32 $r5, $r4, 40; neg.s32 $r5, $r5; mul24.lo.u32 $r6, $r5, 1000; add.u32 $r4, $r4, $r6;
	ld.param.u32 $r7, [out]; mul.lo.u32 $r8, $r3, 4; add.u32 $r7, $r7, $r8; st.global.u32 [$r7+0], $r4;
	exit;
}`
	k := bodyKernel(t, src, 64, 32)
	run(t, k)
	expect(t, u32s(k.Buffer("out")), func(i uint32) uint32 {
		if i > 40 {
			return i + 1000
		}
		return i
	})
	if got := k.Program().LocalBytes; got != 8 {
		t.Errorf("%d local bytes, want 8", got)
	}

	src = header + `.func (.reg .b32 r) twice (.reg .b32 x) { add.u32 r, x, x; ret; }
.visible .func (.reg .b32 r) same (.reg .b32 x);
.alias same, twice;
.visible .entry k (.param .u64 out, .param .u32 n) { .reg .b32 %r<3>; .reg .b64 %o; mov.u32 %r1, 21; call (%r2), same, (%r1); ld.param.u64 %o, [out]; st.global.u32 [%o], %r2; ret; }`
	k = bodyKernel(t, src, 1, 1)
	run(t, k)
	if got := u32s(k.Buffer("out"))[0]; got != 42 {
		t.Errorf("through an alias: %d", got)
	}
}
