package depend

import (
	"math"
	"slices"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

// Instance is one execution of an access in a System: the variables of the loops
// around the access are unknowns of its own there, all others (parameters,
// variables of loops around the kernel, what the caller brings along) are shared.
type Instance struct {
	own map[*loop.Var]*loop.Var
}

// Of gives l, a form over the program's variables, for this execution. A loop
// variable that is not in scope at the access stands for itself.
func (in Instance) Of(l loop.Linear) loop.Linear {
	out := loop.Linear{Const: l.Const, Terms: slices.Clone(l.Terms)}
	for i, t := range out.Terms {
		if v, ok := in.own[t.Var]; ok {
			out.Terms[i].Var = v
		}
	}
	slices.SortFunc(out.Terms, func(x, y loop.Term) int { return x.Var.ID - y.Var.ID })
	return out
}

// system is what holds around the kernel.
func (a *Accesses) system() *System {
	s := &System{fresh: a.fresh}
	outside := Instance{}
	for _, n := range a.host {
		s.iterate(n, n.loop.Var, outside)
	}
	s.demand(a.guard, outside)
	return s
}

// instance adds an execution of acc to the system.
func (s *System) instance(acc *access) Instance {
	in := Instance{own: make(map[*loop.Var]*loop.Var, len(acc.loops))}
	for _, n := range acc.loops {
		v := s.Fresh(n.loop.Var.Name)
		s.iterate(n, v, in)
		in.own[n.loop.Var] = v
	}
	s.demand(acc.guard, in)
	return in
}

// iterate demands that v is a value of the loop's variable: lo + step*n with n >= 0
// that is within the bound.
func (s *System) iterate(n *nest, v *loop.Var, in Instance) {
	s.relaxed = s.relaxed || !n.exact
	x := loop.Of(v)
	step := n.loop.Step
	if n.knowLo {
		lo := in.Of(n.lo)
		switch step {
		case 1:
			s.AtMost(lo, x)
		case -1:
			s.AtMost(x, lo)
		default:
			count := loop.Of(s.Fresh("count"))
			s.NonNegative(count)
			if d, ok := count.Scale(step); !ok {
				s.relaxed = true
			} else if d, ok = d.Add(lo); !ok {
				s.relaxed = true
			} else {
				s.Equal(x, d)
			}
		}
	}
	if n.knowHi {
		hi := in.Of(n.hi)
		switch n.loop.Cmp {
		case loop.Lt:
			s.Less(x, hi)
		case loop.Le:
			s.AtMost(x, hi)
		case loop.Gt:
			s.Less(hi, x)
		case loop.Ge:
			s.AtMost(hi, x)
		}
	}
}

// demand adds conditions.
func (s *System) demand(conditions []formula, in Instance) {
	for _, f := range conditions {
		s.relaxed = s.relaxed || !f.exact
		var c choice
		for _, rows := range f.any {
			var out []row
			for _, r := range rows {
				out = append(out, row{in.Of(r.form), r.eq})
			}
			c = append(c, out)
		}
		if len(c) == 1 {
			s.rows = append(s.rows, c[0]...)
		} else {
			s.choices = append(s.choices, c)
		}
	}
}

// sameElement demands that both executions name one element. Subscripts that are
// not affine demand nothing.
func (s *System) sameElement(x, y *access, ix, iy Instance) {
	for d := range min(len(x.subs), len(y.subs)) {
		if !x.subs[d].affine || !y.subs[d].affine {
			s.relaxed = true
			continue
		}
		s.Equal(ix.Of(x.subs[d].form), iy.Of(y.subs[d].form))
	}
}

// overlaps decides whether two executions can name one element, given the system
// they stand in. An access outside its array has no meaning in C, and a parameter
// has the range of its type; what follows from that is asked for only where the rest
// does not exclude the element, so that most questions stay small. It extends s.
func (s *System) overlaps(x, y *access, ix, iy Instance) (verdict, Point) {
	if v, _ := s.solve(); v == empty {
		return empty, nil
	}
	s.inside(x, ix)
	s.inside(y, iy)
	s.inRange()
	return s.solve()
}

// inside demands that an execution names an element of its array.
func (s *System) inside(x *access, in Instance) {
	for d, sub := range x.subs {
		if !sub.affine {
			continue
		}
		form := in.Of(sub.form)
		s.NonNegative(form)
		extent := x.node.Array.Extents[d]
		if extent == nil {
			continue
		}
		if e, ok := loop.Affine(extent); ok {
			s.Less(form, e)
		} else {
			s.relaxed = true
		}
	}
}

// inRange demands of the unknowns that are variables of type Int that they have
// values of that type.
func (s *System) inRange() {
	var ints []*loop.Var
	see := func(rows []row) {
		for _, r := range rows {
			for _, t := range r.form.Terms {
				if t.Var.Type == loop.Int && !slices.Contains(ints, t.Var) {
					ints = append(ints, t.Var)
				}
			}
		}
	}
	see(s.rows)
	for _, c := range s.choices {
		for _, rows := range c {
			see(rows)
		}
	}
	for _, v := range ints {
		s.AtMost(loop.Linear{Const: math.MinInt32}, loop.Of(v))
		s.AtMost(loop.Of(v), loop.Linear{Const: math.MaxInt32})
	}
}

// MayOverlap reports whether an execution of x and one of y, in the same iteration
// of the SIMT loops or in two, may touch one element; false is a proof that none
// does, as long as no access leaves its array. extra, where it is not nil, adds
// what the caller knows of the two executions. x and y may be one node. Nodes of
// different arrays never overlap, and nothing is excluded of nodes that are not in
// the kernel.
func (a *Accesses) MayOverlap(x, y *loop.Index, extra func(s *System, x, y Instance)) bool {
	if x.Array != y.Array {
		return false
	}
	if len(a.byNode[x]) == 0 || len(a.byNode[y]) == 0 {
		return true
	}
	for _, ax := range a.byNode[x] {
		for _, ay := range a.byNode[y] {
			s := a.system()
			ix, iy := s.instance(ax), s.instance(ay)
			s.sameElement(ax, ay, ix, iy)
			if extra != nil {
				extra(s, ix, iy)
			}
			if v, _ := s.overlaps(ax, ay, ix, iy); v != empty {
				return true
			}
		}
	}
	return false
}

// given are the unknowns that stand for one value throughout the kernel, in the
// order of their numbers.
func (s *System) given() []*loop.Var {
	var out []*loop.Var
	for _, r := range s.rows {
		for _, t := range r.form.Terms {
			if v := t.Var; (v.ID >= 0 || v.Kind == loop.Parameter) && !slices.Contains(out, v) {
				out = append(out, v)
			}
		}
	}
	slices.SortFunc(out, func(x, y *loop.Var) int { return x.ID - y.ID })
	return out
}
