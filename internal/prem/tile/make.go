package tile

import (
	"maps"
	"slices"

	"github.com/warpbound/warpbound/internal/prem/depend"
	"github.com/warpbound/warpbound/internal/prem/loop"
)

// Options are what a plan depends on besides the kernel.
type Options struct {
	// SPMBytes is the capacity of a team's scratchpad.
	SPMBytes int64
	// Teams and Threads stand in for absent num_teams and num_threads clauses; 0 is 1
	// team and 32 threads.
	Teams, Threads int64
	// Override fixes tile sizes by the name of the loop variable: of a loop of the
	// SIMT space, the block iterations in a tile (Dim.Per); of another loop, tileDim.
	Override map[string]int64
	// Scalars are values of integer parameters, where they are known, by name.
	Scalars map[string]int64
}

// MaxThreads bounds the threads of a team: what a block may have on a CUDA device
// of compute capability 2.0 and above.
const MaxThreads = 1024

// Make plans kernel k of function f of program p, which loop.Check must accept.
// Where separation is impossible, the plan says so in Compatible. The error is a
// *loop.Error where it lies in the source: a clause that is no constant, a loop of
// which not even one iteration fits the scratchpad.
func Make(p *loop.Unit, f *loop.Func, k *loop.Nest, opt Options) (*Plan, error) {
	pl := &planner{kernel: k, opt: opt, nextVar: p.NumVars,
		spans: make(map[*loop.For]span), ext: make(map[*loop.Array][]extent), pairs: make(map[pair]bool)}
	var err error
	if pl.accesses, err = depend.Collect(p, k); err != nil {
		return nil, err
	}
	plan := &Plan{Kernel: k, SPMBytes: opt.SPMBytes, Reduce: -1}
	if plan.Teams, err = clause(k, k.NumTeams, "num_teams", opt.Teams, 1, 1<<31-1); err != nil {
		return nil, err
	}
	if plan.Threads, err = clause(k, k.NumThreads, "num_threads", opt.Threads, 32, MaxThreads); err != nil {
		return nil, err
	}
	if opt.SPMBytes < 0 {
		return nil, errorf(k.At, "scratchpad of %d bytes", opt.SPMBytes)
	}
	pl.plan = plan
	if err := pl.overrides(); err != nil {
		return nil, err
	}
	pl.spm = opt.SPMBytes
	if len(k.Reductions) > 0 {
		pl.spm -= align(plan.Threads * 8)
	}
	if pl.spm < 0 {
		return nil, errorf(k.At, "the reduction takes %d bytes of scratchpad, %d more than the %d there are",
			opt.SPMBytes-pl.spm, -pl.spm, opt.SPMBytes)
	}
	if err := pl.make(f); err != nil {
		return nil, err
	}
	plan.NumVars = pl.nextVar
	if len(k.Reductions) > 0 {
		plan.Reduce = plan.Bytes
		plan.Bytes += align(plan.Threads * 8)
	}
	return plan, nil
}

// clause is the value of a clause's constant, or of its default.
func clause(k *loop.Nest, e loop.Expr, name string, given, standard, most int64) (int64, error) {
	n := given
	if n == 0 {
		n = standard
	}
	if e == nil {
		if n < 1 || n > most {
			return 0, errorf(k.At, "%s of %d, not in 1..%d", name, n, most)
		}
		return n, nil
	}
	l, ok := loop.Affine(e)
	if !ok || len(l.Terms) > 0 {
		return 0, errorf(e.Position(), "%s(%s) is no constant", name, loop.ExprString(e))
	}
	if l.Const < 1 || l.Const > most {
		return 0, errorf(e.Position(), "%s of %d, not in 1..%d", name, l.Const, most)
	}
	return l.Const, nil
}

// planner makes one plan.
type planner struct {
	kernel  *loop.Nest
	opt     Options
	plan    *Plan
	spm     int64 // for boxes
	nextVar int
	spans   map[*loop.For]span
	ext     map[*loop.Array][]extent
	trips   []int64     // of the SIMT loops; -1: not known
	affine  []bool      // whether their bounds are
	walks   []*loop.For // around the interval in hand
	body    []loop.Stmt // of the innermost loop of the SIMT space
	// accesses decides which elements overlap, pairs caches the answers.
	accesses *depend.Accesses
	pairs    map[pair]bool
}

// overrides checks that every overridden variable is one of the kernel's loops.
func (p *planner) overrides() error {
	names := make(map[string]bool)
	loops([]loop.Stmt{p.kernel.Loop}, func(l *loop.For) { names[l.Var.Name] = true })
	for _, n := range slices.Sorted(maps.Keys(p.opt.Override)) {
		if !names[n] {
			return errorf(p.kernel.At, "tile size for %s, which is no loop of the kernel", n)
		}
		if size := p.opt.Override[n]; size < 1 || size > maxTile {
			return errorf(p.kernel.At, "tile size %d for %s, not in 1..%d", size, n, maxTile)
		}
	}
	return nil
}

// loops calls f on each loop of the statements, outer ones first.
func loops(list []loop.Stmt, f func(*loop.For)) {
	for _, s := range list {
		switch s := s.(type) {
		case *loop.For:
			f(s)
			loops(s.Body, f)
		case *loop.If:
			loops(s.Then, f)
			loops(s.Else, f)
		case *loop.Block:
			loops(s.Body, f)
		}
	}
}

// fresh is a new induction-like variable of v's type.
func (p *planner) fresh(v *loop.Var, suffix string) *loop.Var {
	n := &loop.Var{Name: v.Name + suffix, Type: v.Type, Kind: loop.Induction, ID: p.nextVar, At: v.At}
	p.nextVar++
	return n
}

// make fills the plan in.
func (p *planner) make(f *loop.Func) error {
	host := p.host(f)
	if err := p.dims(host); err != nil {
		return err
	}
	p.facts(host)
	if bad := p.analysable(); bad != nil {
		p.compatible(bad)
		return nil
	}
	return p.search(host)
}

// compatible gives the plan of a kernel without separate phases.
func (p *planner) compatible(why *loop.Error) {
	p.plan.Compatible = why
	for i := range p.plan.Dims {
		p.plan.Dims[i].Per = 1
	}
	p.plan.Body = []Node{&Interval{Stmts: p.body}}
	p.plan.Bytes = 0
}

// analysable finds the first bound, subscript or extent that is not affine.
func (p *planner) analysable() *loop.Error {
	var bad *loop.Error
	loops(p.body, func(l *loop.For) {
		b, err := spanOf(l)
		if err != nil && bad == nil {
			bad = err
		}
		p.spans[l] = b
	})
	if bad != nil {
		return bad
	}
	c := &collector{spans: p.spans}
	c.stmts(p.body)
	if c.err != nil {
		return c.err
	}
	for _, a := range c.list {
		if _, ok := p.ext[a.ref.Array]; ok {
			continue
		}
		x, bad := extents(p.kernel, a.ref.Array)
		switch {
		case bad != nil:
			return errorf(a.ref.At, "the extent %s of %s is not an affine expression of parameters", loop.ExprString(bad), a.ref.Array.Name)
		case x == nil:
			return errorf(a.ref.At, "%s has no extent", a.ref.Array.Name)
		}
		p.ext[a.ref.Array] = x
	}
	return nil
}

// host is the scope of the parameters and of the host loops around the kernel.
func (p *planner) host(f *loop.Func) *scope {
	var s *scope
	for _, q := range f.Params {
		if q.Var == nil || !q.Var.Type.IsSigned() {
			continue
		}
		n := scope{v: q.Var, fixed: true}
		if v, ok := p.opt.Scalars[q.Var.Name]; ok {
			n.low = []loop.Linear{{Const: v}}
			n.high = n.low
		}
		s = s.with(n)
	}
	for _, l := range p.around(f.Body) {
		n := scope{v: l.Var, fixed: true}
		if b, err := spanOf(l); err == nil {
			n.low, n.high = ends(l, []loop.Linear{b.first}, []loop.Linear{b.last})
		}
		s = s.with(n)
	}
	return s
}

// around lists the host loops around the kernel, outermost first.
func (p *planner) around(list []loop.Stmt) []*loop.For {
	var find func(list []loop.Stmt, path []*loop.For) []*loop.For
	find = func(list []loop.Stmt, path []*loop.For) []*loop.For {
		for _, s := range list {
			var out []*loop.For
			switch s := s.(type) {
			case *loop.Nest:
				if s == p.kernel {
					return path
				}
			case *loop.For:
				out = find(s.Body, append(slices.Clone(path), s))
			case *loop.If:
				if out = find(s.Then, path); out == nil {
					out = find(s.Else, path)
				}
			case *loop.Block:
				out = find(s.Body, path)
			case *loop.Data:
				out = find(s.Body, path)
			}
			if out != nil {
				return out
			}
		}
		return nil
	}
	return find(list, []*loop.For{})
}
