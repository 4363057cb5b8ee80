package emit

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/warpbound/warpbound/examples/prem"
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/testkit/optional"
	"github.com/warpbound/warpbound/internal/verify/deviceexec"
	"github.com/warpbound/warpbound/internal/verify/loopkit"
)

// initial gives a harness the initial contents of an example program.
func initial(e prem.Benchmark) []Argument {
	var list []Argument
	for _, q := range e.Params {
		list = append(list, Argument{Name: q.Name, Init: Init{Mul: q.Init.Mul, Add: q.Init.Add, Mod: q.Init.Mod, Div: q.Init.Div, Off: q.Init.Off, Diag: q.Init.Diag}})
	}
	return list
}

// TestHarnessIsCUDA has clang check the host programs of example programs
// as CUDA, with declarations of the runtime.
func TestHarnessIsCUDA(t *testing.T) {
	optional.Each(t, optional.Clangs(), harnessIsCUDA)
}

func harnessIsCUDA(t *testing.T, path string) {
	folder, err := filepath.Abs("testdata/runtime")
	if err != nil {
		t.Fatal(err)
	}
	var all []named
	for i, name := range []string{"adi", "floydwarshall", "gemm", "gramschmidt", "heat3d", "reduce", "seidel2d"} {
		e, ok := prem.Lookup(name)
		if !ok {
			t.Fatal(name)
		}
		m := example(t, e, schemes[i%4], small)
		m.Guard = i%3 != 0
		text, err := Harness(m, HarnessOptions{Args: initial(e)})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, named{name, text})
	}
	if err := checkCUDA(t, path, folder, hostsSideBySide(all...)); err != nil {
		t.Error(err)
	}
}

func checkCUDA(t *testing.T, path, folder, text string) error {
	cmd := command(t, path, "-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib", "-std=c++14", "-fsyntax-only",
		"-Wall", "-Wextra", "-Werror", "-Wno-unknown-cuda-version", "-I", folder, "-")
	cmd.Stdin = strings.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// command is a command that a mistake in generated code cannot make wait for ever.
func command(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return exec.CommandContext(ctx, name, args...)
}

var (
	launches = regexp.MustCompile(`(\w+)<<<(\d+), (\d+)>>>\((.*)\);`)
	barriers = regexp.MustCompile(`asm volatile\("bar.sync \d;" ::: "memory"\);`)
)

// program compiles a host program with its kernels for this machine's processor,
// and gives the command.
func program(t *testing.T, m Module, o HarnessOptions) string {
	t.Helper()
	text, err := Harness(m, o)
	if err != nil {
		t.Fatal(err)
	}
	return built(t, text)
}

// built compiles the text of a host program for this machine's processor.
func built(t *testing.T, text string) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		optional.Missing(t, optional.GXX, "host programs are run on Linux")
	}
	cc := optional.Path(t, optional.GXX)
	text = launches.ReplaceAllString(text, "wb_launch($2, $3, [=] { $1($4); });")
	text = barriers.ReplaceAllString(text, "wb_barrier();")
	// Teams that spin leave a processor to the others.
	text = strings.ReplaceAll(text, "if ((grant & 7) == 5)", "if (sched_yield(), (grant & 7) == 5)")
	out := filepath.Join(t.TempDir(), "program")
	cmd := command(t, cc, "-x", "c++", "-std=c++11", "-O1", "-Wall", "-Wextra", "-Werror", "-I", "testdata/runtime", "-o", out, "-", "-pthread")
	cmd.Stdin = strings.NewReader(text)
	if msg, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, msg, text)
	}
	return out
}

// nvcc has nothing to say of a host program, with the guard or without.
func TestHarnessWithoutWarnings(t *testing.T) {
	nvcc := optional.Path(t, optional.NVCC)
	flags := optional.HostFlags(t, nvcc)
	e, ok := prem.Lookup("gemm")
	if !ok {
		t.Fatal("no such program")
	}
	var all []named
	for _, guard := range []bool{false, true} {
		m := example(t, e, device.SDMA, small)
		name := "without the guard"
		if m.Guard = guard; guard {
			name = "with the guard"
			for _, k := range m.Kernels {
				k.Name += "_guarded"
			}
		}
		text, err := Harness(m, HarnessOptions{})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, named{name, text})
	}
	file := filepath.Join(t.TempDir(), "k.cu")
	if err := os.WriteFile(file, []byte(hostsSideBySide(all...)), 0o666); err != nil {
		t.Fatal(err)
	}
	msg, err := command(t, nvcc, append(flags, "-c", "-o", file+".o", file)...).CombinedOutput()
	if err != nil || strings.Contains(string(msg), "warning #") {
		t.Errorf("%v\n%s", err, msg)
	}
}

// TestHarnessRuns compiles host programs for the processor, runs them, and
// compares the files that they write with the references, bit for bit.
func TestHarnessRuns(t *testing.T) {
	tests := []struct {
		name   string
		scheme device.Scheme
		guard  bool
		args   []string
	}{
		{"gemm", device.SDMA, false, nil},
		{"seidel2d", device.CMPT, false, []string{"--repeat", "2"}},
		{"reduce", device.DAE, true, []string{"--launch-ns", "1000", "--memory-ns", "2000", "--compute-ns", "2000", "--retry-ns", "1000"}},
		{"corr", device.SDMA, true, []string{"--no-guard"}},
	}
	var mods []Module
	var all []named
	for _, x := range tests {
		e, ok := prem.Lookup(x.name)
		if !ok {
			t.Fatal("no such program")
		}
		m := example(t, e, x.scheme, small)
		m.Guard = x.guard
		text, err := Harness(m, HarnessOptions{Args: initial(e)})
		if err != nil {
			t.Fatal(err)
		}
		mods, all = append(mods, m), append(all, named{x.name, text})
	}
	bin := built(t, hostsSideBySide(all...))
	for i, x := range tests {
		t.Run(x.name, func(t *testing.T) {
			e, _ := prem.Lookup(x.name)
			m := mods[i]
			dir := t.TempDir()
			cmd := numbered(i, command(t, bin, append(x.args, "--out-dir", dir, "--time")...))
			var diag bytes.Buffer
			cmd.Stderr = &diag
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, diag.Bytes())
			}
			if !strings.Contains(string(out), m.Kernels[0].Name+" launches ") {
				t.Errorf("no times: %s", out)
			}
			if x.guard != strings.Contains(string(out), "hand-overs") {
				t.Errorf("output is %s", out)
			}
			got := e.Inputs()
			for i, q := range e.Params {
				if len(q.Dims) > 0 {
					readRaw(t, filepath.Join(dir, q.Name+".bin"), got[i])
				}
			}
			want := e.Inputs()
			if err := e.Run(want); err != nil {
				t.Fatal(err)
			}
			if reordered[e.Name] {
				ran := loopkit.Arguments(t, e, e.Inputs())
				ran.OnKernel = launcher{m, func(k *device.Entry, args []deviceexec.Arg) error {
					return deviceexec.Run(k, args, deviceexec.Options{})
				}}.hook
				if err := loopkit.Run(m.Program, m.Func.Name, ran); err != nil {
					t.Fatal(err)
				}
				want = loopkit.Results(e, e.Inputs(), ran)
			}
			if err := e.Compare(got, want); err != nil {
				t.Error(err)
			}
		})
	}
}

// numbered is the command of one of several host programs in a binary.
func numbered(i int, cmd *exec.Cmd) *exec.Cmd {
	cmd.Env = append(os.Environ(), fmt.Sprintf("PROGRAM=%d", i))
	return cmd
}

// TestGuardWithUnequalTeams has teams leave at different times, over and over, with
// budgets far too short and long enough.
func TestGuardWithUnequalTeams(t *testing.T) {
	m := phased()
	k := m.Kernels[0]
	k.Teams = 4
	k.Body[1].(*device.For).Step = 4
	m.Guard = true
	bin := program(t, m, HarnessOptions{Args: []Argument{{Name: "kernel", Init: Init{Off: 0.3}}, {Name: "in", Init: Init{Mul: 37, Mod: 101, Div: 7}}, {Name: "out"}}})
	const rows = 9 // of teams 3, 2, 2, 2
	in, out := make([]uint64, rows*8), make([]uint64, rows*8)
	for e := range in {
		in[e] = loop.OfFloat(float32(float64(e*37%101) / 7)).Bits
	}
	shape := []int64{rows, 8}
	args := []deviceexec.Arg{{Value: loop.OfInt(rows)}, {Value: loop.OfFloat(0.3)}, {Buffer: &loop.Buffer{Elem: loop.Float, Shape: shape, Bits: in}},
		{Buffer: &loop.Buffer{Elem: loop.Float, Shape: shape, Bits: out}}}
	if err := deviceexec.Run(k, args, deviceexec.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, budget := range []string{"1", "100000"} {
		dir := t.TempDir()
		cmd := command(t, bin, "--set", "n=9", "--out-dir", dir, "--repeat", "10", "--launch-ns", budget, "--memory-ns", budget, "--compute-ns", budget, "--retry-ns", "1000")
		said, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		// Launches have 1 + 3*2 phases, and join.
		if !strings.Contains(string(said), "guard: 80 hand-overs") {
			t.Errorf("budget %s: %s", budget, said)
		}
		b, err := os.ReadFile(filepath.Join(dir, "out.bin"))
		if err != nil {
			t.Fatal(err)
		}
		got := make([]uint64, len(out))
		unpack(b, loop.Float, 4, got)
		if !slices.Equal(got, out) {
			t.Errorf("budget %s: the results differ", budget)
		}
	}
}

func readRaw(t *testing.T, file string, into any) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(b) != binary.Size(into) {
		t.Fatalf("%s has %d bytes, want %d", file, len(b), binary.Size(into))
	}
	if _, err := binary.Decode(b, binary.NativeEndian, into); err != nil {
		t.Fatal(err)
	}
}
