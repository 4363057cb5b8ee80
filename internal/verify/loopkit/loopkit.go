package loopkit

import (
	"math"
	"testing"

	"github.com/warpbound/warpbound/examples/prem"
	"github.com/warpbound/warpbound/internal/prem/loop"
)

// Run is loop.Invoke for a caller that needs no result.
func Run(u *loop.Unit, function string, args loop.Args) error {
	_, err := loop.Invoke(u, function, args)
	return err
}

// Fill copies v, a []float32, []float64 or []int32, into a buffer and reports whether
// it has the buffer's type and length.
func Fill(b *loop.Buffer, v any) bool {
	switch v := v.(type) {
	case []float32:
		return fill(b, loop.Float, v, func(x float32) uint64 { return uint64(math.Float32bits(x)) })
	case []float64:
		return fill(b, loop.Double, v, math.Float64bits)
	case []int32:
		return fill(b, loop.Int, v, func(x int32) uint64 { return uint64(int64(x)) })
	}
	return false
}

func fill[T any](b *loop.Buffer, t loop.Type, v []T, bits func(T) uint64) bool {
	if b.Elem != t || len(v) != len(b.Bits) {
		return false
	}
	for i, x := range v {
		b.Bits[i] = bits(x)
	}
	return true
}

// Floats is the contents of a buffer of Float elements, nil for another.
func Floats(b *loop.Buffer) []float32 {
	return values(b, loop.Float, func(x uint64) float32 { return math.Float32frombits(uint32(x)) })
}

// Doubles is the contents of a buffer of Double elements, nil for another.
func Doubles(b *loop.Buffer) []float64 { return values(b, loop.Double, math.Float64frombits) }

// Ints is the contents of a buffer of Int elements, nil for another.
func Ints(b *loop.Buffer) []int32 {
	return values(b, loop.Int, func(x uint64) int32 { return int32(x) })
}

func values[T any](b *loop.Buffer, t loop.Type, of func(uint64) T) []T {
	if b.Elem != t {
		return nil
	}
	out := make([]T, len(b.Bits))
	for i, x := range b.Bits {
		out[i] = of(x)
	}
	return out
}

var types = map[prem.Type]loop.Type{prem.Float: loop.Float, prem.Double: loop.Double, prem.Int: loop.Int}

// Arguments are the arguments of a call of the benchmark's function, in buffers of
// their own.
func Arguments(t testing.TB, e prem.Benchmark, m prem.Memory) loop.Args {
	t.Helper()
	args := loop.Args{Scalars: map[string]loop.Value{}, Arrays: map[string]*loop.Buffer{}}
	for i, q := range e.Params {
		shape := make([]int64, len(q.Dims))
		for d := range shape {
			shape[d] = int64(q.Dims[d])
		}
		scalar := len(shape) == 0
		if scalar {
			shape = []int64{1}
		}
		b, err := loop.NewBuffer(types[q.Type], shape...)
		if err != nil {
			t.Fatalf("%s: argument %s: %v", e.Name, q.Name, err)
		}
		if !Fill(b, m[i]) {
			t.Fatalf("%s: argument %s does not fit", e.Name, q.Name)
		}
		if scalar {
			args.Scalars[q.Name] = loop.Value{Type: b.Elem, Bits: b.Bits[0]}
		} else {
			args.Arrays[q.Name] = b
		}
	}
	return args
}

// Results is m with what the arrays hold now.
func Results(e prem.Benchmark, m prem.Memory, args loop.Args) prem.Memory {
	for i, q := range e.Params {
		b := args.Arrays[q.Name]
		switch {
		case b == nil:
		case q.Type == prem.Float:
			m[i] = Floats(b)
		case q.Type == prem.Double:
			m[i] = Doubles(b)
		default:
			m[i] = Ints(b)
		}
	}
	return m
}
