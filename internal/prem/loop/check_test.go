package loop_test

import (
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/verify/loopkit"
)

// nest is a sound program: f(int n, int A[n][4]) with one kernel over i and j that
// sums into s.
type nest struct {
	p        *loop.Unit
	f        *loop.Func
	k        *loop.Nest
	n, s     *loop.Var
	i, j     *loop.Var
	a        *loop.Array
	outer    *loop.For
	inner    *loop.For
	store    *loop.Assign
	sumStore *loop.Assign
}

func newNest() *nest {
	x := &nest{n: intVar(0, loop.Parameter), s: intVar(1, loop.Local), i: intVar(2, loop.Induction), j: intVar(3, loop.Induction)}
	x.a = &loop.Array{Name: "A", Elem: loop.Int, Extents: []loop.Expr{ref(x.n), num(4)}, At: at}
	x.store = &loop.Assign{At: at, LHS: sub(x.a, ref(x.i), ref(x.j)), RHS: bin(loop.Add, ref(x.i), ref(x.j))}
	x.sumStore = &loop.Assign{At: at, LHS: ref(x.s), RHS: bin(loop.Add, ref(x.s), sub(x.a, ref(x.i), ref(x.j))), Compound: loop.Add}
	x.inner = &loop.For{At: at, Var: x.j, Lo: num(0), Hi: num(4), Cmp: loop.Lt, Step: 1, Body: []loop.Stmt{x.store, x.sumStore}}
	x.outer = &loop.For{At: at, Var: x.i, Lo: num(0), Hi: ref(x.n), Cmp: loop.Lt, Step: 1, Body: []loop.Stmt{x.inner}}
	x.k = &loop.Nest{At: at, Collapse: 2, Loop: x.outer, Reductions: []loop.Reduction{{At: at, Op: loop.RedAdd, Var: x.s}},
		Maps: []loop.Map{{At: at, Array: x.a, Sections: []loop.Section{{Lo: num(0), Len: ref(x.n)}}}}}
	x.f = &loop.Func{Name: "f", At: at, Params: []loop.Param{{Var: x.n}, {Array: x.a}},
		Body: []loop.Stmt{&loop.Decl{At: at, Var: x.s, Init: num(0)}, x.k,
			&loop.Assign{At: at, LHS: sub(x.a, num(0), num(0)), RHS: ref(x.s)}}}
	x.p = &loop.Unit{File: "a.c", Funcs: []*loop.Func{x.f}, NumVars: 4, NumArrays: 1}
	return x
}

// record makes A, at an offset, the first member of an array of structures of
// eight bytes, with a second member at byte 4.
func (x *nest) record(offset int64) *loop.Record {
	b := *x.a
	b.ID, b.Offset, b.Extents = 1, 4, []loop.Expr{ref(x.n), num(4)}
	r := &loop.Record{Name: "R", Tag: "r", Bytes: 8, At: at, Members: []loop.Member{{Name: "a", Array: x.a}, {Name: "b", Array: &b}}}
	x.a.Record, b.Record, x.a.Offset = r, r, offset
	return r
}

func TestCheckAcceptsStructures(t *testing.T) {
	x := newNest()
	x.record(0)
	if err := loop.Check(x.p); err != nil {
		t.Error(err)
	}
}

func TestCheckFindsEveryBreach(t *testing.T) {
	if err := loop.Check(newNest().p); err != nil {
		t.Fatal(err)
	}
	double := &loop.FloatLit{At: at, T: loop.Double, Value: 1}
	other := intVar(3, loop.Local)
	for _, c := range []struct {
		want   string
		breach func(x *nest)
	}{
		{"is not in scope", func(x *nest) { x.store.RHS = ref(other) }},
		{"is not in scope", func(x *nest) { x.f.Body[2] = &loop.Assign{At: at, LHS: sub(x.a, num(0), num(0)), RHS: ref(x.i)} }},
		{"array A is not in scope", func(x *nest) { x.f.Params = x.f.Params[:1] }},
		{"number 9 is taken or out of range", func(x *nest) { x.j.ID = 9 }},
		{"number 2 is taken", func(x *nest) { x.j.ID = 2 }},
		{"has no type", func(x *nest) { x.s.Type = loop.NoType }},
		{"wrong kind", func(x *nest) { x.i.Kind = loop.Local }},
		{"is no member of R", func(x *nest) { x.record(0).Members = nil }},
		{"at byte 2 of structures of 8", func(x *nest) { x.record(2) }},
		{"at byte 8 of structures of 8", func(x *nest) { x.record(8) }},
		{"at byte -4 of structures of 8", func(x *nest) { x.record(-4) }},
		{"at byte 0 of structures of 6", func(x *nest) { x.record(0).Bytes = 6 }},
		{"A and A share memory", func(x *nest) { x.record(0).Members[1].Array.Offset = 3 }},
		{"dimension 1 of A and of A differ", func(x *nest) { x.record(0).Members[1].Array.Extents[1] = num(5) }},
		{"member b is no array of it", func(x *nest) { x.record(0).Members[1].Array.Extents = nil }},
		{"member b is no array of it", func(x *nest) { x.record(0).Members[1].Array = nil }},
		{"assignment of double to int", func(x *nest) { x.store.RHS = double }},
		{"operator + on int and double", func(x *nest) { x.store.RHS = bin(loop.Add, ref(x.i), double) }},
		{"operator %", func(x *nest) { x.store.RHS = bin(loop.Rem, double, double) }},
		{"operator -", func(x *nest) { x.store.RHS = bin(loop.Neg, num(1), num(1)) }},
		{"operator ~ on double", func(x *nest) {
			x.store.RHS = &loop.Convert{At: at, T: loop.Int, X: &loop.Unary{At: at, Op: loop.Cpl, X: double}}
		}},
		{"branches of types", func(x *nest) { x.store.RHS = &loop.Cond{At: at, If: num(1), Then: num(1), Else: double} }},
		{"conversion of int to int", func(x *nest) { x.store.RHS = &loop.Convert{At: at, T: loop.Int, X: num(1), Implicit: true} }},
		{"call with 0 arguments", func(x *nest) { x.store.RHS = &loop.Call{At: at, Fn: loop.Math("sqrt")} }},
		{"sqrt of int", func(x *nest) { x.store.RHS = &loop.Call{At: at, Fn: loop.Math("sqrt"), Args: []loop.Expr{num(1)}} }},
		{"1 subscripts of A", func(x *nest) { x.store.LHS = sub(x.a, ref(x.i)) }},
		{"subscript of type double", func(x *nest) { x.store.LHS = sub(x.a, double, ref(x.i)) }},
		{"is no int", func(x *nest) { x.store.RHS = num(1 << 40) }},
		{"is no float", func(x *nest) {
			x.store.RHS = &loop.Convert{At: at, T: loop.Int, X: &loop.FloatLit{At: at, T: loop.Float, Value: 0.1}}
		}},
		{"without a position", func(x *nest) { x.store.RHS = &loop.IntLit{T: loop.Int} }},
		{"without a position", func(x *nest) { x.store.At = loop.Pos{} }},
		{"assignment to an expression", func(x *nest) { x.store.LHS = num(1) }},
		{"assignment to loop variable", func(x *nest) { x.store.LHS = ref(x.i) }},
		{"assignment to parameter", func(x *nest) { x.store.LHS = ref(x.n) }},
		{"assignment to const b", func(x *nest) { x.s.Const = true }},
		{"assignment to const array A", func(x *nest) { x.a.Const = true }},
		{"kernel assigns b", func(x *nest) { x.k.Reductions = nil }},
		{"maps only `to`", func(x *nest) { x.k.Maps[0].Kind = loop.To }},
		{"step 0", func(x *nest) { x.inner.Step = 0 }},
		{"step -1 with <", func(x *nest) { x.inner.Step = -1 }},
		{"step 4294967296", func(x *nest) { x.inner.Step = 1 << 32 }},
		{"want one signed type", func(x *nest) { x.inner.Hi = &loop.IntLit{At: at, T: loop.Long, Value: 4} }},
		{"depends on local b", func(x *nest) { x.inner.Hi = ref(x.s) }},
		{"depends on A", func(x *nest) { x.inner.Hi = sub(x.a, num(0), num(0)) }},
		{"bound of d depends on c", func(x *nest) { x.inner.Lo = ref(x.i) }},
		{"is not one loop", func(x *nest) { x.outer.Body = append(x.outer.Body, &loop.Block{At: at}) }},
		{"is not one loop", func(x *nest) { x.k.Collapse = 3 }},
		{"collapse(0)", func(x *nest) { x.k.Collapse = 0 }},
		{"without a loop", func(x *nest) { x.k.Loop = nil; x.f.Body = x.f.Body[:2] }},
		{"num_teams of -1", func(x *nest) { x.k.NumTeams = num(-1) }},
		{"schedule chunk of 0", func(x *nest) { x.k.Chunk = num(0) }},
		{"num_threads 1.0 is double", func(x *nest) { x.k.NumThreads = double }},
		{"stands in two clauses", func(x *nest) { x.k.FirstPrivate = []*loop.Var{x.s} }},
		{"stands in two clauses", func(x *nest) { x.k.Maps = append(x.k.Maps, x.k.Maps[0]) }},
		{"firstprivate d is not in scope", func(x *nest) { x.k.FirstPrivate = []*loop.Var{other} }},
		{"no assignable local", func(x *nest) { x.k.Reductions[0].Var = x.n }},
		{"neither an array nor a scalar", func(x *nest) { x.k.Maps[0].Array = nil }},
		{"with 3 sections", func(x *nest) {
			s := x.k.Maps[0].Sections[0]
			x.k.Maps[0].Sections = []loop.Section{s, s, s}
		}},
		{"needs a section", func(x *nest) { x.a.Extents[0] = nil; x.k.Maps[0].Sections = nil }},
		{"no extent outside a kernel", func(x *nest) { x.a.Extents[0] = nil }},
		{"dimension 1 has no extent", func(x *nest) { x.a.Extents[1] = nil }},
		{"extent 0", func(x *nest) { x.a.Extents[1] = num(0) }},
		{"rank 0", func(x *nest) { x.a.Extents = nil }},
		{"kernel inside a kernel", func(x *nest) { x.inner.Body = []loop.Stmt{&loop.Nest{At: at, Loop: x.outer}} }},
		{"target data inside a kernel", func(x *nest) { x.inner.Body = []loop.Stmt{&loop.Data{At: at}} }},
		{"maps scalar a", func(x *nest) { x.f.Body[1] = &loop.Data{At: at, Maps: []loop.Map{{At: at, Var: x.n}}} }},
		{"host code uses A", func(x *nest) {
			x.f.Body = []loop.Stmt{&loop.Data{At: at, Maps: x.k.Maps, Body: []loop.Stmt{x.f.Body[0], x.f.Body[2]}}}
		}},
	} {
		x := newNest()
		c.breach(x)
		if err := loop.Check(x.p); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

func (x *nest) run(t testing.TB, n int32, rows, cols int64, steps int64) (*loop.Buffer, error) {
	t.Helper()
	b, err := loop.NewBuffer(loop.Int, rows, cols)
	if err != nil {
		t.Fatal(err)
	}
	return b, loopkit.Run(x.p, "f", loop.Args{Scalars: map[string]loop.Value{"a": loop.OfInt(n)},
		Arrays: map[string]*loop.Buffer{"A": b}, MaxSteps: steps})
}

func TestRun(t *testing.T) {
	b, err := newNest().run(t, 3, 3, 4, 0)
	if err != nil {
		t.Fatal(err)
	}
	// The sum of i + j over 3 by 4 is 4*(0+1+2) + 3*(0+1+2+3).
	if got := loopkit.Ints(b); got[0] != 30 || got[11] != 5 || loopkit.Floats(b) != nil {
		t.Errorf("A is %v", got)
	}
	down := newNest()
	down.outer.Lo, down.outer.Hi, down.outer.Cmp, down.outer.Step = bin(loop.Sub, ref(down.n), num(1)), num(0), loop.Ge, -2
	if b, err = down.run(t, 3, 3, 4, 0); err != nil || loopkit.Ints(b)[0] != 20 || loopkit.Ints(b)[7] != 0 {
		t.Errorf("counting down by two: %v, %v", loopkit.Ints(b), err)
	}
}

func TestRunRefuses(t *testing.T) {
	for _, c := range []struct {
		want   string
		n      int32
		cols   int64
		steps  int64
		change func(x *nest)
	}{
		{"dimension 0 is 3, want 2", 2, 4, 0, func(*nest) {}},
		{"dimension 1 is 5, want 4", 3, 5, 0, func(*nest) {}},
		{"more than 10 statements executed on the host, expected fewer", 3, 4, 10, func(*nest) {}},
		{"subscript 1 of A is 4, outside [0, 4)", 3, 4, 0, func(x *nest) { x.inner.Cmp = loop.Le }},
		{"subscript 0 of A is -1", 3, 4, 0, func(x *nest) { x.outer.Lo = num(-1) }},
		{"b is read before it is set", 3, 4, 0, func(x *nest) { x.f.Body[0].(*loop.Decl).Init = nil }},
		{"signed overflow", 3, 4, 0, func(x *nest) {
			x.inner.Lo, x.inner.Hi, x.inner.Cmp, x.inner.Body = num(1<<31-2), num(1<<31-1), loop.Le, nil
		}},
		{"no such parameter", 3, 4, 0, func(x *nest) { x.a.Name = "B" }},
		{"want a value of type long", 3, 4, 0, func(x *nest) { x.n.Type = loop.Long }},
		{"want a buffer of float", 3, 4, 0, func(x *nest) { x.a.Elem = loop.Float }},
		{"no function f", 3, 4, 0, func(x *nest) { x.f.Name = "g" }},
	} {
		x := newNest()
		c.change(x)
		if _, err := x.run(t, c.n, 3, c.cols, c.steps); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	for _, shape := range [][]int64{nil, {0}, {-1, 4}, {1 << 20, 1 << 20}} {
		if _, err := loop.NewBuffer(loop.Int, shape...); err == nil {
			t.Errorf("buffer of shape %v", shape)
		}
	}
	x := newNest()
	b := &loop.Array{Name: "B", Elem: loop.Int, Extents: x.a.Extents, ID: 1, At: at}
	x.f.Params, x.p.NumArrays = append(x.f.Params, loop.Param{Array: b}), 2
	buf, err := loop.NewBuffer(loop.Int, 3, 4)
	if err != nil {
		t.Fatal(err)
	}
	err = loopkit.Run(x.p, "f", loop.Args{Scalars: map[string]loop.Value{"a": loop.OfInt(3)}, Arrays: map[string]*loop.Buffer{"A": buf, "B": buf}})
	if err == nil || !strings.Contains(err.Error(), "do not alias") {
		t.Errorf("one buffer for two arrays: %v", err)
	}
}

func TestKernels(t *testing.T) {
	x := newNest()
	x.f.Body[1] = &loop.Data{At: at, Body: []loop.Stmt{x.k}}
	if ks := x.f.Kernels(); len(ks) != 1 || ks[0] != x.k {
		t.Errorf("kernels %v", ks)
	}
}

func BenchmarkRun(b *testing.B) {
	x := newNest()
	buf, err := loop.NewBuffer(loop.Int, 1000, 4)
	if err != nil {
		b.Fatal(err)
	}
	args := loop.Args{Scalars: map[string]loop.Value{"a": loop.OfInt(1000)}, Arrays: map[string]*loop.Buffer{"A": buf}}
	b.ReportAllocs()
	for b.Loop() {
		if err := loopkit.Run(x.p, "f", args); err != nil {
			b.Fatal(err)
		}
	}
}
