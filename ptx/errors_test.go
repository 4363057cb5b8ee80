package ptx

import (
	"errors"
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
			[]string{`15:11: "x" is declared twice in one scope, expected another name; first at 14:11`}},
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
		{"destinations", kernel("mov.u32 %tid.x, 1;\nmov.u32 5, %r1;\nmov.u32 gvar, %r1;\nmov.u32 !%r1, %r2;\nmov.u32 %r1, -%r2;\nmov.u32 %r1, %r2+4;"),
			[]string{"read-only", "destination is no register", `"gvar" is a variable, expected a register`, "'!' before", "'-' before", "offset added to register"}},
		{"calls", module(".func (.param .u32 o) f(.param .u32 a, .param .u32 b) { ret; }\n.entry k() {\n.reg .u32 r; .reg .u64 rd;\n.param .u32 x;\ncall f;\ncall (x), f, (x);\ncall (5), f, (x, 1);\ncall k;\ncall rd, (x);\n.local .u32 l;\ncall (r), f, (l, r);\n}"),
			[]string{"takes 0 results, expected 1", "passes 0 arguments, expected 2", "passes 1 arguments, expected 2", "constant takes a result",
				`call of entry "k"`, "indirect call without targets", `"l" is in .local`}},
		{"declarations", module(".global .pred p;\n.global .f16x2 h;\n.global .align 3 .u32 a;\n.shared .u32 s = 5;\n.global .u32 t[2] = {1, 2, 3};\n.global .u32 f = 1.5;\n.global .u16 n = t;\n.global .u32 m[2][];\n.global .u32 x<5>;\n.entry k(.reg .u32 r) { .reg .u32 y[5]; ret; }"),
			[]string{".pred variable in .global", "expected a power of two", "initialised variable in .shared", "3 initialisers, expected at most 2",
				"a float initialises a .u32", "an address initialises a .u16", "dimension 2 of \"m\" is open", "is a range", "expected .param", "is an array or initialised"}},
		{"no entry", ".version 6.0\n.target sm_70\n.func f() { ret; }", []string{"1:1: no .entry, expected a kernel"}},
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
	if !errors.As(err, &one) || one.Pos != (Pos{14, 9}) {
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
	} {
		t.Run(c.name, func(t *testing.T) {
			start := time.Now()
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
			if d := time.Since(start); d > 5*time.Second {
				t.Errorf("took %v", d)
			}
		})
	}
}
