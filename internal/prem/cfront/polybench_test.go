package cfront_test

import (
	"testing"

	"github.com/warpbound/warpbound/examples/prem"
	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/loop"
)

// Every example program is lowered, and the interpreter computes what its Go
// reference computes, bit for bit.
func TestExamplesEqualTheirReferences(t *testing.T) {
	all := prem.All()
	if len(all) < 25 {
		t.Fatalf("%d example programs", len(all))
	}
	for _, e := range all {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			text, err := e.Source()
			if err != nil {
				t.Fatal(err)
			}
			p, err := cfront.Parse(e.File(), text, nil)
			if err != nil {
				t.Fatal(err)
			}
			want, got := e.Inputs(), e.Inputs()
			if err := e.Run(want); err != nil {
				t.Fatal(err)
			}
			interpret(t, p, e, got)
			if err := e.Compare(got, want); err != nil {
				t.Error(err)
			}
		})
	}
}

// interpret runs the program on m and stores the arrays back into it.
func interpret(t *testing.T, p *loop.Unit, e prem.Benchmark, m prem.Memory) {
	t.Helper()
	args := loop.Args{Scalars: map[string]loop.Value{}, Arrays: map[string]*loop.Buffer{}}
	types := map[prem.Type]loop.Type{prem.Float: loop.Float, prem.Double: loop.Double, prem.Int: loop.Int}
	for i, q := range e.Params {
		if len(q.Dims) == 0 {
			switch v := m[i].(type) {
			case []float32:
				args.Scalars[q.Name] = loop.OfFloat(v[0])
			case []float64:
				args.Scalars[q.Name] = loop.OfDouble(v[0])
			case []int32:
				args.Scalars[q.Name] = loop.OfInt(v[0])
			}
			continue
		}
		shape := make([]int64, len(q.Dims))
		for d := range shape {
			shape[d] = int64(q.Dims[d])
		}
		b, err := loop.NewBuffer(types[q.Type], shape...)
		if err != nil {
			t.Fatal(err)
		}
		ok := false
		switch v := m[i].(type) {
		case []float32:
			ok = b.SetFloats(v)
		case []float64:
			ok = b.SetDoubles(v)
		case []int32:
			ok = b.SetInts(v)
		}
		if !ok {
			t.Fatalf("argument %s does not fit", q.Name)
		}
		args.Arrays[q.Name] = b
	}
	if err := loop.Run(p, e.Function(), args); err != nil {
		t.Fatal(err)
	}
	for i, q := range e.Params {
		switch v := m[i].(type) {
		case []float32:
			if len(q.Dims) > 0 {
				copy(v, args.Arrays[q.Name].Floats())
			}
		case []float64:
			if len(q.Dims) > 0 {
				copy(v, args.Arrays[q.Name].Doubles())
			}
		case []int32:
			if len(q.Dims) > 0 {
				copy(v, args.Arrays[q.Name].Ints())
			}
		}
	}
}
