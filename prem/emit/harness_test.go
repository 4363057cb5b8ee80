package emit

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/examples/prem"
	"github.com/warpbound/warpbound/prem/device"
	"github.com/warpbound/warpbound/prem/loop"
)

// initial gives a harness the initial contents of an example program.
func initial(e prem.Program) []Argument {
	var list []Argument
	for _, q := range e.Params {
		list = append(list, Argument{Name: q.Name, Init: Init{Mul: q.Init.Mul, Add: q.Init.Add, Mod: q.Init.Mod, Div: q.Init.Div, Off: q.Init.Off, Diag: q.Init.Diag}})
	}
	return list
}

// TestHarnessIsCUDA has clang check the host programs of example programs as CUDA, with declarations of the runtime.
func TestHarnessIsCUDA(t *testing.T) {
	path := clang(t)
	folder, err := filepath.Abs("testdata/runtime")
	if err != nil {
		t.Fatal(err)
	}
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
		if err := checkCUDA(path, folder, text); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
}

func checkCUDA(path, folder, text string) error {
	cmd := exec.Command(path, "-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib", "-std=c++14", "-fsyntax-only",
		"-Wall", "-Wextra", "-Werror", "-Wno-unknown-cuda-version", "-I", folder, "-")
	cmd.Stdin = strings.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

var (
	launches = regexp.MustCompile(`(\w+)<<<(\d+), (\d+)>>>\((.*)\);`)
	barriers = regexp.MustCompile(`asm volatile\("bar.sync \d;" ::: "memory"\);`)
)

// program compiles a host program with its kernels for this machine's processor,
// and gives the command.
func program(t *testing.T, m Module, o HarnessOptions) string {
	t.Helper()
	cc, err := exec.LookPath("g++")
	if err != nil {
		t.Skip("no g++ on PATH to run host programs with")
	}
	text, err := Harness(m, o)
	if err != nil {
		t.Fatal(err)
	}
	text = launches.ReplaceAllString(text, "wb_launch($2, $3, [=] { $1($4); });")
	text = barriers.ReplaceAllString(text, "wb_barrier();")
	out := filepath.Join(t.TempDir(), "program")
	cmd := exec.Command(cc, "-x", "c++", "-std=c++11", "-O1", "-Wall", "-Wextra", "-Werror", "-I", "testdata/runtime", "-o", out, "-", "-pthread")
	cmd.Stdin = strings.NewReader(text)
	if msg, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, msg, text)
	}
	return out
}

// TestHarnessRuns compiles host programs for the processor, runs them, and
// compares the files that they write with the references, bit for bit.
func TestHarnessRuns(t *testing.T) {
	for _, x := range []struct {
		name   string
		scheme device.Scheme
		guard  bool
		args   []string
	}{
		{"gemm", device.SDMA, false, nil},
		{"seidel2d", device.CMPT, false, []string{"--repeat", "2"}},
		{"reduce", device.DAE, true, []string{"--launch-ns", "1000", "--memory-ns", "2000", "--compute-ns", "2000", "--retry-ns", "1000"}},
		{"corr", device.SDMA, true, []string{"--no-guard"}},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			e, ok := prem.Lookup(x.name)
			if !ok {
				t.Fatal("no such program")
			}
			m := example(t, e, x.scheme, small)
			m.Guard = x.guard
			dir := t.TempDir()
			cmd := exec.Command(program(t, m, HarnessOptions{Args: initial(e)}), append(x.args, "--out-dir", dir, "--time")...)
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
				ran := inputs(t, e)
				ran.OnKernel = launcher{m, func(k *device.Kernel, args []device.Arg) error { return device.Run(k, args, device.Options{}) }}.hook
				if err := loop.Run(m.Program, m.Func.Name, ran); err != nil {
					t.Fatal(err)
				}
				want = memory(e, ran)
			}
			if err := e.Compare(got, want); err != nil {
				t.Error(err)
			}
		})
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
