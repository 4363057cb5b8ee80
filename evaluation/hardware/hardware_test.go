package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/evaluation/internal/kit"
)

// The tables of the page are those of the files.
func TestPage(t *testing.T) {
	tables, err := tables("../..")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../docs/hardware.md")
	if err != nil {
		t.Fatal(err)
	}
	if filled, err := kit.FillPage(page, string(text), tables); err != nil || filled != string(text) {
		t.Errorf("%v: write the page with go run ./evaluation/hardware page", err)
	}
}

// A packed launch has its arguments, and files with what they hold before and after.
func TestPack(t *testing.T) {
	dir := t.TempDir()
	saxpy, texture := "../../examples/basic/saxpy/saxpy.toml", "../../examples/units/texture/stencil.toml"
	left, err := pack(context.Background(), dir, []string{saxpy, texture}, 40)
	if err != nil || len(left) != 1 || !strings.HasPrefix(left[0], texture) {
		t.Fatalf("%v, %v", left, err)
	}
	index, err := os.ReadFile(filepath.Join(dir, "index"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(index), "\n")
	for i, want := range []string{"launch " + saxpy + " 0-saxpy.ptx saxpy 2 1 1 128 1 1 0", "buffer x f32 16384 0 0 ", "buffer y f32 16384 0 0 ", "scalar 00000040", "scalar 00100000"} {
		if !strings.HasPrefix(lines[i], want) {
			t.Errorf("line %d: %s, expected %s", i, lines[i], want)
		}
	}
	x, y := strings.Fields(lines[1]), strings.Fields(lines[2])
	if x[6] != x[7] || y[6] == y[7] {
		t.Errorf("x is read and y is written: %s, %s", lines[1], lines[2])
	}
	for _, name := range append(x[6:], y[6:]...) {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() != 16384 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := strings.Count(string(index), "launch drawn/"); n == 0 || n == 40 {
		t.Errorf("%d of 40 drawn kernels are settled", n)
	}
}

// Measurements that are of other launches are not joined.
func TestJoin(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	write(executedFile, "launch,warp_instructions\na,7\n")
	measured := write("measured", strings.Join(header[:8], ",")+"\na,10,equal,5,0,,1,2\n")
	ncu := write("ncu", "==PROF== words\n\"ID\",\"Metric Name\",\"Metric Value\"\n\"0\",\"sm__cycles_elapsed.max\",\"1,234\"\n\"0\",\"smsp__inst_executed.sum\",\"9\"\n")
	got, err := join(dir, measured, ncu)
	if want := "a,10,equal,5,0,,1,2,1234,9,7\n"; err != nil || !strings.HasSuffix(string(got), want) {
		t.Errorf("%s, %v", got, err)
	}
	other := write("other", strings.Join(header[:8], ",")+"\nb,10,equal,5,0,,1,2\n")
	if _, err := join(dir, other, ncu); err == nil {
		t.Error("another launch is joined")
	}
	two := write("two", strings.Join(header[:8], ",")+"\na,10,equal,5,0,,1,2\na,10,equal,5,0,,1,2\n")
	if _, err := join(dir, two, ncu); err == nil {
		t.Error("two launches are joined with one")
	}
}
