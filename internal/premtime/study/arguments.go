package study

import (
	"fmt"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

// maxElements bounds an array that Arguments makes.
const maxElements = 1 << 28

// What Arguments passes: ScalarValue for a floating scalar, and for element e of an
// array (e mod ArrayPeriod)/ArrayQuotient + 1, undivided where it is an integer.
const (
	ScalarValue   = 1.5
	ArrayPeriod   = 97
	ArrayQuotient = 64
)

// Arguments makes arguments for a call of f of program p. Integer parameters have
// the values given, floating ones 1.5. Element e of an array, in row-major order,
// is e mod 97 + 1 where it is an integer, and (e mod 97)/64 + 1 where it is not. The
// error names a parameter without a value, or an array whose extents are not
// known.
func Arguments(p *loop.Unit, f *loop.Func, values map[string]int64) (loop.Args, error) {
	m := maker{f: f, scalars: map[*loop.Var]int64{}}
	args := loop.Args{Scalars: map[string]loop.Value{}, Arrays: map[string]*loop.Buffer{}}
	arrays := append([]*loop.Array{}, p.Arrays...)
	for _, q := range f.Params {
		if q.Var == nil {
			arrays = append(arrays, q.Array)
			continue
		}
		v, err := m.scalar(q.Var, values)
		if err != nil {
			return args, err
		}
		args.Scalars[q.Var.Name] = v
	}
	for _, a := range arrays {
		b, err := m.buffer(a)
		if err != nil {
			return args, err
		}
		args.Arrays[a.Name] = b
	}
	return args, nil
}

// maker knows the values of a function's integer parameters.
type maker struct {
	f       *loop.Func
	scalars map[*loop.Var]int64
}

func (m *maker) scalar(v *loop.Var, values map[string]int64) (loop.Value, error) {
	switch v.Type {
	case loop.Float:
		return loop.OfFloat(ScalarValue), nil
	case loop.Double:
		return loop.OfDouble(ScalarValue), nil
	}
	x, known := values[v.Name]
	if !known {
		return loop.Value{}, &loop.Error{Pos: v.At, Msg: fmt.Sprintf("parameter %s has no value", v.Name)}
	}
	m.scalars[v] = x
	switch {
	case v.Type == loop.Int && x == int64(int32(x)):
		return loop.OfInt(int32(x)), nil
	case v.Type == loop.Long:
		return loop.OfLong(x), nil
	case v.Type == loop.Uint && x == int64(uint32(x)), v.Type == loop.Ulong && x >= 0:
		return loop.Value{Type: v.Type, Bits: uint64(x)}, nil
	}
	return loop.Value{}, &loop.Error{Pos: v.At, Msg: fmt.Sprintf("parameter %s is %s and cannot be %d", v.Name, v.Type, x)}
}

// value evaluates an extent.
func (m *maker) value(e loop.Expr) (int64, bool) {
	l, ok := loop.Affine(e)
	for ok && len(l.Terms) > 0 {
		v := l.Terms[0].Var
		x, known := m.scalars[v]
		if !known {
			return 0, false
		}
		l, ok = l.Replace(v, loop.Linear{Const: x})
	}
	return l.Const, ok
}

// buffer makes an array. A first extent that is missing is that of the largest
// section mapped.
func (m *maker) buffer(a *loop.Array) (*loop.Buffer, error) {
	shape := make([]int64, len(a.Extents))
	elements := int64(1)
	for d, e := range a.Extents {
		n, ok := int64(0), true
		if e != nil {
			n, ok = m.value(e)
		} else {
			n, ok = m.mapped(a)
		}
		if !ok {
			return nil, &loop.Error{Pos: a.At, Msg: fmt.Sprintf("array %s: extent %d is not known", a.Name, d)}
		}
		if n < 1 || n > maxElements/elements {
			return nil, &loop.Error{Pos: a.At, Msg: fmt.Sprintf("array %s: extent %d is %d, expected 1 to %d", a.Name, d, n, maxElements/elements)}
		}
		shape[d] = n
		elements *= n
	}
	b, err := loop.NewBuffer(a.Elem, shape...)
	if err != nil {
		return nil, err
	}
	for e := range b.Bits {
		part := int64(e % ArrayPeriod)
		switch a.Elem {
		case loop.Float:
			b.Bits[e] = loop.OfFloat(float32(part)/ArrayQuotient + 1).Bits
		case loop.Double:
			b.Bits[e] = loop.OfDouble(float64(part)/ArrayQuotient + 1).Bits
		default:
			b.Bits[e] = uint64(part + 1)
		}
	}
	return b, nil
}

// mapped is the end of the largest section of an array's first dimension.
func (m *maker) mapped(a *loop.Array) (int64, bool) {
	end := int64(0)
	for _, k := range m.f.Kernels() {
		for _, c := range k.Maps {
			if c.Array != a || len(c.Sections) == 0 {
				continue
			}
			lo, ok := m.value(c.Sections[0].Lo)
			n, known := m.value(c.Sections[0].Len)
			if !ok || !known {
				return 0, false
			}
			end = max(end, lo+n)
		}
	}
	return end, end > 0
}
