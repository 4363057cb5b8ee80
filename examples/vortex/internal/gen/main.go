// Command gen rebuilds what is derived below examples/vortex where the tools are installed: the .ptx file beside each .cu
// file, and the .elf file beside each .c file. It is run by go generate in that directory.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/warpbound/warpbound/examples/internal/toolchain"
	"github.com/warpbound/warpbound/examples/vortex/internal/uniform"
	"github.com/warpbound/warpbound/internal/rv"
)

// older are the programs that are also built for the machine of February 2024, as <program>-feb2024.elf.
var older = map[string]bool{"hello": true, "vecadd": true}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run() error {
	if err := buildPTX(); err != nil {
		return err
	}
	return buildELF()
}

func buildPTX() error {
	clang, err := toolchain.Clang()
	if err != nil {
		fmt.Fprintf(os.Stderr, "gen: the .ptx files stay as they are: %v\n", err)
		return nil
	}
	sources, err := filepath.Glob("kernels/*/*.cu")
	if err != nil {
		return err
	}
	for _, src := range sources {
		if err := toolchain.PTX(clang, src, "../include"); err != nil {
			return err
		}
	}
	return nil
}

func buildELF() error {
	tools, err := toolchain.FindRISCV()
	if err != nil {
		fmt.Fprintf(os.Stderr, "gen: the .elf files stay as they are: %v\n", err)
		return nil
	}
	sources, err := filepath.Glob("kernels/*/*.c")
	if err != nil {
		return err
	}
	for _, src := range sources {
		program := strings.TrimSuffix(src, ".c")
		if err := build(tools, program+".elf", src); err != nil {
			return err
		}
		if older[filepath.Base(program)] {
			if err := build(tools, program+"-feb2024.elf", src, "-DVORTEX_FEB2024"); err != nil {
				return err
			}
		}
	}
	return nil
}

func build(tools toolchain.RISCV, out, src string, defines ...string) error {
	if err := tools.ELF(out, "runtime/link.ld", "runtime", defines, "runtime/start.S", src); err != nil {
		return err
	}
	data, err := os.ReadFile(out)
	if err != nil {
		return err
	}
	return check(out, data)
}

// check refuses a program with branches that the threads of a warp may not take together, or in which the compiler made two
// of a join: threads that part at a split have to come together at one place, since they go on there with the registers as
// they were when they came.
func check(name string, data []byte) error {
	img, err := rv.Load(name, data)
	if err != nil {
		return err
	}
	splits, joins := 0, 0
	for _, in := range img.Insts {
		switch in.Op {
		case rv.Split:
			splits++
		case rv.Join:
			joins++
		}
	}
	if splits != joins {
		return fmt.Errorf("%s: %d splits and %d joins: the compiler has copied some", name, splits, joins)
	}
	return uniform.Check(img)
}
