package warpbound_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/warpbound/warpbound"
	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/launch"
)

// What an execution left can be read, as bytes and as a NumPy file, and two executions
// do not see each other's buffers.
func TestRun(t *testing.T) {
	l := open(t, "examples/basic/saxpy/saxpy.toml")
	var first []byte
	for range 2 {
		var last warpbound.Progress
		opt := warpbound.RunOptions{Dump: []warpbound.Dump{{Buffer: "y", File: "y.npy"}}, Progress: func(p warpbound.Progress) { last = p }}
		r, err := l.Run(context.Background(), opt)
		if err != nil || r.Kernel != "saxpy" || r.WarpInstructions != 1416 || len(r.Dumps) != 1 || last.Total != 2 || last.Task != "executing blocks" {
			t.Fatalf("%+v, %v, %+v", r, err, last)
		}
		y := r.Buffer("y")
		if first == nil {
			first = y
		}
		if !bytes.Equal(y, first) || bytes.Equal(y, make([]byte, len(y))) || r.Buffer("z") != nil {
			t.Errorf("y holds %v, z %v", y[:16], r.Buffer("z"))
		}
		if d := r.Dumps[0]; !bytes.HasPrefix(d.NPY, []byte("\x93NUMPY")) || !bytes.HasSuffix(d.NPY, y) {
			t.Errorf("%d bytes as a file, %d as a buffer", len(d.NPY), len(y))
		}
		doc, err := r.Report()
		if err != nil || doc.Text() != "saxpy: 1416 warp instructions executed\ny written to y.npy\n" {
			t.Errorf("%s, %v", doc.Text(), err)
		}
	}
	if _, err := l.Run(context.Background(), warpbound.RunOptions{MaxInstructions: 10}); !errors.Is(err, warpbound.ErrInstructionLimit) {
		t.Errorf("%v", err)
	}
	hello, err := warpbound.New(launch.Launch{Kernel: "examples/vortex/kernels/hello/hello.elf", RISCV: &launch.RISCV{Warps: 4, Threads: 32}})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := hello.Run(context.Background(), warpbound.RunOptions{}); err != nil || len(r.Console) == 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// Every executed instruction is counted in the graph of its function.
func TestCFG(t *testing.T) {
	l := open(t, "examples/basic/reduce/reduce.toml")
	f, err := l.CFG(context.Background(), warpbound.CFGOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := l.Run(context.Background(), warpbound.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var sum int64
	for _, n := range f.Executions {
		sum += n
	}
	diverged := 0
	for pc, yes := range f.Diverged {
		if yes {
			diverged++
			if l.Program().Instructions[pc].Kind != isa.Branch {
				t.Errorf("lanes part at pc %d, which is no branch", pc)
			}
		}
	}
	if sum != r.WarpInstructions || diverged != 2 || len(f.Functions) != 1 || len(f.Functions[0].Blocks) != 12 || len(isa.Loops(f.Functions[0])) != 2 {
		t.Errorf("%d of %d executed, %d branches diverge, %+v", sum, r.WarpInstructions, diverged, f.Functions)
	}
	if dot := f.Dot(); !strings.HasPrefix(dot, `digraph "reduce" {`) {
		t.Errorf("%s", dot)
	}
	for _, all := range []bool{false, true} {
		doc, err := f.Report(all)
		if err != nil || doc.Kind() != "cfg" || strings.Contains(doc.Text(), "ld.global.u32") != all {
			t.Errorf("%t: %v, %s", all, err, doc.Text())
		}
	}
}

// What is wrong with files is told of each, and what cannot be read is an error.
func TestCheck(t *testing.T) {
	bad := written(t, "bad.ptx", ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n frob;\n}\n")
	c := written(t, "k.c", "void f(float a[N]) {\n#pragma omp target teams distribute parallel for\nfor (int i = 0; i < N; i++) a[i] = 0;\n}\n")
	r, err := warpbound.Check(context.Background(), []string{"examples/basic/saxpy/saxpy.toml", "examples/basic/saxpy/saxpy.ptx", c, "README.md", bad}, warpbound.CheckOptions{Defines: map[string]string{"N": "8"}})
	if err != nil || len(r.Files) != 5 || r.OK() {
		t.Fatalf("%+v, %v", r, err)
	}
	for i, want := range []struct {
		kind, about string
		wrong       string
	}{
		{"a launch file", "saxpy, grid 2x1x1 of blocks", ""},
		{"PTX", "1 kernel (saxpy)", ""},
		{"C", "1 function with OpenMP target loops: f", ""},
		{"a file of no kind known here", "", "README.md: expected PTX (.ptx)"},
		{"PTX", "", "bad.ptx:6:2: "},
	} {
		f := r.Files[i]
		if f.Kind != want.kind || !strings.Contains(f.About, want.about) || (len(f.Errors) > 0) != (want.wrong != "") || want.wrong != "" && !strings.Contains(f.Errors[0], want.wrong) {
			t.Errorf("%+v, expected %+v", f, want)
		}
	}
	if one, err := warpbound.Check(context.Background(), []string{c}, warpbound.CheckOptions{Defines: map[string]string{"N": "8"}}); err != nil || !one.OK() {
		t.Errorf("%+v, %v", one, err)
	}
	for _, path := range []string{"examples", "nosuch"} {
		if r, err := warpbound.Check(context.Background(), []string{path}, warpbound.CheckOptions{}); err == nil {
			t.Errorf("%s: %+v", path, r)
		}
	}
}

// The report of a simulation has all its forms, and its picture where it was asked for.
func TestSimulationReport(t *testing.T) {
	l := open(t, "examples/basic/saxpy/saxpy.toml")
	m, err := warpbound.GPU("tx1")
	if err != nil {
		t.Fatal(err)
	}
	s, err := l.Simulate(context.Background(), warpbound.SimulateOptions{GPU: m, L1Order: warpbound.L1Dynamic, Traffic: "stress:cores=2", Gantt: true, From: 100, To: 900})
	if err != nil {
		t.Fatal(err)
	}
	doc, err := s.Report()
	if err != nil {
		t.Fatal(err)
	}
	text, err := doc.JSON()
	var got struct {
		Cycles       int64
		Interference struct {
			Traffic string
			Cores   []struct{ Sent int64 }
		}
	}
	if err = errors.Join(err, json.Unmarshal(text, &got)); err != nil || got.Cycles != s.Cycles || got.Interference.Traffic != "stress:cores=2" || len(got.Interference.Cores) != 2 {
		t.Errorf("%+v, %v", got, err)
	}
	picture, err := doc.Picture("svg")
	if err != nil || !bytes.Contains(picture, []byte("saxpy on tx1")) {
		t.Errorf("%v, %d bytes", err, len(picture))
	}
	if _, err := doc.Picture("png"); err == nil {
		t.Error("a PNG of warps over time")
	}
	plain, err := l.Simulate(context.Background(), warpbound.SimulateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if doc, err = plain.Report(); err != nil {
		t.Fatal(err)
	}
	if _, err := doc.Picture("svg"); err == nil {
		t.Error("a picture of what was not recorded")
	}
}

// A build says which it is, as its report does.
func TestVersion(t *testing.T) {
	is := warpbound.Version()
	doc, err := is.Report()
	if err != nil || is.Version == "" || is.GPUFiles == "" || !strings.Contains(doc.Text(), is.GPUFiles) {
		t.Errorf("%+v, %v", is, err)
	}
	for name, want := range map[string]string{"a.svg": "svg", "b.PNG": "png", "c.pdf": ""} {
		if got, err := warpbound.PictureFormat(name); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
