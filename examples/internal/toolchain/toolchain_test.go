package toolchain

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// fakeClang puts an executable of that name and behaviour into a fresh directory and makes it the only one on PATH.
func fakeClang(t *testing.T, name, script string) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	t.Setenv("CLANG", "")
	return path
}

func TestClang(t *testing.T) {
	path := fakeClang(t, "clang-18", "")
	if got, err := Clang(); err != nil || got != path {
		t.Errorf("Clang() = %q, %v, want %q", got, err, path)
	}
	t.Setenv("CLANG", "no-such-compiler")
	if _, err := Clang(); err == nil || !strings.Contains(err.Error(), "no-such-compiler") {
		t.Errorf("a compiler named by CLANG that is missing gives error %v", err)
	}
	t.Setenv("CLANG", "")
	t.Setenv("PATH", t.TempDir())
	if _, err := Clang(); err == nil || !strings.Contains(err.Error(), "no clang found (looked for clang-19, ") {
		t.Errorf("no compiler gives error %v", err)
	}
}

func TestPTX(t *testing.T) {
	src := filepath.Join(t.TempDir(), "k.cu")
	clang := fakeClang(t, "clang", `echo "$@" >&2; echo ".version 6.0"`)
	if err := PTX(clang, src, "include"); err != nil {
		t.Fatal(err)
	}
	ptx := strings.TrimSuffix(src, ".cu") + ".ptx"
	if got, err := os.ReadFile(ptx); err != nil || string(got) != ".version 6.0\n" {
		t.Errorf("the PTX is %q, %v, want the compiler's standard output", got, err)
	}

	clang = fakeClang(t, "clang", `echo "k.cu:1:1: error: no such thing" >&2; echo half; exit 1`)
	err := PTX(clang, src, "include")
	if err == nil || !strings.Contains(err.Error(), "no such thing") || !strings.Contains(err.Error(), src) {
		t.Errorf("a failing compiler gives error %v, want its diagnostics and the source's name", err)
	}
	if got, _ := os.ReadFile(ptx); string(got) != ".version 6.0\n" {
		t.Errorf("a failing compiler leaves the PTX as %q", got)
	}
	if err := PTX(filepath.Join(t.TempDir(), "gone"), src, "include"); err == nil {
		t.Error("a compiler that is gone gives no error")
	}
}

// fakes makes executables that do the same the only ones on PATH.
func fakes(t *testing.T, script string, names ...string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	for _, v := range []string{"CLANG", "LLD", "RISCV_GCC"} {
		t.Setenv(v, "")
	}
}

func TestFindRISCV(t *testing.T) {
	for _, c := range []struct {
		installed        []string
		compiler, linker string
	}{
		{[]string{"clang-19", "ld.lld-14", "riscv64-unknown-elf-gcc"}, "clang-19", "ld.lld-14"},
		{[]string{"clang-19", "riscv64-unknown-elf-gcc"}, "riscv64-unknown-elf-gcc", "."},
		{[]string{"ld.lld", "riscv32-unknown-elf-gcc"}, "riscv32-unknown-elf-gcc", "."},
	} {
		fakes(t, "", c.installed...)
		got, err := FindRISCV()
		if err != nil || filepath.Base(got.compiler) != c.compiler || filepath.Base(got.linker) != c.linker {
			t.Errorf("with %v: %+v, %v, want %s and %s", c.installed, got, err, c.compiler, c.linker)
		}
	}
	for missing, installed := range map[string]string{"no clang found": "ld.lld", "no lld found": "clang"} {
		fakes(t, "", installed)
		if _, err := FindRISCV(); err == nil || !strings.Contains(err.Error(), missing) || !strings.Contains(err.Error(), "no riscv_gcc found") {
			t.Errorf("with %s alone: error %v, want one with %q", installed, err, missing)
		}
	}
}

var twoObjects = regexp.MustCompile(`/0\.o \S+/1\.o\n$`)

func TestELF(t *testing.T) {
	// What compiles and links writes its own arguments to the file after -o.
	const tool = `all="$*"; while [ "$1" != -o ]; do shift; done; echo "$all" >"$2"`
	dir := t.TempDir()
	out := filepath.Join(dir, "k.elf")
	for _, c := range []struct {
		names []string
		want  string
	}{
		{[]string{"clang", "ld.lld"}, "-T k.ld --gc-sections"},
		{[]string{"riscv64-unknown-elf-gcc"}, "-nostdlib -static -T k.ld"},
	} {
		fakes(t, tool, c.names...)
		r, err := FindRISCV()
		if err != nil {
			t.Fatal(err)
		}
		if err := r.ELF(out, "k.ld", "include", []string{"-DX"}, "a.S", "b.c"); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(out)
		if err != nil || !strings.Contains(string(got), c.want) || !twoObjects.Match(got) {
			t.Errorf("%v link %q, %v, want %q and two objects", c.names, got, err, c.want)
		}
	}

	fakes(t, `echo "b.c:1: no such thing" >&2; exit 1`, "clang", "ld.lld")
	r, err := FindRISCV()
	if err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.ELF(out, "k.ld", "include", nil, "b.c"); err == nil || !strings.Contains(err.Error(), "no such thing") {
		t.Errorf("a failing compiler gives error %v, want its diagnostics", err)
	}
	if got, _ := os.ReadFile(out); string(got) != string(kept) {
		t.Error("a failing compiler changes the program")
	}
}
