package ptx

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// wantErrors fails the test unless err is a list of as many errors as there
// are parts, each containing its part.
func wantErrors(t *testing.T, err error, parts ...string) {
	t.Helper()
	var list ErrorList
	if !errors.As(err, &list) {
		t.Fatalf("error is %v, want a list", err)
	}
	if len(list) != len(parts) {
		t.Errorf("%d errors, want %d:\n%v", len(list), len(parts), err)
	}
	for i, p := range parts {
		if i < len(list) && !strings.Contains(list[i].Error(), p) {
			t.Errorf("error %d is %q, want %q in it", i, list[i], p)
		}
	}
}

func TestSyntaxErrors(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      []string
	}{
		{"missing semicolon", kernel("add.u32 %r1, %r2, %r3\nadd.u32 %r1, %r2, %r3;\nsub.u32 %r1 %r2;"),
			[]string{`t.ptx:15:1: found "add", expected ';' after the operands`, `t.ptx:16:13: found "%r2", expected ';'`}},
		{"recovery at the next statement", kernel("add.u32 %r1, [[, 5;\nadd.u32 ;\nmov.u32 %r1, {1,;\nadd.u32 %r1, %r2, +;\nret;"),
			[]string{"14:15: ", "16:17: ", "17:20: "}},
		{"bad numbers", kernel("mov.u32 %r1, 0x;\nmov.u32 %r1, 09;\nmov.f32 %f1, 0f123;\nmov.u32 %r1, 12q;\nmov.u64 %rd1, 99999999999999999999;"),
			[]string{"malformed number", "malformed number", "malformed number", "malformed number", "malformed number"}},
		{"division by zero", kernel("mov.u32 %r1, 5 / 0;\nmov.u32 %r1, ~1.5;"), []string{"division by zero", "'~' of a float"}},
		{"guard", kernel("@ mov.u32 %r1, 1;\n@%p1;\n@!5 ret;"), []string{"expected an instruction after the guard", "expected an instruction", "expected a predicate register"}},
		{"unclosed string", module(".file 1 \"abc\n.entry k() { ret; }"), []string{"4:9: string is not closed"}},
		{"unclosed comment", module(".entry k() { ret; } /* abc"), []string{"4:21: comment is not closed"}},
		{"unclosed block", module(".entry k() {\n ret;"), []string{"4:12: block is not closed, expected '}'"}},
		{"function in block", module(".entry k() {\n ret;\n.visible .entry j() { ret; }"), []string{"function begins inside of a block"}},
		{"unclosed section", module(".section .debug_info { .b8 1"), []string{"section \".debug_info\" is not closed"}},
		{"header", ".version x\n.target 5\n.address_size 12\n.version 7", []string{"a version such as", "a target such as", "expected 32 or 64", "a version such as"}},
		{"unknown directives", module(".entri k() { ret; }\n.global .u99 x;\n.visible .foo;\n.entry j() .maxntid { .reg .u32 r; }\n}"),
			[]string{"expected a module-level directive", "expected a type", "expected .entry, .func or a state space", "the argument of .maxntid", "a module-level directive"}},
		{"stray text", module("add.u32 a, b, c;"), []string{`found "add" outside of any function`}},
		{"address", kernel("ld.global.u32 %r1, [%rd1+%rd2];\nld.global.u32 %r1, [%rd1"), []string{"expected a constant", "found \"}\", expected '+', '-' or ']'"}},
		{"directive without label", kernel(".branchtargets L;"), []string{"has no label"}},
		{"preprocessor", "#define X 1\n# 5 \"file\"\n" + module(".entry k() { ret; }"), []string{"1:1: unexpected character '#'", "1:2: found \"define\""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse("t.ptx", []byte(c.src))
			wantErrors(t, err, c.want...)
		})
	}
}

func TestCheckErrors(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      []string
	}{
		{"undeclared", kernel("add.u32 %r1, x, 1;\nbra nowhere;\nld.global.u32 %r1, [y];\n@z ret;\n{ L: }\nbra L;"),
			[]string{`14:14: "x" is not declared, expected a register, a variable or a function`, `15:5: "nowhere" is not declared, expected a label`,
				`16:20: "y" is not declared`, `17:2: "z" is not declared`, `19:5: "L" is not declared`}},
		{"wrong kind", kernel("L: bra gvar;\nadd.u32 %r1, L, 1;\nbra %r1;\ncall gvar;"),
			[]string{`"gvar" is a variable, expected a label`, `"L" is a label`, `"%r1" is a register, expected a label`, `"gvar" is a variable, expected a function or a register`}},
		{"duplicates", kernel(".reg .b32 a, a;\n.reg .b32 %r<5>;\n.reg .b32 %r7;\nL:\nL:\n.reg .u32 par;"),
			[]string{`14:14: "a" is declared twice`, `15:11: "%r" is declared twice`, `16:11: "%r7" is declared twice`, `18:1: "L" is declared twice in one scope, expected another name; first at 17:1`, `"par" is declared twice`}},
		{"overlapping ranges", kernel(".reg .b32 x5, x3, x07, x9;\n.reg .b32 x<9>;\n.reg .b32 x8;"),
			[]string{`15:11: "x" is declared twice in one scope, expected another name; first at 14:15`}},
		{"types", kernel("add.u32 %f1, %r1, %r2;\nadd.f32 %f1, %fd1, %f2;\nadd.u64 %rd1, %r1, %rd2;\nmov.pred %p1, %r1;\nshl.b64 %rd1, %rd1, %rd2;\nmul.wide.u32 %r1, %r2, %r3;\nsetp.eq.u32 %r1, %r2, %r3;"),
			[]string{`14:9: "%f1" has type .f32, expected an integer or .b32 register of 32 bits`, `"%fd1" has type .f64, expected a .f32 or .b32 register`,
				`"%r1" has type .b32, expected an integer or .b64`, `"%r1" has type .b32, expected a .pred register`,
				`"%rd2" has type .b64, expected an integer or .b32`, `"%r1" has type .b32, expected an integer or .b64`, `"%r1" has type .b32, expected a .pred`}},
		{"wider registers", kernel("ld.global.u8 %r1, [%rd1];\ncvt.u16.u8 %r1, %rs1;\nst.global.u64 [%rd1], %r1;\nld.global.f32 %fd1, [%rd1];\nld.global.s16 %f1, [%rd1];"),
			[]string{`16:23: "%r1" has type .b32, expected a register that holds a .u64, of its size or wider`, `"%fd1"`, `"%f1"`}},
		{"constants", kernel("add.f32 %f1, %f2, 1;\nadd.u32 %r1, %r2, 1.5;\nmov.b32 %r1, 0f3F800000;\nlop3.b32 %r1, %r2, %r3, %r4, %r5;"),
			[]string{"integer in the place of a .f32", "float constant, expected", "is not an integer constant"}},
		{"counts", kernel("add.u32 %r1, %r2;\nbar.sync;\nret %r1;\nld.global.u32 %r1;\nbar.sync 0, 32, 5;"),
			[]string{`instruction "add.u32" has 2 operands, expected 3`, `"bar.sync" has 0 operands, expected 1 or 2`,
				`"ret" has 1 operands, expected 0`, `has 1 operands, expected 2 or 3`, "expected 1 or 2"}},
		{"modifiers", kernel("add.foo.u32 %r1, %r2, %r3;\nadd.sat.u32 %r1, %r2, %r3;\nmul.u32 %r1, %r2, %r3;\nfoo.u32 %r1;\nadd.u32.u32 %r1, %r2, %r3;\nsetp.ltu.s32 %p1, %r1, %r2;"),
			[]string{`modifier ".foo" does not fit instruction "add.foo.u32"`, `"add.sat.u32"`, `"mul.u32" lacks a modifier, expected one of .lo .hi`,
				`unknown opcode "foo"`, `does not fit`, `modifier ".s32" does not fit instruction "setp.ltu.s32"`}},
		{"vectors", kernel("ld.global.v4.u32 {%r1, %r2}, [%rd1];\nld.global.v2.u32 %r1, [%rd1];\nmov.b64 {%r1, %r2, %r3}, %rd1;\nmov.u64 {%r1, %r2}, %rd1;\nmov.b32 {%r1, %r2}, %r3;\n.reg .v4 .f32 quad;\nadd.f32 %f1, quad.x, quad.q;\nadd.f32 %f1, quad, %f1;\nld.global.v4.f32 quad, [%rd1];"),
			[]string{"vector of 2 elements, expected 4", `has 1 components, expected 2`, "3 elements in a .b64", "2 elements in a .u64",
				"expected a register of 16 bits", "expected a register of 16 bits", `"quad" has no component .q`, "is a vector register"}},
		{"addresses", kernel("ld.global.u32 %r1, [%rs1];\nld.global.u32 %r1, [%f1];\nld.global.u32 %r1, %rd1;\nld.shared.u32 %r1, [gvar];\nst.global.u32 [par], %r1;\nmov.u16 %rs1, gvar;"),
			[]string{`"%rs1" has type .b16, expected a register of 32 or 64 bits`, `"%f1"`, "operand is no address", `"gvar" is in .global, expected a variable in .shared`,
				`"par" is in .param, expected a variable in .global`, `address of "gvar"`}},
		{"destinations", kernel("mov.u32 %tid.x, 1;\nmov.u32 5, %r1;\nmov.u32 gvar, %r1;\nmov.u32 !%r1, %r2;\nmov.u32 %r1, -%r2;\nmov.f32 %f1, %f2+4;\nmov.u32 %r1, %laneid+4;\n.reg .v2 .b32 v2; mov.b64 v2, {%r1, %r2};\nadd.u32 %r1, %laneid.x, 1;"),
			[]string{"read-only", "destination is no register", `"gvar" is a variable, expected a register`, "'!' before", "'-' before", `offset added to "%f2"`, `offset added to "%laneid"`, "of a vector to a vector", `"%laneid" has no component .x`}},
		{"calls", module(".func (.param .u32 o) f(.param .u32 a, .param .u32 b) { ret; }\n.entry k() {\n.reg .u32 r; .reg .u64 rd;\n.param .u32 x;\ncall f;\ncall (x), f, (x);\ncall (5), f, (x, 1);\ncall k;\ncall rd, (x);\n.local .u32 l;\ncall (r), f, (l, r);\n}"),
			[]string{"takes 0 results, expected 1", "passes 0 arguments, expected 2", "passes 1 arguments, expected 2", "constant takes a result",
				`call of entry "k"`, "indirect call without targets", `"l" is in .local`}},
		{"declarations", module(".global .pred p;\n.global .f16x2 h;\n.global .align 3 .u32 a;\n.shared .u32 s = 5;\n.global .u32 t[2] = {1, 2, 3};\n.global .u32 f = 1.5;\n.global .u16 n = t;\n.global .u32 m[2][];\n.global .u32 x<5>;\n.entry k(.reg .u32 r) { .reg .u32 y[5]; ret; }"),
			[]string{".pred variable in .global", "expected a power of two", "initialised variable in .shared", "3 initialisers, expected at most 2",
				"a float initialises a .u32", "an address initialises a .u16", "dimension 2 of \"m\" is open", "is a range", "expected .param", "is an array or initialised"}},
		{"extents", module(".global .b8 a[];\n.shared .b8 b[];\n.const .u32 c[0];\n.global .u32 d[0x4000000000000000];\n.global .b8 e[0x100000000][0x80000000];\n.global .b8 big[0x7fffffffffffffff];\n.extern .global .b8 g[];\n.extern .shared .b8 h[];\n.global .b8 i[] = {1};\n.func f(.param .b8 j[]);\n.entry k(.param .u32 l[]) { .local .u32 m[]; ret; }"),
			[]string{`4:13: "a" has no size`, `5:13: "b" has no size`, `6:13: dimension 1 of "c" is 0`, `7:14: "d" has 2^63 bytes or more`, `8:13: "e" has 2^63 bytes`, `14:22: parameter "l" of an entry has no size`, `14:41: "m" has no size`}},
		{"targets", ".version 6.0\n.target sm_99, foo, debug\n.entry k() { ret; }", []string{`2:9: target "sm_99" is not known, expected an architecture from sm_10 to sm_121`, `2:16: target option "foo" is not known, expected one of texmode_unified`}},
		{"version", ".version 9.9\n.target sm_70\n.entry k() { ret; }", []string{`1:10: version 9.9 is not known, expected one of PTX ISA from 1.0 to 9.4`}},
		{"version 0", ".version 0.0\n.target sm_70\n.entry k() { ret; }", []string{`1:10: version 0.0 is not known`}},
		{"new versions", ".version 8.5\n.target sm_90a, sm_100, sm_100a, sm_120\n.entry k() { ret; }", []string{`2:17: target "sm_100" with .version 8.5, expected .version 8.6 or later`, `2:25: target "sm_100a"`, `"sm_120" with .version 8.5, expected .version 8.7 or later`}},
		{"families", ".version 8.7\n.target sm_101, sm_120a, sm_103, sm_100f, sm_121\n.entry k() { ret; }", []string{`"sm_103" with .version 8.7, expected .version 8.8`, `"sm_100f" with .version 8.7, expected .version 8.8`, `"sm_121"`}},
		{"renamed", ".version 8.8\n.target sm_121f, sm_110, sm_110f, sm_88\n.entry k() { ret; }", []string{`"sm_110" with .version 8.8, expected .version 9.0`, `"sm_110f" with .version 8.8, expected .version 9.0`, `"sm_88"`}},
		{"newest", ".version 9.3\n.target sm_110a, sm_88, sm_107\n.entry k() { ret; }", []string{`"sm_107" with .version 9.3, expected .version 9.4`}},
		{"option first", ".version 6.0\n.target debug\n.entry k() { ret; }", []string{`2:9: target "debug" is not known`}},
		{"suffix", ".version 8.8\n.target sm_80a, sm_90f, sm_90a, sm_100f, compute_70\n.entry k() { ret; }", []string{`"sm_80a"`, `"sm_90f"`}},
		{"aliases", module(".func a;\n.func b;\n.func c;\n.alias a, b;\n.alias b, a;\n.alias c, c;\n.func body { ret; }\n.func d;\n.alias d, body;\n.func e;\n.alias e, d;\n.alias g, body;\n.func h { ret; }\n.alias h, body;\n.func i(.param .u32 x);\n.alias i, body;\n.func j;\n.alias j, k;\n.func l;\n.func m;\n.alias l, m;\n.weak .func n { ret; }\n.func o;\n.alias o, n;\n.alias p, nothing;\n.entry k() { ret; }"),
			[]string{`7:1: "a" is an alias of itself through "a"`, `8:1: "b" is an alias of itself`, `9:1: "c" is an alias of itself`, `15:1: "g" is not declared, expected a prototype`,
				`17:1: "h" has a body of its own`, `19:1: "i" has 0 results and 1 parameters, expected 0 and 0`, `21:1: "j" is an alias of the entry "k"`, `24:1: "l" is an alias of "m", which has no body`, `27:1: "o" is an alias of "n", which is .weak`, `28:1: "nothing" is not declared`}},
		{"no header", ".entry k() { ret; }", []string{"no .version directive", "no .target directive"}},
		{"entry twice", module(".entry k() { ret; }\n.entry k() { ret; }"), []string{`5:8: "k" is declared twice`}},
		{"branch targets", kernel("T: .branchtargets L, M;\nL: brx.idx %r1, T;"), []string{`"M" is not declared, expected a label`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantErrors(t, Check(mustParse(t, "t.ptx", []byte(c.src))), c.want...)
		})
	}
}

func TestErrorLimit(t *testing.T) {
	_, err := Parse("t.ptx", []byte(kernel(strings.Repeat("add.u32 %r1 %r2;\n", 100))))
	var list ErrorList
	if !errors.As(err, &list) || len(list) != MaxErrors {
		t.Errorf("%d errors from the parser, want %d", len(list), MaxErrors)
	}
	err = Check(mustParse(t, "t.ptx", []byte(kernel(strings.Repeat("add.u32 x, y, z;\n", 100)))))
	if !errors.As(err, &list) || len(list) != MaxErrors {
		t.Errorf("%d errors from the checker, want %d", len(list), MaxErrors)
	}
	var one *Error
	if !errors.As(err, &one) || one.Pos.Line != 14 || one.Pos.Col != 9 {
		t.Errorf("first error is %v, want one at 14:9", one)
	}
}

// TestHugeInputs holds the parser to linear time and bounded depth.
func TestHugeInputs(t *testing.T) {
	n := 600_000
	for _, c := range []struct{ name, src, want string }{
		{"nested blocks", kernel(strings.Repeat("{", n) + strings.Repeat("}", n)), "nesting is deeper"},
		{"nested blocks of a module", strings.Repeat("{", n), "expected a module-level directive"},
		{"nested vectors", kernel("mov.u32 " + strings.Repeat("{", n) + strings.Repeat("}", n) + ";"), "nesting is deeper"},
		{"nested parentheses", kernel("mov.u32 %r1, " + strings.Repeat("(", n) + "1" + strings.Repeat(")", n) + ";"), "nesting is deeper"},
		{"signs", kernel("mov.u32 %r1, " + strings.Repeat("-", n) + "1;"), "nesting is deeper"},
		{"indices", kernel("mov.u32 %r1, " + strings.Repeat("a[", n) + ";"), "nesting is deeper"},
		{"masks", module(".global .u32 x = " + strings.Repeat("1(", n) + ";"), "nesting is deeper"},
		{"bad bytes", strings.Repeat("\xff ", n), "unexpected character"},
		{"open section", module(".section .debug_info " + strings.Repeat("{", n)), "is not closed"},
		{"long line", kernel(strings.Repeat("add.u32 %r1, %r2, %r3; ", n/10)), ""},
		{"long name", kernel("L" + strings.Repeat("x", 1<<20) + ":"), ""},
		{"digits", kernel(".reg .u32 z<9>; mov.u32 %r1, z" + strings.Repeat("1", 100_000) + ";"), ""},
		{"names and ranges", kernel(manyNames(100_000)), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			// Texts that take a time quadratic in their length would take hours.
			guard := time.AfterFunc(time.Minute, func() { panic("still at work after a minute: " + c.name) })
			defer guard.Stop()
			f, err := Parse("t.ptx", []byte(c.src))
			switch {
			case c.want == "" && err != nil:
				t.Errorf("Parse: %.200s", err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("Parse: %.200v, want %q", err, c.want)
			}
			if f != nil {
				_ = Check(f)
			}
		})
	}
}

// TestFragments breaks one construct at a time: each must give its one error.
func TestFragments(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`.pragma x;`, "expected a string after .pragma"},
		{`.pragma "x"`, "expected ';' after .pragma"},
		{`.file x "y"`, "expected a file index"},
		{`.file 1 y`, "expected a file name in quotes"},
		{`.file 1 "y", z`, "expected a time stamp"},
		{`.file 1 "y", 1`, "expected ',' and the file size"},
		{`.file 1 "y", 1, z`, "expected a file size"},
		{`.loc x`, "expected a file index"},
		{`.loc 1 x`, "expected a line number"},
		{`.loc 1 1 x`, "expected a column number"},
		{`.loc 1 1 1, 5`, "expected function_name or inlined_at"},
		{`.loc 1 1 1, foo 5`, `found "foo", expected function_name or inlined_at`},
		{`.loc 1 1 1, function_name 5`, "expected the label of a function name"},
		{`.loc 1 1 1, function_name f + x`, "expected an offset"},
		{`.loc 1 1 1, inlined_at 1 2`, "expected a column number"},
		{`.section 5 { }`, "expected a section name"},
		{`.section .debug_info;`, "expected '{' and the contents"},
		{`.global .u32;`, "expected a name"},
		{`.global x;`, "expected a type such as .u32"},
		{`.global .align x .u32 y;`, "expected an alignment in bytes"},
		{`.global .u32 .u32 x;`, "expected a type, .align"},
		{`.global .attribute .u32 x;`, "expected '(' after .attribute"},
		{`.global .attribute(managed) .u32 x;`, "expected an attribute such as .managed"},
		{`.global .attribute(.unified(x)) .u32 x;`, "expected an integer"},
		{`.global .attribute(.unified(1 2)) .u32 x;`, "expected ')'"},
		{`.global .attribute(.managed .u32 x;`, "expected ',' or ')' after the attribute"},
		{`.global .u32 x[1.5];`, "array dimension is not a non-negative integer"},
		{`.global .u32 x[-1];`, "array dimension is not a non-negative integer"},
		{`.global .u32 x[1;`, "expected ']' after the array dimension"},
		{`.reg .u32 x<y>;`, "expected a number of registers"},
		{`.reg .u32 x<5;`, "expected '>' after the number of registers"},
		{`.const[x] .u32 y;`, "expected a bank number"},
		{`.const[1 .u32 y;`, "expected ']'"},
		{`.global .u8 x = 0xFF(5);`, "a mask is not applied to a symbol"},
		{`.global .u8 x = 0xFF(y;`, "expected ')' after the symbol"},
		{`.global .u64 x = generic(5);`, "expected a symbol"},
		{`.global .u64 x = y+1.5;`, "offset is not an integer"},
		{`.global .samplerref x = {a = {1}};`, "found a value of another kind"},
		{`.global .u64 x = 1 ? 2;`, "expected ':' in the conditional expression"},
		{`.global .u32 x = {1 2};`, "expected ',' or '}' in the list"},
		{`.global .u32 x = "abc";`, "found a string, expected an operand"},
		{`.alias 5, f;`, "expected the name of the alias"},
		{`.alias g f;`, "expected ',' and the function it stands for"},
		{`.alias g, 5;`, "expected the function the alias stands for"},
		{`.func 5() { ret; }`, "expected the name of the function"},
		{`.func f(.u32 x) { ret; }`, "expected .param or .reg"},
		{`.func f(.param .u32 x .param .u32 y) { ret; }`, "expected ',' or ')' after the parameter"},
		{`.func f .foo 5 { ret; }`, "expected a performance directive"},
		{`.func f`, "expected a performance directive, '{' and the body, or ';'"},
		{`.func f { .foo 1; }`, "expected a state space such as .reg, or a statement"},
		{`.func f { call 5; }`, "call of something without a name"},
		{`.func f { call (a b), g; }`, "expected ',' or ')' in the list"},
		{`.func f { call (a) g; }`, "expected ',' and the function to call"},
		{`.func f { call g, (a), 5; }`, "expected arguments in parentheses, or the targets of the call"},
		{`.func f { call g (a); }`, "expected ';' after the call"},
		{`.func f { p: .callprototype g; }`, "expected '_'"},
		{`.func f { p: .callprototype _ .foo; }`, "expected a performance directive"},
		{`.func f { p: .branchtargets 5; }`, "expected a label"},
		{`.func f { p: .calltargets 5; }`, "expected the name of a function"},
		{`.func f { ld.u32 r, [1.5]; }`, "address is not an integer"},
		{`.func f { ld.u32 r, [a, ]; }`, "expected an operand"},
		{`.func f { mov.u32 r, a[{1}]; }`, "found an array index of another kind"},
		{`.func f { mov.u32 r, a[1; }`, "expected ']' after the index"},
		{`.func f { setp.eq.u32 p|, a, b; }`, "expected an operand"},
		{`.func f { mov.u32 r, ); }`, `found ")", expected an operand`},
		{`.func f { ] }`, "expected an instruction, a label or a directive"},
	} {
		_, err := Parse("t.ptx", []byte(module(c.text)))
		wantErrors(t, err, c.want)
		if t.Failed() {
			t.Fatalf("fragment: %s", c.text)
		}
	}
}

// manyNames declares n plain registers and n ranges that do not overlap.
func manyNames(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ".reg .b32 a%d, b%dx<9>;\n", i, i)
	}
	return b.String()
}
