// Command gen rebuilds what is derived below examples/: the .npy input files, and, where clang is installed, the .ptx file
// beside each .cu file. It is run by go generate in the examples directory; the same clang gives the same bytes anywhere.
//
// CLANG names the compiler to use; otherwise the first of clang-19, clang, clang-20, clang-18 that is found is taken.
// The committed PTX is from clang 19: another version may order or name things differently.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/warpbound/warpbound/examples/internal/npy"
)

// compilers, in order of preference.
var compilers = []string{"clang-19", "clang", "clang-20", "clang-18"}

// flags compile one CUDA file to PTX 6.0 for sm_70, with no toolkit, no contraction and no comments but the header's.
var flags = []string{
	"-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib", "--cuda-gpu-arch=sm_70",
	"-Xclang", "-target-feature", "-Xclang", "+ptx60",
	"-std=c++17", "-O3", "-ffp-contract=off", "-fno-verbose-asm", "-Wall", "-Werror", "-Iinclude", "-S",
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run() error {
	if err := npy.WriteAll("."); err != nil {
		return err
	}
	clang, err := findClang()
	if err != nil {
		fmt.Fprintf(os.Stderr, "gen: the .ptx files stay as they are: %v\n", err)
		return nil
	}
	sources, err := filepath.Glob("*/*/*.cu")
	if err != nil {
		return err
	}
	for _, src := range sources {
		if err := compile(clang, src); err != nil {
			return err
		}
	}
	return nil
}

func findClang() (string, error) {
	if c := os.Getenv("CLANG"); c != "" {
		return exec.LookPath(c)
	}
	for _, c := range compilers {
		if p, err := exec.LookPath(c); err == nil {
			return p, nil
		}
	}
	return "", fmt.Errorf("no clang found (looked for %s; set CLANG to name one)", strings.Join(compilers, ", "))
}

// compile writes src's PTX beside it.
func compile(clang, src string) error {
	// The source goes in by a relative path and the output by standard output, so neither path reaches the PTX.
	cmd := exec.Command(clang, append(flags, "-o", "-", src)...)
	var out, diag bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &diag
	if err := cmd.Run(); err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return fmt.Errorf("%s: %w\n%s", src, err, diag.String())
		}
		return err
	}
	return os.WriteFile(strings.TrimSuffix(src, ".cu")+".ptx", out.Bytes(), 0o644)
}
