package exec

import (
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/internal/prem/depend"
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/ptxgen"
	"github.com/warpbound/warpbound/internal/prem/scheme"
	"github.com/warpbound/warpbound/internal/prem/tile"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
	"github.com/warpbound/warpbound/ptx"
)

// Options are how a function is compiled.
type Options struct {
	Scheme device.Scheme
	Tile   tile.Options
	PTX    ptxgen.Options
	// Trusted takes the iterations of kernels to be independent, as their directives
	// say; otherwise that is proved.
	Trusted bool
}

// Module is a function compiled under one scheme. It is not changed by running
// and may be run by several goroutines at once.
type Module struct {
	Program *loop.Unit
	Func    *loop.Func
	Options Options
	PTX     string
	Kernels []*Compiled // in source order

	numbers map[*loop.Nest]int
}

// Compiled is one compiled kernel.
type Compiled struct {
	Number int // in the function, from 0
	Source *loop.Nest
	// Plan is nil where a kernel of scheme Base needs none and none fits.
	Plan   *tile.Plan
	Device *device.Entry
	// Params are the entry's parameters in order.
	Params []ptxgen.Param
	// Phased says that it has memory and compute phases.
	Phased bool
	Code   *ptxexec.Code
	guard  bool
}

// Compile makes the kernels of function name of p. The error is a *loop.Error at
// what cannot be planned or translated, or whose iterations depend on each other.
func Compile(p *loop.Unit, name string, opt Options) (*Module, error) {
	i := slices.IndexFunc(p.Funcs, func(f *loop.Func) bool { return f.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("%s: no function %s with a kernel", p.File, name)
	}
	m := &Module{Program: p, Func: p.Funcs[i], Options: opt, numbers: make(map[*loop.Nest]int)}
	opt.PTX.Scalars = m.Fixed()
	var all []*device.Entry
	for n, source := range m.Func.Kernels() {
		if !opt.Trusted {
			if err := depend.Kernel(p, source); err != nil {
				return nil, err
			}
		}
		plan, unplanned := tile.Make(p, m.Func, source, opt.Tile)
		if unplanned != nil {
			if opt.Scheme != device.Base {
				return nil, unplanned
			}
			plan = nil
		}
		d, err := scheme.Generate(p, m.Func, source, n, plan, opt.Scheme)
		switch {
		case err != nil && unplanned != nil:
			return nil, unplanned // without clauses the launch needs a plan after all
		case err != nil:
			return nil, err
		}
		all = append(all, d)
		m.numbers[source] = n
		m.Kernels = append(m.Kernels, &Compiled{Number: n, Source: source, Plan: plan, Device: d, Params: ptxgen.Params(d, opt.PTX.Guard),
			Phased: d.Phased(), guard: opt.PTX.Guard})
	}
	var err error
	if m.PTX, err = ptxgen.Generate(all, opt.PTX); err != nil {
		return nil, err
	}
	if err := m.lower(); err != nil {
		return nil, err
	}
	return m, nil
}

// PTX is the text of one PTX module with the kernels of several functions of a
// program, which were compiled with equal options.
func PTX(modules []*Module) (string, error) {
	var parts []ptxgen.Part
	var opt ptxgen.Options
	for _, m := range modules {
		opt = m.Options.PTX
		part := ptxgen.Part{Scalars: m.Fixed()}
		for _, k := range m.Kernels {
			part.Kernels = append(part.Kernels, k.Device)
		}
		parts = append(parts, part)
	}
	text, err := ptxgen.GenerateAll(parts, opt)
	if err != nil {
		return "", err
	}
	for _, m := range modules {
		if _, err := m.lowered(text); err != nil {
			return "", err
		}
	}
	return text, nil
}

// Fixed are the values of the function's signed parameters, by name, that the
// plans rest on, and with which alone the kernels may run: Options.Tile.Scalars as
// far as the function has them. Kernels of scheme Base rest on none.
func (m *Module) Fixed() map[string]int64 {
	out := make(map[string]int64)
	if m.Options.Scheme == device.Base {
		return out
	}
	for _, q := range m.Func.Params {
		if q.Var == nil || !q.Var.Type.IsSigned() {
			continue
		}
		if v, ok := m.Options.Tile.Scalars[q.Var.Name]; ok {
			out[q.Var.Name] = v
		}
	}
	return out
}

// lower makes the kernels executable.
func (m *Module) lower() error {
	codes, err := m.lowered(m.PTX)
	if err != nil {
		return err
	}
	for i, k := range m.Kernels {
		k.Code = codes[i]
	}
	return nil
}

// lowered gives the kernels of PTX that holds them, executable.
func (m *Module) lowered(text string) ([]*ptxexec.Code, error) {
	file, err := ptx.Parse(m.Func.Name+".ptx", []byte(text))
	if err == nil {
		err = ptx.Check(file)
	}
	var codes []*ptxexec.Code
	for _, k := range m.Kernels {
		if err != nil {
			break
		}
		var code *ptxexec.Code
		code, err = ptxexec.Lower(file, k.Device.Name)
		codes = append(codes, code)
	}
	if err != nil {
		return nil, fmt.Errorf("generated PTX of %s: %w", m.Func.Name, err)
	}
	return codes, nil
}
