package choice

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/warpbound/warpbound/internal/milp"
	"github.com/warpbound/warpbound/internal/milp/highs"
)

// dualTime is how long the linear programme of prices may take, and mostDual the parts of an
// expression up to which it is solved.
const (
	dualTime = 10 * time.Second
	mostDual = 2000
)

// dual is prices of the limits, rounded in several ways, at which the sum of what Runs add is
// least: the dual of the integer programme over counts of parts (implicit path enumeration).
// A column is the largest value of a part, less prices; none of the rows needs to hold exactly,
// since every price gives a bound. It returns nothing where there is no such point.
func (s *search) dual() [][]int64 {
	nodes := 0
	_ = s.e.visit(func(*Expr) error { nodes++; return nil }) // never fails
	if nodes > mostDual {
		return nil
	}
	p := &milp.Problem{}
	column := func(least, cost float64) int {
		i := p.AddContinuous(fmt.Sprintf("c%d", len(p.Columns)), least, math.Inf(1))
		p.Columns[i].Cost = cost
		return i
	}
	row := func(right float64, terms ...milp.Term) {
		p.AddRow(fmt.Sprintf("r%d", len(p.Rows)), terms, milp.GreaterEqual, right)
	}
	for _, l := range s.limits {
		column(0, float64(l.Most))
	}
	of := map[*Expr]int{}
	_ = s.e.visit(func(e *Expr) error { // never fails
		x := column(math.Inf(-1), 0)
		of[e] = x
		terms := []milp.Term{{Col: x, Coef: 1}}
		// at is the column of a part: of one that may be left out, no less than 0.
		at := func(part *Expr, may bool) int {
			y := of[part]
			if may {
				z := column(0, 0)
				row(0, milp.Term{Col: z, Coef: 1}, milp.Term{Col: y, Coef: -1})
				return z
			}
			return y
		}
		switch e.kind {
		case Run:
			for i, l := range s.limits {
				sum := 0.0
				for _, symbol := range e.symbols {
					sum += float64(l.Factor[symbol])
				}
				if sum != 0 {
					terms = append(terms, milp.Term{Col: i, Coef: sum})
				}
			}
			row(float64(s.values.Run(e)), terms...)
		case Concat, Any:
			times := map[*Expr]float64{}
			for _, part := range e.parts {
				times[part]++
			}
			for _, part := range e.parts {
				if n := times[part]; n > 0 {
					terms = append(terms, milp.Term{Col: at(part, e.kind == Any), Coef: -n})
					times[part] = 0
				}
			}
			row(0, terms...)
		case One:
			for _, part := range e.parts {
				row(0, milp.Term{Col: x, Coef: 1}, milp.Term{Col: of[part], Coef: -1})
			}
		case Repeat, AtMost:
			row(0, append(terms, milp.Term{Col: at(e.body, e.kind == AtMost), Coef: -float64(e.count)})...)
		default:
			row(0, terms...)
		}
		return nil
	})
	p.Columns[of[s.e]].Cost = 1
	found, err := highs.Solver{}.Solve(context.Background(), p, milp.Options{TimeLimit: dualTime})
	if err != nil || found.Status != milp.Optimal {
		return nil
	}
	nearest, up := make([]int64, len(s.limits)), make([]int64, len(s.limits))
	for i := range s.limits {
		x := found.Values[i]
		if !(x <= math.MaxInt64/16) { // nor a number that is none
			return nil
		}
		nearest[i], up[i] = int64(math.Round(max(x, 0))), int64(math.Ceil(max(x-1e-9, 0)))
	}
	return [][]int64{nearest, up}
}
