package cfront_test

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/verify/loopkit"
)

// tree holds files by path.
type tree map[string]string

func (f tree) headers(dirs ...string) cfront.Headers {
	return cfront.Headers{Dirs: dirs, Read: func(name string) (string, error) {
		switch text, ok := f[name]; {
		case ok:
			return text, nil
		case name == "d/fifo.h":
			return "", errors.New("d/fifo.h: no regular file")
		}
		return "", fs.ErrNotExist
	}}
}

func (f tree) parse(dirs ...string) (*loop.Unit, error) {
	return cfront.ParseWith("d/m.c", f["d/m.c"], nil, f.headers(dirs...))
}

const someLoop = "void f(void) {\n#pragma omp target teams distribute parallel for\n  for (int i = 0; i < N; i++) A[i] = 0;\n}\n"

// What files include makes one program, whose parts are where the files have them.
func TestInclude(t *testing.T) {
	files := tree{
		"d/m.c": "#include <math.h>\n" +
			"  # include \"size.h\" // the size\n" +
			"%:include \"sub/data.h\" /* * **/\n" +
			"/* #include \"nowhere.h\"\n#include \"nowhere.h\" */\n" +
			"#define TEXT \"/*\" \\\n#include\n" +
			"#if N > 100\n#include \"nowhere.h\"\n#else\n#include \"size.h\"\n#endif\n" +
			"#include \"kernel.h\"\n" +
			"void g(float x) {\n" +
			"#include \"body.inc\"\n" +
			"}\n",
		"d/size.h":        "#ifndef SIZE_H\n#define SIZE_H\n#define N 8\n#endif",
		"d/sub/data.h":    "\ufeff#pragma once\n#include \"more.h\"\r\n#include \"../once.h\"\nstatic float A[N];\n",
		"d/sub/more.h":    "#pragma once\r\nstatic const int half = N / 2;\n#include \"far.h\"\n",
		"inc/far.h":       "typedef float real; /* to be\n found */",
		"d/once.h":        "#pragma once\n#include \"sub/data.h2\"\n#include \"size.h\"\nstatic double B[N];",
		"d/sub/data.h2":   "",
		"inc/kernel.h":    "#include \"deep/tail.h\"\nvoid f(real x) {\n#pragma omp target teams distribute parallel for\n  for (int i = half; i < N; i++)\n    A[i] = x;\n}\n",
		"inc/deep/tail.h": "/* nothing */",
		"d/body.inc":      "#pragma omp target teams distribute \\\n parallel for\nfor (int i = 0; i < N; i++)\n  B[i] = x * half;\n",
		"inc/size.h":      "#error the folder of the file comes first\n",
	}
	p, err := files.parse("inc")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	note := func(at loop.Pos, format string, args ...any) {
		got = append(got, at.String()+" "+fmt.Sprintf(format, args...))
	}
	for _, a := range p.Arrays {
		note(a.At, "%s[%s]", a.Name, loop.ExprString(a.Extents[0]))
	}
	for _, fn := range p.Funcs {
		note(fn.At, "%s", fn.Name)
		note(fn.Params[0].Var.At, "%s", fn.Params[0].Var.Name)
		loop.WalkStmts(fn.Body, func(s loop.Stmt) { note(s.Position(), "%T", s) })
		loop.WalkExprs(fn.Body, func(e loop.Expr) { note(e.Position(), "%s", loop.ExprString(e)) })
	}
	want := []string{
		"d/once.h:4:15 B[8]",
		"d/sub/data.h:4:14 A[8]",
		"inc/kernel.h:2:6 f", "inc/kernel.h:2:13 x", "inc/kernel.h:3:9 *loop.Nest", "inc/kernel.h:4:3 *loop.For", "inc/kernel.h:5:5 *loop.Assign",
		"inc/kernel.h:4:16 4", "inc/kernel.h:4:26 8", "inc/kernel.h:5:5 A[i]", "inc/kernel.h:5:7 i", "inc/kernel.h:5:12 x",
		"d/m.c:14:6 g", "d/m.c:14:14 x", "d/body.inc:1:9 *loop.Nest", "d/body.inc:3:1 *loop.For", "d/body.inc:4:3 *loop.Assign",
	}
	if diff := cmp.Diff(want, got[:min(len(got), len(want))]); diff != "" {
		t.Errorf("want -, have +:\n%s", diff)
	}
	for _, s := range got {
		if strings.HasPrefix(s, "d/m.c") && !strings.HasPrefix(s, "d/m.c:14:") {
			t.Error(s)
		}
	}
	if p.File != "d/m.c" {
		t.Error(p.File)
	}
}

// Where something is wrong, the file and the line are named in which it is.
func TestIncludeErrors(t *testing.T) {
	deep := tree{"d/m.c": "#include \"0.h\"\n"}
	for i := range 100 {
		deep[fmt.Sprintf("d/%d.h", i)] = fmt.Sprintf("\n#include \"%d.h\"\n", i+1)
	}
	twice := tree{"d/m.c": "#include \"0.h\"\n"}
	for i := range 40 {
		twice[fmt.Sprintf("d/%d.h", i)] = strings.Repeat(fmt.Sprintf("#include \"%d.h\"\n", i+1), 2)
	}
	main := func(text string, files ...string) tree {
		f := tree{"d/m.c": text + "static float A[8];\n#undef N\n#define N 8\n" + someLoop}
		for i := 0; i+1 < len(files); i += 2 {
			f[files[i]] = files[i+1]
		}
		return f
	}
	for _, c := range []struct {
		name  string
		files tree
		dirs  []string
		want  string
	}{
		{"missing", main("\n#include \"x.h\"\n"), []string{"inc", "e/../inc2"}, `d/m.c:2:10: #include "x.h": no such file in d, inc, inc2 (the folder of the file that includes it, then those of -I)`},
		{"missing for another", main("#include \"a/x.h\"\n", "d/a/x.h", "\n\n #include \"y.h\"\n", "d/y.h", ""), nil, `d/a/x.h:3:11: #include "y.h": no such file in d/a (`},
		{"in brackets", main("#include <x.h>\n", "d/x.h", ""), []string{"d"}, `d/m.c:1:10: include file not found: <x.h>, expected math.h, stddef.h or stdint.h, or #include "name" for a file of the program`},
		{"of itself", main("#include \"x.h\"\n", "d/x.h", "\n#include \"x.h\"\n"), nil, `d/x.h:2:10: #include "x.h" is a circle: d/x.h includes d/x.h, expected files that do not include themselves`},
		{"of the main file", main("#include \"a/x.h\"\n", "d/a/x.h", "#include \"../m.c\"\n"), nil, `d/a/x.h:1:10: #include "../m.c" is a circle: d/m.c includes d/a/x.h, which includes d/m.c, `},
		{"of three", main("#include \"x.h\"\n", "d/x.h", "#include \"y.h\"\n", "d/y.h", "#include \"./././x.h\"\n"), nil, `d/y.h:1:10: #include "./././x.h" is a circle: d/x.h includes d/y.h, which includes d/x.h, `},
		{"absolute", main("#include \"/etc/passwd\"\n", "/etc/passwd", ""), nil, `d/m.c:1:10: #include "/etc/passwd" is an absolute path, expected one from the folder of the file or from one of -I`},
		{"no name", main("#include \"\"\n"), nil, `d/m.c:1:10: #include "": expected the name of a file`},
		{"unreadable", main("#include \"fifo.h\"\n"), nil, `d/m.c:1:10: #include "fifo.h": d/fifo.h: no regular file`},
		{"a macro", main("#define H \"x.h\"\n#include H\n", "d/x.h", ""), nil, `d/m.c:2:10: this form of #include is not supported, expected a line with #include "name", written out, and nothing besides`},
		{"more on the line", main("#include \"x.h\" int x;\n", "d/x.h", ""), nil, `d/m.c:1:10: this form of #include is not supported`},
		{"a comment to the next line", main("#include \"x.h\" /*\n*/\n", "d/x.h", ""), nil, `d/m.c:1:10: this form of #include is not supported`},
		{"include_next", main("#include_next \"x.h\"\n", "d/x.h", ""), nil, `d/m.c:1:15: this form of #include is not supported`},
		{"has_include", main("#if __has_include(\"x.h\")\n#endif\n", "d/x.h", ""), nil, `d/m.c:1:5: __has_include of a file that is no system header is not supported`},
		{"an open comment", main("#include \"x.h\"\n", "d/x.h", "\n/* for ever\n"), nil, `d/x.h:3:1: a comment that is open at the end of a header, expected */`},
		{"half a conditional", main("#include \"x.h\"\n#endif\n", "d/x.h", "\n#if 1\n"), nil, `d/x.h:2:1: a conditional that does not begin and end in this header, expected as many #endif as #if`},
		{"the other half", main("#if 1\n#include \"x.h\"\n", "d/x.h", "\n\n#endif\n"), nil, `d/x.h:3:1: a conditional that does not begin and end in this header`},
		{"else of another", main("#if 1\n#include \"x.h\"\n#endif\n", "d/x.h", "#else\n"), nil, `d/x.h:1:1: a conditional that does not begin and end in this header`},
		{"a zero byte", main("#include \"x.h\"\n", "d/x.h", "\n \x00"), nil, `d/x.h:2:2: a zero byte is not supported`},
		{"continued", main("#include \"x.h\"\n", "d/x.h", "int x \\\n"), nil, `d/x.h:1:7: a line that continues at the end of the file is not supported`},
		{"line", main("#include \"x.h\"\n", "d/x.h", "\n#line 7\n"), nil, `d/x.h:2:1: #line directive is not supported`},
		{"deep", deep, nil, `d/62.h:2:10: #include "63.h": 64 files include one another already, expected at most that`},
		{"brackets", main("#include \"x.h\"\n#include \"x.h\"\n", "d/x.h", "\n"+strings.Repeat("(", 150)+"\n"), nil, `d/x.h:2:51: brackets nested deeper than 200`},
		{"large", main("#include \"x.h\"\n#include \"x.h\"\n", "d/x.h", strings.Repeat("int x;\n", 20<<10)), nil, `d/m.c:1:1: more than 262144 bytes of source with all that is included`},
		{"exponential", twice, nil, `d/m.c:1:1: more than 262144 bytes of source with all that is included, the last of them line 1 of d/39.h`},
		{"syntax", main("#include \"x.h\"\n", "d/x.h", "\nint x = ;\n"), nil, `d/x.h:2:9: `},
		{"second declaration", main("#include \"x.h\"\n#include \"y.h\"\n", "d/x.h", "static int twice[4];\n", "d/y.h", "\nstatic float twice[4];\n"), nil, `d/y.h:2:14: `},
		{"a construct", main("#include \"x.h\"\n", "d/x.h", "static float A[8];\n"+strings.ReplaceAll(strings.ReplaceAll(someLoop, "f(", "h("), "N; i++) A[i] = 0", "8; i++) break")), nil, `d/x.h:4:31: break is not supported`},
		{"a directive", main("#include \"x.h\"\n", "d/x.h", "\n#pragma omp target data map(to: A)\n"), nil, `d/x.h:2:9: directive omp target data map ( to : A ) precedes no loop`},
		{"once in a conditional", main("#include \"x.h\"\n", "d/x.h", "#ifndef X\n#define X\n#pragma once\n#endif\n"), nil, `d/x.h:3:9: #pragma once in a conditional, or with more on its line, is not supported`},
		{"behind a header", main("#include \"x.h\"\nfloat z = 2;\n", "d/x.h", "#pragma once\n\n\n"), nil, `d/m.c:2:7: scalar z of file scope that is no initialised constant`},
	} {
		_, err := c.files.parse(c.dirs...)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v\nwant %s", c.name, err, c.want)
		}
	}
}

// What the preprocessor skips may be anything.
func TestSkippedIncludes(t *testing.T) {
	for _, skipped := range []string{`#include "nowhere.h"`, `#include "/dev/zero"`, `#include ""`, `#include "m.c"`, `#include "fifo.h"`, `#include "half.h"`, `#include NAME`} {
		files := tree{"d/m.c": "#if 0\n\n" + skipped + "\n#endif\nstatic float A[8];\n#define N 8\n" + someLoop, "d/half.h": "#if 1\n/*"}
		p, err := files.parse()
		if err != nil {
			t.Errorf("%s: %v", skipped, err)
		} else if at := p.Funcs[0].At.String(); at != "d/m.c:7:6" {
			t.Errorf("%s: %s", skipped, at)
		}
	}
}

// A program is the same whether it is in one piece or its lines come from headers,
// however they are cut; places aside.
func TestCutIntoHeaders(t *testing.T) {
	elsewhere := 0
	for _, file := range inputs(t, "golden", 6) {
		whole := read(t, file)
		want, err := cfront.Parse("m.c", whole, nil)
		if err != nil {
			t.Fatal(err)
		}
		list := strings.SplitAfter(whole, "\n")
		for size := 1; size < len(list); size = size*2 + 1 {
			files := tree{}
			var main strings.Builder
			for i := 0; i < len(list); i += size {
				part := strings.Join(list[i:min(i+size, len(list))], "")
				name := fmt.Sprintf("part%d.h", i)
				if strings.HasSuffix(strings.TrimSpace(part), `\`) || strings.Contains(part, "#include") || strings.Count(part, "#if") != strings.Count(part, "#endif") || i > 0 && strings.HasSuffix(list[i-1], "\\\n") {
					main.WriteString(part)
					continue
				}
				files[path.Join("d", name)] = part
				fmt.Fprintf(&main, "#include %q\n", name)
			}
			got, err := cfront.ParseWith("d/m.c", main.String(), nil, files.headers())
			if err != nil {
				t.Errorf("%s by %d lines: %v", file, size, err)
				continue
			}
			strip := func(p *loop.Unit) []string {
				lines := strings.Split(loopkit.Print(p), "\n")[1:]
				for i, s := range lines {
					lines[i], _, _ = strings.Cut(s, " @")
				}
				return lines
			}
			if diff := cmp.Diff(strip(want), strip(got)); diff != "" {
				t.Errorf("%s by %d lines: %s", file, size, diff)
			}
			places := 0
			for _, f := range got.Funcs {
				loop.WalkExprs(f.Body, func(e loop.Expr) {
					if p := e.Position(); p.File != "d/m.c" {
						places++
						if n := strings.Count(files[p.File], "\n") + 1; p.Line < 1 || p.Line > n {
							t.Errorf("%s by %d lines: %v of %d lines", file, size, p, n)
						}
					}
				})
			}
			elsewhere += places
		}
	}
	if elsewhere < 1000 {
		t.Errorf("only %d expressions are in headers", elsewhere)
	}
}
