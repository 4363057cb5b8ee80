package emit

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
)

// Module is a function and its generated kernels.
type Module struct {
	Program *loop.Unit
	Func    *loop.Func
	// Kernels stand in the order of Func.Kernels, one each.
	Kernels []*device.Entry
	// Guard says that kernels take the token and follow its protocol.
	Guard bool
	// Scalars are the values of parameters, by name, that the kernels were planned
	// for: tile.Options.Scalars. The text says so, and a harness accepts no
	// others.
	Scalars map[string]int64
	// Sources are the texts of files by name, Unit.File and its headers, from
	// which comments quote; may be nil.
	Sources map[string][]byte
}

// checkAll finds what cannot be written in one text for several modules.
func checkAll(ms []Module) error {
	if len(ms) == 0 {
		return fmt.Errorf("emit: no module")
	}
	names := make(map[string]bool)
	for _, m := range ms {
		if err := m.check(); err != nil {
			return err
		}
		if m.Program != ms[0].Program || m.Guard != ms[0].Guard {
			return fmt.Errorf("emit: modules of different programs, or with the guard and without")
		}
		for _, k := range m.Kernels {
			if names[k.Name] {
				return &loop.Error{Pos: k.At, Msg: fmt.Sprintf("kernel name %q is taken", k.Name)}
			}
			names[k.Name] = true
		}
	}
	return nil
}

// check finds what no text can be written for.
func (m Module) check() error {
	if m.Program == nil || m.Func == nil {
		return fmt.Errorf("emit: module without a program or a function")
	}
	if want := len(m.Func.Kernels()); len(m.Kernels) != want {
		return &loop.Error{Pos: m.Func.At, Msg: fmt.Sprintf("function %s has %d kernels, %d were generated", m.Func.Name, want, len(m.Kernels))}
	}
	names := make(map[string]bool)
	for _, k := range m.Kernels {
		if k == nil {
			return &loop.Error{Pos: m.Func.At, Msg: fmt.Sprintf("function %s: a kernel is missing", m.Func.Name)}
		}
		if names[k.Name] || k.Name == "" || cleaned(k.Name) != k.Name || reserved(k.Name) {
			return &loop.Error{Pos: k.At, Msg: fmt.Sprintf("kernel name %q is taken or not a name", k.Name)}
		}
		names[k.Name] = true
		if err := device.Check(k); err != nil {
			return fmt.Errorf("emit: kernel %s: %w", k.Name, err)
		}
		if k.Threads > 1024 || k.Teams > 1<<16-1 {
			return &loop.Error{Pos: k.At, Msg: fmt.Sprintf("kernel %s has %d teams of %d threads, want at most 65535 of at most 1024", k.Name, k.Teams, k.Threads)}
		}
	}
	return nil
}

// fixed lists the parameters that have one value only, in order, and these.
// Kernels of scheme Base keep nothing of a plan but the launch's size.
func (m Module) fixed() (params []*loop.Var, values []int64) {
	if !slices.ContainsFunc(m.Kernels, func(k *device.Entry) bool { return k.Scheme != device.Base }) {
		return nil, nil
	}
	for _, q := range m.Func.Params {
		if q.Var == nil || !q.Var.Type.IsSigned() {
			continue
		}
		if v, ok := m.Scalars[q.Var.Name]; ok {
			params, values = append(params, q.Var), append(values, v)
		}
	}
	return params, values
}

// scratchpad gives the bytes that a team needs, and whether its arrays can be
// declared one by one: they do not overlap and fit.
func scratchpad(k *device.Entry) (bytes int64, apart bool) {
	at, bytes := k.Layout()
	apart = bytes <= device.MaxStaticShared
	for i, a := range k.Shared {
		for j := range i {
			apart = apart && (at[i]+sizeOf(a) <= at[j] || at[j]+sizeOf(k.Shared[j]) <= at[i])
		}
	}
	return bytes, apart
}

// sizeOf is the size of a shared array.
func sizeOf(a *loop.Array) int64 {
	n := a.Elem.Size()
	for _, x := range a.Extents {
		n *= x.(*loop.IntLit).Value
	}
	return n
}

// base is the program's file without folders.
func (m Module) base() string { return base(m.Program.File) }

// base is a file's name without folders.
func base(file string) string { return path.Base(strings.ReplaceAll(file, `\`, "/")) }

// records lists the structures of the modules' arrays, each tag once.
func records(ms []Module) ([]*loop.Record, error) {
	var out []*loop.Record
	byTag := make(map[string]*loop.Record)
	add := func(a *loop.Array) error {
		r := a.Record
		if r == nil {
			return nil
		}
		if old := byTag[r.Tag]; old != nil {
			if layout(old) != layout(r) {
				return &loop.Error{Pos: r.At, Msg: fmt.Sprintf("two structures are called %s", r.Tag)}
			}
			return nil
		}
		byTag[r.Tag] = r
		out = append(out, r)
		return checkLayout(r)
	}
	addAll := func(params []loop.Param) error {
		for _, p := range params {
			if p.Array != nil {
				if err := add(p.Array); err != nil {
					return err
				}
			}
		}
		return nil
	}
	for _, a := range ms[0].Program.Arrays {
		if err := add(a); err != nil {
			return nil, err
		}
	}
	for _, m := range ms {
		if err := addAll(m.Func.Params); err != nil {
			return nil, err
		}
		for _, k := range m.Kernels {
			if err := addAll(k.Params); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

func layout(r *loop.Record) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d", r.Bytes)
	for _, f := range r.Members {
		fmt.Fprintf(&b, " %s:%s@%d", f.Name, f.Array.Elem, f.Array.Offset)
	}
	return b.String()
}

// checkLayout verifies that a C compiler lays the members out as the record says.
func checkLayout(r *loop.Record) error {
	at, align := int64(0), int64(1)
	for _, f := range r.Members {
		s := f.Array.Elem.Size()
		align = max(align, s)
		at = (at + s - 1) / s * s
		if f.Array.Offset != at {
			return &loop.Error{Pos: r.At, Msg: fmt.Sprintf("member %s of structure %s at byte %d, a C compiler puts it at %d", f.Name, r.Tag, f.Array.Offset, at)}
		}
		at += s
	}
	if at = (at + align - 1) / align * align; at != r.Bytes {
		return &loop.Error{Pos: r.At, Msg: fmt.Sprintf("structure %s of %d bytes, a C compiler makes it %d", r.Tag, r.Bytes, at)}
	}
	return nil
}
