package exec

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"github.com/warpbound/warpbound/internal/npy"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
)

// LaunchFiles calls the function with args, and hands over the module's PTX and, for the
// first launch of every kernel, the contents of its buffers and a launch file that names
// them (docs/launch-format.md), all of one folder. It returns the names of the launch
// files, in the order of the launches.
func (m *Module) LaunchFiles(ctx context.Context, args loop.Args, write func(name string, data []byte) error) ([]string, error) {
	module := fmt.Sprintf("%s_%s.ptx", m.Func.Name, m.Options.Scheme)
	if err := write(module, []byte(m.PTX)); err != nil {
		return nil, err
	}
	var names []string
	seen := map[*Compiled]bool{}
	var functional Functional
	err := m.Run(ctx, args, func(ctx context.Context, l *Offload) (*ptxexec.Kernel, error) {
		if !seen[l.Kernel] {
			seen[l.Kernel] = true
			if err := l.launchFile(module, write); err != nil {
				return nil, err
			}
			names = append(names, l.Kernel.Device.Name+".toml")
		}
		return functional.Run(ctx, l)
	})
	return names, err
}

// launchFile hands over the launch file of a launch, after the contents of its buffers.
func (l *Offload) launchFile(module string, write func(name string, data []byte) error) error {
	var b bytes.Buffer
	d := l.Kernel.Device
	fmt.Fprintf(&b, "# %s, from %s, scheme %s: launch %d of a call\n", d.Name, d.At, d.Scheme, l.Number)
	fmt.Fprintf(&b, "kernel = %q\nentry  = %q\ngrid   = [%d]\nblock  = [%d]\n", module, d.Name, d.Teams, d.Threads)
	if n := d.DynamicBytes(); n > 0 {
		fmt.Fprintf(&b, "dynamic_shared_bytes = %d # the scratchpad\n", n)
	}
	for i, a := range l.args {
		q := l.Kernel.Params[i]
		fmt.Fprintf(&b, "\n[[args]]\nname  = %q\n", a.Name)
		if a.Buffer == nil {
			fmt.Fprintf(&b, "type  = %q\nvalue = %s\n", elementTypes[q.Var.Type].name, scalarText(q.Var.Type, a.Bytes))
			continue
		}
		t := bytesType // structures
		if q.Array != nil {
			t = elementTypes[q.Array.Elem]
		}
		file := d.Name + "." + a.Name + ".npy"
		fmt.Fprintf(&b, "type  = %q\ncount = %d\ninit  = { file = %q }\n", t.name, len(a.Buffer.Contents)/t.bytes, file)
		var contents bytes.Buffer
		if err := npy.Write(&contents, t.npy, a.Buffer.Contents); err != nil {
			return err
		}
		if err := write(file, contents.Bytes()); err != nil {
			return err
		}
	}
	return write(d.Name+".toml", b.Bytes())
}

// elementType is a type in launch files and in NPY files.
type elementType struct {
	name, npy string
	bytes     int
}

var (
	bytesType    = elementType{"u8", "|u1", 1}
	elementTypes = map[loop.Type]elementType{
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
