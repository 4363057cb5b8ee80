// Command gen rebuilds what is derived below examples/, without examples/vortex, which has its own: the .npy input files,
// and, where clang is installed, the .ptx file beside each .cu file. It is run by go generate in the examples directory.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/warpbound/warpbound/examples/internal/npy"
	"github.com/warpbound/warpbound/examples/internal/toolchain"
)

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
	clang, err := toolchain.Clang()
	if err != nil {
		fmt.Fprintf(os.Stderr, "gen: the .ptx files stay as they are: %v\n", err)
		return nil
	}
	files, err := sources()
	if err != nil {
		return err
	}
	for _, src := range files {
		if err := toolchain.PTX(clang, src, "include"); err != nil {
			return err
		}
	}
	return nil
}

// sources are the .cu files of the suites.
func sources() ([]string, error) {
	var out []string
	for _, pattern := range []string{"*/*/*.cu", "inputs/kernels/*/*.cu"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}
