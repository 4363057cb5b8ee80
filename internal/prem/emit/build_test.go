package emit

import (
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
)

// maker numbers the variables and arrays of modules built by hand.
type maker struct{ vars, arrays int }

func at(line int) loop.Pos { return loop.Pos{File: "dir/hand.c", Line: line, Col: 1} }

func (m *maker) v(name string, t loop.Type, k loop.Kind) *loop.Var {
	m.vars++
	return &loop.Var{Name: name, Type: t, Kind: k, ID: m.vars - 1, At: at(1)}
}

func (m *maker) array(name string, t loop.Type, extents ...loop.Expr) *loop.Array {
	m.arrays++
	return &loop.Array{Name: name, Elem: t, Extents: extents, ID: m.arrays - 1, At: at(1)}
}

func num(v int64) loop.Expr { return &loop.IntLit{At: at(1), T: loop.Int, Value: v} }

func long(v int64) loop.Expr { return &loop.IntLit{At: at(1), T: loop.Long, Value: v} }

func flt(v float32) loop.Expr {
	return &loop.FloatLit{At: at(1), T: loop.Float, Value: float64(v)}
}

func get(v *loop.Var) loop.Expr { return &loop.Ref{At: at(1), Var: v} }

func op(o loop.Op, x, y loop.Expr) loop.Expr { return &loop.Binary{At: at(1), Op: o, X: x, Y: y} }

func el(a *loop.Array, s ...loop.Expr) *loop.Index {
	return &loop.Index{At: at(1), Array: a, Subs: s}
}

func to(t loop.Type, x loop.Expr) loop.Expr {
	return &loop.Convert{At: at(1), T: t, X: x, Implicit: true}
}

func let(line int, l, r loop.Expr) device.Stmt { return &device.Assign{At: at(line), LHS: l, RHS: r} }

func arrays(list ...*loop.Array) []loop.Param {
	var out []loop.Param
	for _, a := range list {
		out = append(out, loop.Param{Array: a})
	}
	return out
}

// module wraps kernels into a function whose body launches them in order.
func (m *maker) module(params []loop.Param, ks ...*device.Entry) Module {
	f := &loop.Func{Name: "hand", At: at(1), Params: params}
	for _, k := range ks {
		i := m.v("i", loop.Int, loop.Induction)
		f.Body = append(f.Body, &loop.Nest{At: k.At, Collapse: 1,
			Loop: &loop.For{At: k.At, Var: i, Lo: num(0), Hi: num(1), Cmp: loop.Lt, Step: 1}})
		k.NumVars = m.vars
	}
	return Module{Program: &loop.Unit{File: "dir/hand.c", Funcs: []*loop.Func{f}, NumVars: m.vars, NumArrays: m.arrays}, Func: f, Kernels: ks}
}

// phased is out[team][c] = in[team][7-c]*a + in[team][c]*b by way of the scratchpad,
// for teams of eight threads, on arrays of n rows. Names are such as need changing.
func phased() Module {
	m := &maker{}
	n, a := m.v("n", loop.Int, loop.Parameter), m.v("kernel", loop.Float, loop.Parameter)
	thread, team := m.v("thread", loop.Int, loop.Parameter), m.v("team", loop.Int, loop.Parameter)
	row, x := m.v("new", loop.Int, loop.Induction), m.v("float2", loop.Float, loop.Local)
	in, out := m.array("in", loop.Float, get(n), num(8)), m.array("out", loop.Float, get(n), num(8))
	in.Const = true
	buf := m.array("in", loop.Float, num(8))
	back := op(loop.Sub, num(7), get(thread))
	k := &device.Entry{Name: "hand_0_sdma", At: at(3), Scheme: device.SDMA, Teams: 2, Threads: 8, ThreadIdx: thread, TeamIdx: team,
		Params: append([]loop.Param{{Var: n}, {Var: a}}, arrays(in, out)...), Shared: []*loop.Array{buf}}
	k.Body = []device.Stmt{
		&device.Sync{At: at(4), Phase: device.Memory},
		&device.For{At: at(5), Var: row, Lo: get(team), Hi: get(n), Cmp: loop.Lt, Step: 2, Body: []device.Stmt{
			let(6, el(buf, get(thread)), el(in, get(row), get(thread))),
			&device.Barrier{At: at(6)},
			&device.Sync{At: at(7), Phase: device.Compute},
			&device.Decl{At: at(7), Var: x, Init: op(loop.Add,
				op(loop.Mul, el(buf, back), get(a)),
				op(loop.Mul, el(buf, get(thread)), flt(0.1)))},
			&device.Barrier{At: at(7)},
			let(8, el(buf, get(thread)), op(loop.Div, get(x), flt(3))),
			&device.Sync{At: at(9), Phase: device.Memory},
			let(10, el(out, get(row), get(thread)), el(buf, get(thread))),
			&device.Barrier{At: at(11)},
		}},
	}
	return m.module(append([]loop.Param{{Var: n}, {Var: a}}, arrays(in, out)...), k)
}

// particles is p[i].x = p[i].x + dt*p[i].new for an array of structures of rank two
// and an extent that is no constant.
func particles() Module {
	m := &maker{}
	n, dt := m.v("n", loop.Int, loop.Parameter), m.v("dt", loop.Double, loop.Parameter)
	thread, team := m.v("thread", loop.Int, loop.Parameter), m.v("team", loop.Int, loop.Parameter)
	i, j := m.v("i", loop.Int, loop.Induction), m.v("j", loop.Long, loop.Induction)
	ext := []loop.Expr{nil, get(n)}
	kind, x, v := m.array("p.kind", loop.Int, ext...), m.array("p.x", loop.Double, ext...), m.array("p.new", loop.Double, ext...)
	rec := &loop.Record{Name: "p", Tag: "particle", Bytes: 24, At: at(2), Members: []loop.Member{{Name: "kind", Array: kind}, {Name: "x", Array: x}, {Name: "new", Array: v}}}
	for _, f := range rec.Members {
		f.Array.Record = rec
	}
	x.Offset, v.Offset = 8, 16
	wide := to(loop.Long, get(n))
	k := &device.Entry{Name: "hand_0_base", At: at(3), Teams: 2, Threads: 4, ThreadIdx: thread, TeamIdx: team,
		Params: append([]loop.Param{{Var: n}, {Var: dt}}, arrays(x, v, kind)...)}
	k.Body = []device.Stmt{
		&device.For{At: at(4), Var: i, Lo: op(loop.Add, op(loop.Mul, get(team), num(4)), get(thread)), Hi: get(n), Cmp: loop.Lt, Step: 8, Body: []device.Stmt{
			&device.For{At: at(5), Var: j, Lo: op(loop.Sub, wide, long(1)), Hi: long(0), Cmp: loop.Ge, Step: -1, Body: []device.Stmt{
				&device.If{At: at(6), Cond: op(loop.Ne, el(kind, get(i), get(j)), num(0)),
					Then: []device.Stmt{let(7, el(x, get(i), get(j)), op(loop.Add, el(x, get(i), get(j)), op(loop.Mul, get(dt), el(v, get(i), get(j)))))},
					Else: []device.Stmt{&device.If{At: at(8), Cond: el(x, get(i), get(j)),
						Then: []device.Stmt{let(9, el(x, get(i), get(j)), &loop.FloatLit{At: at(9), T: loop.Double, Value: -0.5})},
						Else: []device.Stmt{let(10, el(kind, get(i), get(j)), num(-1))}}}},
			}},
		}},
	}
	return m.module(append([]loop.Param{{Var: n}, {Var: dt}}, arrays(x, v, kind)...), k)
}
