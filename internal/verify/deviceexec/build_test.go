package deviceexec

import (
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
)

// pos is a position for nodes built by hand.
func pos(line int) loop.Pos { return loop.Pos{File: "k.c", Line: line, Col: 3} }

func num(v int64) loop.Expr { return &loop.IntLit{At: pos(1), T: loop.Int, Value: v} }

func get(v *loop.Var) loop.Expr { return &loop.Ref{At: pos(1), Var: v} }

func bin(op loop.Op, x, y loop.Expr) loop.Expr { return &loop.Binary{At: pos(1), Op: op, X: x, Y: y} }

func elem(a *loop.Array, s ...loop.Expr) *loop.Index {
	return &loop.Index{At: pos(1), Array: a, Subs: s}
}

func set(line int, l, r loop.Expr) device.Stmt { return &device.Assign{At: pos(line), LHS: l, RHS: r} }

// fixture holds what the kernels of the tests are made of: `in` and `out` of n
// ints in global memory, buf of four ints in the scratchpad.
type fixture struct {
	n, thread, team, i, x *loop.Var
	in, out, buf          *loop.Array
}

func newFixture() *fixture {
	v := func(id int, name string, k loop.Kind) *loop.Var {
		return &loop.Var{Name: name, Type: loop.Int, Kind: k, ID: id, At: pos(1)}
	}
	f := &fixture{n: v(0, "n", loop.Parameter), thread: v(1, "thread", loop.Parameter), team: v(2, "team", loop.Parameter),
		i: v(3, "i", loop.Induction), x: v(4, "x", loop.Local)}
	f.in = &loop.Array{Name: "in", Elem: loop.Int, Extents: []loop.Expr{get(f.n)}, ID: 0, At: pos(1), Const: true}
	f.out = &loop.Array{Name: "out", Elem: loop.Int, Extents: []loop.Expr{get(f.n)}, ID: 1, At: pos(1)}
	f.buf = &loop.Array{Name: "buf", Elem: loop.Int, Extents: []loop.Expr{num(4)}, ID: 2, At: pos(1)}
	return f
}

// kernel is two teams of four threads.
func (f *fixture) kernel(body ...device.Stmt) *device.Entry {
	return &device.Entry{Name: "k", At: pos(1), Teams: 2, Threads: 4, ThreadIdx: f.thread, TeamIdx: f.team,
		Params: []loop.Param{{Var: f.n}, {Array: f.in}, {Array: f.out}}, Shared: []*loop.Array{f.buf}, Body: body, NumVars: 5}
}

// args are n = 8, in[e] = e + 1 and a zeroed out.
func (f *fixture) args() []Arg {
	in, out := make([]uint64, 8), make([]uint64, 8)
	for e := range in {
		in[e] = uint64(e + 1)
	}
	shape := []int64{8}
	return []Arg{{Value: loop.OfInt(8)}, {Buffer: &loop.Buffer{Elem: loop.Int, Shape: shape, Bits: in}},
		{Buffer: &loop.Buffer{Elem: loop.Int, Shape: shape, Bits: out}}}
}

// own is 4*team + thread.
func (f *fixture) own() loop.Expr {
	return bin(loop.Add, bin(loop.Mul, num(4), get(f.team)), get(f.thread))
}

// phased reverses each team's four elements by way of the scratchpad.
func (f *fixture) phased() *device.Entry {
	back := bin(loop.Sub, num(3), get(f.thread))
	return f.kernel(
		&device.Sync{At: pos(2), Phase: device.Memory},
		&device.For{At: pos(3), Var: f.i, Lo: num(0), Hi: num(1), Cmp: loop.Lt, Step: 1, Body: []device.Stmt{
			set(4, elem(f.buf, get(f.thread)), elem(f.in, f.own())),
			&device.Barrier{At: pos(5)},
			&device.Sync{At: pos(6), Phase: device.Compute},
			&device.Decl{At: pos(7), Var: f.x, Init: elem(f.buf, back)},
			&device.Barrier{At: pos(7)},
			set(8, elem(f.buf, get(f.thread)), get(f.x)),
			&device.Sync{At: pos(9), Phase: device.Memory},
			set(10, elem(f.out, f.own()), elem(f.buf, get(f.thread))),
			&device.Barrier{At: pos(11)},
		}})
}
