package load

import (
	"fmt"
	"slices"
	"sync"

	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/launch"
	"github.com/warpbound/warpbound/ptx"
)

// ptxKernel is a kernel of a PTX module.
type ptxKernel struct {
	lowered *ptxexec.Code
	// What the launch gives: to parameters, to pointers, to the module.
	args, buffers, variables []ptxexec.Arg
	textures                 []ptxexec.Texture
	samplers                 []ptxexec.Sampler
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
	refuse := func(key, format string, args ...any) (string, error) {
		return "", &EntryError{At: at(f.Path, key, format, args...), Module: m.Name, Entry: f.Entry, Entries: names}
	}
	switch {
	case slices.Contains(names, f.Entry):
		return f.Entry, nil
	case len(names) == 0:
		return refuse("kernel", "%s has no kernel, expected one", m.Name)
	case f.Entry != "":
		return refuse("entry", "%s has no kernel %q, %s", m.Name, f.Entry, conf.Suggest(f.Entry, names))
	case len(names) > 1:
		return refuse("kernel", "%s has %d kernels (%s), expected `entry` to name one", m.Name, len(names), conf.List(names))
	}
	return names[0], nil
}

// bind matches the arguments of the launch with the kernel's parameters.
func (k *ptxKernel) bind(f *launch.Launch, addressBytes int64) error {
	var params []launch.Param
	for _, p := range k.lowered.Params() {
		params = append(params, launch.Param{Name: p.Name, Type: p.Type, Bytes: p.Bytes, AddressBytes: addressBytes})
	}
	if err := f.Bind(params); err != nil {
		return err
	}
	var variables []launch.Variable
	for _, v := range k.lowered.Variables() {
		variables = append(variables, launch.Variable{Name: v.Name, Bytes: v.Bytes})
	}
	if err := f.BindVariables(variables); err != nil {
		return err
	}
	var err error
	if k.args, err = arguments(f.Args, false); err != nil {
		return err
	}
	if k.buffers, err = arguments(f.Buffers, true); err != nil {
		return err
	}
	if k.variables, err = arguments(f.Variables, true); err != nil {
		return err
	}
	return k.bindTextures(f)
}

// arguments makes arguments for ptxexec; memory says that all of them, scalars
// and structures too, are placed in memory.
func arguments(list []launch.Arg, memory bool) ([]ptxexec.Arg, error) {
	var out []ptxexec.Arg
	for i := range list {
		a, err := argument(&list[i], memory || list[i].Kind == launch.Buffer)
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
}

// argument makes an argument for ptxexec: a buffer, or the bytes of a
// parameter.
func argument(a *launch.Arg, buffer bool) (ptxexec.Arg, error) {
	arg := ptxexec.Arg{Name: a.Name}
	for _, p := range a.Pointers() {
		arg.Pointers = append(arg.Pointers, ptxexec.Pointer(p))
	}
	b := &ptxexec.Buffer{ElementBytes: int(a.ElementBytes()), Known: a.Known}
	if buffer && a.Computed() {
		// Made when a kernel needs it, once for all kernels.
		contents := sync.OnceValues(a.Contents)
		b.Bytes, b.Fill = a.Bytes(), func(to []byte) error {
			if a.Init.Kind != launch.Zero {
				data, err := contents()
				if err != nil {
					return err
				}
				copy(to, data)
			}
			return a.CheckRange(to)
		}
	} else {
		data, err := a.Contents()
		if err != nil {
			return ptxexec.Arg{}, err
		}
		if !buffer {
			arg.Bytes = data
			if a.Range != nil {
				arg.Range = &ptxexec.Integers{Min: a.Range.Min, Max: a.Range.Max}
			}
			return arg, nil
		}
		if err := a.CheckRange(data); err != nil {
			return ptxexec.Arg{}, err
		}
		b.Contents = data
	}
	if r := a.Range; r != nil {
		b.Elements = &ptxexec.Elements{Integers: ptxexec.Integers{Min: r.Min, Max: r.Max}, Ascending: r.Ascending, MaxStep: r.MaxStep}
	}
	b.Before, b.After = a.Before*a.ElementBytes(), a.After*a.ElementBytes()
	for _, r := range a.Unknown() {
		b.Unknown = append(b.Unknown, ptxexec.Range(r))
	}
	arg.Buffer = b
	return arg, nil
}

// bindTextures takes over the textures and samplers of the launch.
func (k *ptxKernel) bindTextures(f *launch.Launch) error {
	sampler := func(s launch.Sampler) ptxexec.Sampler {
		return ptxexec.Sampler{
			Name: s.Name, Handle: s.Handle, HasHandle: s.HasHandle,
			Address:  [2]ptxexec.AddressMode{ptxexec.AddressMode(s.Address[0]), ptxexec.AddressMode(s.Address[1])},
			Filtered: s.Filter == launch.Bilinear, NormalizedCoords: s.NormalizedCoords,
		}
	}
	for i := range f.Textures {
		t := &f.Textures[i]
		data, err := f.MaterialiseTexture(i)
		if err != nil {
			return err
		}
		k.textures = append(k.textures, ptxexec.Texture{
			Name: t.Name, Handle: t.Handle, HasHandle: t.HasHandle, Texels: data, Known: t.Texels.Known,
			Channel: ptx.TypeByName(t.Texels.Type.String()), Channels: t.Channels, Width: t.Width, Height: t.Height,
			Linear: t.Linear, Pitch: t.Pitch, Normalized: t.Normalized, Sampler: sampler(t.Sampler),
		})
	}
	for _, s := range f.Samplers {
		k.samplers = append(k.samplers, sampler(s))
	}
	return nil
}

func (k *ptxKernel) program() *isa.Program { return k.lowered.ISA() }

func (k *ptxKernel) text(pc int32) Text {
	in := &k.lowered.ISA().Instructions[pc]
	return Text{Place: fmt.Sprint(in.Pos.Line), Instruction: in.Opcode}
}

func (k *ptxKernel) kernel(l *Opened, taint bool) (Executable, error) {
	most := room(launch.MaxBufferBytes)
	if total := bufferBytes(l.File); total > most && most < launch.MaxBufferBytes {
		return nil, fmt.Errorf("the buffers take %d bytes, expected at most %d under this process's limit of address space (ulimit -v)", total, most)
	}
	made, err := ptxexec.NewKernel(k.lowered, ptxexec.LaunchConfig{
		Grid: l.File.Grid, LeastGrid: l.LeastGrid, Block: l.File.Block, DynamicSharedBytes: l.File.DynamicSharedBytes,
		WarpSize: l.WarpSize, Args: k.args, Buffers: k.buffers, Variables: k.variables, Textures: k.textures, Samplers: k.samplers, AnyTextures: l.AnyTextures,
		Options: ptxexec.Options{Taint: taint, MaxBufferBytes: most, Facts: l.facts, ReportLoops: l.ReportLoops, Scratch: l.Scratch},
	})
	if err != nil {
		return nil, err
	}
	return made, nil
}

// bufferBytes is what the buffers of a launch take together.
func bufferBytes(f *launch.Launch) int64 {
	total := int64(0)
	for _, list := range [][]launch.Arg{f.Args, f.Buffers} {
		for i := range list {
			if list[i].Kind == launch.Buffer {
				total += list[i].Bytes()
			}
		}
	}
	return total
}
