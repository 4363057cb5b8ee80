package warpbound

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/filekind"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/npy"
	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/internal/rv"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
	"github.com/warpbound/warpbound/launch"
	"github.com/warpbound/warpbound/ptx"
)

// CheckOptions say how Check reads C files.
type CheckOptions struct {
	Defines map[string]string // macros
	Include []string          // folders where headers are looked for, too
}

// CheckResult says what files are.
type CheckResult struct {
	Files []FileCheck // in the order in which they were named
}

// FileCheck is what is known of a file.
type FileCheck struct {
	Path  string
	Kind  string // with its article: "a launch file", "PTX"
	About string // what it holds; "" where it cannot be read
	// Errors are what is wrong with it, at most 20, each with its place.
	Errors []string
}

// OK says that nothing is wrong with any file.
func (r *CheckResult) OK() bool {
	for i := range r.Files {
		if len(r.Files[i].Errors) > 0 {
			return false
		}
	}
	return true
}

// Report is the result as the command check prints it.
func (r *CheckResult) Report() (*Report, error) {
	var files []report.CheckedFile
	for _, f := range r.Files {
		files = append(files, report.CheckedFile(f))
	}
	return &Report{report.Check(files)}, nil
}

// Check says of each file what it is, PTX, a RISC-V program, C with OpenMP target
// loops, a launch file with all that it names, a file of facts, a project file, or a GPU description, and
// what is wrong with it. The error is of files that cannot be read at all.
func Check(ctx context.Context, paths []string, opt CheckOptions) (*CheckResult, error) {
	if err := sources(opt.Defines, opt.Include); err != nil {
		return nil, err
	}
	out := &CheckResult{}
	for _, path := range paths {
		data, err := filekind.Read(path, "a file to check")
		if err != nil {
			return nil, explain(err)
		}
		f := checkedFile{report.CheckedFile{Path: path, Kind: filekind.Of(path, data).String(), Errors: []string{}}}
		f.check(ctx, filekind.Of(path, data), data, &opt)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out.Files = append(out.Files, FileCheck(f.CheckedFile))
	}
	return out, nil
}

// checkedFile is what is known of one file.
type checkedFile struct{ report.CheckedFile }

func (f *checkedFile) check(ctx context.Context, kind filekind.Kind, data []byte, opt *CheckOptions) {
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
		f.c(ctx, opt)
	case filekind.Facts:
		f.facts(data)
	case filekind.NPY:
		f.npy(data)
	case filekind.Project:
		f.project()
	default:
		f.Wrong(fmt.Errorf("%s: %s", f.Path, advice(kind)))
	}
}

// advice is what to do with a file that nothing here reads.
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
		err = l.Place(err)
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

func (f *checkedFile) facts(data []byte) {
	list, err := launch.ParseFacts(f.Path, data)
	f.About = plural(len(list), "fact")
	f.Wrong(err)
}

func (f *checkedFile) npy(data []byte) {
	h, err := npy.ReadHeader(bytes.NewReader(data))
	if err != nil {
		f.Wrong(fmt.Errorf("%s: %w", f.Path, err))
		return
	}
	f.About = fmt.Sprintf("%d elements of type %s", h.Count, h.Descr)
}

func (f *checkedFile) project() {
	p, err := OpenProject(f.Path)
	if err != nil {
		f.Wrong(err)
		return
	}
	f.About = fmt.Sprintf("%s to assess on %s, %s accepted", plural(len(p.file.Cases), "case"), plural(len(p.gpus), "GPU"), plural(len(p.file.Accepted), "assumption"))
}

func (f *checkedFile) c(ctx context.Context, opt *CheckOptions) {
	p, err := cfront.ParseFile(ctx, f.Path, opt.Defines, opt.Include)
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
