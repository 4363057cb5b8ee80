package potential_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/method/makespan/internal/reference"
	"github.com/warpbound/warpbound/internal/method/makespan/potential"
	"github.com/warpbound/warpbound/internal/testkit/settings"
)

// full makes TestAllShortStrings go up to 24 warps for every string.
func derive(t testing.TB, in *makespan.Instance, o potential.Options) *potential.Certificate {
	t.Helper()
	c, err := potential.Derive(context.Background(), in, o)
	if err != nil {
		t.Fatalf("%s %v: %v", in.Source, in.Capacities(), err)
	}
	return c
}

func cycles(t testing.TB, c *potential.Certificate, in *makespan.Instance) (int64, bool) {
	t.Helper()
	n, by, err := c.Cycles(in)
	if err != nil {
		t.Fatal(err)
	}
	return n, by
}

// checkExact compares the search with an exact makespan and replays its schedule.
func checkExact(t *testing.T, in *makespan.Instance, c *potential.Certificate, want int64) potential.Result {
	t.Helper()
	r, err := potential.Exact(context.Background(), in, c, potential.Limits{})
	if err != nil {
		t.Fatalf("%s %v, %d warps: %v", in.Source, in.Capacities(), in.Warps, err)
	}
	if !r.Exact || r.Cycles != want || r.UpperCycles != want {
		t.Fatalf("%s %v, %d warps: %d to %d cycles, exact %t, expected %d", in.Source, in.Capacities(), in.Warps, r.Cycles, r.UpperCycles, r.Exact, want)
	}
	s, err := makespan.FromMoves(in, r.Moves)
	if err == nil {
		err = s.Check(in)
	}
	if err != nil || s.MakespanCycles() != want {
		t.Fatalf("%s %v, %d warps: schedule of %d cycles: %v", in.Source, in.Capacities(), in.Warps, s.MakespanCycles(), err)
	}
	return r
}

func TestTable(t *testing.T) {
	for _, row := range reference.Table() {
		in := reference.Instance(t, row.Text, 8, row.L, row.C)
		c := derive(t, in, potential.Options{Base: []int64{1, 2}})
		for w, want := range row.Cycles {
			in := in.WithWarps(int64(w) + 1)
			if got, _ := cycles(t, c, in); got < want {
				t.Errorf("%s %d/%d, %d warps: bound %d below the exact %d", row.Text, row.L, row.C, w+1, got, want)
			}
			if in.Warps >= c.Caps[0] {
				checkExact(t, in, c, want)
			}
		}
	}
}

// tally counts how tight bounds are for a number of warps.
type tally struct {
	instances, exact, exactSafe int
	sum, sumSafe                float64
	most, mostSafe              float64
}

func (y *tally) add(bound, safe, exact int64) {
	y.instances++
	r, s := float64(bound)/float64(exact), float64(safe)/float64(exact)
	if bound == exact {
		y.exact++
	}
	if safe == exact {
		y.exactSafe++
	}
	y.sum, y.sumSafe = y.sum+r, y.sumSafe+s
	y.most, y.mostSafe = max(y.most, r), max(y.mostSafe, s)
}

func (y *tally) String() string {
	n := float64(y.instances)
	return fmt.Sprintf("%d | %d | %.3f | %.3f | %d | %.3f | %.3f", y.instances, y.exact, y.sum/n, y.most, y.exactSafe, y.sumSafe/n, y.mostSafe)
}

func TestAllShortStrings(t *testing.T) {
	most := []int{0, 24, 24, 24, 16, 10, 6}
	if settings.Everything(t) {
		most = []int{0, 24, 24, 24, 24, 24, 24}
	}
	tallies := make([]tally, 25)
	for _, text := range reference.Strings("LC", 6) {
		for _, capacity := range reference.Tuples(2, 2) {
			n := most[len(text)]
			in := reference.Instance(t, text, int64(n), capacity...)
			c := derive(t, in, potential.Options{Base: []int64{1, 2}})
			exact := exactUpTo(in, n)
			for w := 1; w <= n; w++ {
				in := in.WithWarps(int64(w))
				bound, by := cycles(t, c, in)
				safe, err := in.Safe()
				if err != nil {
					t.Fatal(err)
				}
				if bound < exact[w] || bound > safe || by != (bound < safe) {
					t.Fatalf("%s %v, %d warps: bound %d, closed bound %d, exact %d", text, capacity, w, bound, safe, exact[w])
				}
				if int64(w) >= c.Caps[0] {
					checkExact(t, in, c, exact[w])
				}
				tallies[w].add(bound, safe, exact[w])
			}
		}
	}
	t.Log("W | instances | exact | mean | most | exact, closed | mean | most")
	for w := range tallies {
		if tallies[w].instances > 0 {
			t.Logf("%d | %v", w, &tallies[w])
		}
	}
}

func TestThreeKinds(t *testing.T) {
	texts := reference.Strings("LCM", 5)
	for n := 0; n < len(texts); n += 7 {
		for j, capacity := range reference.Tuples(3, 3) {
			if (n+j)%5 != 0 {
				continue
			}
			in := reference.Instance(t, texts[n], 9, capacity...)
			c := derive(t, in, potential.Options{Base: []int64{2}})
			exact := exactUpTo(in, 9)
			for w := int64(1); w <= 9; w++ {
				in := in.WithWarps(w)
				if got, _ := cycles(t, c, in); got < exact[w] {
					t.Fatalf("%s %v, %d warps: bound %d, exact %d", texts[n], capacity, w, got, exact[w])
				}
				if w >= c.Caps[0] {
					checkExact(t, in, c, exact[w])
				}
			}
		}
	}
}
