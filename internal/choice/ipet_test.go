package choice_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warpbound/warpbound/internal/choice"
	"github.com/warpbound/warpbound/internal/milp"
	"github.com/warpbound/warpbound/internal/milp/highs"
)

// ipet is the largest sum of weights along the paths of an expression that respect limits as
// an integer programme (implicit path enumeration): a column counts how often a part of the
// expression is executed.
func ipet(e *choice.Expr, limits []choice.Limit, weight []int64, integer bool) *milp.Problem {
	p := &milp.Problem{Maximize: true}
	column := func(name string, cost float64) int {
		i := p.AddContinuous(name, 0, math.Inf(1))
		p.Columns[i].Cost, p.Columns[i].Integer = cost, integer
		return i
	}
	symbols := make([]int, len(weight))
	counts := make([][]milp.Term, len(weight)) // what executes a symbol
	for s, w := range weight {
		symbols[s] = column(fmt.Sprintf("s%d", s), float64(w))
	}
	rows := 0
	relate := func(how milp.Sense, right float64, list ...milp.Term) {
		var terms []milp.Term
		for _, x := range list {
			if i := slices.IndexFunc(terms, func(y milp.Term) bool { return y.Col == x.Col }); i >= 0 {
				terms[i].Coef += x.Coef
			} else {
				terms = append(terms, x)
			}
		}
		p.AddRow(fmt.Sprintf("r%d", rows), terms, how, right)
		rows++
	}
	var add func(e *choice.Expr) int
	add = func(e *choice.Expr) int {
		x := column(fmt.Sprintf("x%d", len(p.Columns)), 0)
		for _, s := range e.Run() {
			counts[s] = append(counts[s], milp.Term{Col: x, Coef: -1})
		}
		var one []milp.Term
		for _, part := range e.Parts() {
			y := add(part)
			switch e.Kind() {
			case choice.Concat:
				relate(milp.Equal, 0, milp.Term{Col: y, Coef: 1}, milp.Term{Col: x, Coef: -1})
			case choice.Any:
				relate(milp.LessEqual, 0, milp.Term{Col: y, Coef: 1}, milp.Term{Col: x, Coef: -1})
			case choice.One:
				one = append(one, milp.Term{Col: y, Coef: 1})
			}
		}
		if len(one) > 0 {
			relate(milp.Equal, 0, append(one, milp.Term{Col: x, Coef: -1})...)
		}
		if e.Body() != nil {
			how := milp.LessEqual
			if e.Kind() == choice.Repeat {
				how = milp.Equal
			}
			relate(how, 0, milp.Term{Col: add(e.Body()), Coef: 1}, milp.Term{Col: x, Coef: -float64(e.Count())})
		}
		return x
	}
	root := add(e)
	p.Columns[root].Lower, p.Columns[root].Upper = 1, 1
	for s, terms := range counts {
		relate(milp.Equal, 0, append(terms, milp.Term{Col: symbols[s], Coef: 1})...)
	}
	for _, l := range limits {
		var terms []milp.Term
		for s, f := range l.Factor {
			if f != 0 {
				terms = append(terms, milp.Term{Col: symbols[s], Coef: float64(f)})
			}
		}
		if len(terms) > 0 {
			relate(milp.LessEqual, float64(l.Most), terms...)
		}
	}
	return p
}

// drawnExpr is an expression over symbols, with loops.
func drawnExpr(rng *rand.Rand, b *choice.Builder, symbols, depth int) *choice.Expr {
	must := func(e *choice.Expr, err error) *choice.Expr {
		if err != nil {
			panic(err)
		}
		return e
	}
	if depth == 0 {
		var run []int32
		for range 1 + rng.IntN(3) {
			run = append(run, int32(rng.IntN(symbols)))
		}
		return must(b.Run(run...))
	}
	var parts []*choice.Expr
	for range 2 + rng.IntN(2) {
		parts = append(parts, drawnExpr(rng, b, symbols, depth-1))
	}
	switch rng.IntN(5) {
	case 0:
		return must(b.Concat(parts...))
	case 1:
		return must(b.Any(parts...))
	case 2:
		return must(b.One(parts...))
	case 3:
		return must(b.Repeat(2+rng.Int64N(30), parts[0]))
	}
	return must(b.AtMost(1+rng.Int64N(60), must(b.One(parts...))))
}

// TestLimitsAgainstIPET: sums of weights within limits are no less than the optimum of the
// integer programme, and how far above.
func TestLimitsAgainstIPET(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 44))
	var solver highs.Solver
	optimum := func(p *milp.Problem) (float64, bool) {
		s, err := solver.Solve(context.Background(), p, milp.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if s.Status == milp.Infeasible {
			return 0, false
		}
		if s.Status != milp.Optimal {
			t.Fatalf("%s: %s", s.Status, s.Message)
		}
		return s.Objective, true
	}
	cases, tight, none := 0, 0, 0
	var worst, total float64
	for cases < 200 {
		b := choice.NewBuilder()
		symbols := 2 + rng.IntN(5)
		e := drawnExpr(rng, b, symbols, 1+rng.IntN(4))
		weight := make([]int64, symbols)
		for s := range weight {
			weight[s] = rng.Int64N(40)
		}
		l := &choice.Limits{}
		for range 1 + rng.IntN(4) {
			x := choice.Limit{Factor: make([]int64, symbols)}
			for s := range x.Factor {
				x.Factor[s] = max(rng.Int64N(5)-2, rng.Int64N(2)*(rng.Int64N(5)-2))
			}
			most, err := e.MaxWeight(func(s int32) int64 { return x.Factor[s] })
			if err != nil || most < 2 {
				continue
			}
			x.Most = rng.Int64N(most)
			l.Limits = append(l.Limits, x)
		}
		got, err := e.MaxUnder(l, func(s int32) int64 { return weight[s] })
		if errors.Is(err, choice.ErrNone) {
			if _, ok := optimum(ipet(e, l.Limits, weight, false)); ok {
				t.Errorf("%s within %+v: the linear programme has paths", e, l.Limits)
			}
			none++
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		relaxed, ok := optimum(ipet(e, l.Limits, weight, false))
		if !ok || relaxed < 1 {
			continue
		}
		cases++
		exact, ok := optimum(ipet(e, l.Limits, weight, true))
		if ok && float64(got) < exact-1e-6 {
			t.Errorf("%s within %+v: %d, the integer programme has %g", e, l.Limits, got, exact)
		}
		if float64(got) <= relaxed*1.001+1 {
			tight++
		}
		ratio := float64(got) / relaxed
		total += math.Log(ratio)
		worst = max(worst, ratio)
	}
	if none == 0 {
		t.Error("no limits that no path respects")
	}
	t.Logf("%d of %d are the optimum of the linear programme; %.4f times it in the mean, at most %.3f", tight, cases, math.Exp(total/float64(cases)), worst)
	if mean := math.Exp(total / float64(cases)); mean > 1.03 {
		t.Errorf("%.4f times the optimum in the mean", mean)
	}
}
