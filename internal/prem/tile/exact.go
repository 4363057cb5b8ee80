package tile

import "github.com/warpbound/warpbound/internal/prem/loop"

// isExact reports whether one write of r certainly covers all of its box between
// Begin and End.
func (p *planner) isExact(s *scope, r *region) bool {
	for _, a := range r.accesses {
		if a.write && a.certain && a.coversBox(s, r.dims) {
			return true
		}
	}
	return false
}

// coversBox proves that the access is executed for every element of the box: its
// subscripts are fixed or name one variable each, of which every value is
// executed together with every value of the others, and the box has no element
// outside the range so swept.
func (a access) coversBox(s *scope, dims []BoxDim) bool {
	used := make([]*loop.Var, 0, len(dims))
	for d, f := range a.subs {
		v, ok := a.sweeps(f)
		if !ok {
			return false
		}
		if v == nil {
			if dims[d].Count != 1 || !dims[d].Lo.Equal(f) {
				return false
			}
			continue
		}
		for _, u := range used {
			if u == v.v {
				return false
			}
		}
		used = append(used, v.v)
		if !v.shape.covers(s, f, v.v, dims[d]) {
			return false
		}
	}
loops:
	for _, l := range a.loops {
		for _, u := range used {
			if u == l.loop.Var {
				continue loops
			}
		}
		if !l.tiled && !runs(l.outer, l.loop, l.span) {
			return false
		}
	}
	return true
}

// sweeps is the only variable of f that is not fixed, nil where there is none,
// false where there are several or its values are not known exactly.
func (a access) sweeps(f loop.Linear) (*scope, bool) {
	var v *scope
	for _, t := range f.Terms {
		n := a.scope.find(t.Var)
		if n == nil || !n.fixed && (v != nil || n.shape == nil) {
			return nil, false
		}
		if !n.fixed {
			v = n
		}
	}
	return v, true
}

// covers proves that the values of f, as v takes those of the shape, are all of
// the dimension's between Begin and End.
func (h *shape) covers(s *scope, f loop.Linear, v *loop.Var, d BoxDim) bool {
	step, ok := (loop.Linear{Const: h.step}).Scale(f.Coef(v))
	if !ok || abs(step.Const) != d.Step {
		return false
	}
	first, ok := f.Replace(v, h.first)
	if !ok {
		return false
	}
	off, ok := minus(d.Lo, first)
	if !ok || len(off.Terms) > 0 || off.Const%d.Step != 0 {
		return false
	}
	end, ok := plus(d.Lo, (d.Count-1)*d.Step)
	if !ok {
		return false
	}
	begins, ends := append(clone(d.Begin), d.Lo), append(clone(d.End), end)
	// The box ends where v does, and begins where it does.
	inside := func(bound loop.Linear, upper bool) bool {
		if upper {
			return covers(s, bound, ends, true)
		}
		return covers(s, bound, begins, false)
	}
	if !inside(first, step.Const < 0) {
		return false
	}
	for _, l := range h.last {
		e, ok := f.Replace(v, l)
		if !ok || !inside(e, step.Const > 0) {
			return false
		}
	}
	return true
}

// prune leaves out the bounds that never cut anything off the box.
func prune(s *scope, d *BoxDim) {
	end, ok := plus(d.Lo, (d.Count-1)*d.Step)
	if !ok {
		return
	}
	d.Begin = keep(s, d.Begin, d.Lo, false)
	d.End = keep(s, d.End, end, true)
}

func keep(s *scope, forms []loop.Linear, edge loop.Linear, upper bool) []loop.Linear {
	var out []loop.Linear
	for _, f := range tightest(s, forms, upper) {
		if upper && s.atMost(edge, f) || !upper && s.atMost(f, edge) {
			continue
		}
		out = append(out, f)
	}
	return out
}

// tightest leaves out the bounds that others imply.
func tightest(s *scope, forms []loop.Linear, upper bool) []loop.Linear {
	implies := func(g, f loop.Linear) bool {
		return upper && s.atMost(g, f) || !upper && s.atMost(f, g)
	}
	var out []loop.Linear
next:
	for i, f := range forms {
		for j, g := range forms {
			if j != i && implies(g, f) && (j < i || !implies(f, g)) {
				continue next
			}
		}
		out = append(out, f)
	}
	return out
}
