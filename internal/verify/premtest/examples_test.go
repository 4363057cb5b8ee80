package premtest

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/warpbound/warpbound/examples/prem"
	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/tile"
	"github.com/warpbound/warpbound/internal/verify/loopkit"
)

// sequence is the plain execution of a program, against which schemes are compared.
type sequence struct {
	program *loop.Unit
	name    string
	args    func() loop.Args
	want    map[string]*loop.Buffer
}

// compare executes a program under every scheme, and gives for the size of the
// scratchpad what SDMA and DAE move, unless a kernel does not fit it. Where want is
// nil the results of all schemes have to be the same.
func (q *sequence) compare(t *testing.T, spm int64) (sdma, dae *movement) {
	t.Helper()
	var base *movement
	want := q.want
	for i, s := range schemes {
		name := fmt.Sprintf("%s, %d bytes", s, spm)
		r, err := newPlanned(q.program, q.name, s, tile.Options{SPMBytes: spm})
		if errors.Is(err, errUnfit) {
			t.Logf("%s: %v", name, err)
			return nil, nil
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		args := q.args()
		m, err := r.run(args, i%2 == 1)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if want == nil {
			want = args.Arrays
		}
		if err := difference(args.Arrays, want); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		switch s {
		case device.Base:
			base = m
		case device.DAE:
			dae = m
		case device.SDMA:
			sdma = m
		}
		if s < device.DAE {
			continue
		}
		for n, plan := range r.plans {
			if plan.Compatible != nil {
				t.Errorf("%s: kernel %d stays compatible: %v", name, n, plan.Compatible)
			}
		}
		if err := conform(s, m, base, r.plans); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	return sdma, dae
}

// loose are the programs of which boxes hold more than is read, for the reason given.
var loose = map[string]string{
	"adi":           "corners of the stencil",
	"cholesky":      "triangle",
	"floydwarshall": "guard",
	"heat3d":        "corners of the stencil",
	"jacobi2d":      "corners of the stencil",
	"redblack":      "corners of the stencil",
	"seidel2d":      "wavefront",
	"symm":          "triangle",
	"trisolv":       "triangle",
	"trmm":          "triangle",
}

// Every example program, under every scheme and for three sizes of the
// scratchpad, computes what its Go reference computes and what the sequential
// interpretation does.
func TestExamples(t *testing.T) {
	for _, e := range prem.All() {
		if e.Name == "reduce" {
			continue // its order is another: TestReductionOrder
		}
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			text, err := e.Source()
			if err != nil {
				t.Fatal(err)
			}
			p, err := cfront.Parse(e.File(), text, nil)
			if err != nil {
				t.Fatal(err)
			}
			reference := e.Inputs()
			if err := e.Run(reference); err != nil {
				t.Fatal(err)
			}
			want := loopkit.Arguments(t, e, e.Inputs())
			if err := loopkit.Run(p, e.Function(), want); err != nil {
				t.Fatal(err)
			}
			got := e.Inputs()
			loopkit.Results(e, got, want)
			if err := e.Compare(got, reference); err != nil {
				t.Error(err)
			}
			q := &sequence{p, e.Function(), func() loop.Args { return loopkit.Arguments(t, e, e.Inputs()) }, want.Arrays}
			for _, spm := range []int64{48 << 10, 8 << 10, 2 << 10} {
				sdma, dae := q.compare(t, spm)
				if sdma == nil {
					continue
				}
				moved, read := loads(sdma), loads(dae)
				if moved != read && loose[e.Name] == "" || moved < read {
					t.Errorf("%d bytes: SDMA loads %d elements, and the program reads %d", spm, moved, read)
				}
				t.Logf("%d bytes: SDMA loads %d elements, of which the program reads %d", spm, moved, read)
			}
		})
	}
}

var macro = regexp.MustCompile(`(?m)^#ifndef (\w+)\n#define \w+ (\d+)$`)

// The same, but for the Go references, at larger sizes than the programs'
// own, which no number of threads divides, with other data.
func TestLargerExamples(t *testing.T) {
	for _, e := range prem.All() {
		if e.Name == "reduce" {
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			text, err := e.Source()
			if err != nil {
				t.Fatal(err)
			}
			defines := make(map[string]string)
			for _, m := range macro.FindAllStringSubmatch(text, -1) {
				n, err := strconv.Atoi(m[2])
				if err != nil {
					t.Fatal(err)
				}
				if m[1] != "TSTEPS" {
					defines[m[1]] = fmt.Sprint(n + n/3 + 3 - n%2)
				}
			}
			p, err := cfront.Parse(e.File(), text, defines)
			if err != nil {
				t.Fatal(err)
			}
			args := func() loop.Args { return filled(t, p.Funcs[0]) }
			want := args()
			if err := loopkit.Run(p, e.Function(), want); err != nil {
				t.Fatal(err)
			}
			q := &sequence{p, e.Function(), args, want.Arrays}
			if e.Name == "gramschmidt" {
				q.want = nil // more elements are summed than there are threads
			}
			q.compare(t, 6000)
		})
	}
}

// filled are arguments of a function whose extents are constants: square matrices
// have a large diagonal, and no int is below zero.
func filled(t *testing.T, f *loop.Func) loop.Args {
	t.Helper()
	args := loop.Args{Scalars: make(map[string]loop.Value), Arrays: make(map[string]*loop.Buffer)}
	for k, q := range f.Params {
		if q.Var != nil {
			b := &loop.Buffer{Elem: q.Var.Type, Shape: []int64{1}, Bits: make([]uint64, 1)}
			Fill(b, k+1)
			args.Scalars[q.Var.Name] = loop.Value{Type: b.Elem, Bits: b.Bits[0]}
			continue
		}
		var shape []int64
		for _, x := range q.Array.Extents {
			l, ok := loop.Fold(x).(*loop.IntLit)
			if !ok {
				t.Fatalf("extent %s of %s", loop.ExprString(x), q.Array.Name)
			}
			shape = append(shape, l.Value)
		}
		b, err := loop.NewBuffer(q.Array.Elem, shape...)
		if err != nil {
			t.Fatal(err)
		}
		Fill(b, k)
		for e := range b.Bits {
			if b.Elem == loop.Int && int32(b.Bits[e]) < 0 {
				b.Bits[e] = loop.OfInt(-int32(b.Bits[e])).Bits
			}
		}
		for d := int64(0); len(shape) == 2 && shape[0] == shape[1] && d < shape[0]; d++ {
			switch b.Elem {
			case loop.Float:
				b.Bits[d*(shape[0]+1)] = loop.OfFloat(150).Bits
			case loop.Double:
				b.Bits[d*(shape[0]+1)] = loop.OfDouble(150).Bits
			}
		}
		args.Arrays[q.Array.Name] = b
	}
	return args
}

// A reduction is summed by each thread over its iterations, by each team over its
// threads and by the host over the teams, in ascending order.
func TestReductionOrder(t *testing.T) {
	e, ok := prem.Lookup("reduce")
	if !ok {
		t.Fatal("no program reduce")
	}
	text, err := e.Source()
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{300, 1000, 5} {
		p, err := cfront.Parse(e.File(), text, map[string]string{"N": fmt.Sprint(n)})
		if err != nil {
			t.Fatal(err)
		}
		sums := make(map[float32]bool)
		for _, spm := range []int64{48 << 10, 3 << 10} {
			for _, s := range schemes {
				r, err := newPlanned(p, e.Function(), s, tile.Options{SPMBytes: spm})
				if err != nil {
					t.Fatal(err)
				}
				teams, threads, per := 2, 64, int(r.plans[0].Dims[0].Per)
				if plan := r.plans[0]; plan.Teams != int64(teams) || plan.Threads != int64(threads) || len(plan.Dims) != 1 {
					t.Fatalf("the plan has %d teams of %d threads", plan.Teams, plan.Threads)
				}
				args := filled(t, p.Funcs[0])
				x, y, out := loopkit.Floats(args.Arrays["x"]), loopkit.Floats(args.Arrays["y"]), args.Arrays["out"]
				for i := range x {
					// Products that round.
					x[i] = 1 / (x[i] + 7)
				}
				loopkit.Fill(args.Arrays["x"], x)
				if _, err := r.run(args, false); err != nil {
					t.Fatal(err)
				}
				if s == device.Base {
					per = 1
				}
				want := dot(x, y, teams, threads, per)
				if got := loopkit.Floats(out); got[0] != want || got[1] != slices.Max(x) || got[2] != slices.Min(y) {
					t.Errorf("%s, %d elements, %d bytes: %v, want %v, %v, %v", s, n, spm, got, want, slices.Max(x), slices.Min(y))
				}
				sums[want] = true
			}
		}
		if n == 1000 && len(sums) < 2 {
			t.Errorf("every order gives %v: the data show nothing", sums)
		}
	}
}

// dot is the inner product in the order of the teams, the threads and, with a tile
// of threads*per iterations, their iterations.
func dot(x, y []float32, teams, threads, per int) float32 {
	var all float32
	for team := range teams {
		var sum float32
		for thread := range threads {
			var own float32
			for tile := team * threads * per; tile < len(x); tile += teams * threads * per {
				for i := tile + thread; i < min(tile+threads*per, len(x)); i += threads {
					own += float32(x[i] * y[i])
				}
			}
			sum += own
		}
		all += sum
	}
	return all
}
