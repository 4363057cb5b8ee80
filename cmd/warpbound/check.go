package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/filekind"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/npy"
	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/internal/rv"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
	"github.com/warpbound/warpbound/ptx"
)

func newCheck() *cobra.Command {
	var out output
	var source sourceFlags
	cmd := &cobra.Command{
		Use:   "check FILE...",
		Short: "Say what files are and what is wrong with them",
		Long: `Say of each file what it is, PTX, a RISC-V program, C with OpenMP target loops,
a launch file or a GPU description, and what is wrong with it: up to 20 errors a
file, each with its place. A launch file is checked with all that it names. Of
PTX it is also said which kernels cannot be executed here, and why; a module
without a kernel is a library.

Exit code 1: something is wrong with a file.`,
		Example: "  warpbound check examples/basic/saxpy/saxpy.ptx examples/basic/saxpy/saxpy.toml",
		Args:    operands("FILE..."),
		RunE: func(cmd *cobra.Command, args []string) error {
			var files []report.CheckedFile
			wrong := false
			for _, path := range args {
				data, err := readRegular(path, "a file to check")
				if err != nil {
					return err
				}
				f := checkFile(cmd.Context(), path, data, &source)
				wrong = wrong || len(f.Errors) > 0
				files = append(files, f.CheckedFile)
			}
			if err := out.write(cmd, report.Check(files)); err != nil {
				return err
			}
			if wrong {
				return errFound
			}
			return nil
		},
	}
	out.flags(cmd, false)
	source.flags(cmd)
	return cmd
}

// checkedFile is what is known of one file.
type checkedFile struct{ report.CheckedFile }

// checkFile says what a file is and what is wrong with it.
func checkFile(ctx context.Context, path string, data []byte, source *sourceFlags) checkedFile {
	kind := filekind.Of(path, data)
	f := checkedFile{report.CheckedFile{Path: path, Kind: kind.String(), Errors: []string{}}}
	switch kind {
	case filekind.PTX:
		f.ptx(data)
	case filekind.RISCV:
		f.riscv(data)
	case filekind.Launch:
		f.launch()
	case filekind.GPU:
		f.gpu(data)
	case filekind.C:
		f.c(ctx, source)
	case filekind.NPY:
		h, err := npy.ReadHeader(bytes.NewReader(data))
		if err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		} else {
			f.About = fmt.Sprintf("%d elements of type %s", h.Count, h.Descr)
		}
		f.Wrong(err)
	default:
		f.Wrong(fmt.Errorf("%s: %s", path, advice(kind)))
	}
	return f
}

// advice is what to do with a file that no command reads.
func advice(k filekind.Kind) string {
	switch k {
	case filekind.CUDA:
		return "expected PTX made of it: nvcc -ptx -arch=sm_70, or clang (README.md)"
	case filekind.CUBIN, filekind.Fatbin:
		return "expected PTX: cuobjdump --dump-ptx extracts it where the file has some"
	case filekind.ELF:
		return "expected a RISC-V program for the Vortex GPU, or PTX"
	case filekind.Archive:
		return "expected the file that is compressed"
	}
	return "expected PTX (.ptx), a RISC-V program (.elf), C (.c), a launch file or a GPU description (.toml)"
}

// plural writes a number of things.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func (f *checkedFile) ptx(data []byte) {
	m, err := ptx.Parse(f.Path, data)
	if err != nil {
		f.Wrong(err)
		return
	}
	var names []string
	functions := 0
	for _, d := range m.Decls {
		if fn, ok := d.(*ptx.Func); ok && fn.Body != nil && !fn.Entry {
			functions++
		}
	}
	for _, fn := range m.Entries() {
		names = append(names, fn.Name)
	}
	f.About = fmt.Sprintf("version %d.%d for %s, addresses of %d bits, ", m.Version.Major, m.Version.Minor, strings.Join(m.Targets, ", "), m.AddressSize)
	if len(names) == 0 {
		f.About += fmt.Sprintf("a library without kernels, %s", plural(functions, "function"))
	} else {
		f.About += fmt.Sprintf("%s (%s), %s", plural(len(names), "kernel"), strings.Join(names, ", "), plural(functions, "function"))
	}
	if err := ptx.Check(m); err != nil {
		f.Wrong(err)
		return
	}
	for _, name := range names {
		_, err := ptxexec.Lower(m, name)
		f.Wrong(err)
	}
}

func (f *checkedFile) riscv(data []byte) {
	img, err := rv.Load(f.Path, data)
	if err == nil {
		_, err = rv.Lower(img)
	}
	if img != nil {
		f.About = fmt.Sprintf("%s, %s, starts at 0x%x", plural(len(img.Insts), "instruction"), plural(len(img.Symbols), "function name"), img.Entry)
	}
	f.Wrong(err)
}

func (f *checkedFile) launch() {
	l, err := load.Open(f.Path)
	if err != nil {
		f.Wrong(err)
		return
	}
	args := len(l.File.Args)
	if r := l.File.RISCV; r != nil {
		f.About = fmt.Sprintf("%s on %s of %s of %s, %s", l.Program().Name, plural(r.Cores, "core"), plural(r.Warps, "warp"), plural(r.Threads, "thread"), plural(args, "argument"))
	} else {
		g, b := l.File.Grid, l.File.Block
		f.About = fmt.Sprintf("%s, grid %dx%dx%d of blocks %dx%dx%d, %s", l.Program().Name, g[0], g[1], g[2], b[0], b[1], b[2], plural(args, "argument"))
	}
	_, err = l.Kernel(false)
	if err != nil {
		err = inLaunch(l, err)
	}
	f.Wrong(err)
}

func (f *checkedFile) gpu(data []byte) {
	d, err := gpu.Load(f.Path, data)
	if err == nil {
		_, err = d.Machine()
	}
	if err != nil && !strings.HasSuffix(strings.ToLower(f.Path), ".toml") && filepath.Ext(f.Path) != "" {
		err = fmt.Errorf("%s: %s", f.Path, advice(filekind.Unknown))
	}
	if d != nil {
		f.About = fmt.Sprintf("%s, %s, %s", d.Name, plural(len(d.Units), "unit"), plural(len(d.Timing), "timing rule"))
	}
	f.Wrong(err)
}

func (f *checkedFile) c(ctx context.Context, source *sourceFlags) {
	p, err := source.parse(ctx, f.Path)
	if err != nil {
		f.Wrong(err)
		return
	}
	var names []string
	for _, fn := range p.Funcs {
		names = append(names, fn.Name)
	}
	f.About = "no function with an OpenMP target loop"
	if len(names) > 0 {
		f.About = fmt.Sprintf("%s with OpenMP target loops: %s", plural(len(names), "function"), strings.Join(names, ", "))
	}
}
