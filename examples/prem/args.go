package prem

import "math"

// element is what an array can hold.
type element interface{ float32 | float64 | int32 }

// args are a reference's arguments: a memory that fits the parameters.
type args struct {
	params []Param
	m      Memory
}

// find returns the parameter of that name and its argument.
func (a args) find(name string) (Param, any) {
	for i, p := range a.params {
		if p.Name == name {
			return p, a.m[i]
		}
	}
	return Param{}, nil
}

// scalar, vec, grid, cube and four return the argument of that name: its value, or views of its array with one, two, three
// or four subscripts, through which the reference also writes.
func scalar[T element](a args, name string) T { return vec[T](a, name)[0] }

func vec[T element](a args, name string) []T {
	_, v := a.find(name)
	return v.([]T)
}

func grid[T element](a args, name string) [][]T {
	p, v := a.find(name)
	return cut(v.([]T), p.Dims[1])
}

func cube[T element](a args, name string) [][][]T {
	p, v := a.find(name)
	return cut(cut(v.([]T), p.Dims[2]), p.Dims[1])
}

func four[T element](a args, name string) [][][][]T {
	p, v := a.find(name)
	return cut(cut(cut(v.([]T), p.Dims[3]), p.Dims[2]), p.Dims[1])
}

// cut returns the slice in pieces of n elements each.
func cut[T any](v []T, n int) [][]T {
	rows := make([][]T, 0, len(v)/n)
	for i := 0; i < len(v); i += n {
		rows = append(rows, v[i:i+n:i+n])
	}
	return rows
}

// sqrtf is C's function: the square root of a float32 rounded to float64 and again to float32 is the one rounded once.
func sqrtf(x float32) float32 { return float32(math.Sqrt(float64(x))) }
