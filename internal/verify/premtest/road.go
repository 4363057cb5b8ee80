package premtest

import (
	"fmt"

	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/verify/deviceexec"
	"github.com/warpbound/warpbound/internal/verify/loopkit"
)

// Road is a function of which every kernel is made into a device kernel.
type Road struct {
	Program *loop.Unit
	Func    *loop.Func
	Kernels []*device.Entry // in source order
	// Launches counts the kernels launched by Run, from 1.
	Launches int64
	codes    map[*loop.Nest]*deviceexec.Code
	made     map[*loop.Nest]*device.Entry
}

// NewRoad makes the kernels of function name of p by way of lower, which gets each
// kernel and its number, and checks them.
func NewRoad(p *loop.Unit, name string, lower func(f *loop.Func, k *loop.Nest, n int) (*device.Entry, error)) (*Road, error) {
	r := &Road{Program: p, codes: make(map[*loop.Nest]*deviceexec.Code), made: make(map[*loop.Nest]*device.Entry)}
	for _, f := range p.Funcs {
		if f.Name == name {
			r.Func = f
		}
	}
	if r.Func == nil {
		return nil, fmt.Errorf("no function %s", name)
	}
	for n, k := range r.Func.Kernels() {
		d, err := lower(r.Func, k, n)
		if err != nil {
			return nil, err
		}
		c, err := deviceexec.Compile(d)
		if err != nil {
			return nil, fmt.Errorf("kernel %d is not well-formed: %w", n, err)
		}
		r.Kernels = append(r.Kernels, d)
		r.codes[k], r.made[k] = c, d
	}
	return r, nil
}

// Run executes the function with its device kernels in place of the loop
// nests, reductions combined in the order of the teams.
func (r *Road) Run(args loop.Args, o deviceexec.Options) error {
	r.Launches = 0
	args.OnKernel = func(k *loop.Nest, f *loop.Frame) (bool, error) { return true, r.launch(k, f, o) }
	return loopkit.Run(r.Program, r.Func.Name, args)
}

// unwritten fills the elements of partial results before a launch: no result of
// the tests' kernels.
const unwritten = 0x5a5a5a5b

func (r *Road) launch(k *loop.Nest, f *loop.Frame, o deviceexec.Options) error {
	d := r.made[k]
	r.Launches++
	partial := make(map[*loop.Array]*loop.Buffer)
	for _, red := range d.Reductions {
		b, err := loop.NewBuffer(red.Partial.Elem, d.Teams)
		if err != nil {
			return err
		}
		for i := range b.Bits {
			b.Bits[i] = unwritten
		}
		partial[red.Partial] = b
	}
	args := make([]deviceexec.Arg, len(d.Params))
	for i, p := range d.Params {
		switch {
		case p.Var != nil:
			v, ok := f.Scalar(p.Var)
			if !ok {
				return fmt.Errorf("%s is passed to kernel %s, but not set", p.Var.Name, d.Name)
			}
			args[i].Value = v
		case partial[p.Array] != nil:
			args[i].Buffer = partial[p.Array]
		default:
			args[i].Buffer = f.Buffer(p.Array)
		}
	}
	if err := r.codes[k].Run(args, o); err != nil {
		return fmt.Errorf("kernel %s: %w", d.Name, err)
	}
	for _, red := range d.Reductions {
		v, ok := f.Scalar(red.Var)
		if !ok {
			return fmt.Errorf("%s is reduced, but not set", red.Var.Name)
		}
		for team, x := range partial[red.Partial].Bits {
			if x == unwritten {
				return fmt.Errorf("kernel %s: team %d leaves no partial result of %s", d.Name, team, red.Var.Name)
			}
			var fault string
			if v.Bits, fault = red.Op.Combine(v.Type, v.Bits, x); fault != "" {
				return fmt.Errorf("partial results: %s", fault)
			}
		}
		f.SetScalar(red.Var, v)
	}
	return nil
}
