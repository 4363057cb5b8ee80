package tile_test

import (
	"fmt"
	"testing"

	"github.com/warpbound/warpbound/examples/prem"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/tile"
)

// hosts calls f for some values of the loops around a kernel.
func hosts(o *oracle, list []loop.Stmt, k *loop.Nest, f func()) {
	most := 4
	if o.sample {
		most = 2
	}
	for _, s := range list {
		switch s := s.(type) {
		case *loop.For:
			var values []int64
			for v, hi := o.must(s.Lo), o.must(s.Hi); allows(s.Cmp, v, hi); v += s.Step {
				values = append(values, v)
			}
			if n := len(values); n > most {
				values = []int64{values[n/2], values[n-1], values[0], values[1]}[:most]
			}
			for _, v := range values {
				o.env.set(s.Var, v)
				hosts(o, s.Body, k, f)
			}
			o.env.drop(s.Var)
		case *loop.Block:
			hosts(o, s.Body, k, f)
		case *loop.Data:
			hosts(o, s.Body, k, f)
		case *loop.Nest:
			if s == k {
				f()
			}
		}
	}
}

// capacity checks offsets, sizes and the plan's total.
func capacity(p *tile.Plan) error {
	var err error
	var visit func(nodes []tile.Node)
	visit = func(nodes []tile.Node) {
		for _, n := range nodes {
			switch n := n.(type) {
			case *tile.Walk:
				visit(n.Body)
			case *tile.Interval:
				var used [][2]int64
				place := func(at, size int64) {
					if at < 0 || at%16 != 0 || at+size > n.Bytes {
						err = fmt.Errorf("%d bytes at %d of an interval of %d", size, at, n.Bytes)
					}
					for _, u := range used {
						if at < u[1] && u[0] < at+size {
							err = fmt.Errorf("%d bytes at %d overlap others", size, at)
						}
					}
					used = append(used, [2]int64{at, at + size})
				}
				for _, b := range n.Boxes {
					count := int64(1)
					for _, d := range b.Dims {
						count *= d.Count
					}
					if b.Bytes != count*b.Array.Elem.Size() {
						err = fmt.Errorf("box of %s: %d elements in %d bytes", b.Array.Name, count, b.Bytes)
					}
					place(b.Offset, b.Bytes)
					if (b.Mask >= 0) != (b.Written && !b.Exact) {
						err = fmt.Errorf("box of %s: marks at %d", b.Array.Name, b.Mask)
					}
					if b.Mask >= 0 {
						place(b.Mask, 4*count)
					}
				}
				if n.Bytes > p.Bytes {
					err = fmt.Errorf("interval of %d bytes in a plan of %d", n.Bytes, p.Bytes)
				}
				if p.Reduce >= 0 && n.Bytes > p.Reduce {
					err = fmt.Errorf("interval of %d bytes reaches into the reductions at %d", n.Bytes, p.Reduce)
				}
			}
		}
	}
	visit(p.Body)
	if p.Bytes > p.SPMBytes {
		err = fmt.Errorf("plan of %d bytes for %d", p.Bytes, p.SPMBytes)
	}
	if n := int64(len(p.Kernel.Reductions)); n > 0 && p.Reduce+8*p.Threads > p.Bytes {
		err = fmt.Errorf("reductions of %d threads at %d of %d", p.Threads, p.Reduce, p.Bytes)
	}
	return err
}

// bodyOf is the body of the innermost loop of the SIMT space.
func bodyOf(k *loop.Nest) []loop.Stmt {
	body := k.Loop.Body
	for range k.Collapse - 1 {
		for {
			if b, ok := body[0].(*loop.Block); ok {
				body = b.Body
				continue
			}
			break
		}
		body = body[0].(*loop.For).Body
	}
	return body
}

// check plans a kernel and puts the plan to the oracle; a refusal is returned.
func check(t *testing.T, p *loop.Unit, f *loop.Func, k *loop.Nest, opt tile.Options, scalars map[*loop.Var]int64, sample bool) (*tile.Plan, error) {
	t.Helper()
	pl, err := tile.Make(p, f, k, opt)
	if err != nil {
		return nil, err
	}
	if pl.Compatible != nil {
		return pl, nil
	}
	if err := capacity(pl); err != nil {
		t.Fatalf("%v\n%s", err, listing(pl))
	}
	o := &oracle{plan: pl, sample: sample, body: bodyOf(k)}
	for v, n := range scalars {
		o.env.set(v, n)
	}
	hosts(o, f.Body, k, func() {
		err := o.run(func(q, n int64) bool { return !sample || q == 0 || q == n-1 })
		if err != nil {
			t.Fatalf("%v\n%s", err, listing(pl))
		}
	})
	if o.accesses == 0 {
		t.Fatal("nothing was executed")
	}
	return pl, nil
}

// TestExamplesAreCoveredByTheirPlans puts every kernel of the example programs,
// small and large, to the oracle for several scratchpads.
func TestExamplesAreCoveredByTheirPlans(t *testing.T) {
	for _, x := range prem.All() {
		t.Run(x.Name, func(t *testing.T) {
			for _, size := range []string{"", "510"} {
				defines := map[string]string{}
				if size != "" {
					defines = sizes(size)
				}
				p := example(t, x.Name, defines)
				for _, f := range p.Funcs {
					for n, k := range f.Kernels() {
						last := ""
						for _, spm := range []int64{48 << 10, 16 << 10, 4 << 10, 1 << 10} {
							// The plan of a smaller scratchpad is often that of a larger one.
							if pl, err := tile.Make(p, f, k, tile.Options{SPMBytes: spm}); err == nil {
								if s := listing(pl); s == last && pl.Bytes <= spm {
									continue
								} else {
									last = s
								}
							}
							t.Run(fmt.Sprintf("%d/%s/%d", n, size, spm), func(t *testing.T) {
								if _, err := check(t, p, f, k, tile.Options{SPMBytes: spm}, nil, size != ""); err != nil {
									t.Log(err)
								}
							})
						}
					}
				}
			}
		})
	}
}
