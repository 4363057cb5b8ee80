package scheme

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/tile"
	"github.com/warpbound/warpbound/internal/verify/deviceexec"
)

const refusedText = `void f(const float A[restrict 64][64], float B[restrict 64][64], float s[restrict 64])
{
#pragma omp target teams distribute parallel for num_teams(2) num_threads(8) map(to: A[0:64][0:64]) map(tofrom: B[0:64][0:64], s[0:64])
    for (int i = 0; i < 60; i++) {
        for (int j = 0; j < 64; j++) {
            for (int k = 0; k < 64; k += 2) {
                B[i][j] += A[i][k] * A[k][j];
            }
        }
        if (A[i][3] > 2.0f) {
            s[i] = A[i][i];
        }
    }
}
`

// intervals lists those of a plan.
func intervals(list []tile.Node) []*tile.Interval {
	var out []*tile.Interval
	for _, n := range list {
		switch n := n.(type) {
		case *tile.Interval:
			out = append(out, n)
		case *tile.Walk:
			out = append(out, intervals(n.Body)...)
		}
	}
	return out
}

// A plan that does not fit the kernel is an error at the source, not a kernel.
func TestWrongPlansAreRefused(t *testing.T) {
	// At 700 bytes j is walked and k tiled.
	for _, c := range []struct {
		name string
		s    device.Scheme
		spm  int64
		harm func(p *tile.Plan)
		want string
	}{
		{"other kernel", device.CMPT, 700, func(p *tile.Plan) { p.Kernel = new(loop.Nest) }, "f.c:3:9: the plan is that of another kernel"},
		{"no teams", device.CMPT, 700, func(p *tile.Plan) { p.Teams = 0 }, "launch of 0 teams"},
		{"many threads", device.Base, 700, func(p *tile.Plan) { p.Threads = 1 << 20 }, "threads"},
		{"fewer threads", device.CMPT, 700, func(p *tile.Plan) { p.Threads = 4 }, "for 8 threads, the kernel for 4"},
		{"no dimension", device.CMPT, 700, func(p *tile.Plan) { p.Dims = nil }, "loops are not those"},
		{"other loop", device.CMPT, 700, func(p *tile.Plan) { p.Dims[0].Loop = new(loop.For) }, "loops are not those"},
		{"nothing a thread", device.CMPT, 700, func(p *tile.Plan) { p.Dims[0].Per = 0 }, "tile of 8 times 0 iterations of i"},
		{"two a thread", device.CMPT, 700, func(p *tile.Plan) { p.Dims[0].Per = 2 }, "cuts the body"},
		{"two a thread in a walk", device.CMPT, 700, func(p *tile.Plan) { p.Dims[0].Per, p.Body = 2, p.Body[:1] }, "walks j in tiles of several"},
		{"unknown node", device.CMPT, 700, func(p *tile.Plan) { p.Body[0] = nil }, "node of an unknown kind"},
		{"walk without bound", device.CMPT, 700, func(p *tile.Plan) { p.Body[0].(*tile.Walk).Lo = nil }, "no bound of j_first"},
		{"empty tile", device.CMPT, 700, func(p *tile.Plan) { intervals(p.Body)[0].Tile.Count = 0 }, "tiles k by 0"},
		{"huge tile", device.CMPT, 700, func(p *tile.Plan) { intervals(p.Body)[0].Tile.Count = 1 << 40 }, "tile of 1099511627776 iterations of k"},
		{"uneven stride", device.CMPT, 700, func(p *tile.Plan) { intervals(p.Body)[0].Tile.Lo[0].Const-- }, "tiles k by 2 from bounds that differ"},
		{"bound of a thread", device.CMPT, 700, func(p *tile.Plan) {
			w := p.Body[0].(*tile.Walk)
			w.Hi[0] = loop.Of(p.Dims[0].Loop.Var)
		}, "bounds a tile by i, which differs between threads"},
		{"stray origin", device.SDMA, 700, func(p *tile.Plan) {
			intervals(p.Body)[0].Boxes[0].Dims[0].Lo = loop.Of(&loop.Var{Name: "stray", ID: 1 << 20})
		}, "stray is used outside"},
		{"stray walk", device.SDMA, 700, func(p *tile.Plan) { p.Body = []tile.Node{intervals(p.Body)[0]} }, "j is used outside"},
		{"no box", device.SDMA, 700, func(p *tile.Plan) { intervals(p.Body)[0].Boxes[0].Refs = nil }, "no box for the access"},
		{"two boxes", device.SDMA, 700, func(p *tile.Plan) {
			b := intervals(p.Body)[0].Boxes
			b[0].Refs = append(b[0].Refs, b[1].Refs[0])
		}, "into two boxes"},
		{"other array", device.SDMA, 700, func(p *tile.Plan) {
			b := intervals(p.Body)[0].Boxes
			b[0].Refs, b[1].Refs = b[1].Refs, b[0].Refs
		}, "into a box of"},
		{"rank", device.SDMA, 700, func(p *tile.Plan) {
			b := intervals(p.Body)[0].Boxes[0]
			b.Dims = b.Dims[:1]
		}, "has 1 dimensions"},
		{"no elements", device.SDMA, 700, func(p *tile.Plan) { intervals(p.Body)[0].Boxes[0].Dims[0].Count = 0 }, "0 elements of stride"},
		{"stride", device.SDMA, 700, func(p *tile.Plan) { intervals(p.Body)[0].Boxes[0].Dims[0].Step = 3 }, "no multiple of 3"},
		{"not loaded", device.SDMA, 700, func(p *tile.Plan) { intervals(p.Body)[0].Boxes[0].Read = false }, "does not load"},
		{"not stored", device.SDMA, 700, func(p *tile.Plan) {
			for _, b := range intervals(p.Body)[0].Boxes {
				b.Written = false
			}
		}, "does not store B[i][j]"},
		{"not loaded by stripping", device.DAE, 700, func(p *tile.Plan) { intervals(p.Body)[0].Boxes[0].Read = false }, "does not load"},
		{"no marks", device.SDMA, 48 << 10, func(p *tile.Plan) { marked(p).Mask = -1 }, "marks no stores to s"},
		{"no marks where stripped", device.DAE, 48 << 10, func(p *tile.Plan) { marked(p).Mask = -1 }, "marks no stores to s"},
		{"outside", device.SDMA, 700, func(p *tile.Plan) { p.SPMBytes = 100 }, "of a scratchpad of 100"},
		{"unaligned", device.SDMA, 700, func(p *tile.Plan) { intervals(p.Body)[0].Boxes[0].Offset += 2 }, "at byte 2 of"},
		{"overlap", device.SDMA, 700, func(p *tile.Plan) { intervals(p.Body)[0].Boxes[1].Offset = 4 }, "the plan places sA on sB"},
		{"after itself", device.SDMA, 700, func(p *tile.Plan) {
			b := intervals(p.Body)[0].Boxes[1]
			b.After = []*tile.Box{b}
		}, "from a box that does not hold them"},
		{"unknown scheme", 9, 700, func(p *tile.Plan) {}, "scheme 9"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := parse(t, "f.c", refusedText, nil)
			f := p.Funcs[0]
			k := f.Kernels()[0]
			plan, err := tile.Make(p, f, k, tile.Options{SPMBytes: c.spm})
			if err != nil {
				t.Fatal(err)
			}
			c.harm(plan)
			d, err := Generate(p, f, k, 0, plan, c.s)
			var e *loop.Error
			if d != nil || !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) || e.Pos.Line == 0 {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// marked is the box that has marks.
func marked(p *tile.Plan) *tile.Box {
	for _, n := range intervals(p.Body) {
		for _, b := range n.Boxes {
			if b.Mask >= 0 {
				return b
			}
		}
	}
	return nil
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name, loops, want string
		s                 device.Scheme
		plan              bool
	}{
		{"no plan", "for (int i = 0; i < 8; i++) { y[i] = 1; }", "scheme sdma without a plan", device.SDMA, false},
		{"clauses", "for (int i = 0; i < 8; i++) { y[i] = 1; }", "num_teams is not constant", device.Base, false},
		{"space", "for (int i = 0; i < 100000; i++) { for (int j = 0; j < 100000; j++) { y[j] = 1; } }", "2^31 iterations", device.Base, true},
		{"end of int", "for (int i = 2147483600; i < 2147483647; i++) { y[i - 2147483600] = 1; }", "leaves the range of int", device.CMPT, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			collapse := ""
			if strings.Contains(c.loops, "int j") {
				collapse = "collapse(2)"
			}
			p := parse(t, "f.c", "void f(int y[restrict 100000])\n{\n#pragma omp target teams distribute parallel for "+collapse+
				" map(tofrom: y[0:100000])\n"+c.loops+"\n}\n", nil)
			f := p.Funcs[0]
			k := f.Kernels()[0]
			var plan *tile.Plan
			if c.plan {
				var err error
				if plan, err = tile.Make(p, f, k, tile.Options{SPMBytes: 4096}); err != nil {
					t.Fatal(err)
				}
			}
			_, err := Generate(p, f, k, 0, plan, c.s)
			var e *loop.Error
			if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// The number of iterations of a collapsed space may exceed an int where its bounds
// are parameters.
func TestLargeSymbolicSpace(t *testing.T) {
	const text = `void f(int n, int m, float y[restrict 8])
{
  for (int k = 0; k < 9; k++) {
#pragma omp target teams distribute parallel for collapse(2) num_teams(2) num_threads(8) firstprivate(n, m, k) map(tofrom: y[0:8])
    for (int i = %s; i < %s; i++) {
      for (int j = 0; j < %s; j++) {
        y[j] = 1.0f;
      }
    }
  }
}
`
	for _, c := range []struct {
		lo, hi, other string
		want          loop.Type
	}{{"0", "n", "m", loop.Long}, {"k", "9", "8 - k", loop.Int}, {"k", "n", "4", loop.Long}, {"k", "60000", "40000 - k", loop.Long}} {
		p := parse(t, "f.c", fmt.Sprintf(text, c.lo, c.hi, c.other), nil)
		f := p.Funcs[0]
		d, err := Generate(p, f, f.Kernels()[0], 0, nil, device.Base)
		if err != nil {
			t.Fatal(err)
		}
		if err := device.Check(d); err != nil {
			t.Fatal(err, deviceexec.Print(d))
		}
		got := loop.NoType
		device.WalkStmts(d.Body, func(s device.Stmt) {
			if s, ok := s.(*device.For); ok && got == loop.NoType {
				got = s.Var.Type
			}
		})
		if got != c.want {
			t.Errorf("i from %s to %s: iterations are counted in %s, want %s\n%s", c.lo, c.hi, got, c.want, deviceexec.Print(d))
		}
	}
}
