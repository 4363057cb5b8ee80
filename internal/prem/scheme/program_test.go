package scheme

import (
	"errors"
	"fmt"
	"testing"

	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/tile"
	"github.com/warpbound/warpbound/internal/verify/deviceexec"
)

// schemes are all of them.
var schemes = []device.Scheme{device.Base, device.CMPT, device.DAE, device.SDMA}

// parse lowers a source text.
func parse(t testing.TB, file, text string, defines map[string]string) *loop.Unit {
	t.Helper()
	p, err := cfront.Parse(file, text, defines)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// planner makes the plan of a kernel.
type planner func(p *loop.Unit, f *loop.Func, k *loop.Nest, n int) (*tile.Plan, error)

func planned(spm int64) planner {
	return func(p *loop.Unit, f *loop.Func, k *loop.Nest, _ int) (*tile.Plan, error) {
		return tile.Make(p, f, k, tile.Options{SPMBytes: spm})
	}
}

// errPlan says that the planner refuses a kernel.
var errPlan = errors.New("no plan")

// code holds the kernels of a function under one scheme.
type code struct {
	f       *loop.Func
	kernels map[*loop.Nest]*deviceexec.Code
	source  map[*loop.Nest]*device.Entry
	plans   map[*loop.Nest]*tile.Plan
	scheme  device.Scheme
}

// build generates and checks the kernels of the program's only function.
func build(p *loop.Unit, s device.Scheme, plan planner) (*code, error) {
	return buildWith(Options{}, p, s, plan)
}

func buildWith(o Options, p *loop.Unit, s device.Scheme, plan planner) (*code, error) {
	c := &code{f: p.Funcs[0], kernels: make(map[*loop.Nest]*deviceexec.Code), source: make(map[*loop.Nest]*device.Entry),
		plans: make(map[*loop.Nest]*tile.Plan), scheme: s}
	for n, k := range c.f.Kernels() {
		pl, err := plan(p, c.f, k, n)
		if err != nil {
			return nil, fmt.Errorf("kernel %d: %w: %w", n, errPlan, err)
		}
		d, err := o.Generate(p, c.f, k, n, pl, s)
		if err != nil {
			return nil, fmt.Errorf("kernel %d: %w", n, err)
		}
		x, err := deviceexec.Compile(d)
		if err != nil {
			return nil, fmt.Errorf("kernel %d: %w\n%s", n, err, deviceexec.Print(d))
		}
		if _, bytes := d.Layout(); s != device.Base && bytes > pl.SPMBytes {
			return nil, fmt.Errorf("kernel %d: %d bytes of scratchpad of %d", n, bytes, pl.SPMBytes)
		}
		c.kernels[k], c.source[k], c.plans[k] = x, d, pl
	}
	return c, nil
}

// launch executes a kernel in the frame of a host function.
func (c *code) launch(k *loop.Nest, f *loop.Frame, o deviceexec.Options) error {
	d := c.source[k]
	partial := make(map[*loop.Array]*loop.Buffer)
	for _, r := range d.Reductions {
		b, err := loop.NewBuffer(r.Partial.Elem, d.Teams)
		if err != nil {
			return err
		}
		partial[r.Partial] = b
	}
	var args []deviceexec.Arg
	for _, q := range d.Params {
		switch {
		case q.Var != nil:
			v, ok := f.Scalar(q.Var)
			if !ok {
				return fmt.Errorf("%s is not set", q.Var.Name)
			}
			args = append(args, deviceexec.Arg{Value: v})
		case partial[q.Array] != nil:
			args = append(args, deviceexec.Arg{Buffer: partial[q.Array]})
		default:
			args = append(args, deviceexec.Arg{Buffer: f.Buffer(q.Array)})
		}
	}
	if err := c.kernels[k].Run(args, o); err != nil {
		return err
	}
	for _, r := range d.Reductions {
		v, _ := f.Scalar(r.Var)
		for _, x := range partial[r.Partial].Bits {
			v.Bits, _ = r.Op.Combine(v.Type, v.Bits, x)
		}
		f.SetScalar(r.Var, v)
	}
	return nil
}

// copyOf is a copy of arguments with memory of its own.
func copyOf(a loop.Args) loop.Args {
	out := loop.Args{Scalars: a.Scalars, Arrays: make(map[string]*loop.Buffer)}
	for n, b := range a.Arrays {
		c := *b
		c.Bits = append([]uint64(nil), b.Bits...)
		out.Arrays[n] = &c
	}
	return out
}

// differs names the first element in which two memories differ, or is empty.
func differs(p *loop.Unit, got, want loop.Args) string {
	for _, q := range p.Funcs[0].Params {
		if q.Array == nil {
			continue
		}
		g, w := got.Arrays[q.Array.Name], want.Arrays[q.Array.Name]
		for i := range w.Bits {
			if g.Bits[i] != w.Bits[i] {
				return fmt.Sprintf("element %d of %s is %x, want %x", i, q.Array.Name, g.Bits[i], w.Bits[i])
			}
		}
	}
	return ""
}
