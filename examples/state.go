package examples

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
)

// element is what an argument's elements can be.
type element interface {
	~uint8 | ~int32 | ~uint32 | ~int64 | ~uint64 | ~float32 | ~float64
}

// state is a launch as its reference sees it: typed copies of the arguments, which the reference changes in place.
type state struct {
	in         Buffers
	args       map[string]typedArg
	tolerances map[string]tolerance
	grid       [3]int
	block      [3]int
	threads    int // threads of a block
}

// tolerance accepts |got-want| <= abs + rel*|want|.
type tolerance struct{ rel, abs float64 }

// typedArg is an argument decoded for the reference.
type typedArg interface {
	encode() []byte
	diff(got []byte, t tolerance) error
}

type values[T element] []T

// argError is a mismatch between a reference and the arguments it is given.
type argError string

func (e argError) Error() string { return string(e) }

func newState(in Buffers) *state {
	return &state{
		in: in, args: map[string]typedArg{}, tolerances: map[string]tolerance{},
		grid: in.Grid, block: in.Block, threads: in.Block[0] * in.Block[1] * in.Block[2],
	}
}

// run calls the reference. A reference states its needs by calling the accessors below and indexes plainly; unsuitable
// arguments unwind it and become an error here.
func (s *state) run(reference func(*state)) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case argError:
			err = r
		case runtime.Error:
			err = fmt.Errorf("arguments do not fit the kernel: %w", r)
		default:
			panic(r)
		}
	}()
	reference(s)
	return nil
}

// buffer returns the named argument, decoded once: what the reference writes into it is what the launch should leave.
// The argument must hold at least n elements.
func buffer[T element](s *state, name string, n int) []T {
	if a, ok := s.args[name]; ok {
		v, ok := a.(values[T])
		if !ok {
			panic(argError(fmt.Sprintf("argument %s is used with two element types", name)))
		}
		return v
	}
	a, ok := s.in.Args[name]
	if !ok {
		panic(argError(fmt.Sprintf("argument %s is missing", name)))
	}
	if want := typeName[T](); a.Type != want {
		panic(argError(fmt.Sprintf("argument %s has type %s, want %s", name, a.Type, want)))
	}
	v := decode[T](a.Data)
	if len(v) < n {
		panic(argError(fmt.Sprintf("argument %s has %d elements, want at least %d", name, len(v), n)))
	}
	s.args[name] = v
	return v
}

func (s *state) f32s(name string, n int) []float32 { return buffer[float32](s, name, n) }
func (s *state) f64s(name string, n int) []float64 { return buffer[float64](s, name, n) }
func (s *state) u32s(name string, n int) []uint32  { return buffer[uint32](s, name, n) }
func (s *state) u64s(name string, n int) []uint64  { return buffer[uint64](s, name, n) }
func (s *state) s32s(name string, n int) []int32   { return buffer[int32](s, name, n) }
func (s *state) b8s(name string, n int) []byte     { return buffer[byte](s, name, n) }
func (s *state) f32(name string) float32           { return s.f32s(name, 1)[0] }
func (s *state) f64(name string) float64           { return s.f64s(name, 1)[0] }

// count is a scalar of type s32 that must not be negative.
func (s *state) count(name string) int {
	v := s.s32s(name, 1)[0]
	if v < 0 {
		panic(argError(fmt.Sprintf("argument %s is %d, want at least 0", name, v)))
	}
	return int(v)
}

// within makes the comparison of one argument approximate: |got-want| <= abs + rel*|want|.
func (s *state) within(name string, rel, abs float64) { s.tolerances[name] = tolerance{rel, abs} }

// expected returns the arguments with the reference's results in place.
func (s *state) expected() Buffers {
	out := Buffers{Grid: s.in.Grid, Block: s.in.Block, Args: maps.Clone(s.in.Args)}
	for name, a := range s.args {
		out.Args[name] = Arg{Type: s.in.Args[name].Type, Data: a.encode()}
	}
	return out
}

// compare reports the first difference, in order of argument names.
func (s *state) compare(out Buffers) error {
	for _, name := range slices.Sorted(maps.Keys(s.in.Args)) {
		before := s.in.Args[name]
		after, ok := out.Args[name]
		switch {
		case !ok:
			return fmt.Errorf("argument %s is missing after the launch", name)
		case after.Type != before.Type:
			return fmt.Errorf("argument %s has type %s after the launch, %s before", name, after.Type, before.Type)
		case len(after.Data) != len(before.Data):
			return fmt.Errorf("argument %s has %d bytes after the launch, %d before", name, len(after.Data), len(before.Data))
		}
		if a, ok := s.args[name]; ok {
			if err := a.diff(after.Data, s.tolerances[name]); err != nil {
				return fmt.Errorf("%s%w", name, err)
			}
			continue
		}
		if !slices.Equal(before.Data, after.Data) {
			return fmt.Errorf("argument %s changed, though the kernel does not write it", name)
		}
	}
	return nil
}

func typeName[T element]() string {
	switch any(T(0)).(type) {
	case uint8:
		return "b8"
	case int32:
		return "s32"
	case uint32:
		return "u32"
	case int64:
		return "s64"
	case uint64:
		return "u64"
	case float32:
		return "f32"
	default:
		return "f64"
	}
}

// decode reads little-endian elements; a trailing part of an element is dropped.
func decode[T element](data []byte) values[T] {
	size := binary.Size(T(0))
	v := make(values[T], len(data)/size)
	// Decode of a whole number of fixed-size elements has no error to report.
	_, _ = binary.Decode(data[:len(v)*size], binary.LittleEndian, []T(v))
	return v
}

func (v values[T]) encode() []byte {
	// Append of a slice of fixed-size elements has no error to report.
	data, _ := binary.Append(nil, binary.LittleEndian, []T(v))
	return data
}

// diff compares bits, or, with a tolerance, values.
func (v values[T]) diff(got []byte, t tolerance) error {
	for i, g := range decode[T](got) {
		if sameBits(g, v[i]) {
			continue
		}
		if t != (tolerance{}) && math.Abs(float64(g)-float64(v[i])) <= t.abs+t.rel*math.Abs(float64(v[i])) {
			continue
		}
		return fmt.Errorf("[%d] = %v, want %v", i, g, v[i])
	}
	return nil
}

// sameBits holds for equal values of equal sign, and for two NaNs of any payload.
func sameBits[T element](a, b T) bool {
	x, y := float64(a), float64(b)
	if a != a || b != b {
		return a != a && b != b
	}
	return a == b && math.Signbit(x) == math.Signbit(y)
}
