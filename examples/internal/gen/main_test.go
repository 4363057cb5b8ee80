package main

import (
	"os"
	"path/filepath"
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

func TestFindClang(t *testing.T) {
	path := fakeClang(t, "clang-18", "")
	if got, err := findClang(); err != nil || got != path {
		t.Errorf("findClang() = %q, %v, want %q", got, err, path)
	}
	t.Setenv("CLANG", "no-such-compiler")
	if _, err := findClang(); err == nil || !strings.Contains(err.Error(), "no-such-compiler") {
		t.Errorf("a compiler named by CLANG that is missing gives error %v", err)
	}
	t.Setenv("CLANG", "")
	t.Setenv("PATH", t.TempDir())
	if _, err := findClang(); err == nil || !strings.Contains(err.Error(), "no clang found (looked for clang-19, ") {
		t.Errorf("no compiler gives error %v", err)
	}
}

func TestCompile(t *testing.T) {
	src := filepath.Join(t.TempDir(), "k.cu")
	clang := fakeClang(t, "clang", `echo "$@" >&2; echo ".version 6.0"`)
	if err := compile(clang, src); err != nil {
		t.Fatal(err)
	}
	ptx := strings.TrimSuffix(src, ".cu") + ".ptx"
	if got, err := os.ReadFile(ptx); err != nil || string(got) != ".version 6.0\n" {
		t.Errorf("the PTX is %q, %v, want the compiler's standard output", got, err)
	}

	clang = fakeClang(t, "clang", `echo "k.cu:1:1: error: no such thing" >&2; echo half; exit 1`)
	err := compile(clang, src)
	if err == nil || !strings.Contains(err.Error(), "no such thing") || !strings.Contains(err.Error(), src) {
		t.Errorf("a failing compiler gives error %v, want its diagnostics and the source's name", err)
	}
	if got, _ := os.ReadFile(ptx); string(got) != ".version 6.0\n" {
		t.Errorf("a failing compiler leaves the PTX as %q", got)
	}
	if err := compile(filepath.Join(t.TempDir(), "gone"), src); err == nil {
		t.Error("a compiler that is gone gives no error")
	}
}
