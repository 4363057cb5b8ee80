package ptx

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// module wraps declarations into a module.
func module(decls string) string {
	return ".version 7.8\n.target sm_80\n.address_size 64\n" + decls + "\n"
}

// kernel wraps statements into a kernel with registers of every type and
// some variables.
func kernel(stmts string) string {
	return module(`.global .align 16 .b32 gvar[64];
.shared .align 16 .b32 svar[64];
.visible .entry k(.param .u64 par, .param .align 8 .b8 blob[64])
{
.reg .pred %p<9>, p, q;
.reg .b16 %rs<9>;
.reg .b32 %r<99>;
.reg .b64 %rd<9>;
.reg .f32 %f<99>;
.reg .f64 %fd<9>;
` + stmts + "\n}")
}

// body parses and checks a kernel around the statements and returns those
// behind its register declarations.
func body(t *testing.T, stmts string) []Stmt {
	t.Helper()
	f := mustParse(t, "t.ptx", []byte(kernel(stmts)))
	if err := Check(f); err != nil {
		t.Fatalf("Check:\n%v", err)
	}
	roundTrip(t, f)
	return f.Entries()[0].Body.Stmts[6:]
}

func inst(t *testing.T, s Stmt) *Inst {
	t.Helper()
	i, ok := s.(*Inst)
	if !ok {
		t.Fatalf("statement is a %T, want an instruction", s)
	}
	return i
}

// decls parses and checks a module that has the declarations and an entry.
func decls(t *testing.T, text string) *File {
	t.Helper()
	f := mustParse(t, "t.ptx", []byte(text))
	if err := Check(f); err != nil {
		t.Fatalf("Check:\n%v", err)
	}
	roundTrip(t, f)
	return f
}

func eq[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func TestTrap01DirectivesWithoutSemicolon(t *testing.T) {
	f := decls(t, `.version 6.4 .target sm_30, debug .address_size 64
.file 1 "a.cu" .file 2 "b.cu", 1, 2
.entry k() {
	.loc 1 2 3
	.loc 1 15 3, function_name $L__info_string0, inlined_at 1 10 5
	.loc 2 7 1, function_name $L__info_string0+8, inlined_at 1 20 3
	ret;
}
`)
	eq(t, "targets", strings.Join(f.Targets, " "), "sm_30 debug")
	eq(t, "locs", len(f.Locs), 3)
	l := f.Locs[2]
	eq(t, "loc", *l, Loc{Pos: l.Pos, File: 2, Line: 7, Col: 1, FunctionName: "$L__info_string0",
		FunctionNameOff: 8, InlinedAt: true, InFile: 1, InLine: 20, InCol: 3})
	stmts := f.Entries()[0].Body.Stmts
	eq(t, "line of ret", inst(t, stmts[len(stmts)-1]).Loc, 3)
}

func TestTrap02AddressSizeDefault(t *testing.T) {
	f := decls(t, ".version 1.4\n.target sm_10, map_f64_to_f32\n.entry k { exit; }\n")
	eq(t, "address size", f.AddressSize, 32)
	eq(t, "written", f.HasAddressSize, false)
	eq(t, "version", f.Version, Version{1, 4})
}

func TestTrap03CallSequences(t *testing.T) {
	f := decls(t, module(`.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
.func (.param .b32 out) f(.param .b32 in) { st.param.b32 [out], 1; ret; }
.entry k() {
	.reg .b32 %r<3>; .reg .b64 %rd<2>;
	{ // callseq 0, 0
	.reg .b32 temp_param_reg;
	.param .b32 param0;
	st.param.b32 [param0+0], %r1;
	.param .b32 retval0;
	call.uni (retval0),
	f,
	(
	param0
	);
	ld.param.b32 temp_param_reg, [retval0+0];
	}
	{
	.param .b32 param0; .param .b32 retval0;
	proto_1 : .callprototype (.param .b32 _) _ (.param .b32 _) .noreturn;
	call (retval0), %rd1, (param0), proto_1;
	none: .callprototype _;
	call %rd1, none;
	list: .calltargets f;
	call (retval0), %rd1, (param0), list;
	}
}`))
	seq := f.Entries()[0].Body.Stmts[2].(*Block).Stmts
	c := seq[4].(*Call)
	eq(t, "callee", c.Callee.Name, "f")
	eq(t, "modifier", c.Mods[0], "uni")
	eq(t, "argument", c.Args[0].Name, "param0")
	eq(t, "result", c.Rets[0].Name, "retval0")
	seq = f.Entries()[0].Body.Stmts[3].(*Block).Stmts
	eq(t, "prototype", seq[3].(*Call).Targets, "proto_1")
	eq(t, "prototype alone", seq[5].(*Call).Targets, "none")
}

func TestTrap04LexicalScopes(t *testing.T) {
	line := "{ .reg .u32 r0; .reg .pred p; shfl.sync.up.b32 r0|p, %r1, 1, 0, -1; @p add.u32 r0, r0, %r1; mov.u32 %r2, r0; }\n"
	s := body(t, line+line+".reg .b32 a,b; add.u32 a, b, 1; sub.u32 b, a, 1;")
	eq(t, "statements", len(s), 5)
	in := s[0].(*Block).Stmts
	eq(t, "first", len(in), 5)
	eq(t, "guard", inst(t, in[3]).Guard.Reg, "p")
	eq(t, "names in one declaration", len(s[2].(*VarDecl).Vars), 2)
	err := Check(mustParse(t, "t.ptx", []byte(kernel("{ .reg .u32 hidden; }\nmov.u32 %r1, hidden;"))))
	wantErrors(t, err, `"hidden" is not declared`)
}

func TestTrap05RegisterRanges(t *testing.T) {
	s := body(t, ".reg .b64 %x<25>;\n{ .reg .b32 %temp; mov.b64 {%r95, %temp}, %fd1; }\nmov.b64 %x24, %x0;")
	eq(t, "count", s[0].(*VarDecl).Vars[0].Count, 25)
	o := inst(t, s[1].(*Block).Stmts[1]).Operands[0]
	eq(t, "kind", o.Kind, KindVec)
	eq(t, "element", o.Sub[1].Name, "%temp")
	err := Check(mustParse(t, "t.ptx", []byte(kernel(".reg .b64 %x<25>;\nmov.b64 %x25, %x01;"))))
	wantErrors(t, err, `"%x25" is not declared`, `"%x01" is not declared`)
}

func TestTrap06OperandForms(t *testing.T) {
	s := body(t, `ld.global.u32 %r1, [%rd1+-8];
ld.param.u64 %rd1, [par+0];
ld.global.u32 %r1, [gvar+4];
ld.global.u32 %r1, [ %r98 + 0 ];
and.b32 %r1, %r1, 0x8000U;
atom.global.add.u32 _, [%rd1], 1;
setp.lt.s32 p|q, %r1, %r2;
ld.global.v4.u32 {%r1,%r1,_,%r1}, [%rd1];
mov.u32 %r1, svar+8;
ld.shared.u32 %r1, [svar-4];
mov.f64 %fd1, -1.5e-3;
mov.f32 %f1, -0f3F800000;
add.s32 %r1, %r1, -5;
mov.u32 %r1, gvar[3];
ld.global.b32 { %r1 }, [ %rd1 + 0 ];
mov.u32 %r1, %gridid;`)
	at := func(i, k int) *Operand { return &inst(t, s[i]).Operands[k] }
	eq(t, "negative offset", at(0, 1).Offset(), -8)
	eq(t, "symbol", at(2, 1).Name, "gvar")
	eq(t, "symbol offset", at(2, 1).Offset(), 4)
	eq(t, "spaced base", at(3, 1).Name, "%r98")
	eq(t, "unsigned", at(4, 2).Unsigned, true)
	eq(t, "hexadecimal", at(4, 2).Imm, 0x8000)
	eq(t, "sink", at(5, 0).Kind, KindSink)
	eq(t, "pair", at(6, 0).Sub[1].Name, "q")
	eq(t, "padded vector", at(7, 0).Sub[3].Name, "%r1")
	eq(t, "address with offset", at(8, 1).Offset(), 8)
	eq(t, "minus sign", at(9, 1).Offset(), -4)
	eq(t, "decimal float", at(10, 1).Imm, 0xBF589374BC6A7EFA)
	eq(t, "negated float", at(11, 1).Imm, 0xBF800000)
	eq(t, "negative integer", int64(at(12, 2).Imm), -5)
	eq(t, "array element", at(13, 1).Sub[0].Imm, 3)
}

func TestTrap07ModifiersAndLabels(t *testing.T) {
	s := body(t, "ld.global.L1::no_allocate.L2::128B.u32 %r1, [%rd1];\nst.shared::cta.u32 [svar], %r1;\nBB0_2: $L__BB0_2: LBB3: $Lt_0_4: bra BB0_2;\nlast:")
	eq(t, "modifiers", strings.Join(inst(t, s[0]).Mods, " "), "global L1::no_allocate L2::128B u32")
	eq(t, "space", inst(t, s[1]).Mods[0], "shared::cta")
	for i, want := range []string{"BB0_2", "$L__BB0_2", "LBB3", "$Lt_0_4"} {
		eq(t, "label", s[2+i].(*Label).Name, want)
	}
	eq(t, "label before the brace", s[7].(*Label).Name, "last")
}

func TestTrap08Names(t *testing.T) {
	long := "_" + strings.Repeat("Z$x_", 100)
	f := decls(t, module(fmt.Sprintf(".global .u32 %s;\n.global .u32 $x;\n.entry _$k() { .reg .u32 %%_, _r, $r; ld.global.u32 _r, [%s]; ret; }", long, long)))
	eq(t, "entry", f.Entries()[0].Name, "_$k")
	eq(t, "length", len(f.Decls[0].(*VarDecl).Vars[0].Name), 401)
}

func TestTrap09Initialisers(t *testing.T) {
	var big strings.Builder
	for i := range 24577 {
		if i > 0 {
			big.WriteString(", ")
		}
		fmt.Fprintf(&big, "%d", i)
	}
	f := decls(t, module(`.global .u32 sym;
.global .align 8 .u64 tab[3] = {generic(sym)+24, sym, sym+4};
.global .b8 bytes[2] = {0xFF(sym), 0xFF00(generic(sym)+1)};
.global .f32 m[2][2] = {{1.0, 0f40000000}, {.5, 1e3}};
.const .s32 c = (1 << 4) + 3 * (7 %4) - WARP_SZ;
.const .u64 d = 3 > 2 ? (.u64) 5 : 0b11;
.global .u32 open[] = {010, 0x1F, 1U};
.global .u32 big[24577] = {`+big.String()+"};\n.entry k() { ret; }"))
	v := func(i int) *Operand { return f.Decls[i].(*VarDecl).Vars[0].Init }
	eq(t, "generic", v(1).Sub[0].Generic, true)
	eq(t, "generic offset", v(1).Sub[0].Offset(), 24)
	eq(t, "mask", v(2).Sub[1].Imm, 0xFF00)
	eq(t, "masked", v(2).Sub[1].Sub[0].Name, "sym")
	eq(t, "expression", int64(v(4).Imm), 16+9-32)
	eq(t, "conditional", v(5).Imm, 5)
	eq(t, "octal", v(6).Sub[0].Imm, 8)
	eq(t, "large", len(v(7).Sub), 24577)
	eq(t, "last", v(7).Sub[24576].Imm, 24576)
}

func TestTrap10DebugSections(t *testing.T) {
	f := decls(t, module(`.entry k() { ret; }
.section .debug_info {
	.b32 $L1-$L0 // a } in a comment
	.b8 1, 2 /* { */
	.b32 .debug_str + 7
	{ } }
.section .debug_str { $L0: .b8 0, 1 }`))
	eq(t, "sections", len(f.Decls), 3)
	eq(t, "name", f.Decls[1].(*Section).Name, ".debug_info")
	if raw := f.Decls[1].(*Section).Raw; !strings.Contains(raw, "$L1-$L0") {
		t.Errorf("section text is %q", raw)
	}
	old := decls(t, ".version 1.4\n.target sm_10\n.entry k\n{\n@@DWARF .byte 1, 2\nexit;\n}\n\t@@DWARF .section .debug_info, \"\",@progbits\n @@DWARF .4byte .debug_abbrev\n")
	eq(t, "DWARF line", old.Decls[1].(*Dwarf).Raw, `.section .debug_info, "",@progbits`)
}

func TestTrap11FunctionHeads(t *testing.T) {
	f := decls(t, module(`.weak .shared .align 4 .b8 w[4];
.visible .global .texref tex;
.common .global .u32 c;
.extern .shared .align 16 .b8 dyn[];
.visible .entry a(.param .u64 x) .maxntid 64, 1, 1 .minnctapersm 2 .maxnreg 32 .pragma "x"; { ret; }
.entry b .reqntid 256 { L: .pragma "nounroll"; bra L; }
.func .noreturn f .attribute(.unified(1, 2)) { trap; }
.entry c4() .explicitcluster .reqnctapercluster 2 { ret; }
.func g;
.alias g, f;`))
	a := f.Func("a")
	args, ok := a.Directive("maxntid")
	if !ok || fmt.Sprint(args) != "[64 1 1]" {
		t.Errorf("maxntid is %v, %v", args, ok)
	}
	eq(t, "no parameter list", f.Func("b").Params == nil, true)
	eq(t, "empty parameter list", f.Func("c4").Params != nil, true)
	eq(t, "attribute", f.Func("f").Attributes[0].Args[1], 2)
	eq(t, "weak shared", f.Decls[0].(*VarDecl).Linkage, LinkWeak)
	eq(t, "open array", f.Decls[3].(*VarDecl).Vars[0].Dims[0], -1)
}

func TestTrap12Parameters(t *testing.T) {
	f := decls(t, module(`.entry k(.param .u64 .ptr .global .align 1 p, .param .align 8 .b8 s[56], .param .u64 .ptr q)
{
	.reg .f32 %f<5>; .reg .u32 %r; .reg .u64 %rd;
	ld.param.v4.f32 {%f1, %f2, %f3, %f4}, [s+16];
	ld.param.u8 %r, [s+1];
	mov.b64 %rd, s;
	cvta.param.u64 %rd, %rd;
	ret;
}`))
	p := f.Entries()[0].Params
	eq(t, "pointer", *p[0].Ptr, PtrAttr{SpaceGlobal, 1})
	eq(t, "struct", p[1].Vars[0].Dims[0], 56)
	eq(t, "alignment", p[1].Align, 8)
	eq(t, "generic pointer", *p[2].Ptr, PtrAttr{})
	old := decls(t, ".version 1.2\n.target sm_10\n.reg .u32 %ra<17>;\n.entry k\n{\n.param .u32 A;\n.reg .u32 %r<3>; .reg .u16 %rh<2>;\nmov.u16 %rh1, %ctaid.x;\ncvt.s32.u16 %r1, %tid.x;\nld.param.u32 %ra1, [A];\nexit;\n}\n")
	eq(t, "parameters in the body", len(old.KernelParams(old.Entries()[0])), 1)
}

func TestTrap13Encodings(t *testing.T) {
	plain := mustParse(t, "a", []byte(kernel("mov.u32 %r1, 1; // comment\n.pragma \"text\";")))
	src := kernel("mov.u32 %r1, 1; // \xff\xfe caf\xe9\n.pragma \"text\";")
	src = strings.ReplaceAll(src, "\n", "\r\n") + "\x00\x00"
	crlf := mustParse(t, "a", []byte(src))
	var x, y bytes.Buffer
	if Print(&x, plain) != nil || Print(&y, crlf) != nil || x.String() != y.String() {
		t.Errorf("CRLF, NUL and foreign bytes change the module:\n%s\n%s", &x, &y)
	}
	for text, want := range map[string]string{
		"mov.u32 %r1,\x00 1;":         "t.ptx:14:13: NUL byte in the text",
		"// a \x00 comment":           "t.ptx:14:6: NUL byte in the text",
		".pragma \"a\x00b\";\n\x00\n": "t.ptx:14:11: NUL byte in the text",
	} {
		_, err := Parse("t.ptx", []byte(kernel(text)))
		wantErrors(t, err, want)
	}
	if _, err := Parse("t.ptx", []byte(module(".entry k() { ret; }")+"\x00\x00\n")); err != nil {
		t.Errorf("NULs at the end: %v", err)
	}
	f := decls(t, module(".file 1 \"caf\xe9 \\\" x\"\n.entry k() { ret; }"))
	eq(t, "string", f.Decls[0].(*FileDirective).Name, "caf\xe9 \\\" x")
	_, err := Parse("t.ptx", []byte(kernel("mov.u32 \xe9\xe8, 1;\nadd.u32 %r1, %r2, %r3;")))
	wantErrors(t, err, "unexpected character '\\u00e9'", "expected an operand")
}

func TestTrap14MatrixOperands(t *testing.T) {
	s := body(t, `wmma.mma.sync.aligned.m16n16k16
	.row
	.col.f32.f32
	{%f1, %f2}, {%r1, %r2}, {%r3, %r4},
	{%f3, %f4};
mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0
	{%f1, %f2}, {%r1}, {%r2}, {%f1, %f2}, %r3, {0, 1}, %r4, {%rs1, %rs2};
tex.2d.v4.f32.s32 {%f1,%f2,%f3,%f4}|p, [gvar, {%r1, %r2}];
cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], [%r4];
vadd.s32.u32.s32.sat %r1, %r2.b0, -%r3.h1, %r4;`)
	m := inst(t, s[0])
	eq(t, "opcode", m.Opcode(), "wmma.mma.sync.aligned.m16n16k16.row.col.f32.f32")
	eq(t, "operands", len(m.Operands), 4)
	eq(t, "operands", len(inst(t, s[1]).Operands), 8)
	eq(t, "coordinates", len(inst(t, s[2]).Operands[1].Sub[0].Sub), 2)
	eq(t, "selector", inst(t, s[4]).Operands[2].Sel(), "h1")
	eq(t, "minus", inst(t, s[4]).Operands[2].Minus, true)
}

// What nvcc 3.1 to 4.0 and other writers of PTX leave: prototypes without a
// semicolon, .noinline behind the parameters, vector registers packed whole, and
// sums in place of a source.
func TestTrap15OldWriters(t *testing.T) {
	f := decls(t, module(`.extern .func (.param .b32 r) first
(
	.param .b32 a
)
.extern .func second ()
.global .u32 g;
.func third ()
.visible .entry k() { ret; }
.func (.param .b32 r) first (.param .b32 a) .noinline
{ st.param.b32 [r], 1; ret; }
.func second () .noinline .pragma "x"; { ret; }`))
	var names []string
	for _, d := range f.Decls {
		if fn, ok := d.(*Func); ok {
			names = append(names, fmt.Sprintf("%s %v %d", fn.Name, fn.Body != nil, len(fn.Directives)))
		}
	}
	eq(t, "functions", strings.Join(names, ", "), "first false 0, second false 0, third false 0, k true 0, first true 1, second true 2")
	_, err := Parse("t.ptx", []byte(module(".func f ()\nadd.u32 a, b, c;\n.entry k() .noinline\n.entry j() { ret; }")))
	wantErrors(t, err, "expected a performance directive", "expected a performance directive")
	body(t, `.reg .v2 .b32 v2; .reg .v4 .u16 v4; .reg .v2 .f32 f2;
mov.b64 v2, %rd1; mov.b64 %rd1, v2; mov.b64 %rd2, v4; mov.b64 f2, %fd1;
st.global.u32 [%rd1], %r1 + 1; st.global.v2.u32 [%rd1], {%r1-1, %r2}; add.u32 %r1, %r2+4, 1; st.global.u64 [%rd1], gvar+1;`)
	library := mustParse(t, "t.ptx", []byte(".version 6.0\n.target sm_70\n.func f() { ret; }"))
	if err := Check(library); err != nil {
		t.Errorf("a module without an entry: %v", err)
	}
}
