package load

import (
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/launch"
	"github.com/warpbound/warpbound/ptx"
	"github.com/warpbound/warpbound/simt/ptxexec"
)

// ptxKernel is a kernel of a PTX module.
type ptxKernel struct {
	lowered *ptxexec.Program
	args    []ptxexec.Arg
}

func openPTX(f *launch.Launch) (*ptxKernel, error) {
	src, err := read(f)
	if err != nil {
		return nil, err
	}
	module, err := ptx.Parse(f.Kernel, src)
	if err != nil {
		return nil, err
	}
	if err := ptx.Check(module); err != nil {
		return nil, err
	}
	entry, err := entryOf(f, module)
	if err != nil {
		return nil, err
	}
	k := &ptxKernel{}
	if k.lowered, err = ptxexec.Lower(module, entry); err != nil {
		return nil, err
	}
	if err := k.bind(f, int64(module.AddressSize/8)); err != nil {
		return nil, err
	}
	return k, nil
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

// bind sets the arguments of the launch against the kernel's parameters.
func (k *ptxKernel) bind(f *launch.Launch, addressBytes int64) error {
	var params []launch.Param
	for _, p := range k.lowered.Params() {
		params = append(params, launch.Param{Name: p.Name, Type: p.Type, Bytes: p.Bytes, AddressBytes: addressBytes})
	}
	if err := f.Bind(params); err != nil {
		return err
	}
	for i := range f.Args {
		a := &f.Args[i]
		data, err := f.Materialise(i)
		if err != nil {
			return err
		}
		arg := ptxexec.Arg{Name: a.Name}
		if a.Kind == launch.Buffer {
			arg.Buffer = &ptxexec.Buffer{Contents: data, ElementBytes: int(a.Type.Bytes()), Known: a.Known}
		} else {
			arg.Bytes = data
		}
		k.args = append(k.args, arg)
	}
	return nil
}

func (k *ptxKernel) program() *isa.Program { return k.lowered.ISA() }

func (k *ptxKernel) text(pc int32) Text {
	in := &k.lowered.ISA().Instructions[pc]
	return Text{Place: fmt.Sprint(in.Pos.Line), Instruction: in.Opcode}
}

func (k *ptxKernel) kernel(l *Launch, taint bool) (Kernel, error) {
	made, err := ptxexec.NewKernel(k.lowered, ptxexec.Launch{
		Grid: l.File.Grid, Block: l.File.Block, DynamicSharedBytes: l.File.DynamicSharedBytes,
		WarpSize: l.WarpSize, Args: k.args, Options: ptxexec.Options{Taint: taint, MaxBufferBytes: launch.MaxBufferBytes},
	})
	if err != nil {
		return nil, err
	}
	return made, nil
}
