// Package load brings together what a launch file names: the kernel's text,
// parsed, checked and lowered, and its arguments, as a kernel ready to execute.
package load

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

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
		return nil, fmt.Errorf("%s: kernel %s: %q is not a known kind of kernel file, expected .ptx", path, f.Kernel, ext)
	}
	info, err := os.Stat(f.Kernel)
	if err != nil {
		return nil, fmt.Errorf("%s: kernel: %w", path, err)
	}
	if info.Size() > maxKernelBytes {
		return nil, fmt.Errorf("%s: kernel %s has %d bytes, expected at most %d", path, f.Kernel, info.Size(), maxKernelBytes)
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
	entry := f.Entry
	if entry == "" {
		if entry, err = onlyEntry(path, module); err != nil {
			return nil, err
		}
	}
	if l.program, err = ptxexec.Lower(module, entry); err != nil {
		return nil, err
	}
	return l, l.bind()
}

func onlyEntry(path string, m *ptx.File) (string, error) {
	var names []string
	for _, d := range m.Decls {
		if f, ok := d.(*ptx.Func); ok && f.Entry && f.Body != nil {
			names = append(names, f.Name)
		}
	}
	if len(names) == 1 {
		return names[0], nil
	}
	return "", fmt.Errorf("%s: %s has %d kernels (%s), expected `entry` to name one", path, m.Name, len(names), strings.Join(names, ", "))
}

func (l *Launch) bind() error {
	var params []launch.Param
	for _, p := range l.program.Params() {
		params = append(params, launch.Param{Name: p.Name, Type: p.Type, Bytes: p.Bytes})
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
		WarpSize: l.WarpSize, Args: l.args, Options: ptxexec.Options{Taint: taint},
	})
}

// Fresh is Kernel without taint, as comparisons need it.
func (l *Launch) Fresh() (simt.Kernel, error) { return l.Kernel(false) }

// Program is the kernel's static program.
func (l *Launch) Program() *isa.Program { return l.program.ISA() }
