package scheme

import (
	"math"

	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
)

// accumulator is a thread's share of a reduction.
type accumulator struct {
	red     loop.Reduction
	private *loop.Var
}

// identity is the operator's neutral element.
func (b builder) identity(op loop.RedOp, t loop.Type) loop.Expr {
	if t.IsFloat() {
		v := map[loop.RedOp]float64{loop.RedMul: 1, loop.RedMin: math.Inf(1), loop.RedMax: math.Inf(-1)}[op]
		return &loop.FloatLit{At: b.at, T: t, Value: v}
	}
	v := int64(0)
	switch op {
	case loop.RedMul:
		v = 1
	case loop.RedMin:
		v = map[loop.Type]int64{loop.Int: math.MaxInt32, loop.Uint: math.MaxUint32, loop.Long: math.MaxInt64, loop.Ulong: -1}[t]
	case loop.RedMax:
		v = map[loop.Type]int64{loop.Int: math.MinInt32, loop.Long: math.MinInt64}[t]
	}
	return &loop.IntLit{At: b.at, T: t, Value: v}
}

// combine is x op y. Where x and y are equal or not ordered, min and max are x.
func (b builder) combine(op loop.RedOp, x, y loop.Expr) loop.Expr {
	switch op {
	case loop.RedAdd:
		return &loop.Binary{At: b.at, Op: loop.Add, X: x, Y: y}
	case loop.RedMul:
		return &loop.Binary{At: b.at, Op: loop.Mul, X: x, Y: y}
	}
	better := loop.Lt
	if op == loop.RedMax {
		better = loop.Gt
	}
	return &loop.Cond{At: b.at, If: &loop.Binary{At: b.at, Op: better, X: y, Y: x}, Then: y, Else: x}
}

// accumulate declares the private accumulators.
func (g *gen) accumulate(e *env) {
	for _, r := range g.k.Reductions {
		g.at = r.At
		v := g.let(r.Var.Name, g.identity(r.Op, r.Var.Type))
		e.vars[r.Var] = v
		g.accs = append(g.accs, accumulator{r, v})
	}
}

// reduce emits the combination of a team's accumulators, one variable after the
// other, in the order of the threads, into one partial result a team.
func (g *gen) reduce() {
	offset := int64(0)
	if g.plan != nil && g.plan.Reduce > 0 {
		offset = g.plan.Reduce
	}
	arrays := make(map[loop.Type]*loop.Array)
	thread, threads := g.ref(g.kern.ThreadIdx), g.kern.Threads
	for i, a := range g.accs {
		g.at = a.red.At
		t := a.private.Type
		if i > 0 {
			g.barrier()
		}
		if arrays[t] == nil {
			arrays[t] = g.shared("s_"+t.String(), t, offset, threads)
		}
		g.assign(g.cell(arrays[t], thread), g.ref(a.private))
		g.barrier()
		partial := g.array(g.name(a.red.Var.Name+"_teams"), t, g.kern.Teams)
		g.kern.Reductions = append(g.kern.Reductions, device.Reduction{Op: a.red.Op, Var: a.red.Var, Partial: partial})
		g.when(g.op(loop.Eq, thread, g.lit(0)), func() {
			total := g.ref(a.private)
			g.count("other", g.lit(1), g.lit(threads), 1, func(v *loop.Var) {
				g.assign(total, g.combine(a.red.Op, total, g.cell(arrays[t], g.ref(v))))
			})
			g.assign(g.cell(partial, g.ref(g.kern.TeamIdx)), total)
		})
		if g.plan != nil && g.scheme != device.Base && offset+threads*t.Size() > g.plan.SPMBytes {
			g.fail(g.at, "the reduction of %s needs %d bytes of scratchpad, which has %d", a.red.Var.Name, offset+threads*t.Size(), g.plan.SPMBytes)
		}
	}
}

func (g *gen) cell(a *loop.Array, i loop.Expr) *loop.Index {
	return &loop.Index{At: g.at, Array: a, Subs: []loop.Expr{i}}
}
