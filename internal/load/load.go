package load

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/launch"
	"github.com/warpbound/warpbound/ptx"
	"github.com/warpbound/warpbound/simt"
	"github.com/warpbound/warpbound/simt/ptxexec"
)

// maxKernelBytes is the largest kernel file read.
const maxKernelBytes = 256 << 20

// Launch is a launch file with its kernel lowered.
type Launch struct {
	File *launch.Launch
	// WarpSize is the number of lanes of a warp; 0 means 32.
	WarpSize int

	program *ptxexec.Program
	args    []ptxexec.Arg
}

// Open reads a launch file and everything it names.
func Open(path string) (*Launch, error) {
	f, err := launch.Load(path)
	if err != nil {
		return nil, err
	}
	if ext := filepath.Ext(f.Kernel); ext != ".ptx" {
		return nil, at(path, "kernel", "kernel %s: %q is not a known kind of kernel file, expected .ptx", f.Kernel, ext)
	}
	info, err := os.Stat(f.Kernel)
	if err != nil {
		return nil, fmt.Errorf("%s: kernel: %w", path, err)
	}
	if info.Size() > maxKernelBytes {
		return nil, at(path, "kernel", "kernel %s has %d bytes, expected at most %d", f.Kernel, info.Size(), maxKernelBytes)
	}
	src, err := os.ReadFile(f.Kernel)
	if err != nil {
		return nil, fmt.Errorf("%s: kernel: %w", path, err)
	}
	module, err := ptx.Parse(f.Kernel, src)
	if err != nil {
		return nil, err
	}
	if err := ptx.Check(module); err != nil {
		return nil, err
	}
	l := &Launch{File: f}
	entry, err := entryOf(f, module)
	if err != nil {
		return nil, err
	}
	if l.program, err = ptxexec.Lower(module, entry); err != nil {
		return nil, err
	}
	if err := l.bind(int64(module.AddressSize / 8)); err != nil {
		return nil, err
	}
	return l, nil
}

// entryOf is the name of the kernel to launch: the one the file names, or else
// the module's only one.
func entryOf(f *launch.Launch, m *ptx.File) (string, error) {
	var names []string
	for _, d := range m.Decls {
		if fn, ok := d.(*ptx.Func); ok && fn.Entry && fn.Body != nil {
			names = append(names, fn.Name)
		}
	}
	switch {
	case slices.Contains(names, f.Entry):
		return f.Entry, nil
	case len(names) == 0:
		return "", at(f.Path, "kernel", "%s has no kernel, expected one", m.Name)
	case f.Entry != "":
		return "", at(f.Path, "entry", "%s has no kernel %q, %s", m.Name, f.Entry, conf.Suggest(f.Entry, names))
	case len(names) > 1:
		return "", at(f.Path, "kernel", "%s has %d kernels (%s), expected `entry` to name one", m.Name, len(names), conf.List(names))
	}
	return names[0], nil
}

// at is an error about a key of a launch file that has been read before.
func at(path, key, format string, args ...any) error {
	pos := conf.Pos{File: path}
	if data, err := os.ReadFile(path); err == nil {
		if root, err := conf.Parse(path, data); err == nil && root.Get(key) != nil {
			pos = root.Get(key).Pos
		}
	}
	return &conf.Error{Pos: pos, Msg: fmt.Sprintf(format, args...)}
}

func (l *Launch) bind(addressBytes int64) error {
	var params []launch.Param
	for _, p := range l.program.Params() {
		params = append(params, launch.Param{Name: p.Name, Type: p.Type, Bytes: p.Bytes, AddressBytes: addressBytes})
	}
	if err := l.File.Bind(params); err != nil {
		return err
	}
	for i := range l.File.Args {
		a := &l.File.Args[i]
		data, err := l.File.Materialise(i)
		if err != nil {
			return err
		}
		arg := ptxexec.Arg{Name: a.Name}
		if a.Kind == launch.Buffer {
			arg.Buffer = &ptxexec.Buffer{Contents: data, ElementBytes: int(a.Type.Bytes()), Known: a.Known}
		} else {
			arg.Bytes = data
		}
		l.args = append(l.args, arg)
	}
	return nil
}

// Kernel returns the kernel with its buffers as they are at the start. With
// taint it follows which values depend on buffers that are not known.
func (l *Launch) Kernel(taint bool) (*ptxexec.Kernel, error) {
	return ptxexec.NewKernel(l.program, ptxexec.Launch{
		Grid: l.File.Grid, Block: l.File.Block, DynamicSharedBytes: l.File.DynamicSharedBytes,
		WarpSize: l.WarpSize, Args: l.args, Options: ptxexec.Options{Taint: taint, MaxBufferBytes: launch.MaxBufferBytes},
	})
}

// Fresh is Kernel without taint, as comparisons need it.
func (l *Launch) Fresh() (simt.Kernel, error) { return l.Kernel(false) }

// Program is the kernel's static program.
func (l *Launch) Program() *isa.Program { return l.program.ISA() }
