package vortex

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warpbound/warpbound/examples"
	"github.com/warpbound/warpbound/examples/vortex/internal/uniform"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/rv"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/launch"
)

func open(t *testing.T, e examples.Example) *load.Opened {
	t.Helper()
	l, err := load.Open(filepath.Join("..", filepath.FromSlash(e.Launch)))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// arguments returns the arguments of a launch as they are at the start, or, with a kernel, as that kernel left them.
func arguments(t *testing.T, l *load.Opened, k load.Executable) examples.Buffers {
	t.Helper()
	b := examples.Buffers{Grid: l.File.Grid, Block: l.File.Block, Args: map[string]examples.Arg{}}
	for i := range l.File.Args {
		a := &l.File.Args[i]
		data, err := l.File.Materialise(i)
		if err != nil {
			t.Fatal(err)
		}
		if a.Kind == launch.Buffer && k != nil {
			data = slices.Clone(k.Buffer(a.Name))
		}
		b.Args[a.Name] = examples.Arg{Type: a.Type.String(), Data: data}
	}
	return b
}

// execute runs a launch to its end, compares what it leaves with the host reference, and returns the kernel and how many
// warp instructions it executed.
func execute(t *testing.T, e examples.Example, l *load.Opened) (load.Executable, int64) {
	t.Helper()
	k, err := l.Kernel(false)
	if err != nil {
		t.Fatal(err)
	}
	n, err := simt.Run(context.Background(), k, simt.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Check(arguments(t, l, nil), arguments(t, l, k)); err != nil {
		t.Error(err)
	}
	return k, n
}

// paper is the warp instructions that Crouzet2024, Table I, gives, by launch.
var paper = map[string]int64{
	"blackscholes": 192_052, "hotspot": 17_554, "hotspot3d": 39_971, "kmeans": 164_077, "psort": 492_237, "sgemm": 1_728,
}

// Every launch leaves what its host reference computes. The README has the instruction counts of those of the paper, beside
// the paper's.
func TestProgramsComputeTheirReferences(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	ran := map[string]int64{}
	for _, e := range examples.Vortex() {
		name := strings.TrimSuffix(path.Base(e.Launch), ".toml")
		t.Run(name, func(t *testing.T) { _, ran[name] = execute(t, e, open(t, e)) })
	}
	for name, want := range paper {
		row := fmt.Sprintf("| `%s` | %d | %d | %d |", name, want, ran[name], ran[name+"-ptx"])
		if !bytes.Contains(readme, []byte(row)) {
			t.Errorf("the README has no row that begins %s", row)
		}
	}
}

// The programs ask the machine how large it is: they compute the same on others than their launch files say.
func TestProgramsOnOtherMachines(t *testing.T) {
	for _, m := range []struct{ cores, warps, threads int }{{1, 1, 1}, {1, 2, 32}, {2, 8, 1}, {3, 4, 2}, {1, 32, 4}, {4, 16, 16}} {
		for _, e := range examples.Vortex() {
			l := open(t, e)
			all := m.cores * m.warps * m.threads
			switch {
			case l.File.RISCV == nil:
				continue // PTX has its own geometry
			case e.Name == "hotspot" && (m.cores > 1 || all < 1024), e.Name == "sgemm":
				continue // a thread of one core for each cell
			case e.Name == "spawn" && m.warps == 1, e.Name == "hello":
				continue // workers are the other warps; console
			case all < 64 && slices.Contains([]string{"blackscholes", "kmeans", "psort"}, e.Name):
				continue // too slow for a test
			}
			resize(l, m.cores, m.warps, m.threads)
			t.Run(fmt.Sprintf("%s %v", path.Base(e.Launch), m), func(t *testing.T) { execute(t, e, l) })
		}
	}
}

// resize makes the machine of a launch another one.
func resize(l *load.Opened, cores, warps, threads int) {
	l.File.RISCV.Cores, l.File.RISCV.Warps, l.File.RISCV.Threads = cores, warps, threads
	l.File.Grid, l.File.Block = [3]int{cores, 1, 1}, [3]int{warps * threads, 1, 1}
}

func TestHello(t *testing.T) {
	for _, e := range examples.Vortex() {
		if e.Name != "hello" {
			continue
		}
		for _, m := range []struct{ cores, warps, threads int }{{1, 4, 32}, {2, 12, 4}} {
			l := open(t, e)
			resize(l, m.cores, m.warps, m.threads)
			k, _ := execute(t, e, l)
			o := load.OutcomeOf(k)
			if o == nil || o.ExitCode != 3 {
				t.Fatalf("%s: outcome %+v, want exit code 3", e.Launch, o)
			}
			for core := range m.cores {
				for warp := range m.warps {
					if line := fmt.Sprintf("hello from core %d, warp %d\n", core, warp); bytes.Count(o.Console, []byte(line)) != 1 {
						t.Errorf("%s on %v: the console has not once %q:\n%s", e.Launch, m, line, o.Console)
					}
				}
			}
		}
	}
}

// Warps that run in any order compute the same: what a program shares, it shares across barriers.
func TestProgramsInAnyOrder(t *testing.T) {
	for i, e := range examples.Vortex() {
		l := open(t, e)
		d, err := gpu.Open("vortex-32x32", nil)
		if err != nil {
			t.Fatal(err)
		}
		m, err := d.Machine()
		if err != nil {
			t.Fatal(err)
		}
		k, err := l.Kernel(false)
		if err != nil {
			t.Fatal(err)
		}
		timing, err := m.Resolve(k.Program())
		if err != nil {
			t.Fatal(err)
		}
		policy, err := policy.Parse([]string{"gto", fmt.Sprintf("random:%d", i)}[i%2])
		if err != nil {
			t.Fatal(err)
		}
		cfg := sim.Config{Machine: m, Model: sim.AbstractModel{Policy: policy}, BlocksPerSM: 1}
		if _, err := sim.Run(context.Background(), cfg, k, timing); err != nil {
			t.Errorf("%s: %v", e.Launch, err)
			continue
		}
		if err := e.Check(arguments(t, l, nil), arguments(t, l, k)); err != nil {
			t.Error(err)
		}
	}
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.FromSlash(pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, %v", pattern, len(files), err)
	}
	return files
}

var machinePath = regexp.MustCompile(`/(home|root|tmp|work|build)/`)

// Every program is small, begins where the machine starts, has nothing but instructions as its code, as many splits as joins
// in it, no branch that the threads of a warp may not take together, and names of its functions; nothing in it tells where
// it was built.
func TestProgramFiles(t *testing.T) {
	for _, file := range glob(t, "kernels/*/*.elf") {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if len(data) > 30_000 {
			t.Errorf("%s has %d bytes, want at most 30000", file, len(data))
		}
		if m := machinePath.Find(data); m != nil {
			t.Errorf("%s contains %q", file, m)
		}
		img, err := rv.Load(file, data)
		if err != nil {
			t.Error(err)
			continue
		}
		if img.Entry != 0x80000000 || img.TextBase != 0x80000000 {
			t.Errorf("%s starts at %#x, its code at %#x", file, img.Entry, img.TextBase)
		}
		count := map[rv.Op]int{}
		for i, in := range img.Insts {
			count[in.Op]++
			if in.Op == rv.Invalid {
				t.Errorf("%s: no instruction at %#x: %08x", file, img.Addr(int32(i)), in.Raw)
			}
		}
		if count[rv.Split] != count[rv.Join] || count[rv.Split] == 0 || count[rv.Tmc] == 0 || count[rv.Wspawn] == 0 {
			t.Errorf("%s: %d splits, %d joins, %d tmc, %d wspawn", file, count[rv.Split], count[rv.Join], count[rv.Tmc], count[rv.Wspawn])
		}
		for _, name := range []string{"_start", "vx_all", "kernel"} {
			if !slices.ContainsFunc(img.Symbols, func(s rv.Symbol) bool { return s.Name == name }) {
				t.Errorf("%s: no function %s among %v", file, name, img.Symbols)
			}
		}
		if err := uniform.Check(img); err != nil {
			t.Error(err)
		}
		if len(img.Lines) == 0 {
			t.Errorf("%s has no line table", file)
		}
	}
}

func TestPTXNamesNoMachine(t *testing.T) {
	for _, file := range glob(t, "kernels/*/*.ptx") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if m := machinePath.Find(text); m != nil {
			t.Errorf("%s contains %q", file, m)
		}
	}
}

// The launch files are those that package examples knows; every kernel has one; and where both kinds are there, they are
// given the same arguments.
func TestLaunchFiles(t *testing.T) {
	var listed []string
	launched := map[string]bool{}
	forms := map[string]string{}
	for _, e := range examples.Vortex() {
		listed = append(listed, strings.TrimPrefix(e.Launch, "vortex/"))
		l := open(t, e)
		launched[filepath.Base(l.File.Kernel)] = true
		if base := strings.TrimSuffix(path.Base(e.Launch), ".toml"); base != e.Name && !strings.HasPrefix(base, e.Name+"-") {
			t.Errorf("%s is listed as %s", e.Launch, e.Name)
		}
		text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(e.Launch)))
		if err != nil {
			t.Fatal(err)
		}
		_, args, _ := strings.Cut(string(text), "\n\n")
		if other, ok := forms[e.Name]; ok && args != other {
			t.Errorf("%s: the launches have different arguments:\n%s", e.Name, cmp.Diff(other, args))
		}
		forms[e.Name] = args
	}
	var files []string
	for _, f := range glob(t, "kernels/*/*.toml") {
		files = append(files, filepath.ToSlash(f))
	}
	slices.Sort(files)
	if d := cmp.Diff(files, listed); d != "" {
		t.Errorf("launch files and launches known to package examples differ:\n%s", d)
	}
	for _, f := range slices.Concat(glob(t, "kernels/*/*.elf"), glob(t, "kernels/*/*.ptx")) {
		if !launched[filepath.Base(f)] {
			t.Errorf("%s has no launch file", f)
		}
	}
}
