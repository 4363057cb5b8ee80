package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound/internal/npy"
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/emit"
	"github.com/warpbound/warpbound/internal/prem/exec"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/ptxgen"
	"github.com/warpbound/warpbound/internal/prem/tile"
	"github.com/warpbound/warpbound/internal/premtime/study"
	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
)

// The forms of generated kernels.
const (
	emitCUDA    = "cuda"
	emitOpenCL  = "opencl"
	emitPTX     = "ptx"
	emitClang   = "clang-ptx"
	emitHarness = "harness"
	emitLaunch  = "launch"
)

var (
	emitForms    = []string{emitCUDA, emitOpenCL, emitPTX, emitClang, emitHarness, emitLaunch}
	phaseSchemes = []device.Scheme{device.Base, device.CMPT, device.DAE, device.SDMA}
)

func premSchemes() []string {
	var out []string
	for _, s := range phaseSchemes {
		out = append(out, s.String())
	}
	return out
}

// parseScheme reads the name of a scheme.
func parseScheme(flag, name string) (device.Scheme, error) {
	for _, s := range phaseSchemes {
		if s.String() == name {
			return s, nil
		}
	}
	return device.Base, oneOf(flag, name, premSchemes()...)
}

// emitFlags say which text of the kernels is written.
type emitFlags struct {
	form   string
	scheme string
	guard  bool
	unroll int
	approx bool
}

func (f *emitFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.form, "emit", "", "write the kernels: "+strings.Join(emitForms, ", ")+" (launch files with PTX and arguments, in the directory of --output)")
	cmd.Flags().StringVar(&f.scheme, "scheme", device.SDMA.String(), "for --emit: "+strings.Join(premSchemes(), ", "))
	cmd.Flags().BoolVar(&f.guard, "guard", false, "for --emit, but not launch: with the guard's protocol in the kernels")
	cmd.Flags().IntVar(&f.unroll, "unroll", 1, fmt.Sprintf("for warpbound's own PTX (--emit ptx or launch, --schedule): iterations of a copy loop that are made one, all loads before all stores, 1 to %d", ptxgen.MaxUnroll))
	cmd.Flags().BoolVar(&f.approx, "approx", false, "let exp, log, pow and the trigonometric functions be approximations (warpbound's own PTX)")
	_ = cmd.RegisterFlagCompletionFunc("unroll", cobra.NoFileCompletions)
	_ = cmd.RegisterFlagCompletionFunc("emit", words(emitForms...))
	_ = cmd.RegisterFlagCompletionFunc("scheme", words(premSchemes()...))
}

func (f *emitFlags) check(cmd *cobra.Command, simulated bool) error {
	if f.form == "" {
		for _, name := range []string{"scheme", "guard"} {
			if cmd.Flags().Changed(name) {
				return fmt.Errorf("--%s: nothing is written, expected --emit", name)
			}
		}
	}
	if own := simulated || f.form == emitPTX || f.form == emitLaunch; !own {
		for _, name := range []string{"unroll", "approx"} {
			if cmd.Flags().Changed(name) {
				return fmt.Errorf("--%s is for warpbound's own PTX, expected --emit ptx, --emit launch or --schedule", name)
			}
		}
	}
	if f.unroll < 1 || f.unroll > ptxgen.MaxUnroll {
		return fmt.Errorf("--unroll %d: expected 1 to %d", f.unroll, ptxgen.MaxUnroll)
	}
	if f.form == "" {
		return nil
	}
	_, err := parseScheme("scheme", f.scheme)
	return errors.Join(oneOf("emit", f.form, emitForms...), err)
}

// write writes the kernels of functions: a text with all of them, or where each needs
// one of its own, files in a directory.
func (f *emitFlags) write(cmd *cobra.Command, out *output, p *loop.Unit, fns []*loop.Func, opt tile.Options) error {
	switch {
	case f.form == emitLaunch:
		return f.writeLaunches(cmd, out, p, fns, opt)
	case f.form == emitHarness && len(fns) > 1:
		return f.writeHarnesses(cmd, out, p, fns, opt)
	}
	text, err := f.text(cmd.Context(), p, fns, opt)
	if err != nil {
		return err
	}
	return out.write(cmd, report.Listing([]byte(text)))
}

// writeLaunches writes launch files into a directory and lists them.
func (f *emitFlags) writeLaunches(cmd *cobra.Command, out *output, p *loop.Unit, fns []*loop.Func, opt tile.Options) error {
	switch {
	case out.file == "":
		return errors.New("--emit launch: no directory, expected --output DIRECTORY")
	case f.guard:
		return errors.New("--emit launch --guard: a kernel with the guard waits for a CPU, expected one of the two")
	}
	for _, fn := range fns {
		names, err := f.launches(cmd.Context(), p, fn, opt, opt.Scalars, out.file)
		if err != nil {
			return fmt.Errorf("%s: %w", fn.Name, err)
		}
		if len(names) == 0 {
			return fmt.Errorf("%s: the function launches no kernel with these arguments, expected others (--value)", fn.Name)
		}
		for _, name := range names {
			fmt.Fprintln(cmd.OutOrStdout(), name)
		}
	}
	return nil
}

// writeHarnesses writes a host program for each function into a directory and lists
// them. All are made before the first is written.
func (f *emitFlags) writeHarnesses(cmd *cobra.Command, out *output, p *loop.Unit, fns []*loop.Func, opt tile.Options) error {
	if out.file == "" {
		return fmt.Errorf("--emit harness: %s has %d functions with OpenMP target loops, and each is a program, expected --output DIRECTORY for a file each, or --function for one", p.File, len(fns))
	}
	var texts []string
	for _, fn := range fns {
		text, err := f.text(cmd.Context(), p, []*loop.Func{fn}, opt)
		if err != nil {
			return err
		}
		texts = append(texts, text)
	}
	if err := os.MkdirAll(out.file, 0o777); err != nil {
		return err
	}
	for i, fn := range fns {
		name := filepath.Join(out.file, fn.Name+"_"+f.scheme+".cu")
		if err := apart("output", name, append([]string{p.File}, p.Headers...)); err != nil {
			return err
		}
		if err := writeFile(name, []byte(texts[i])); err != nil {
			return err
		}
		fmt.Fprintln(cmd.OutOrStdout(), name)
	}
	return nil
}

// text is the kernels of functions in the form asked for; a harness is of one.
func (f *emitFlags) text(ctx context.Context, p *loop.Unit, fns []*loop.Func, opt tile.Options) (string, error) {
	scheme, err := parseScheme("scheme", f.scheme)
	if err != nil {
		return "", err
	}
	var compiled []*exec.Module
	for _, fn := range fns {
		m, err := f.compile(p, fn, scheme, opt)
		if err != nil {
			return "", err
		}
		compiled = append(compiled, m)
	}
	if f.form == emitPTX {
		return exec.PTX(compiled)
	}
	sources := make(map[string][]byte)
	for _, name := range append([]string{p.File}, p.Headers...) {
		if sources[name], err = readSource(name); err != nil {
			return "", err
		}
	}
	var mods []emit.Module
	for i, m := range compiled {
		mod := emit.Module{Program: p, Func: fns[i], Guard: f.guard, Sources: sources, Scalars: m.Fixed()}
		for _, k := range m.Kernels {
			mod.Kernels = append(mod.Kernels, k.Device)
		}
		mods = append(mods, mod)
	}
	switch f.form {
	case emitOpenCL:
		return emit.OpenCL(mods...)
	case emitHarness:
		return emit.Harness(mods[0], emit.HarnessOptions{Args: harnessArgs(p, fns[0], opt.Scalars)})
	}
	text, err := emit.CUDA(mods...)
	if err != nil || f.form == emitCUDA {
		return text, err
	}
	return emit.ClangPTX(ctx, "", text)
}

// harnessArgs are the arguments that --schedule and --emit launch use, as far as
// the values given make them known.
func harnessArgs(p *loop.Unit, fn *loop.Func, values map[string]int64) []emit.Argument {
	var out []emit.Argument
	arrays := append([]*loop.Array{}, p.Arrays...)
	for _, q := range fn.Params {
		if q.Array != nil {
			arrays = append(arrays, q.Array)
			continue
		}
		v, known := values[q.Var.Name]
		switch {
		case q.Var.Type.IsFloat():
			out = append(out, emit.Argument{Name: q.Var.Name, Init: emit.Init{Off: study.ScalarValue}})
		case known:
			out = append(out, emit.Argument{Name: q.Var.Name, Init: emit.Init{Off: float64(v)}})
		}
	}
	args, err := study.Arguments(p, fn, values)
	for _, a := range arrays {
		x := emit.Argument{Name: a.Name, Init: emit.Init{Mul: 1, Mod: study.ArrayPeriod, Off: 1}}
		if a.Elem.IsFloat() {
			x.Init.Div = study.ArrayQuotient
		}
		if err == nil && a.Extents[0] == nil {
			x.Extent = args.Arrays[a.Name].Shape[0]
		}
		out = append(out, x)
	}
	return out
}

// compile makes the kernels of a function that tile.Plans has proved independent.
func (f *emitFlags) compile(p *loop.Unit, fn *loop.Func, s device.Scheme, opt tile.Options) (*exec.Module, error) {
	o := exec.Options{Scheme: s, Tile: opt, Trusted: true}
	o.PTX.Guard, o.PTX.Unroll, o.PTX.Approx = f.guard, f.unroll, f.approx
	return exec.Compile(p, fn.Name, o)
}

// launches writes a launch file for the first launch of every kernel of a function,
// with the memory that it finds, and returns the names of the launch files.
func (f *emitFlags) launches(ctx context.Context, p *loop.Unit, fn *loop.Func, opt tile.Options, values map[string]int64, dir string) ([]string, error) {
	scheme, err := parseScheme("scheme", f.scheme)
	if err != nil {
		return nil, err
	}
	m, err := f.compile(p, fn, scheme, opt)
	if err != nil {
		return nil, err
	}
	args, err := study.Arguments(p, fn, values)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	ptx := fn.Name + "_" + f.scheme + ".ptx"
	if err := writeFile(filepath.Join(dir, ptx), []byte(m.PTX)); err != nil {
		return nil, err
	}
	var names []string
	seen := map[*exec.Compiled]bool{}
	functional := exec.Functional{Limits: simt.Limits{}}
	err = m.Run(ctx, args, func(ctx context.Context, l *exec.Offload) (*ptxexec.Kernel, error) {
		if !seen[l.Kernel] {
			seen[l.Kernel] = true
			name := filepath.Join(dir, l.Kernel.Device.Name+".toml")
			if err := writeLaunch(name, ptx, l); err != nil {
				return nil, err
			}
			names = append(names, name)
		}
		return functional.Run(ctx, l)
	})
	return names, err
}

// writeLaunch writes a launch file and the contents of its buffers beside it.
func writeLaunch(name, ptx string, l *exec.Offload) error {
	var b bytes.Buffer
	d := l.Kernel.Device
	fmt.Fprintf(&b, "# %s, from %s, scheme %s: launch %d of a call\n", d.Name, d.At, d.Scheme, l.Number)
	fmt.Fprintf(&b, "kernel = %q\nentry  = %q\ngrid   = [%d]\nblock  = [%d]\n", ptx, d.Name, d.Teams, d.Threads)
	if n := d.DynamicBytes(); n > 0 {
		fmt.Fprintf(&b, "dynamic_shared_bytes = %d # the scratchpad\n", n)
	}
	for i, a := range l.Arguments() {
		q := l.Kernel.Params[i]
		fmt.Fprintf(&b, "\n[[args]]\nname  = %q\n", a.Name)
		if a.Buffer == nil {
			fmt.Fprintf(&b, "type  = %q\nvalue = %s\n", ptxTypes[q.Var.Type].name, scalarText(q.Var.Type, a.Bytes))
			continue
		}
		t := bytesType // structures
		if q.Array != nil {
			t = ptxTypes[q.Array.Elem]
		}
		data := strings.TrimSuffix(filepath.Base(name), ".toml") + "." + a.Name + ".npy"
		fmt.Fprintf(&b, "type  = %q\ncount = %d\ninit  = { file = %q }\n", t.name, len(a.Buffer.Contents)/t.bytes, data)
		var contents bytes.Buffer
		if err := npy.Write(&contents, t.npy, a.Buffer.Contents); err != nil {
			return err
		}
		if err := writeFile(filepath.Join(filepath.Dir(name), data), contents.Bytes()); err != nil {
			return err
		}
	}
	return writeFile(name, b.Bytes())
}

// elementType is a type in launch files and in NPY files.
type elementType struct {
	name, npy string
	bytes     int
}

var (
	bytesType = elementType{"u8", "|u1", 1}
	ptxTypes  = map[loop.Type]elementType{
		loop.Int: {"s32", "<i4", 4}, loop.Uint: {"u32", "<u4", 4}, loop.Long: {"s64", "<i8", 8}, loop.Ulong: {"u64", "<u8", 8},
		loop.Float: {"f32", "<f4", 4}, loop.Double: {"f64", "<f8", 8},
	}
)

// scalarText writes a scalar as launch files do.
func scalarText(t loop.Type, data []byte) string {
	wide := make([]byte, 8)
	copy(wide, data)
	bits := binary.LittleEndian.Uint64(wide)
	switch t {
	case loop.Float:
		return strconv.Quote(strconv.FormatFloat(float64(math.Float32frombits(uint32(bits))), 'x', -1, 32))
	case loop.Double:
		return strconv.Quote(strconv.FormatFloat(math.Float64frombits(bits), 'x', -1, 64))
	case loop.Int:
		return strconv.FormatInt(int64(int32(bits)), 10)
	case loop.Long:
		return strconv.FormatInt(int64(bits), 10)
	}
	return strconv.FormatUint(bits, 10)
}
