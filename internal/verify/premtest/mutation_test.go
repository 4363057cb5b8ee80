package premtest

import (
	"strings"
	"testing"

	"github.com/warpbound/warpbound/examples/prem"
	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/scheme"
	"github.com/warpbound/warpbound/internal/prem/tile"
	"github.com/warpbound/warpbound/internal/verify/deviceexec"
	"github.com/warpbound/warpbound/internal/verify/loopkit"
)

// without is a copy of statements without the one numbered *n in the order of the
// text, -1 in *n says that it was found. Declarations stay.
func without(list []device.Stmt, n *int) (out []device.Stmt, removed device.Stmt) {
	for _, s := range list {
		if _, ok := s.(*device.Decl); !ok {
			if *n == 0 {
				*n, removed = -1, s
				continue
			}
			*n--
		}
		switch x := s.(type) {
		case *device.For:
			c := *x
			var r device.Stmt
			if c.Body, r = without(x.Body, n); r != nil {
				removed = r
			}
			s = &c
		case *device.If:
			c := *x
			var r, q device.Stmt
			c.Then, r = without(x.Then, n)
			c.Else, q = without(x.Else, n)
			if r != nil {
				removed = r
			}
			if q != nil {
				removed = q
			}
			s = &c
		}
		out = append(out, s)
	}
	return out, removed
}

// mutant executes a program of which one statement is missing in the kernel number
// at, and gives the statement and what the checks of this package say. The
// statement is nil where the kernel has fewer.
func mutant(p *loop.Unit, name string, args func() loop.Args, s device.Scheme, spm int64, want map[string]*loop.Buffer, base *movement, at, n int) (device.Stmt, error) {
	var removed device.Stmt
	var plans []*tile.Plan
	road, err := NewRoad(p, name, func(f *loop.Func, k *loop.Nest, i int) (*device.Entry, error) {
		plan, err := tile.Make(p, f, k, tile.Options{SPMBytes: spm})
		if err != nil {
			return nil, err
		}
		plans = append(plans, plan)
		d, err := scheme.Generate(p, f, k, i, plan, s)
		if err == nil && i == at {
			d.Body, removed = without(d.Body, &n)
		}
		return d, err
	})
	if err != nil || removed == nil {
		return removed, err
	}
	r := &planned{road, plans}
	got := args()
	m, err := r.run(got, false)
	if err == nil {
		err = difference(got.Arrays, want)
	}
	if err == nil {
		_, err = r.run(args(), true)
	}
	if err == nil {
		err = conform(s, m, base, plans)
	}
	return removed, err
}

// The checks find nearly every statement that is missing in a kernel. What they do
// not find is missed by nobody: the barrier after the last interval, one of DAE's
// loads or stores of an element that it makes twice, a bound that does not bind.
func TestMissingStatementsAreFound(t *testing.T) {
	missing, overlooked := 0, 0
	for _, name := range []string{"gemm", "jacobi2d", "floydwarshall", "syrk", "trmm", "redblack"} {
		e, ok := prem.Lookup(name)
		if !ok {
			t.Fatalf("no program %s", name)
		}
		text, err := e.Source()
		if err != nil {
			t.Fatal(err)
		}
		p, err := cfront.Parse(e.File(), text, map[string]string{"TSTEPS": "2", "NI": "14", "NJ": "12", "NK": "10", "NM": "12", "NN": "10"})
		if err != nil {
			t.Fatal(err)
		}
		args := func() loop.Args { return filled(t, p.Funcs[0]) }
		want := args()
		if err := loopkit.Run(p, e.Function(), want); err != nil {
			t.Fatal(err)
		}
		const spm = 2048
		r, err := newPlanned(p, e.Function(), device.Base, tile.Options{SPMBytes: spm})
		if err != nil {
			t.Fatal(err)
		}
		base, err := r.run(args(), false)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []device.Scheme{device.DAE, device.SDMA} {
			for n := 0; ; n++ {
				removed, err := mutant(p, e.Function(), args, s, spm, want.Arrays, base, 0, n)
				if removed == nil {
					if err != nil {
						t.Fatal(err)
					}
					break
				}
				missing++
				if err != nil {
					continue
				}
				overlooked++
				t.Logf("%s, %s: nobody misses %s", name, s, lines(removed))
			}
		}
	}
	t.Logf("%d of %d missing statements were not found", overlooked, missing)
	if missing < 250 || overlooked*8 > missing {
		t.Errorf("%d of %d missing statements were not found", overlooked, missing)
	}
}

// lines are a statement as deviceexec.Print writes it.
func lines(s device.Stmt) string {
	_, text, _ := strings.Cut(deviceexec.Print(&device.Entry{Body: []device.Stmt{s}}), "\n")
	return strings.TrimSpace(text)
}
