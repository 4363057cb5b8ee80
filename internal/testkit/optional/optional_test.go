package optional

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/testkit/settings"
)

var (
	here   = Tool{"here", "here", "a package"}
	absent = Tool{"absent", "no-such-program", "another package"}
)

// TestInside is what TestSkipsAreCounted runs in a process of its own; by itself it shows that a program is found.
func TestInside(t *testing.T) {
	dir := t.TempDir()
	want := filepath.Join(dir, here.Program)
	if err := os.WriteFile(want, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	if settings.Child("optional") == "" {
		t.Setenv(settings.ToolsLogName, "")
		if got := Path(t, here); got != want || !Found(here) || Found(absent) {
			t.Errorf("found %q, want %q", got, want)
		}
		return
	}
	Each(t, []Tool{here, GLPK, absent}, func(t *testing.T, path string) {
		if path != want {
			t.Errorf("found %q, want %q", path, want)
		}
	})
}

func TestSkipsAreCounted(t *testing.T) {
	for _, c := range []struct {
		require string
		fails   bool
		log     []string
		says    string
	}{
		{"", false, []string{"ran\there", "skipped\tglpk", "skipped\tabsent"}, "glpsol is not on PATH (Debian package glpk-utils)"},
		{"cbc, clang", false, []string{"ran\there", "skipped\tglpk", "skipped\tabsent"}, "no-such-program is not on PATH (Debian package another package)"},
		{"cbc,glpk", true, []string{"ran\there", "skipped\tabsent"}, "glpsol is not on PATH (Debian package glpk-utils), and WARPBOUND_REQUIRE_TOOLS asks for it"},
		{"cbc,glkp", true, []string{"ran\there"}, `no tool is called "glkp", want some of clang-14,clang-16,`},
	} {
		log := filepath.Join(t.TempDir(), "log")
		cmd := exec.Command(os.Args[0], "-test.run=^TestInside$", "-test.v")
		cmd.Env = append(os.Environ(), settings.AskChild("optional", "yes"), settings.RequireToolsName+"="+c.require, settings.ToolsLogName+"="+log)
		out, err := cmd.CombinedOutput()
		if (err != nil) != c.fails || !strings.Contains(string(out), c.says) {
			t.Errorf("%q: %v, want %q in\n%s", c.require, err, c.says, out)
		}
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		if !slices.EqualFunc(lines, c.log, func(line, want string) bool {
			return strings.HasPrefix(line, want+"\toptional\tTestInside/"+strings.TrimPrefix(strings.TrimPrefix(want, "ran\t"), "skipped\t"))
		}) {
			t.Errorf("%q: the log is\n%s", c.require, text)
		}
	}
}

func TestRequired(t *testing.T) {
	for _, c := range []struct {
		list string
		tool Tool
		want bool
	}{
		{"", CBC, false}, {"cbc", CBC, true}, {"cbc", GLPK, false}, {"clang", Clang14, true}, {"clang", Clang19, true},
		{" glpk , clang-16,", Clang16, true}, {"clang-16", Clang14, false}, {"gcc", GXX, false}, {"nvcc", NVCC, true},
		{"openmp", OpenMPClang, true}, {"clang", OpenMPClang, false},
	} {
		if got, err := required(c.list, c.tool); err != nil || got != c.want {
			t.Errorf("%q, %s: %v, %v, want %v", c.list, c.tool.Name, got, err, c.want)
		}
	}
	if _, err := required("clang-1", CBC); err == nil {
		t.Error("half a name is a name")
	}
}

// TestNobodyElseSkips reads the tests of all packages: none looks for a program or skips itself but by way of this package,
// so that no skip goes uncounted.
func TestNobodyElseSkips(t *testing.T) {
	read, using := 0, 0
	err := filepath.WalkDir("../../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != ".." {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || filepath.Base(filepath.Dir(path)) == "optional" {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		imports := func(name string) bool {
			return slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"`+name+`"` })
		}
		if !imports("testing") {
			return nil
		}
		read++
		if imports("github.com/warpbound/warpbound/internal/testkit/optional") {
			using++
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if s, ok := call.Fun.(*ast.SelectorExpr); ok && slices.Contains([]string{"Skip", "Skipf", "SkipNow", "LookPath"}, s.Sel.Name) {
				t.Errorf("%s: %s is for package optional, which counts what is skipped", path, s.Sel.Name)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if read < 100 || using < 4 {
		t.Errorf("%d files with tests read, %d of which use optional programs", read, using)
	}
}
