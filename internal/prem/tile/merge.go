package tile

import (
	"github.com/warpbound/warpbound/internal/prem/depend"
	"github.com/warpbound/warpbound/internal/prem/loop"
)

// conflict is a pair of references of which it is not proven that they never
// touch the same element, one of them a write.
type conflict struct{ a, b *loop.Index }

// footprint is what an interval holds in the scratchpad.
type footprint struct {
	boxes []*Box
	bytes int64 // with alignment and marks; tooMuch where a box has no static size
	// largest names the box that takes the most.
	largest *Box
	unsized *loop.Index // an access with no static range
	// forced is a pair for which a box larger than theirs had to be made.
	forced *conflict
	// What the boxes are made from.
	scope *scope
	list  []access
}

// boxAlign is the alignment of boxes and marks in the scratchpad.
const boxAlign = 16

func align(n int64) int64 { return ceilDiv(n, boxAlign) * boxAlign }

// boxes gives the footprint of accesses: one region each, merged as far as they
// must be (elements that are written lie in one box only) and as far as that
// takes no more bytes. With force false, no merging is forced: the boxes are then
// no plan, but show what the forced merging costs.
func (p *planner) boxes(s *scope, list []access, force bool) *footprint {
	out := &footprint{scope: s, list: list}
	var regions []*region
	for _, a := range list {
		r, ok := single(a)
		if !ok {
			return &footprint{bytes: tooMuch, unsized: a.ref, scope: s, list: list}
		}
		if !addToEqual(regions, r) {
			regions = append(regions, r)
		}
	}
	for _, r := range regions {
		p.fit(s, r)
	}
	if force {
		regions = p.merge(s, regions, true)
	}
	regions = p.merge(s, regions, false)
	for _, r := range regions {
		if r.forced != nil && out.forced == nil {
			out.forced = r.forced
		}
		if !r.sized {
			out.bytes, out.unsized = tooMuch, r.accesses[0].ref
			return out
		}
	}
	p.layout(s, regions, out)
	return out
}

// addToEqual adds the access of r to the region with the same bounds.
func addToEqual(regions []*region, r *region) bool {
	for _, q := range regions {
		if q.array == r.array && sameSides(q.sides, r.sides) {
			q.accesses = append(q.accesses, r.accesses...)
			q.read, q.written = q.read || r.read, q.written || r.written
			return true
		}
	}
	return false
}

func sameSides(a, b []side) bool {
	same := func(x, y []loop.Linear) bool {
		if len(x) != len(y) {
			return false
		}
		for i := range x {
			if !x[i].Equal(y[i]) {
				return false
			}
		}
		return true
	}
	for d := range a {
		if a[d].stride != b[d].stride || !a[d].base.Equal(b[d].base) || !same(a[d].low, b[d].low) || !same(a[d].high, b[d].high) {
			return false
		}
	}
	return true
}

// merge joins the regions that have to share a box (must), or those that do not
// take more bytes together, in program order, until nothing changes.
func (p *planner) merge(s *scope, regions []*region, must bool) []*region {
	kept := make(map[[2]*region]bool) // pairs known to stay apart
	for i := 0; i < len(regions); i++ {
		for j := i + 1; j < len(regions); j++ {
			a, b := regions[i], regions[j]
			if a.array != b.array || kept[[2]*region{a, b}] {
				continue
			}
			h := p.join(s, a, b, must)
			if h == nil {
				kept[[2]*region{a, b}] = true
				continue
			}
			regions[i] = h
			regions = append(regions[:j], regions[j+1:]...)
			i, j = -1, len(regions)
		}
	}
	return regions
}

// join is the region around a and b, or nil where they can stay apart.
func (p *planner) join(s *scope, a, b *region, must bool) *region {
	var why *conflict
	if must {
		if why = p.conflict(s, a, b); why == nil {
			return nil
		}
	}
	h := p.hull(s, a, b)
	worth := h.sized && h.cost <= a.cost+b.cost
	switch {
	case worth:
	case !must:
		return nil
	case h.forced == nil:
		h.forced = why
	}
	return h
}

func (p *planner) conflict(s *scope, a, b *region) *conflict {
	if !a.written && !b.written || apart(s, a, b) {
		return nil
	}
	for _, x := range a.accesses {
		for _, y := range b.accesses {
			if (x.write || y.write) && !p.disjoint(s, x, y) {
				return &conflict{x.ref, y.ref}
			}
		}
	}
	return nil
}

// pair is a question about two references in a tile's walk.
type pair struct {
	a, b *loop.Index
	walk *loop.For
}

// disjoint reports whether two accesses provably never touch one element while an
// interval is executed: from their bounds there, or as a question about the whole
// kernel with the variables of the walks around the interval equal.
func (p *planner) disjoint(s *scope, x, y access) bool {
	a, ok := single(x)
	b, ok2 := single(y)
	if ok && ok2 && apart(s, a, b) {
		return true
	}
	q := pair{a: x.ref, b: y.ref}
	if n := len(p.walks); n > 0 {
		q.walk = p.walks[n-1]
	}
	known, ok := p.pairs[q]
	if !ok {
		known = !p.accesses.MayOverlap(x.ref, y.ref, func(s *depend.System, ix, iy depend.Instance) {
			for _, w := range p.walks {
				v := loop.Of(w.Var)
				s.Equal(ix.Of(v), iy.Of(v))
			}
		})
		p.pairs[q] = known
	}
	return known
}

// layout places the boxes in program order, their marks behind them; 16 bytes align
// every element.
func (p *planner) layout(s *scope, regions []*region, out *footprint) {
	for _, r := range regions {
		b := &Box{Array: r.array, Dims: r.dims, Read: r.read, Written: r.written, Exact: r.exact, Mask: -1,
			Bytes: times(r.elems, r.array.Elem.Size())}
		for _, a := range r.accesses {
			b.Refs = appendRef(b.Refs, a.ref)
		}
		for d := range b.Dims {
			prune(s, &b.Dims[d])
		}
		b.Offset = out.bytes
		if out.bytes = min(out.bytes+b.Bytes, tooMuch); out.bytes < tooMuch {
			out.bytes = align(out.bytes)
		}
		if out.largest == nil || b.Bytes > out.largest.Bytes {
			out.largest = b
		}
		out.boxes = append(out.boxes, b)
	}
	for i, b := range out.boxes {
		if b.Written && !b.Exact && out.bytes < tooMuch {
			b.Mask = out.bytes
			if out.bytes = min(out.bytes+times(regions[i].elems, loop.Int.Size()), tooMuch); out.bytes < tooMuch {
				out.bytes = align(out.bytes)
			}
		}
		if b.Written {
			continue
		}
		for j, c := range out.boxes[:i] {
			if c.Array == b.Array && !c.Written && !boxesApart(s, regions[i], regions[j]) {
				b.After = append(b.After, c)
			}
		}
	}
}

func appendRef(refs []*loop.Index, x *loop.Index) []*loop.Index {
	for _, r := range refs {
		if r == x {
			return refs
		}
	}
	return append(refs, x)
}
