package loop

import "math"

// MathFunc is a function of <math.h>: every parameter and the result have Type.
// The f form is computed in binary64 and rounded once, which is the correctly
// rounded result for sqrt and exact for the selecting and rounding functions.
type MathFunc struct {
	Name  string
	Type  Type
	Arity int
	f1    func(float64) float64
	f2    func(a, b float64) float64
}

var mathFuncs = func() map[string]*MathFunc {
	m := make(map[string]*MathFunc)
	add := func(name string, f1 func(float64) float64, f2 func(a, b float64) float64) {
		arity := 1
		if f2 != nil {
			arity = 2
		}
		m[name] = &MathFunc{name, Double, arity, f1, f2}
		m[name+"f"] = &MathFunc{name + "f", Float, arity, f1, f2}
	}
	add("sqrt", math.Sqrt, nil)
	add("fabs", math.Abs, nil)
	add("exp", math.Exp, nil)
	add("log", math.Log, nil)
	add("sin", math.Sin, nil)
	add("cos", math.Cos, nil)
	add("tan", math.Tan, nil)
	add("tanh", math.Tanh, nil)
	add("floor", math.Floor, nil)
	add("ceil", math.Ceil, nil)
	add("pow", nil, math.Pow)
	add("fmin", nil, fmin)
	add("fmax", nil, fmax)
	return m
}()

// Math finds a function by its C name, or gives nil.
func Math(name string) *MathFunc { return mathFuncs[name] }

// fmin and fmax return the other operand where one is a NaN (C99 7.12.12), which
// Go's math.Min and math.Max do not.
func fmin(a, b float64) float64 {
	switch {
	case math.IsNaN(a):
		return b
	case math.IsNaN(b):
		return a
	}
	return math.Min(a, b)
}

func fmax(a, b float64) float64 {
	switch {
	case math.IsNaN(a):
		return b
	case math.IsNaN(b):
		return a
	}
	return math.Max(a, b)
}
