package prem

import (
	"crypto/sha256"
	"embed"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

//go:embed programs/*.c
var sources embed.FS

// ErrMemory is the error of a memory that does not fit a program's parameters.
var ErrMemory = errors.New("memory does not fit the parameters")

// Type is the C type of a scalar or of an array's elements.
type Type string

// The element types. Int is 32 bits wide, as on every platform the programs are meant for.
const (
	Float  Type = "float"
	Double Type = "double"
	Int    Type = "int"
)

// Size is the size of an element in bytes.
func (t Type) Size() int {
	if t == Double {
		return 8
	}
	return 4
}

// Init is the formula of an array's initial contents. Element e in row-major order, counted from zero, holds
//
//	((Mul*e + Add) mod Mod) / Div + Off, and Diag more where all its subscripts are equal,
//
// computed in float64 from left to right and rounded to the element type. Div 0 stands for 1 and
// Mod 0 for "all Off". Most quotients are not representable, so that summing in another order gives
// another result.
type Init struct {
	Mul, Add, Mod, Div int64
	Off, Diag          float64
}

// at is the value of element e of an array, which is on the diagonal or not.
func (f Init) at(e int64, diagonal bool) float64 {
	v := 0.0
	if f.Mod != 0 {
		v = float64((f.Mul*e + f.Add) % f.Mod)
	}
	if f.Div != 0 {
		v /= float64(f.Div)
	}
	v += f.Off
	if diagonal {
		v += f.Diag
	}
	return v
}

// Param is a parameter of a program's function.
type Param struct {
	Name string
	Type Type
	// Dims are the array's extents, outermost first; none for a scalar, which is passed by value.
	Dims []int
	// Init is the contents before the call; Off alone for a scalar.
	Init Init
	// Result says that the array's contents after the call are the program's to define. Other arrays are inputs or stay on
	// the device, and are not compared.
	Result bool
}

// Len is the number of elements: 1 for a scalar.
func (p Param) Len() int {
	n := 1
	for _, d := range p.Dims {
		n *= d
	}
	return n
}

// initial returns the contents before the call.
func (p Param) initial() any {
	v := make([]float64, p.Len())
	// Consecutive elements of the diagonal are as far apart as one step in every dimension takes.
	step, inner := 0, 1
	for _, d := range slices.Backward(p.Dims) {
		step += inner
		inner *= d
	}
	for e := range v {
		v[e] = p.Init.at(int64(e), len(p.Dims) > 1 && e%step == 0 && e/step < slices.Min(p.Dims))
	}
	switch p.Type {
	case Float:
		return convert[float32](v)
	case Int:
		return convert[int32](v)
	}
	return v
}

func convert[T float32 | int32](v []float64) []T {
	c := make([]T, len(v))
	for i := range v {
		c[i] = T(v[i])
	}
	return c
}

// Memory holds the arguments of one call: element i is parameter i's, a []float32, []float64 or []int32 in row-major order,
// of length 1 for a scalar.
type Memory []any

// Benchmark is one example program.
type Benchmark struct {
	// Name names the file programs/NAME.c and its function kernel_NAME.
	Name string
	// Algorithm is the name PolyBench-ACC gives the algorithm, empty for the programs beyond its 21.
	Algorithm string
	// Params are the function's parameters, in order.
	Params []Param

	ref func(args)
}

// All returns the programs, ordered by name.
func All() []Benchmark {
	all := slices.Clone(table)
	slices.SortFunc(all, func(a, b Benchmark) int { return strings.Compare(a.Name, b.Name) })
	for i := range all {
		all[i].Params = slices.Clone(all[i].Params)
	}
	return all
}

// Lookup returns the program of that name.
func Lookup(name string) (Benchmark, bool) {
	for _, p := range All() {
		if p.Name == name {
			return p, true
		}
	}
	return Benchmark{}, false
}

// Function is the name of the C function.
func (p Benchmark) Function() string { return "kernel_" + p.Name }

// File is the program's path, relative to the package's directory.
func (p Benchmark) File() string { return "programs/" + p.Name + ".c" }

// Source returns the program's text.
func (p Benchmark) Source() (string, error) {
	text, err := sources.ReadFile(p.File())
	if err != nil {
		return "", fmt.Errorf("program %s: %w", p.Name, err)
	}
	return string(text), nil
}

// Inputs returns the arguments before the call, new at every call.
func (p Benchmark) Inputs() Memory {
	m := make(Memory, len(p.Params))
	for i, q := range p.Params {
		m[i] = q.initial()
	}
	return m
}

// Check returns an error that wraps [ErrMemory] where the memory does not fit the parameters in number, type or length.
func (p Benchmark) Check(m Memory) error {
	if len(m) != len(p.Params) {
		return fmt.Errorf("program %s: %d arguments for %d parameters: %w", p.Name, len(m), len(p.Params), ErrMemory)
	}
	for i, q := range p.Params {
		n, t := -1, Type("")
		switch v := m[i].(type) {
		case []float32:
			n, t = len(v), Float
		case []float64:
			n, t = len(v), Double
		case []int32:
			n, t = len(v), Int
		}
		if t != q.Type || n != q.Len() {
			return fmt.Errorf("program %s: argument %s is not %d elements of type %s: %w", p.Name, q.Name, q.Len(), q.Type, ErrMemory)
		}
	}
	return nil
}

// Run computes in place what the C function computes with the arguments. Errors wrap [ErrMemory].
func (p Benchmark) Run(m Memory) error {
	if p.ref == nil {
		return fmt.Errorf("program %q has no reference", p.Name)
	}
	if err := p.Check(m); err != nil {
		return err
	}
	p.ref(args{p.Params, m})
	return nil
}

// Compare returns an error that names the first element of a result in which the memories differ in a bit, except that a
// NaN equals every other NaN. It does not look at other arrays.
func (p Benchmark) Compare(got, want Memory) error {
	for _, m := range []Memory{got, want} {
		if err := p.Check(m); err != nil {
			return err
		}
	}
	for i, q := range p.Params {
		for e := range q.Len() {
			if !q.Result {
				break
			}
			g, w := bitsAt(got[i], e), bitsAt(want[i], e)
			if g != w {
				return fmt.Errorf("program %s: %s%v is %v, want %v", p.Name, q.Name, q.subscripts(e), valueAt(got[i], e), valueAt(want[i], e))
			}
		}
	}
	return nil
}

// Digest is the SHA-256 of the results' bytes, little endian, in the order of the parameters, as hexadecimal digits.
func (p Benchmark) Digest(m Memory) (string, error) {
	if err := p.Check(m); err != nil {
		return "", err
	}
	h := sha256.New()
	for i, q := range p.Params {
		if !q.Result {
			continue
		}
		if err := binary.Write(h, binary.LittleEndian, m[i]); err != nil {
			return "", fmt.Errorf("program %s: %w", p.Name, err)
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// subscripts are those of element e.
func (p Param) subscripts(e int) []int {
	s := make([]int, len(p.Dims))
	for d := len(s) - 1; d >= 0; d-- {
		s[d] = e % p.Dims[d]
		e /= p.Dims[d]
	}
	return s
}

func bitsAt(v any, e int) uint64 {
	switch v := v.(type) {
	case []float32:
		if v[e] != v[e] {
			return math.Float64bits(math.NaN())
		}
		return uint64(math.Float32bits(v[e]))
	case []float64:
		if v[e] != v[e] {
			return math.Float64bits(math.NaN())
		}
		return math.Float64bits(v[e])
	}
	return uint64(uint32(v.([]int32)[e]))
}

func valueAt(v any, e int) any {
	switch v := v.(type) {
	case []float32:
		return v[e]
	case []float64:
		return v[e]
	}
	return v.([]int32)[e]
}
