package milptest

import (
	"fmt"
	"math/rand/v2"

	"github.com/warpbound/warpbound/internal/milp"
)

// Random returns a small problem whose columns are all integer, binaries and a
// few with negative bounds, with rows of every form. Equal seeds give equal
// problems. Some are infeasible, none is unbounded.
func Random(seed uint64) *milp.Problem {
	r := rand.New(rand.NewPCG(seed, 1))
	p := &milp.Problem{Maximize: r.IntN(2) == 0}
	if r.IntN(3) == 0 {
		p.Constant = float64(r.IntN(21) - 10)
	}
	n := 2 + r.IntN(8)
	for i := range n {
		c := 0
		switch r.IntN(8) {
		case 0:
			lower := r.IntN(5) - 3
			c = p.AddInteger(fmt.Sprintf("y%d", i), float64(lower), float64(lower+r.IntN(4)))
		default:
			c = p.AddBinary(fmt.Sprintf("x%d", i))
		}
		p.SetCost(c, float64(r.IntN(21)-10))
	}
	for i := range 1 + r.IntN(5) {
		var ts []milp.Term
		for c := range n {
			if a := r.IntN(11) - 5; a != 0 && r.IntN(3) > 0 {
				ts = append(ts, milp.Term{Col: c, Coef: float64(a)})
			}
		}
		name, side := fmt.Sprintf("r%d", i), r.IntN(13)-6
		switch r.IntN(6) {
		case 0:
			p.AddRow(name, ts, milp.Equal, float64(side))
		case 1:
			p.AddRange(name, float64(side-r.IntN(4)), ts, float64(side))
		case 2, 3:
			p.AddRow(name, ts, milp.GreaterEqual, float64(side))
		default:
			p.AddRow(name, ts, milp.LessEqual, float64(side))
		}
	}
	return p
}

// Enumerate solves a problem with bounded integer columns and integer data by
// trying every point.
func Enumerate(p *milp.Problem) (best int64, feasible bool) {
	x := make([]int64, len(p.Columns))
	for i := range x {
		x[i] = int64(p.Columns[i].Lower)
	}
	for {
		if satisfies(p, x) {
			v := int64(p.Constant)
			for i := range x {
				v += int64(p.Columns[i].Cost) * x[i]
			}
			if !feasible || p.Maximize && v > best || !p.Maximize && v < best {
				best, feasible = v, true
			}
		}
		i := 0
		for ; i < len(x) && float64(x[i]) == p.Columns[i].Upper; i++ {
			x[i] = int64(p.Columns[i].Lower)
		}
		if i == len(x) {
			return best, feasible
		}
		x[i]++
	}
}

func satisfies(p *milp.Problem, x []int64) bool {
	for _, r := range p.Rows {
		sum := int64(0)
		for _, t := range r.Terms {
			sum += int64(t.Coef) * x[t.Col]
		}
		if float64(sum) < r.Lower || float64(sum) > r.Upper {
			return false
		}
	}
	return true
}
