package scheme

import (
	"fmt"
	"math"
	"testing"

	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/tile"
	"github.com/warpbound/warpbound/internal/verify/deviceexec"
	"github.com/warpbound/warpbound/internal/verify/loopkit"
)

// dealer computes a kernel with reductions in the order that generated kernels
// have to keep: a thread adds its own iterations, a team its threads, the host its
// teams. It executes the source's statements; that every thread gets the
// iterations which OpenMP's static schedule or the plan gives it is its own code.
type dealer struct {
	k      *loop.Nest
	f      *loop.Frame
	plan   *tile.Plan
	base   bool
	simt   []*loop.For
	values [][]int64 // that each loop variable of the SIMT space takes
	err    error
}

func (d *dealer) run() error {
	l := d.k.Loop
	for n := range d.k.Collapse {
		if n > 0 {
			l = loop.OnlyFor(l.Body)
		}
		var vs []int64
		v, hi := d.int(l.Lo), d.int(l.Hi)
		for ; loop.Compare(l.Cmp, loop.Long, uint64(v), uint64(hi)); v += l.Step {
			vs = append(vs, v)
		}
		d.simt, d.values = append(d.simt, l), append(d.values, vs)
	}
	total := make(map[*loop.Var]uint64)
	for _, r := range d.k.Reductions {
		v, _ := d.f.Scalar(r.Var)
		total[r.Var] = v.Bits
	}
	for team := range d.plan.Teams {
		sums := make(map[*loop.Var]uint64)
		for thread := range d.plan.Threads {
			for _, r := range d.k.Reductions {
				d.f.SetScalar(r.Var, loop.Value{Type: r.Var.Type, Bits: neutral(r.Op, r.Var.Type)})
			}
			if d.base {
				d.strided(team*d.plan.Threads+thread, d.plan.Teams*d.plan.Threads)
			} else {
				d.tiles(team, thread)
			}
			for _, r := range d.k.Reductions {
				v, _ := d.f.Scalar(r.Var)
				if thread > 0 {
					v.Bits, _ = r.Op.Combine(v.Type, sums[r.Var], v.Bits)
				}
				sums[r.Var] = v.Bits
			}
		}
		for _, r := range d.k.Reductions {
			total[r.Var], _ = r.Op.Combine(r.Var.Type, total[r.Var], sums[r.Var])
		}
	}
	for _, r := range d.k.Reductions {
		d.f.SetScalar(r.Var, loop.Value{Type: r.Var.Type, Bits: total[r.Var]})
	}
	return d.err
}

// strided executes every n-th iteration of the collapsed space from the first on.
func (d *dealer) strided(first, n int64) {
	all := int64(1)
	for _, vs := range d.values {
		all *= int64(len(vs))
	}
	for i := first; i < all; i += n {
		at, rest := make([]int64, len(d.values)), i
		for j := len(at) - 1; j >= 0; j-- {
			m := int64(len(d.values[j]))
			at[j], rest = d.values[j][rest%m], rest/m
		}
		d.iteration(at)
	}
}

// tiles executes what a thread has in each tile of its team.
func (d *dealer) tiles(team, thread int64) {
	number := int64(0)
	var pick func(dim int, starts []int64)
	pick = func(dim int, starts []int64) {
		if dim < len(d.values) {
			w := d.plan.Dims[dim].Threads * d.plan.Dims[dim].Per
			for s := int64(0); s < int64(len(d.values[dim])); s += w {
				pick(dim+1, append(starts[:dim:dim], s))
			}
			return
		}
		if number%d.plan.Teams == team {
			d.tile(0, starts, thread, d.plan.Threads, nil)
		}
		number++
	}
	pick(0, nil)
}

// tile executes a thread's iterations of one tile; each is the thread's number
// among those that have the same coordinates in the dimensions before dim.
func (d *dealer) tile(dim int, starts []int64, thread, threads int64, at []int64) {
	if dim == len(starts) {
		d.iteration(at)
		return
	}
	p := d.plan.Dims[dim]
	threads /= p.Threads
	for n := range p.Per {
		i := starts[dim] + thread/threads + n*p.Threads
		if i >= int64(len(d.values[dim])) {
			break
		}
		d.tile(dim+1, starts, thread%threads, threads, append(at[:dim:dim], d.values[dim][i]))
	}
}

func (d *dealer) iteration(at []int64) {
	for n, l := range d.simt {
		d.f.SetScalar(l.Var, loop.Value{Type: l.Var.Type, Bits: uint64(at[n])})
	}
	d.stmts(d.simt[len(d.simt)-1].Body)
}

func (d *dealer) value(x loop.Expr) loop.Value {
	v, err := d.f.Eval(x)
	if err != nil && d.err == nil {
		d.err = err
	}
	return v
}

func (d *dealer) int(x loop.Expr) int64 { return int64(d.value(x).Bits) }

func (d *dealer) stmts(list []loop.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *loop.Assign:
			v := d.value(s.RHS)
			switch l := s.LHS.(type) {
			case *loop.Ref:
				d.f.SetScalar(l.Var, v)
			case *loop.Index:
				b, at := d.f.Buffer(l.Array), int64(0)
				for i, x := range l.Subs {
					at = at*b.Shape[i] + d.int(x)
				}
				b.Bits[at] = v.Bits
			}
		case *loop.Decl:
			if s.Init != nil {
				d.f.SetScalar(s.Var, d.value(s.Init))
			}
		case *loop.Block:
			d.stmts(s.Body)
		case *loop.If:
			if v := d.value(s.Cond); loop.Truth(v.Type, v.Bits) {
				d.stmts(s.Then)
			} else {
				d.stmts(s.Else)
			}
		case *loop.For:
			hi := d.int(s.Hi)
			for v := d.int(s.Lo); loop.Compare(s.Cmp, loop.Long, uint64(v), uint64(hi)); v += s.Step {
				d.f.SetScalar(s.Var, loop.Value{Type: s.Var.Type, Bits: uint64(v)})
				d.stmts(s.Body)
			}
		}
	}
}

// neutral is what an operator does not change anything with.
func neutral(op loop.RedOp, t loop.Type) uint64 {
	table := map[loop.RedOp]map[loop.Type]uint64{
		loop.RedAdd: {},
		loop.RedMul: {loop.Int: 1, loop.Float: 0x3f800000, loop.Double: 0x3ff0000000000000},
		loop.RedMin: {loop.Int: math.MaxInt32, loop.Float: 0x7f800000, loop.Double: 0x7ff0000000000000},
		loop.RedMax: {loop.Int: 0xffffffff80000000, loop.Float: 0xff800000, loop.Double: 0xfff0000000000000},
	}
	return table[op][t]
}

// Sums of floating-point numbers are those of the order in which threads and
// teams are combined, for every scheme and several tile sizes.
func TestReductionOrder(t *testing.T) {
	const text = `void sums(const float x[restrict 500], const double d[restrict 30][21], float a[restrict 2], double b[restrict 2])
{
    float sum = 0.3f, top = -1.0f;
    double all = 0.7, product = 1.0;
#pragma omp target teams distribute parallel for num_teams(3) num_threads(8) map(to: x[0:500]) map(tofrom: sum, top) reduction(+: sum) reduction(max: top)
    for (int i = 499; i >= 0; i -= 3) {
        sum += x[i] * 0.1f;
        top = x[i] > top ? x[i] : top;
    }
#pragma omp target teams distribute parallel for collapse(2) num_teams(2) num_threads(64) map(to: d[0:30][0:21]) map(tofrom: all, product) reduction(+: all) reduction(*: product)
    for (int i = 0; i < 30; i++) {
        for (int j = 0; j < 20; j++) {
            for (int k = j; k < j + 2; k++) {
                all += d[i][k];
            }
            product *= 1.0 + d[i][j] / 100.0;
        }
    }
    a[0] = sum;
    a[1] = top;
    b[0] = all;
    b[1] = product;
}
`
	p := parse(t, "sums.c", text, nil)
	in := fill(t, p, nil)
	results := make(map[uint64]bool)
	for _, s := range schemes {
		for _, spm := range []int64{1024, 2048, 6000, 48 << 10} {
			t.Run(fmt.Sprint(s, spm), func(t *testing.T) {
				c, err := build(p, s, planned(spm))
				if err != nil {
					t.Fatal(err)
				}
				compare(t, p, c, in, true)
				got := copyOf(in)
				got.OnKernel = func(k *loop.Nest, f *loop.Frame) (bool, error) { return true, c.launch(k, f, deviceexec.Options{}) }
				if err := loopkit.Run(p, c.f.Name, got); err != nil {
					t.Fatal(err)
				}
				results[got.Arrays["b"].Bits[0]] = true
			})
		}
	}
	if len(results) < 2 {
		t.Error("every order gives the same sum, so the test says nothing")
	}
}
