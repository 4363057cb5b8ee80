// Package toolchain runs the compilers that make the example kernels' code: CUDA C++ to PTX, C and assembly to ELF files for
// 32-bit RISC-V. It is not a build system: every call builds what it is asked to, and the same tools give the same bytes
// anywhere.
//
// The committed files are from clang 19 and LLD 14: other versions may order or name things differently.
package toolchain

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// clangs, in order of preference.
var clangs = []string{"clang-19", "clang", "clang-20", "clang-18"}

// ptxFlags compile one CUDA file to PTX 6.0 for sm_70, with no toolkit, even if there is one (of which clang would take the
// version of PTX), no contraction and no comments but the header's.
var ptxFlags = []string{
	"-x", "cuda", "--cuda-device-only", "--cuda-path=/nonexistent", "-nocudainc", "-nocudalib", "--cuda-gpu-arch=sm_70",
	"-Xclang", "-target-feature", "-Xclang", "+ptx60",
	"-std=c++17", "-O3", "-ffp-contract=off", "-fno-verbose-asm", "-Wall", "-Werror", "-S", "-o", "-",
}

// Clang finds the compiler that the environment's CLANG names, or the first of the usual names.
func Clang() (string, error) { return find("CLANG", clangs) }

// find looks up the tool that a variable names, or else the first of names that
// exists.
func find(variable string, names []string) (string, error) {
	if name := os.Getenv(variable); name != "" {
		return exec.LookPath(name)
	}
	for _, name := range names {
		if p, err := exec.LookPath(name); err == nil {
			return p, nil
		}
	}
	return "", fmt.Errorf("no %s found (looked for %s; set %s to name one)",
		strings.ToLower(variable), strings.Join(names, ", "), variable)
}

// PTX writes src's PTX beside it. The directory include holds warpbound.h.
func PTX(clang, src, include string) error {
	// The source goes in by a relative path and the output by standard output, so neither path reaches the PTX.
	out, err := output(clang, src, append(ptxFlags, "-I"+include, src))
	if err != nil {
		return err
	}
	return os.WriteFile(strings.TrimSuffix(src, ".cu")+".ptx", out, 0o644)
}

// output runs a tool and returns what it prints; what it complains about becomes the error, with what it was about.
func output(tool, about string, args []string) ([]byte, error) {
	cmd := exec.Command(tool, args...)
	var out, diag bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &diag
	if err := cmd.Run(); err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return nil, fmt.Errorf("%s: %w\n%s", about, err, diag.String())
		}
		return nil, err
	}
	return out.Bytes(), nil
}
