package scheme

import (
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/tile"
)

// Options change what is generated.
type Options struct {
	// Pack lets SoftDMA copy several rows of a box at a time where a row has at most
	// half as many elements as the team has threads. Algorithm 3 copies one row after
	// the other, which leaves the other threads idle.
	Pack bool
}

// Generate is Options.Generate with Algorithm 3 as it is.
func Generate(p *loop.Unit, f *loop.Func, k *loop.Nest, n int, plan *tile.Plan, s device.Scheme) (*device.Entry, error) {
	return Options{}.Generate(p, f, k, n, plan, s)
}

// Generate makes the kernel of f that k is offloaded as, n being its number in the
// function. Of the plan, which has to be k's, Base uses the numbers of teams and
// threads alone, and without a plan those of the clauses where they are constants.
// Where the plan is compatible, DAE and SDMA give CMPT's kernel under their own
// name, with Kernel.Compatible set.
//
// The error is a *loop.Error at what cannot be translated or where the plan is
// wrong.
func (o Options) Generate(p *loop.Unit, f *loop.Func, k *loop.Nest, n int, plan *tile.Plan, s device.Scheme) (*device.Entry, error) {
	if s > device.SDMA {
		return nil, &loop.Error{Pos: k.At, Msg: fmt.Sprintf("scheme %d", uint8(s))}
	}
	g := &gen{
		builder: builder{at: k.At}, opt: o, p: p, k: k, plan: plan, scheme: s,
		own: make(map[*loop.Var]bool), taken: make(map[string]bool), numArrays: p.NumArrays,
		known: make(map[*loop.Var]interval),
		kern: &device.Entry{
			Name: fmt.Sprintf("%s_%d_%s", f.Name, n, s), At: k.At, Scheme: s,
			NumVars: p.NumVars,
		},
	}
	g.launch()
	g.reserve(f)
	g.values()
	if g.err != nil {
		return nil, g.err
	}
	g.kern.ThreadIdx = g.fresh("thread", loop.Int, loop.Parameter)
	g.kern.TeamIdx = g.fresh("team", loop.Int, loop.Parameter)
	g.known[g.kern.ThreadIdx] = interval{0, g.kern.Threads - 1}
	g.known[g.kern.TeamIdx] = interval{0, g.kern.Teams - 1}
	g.host(f.Body)
	if s == device.Base {
		g.base()
	} else {
		g.phased()
	}
	if g.err != nil {
		return nil, g.err
	}
	g.kern.Body = tidy(g.out)
	g.kern.Params = g.parameters(f)
	g.bind()
	if g.err != nil {
		return nil, g.err
	}
	return g.kern, nil
}

// launch finds the numbers of teams and threads.
func (g *gen) launch() {
	if g.plan == nil {
		if g.scheme != device.Base {
			g.fail(g.k.At, "scheme %s without a plan", g.scheme)
			return
		}
		for _, c := range []struct {
			clause string
			x      loop.Expr
			n      *int64
		}{{"num_teams", g.k.NumTeams, &g.kern.Teams}, {"num_threads", g.k.NumThreads, &g.kern.Threads}} {
			n, ok := int64(0), false
			if c.x != nil {
				n, ok = constant(c.x)
			}
			if *c.n = n; !ok {
				g.fail(g.k.At, "%s is not constant", c.clause)
			}
		}
	} else {
		if g.plan.Kernel != g.k {
			g.fail(g.k.At, "the plan is that of another kernel")
		}
		g.kern.Teams, g.kern.Threads = g.plan.Teams, g.plan.Threads
		if g.scheme != device.Base && g.plan.Compatible != nil {
			if g.scheme != device.CMPT {
				g.kern.Compatible = g.plan.Compatible
			}
			g.scheme = device.CMPT
		}
	}
	// The thread that starts last must not count past the last iteration's number.
	if g.kern.Teams < 1 || g.kern.Threads < 1 || g.kern.Teams > 1<<20 || g.kern.Threads > 1<<10 {
		g.fail(g.k.At, "launch of %d teams of %d threads", g.kern.Teams, g.kern.Threads)
	}
}

// reserve takes the names that keep their meaning in the kernel, and finds what
// the kernel declares.
func (g *gen) reserve(f *loop.Func) {
	eachDecl([]loop.Stmt{g.k.Loop}, func(v *loop.Var) { g.own[v] = true })
	for _, r := range g.k.Reductions {
		g.own[r.Var] = true
	}
	for _, a := range g.p.Arrays {
		g.taken[a.Name] = true
	}
	for _, q := range f.Params {
		if q.Var != nil {
			g.taken[q.Var.Name] = true
		} else {
			g.taken[q.Array.Name] = true
		}
	}
	eachExpr([]loop.Stmt{g.k.Loop}, func(x loop.Expr) {
		loop.WalkExpr(x, func(y loop.Expr) {
			if r, ok := y.(*loop.Ref); ok && !g.own[r.Var] {
				g.taken[r.Var.Name] = true
			}
		})
	})
}

// bind verifies that nothing but parameters is used from outside the kernel: a
// local of the plan or of the source that has no value here would be one.
func (g *gen) bind() {
	for _, q := range g.kern.Params {
		if q.Var != nil && (g.own[q.Var] || q.Var.ID >= g.p.NumVars) {
			g.fail(g.k.At, "%s is used where it has no value", q.Var.Name)
		}
	}
}

// base is the loop nest as OpenMP runs it: iterations are dealt to all threads of
// all teams in turn.
func (g *gen) base() {
	e := newEnv()
	g.accumulate(e)
	g.at = g.k.Loop.At
	dims := g.space(e, false)
	if g.err != nil {
		return
	}
	names, counts, most := make([]string, len(dims)), make([]loop.Expr, len(dims)), make([]int64, len(dims))
	for i := range dims {
		v := dims[i].Loop.Var
		most[i] = dims[i].most
		names[i] = v.Name + "_n"
		counts[i] = g.iterations(&dims[i], v.Name+"_trips", 1)
	}
	stride := g.kern.Teams * g.kern.Threads
	total := g.product(g.k.Loop.At, counts, most, stride)
	if _, ok := constant(total); !ok && len(dims) > 1 {
		total = g.ref(g.let("trips", total))
	}
	start := g.add(g.mul(g.ref(g.kern.TeamIdx), g.lit(g.kern.Threads)), g.ref(g.kern.ThreadIdx))
	g.count("n", start, total, stride, func(n *loop.Var) {
		for i, c := range g.split(g.ref(n), names, counts) {
			d := &dims[i]
			g.at = d.Loop.At
			v := d.Loop.Var
			e.vars[v] = g.let(v.Name, g.to(v.Type, g.add(d.lo, g.mul(g.lit(d.Loop.Step), c))))
		}
		g.clone(innermost(dims), e)
		g.at = g.k.Loop.At
	})
	g.reduce()
}

// phased is a kernel of intervals: the team's tiles one after the other.
func (g *gen) phased() {
	e := newEnv()
	g.at = g.k.Loop.At
	g.sync(device.Memory)
	g.accumulate(e)
	g.at = g.k.Loop.At
	dims := g.space(e, true)
	if g.err != nil {
		return
	}
	if slices.ContainsFunc(dims, func(d dim) bool { return d.Per > 1 }) && len(g.plan.Body) != 1 {
		g.fail(g.k.At, "the plan cuts the body of a tile of several iterations a thread")
		return
	}
	g.coordinates(dims)
	if g.err != nil {
		return
	}
	g.tiles(dims, e, func() {
		g.nodes(g.plan.Body, dims, e)
		g.at = g.k.Loop.At
	})
	g.reduce()
}

// innermost is the body of the SIMT loops.
func innermost(dims []dim) []loop.Stmt { return dims[len(dims)-1].Loop.Body }
