package tile

import (
	"fmt"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

// maxTile bounds tile sizes where no trip count is known.
const maxTile = 1 << 20

// failure ends the search: an error, or the reason that the kernel is compatible.
type failure struct {
	err        *loop.Error
	compatible bool
}

// dims lists the loops of the SIMT space and deals the threads to them.
func (p *planner) dims(host *scope) error {
	l := p.kernel.Loop
	for d := 0; ; d++ {
		p.plan.Dims = append(p.plan.Dims, Dim{Loop: l, Origin: p.fresh(l.Var, "_tile"), Per: 1})
		b, err := spanOf(l)
		p.affine = append(p.affine, err == nil)
		p.spans[l] = b
		n := int64(-1)
		if t, ok := trips(host, l, b); ok && err == nil {
			n = t
		}
		p.trips = append(p.trips, n)
		p.body = l.Body
		if d+1 >= p.kernel.Collapse {
			break
		}
		if l = loop.OnlyFor(l.Body); l == nil {
			return errorf(p.kernel.At, "collapse(%d): the nest has %d loops", p.kernel.Collapse, d+1)
		}
	}
	rest := p.plan.Threads
	for d := len(p.plan.Dims) - 1; d > 0; d-- {
		p.plan.Dims[d].Threads = share(rest, p.trips[d])
		rest /= p.plan.Dims[d].Threads
	}
	p.plan.Dims[0].Threads = rest
	return nil
}

// warp is the number of threads whose accesses the hardware joins: a dimension
// other than the outermost gets no more of them.
const warp = 32

// share is the largest divisor of the threads that is at most a warp and less than
// twice the trip count (-1: not known).
func share(threads, trip int64) int64 {
	best := int64(1)
	for n := int64(2); n <= min(threads, warp); n++ {
		if threads%n == 0 && (trip < 0 || n < 2*trip) {
			best = n
		}
	}
	return best
}

// simt is the scope of a tile with the given number of block iterations in it.
func (p *planner) simt(host *scope, per []int64) *scope {
	s := host
	for d, dim := range p.plan.Dims {
		if p.affine[d] {
			s = origin(s, dim.Loop, dim.Origin, dim.Threads*per[d], p.spans[dim.Loop])
		} else {
			s = s.with(scope{v: dim.Origin, fixed: true})
		}
	}
	for d, dim := range p.plan.Dims {
		n := dim.Threads * per[d]
		if p.affine[d] {
			s = from(s, dim.Loop, dim.Origin, n, p.spans[dim.Loop])
			continue
		}
		o := loop.Of(dim.Origin)
		in := scope{v: dim.Loop.Var, base: o, stride: abs(dim.Loop.Step)}
		var last []loop.Linear
		if e, ok := after(dim.Origin, dim.Loop, n-1); ok {
			last = []loop.Linear{e}
		}
		in.low, in.high = ends(dim.Loop, []loop.Linear{o}, last)
		s = s.with(in)
	}
	return s
}

// search is Algorithm 2.
func (p *planner) search(host *scope) error {
	per := make([]int64, len(p.plan.Dims))
	wanted := false // a tile size is given for the SIMT space
	for d, dim := range p.plan.Dims {
		per[d] = 1
		if n, ok := p.opt.Override[dim.Loop.Var.Name]; ok {
			per[d], wanted = n, wanted || n > 1
		}
	}
	s := p.simt(host, per)
	if !p.pinned(p.body) {
		fp := p.whole(p.body, s, true)
		if p.try(p.kernel.Loop.At, blockIteration, p.block(per), fp) {
			if !wanted {
				per, fp = p.grow(host, per, fp)
			}
			for d := range per {
				p.plan.Dims[d].Per = per[d]
			}
			p.plan.Body = []Node{p.interval(p.body, nil, fp)}
			return nil
		}
		if wanted {
			return p.tooLarge(p.kernel.Loop.At, fmt.Sprintf("a tile of %d iterations", p.block(per)), fp).err
		}
	} else if wanted {
		return errorf(p.kernel.At, "tile sizes both for the loops of the SIMT space and for loops inside it")
	}
	nodes, fail := p.split(p.body, s, true)
	if fail != nil {
		if !fail.compatible {
			return fail.err
		}
		p.compatible(fail.err)
		return nil
	}
	p.plan.Body = nodes
	return nil
}

const blockIteration = "block iteration"

// block is the number of iterations in a tile of the SIMT space.
func (p *planner) block(per []int64) int64 {
	n := int64(1)
	for d, dim := range p.plan.Dims {
		n *= dim.Threads * per[d]
	}
	return n
}

// grow finds the largest tile of the SIMT space that fits. It grows along the
// innermost dimension first and the next only when that one is covered, and not
// beyond a team's share of the block iterations.
func (p *planner) grow(host *scope, per []int64, fp *footprint) ([]int64, *footprint) {
	need := make([]int64, len(per)) // block iterations that cover a dimension
	total := int64(0)               // steps of growth
	for d, dim := range p.plan.Dims {
		need[d] = maxTile
		if p.trips[d] >= 0 {
			need[d] = max(ceilDiv(p.trips[d], dim.Threads), 1)
		}
		total += need[d] - 1
	}
	at := func(n int64) []int64 {
		out := make([]int64, len(per))
		for d := len(per) - 1; d >= 0; d-- {
			g := min(n, need[d]-1)
			out[d] = 1 + g
			n -= g
		}
		return out
	}
	blocks := int64(1)
	for _, n := range need {
		blocks = times(blocks, n)
	}
	most := ceilDiv(blocks, p.plan.Teams)
	lo, hi := int64(0), total+1
	for lo+1 < hi {
		mid := lo + (hi-lo)/2
		q := at(mid)
		if n := p.block(q) / p.plan.Threads; n > most {
			hi = mid
			continue
		}
		if f := p.whole(p.body, p.simt(host, q), true); p.try(p.kernel.Loop.At, blockIteration, p.block(q), f) {
			lo, fp = mid, f
		} else {
			hi = mid
		}
	}
	return at(lo), fp
}

// whole is the footprint of statements executed whole.
func (p *planner) whole(list []loop.Stmt, s *scope, sure bool) *footprint {
	c := collector{spans: p.spans, scope: s, sure: sure}
	c.stmts(list)
	return p.boxes(s, c.list, true)
}

// part is the footprint of count iterations of l from org on.
func (p *planner) part(l *loop.For, org *loop.Var, count int64, s *scope, sure bool) *footprint {
	b := p.spans[l]
	s = origin(s, l, org, count, b)
	c := collector{spans: p.spans, scope: s, sure: sure && uniform(s, b), tiled: l}
	c.loop(l, from(s, l, org, count, b))
	return p.boxes(s, c.list, true)
}

// try records an attempt and reports whether it fits.
func (p *planner) try(at loop.Pos, name string, tried int64, fp *footprint) bool {
	fits := fp.bytes <= p.spm
	d := Decision{At: at, Loop: name, Tried: tried, Bytes: fp.bytes, Fits: fits}
	what := fmt.Sprintf("a tile of %d iterations of the loop over %s", tried, name)
	switch name {
	case blockIteration:
		what = fmt.Sprintf("a tile of %d iterations of the SIMT space", tried)
	case statements:
		what = "the statements"
		if tried > 1 {
			what = fmt.Sprintf("%d statements together", tried)
		}
	}
	switch {
	case fp.bytes >= tooMuch && fp.unsized != nil:
		d.Bytes = -1
		d.Text = fmt.Sprintf("%s: the range of %s has no static size", what, loop.ExprString(fp.unsized))
	case fits:
		d.Text = fmt.Sprintf("%s: %d bytes fit in %d", what, fp.bytes, p.spm)
	default:
		d.Text = fmt.Sprintf("%s: %d bytes do not fit in %d", what, fp.bytes, p.spm)
	}
	p.plan.Decisions = append(p.plan.Decisions, d)
	return fits
}

const statements = "statements"

func (p *planner) note(at loop.Pos, name string, tried int64, format string, args ...any) {
	p.plan.Decisions = append(p.plan.Decisions, Decision{At: at, Loop: name, Tried: tried, Fits: true, Text: fmt.Sprintf(format, args...)})
}

// short is the end of a search in which even the least piece does not fit. It is
// the kernel's separation that fails, not the scratchpad that is too small, where
// only boxes for elements that may or may not be the same are in the way.
func (p *planner) short(at loop.Pos, what string, fp *footprint) *failure {
	if fp.forced != nil && p.boxes(fp.scope, fp.list, false).bytes <= p.spm {
		a, b := fp.forced.a, fp.forced.b
		size := "has no static size"
		if fp.bytes < tooMuch {
			size = fmt.Sprintf("takes %d bytes of scratchpad with the rest of %s, of %d", fp.bytes, what, p.spm)
		}
		return &failure{errorf(a.At, "%s and %s may be one element, and a box for both %s", loop.ExprString(a), loop.ExprString(b), size), true}
	}
	if fp.unsized != nil {
		return &failure{errorf(fp.unsized.At, "the range of %s in %s has no static size", loop.ExprString(fp.unsized), what), true}
	}
	return p.tooLarge(at, what, fp)
}

func (p *planner) tooLarge(at loop.Pos, what string, fp *footprint) *failure {
	if fp.largest == nil {
		return &failure{errorf(fp.unsized.At, "the range of %s in %s has no static size", loop.ExprString(fp.unsized), what), false}
	}
	return &failure{errorf(at, "%s takes %d bytes of scratchpad, %d more than the %d there are; %s takes %d of them",
		what, fp.bytes, fp.bytes-p.spm, p.spm, fp.largest.Array.Name, fp.largest.Bytes), false}
}

// interval gives the node of a footprint that fits.
func (p *planner) interval(list []loop.Stmt, t *TileLoop, fp *footprint) Node {
	if t == nil && len(fp.boxes) == 0 {
		return &Plain{list}
	}
	p.plan.Bytes = max(p.plan.Bytes, fp.bytes)
	return &Interval{Stmts: list, Tile: t, Boxes: fp.boxes, Bytes: fp.bytes}
}

// pinned reports whether a loop in the statements has a tile size given.
func (p *planner) pinned(list []loop.Stmt) bool {
	found := false
	loops(list, func(l *loop.For) {
		if _, ok := p.opt.Override[l.Var.Name]; ok {
			found = true
		}
	})
	return found
}
