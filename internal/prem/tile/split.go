package tile

import (
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

// splitter cuts a statement list into nodes: as many statements to an interval as
// fit, loops that do not fit tiled.
type splitter struct {
	p     *planner
	s     *scope
	sure  bool
	nodes []Node
	run   []loop.Stmt
	fp    *footprint // of run
}

// split cuts statements that do not fit together. Sure says that every thread of
// the tile executes them.
func (p *planner) split(list []loop.Stmt, s *scope, sure bool) ([]Node, *failure) {
	c := splitter{p: p, s: s, sure: sure}
	if f := c.stmts(list); f != nil {
		return nil, f
	}
	c.flush()
	return c.nodes, nil
}

func (c *splitter) flush() {
	if len(c.run) > 0 {
		c.nodes = append(c.nodes, c.p.interval(c.run, nil, c.fp))
	}
	c.run, c.fp = nil, nil
}

func (c *splitter) stmts(list []loop.Stmt) *failure {
	for _, st := range list {
		if f := c.stmt(st); f != nil {
			return f
		}
	}
	return nil
}

func (c *splitter) stmt(st loop.Stmt) *failure {
	p := c.p
	var fp *footprint
	if !p.pinned([]loop.Stmt{st}) {
		if len(c.run) > 0 {
			both := append(slices.Clone(c.run), st)
			if f := p.whole(both, c.s, c.sure); p.try(both[0].Position(), statements, int64(len(both)), f) {
				c.run, c.fp = both, f
				return nil
			}
		}
		fp = p.whole([]loop.Stmt{st}, c.s, c.sure)
		if p.try(st.Position(), statements, 1, fp) {
			c.flush()
			c.run, c.fp = []loop.Stmt{st}, fp
			return nil
		}
	}
	switch st := st.(type) {
	case *loop.Block:
		return c.stmts(st.Body)
	case *loop.For:
		c.flush()
		n, f := p.tile(st, c.s, c.sure)
		if f != nil {
			return f
		}
		c.nodes = append(c.nodes, n)
		return nil
	}
	var first *loop.For
	loops([]loop.Stmt{st}, func(l *loop.For) {
		if first == nil {
			first = l
		}
	})
	if first != nil {
		return &failure{errorf(first.At, "the loop over %s would have to be tiled, but it stands under a condition", first.Var.Name), true}
	}
	return p.short(st.Position(), "one statement", fp)
}

// tile cuts a loop that does not fit whole.
func (p *planner) tile(l *loop.For, s *scope, sure bool) (Node, *failure) {
	b := p.spans[l]
	name := l.Var.Name
	if abs(l.Step) != 1 && !s.isFixed(b.first) {
		return nil, &failure{errorf(l.Lo.Position(),
			"the loop over %s has to be tiled, but its first value %s differs from thread to thread and its step is %d",
			name, loop.ExprString(l.Lo), l.Step), true}
	}
	lo, hi := common(s, l, b)
	if len(lo) == 0 || len(hi) == 0 {
		return nil, &failure{errorf(l.At, "the bounds of the loop over %s over all threads are not known", name), true}
	}
	pinned := p.pinned(l.Body)
	sub := false
	loops(l.Body, func(*loop.For) { sub = true })
	t := &TileLoop{Loop: l, Origin: p.fresh(l.Var, "_tile"), Lo: lo, Hi: hi}
	count, given := p.opt.Override[name]
	if !given {
		count = 1
	}
	if given && count > 1 && pinned {
		return nil, &failure{errorf(l.At, "a tile of %d iterations of the loop over %s cannot hold tiles of a loop inside it", count, name), false}
	}
	var fp *footprint
	fits := false
	if !pinned {
		fp = p.part(l, t.Origin, count, s, sure)
		fits = p.try(l.At, name, count, fp)
	}
	what := fmt.Sprintf("a tile of %d iterations of the loop over %s", count, name)
	switch {
	case fits && !given:
		count, fp = p.largest(l, t, s, sure, fp)
	case fits:
	case given && count > 1:
		return nil, p.tooLarge(l.At, what, fp)
	case sub:
		p.note(l.At, name, 1, "the loop over %s is walked one iteration at a time, its body divided further", name)
		w := &Walk{Loop: l, Lo: lo, Hi: hi}
		var f *failure
		p.walks = append(p.walks, l)
		w.Body, f = p.split(l.Body, origin(s, l, l.Var, 1, b), sure && uniform(s, b))
		p.walks = p.walks[:len(p.walks)-1]
		if f != nil {
			return nil, f
		}
		return w, nil
	default:
		return nil, p.short(l.At, what, fp)
	}
	t.Count = count
	return p.interval([]loop.Stmt{l}, t, fp), nil
}

// largest finds the largest tile of a loop of which one iteration fits.
func (p *planner) largest(l *loop.For, t *TileLoop, s *scope, sure bool, fp *footprint) (int64, *footprint) {
	most := int64(maxTile)
	for _, lo := range t.Lo {
		for _, hi := range t.Hi {
			if last, ok := hi.Add(loop.Linear{Const: past(l)}); ok {
				if n, ok := trips(s, l, span{first: lo, last: last}); ok {
					most = min(most, max(n, 1))
				}
			}
		}
	}
	lo, hi := int64(1), most+1
	for lo+1 < hi {
		mid := lo + (hi-lo)/2
		if f := p.part(l, t.Origin, mid, s, sure); p.try(l.At, l.Var.Name, mid, f) {
			lo, fp = mid, f
		} else {
			hi = mid
		}
	}
	return lo, fp
}
