package emit

import (
	"math"

	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/verify/deviceexec"
)

// operators is a kernel that applies every operator, conversion and exact function
// to pairs of values of every type, each result to a place of its own, and then
// combines operators of all precedences.
func operators() Module {
	m := &maker{}
	thread, team := m.v("thread", loop.Int, loop.Parameter), m.v("team", loop.Int, loop.Parameter)
	k := &device.Entry{Name: "hand_0_base", At: at(3), Teams: 1, Threads: 8, ThreadIdx: thread, TeamIdx: team}
	names := []string{"", "i", "u", "l", "ul", "f", "d"}
	results := make([]*loop.Array, loop.Double+1)
	used := make([]int64, loop.Double+1)
	var xs, ys [loop.Double + 1]loop.Expr
	for t := loop.Int; t <= loop.Double; t++ {
		x, y := m.array("x"+names[t], t, num(8)), m.array("y"+names[t], t, num(8))
		results[t] = m.array("r"+names[t], t, num(8), num(256))
		k.Params = append(k.Params, arrays(x, y, results[t])...)
		xs[t], ys[t] = el(x, get(thread)), el(y, get(thread))
	}
	put := func(e loop.Expr) {
		t := e.Type()
		k.Body = append(k.Body, let(5, el(results[t], get(thread), num(used[t])), e))
		used[t]++
	}
	for t := loop.Int; t <= loop.Double; t++ {
		x, y := xs[t], ys[t]
		for o := loop.Add; o <= loop.LOr; o++ {
			if t.IsFloat() && o >= loop.Rem && o <= loop.Shr {
				continue
			}
			if o == loop.Shl || o == loop.Shr {
				put(op(o, op(loop.And, x, &loop.IntLit{At: at(5), T: t, Value: 0xff}), op(loop.And, ys[loop.Int], num(15))))
				continue
			}
			put(op(o, x, y))
			// Both associations, and the operator under and above others.
			if o <= loop.Mul {
				put(op(o, op(o, x, y), x))
				put(op(o, x, op(o, y, y)))
				put(op(loop.Sub, x, op(loop.Sub, y, op(o, x, y))))
			}
		}
		un := func(o loop.Op, e loop.Expr) loop.Expr { return &loop.Unary{At: at(6), Op: o, X: e} }
		put(un(loop.Neg, x))
		put(un(loop.Neg, un(loop.Neg, op(loop.Add, x, y))))
		put(un(loop.Not, op(loop.Sub, x, x)))
		put(&loop.Cond{At: at(6), If: op(loop.Lt, x, y), Then: x, Else: &loop.Cond{At: at(6), If: y, Then: y, Else: x}})
		if t.IsInteger() {
			put(un(loop.Cpl, x))
			put(op(loop.And, op(loop.Or, x, y), op(loop.Xor, x, op(loop.Add, y, x))))
		}
		put(op(loop.LAnd, op(loop.LOr, x, y), op(loop.LOr, op(loop.LAnd, y, x), y)))
		for to := loop.Int; to <= loop.Double; to++ {
			put(&loop.Convert{At: at(7), T: to, X: x})
			put(&loop.Convert{At: at(7), T: to, X: op(loop.Lt, x, y)})
		}
	}
	for _, v := range []int64{math.MinInt32, math.MaxInt32, -1, 0} {
		put(num(v))
		put(&loop.IntLit{At: at(8), T: loop.Long, Value: v << 32})
		put(&loop.IntLit{At: at(8), T: loop.Uint, Value: int64(uint32(v))})
		put(&loop.IntLit{At: at(8), T: loop.Ulong, Value: v})
		put(&loop.Unary{At: at(8), Op: loop.Cpl, X: num(v)})
	}
	put(long(math.MinInt64))
	for _, v := range []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1e-45, -3.5, 1e30, 0.1, math.Pi} {
		put(flt(float32(v)))
		put(&loop.FloatLit{At: at(9), T: loop.Double, Value: v})
		put(&loop.Unary{At: at(9), Op: loop.Neg, X: flt(float32(v))})
	}
	for _, name := range []string{"sqrt", "fabs", "floor", "ceil", "fmin", "fmax"} {
		for _, t := range []loop.Type{loop.Float, loop.Double} {
			f := loop.Math(name)
			if t == loop.Float {
				f = loop.Math(name + "f")
			}
			args := []loop.Expr{xs[t], ys[t]}[:f.Arity]
			put(&loop.Call{At: at(10), Fn: f, Args: args})
		}
	}
	wide := func(e loop.Expr) loop.Expr { return to(loop.Long, e) }
	put(op(loop.Add, wide(xs[loop.Int]), wide(op(loop.Mul, ys[loop.Int], num(1000)))))
	put(op(loop.Mul, wide(xs[loop.Int]), long(1<<40)))
	put(op(loop.Lt, wide(xs[loop.Int]), xs[loop.Long]))
	put(wide(op(loop.Sub, xs[loop.Int], ys[loop.Int])))
	put(op(loop.Shl, wide(num(3)), num(40)))
	put(op(loop.Or, wide(xs[loop.Int]), wide(ys[loop.Int])))
	mod := m.module(nil, k)
	mod.Func.Params = append(mod.Func.Params, k.Params...)
	return mod
}

func operatorsArgs() []deviceexec.Arg {
	ints := [][2]int64{{7, 3}, {-7, 3}, {7, -3}, {-7, -3}, {123, 45}, {-128, 7}, {1, 1}, {99, 100}}
	uints := [][2]int64{{7, 3}, {4000000000, 3}, {7, 4000000000}, {1, 1}, {123, 45}, {128, 7}, {2147483648, 2}, {99, 100}}
	floats := [][2]float64{{0.1, 0.3}, {7.25, -3}, {3, 3}, {1.5, 1e-3}, {1e4, 1e-10}, {33.333, 3}, {1234.5, -0.7}, {0, math.Copysign(0, -1)}}
	var args []deviceexec.Arg
	for t := loop.Int; t <= loop.Double; t++ {
		x := &loop.Buffer{Elem: t, Shape: []int64{8}, Bits: make([]uint64, 8)}
		y := &loop.Buffer{Elem: t, Shape: []int64{8}, Bits: make([]uint64, 8)}
		for i := range 8 {
			for b, side := range map[*loop.Buffer]int{x: 0, y: 1} {
				switch {
				case t == loop.Float:
					b.Bits[i] = uint64(math.Float32bits(float32(floats[i][side])))
				case t == loop.Double:
					b.Bits[i] = math.Float64bits(floats[i][side])
				case t.IsSigned():
					b.Bits[i] = uint64(ints[i][side])
				default:
					b.Bits[i] = uint64(uints[i][side])
				}
			}
		}
		r := &loop.Buffer{Elem: t, Shape: []int64{8, 256}, Bits: make([]uint64, 8*256)}
		args = append(args, deviceexec.Arg{Buffer: x}, deviceexec.Arg{Buffer: y}, deviceexec.Arg{Buffer: r})
	}
	return args
}

func phasedArgs() []deviceexec.Arg {
	in := &loop.Buffer{Elem: loop.Float, Shape: []int64{5, 8}, Bits: make([]uint64, 40)}
	out := &loop.Buffer{Elem: loop.Float, Shape: []int64{5, 8}, Bits: make([]uint64, 40)}
	for i := range in.Bits {
		in.Bits[i] = uint64(math.Float32bits(float32(i*37%101) / 7))
	}
	return []deviceexec.Arg{{Value: loop.OfInt(5)}, {Value: loop.OfFloat(0.3)}, {Buffer: in}, {Buffer: out}}
}

func particlesArgs() []deviceexec.Arg {
	const n = 9
	x := &loop.Buffer{Elem: loop.Double, Shape: []int64{n, n}, Bits: make([]uint64, n*n)}
	v := &loop.Buffer{Elem: loop.Double, Shape: []int64{n, n}, Bits: make([]uint64, n*n)}
	kind := &loop.Buffer{Elem: loop.Int, Shape: []int64{n, n}, Bits: make([]uint64, n*n)}
	for i := range n * n {
		x.Bits[i] = math.Float64bits(float64(i*29%7) / 3)
		v.Bits[i] = math.Float64bits(float64(i*53%199) / 89)
		kind.Bits[i] = uint64(i % 2)
	}
	return []deviceexec.Arg{{Value: loop.OfInt(n)}, {Value: loop.OfDouble(0.01)}, {Buffer: x}, {Buffer: v}, {Buffer: kind}}
}
