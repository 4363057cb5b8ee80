package loop_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/verify/loopkit"
)

// at is a position for nodes built by hand.
var at = loop.Pos{File: "a.c", Line: 1, Col: 1}

func num(v int64) loop.Expr     { return &loop.IntLit{At: at, T: loop.Int, Value: v} }
func ref(v *loop.Var) loop.Expr { return &loop.Ref{At: at, Var: v} }
func intVar(id int, k loop.Kind) *loop.Var {
	return &loop.Var{Name: string(rune('a' + id)), Type: loop.Int, Kind: k, ID: id, At: at}
}
func bin(op loop.Op, x, y loop.Expr) loop.Expr { return &loop.Binary{At: at, Op: op, X: x, Y: y} }
func sub(a *loop.Array, s ...loop.Expr) loop.Expr {
	return &loop.Index{At: at, Array: a, Subs: s}
}

// program is f(int a, int b) { out[0] = e } over scalars of type t.
func program(t loop.Type, e func(a, b loop.Expr) loop.Expr) *loop.Unit {
	a := &loop.Var{Name: "a", Type: t, ID: 0, At: at}
	b := &loop.Var{Name: "b", Type: t, ID: 1, At: at}
	x := e(ref(a), ref(b))
	out := &loop.Array{Name: "out", Elem: x.Type(), Extents: []loop.Expr{num(1)}, At: at}
	f := &loop.Func{Name: "f", At: at, Params: []loop.Param{{Var: a}, {Var: b}, {Array: out}},
		Body: []loop.Stmt{&loop.Assign{At: at, LHS: sub(out, num(0)), RHS: x}}}
	return &loop.Unit{File: "a.c", Funcs: []*loop.Func{f}, NumVars: 2, NumArrays: 1}
}

// value runs program and gives the bits of its result.
func value(t testing.TB, typ loop.Type, a, b loop.Value, e func(a, b loop.Expr) loop.Expr) (uint64, error) {
	t.Helper()
	p := program(typ, e)
	if err := loop.Check(p); err != nil {
		t.Fatal(err)
	}
	out, err := loop.NewBuffer(p.Funcs[0].Params[2].Array.Elem, 1)
	if err != nil {
		t.Fatal(err)
	}
	err = loopkit.Run(p, "f", loop.Args{Scalars: map[string]loop.Value{"a": a, "b": b}, Arrays: map[string]*loop.Buffer{"out": out}})
	return out.Bits[0], err
}

// The faults of C99 6.5 and the edges next to them.
func TestIntegerArithmetic(t *testing.T) {
	const lo, hi = math.MinInt32, math.MaxInt32
	for _, c := range []struct {
		op    loop.Op
		a, b  int32
		want  int32
		fault string
	}{
		{loop.Add, hi, 0, hi, ""},
		{loop.Add, hi, 1, 0, "signed overflow"},
		{loop.Add, lo, -1, 0, "signed overflow"},
		{loop.Sub, lo, 1, 0, "signed overflow"},
		{loop.Sub, -1, lo, hi, ""},
		{loop.Sub, 0, lo, 0, "signed overflow"},
		{loop.Mul, 1 << 16, 1 << 15, 0, "signed overflow"},
		{loop.Mul, -(1 << 16), 1 << 15, lo, ""},
		{loop.Div, -7, 2, -3, ""},
		{loop.Rem, -7, 2, -1, ""},
		{loop.Rem, 7, -2, 1, ""},
		{loop.Div, 7, 0, 0, "division by zero"},
		{loop.Rem, 7, 0, 0, "division by zero"},
		{loop.Div, lo, -1, 0, "signed overflow"},
		{loop.Rem, lo, -1, 0, "signed overflow"},
		{loop.Rem, hi, -1, 0, ""},
		{loop.Div, hi, -1, -hi, ""},
		{loop.Shl, 1, 30, 1 << 30, ""},
		{loop.Shl, 1, 31, 0, "signed overflow"},
		{loop.Shl, -1, 1, 0, "signed overflow"},
		{loop.Shl, 1, 32, 0, "shift by 32"},
		{loop.Shr, 1, -1, 0, "shift by -1"},
		{loop.Shr, -5, 1, -3, ""},
		{loop.Xor, -1, 5, -6, ""},
		{loop.Lt, -1, 0, 1, ""},
		{loop.LAnd, 2, 4, 1, ""},
		{loop.LOr, 0, 0, 0, ""},
	} {
		got, err := value(t, loop.Int, loop.OfInt(c.a), loop.OfInt(c.b), func(a, b loop.Expr) loop.Expr { return bin(c.op, a, b) })
		switch {
		case c.fault == "" && (err != nil || int32(got) != c.want):
			t.Errorf("%d %s %d = %d, %v, want %d", c.a, c.op, c.b, int32(got), err, c.want)
		case c.fault != "":
			var e *loop.Error
			if !errors.As(err, &e) || !strings.Contains(e.Msg, c.fault) || e.Pos != at {
				t.Errorf("%d %s %d: %v, want %s", c.a, c.op, c.b, err, c.fault)
			}
		}
		folded := loop.Fold(bin(c.op, num(int64(c.a)), num(int64(c.b))))
		lit, ok := folded.(*loop.IntLit)
		if logical := c.op == loop.LAnd || c.op == loop.LOr; ok != (c.fault == "" && !logical) || ok && lit.Value != int64(c.want) {
			t.Errorf("%d %s %d folds to %s", c.a, c.op, c.b, loop.ExprString(folded))
		}
	}
}

// Against Go's own operators, which wrap and round as C's do on the target.
func TestArithmeticAgainstGo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := rapid.Uint32().Draw(t, "x"), rapid.Uint32Range(1, math.MaxUint32).Draw(t, "y")
		for op, want := range map[loop.Op]uint32{loop.Add: x + y, loop.Sub: x - y, loop.Mul: x * y, loop.Div: x / y, loop.Rem: x % y} {
			got := run(t, loop.Uint, loop.Value{Type: loop.Uint, Bits: uint64(x)}, loop.Value{Type: loop.Uint, Bits: uint64(y)}, op)
			if got != uint64(want) {
				t.Fatalf("%d %s %d = %d, want %d", x, op, y, got, want)
			}
		}
		f, g := rapid.Float32().Draw(t, "f"), rapid.Float32().Draw(t, "g")
		for op, want := range map[loop.Op]float32{loop.Add: f + g, loop.Sub: f - g, loop.Mul: f * g, loop.Div: f / g} {
			got := run(t, loop.Float, loop.OfFloat(f), loop.OfFloat(g), op)
			if w := math.Float32bits(want); got != uint64(w) && want == want {
				t.Fatalf("%v %s %v = %x, want %x", f, op, g, got, w)
			}
		}
		a, b := int64(rapid.Int32().Draw(t, "a")), int64(rapid.Int32().Draw(t, "b"))
		p := program(loop.Int, func(x, y loop.Expr) loop.Expr { return bin(loop.Mul, x, y) })
		out, _ := loop.NewBuffer(loop.Int, 1)
		err := loopkit.Run(p, "f", loop.Args{Scalars: map[string]loop.Value{"a": loop.OfInt(int32(a)), "b": loop.OfInt(int32(b))},
			Arrays: map[string]*loop.Buffer{"out": out}})
		if fits := a*b == int64(int32(a*b)); fits != (err == nil) || fits && int64(loopkit.Ints(out)[0]) != a*b {
			t.Fatalf("%d * %d: %v, %v", a, b, loopkit.Ints(out), err)
		}
	})
}

func run(t *rapid.T, typ loop.Type, a, b loop.Value, op loop.Op) uint64 {
	p := program(typ, func(x, y loop.Expr) loop.Expr { return bin(op, x, y) })
	out, err := loop.NewBuffer(typ, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := loopkit.Run(p, "f", loop.Args{Scalars: map[string]loop.Value{"a": a, "b": b}, Arrays: map[string]*loop.Buffer{"out": out}}); err != nil {
		t.Fatal(err)
	}
	return out.Bits[0]
}

func TestConversions(t *testing.T) {
	for _, c := range []struct {
		from  loop.Value
		to    loop.Type
		want  uint64
		fault bool
	}{
		{loop.OfDouble(-1.9), loop.Int, ^uint64(0), false},
		{loop.OfDouble(0x1p31), loop.Int, 0, true},
		{loop.OfDouble(0x1p31 - 0.5), loop.Int, 1<<31 - 1, false},
		{loop.OfDouble(-0x1p31 - 0.5), loop.Int, 0xffffffff80000000, false},
		{loop.OfDouble(-0.5), loop.Uint, 0, false},
		{loop.OfDouble(-1), loop.Uint, 0, true},
		{loop.OfDouble(math.NaN()), loop.Long, 0, true},
		{loop.OfDouble(0x1p63), loop.Ulong, 1 << 63, false},
		{loop.OfFloat(0x1p63), loop.Long, 0, true},
		{loop.OfInt(-1), loop.Uint, 0xffffffff, false},
		{loop.OfInt(-1), loop.Ulong, ^uint64(0), false},
		{loop.OfLong(1<<32 + 5), loop.Int, 5, false},
		{loop.OfInt(16777217), loop.Float, uint64(math.Float32bits(16777216)), false},
		{loop.OfDouble(0.1), loop.Float, uint64(math.Float32bits(0.1)), false},
		{loop.OfFloat(0.1), loop.Double, math.Float64bits(float64(float32(0.1))), false},
		// Twice rounded, by way of a double, this would be 1 << 54.
		{loop.OfLong(1<<54 + 1<<30 + 1), loop.Float, uint64(math.Float32bits(1<<54 + 1<<31)), false},
	} {
		got, err := value(t, c.from.Type, c.from, c.from, func(a, _ loop.Expr) loop.Expr {
			return &loop.Convert{At: at, T: c.to, X: a}
		})
		if c.fault != (err != nil) || !c.fault && got != c.want {
			t.Errorf("%s %x to %s: %x, %v, want %x", c.from.Type, c.from.Bits, c.to, got, err, c.want)
		}
	}
}

// fmin and fmax pass over a NaN, and the f forms round to float.
func TestMath(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name       string
		a, b, want float64
	}{{"fmin", nan, 2, 2}, {"fmin", 2, nan, 2}, {"fmax", nan, 2, 2}, {"fmax", 3, 2, 3}, {"pow", 2, 10, 1024}} {
		fn := loop.Math(c.name)
		got, err := value(t, loop.Double, loop.OfDouble(c.a), loop.OfDouble(c.b), func(a, b loop.Expr) loop.Expr {
			return &loop.Call{At: at, Fn: fn, Args: []loop.Expr{a, b}}
		})
		if err != nil || math.Float64frombits(got) != c.want {
			t.Errorf("%s(%v, %v) = %v, %v", c.name, c.a, c.b, math.Float64frombits(got), err)
		}
	}
	got, err := value(t, loop.Float, loop.OfFloat(2), loop.OfFloat(0), func(a, _ loop.Expr) loop.Expr {
		return &loop.Call{At: at, Fn: loop.Math("sqrtf"), Args: []loop.Expr{a}}
	})
	if want := math.Float32bits(float32(math.Sqrt2)); err != nil || got != uint64(want) {
		t.Errorf("sqrtf(2) = %x, %v, want %x", got, err, want)
	}
	if loop.Math("system") != nil {
		t.Error("system is a function of math.h")
	}
}

// An affine form has the value of its expression wherever that is defined.
func TestAffineEqualsEvaluation(t *testing.T) {
	vars := []*loop.Var{intVar(0, loop.Parameter), intVar(1, loop.Parameter)}
	var gen func(depth int) *rapid.Generator[loop.Expr]
	gen = func(depth int) *rapid.Generator[loop.Expr] {
		return rapid.Custom(func(t *rapid.T) loop.Expr {
			switch k := rapid.IntRange(0, 6).Draw(t, "kind"); {
			case depth == 0 || k == 0:
				return num(rapid.Int64Range(-50, 50).Draw(t, "c"))
			case k <= 2:
				return ref(vars[k-1])
			case k == 3:
				return &loop.Unary{At: at, Op: loop.Neg, X: gen(depth-1).Draw(t, "x")}
			default:
				op := []loop.Op{loop.Add, loop.Sub, loop.Mul}[k-4]
				return bin(op, gen(depth-1).Draw(t, "x"), gen(depth-1).Draw(t, "y"))
			}
		})
	}
	forms := 0
	rapid.Check(t, func(t *rapid.T) {
		e := gen(4).Draw(t, "e")
		lin, ok := loop.Affine(e)
		if !ok {
			return
		}
		forms++
		a, b := rapid.Int32Range(-9, 9).Draw(t, "a"), rapid.Int32Range(-9, 9).Draw(t, "b")
		out, _ := loop.NewBuffer(loop.Int, 1)
		p := program(loop.Int, func(loop.Expr, loop.Expr) loop.Expr { return e })
		for i, v := range vars {
			p.Funcs[0].Params[i].Var = v
		}
		err := loopkit.Run(p, "f", loop.Args{Scalars: map[string]loop.Value{"a": loop.OfInt(a), "b": loop.OfInt(b)},
			Arrays: map[string]*loop.Buffer{"out": out}})
		if err != nil {
			return // overflow: the expression has no value
		}
		want := lin.Const + lin.Coef(vars[0])*int64(a) + lin.Coef(vars[1])*int64(b)
		if got := int64(loopkit.Ints(out)[0]); got != want {
			t.Fatalf("%s at %d, %d is %d, its form %+v gives %d", loop.ExprString(e), a, b, got, lin, want)
		}
	})
	if forms == 0 {
		t.Error("no affine expression was drawn")
	}
}

func TestNotAffine(t *testing.T) {
	i, n, k := intVar(0, loop.Induction), intVar(1, loop.Parameter), intVar(2, loop.Local)
	u := &loop.Var{Name: "u", Type: loop.Uint, ID: 3, At: at}
	arr := &loop.Array{Name: "B", Elem: loop.Int, Extents: []loop.Expr{num(4)}, At: at}
	for _, e := range []loop.Expr{
		bin(loop.Mul, ref(i), ref(n)), bin(loop.Div, ref(i), num(2)), bin(loop.Rem, ref(i), num(2)), ref(k), ref(u),
		sub(arr, ref(i)), &loop.Convert{At: at, T: loop.Uint, X: ref(i)},
		bin(loop.Mul, &loop.IntLit{At: at, T: loop.Long, Value: 1 << 62}, &loop.IntLit{At: at, T: loop.Long, Value: 4}),
	} {
		if l, ok := loop.Affine(e); ok {
			t.Errorf("%s is affine: %+v", loop.ExprString(e), l)
		}
	}
	l, ok := loop.Affine(bin(loop.Sub, bin(loop.Mul, num(3), bin(loop.Add, ref(i), num(1))), bin(loop.Add, ref(i), bin(loop.Sub, ref(n), ref(n)))))
	if !ok || l.Const != 3 || l.Coef(i) != 2 || len(l.Terms) != 1 {
		t.Errorf("3*(i+1) - (i + n - n) is %+v, %v", l, ok)
	}
}

// A caller may take over a kernel: f computes out[i] = 2*i in the kernel, s = 5
// there too, and then out[0] = s on the host.
func TestOnKernel(t *testing.T) {
	i, s, n := intVar(0, loop.Induction), intVar(1, loop.Local), intVar(2, loop.Parameter)
	out := &loop.Array{Name: "out", Elem: loop.Int, Extents: []loop.Expr{ref(n)}, At: at}
	k := &loop.Nest{At: at, Collapse: 1, Reductions: []loop.Reduction{{At: at, Op: loop.RedAdd, Var: s}},
		Loop: &loop.For{At: at, Var: i, Lo: num(0), Hi: ref(n), Cmp: loop.Lt, Step: 1,
			Body: []loop.Stmt{&loop.Assign{At: at, LHS: sub(out, ref(i)), RHS: bin(loop.Mul, num(2), ref(i))}}}}
	p := &loop.Unit{File: "a.c", NumVars: 3, NumArrays: 1, Funcs: []*loop.Func{{Name: "f", At: at,
		Params: []loop.Param{{Var: n}, {Array: out}}, Body: []loop.Stmt{
			&loop.Decl{At: at, Var: s, Init: num(1)}, k, &loop.Assign{At: at, LHS: sub(out, num(0)), RHS: ref(s)}}}}}
	if err := loop.Check(p); err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stop")
	for _, c := range []struct {
		done   bool
		err    error
		o0, o1 int32
	}{{false, nil, 5, 2}, {true, nil, 5, 7}, {true, stop, 0, 7}} {
		b, err := loop.NewBuffer(loop.Int, 2)
		if err != nil {
			t.Fatal(err)
		}
		err = loopkit.Run(p, "f", loop.Args{Scalars: map[string]loop.Value{"c": loop.OfInt(2)}, Arrays: map[string]*loop.Buffer{"out": b},
			OnKernel: func(at *loop.Nest, f *loop.Frame) (bool, error) {
				v, set := f.Scalar(s)
				if _, unset := f.Scalar(i); at != k || !set || unset || v != loop.OfInt(1) || f.Buffer(out) != b {
					t.Errorf("s is %+v, %t", v, set)
				}
				if e, err := f.Eval(bin(loop.Add, ref(n), ref(s))); err != nil || e != loop.OfInt(3) {
					t.Errorf("n + s is %+v, %v", e, err)
				}
				var fault *loop.Error
				if _, err := f.Eval(bin(loop.Div, ref(n), num(0))); !errors.As(err, &fault) {
					t.Errorf("n / 0: %v", err)
				}
				f.SetScalar(s, loop.OfInt(5))
				if c.done {
					b.Bits[1] = 7
				}
				return c.done, c.err
			}})
		if got := loopkit.Ints(b); !errors.Is(err, c.err) || got[0] != c.o0 || got[1] != c.o1 {
			t.Errorf("done %t: %v, %v", c.done, got, err)
		}
	}
}
