package tile_test

import (
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/tile"
)

// TestOracleRejectsWrongPlans spoils one thing of a right plan at a time: the
// oracle has to notice each.
func TestOracleRejectsWrongPlans(t *testing.T) {
	at := func(nodes []tile.Node, i int) *tile.Interval { return nodes[i].(*tile.Interval) }
	shift := func(l loop.Linear, k int64) loop.Linear { l.Const += k; return l }
	for _, c := range []struct {
		name, program string // at its own size, or at the size after a comma
		kernel        int
		spm           int64
		spoil         func(p *tile.Plan)
	}{
		{"nothing", "gemm", 0, 1 << 10, nil},
		{"a box one element short", "gemm", 0, 1 << 10, func(p *tile.Plan) { at(p.Body, 1).Boxes[1].Dims[1].Count-- }},
		{"a box one element off", "gemm", 0, 1 << 10, func(p *tile.Plan) {
			d := &at(p.Body, 1).Boxes[2].Dims[0]
			d.Lo = shift(d.Lo, 1)
		}},
		{"a box that ends too early", "gemm", 0, 1 << 10, func(p *tile.Plan) {
			d := &at(p.Body, 1).Boxes[2].Dims[0]
			d.End = append(d.End, shift(d.Lo, 1))
		}},
		{"a box that begins too late", "gemm", 0, 1 << 10, func(p *tile.Plan) {
			d := &at(p.Body, 1).Boxes[2].Dims[0]
			d.Begin = append(d.Begin, shift(d.Lo, 1))
		}},
		{"a box beyond its array", "conv2d", 0, 48 << 10, func(p *tile.Plan) { at(p.Body, 0).Boxes[1].Dims[0].End = nil }},
		{"a larger exact box", "jacobi2d", 0, 48 << 10, func(p *tile.Plan) { at(p.Body, 0).Boxes[1].Dims[1].Count++ }},
		{"an exact box of marked elements", "corr", 3, 48 << 10, func(p *tile.Plan) {
			for _, b := range at(p.Body, 0).Boxes {
				b.Exact = true
			}
		}},
		{"a reference without a box", "gemm", 0, 1 << 10, func(p *tile.Plan) { at(p.Body, 1).Boxes[2].Refs = nil }},
		{"a box that is not read", "gemm", 0, 1 << 10, func(p *tile.Plan) { at(p.Body, 1).Boxes[2].Read = false }},
		{"tiles that overlap", "gemm", 0, 1 << 10, func(p *tile.Plan) { p.Dims[1].Threads-- }},
		{"tiles that skip iterations", "conv2d", 0, 48 << 10, func(p *tile.Plan) { p.Dims[0].Per-- }},
		{"a tiled loop that ends too early", "gemm", 0, 1 << 10, func(p *tile.Plan) {
			hi := at(p.Body, 1).Tile.Hi
			hi[0] = shift(hi[0], -6)
		}},
		{"a walk that begins too late", "trisolv", 0, 1 << 10, func(p *tile.Plan) {
			lo := p.Body[0].(*tile.Walk).Lo
			lo[0] = shift(lo[0], 1)
		}},
		{"an interval too many", "gemm", 0, 1 << 10, func(p *tile.Plan) { p.Body = append(p.Body, p.Body[0]) }},
		{"intervals out of order", "gemm", 0, 1 << 10, func(p *tile.Plan) { p.Body[0], p.Body[1] = p.Body[1], p.Body[0] }},
		{"elements loaded twice", "syrk,40", 0, 4 << 10, func(p *tile.Plan) {
			for _, n := range p.Body {
				clearAfter(n)
			}
		}},
		{"a written element in two boxes", "adi", 0, 48 << 10, func(p *tile.Plan) {
			n := at(p.Body, 0)
			for _, b := range n.Boxes {
				if b.Array.Name == "P" {
					twin := *b
					twin.Refs, b.Refs = b.Refs[:1], b.Refs[1:]
					n.Boxes = append(n.Boxes, &twin)
					return
				}
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			name, size, larger := strings.Cut(c.program, ",")
			p := example(t, name, nil)
			if larger {
				p = example(t, name, sizes(size))
			}
			f := p.Funcs[0]
			pl := plan(t, p, c.kernel, tile.Options{SPMBytes: c.spm})
			before := listing(pl)
			if c.spoil != nil {
				c.spoil(pl)
			}
			o := &oracle{plan: pl, body: bodyOf(pl.Kernel)}
			var err error
			hosts(o, f.Body, pl.Kernel, func() {
				o.err = nil
				if e := o.run(func(int64, int64) bool { return true }); e != nil {
					err = e
				}
			})
			switch {
			case c.spoil == nil && err != nil:
				t.Fatal(err)
			case c.spoil != nil && err == nil:
				t.Fatalf("not noticed in\n%s", before)
			}
			t.Log(err)
		})
	}
}

func clearAfter(n tile.Node) {
	switch n := n.(type) {
	case *tile.Walk:
		for _, m := range n.Body {
			clearAfter(m)
		}
	case *tile.Interval:
		for _, b := range n.Boxes {
			b.After = nil
		}
	}
}
