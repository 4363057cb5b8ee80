package graham_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/examples"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/graham"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/simt"
)

// listed is when the last of blocks ends that SMs take in their order.
func listed(times []int64, sms int) int64 {
	free := make([]int64, sms)
	end := int64(0)
	for _, t := range times {
		first := 0
		for i := range free {
			if free[i] < free[first] {
				first = i
			}
		}
		free[first] += t
		end = max(end, free[first])
	}
	return end
}

// Whatever the order of the blocks, and however much shorter each is, list
// scheduling ends within the bound; somewhere it takes as long.
func TestListCoversEverySchedule(t *testing.T) {
	rng := rand.New(rand.NewPCG(39, 1))
	exact := 0
	for range 3_000 {
		n, sms := 1+rng.IntN(7), 1+rng.IntN(4)
		var blocks []graham.Blocks
		var most []int64
		for len(most) < n {
			b := graham.Blocks{Count: 1 + rng.Int64N(int64(n-len(most))), Cycles: rng.Int64N(12)}
			blocks = append(blocks, b)
			for range b.Count {
				most = append(most, b.Cycles)
			}
		}
		share, longest, err := graham.List(blocks, int64(sms))
		if err != nil {
			t.Fatal(err)
		}
		worst := int64(0)
		times := make([]int64, n)
		for range 60 {
			rng.Shuffle(n, func(i, j int) { most[i], most[j] = most[j], most[i] })
			for i := range times {
				if times[i] = most[i]; rng.IntN(4) == 0 {
					times[i] = rng.Int64N(most[i] + 1)
				}
			}
			worst = max(worst, listed(times, sms))
		}
		if worst > share+longest {
			t.Fatalf("%v on %d SMs: %d cycles, bound %d + %d", blocks, sms, worst, share, longest)
		}
		if worst == share+longest {
			exact++
		}
	}
	if exact < 1000 {
		t.Errorf("the bound is met in %d of 3,000 cases", exact)
	}
}

func TestListRefuses(t *testing.T) {
	for _, c := range []struct {
		blocks []graham.Blocks
		sms    int64
		over   bool
	}{
		{[]graham.Blocks{{Count: 0, Cycles: 1}}, 1, false},
		{[]graham.Blocks{{Count: 1, Cycles: -1}}, 1, false},
		{[]graham.Blocks{{Count: 1, Cycles: 1}}, 0, false},
		{[]graham.Blocks{{Count: math.MaxInt64, Cycles: math.MaxInt64}}, 1, true},
		{[]graham.Blocks{{Count: 3, Cycles: 1 << 60}}, 1, true},
		{[]graham.Blocks{{Count: 1, Cycles: 1<<60 + 1}}, 1, true},
	} {
		if _, _, err := graham.List(c.blocks, c.sms); err == nil || errors.Is(err, bound.ErrOverflow) != c.over {
			t.Errorf("%v on %d SMs: %v", c.blocks, c.sms, err)
		}
	}
	if share, longest, err := graham.List([]graham.Blocks{{Count: 1 << 40, Cycles: 1 << 40}}, 1<<30); err != nil || share != 1<<50-1<<10 || longest != 1<<40 {
		t.Errorf("%d, %d, %v", share, longest, err)
	}
}

func answer(t *testing.T, file string, set ...string) (*load.Opened, *analysis.Report) {
	t.Helper()
	d, err := gpu.Open("ecrts2025-50", append([]string{"sm.max_blocks=1"}, set...))
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.Machine()
	if err != nil {
		t.Fatal(err)
	}
	l, err := load.Open(filepath.Join("../../../examples", filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	launch := method.Source{Tainted: func() (simt.Tainted, error) { return l.Kernel(true) }, Fresh: l.Fresh}
	r, err := analysis.Run(t.Context(), launch, m, method.Question{Methods: []string{"sum", "ref", graham.Method}})
	var small *gpu.FitError
	if errors.As(err, &small) {
		return nil, nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return l, r
}

// The bound holds on examples whose blocks have an SM each, and is smaller than that
// of theorem 9 (one slot) where blocks differ.
func TestHoldsOnExamples(t *testing.T) {
	smaller, rows := 0, 0
	for i, e := range examples.All() {
		if i%3 != 0 {
			continue
		}
		l, r := answer(t, e.Launch, "sm.count="+[]string{"1", "3", "4"}[i%2+i%5/4])
		if r == nil {
			continue
		}
		b := r.Whole().Bound(graham.Method)
		if b == nil || r.Blocks == 1 {
			continue
		}
		costs, err := r.CostsOf(context.Background(), b)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range costs { // what rounding leaves is less than a cycle each
			if c.Kind == method.Undivided && c.Cycles >= int64(len(costs)) || c.Kind != method.Undivided && c.Kind != method.Joined && c.Cycles < 0 {
				t.Errorf("%s: %+v of %d", e.Launch, c, len(costs))
			}
		}
		if one := r.Whole().Bound("sum"); one != nil && b.Cycles < one.Cycles {
			smaller++
		}
		found, err := analysis.Compare(context.Background(), r, l.Fresh, analysis.CompareOptions{
			Methods: []string{graham.Method}, Policies: []policy.Policy{{Name: "lrr"}, {Name: "gto"}}, Scope: bound.Kernel, Checks: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range found {
			if rows++; x.Violation() {
				t.Errorf("%s under %s: %d cycles, bound %d", e.Launch, x.Policy, x.SimulatedCycles, x.BoundCycles)
			}
		}
	}
	if rows < 40 || smaller == 0 {
		t.Errorf("%d comparisons, in %d launches smaller than theorem 9", rows, smaller)
	}
}

// It is given by name only, and refused where blocks share an SM.
func TestWhereItApplies(t *testing.T) {
	_, r := answer(t, "basic/saxpy/saxpy.toml", "sm.count=2")
	b := r.Whole().Bound(graham.Method)
	if b == nil || !b.Safe || len(b.Assumptions) == 0 || b.Breakdown[0].Cycles+b.Breakdown[1].Cycles != b.Cycles {
		t.Errorf("%+v", b)
	}
	for i := 1; i < len(b.Assumptions); i++ {
		if b.Assumptions[i].ID == b.Assumptions[i-1].ID {
			t.Errorf("%s twice", b.Assumptions[i].ID)
		}
	}
	_, r = answer(t, "basic/saxpy/saxpy.toml", "sm.count=2", "sm.max_blocks=2")
	if r.Whole().Bound(graham.Method) != nil {
		t.Error("two blocks on an SM")
	}
	for _, no := range r.Whole().Refused {
		if no.Method == graham.Method && !strings.Contains(no.Reason, "2 blocks can be resident") {
			t.Errorf("%+v", no)
		}
	}
	for _, name := range analysis.General() {
		if name == graham.Method {
			t.Error("it is among all methods")
		}
	}
}
