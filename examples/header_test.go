package examples

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
	"github.com/warpbound/warpbound/internal/testkit/optional"
	"github.com/warpbound/warpbound/ptx"
)

// readmeClang gives the options of the README's line that compiles a kernel with clang, for the source and output given.
func readmeClang(t *testing.T, source, out string) []string {
	t.Helper()
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^clang (.*)$`).FindSubmatch(readme)
	if line == nil {
		t.Fatal("no line of the README begins with clang")
	}
	args := strings.Fields(string(line[1]))
	for i, a := range args {
		switch a {
		case "k.cu":
			args[i] = source
		case "k.ptx":
			args[i] = out
		case "-Iexamples/include":
			args[i] = "-Iinclude"
		}
	}
	return args
}

// compileHeader compiles testdata/header.cu; without a toolkit is how clang compiles where there is no CUDA, which it takes
// the version of PTX from.
func compileHeader(t *testing.T, path string, options ...string) *ptx.File {
	t.Helper()
	const source = "testdata/header.cu"
	out := filepath.Join(t.TempDir(), "k.ptx")
	args := append(readmeClang(t, source, out), append(options, "-Wall", "-Wextra", "-Wno-unknown-cuda-version", "-Werror")...)
	if filepath.Base(path) == optional.NVCC.Program {
		args = append(optional.HostFlags(t, path), "-ptx", "-arch=sm_70", "-Werror", "all-warnings", "-o", out, source)
	}
	if msg, err := exec.Command(path, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", path, strings.Join(args, " "), err, msg)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	file, err := ptx.Parse(out, text)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// TestHeaderIsCUDA compiles, by the README's line, a source that uses all that include/warpbound.h declares, runs its kernels
// on the functional machine, and compares with references in Go. nvcc compiles the same source with its own declarations.
func TestHeaderIsCUDA(t *testing.T) {
	optional.Each(t, append(optional.Clangs(), optional.NVCC), func(t *testing.T, path string) {
		variants := map[string][]string{"": nil}
		if filepath.Base(path) != optional.NVCC.Program {
			variants = map[string][]string{"as it is": nil, "no toolkit": {"--cuda-path=/nonexistent"}, "fast math": {"-DWARPBOUND_FAST_MATH"}}
		}
		for name, options := range variants {
			file := compileHeader(t, path, options...)
			for _, k := range headerKernels(name == "fast math") {
				if err := k.run(t, file); err != nil {
					t.Errorf("%s, %s: %v", name, k.name, err)
				}
			}
		}
	})
}

// TestHeaderComplete: no name is missing in the source that uses all that the header declares.
func TestHeaderComplete(t *testing.T) {
	source, err := os.ReadFile("testdata/header.cu")
	if err != nil {
		t.Fatal(err)
	}
	names, isType := 0, regexp.MustCompile(`^(u?int|unsigned|u64|long|float|double)[24]?$`)
	for _, header := range []string{"warpbound_math.h", "warpbound_threads.h"} {
		text, err := os.ReadFile("include/" + header)
		if err != nil {
			t.Fatal(err)
		}
		declared := regexp.MustCompile(`(?m)^(?:INLINE [a-zA-Z0-9_ ]*?\W|WARPBOUND_\w+\((?:[a-z ]+, )?(?:"\w", )?(?:[a-z0-9]+, )?)(\w+)[(,]`)
		for _, m := range declared.FindAllSubmatch(text, -1) {
			name := string(m[1])
			if isType.MatchString(name) {
				continue // of the overloads of a function that is declared once
			}
			names++
			if used := regexp.MustCompile(`\b` + name + `(_rn|_rz|_rd|_ru)?\(`); !used.Match(source) {
				t.Errorf("testdata/header.cu does not use %s, which include/%s declares", name, header)
			}
		}
	}
	if names < 150 {
		t.Errorf("%d names found in the headers", names)
	}
}

// headerKernel is a kernel of testdata/header.cu: rows[r] is what its row r holds for thread i of the block, out last among
// the arguments.
type headerKernel struct {
	name   string
	grid   int
	block  [3]int
	args   []any // slices of numbers
	shared int64
	rows   []func(i int) int64
	// near are rows of floats, compared with a tolerance, instead.
	near []func(i int) float64
}

// run executes the kernel and compares.
func (k *headerKernel) run(t *testing.T, file *ptx.File) error {
	prog, err := ptxexec.Lower(file, k.name)
	if err != nil {
		return err
	}
	l := ptxexec.LaunchConfig{Grid: [3]int{max(k.grid, 1), 1, 1}, Block: k.block, DynamicSharedBytes: k.shared}
	if k.block == [3]int{} {
		l.Block = [3]int{64, 1, 1}
	}
	var out any = make([]int64, 64*len(k.rows))
	if k.near != nil {
		out = make([]float32, 64*len(k.near))
	}
	for i, a := range append(k.args[:len(k.args):len(k.args)], out) {
		data, err := binary.Append(nil, binary.LittleEndian, a)
		if err != nil {
			return err
		}
		l.Args = append(l.Args, ptxexec.Arg{Name: string(rune('a' + i)), Buffer: &ptxexec.Buffer{Contents: data}})
	}
	kernel, err := ptxexec.NewKernel(prog, l)
	if err != nil {
		return err
	}
	var executed int64
	for n := range int64(l.Grid[0]) {
		b, err := kernel.NewBlock(n)
		if err != nil {
			return err
		}
		if err := simt.RunBlock(context.Background(), b, simt.Limits{MaxInstructions: 1 << 20}, &executed, nil); err != nil {
			return err
		}
	}
	last := l.Args[len(l.Args)-1].Name
	if err := binary.Read(bytes.NewReader(kernel.Buffer(last)), binary.LittleEndian, out); err != nil {
		return err
	}
	wrong := 0
	for at := range 64 * max(len(k.rows), len(k.near)) {
		row, i := at/64, at%64
		if k.near != nil {
			got, want := float64(out.([]float32)[at]), k.near[row](i)
			if math.Abs(got-want) > 1e-5*math.Max(1, math.Abs(want)) {
				t.Errorf("%s, row %d, thread %d: %v, want %v", k.name, row, i, got, want)
				wrong++
			}
		} else if got, want := out.([]int64)[at], k.rows[row](i); got != want {
			t.Errorf("%s, row %d, thread %d: %d (%#[4]x), want %d (%#[5]x)", k.name, row, i, got, want)
			wrong++
		}
		if wrong > 10 {
			break
		}
	}
	return nil
}
