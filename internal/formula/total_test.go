package formula

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// Totals are the sums that they stand for, or above them by what rounding up may add.
func TestTotals(t *testing.T) {
	if err := totalsHold(); err != nil {
		t.Fatal(err)
	}
}

func totalsHold() error {
	rng := rand.New(rand.NewPCG(7, 46))
	exact := 0
	const cases = 20000
	for range cases {
		k, first, step, divisor := rng.Int64N(30), rng.Int64N(81)-40, rng.Int64N(13)-6, 1+rng.Int64N(3)
		sum, above := int64(0), int64(0)
		for z := range k + 1 {
			if x := first + step*z; x > 0 {
				sum, above = sum+(x+divisor-1)/divisor, above+1
			}
		}
		of := Total{Quotient: Quotient{Constant: first, Divisor: divisor}, Step: step}
		got := of.at(nil, k)
		if got < sum || got > sum+above || divisor == 1 && got != sum {
			return fmt.Errorf("the sum of (%d + %d*z)/%d for z to %d is %d, expected %d", first, step, divisor, k, got, sum)
		}
		if got == sum {
			exact++
		}
	}
	if exact < cases/3 {
		return fmt.Errorf("of %d sums %d are exact", cases, exact)
	}
	arguments := []Argument{{Name: "n", Max: 1 << 30}}
	for _, t := range []Total{
		{Quotient: Quotient{Constant: 1 << 61, Divisor: 1}},
		{Quotient: Quotient{Divisor: 1, Factors: []int64{1 << 20}}},
		{Quotient: Quotient{Divisor: 1}, Step: math.MaxInt32},
		{Quotient: Quotient{Divisor: 1}, Step: math.MinInt64},
	} {
		if t.Fits(arguments, 1<<20) {
			return fmt.Errorf("%+v fits", t)
		}
	}
	if t := (Total{Quotient: Quotient{Divisor: 2, Factors: []int64{-3}}, Step: 7}); !t.Fits(arguments, 1<<20) || t.Fits(arguments, math.MaxInt32) {
		return fmt.Errorf("%+v", t)
	}
	return nil
}

// A form over iterations in which some variables differ is no less than the sum over these.
func TestFormsOverIterations(t *testing.T) {
	if err := iterationsHold(); err != nil {
		t.Fatal(err)
	}
}

func iterationsHold() error {
	rng := rand.New(rand.NewPCG(8, 46))
	exact := 0
	const cases = 10000
	for range cases {
		var c Calc
		// Variables 0 and 1 differ from one iteration to the next, and 3 and 4 are their
		// sums; 5 is how many iterations there are.
		f, at := random(rng, &c, 3, rng.IntN(5))
		over := c.TimesTotals(5, f, func(v Var) (Var, bool) { return v + 3, v < 2 })
		values := make([]int64, 6)
		values[2], values[5] = rng.Int64N(5), rng.Int64N(6)
		sum := int64(0)
		var each [][]int64
		for range values[5] {
			x := []int64{rng.Int64N(9), rng.Int64N(9), values[2]}
			each, sum = append(each, x), sum+at(x)
			for i := range 2 {
				values[i], values[i+3] = max(values[i], x[i]), values[i+3]+x[i]
			}
		}
		got, err := over.At(values)
		if err != nil || c.Err() != nil || got < sum {
			return fmt.Errorf("%v over %v is %v, %d, %v, expected at least %d", f, each, over, got, err, sum)
		}
		if got == sum {
			exact++
		}
	}
	if exact < cases/3 {
		return fmt.Errorf("of %d forms %d are exact", cases, exact)
	}
	return nil
}
