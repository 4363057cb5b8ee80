package formula

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// Forms over variables of which some are never above others are what they are made of, and
// have fewer sums.
func TestOrderedForms(t *testing.T) {
	if err := orderedFormsHold(); err != nil {
		t.Fatal(err)
	}
}

func orderedFormsHold() error {
	rng := rand.New(rand.NewPCG(5, 46))
	fewer, exact := 0, 0
	const cases = 20000
	for range cases {
		depth, seed := rng.IntN(6), rng.Uint64()
		draw := func(c *Calc) (Form, func(x []int64) int64) {
			return random(rand.New(rand.NewPCG(seed, 1)), c, 4, depth)
		}
		// The last variable is like no other.
		c := Calc{AtMost: func(a, b Var) bool { return a >= b && a < 3 }}
		f, at := draw(&c)
		if other, _ := draw(&Calc{}); len(f) < len(other) {
			fewer++
		}
		same := true
		for range 5 {
			x := []int64{rng.Int64N(9), rng.Int64N(9), rng.Int64N(9)}
			slices.SortFunc(x, func(a, b int64) int { return int(b - a) })
			x = append(x, rng.Int64N(9))
			equal, err := noLess(f, at, x)
			if err != nil {
				return err
			}
			same = same && equal
		}
		if same {
			exact++
		}
	}
	if fewer < cases/20 || exact < cases*9/10 {
		return fmt.Errorf("of %d forms %d are exact, %d have fewer sums", cases, exact, fewer)
	}
	return nil
}

// A count that is never above another one is not, for any arguments, divided or not.
func TestOrderedCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 46))
	ordered := 0
	for range 20000 {
		f := drawn(rng)
		if len(f.Counts) == 0 {
			continue
		}
		counts := []Count{f.Counts[0], f.Counts[0]}
		other := &counts[1]
		other.Most += rng.Int64N(3)
		other.Tests = nil
		for _, test := range counts[0].Tests {
			if rng.IntN(4) == 0 {
				continue
			}
			test = slices.Clone(test)
			for i := range test {
				test[i].Constant += rng.Int64N(4) - 1
				if rng.IntN(9) == 0 {
					test[i].Divisor++
				}
			}
			other.Tests = append(other.Tests, test)
		}
		a, b := Variable{0, 1 + rng.Int64N(3)}, Variable{1, 1 + rng.Int64N(3)}
		if !a.AtMost(b, counts) {
			continue
		}
		ordered++
		for range 5 {
			var x []int64
			for _, arg := range f.Arguments {
				x = append(x, arg.Max-rng.Int64N(min(arg.Max-max(arg.Min, -1<<40), 1<<30)+1))
			}
			if n, most := perGroup(counts[0].at(x), a.Per), perGroup(counts[1].at(x), b.Per); n > most {
				t.Fatalf("%+v by %d is %d at %v, %+v by %d is %d", counts[0], a.Per, n, x, counts[1], b.Per, most)
			}
		}
	}
	if ordered < 1000 {
		t.Errorf("%d ordered", ordered)
	}
}
