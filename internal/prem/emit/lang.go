package emit

import "github.com/warpbound/warpbound/internal/prem/loop"

// lang is what a text is written in.
type lang uint8

const (
	cuda   lang = iota // device code of CUDA C++
	opencl             // OpenCL C 1.2
	host               // the harness: C++ as nvcc's host compiler takes it
)

// typeNames are indexed by loop.Type. long has 32 bits in CUDA C++ on some
// systems and 64 in OpenCL C on all.
var typeNames = [...][loop.Double + 1]string{
	cuda:   {"void", "int", "unsigned", "long long", "unsigned long long", "float", "double"},
	opencl: {"void", "int", "uint", "long", "ulong", "float", "double"},
	host:   {"void", "int", "unsigned", "long long", "unsigned long long", "float", "double"},
}

func (l lang) typ(t loop.Type) string { return typeNames[l][t] }

// suffix is that of an integer constant.
func (l lang) suffix(t loop.Type) string {
	long := "LL"
	if l == opencl {
		long = "L"
	}
	switch t {
	case loop.Uint:
		return "u"
	case loop.Long:
		return long
	case loop.Ulong:
		return "u" + long
	}
	return ""
}

// function is what computes a product, quotient or root of floating-point
// operands without contraction; an empty name stands for the operator.
func (l lang) function(op loop.Op, t loop.Type) string {
	d := t == loop.Double
	switch {
	case l == cuda && op == loop.Mul && d:
		return "__dmul_rn"
	case l == cuda && op == loop.Mul:
		return "__fmul_rn"
	case l == cuda && op == loop.Div && d:
		return "__ddiv_rn"
	case l == cuda && op == loop.Div:
		return "__fdiv_rn"
	case l == host && op == loop.Mul && d:
		return "wb_mul"
	case l == host && op == loop.Mul:
		return "wb_mulf"
	}
	return ""
}

// call is the name of a function of <math.h>.
func (l lang) call(f *loop.MathFunc) string {
	base := f.Name
	if f.Type == loop.Float {
		base = base[:len(base)-1]
	}
	switch {
	case l == cuda && base == "sqrt" && f.Type == loop.Float:
		return "__fsqrt_rn"
	case l == cuda && base == "sqrt":
		return "__dsqrt_rn"
	case l == opencl:
		return base // overloaded
	}
	return f.Name
}

// bits writes a floating value that has no decimal constant.
func (l lang) bits(t loop.Type, digits string) string {
	switch {
	case l == cuda && t == loop.Float:
		return "__int_as_float(" + digits + ")"
	case l == cuda:
		return "__longlong_as_double(" + digits + "LL)"
	case l == opencl && t == loop.Float:
		return "as_float(" + digits + ")"
	case l == opencl:
		return "as_double(" + digits + "L)"
	case t == loop.Float:
		return "wb_float(" + digits + "u)"
	}
	return "wb_double(" + digits + "ull)"
}
