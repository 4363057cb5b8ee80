package toolchain

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// RISCV is what builds programs for 32-bit RISC-V: clang with LLD, or the bare-metal GCC.
type RISCV struct {
	compiler, linker string // the GCC links by itself: linker is then empty
}

var (
	linkers = []string{"ld.lld-14", "ld.lld", "ld.lld-19", "ld.lld-20", "ld.lld-18"}
	gccs    = []string{"riscv64-unknown-elf-gcc", "riscv32-unknown-elf-gcc"}
)

// riscvFlags are for both compilers. Nothing may turn a branch that a program writes into others, or one loop into several:
// a branch that the threads of a warp do not take together is illegal where the program does not provide for it.
var riscvFlags = []string{
	"-march=rv32imf_zicsr", "-mabi=ilp32f", "-mcmodel=medany", "-mno-relax",
	"-std=gnu17", "-O2", "-ffreestanding", "-fno-builtin", "-fno-math-errno", "-ffp-contract=off", "-fno-unroll-loops",
	"-fno-jump-tables", "-ffunction-sections", "-fno-asynchronous-unwind-tables", "-Wall", "-Wextra", "-Werror",
}

var (
	// clangRISCV keeps instructions that act on other threads where they are: no copies of them, no moves into branches.
	// LLD 14 does not know the relocations of newer line tables.
	clangRISCV = []string{
		"--target=riscv32-unknown-elf", "-fconvergent-functions", "-fno-vectorize", "-fno-slp-vectorize",
		"-gline-tables-only", "-gdwarf-4", "-fdebug-compilation-dir=.",
	}
	// gccRISCV: the console lies in what GCC takes for the page that nothing is in.
	gccRISCV = []string{
		"-fno-tree-loop-distribute-patterns", "-fno-tree-vectorize", "-fno-if-conversion", "-fno-if-conversion2",
		"-fno-reorder-blocks", "-fno-tree-ch", "--param=min-pagesize=0",
	}
)

// FindRISCV takes clang with LLD, named by CLANG and LLD or by the usual names, or else the GCC, named by RISCV_GCC or so.
func FindRISCV() (RISCV, error) {
	clang, noClang := Clang()
	lld, noLLD := find("LLD", linkers)
	if noClang == nil && noLLD == nil {
		return RISCV{clang, lld}, nil
	}
	gcc, noGCC := find("RISCV_GCC", gccs)
	if noGCC == nil {
		return RISCV{compiler: gcc}, nil
	}
	for _, err := range []error{noClang, noLLD} {
		if err != nil {
			return RISCV{}, fmt.Errorf("%w; %w", err, noGCC)
		}
	}
	return RISCV{}, noGCC
}

// ELF builds the program out from C and assembly sources, by a linker script. Headers are looked for in include.
func (r RISCV) ELF(out, script, include string, defines []string, sources ...string) error {
	dir, err := os.MkdirTemp("", "riscv")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	flags := slices.Concat(riscvFlags, defines, []string{"-I" + include})
	if r.linker == "" {
		flags = slices.Concat(gccRISCV, flags)
	} else {
		flags = slices.Concat(clangRISCV, flags)
	}
	var objects []string
	for i, src := range sources {
		object := filepath.Join(dir, fmt.Sprintf("%d.o", i))
		if _, err := output(r.compiler, src, slices.Concat(flags, []string{"-c", "-o", object, src})); err != nil {
			return err
		}
		objects = append(objects, object)
	}
	linker, link := r.linker, []string{"-T", script, "--gc-sections", "--build-id=none", "--nmagic", "--discard-locals"}
	if linker == "" {
		linker = r.compiler
		link = []string{
			"-march=rv32imf", "-mabi=ilp32f", "-nostdlib", "-static", "-T", script,
			"-Wl,--gc-sections,--build-id=none,--nmagic,--discard-locals,--no-relax,--no-warn-rwx-segments",
		}
	}
	program := filepath.Join(dir, "program")
	if _, err := output(linker, out, slices.Concat(link, []string{"-o", program}, objects)); err != nil {
		return err
	}
	data, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	return os.WriteFile(out, data, 0o644)
}
