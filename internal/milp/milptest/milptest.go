package milptest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/warpbound/warpbound/internal/milp"
)

// Case is a problem with its known outcome.
type Case struct {
	Name      string
	Problem   *milp.Problem
	Status    milp.Status
	Objective float64 // for Optimal
}

var inf = math.Inf(1)

type terms = []milp.Term

// Cases returns the problems with known outcomes, freshly built.
func Cases() []Case {
	return []Case{
		knapsack(), {"parity", parity(), milp.Infeasible, 0},
		{"unbounded integer", unboundedInteger(), milp.Unbounded, 0},
		{"unbounded relaxation, no point", unboundedNoPoint(), milp.Infeasible, 0},
		equation(), negative(), fixed(), degenerate(), spread(), rangeRow(), constantOnly(), unusedColumn(),
		fractionalBounds(), lpMaximum(), lpMinimum(), lpFractional(),
		{"infeasible LP", lpInfeasible(), milp.Infeasible, 0},
		{"unbounded LP", lpUnbounded(), milp.Unbounded, 0},
		{"crossed bounds", crossed(), milp.Infeasible, 0},
		{"no integer between the bounds", gap(), milp.Infeasible, 0},
		{"empty row", emptyRow(1), milp.Infeasible, 0},
		{"satisfied empty row", emptyRow(-1), milp.Optimal, 1},
		{"no columns", &milp.Problem{Constant: 7}, milp.Optimal, 7},
	}
}

// knapsack: weights 12 2 1 1 4, values 4 2 1 2 10, capacity 15; all but the
// first fit, worth 15.
func knapsack() Case {
	p := &milp.Problem{Name: "knapsack", Maximize: true}
	weights, values := []float64{12, 2, 1, 1, 4}, []float64{4, 2, 1, 2, 10}
	var ts terms
	for i, w := range weights {
		c := p.AddBinary(fmt.Sprintf("take%d", i))
		p.SetCost(c, values[i])
		ts = append(ts, milp.Term{Col: c, Coef: w})
	}
	p.AddRow("capacity", ts, milp.LessEqual, 15)
	return Case{"knapsack", p, milp.Optimal, 15}
}

func parity() *milp.Problem {
	p := &milp.Problem{}
	x, y := p.AddInteger("x", 0, 50), p.AddInteger("y", 0, 50)
	p.SetCost(x, 1)
	p.AddRow("even", terms{{Col: x, Coef: 2}, {Col: y, Coef: 2}}, milp.Equal, 3)
	return p
}

func unboundedInteger() *milp.Problem {
	p := &milp.Problem{Maximize: true}
	x, y := p.AddInteger("x", 0, inf), p.AddInteger("y", 0, inf)
	p.SetCost(x, 1)
	p.AddRow("c", terms{{Col: x, Coef: 1}, {Col: y, Coef: -1}}, milp.LessEqual, 3)
	return p
}

func unboundedNoPoint() *milp.Problem {
	p := unboundedInteger()
	z := p.AddInteger("z", 0, 50)
	p.AddRow("even", terms{{Col: z, Coef: 2}}, milp.Equal, 3)
	return p
}

// equation: min x+y with 3x+5y = 31 has (2,5) of 7.
func equation() Case {
	p := &milp.Problem{}
	x, y := p.AddInteger("x", 0, 20), p.AddInteger("y", 0, 20)
	p.SetCost(x, 1)
	p.SetCost(y, 1)
	p.AddRow("sum", terms{{Col: x, Coef: 3}, {Col: y, Coef: 5}}, milp.Equal, 31)
	return Case{"equation", p, milp.Optimal, 7}
}

// negative: free and negative domains; 2x = -7 - y with y in [-9,-1] and z
// free: min 3x - 2y + z, z >= x - y. x = (-7-y)/2, so y is odd; at y = -1, x is
// -3, z = -2: -9 + 2 - 2 = -9; at y = -9, x = 1, z = 10: 31.
func negative() Case {
	p := &milp.Problem{}
	x, y, z := p.AddInteger("x", -inf, inf), p.AddInteger("y", -9, -1), p.AddInteger("z", -inf, 40)
	p.SetCost(x, 3)
	p.SetCost(y, -2)
	p.SetCost(z, 1)
	p.AddRow("tie", terms{{Col: x, Coef: 2}, {Col: y, Coef: 1}}, milp.Equal, -7)
	p.AddRow("above", terms{{Col: z, Coef: 1}, {Col: x, Coef: -1}, {Col: y, Coef: 1}}, milp.GreaterEqual, 0)
	return Case{"negative", p, milp.Optimal, -9}
}

// fixed: binaries fixed by their bounds at 0 and 1 must stay there.
func fixed() Case {
	p := &milp.Problem{Maximize: true, Constant: -4}
	a, b, c := p.AddInteger("a", 0, 0), p.AddInteger("b", 1, 1), p.AddBinary("c")
	for i, v := range []float64{10, -3, 5} {
		p.SetCost(i, v)
	}
	p.AddRow("any", terms{{Col: a, Coef: 1}, {Col: b, Coef: 1}, {Col: c, Coef: 1}}, milp.LessEqual, 3)
	return Case{"fixed binaries and constant", p, milp.Optimal, -2}
}

// degenerate: many optimal points, redundant rows.
func degenerate() Case {
	p := &milp.Problem{Maximize: true}
	var ts terms
	for i := range 6 {
		c := p.AddBinary(fmt.Sprintf("x%d", i))
		p.SetCost(c, 1)
		ts = append(ts, milp.Term{Col: c, Coef: 1})
	}
	for i := range 4 {
		p.AddRow(fmt.Sprintf("same%d", i), ts, milp.LessEqual, 3)
	}
	return Case{"degenerate", p, milp.Optimal, 3}
}

// spread: coefficients of very different size: 1000000x + y <= 2999999.
func spread() Case {
	p := &milp.Problem{Maximize: true}
	x, y := p.AddInteger("x", 0, 10), p.AddInteger("y", 0, 10)
	p.SetCost(x, 20)
	p.SetCost(y, 1)
	p.AddRow("big", terms{{Col: x, Coef: 1000000}, {Col: y, Coef: 1}}, milp.LessEqual, 2999999)
	return Case{"spread coefficients", p, milp.Optimal, 50}
}

// rangeRow: 7 <= 3x+3y <= 11 leaves x+y = 3; a free row restricts nothing.
func rangeRow() Case {
	p := &milp.Problem{}
	x, y := p.AddInteger("x", 0, 9), p.AddInteger("y", 0, 9)
	p.SetCost(x, 2)
	p.SetCost(y, 3)
	p.AddRange("between", 7, terms{{Col: x, Coef: 3}, {Col: y, Coef: 3}}, 11)
	p.AddRange("free_row", -inf, terms{{Col: x, Coef: 1}}, inf)
	return Case{"range row", p, milp.Optimal, 6}
}

func constantOnly() Case {
	p := &milp.Problem{Maximize: true, Constant: 5}
	x := p.AddBinary("x")
	p.AddRow("c", terms{{Col: x, Coef: 1}}, milp.LessEqual, 1)
	return Case{"constant objective", p, milp.Optimal, 5}
}

// unusedColumn: a column in no row still has its bound.
func unusedColumn() Case {
	p := &milp.Problem{Maximize: true}
	x, y := p.AddInteger("x", -2, 6), p.AddBinary("y")
	p.SetCost(x, 1)
	p.AddRow("c", terms{{Col: y, Coef: 1}}, milp.LessEqual, 1)
	return Case{"column without rows", p, milp.Optimal, 6}
}

// fractionalBounds: integers from -2.5 to 3.5 and 0.5 to 1.5 and -0.5 to 1.5.
func fractionalBounds() Case {
	p := &milp.Problem{Maximize: true}
	x, y, z := p.AddInteger("x", -2.5, 3.5), p.AddInteger("y", 0.5, 1.5), p.AddInteger("z", -0.5, 1.5)
	for _, c := range []int{x, y, z} {
		p.SetCost(c, 1)
	}
	p.AddRow("r", terms{{Col: x, Coef: 2}, {Col: y, Coef: 1}, {Col: z, Coef: 1}}, milp.LessEqual, 8)
	return Case{"fractional bounds of integers", p, milp.Optimal, 5}
}

// lpMaximum: max 3a+2b, a+b <= 4, a+3b <= 6, -a >= -2.5: a = 2.5, b = 7/6 by
// the second row, 9 5/6; a unit of the second row is worth 2/3, of the third
// -(3-2/3).
func lpMaximum() Case {
	p := &milp.Problem{Maximize: true}
	a, b := p.AddContinuous("a", 0, inf), p.AddContinuous("b", 0, inf)
	p.SetCost(a, 3)
	p.SetCost(b, 2)
	p.AddRow("r1", terms{{Col: a, Coef: 1}, {Col: b, Coef: 1}}, milp.LessEqual, 4)
	p.AddRow("r2", terms{{Col: a, Coef: 1}, {Col: b, Coef: 3}}, milp.LessEqual, 6)
	p.AddRow("r3", terms{{Col: a, Coef: -1}}, milp.GreaterEqual, -2.5)
	return Case{"LP maximum", p, milp.Optimal, 9 + 5.0/6}
}

// lpMinimum: min 2a+3b, a+b >= 4, a-b = 1: a = 2.5, b = 1.5, 9.5; raising the
// first row by one adds half a unit to each: 2.5; the second: +1/2, -1/2: -0.5.
func lpMinimum() Case {
	p := &milp.Problem{}
	a, b := p.AddContinuous("a", -inf, inf), p.AddContinuous("b", -inf, inf)
	p.SetCost(a, 2)
	p.SetCost(b, 3)
	p.AddRow("r1", terms{{Col: a, Coef: 1}, {Col: b, Coef: 1}}, milp.GreaterEqual, 4)
	p.AddRow("r2", terms{{Col: a, Coef: 1}, {Col: b, Coef: -1}}, milp.Equal, 1)
	return Case{"LP minimum", p, milp.Optimal, 9.5}
}

// lpFractional: fractional coefficients, sides and constant.
func lpFractional() Case {
	p := &milp.Problem{Constant: 0.125}
	a := p.AddContinuous("a", -0.75, 1e6)
	p.SetCost(a, 0.5)
	p.AddRow("r", terms{{Col: a, Coef: 0.375}}, milp.GreaterEqual, 0.0375)
	return Case{"LP with fractions", p, milp.Optimal, 0.175}
}

func lpInfeasible() *milp.Problem {
	p := &milp.Problem{}
	x, y := p.AddContinuous("x", -inf, inf), p.AddContinuous("y", -inf, inf)
	p.SetCost(x, 3)
	p.AddRow("c", terms{{Col: x, Coef: 1}, {Col: y, Coef: 1}}, milp.GreaterEqual, 4)
	p.AddRow("d", terms{{Col: x, Coef: 1}, {Col: y, Coef: 1}}, milp.LessEqual, 3)
	return p
}

func lpUnbounded() *milp.Problem {
	p := &milp.Problem{}
	x, y := p.AddContinuous("x", -inf, inf), p.AddContinuous("y", -inf, inf)
	p.SetCost(x, 3)
	p.AddRow("c", terms{{Col: x, Coef: 1}, {Col: y, Coef: 1}}, milp.LessEqual, 4)
	return p
}

func crossed() *milp.Problem {
	p := &milp.Problem{}
	p.AddInteger("x", 3, 2)
	return p
}

func gap() *milp.Problem {
	p := &milp.Problem{}
	p.AddInteger("x", 2.25, 2.75)
	return p
}

func emptyRow(lower float64) *milp.Problem {
	p := &milp.Problem{Maximize: true}
	p.SetCost(p.AddBinary("x"), 1)
	p.AddRow("nothing", nil, milp.GreaterEqual, lower)
	return p
}

// MarketSplit returns a market split problem of m rows and n binaries: choose
// columns so that each row sums to half its total, at the least deviation.
// Branch and bound sees a relaxation of 0 until very late, so that 4 by 30
// keeps every solver busy for minutes.
func MarketSplit(m, n int, seed uint64) *milp.Problem {
	r := rand.New(rand.NewPCG(seed, 2))
	p := &milp.Problem{Name: "marketsplit"}
	for j := range n {
		p.AddBinary(fmt.Sprintf("x%d", j))
	}
	for i := range m {
		var ts terms
		sum := 0
		for j := range n {
			a := r.IntN(100)
			sum += a
			ts = append(ts, milp.Term{Col: j, Coef: float64(a)})
		}
		over, under := p.AddInteger(fmt.Sprintf("over%d", i), 0, 10000), p.AddInteger(fmt.Sprintf("under%d", i), 0, 10000)
		p.SetCost(over, 1)
		p.SetCost(under, 1)
		ts = append(ts, milp.Term{Col: over, Coef: -1}, milp.Term{Col: under, Coef: 1})
		p.AddRow(fmt.Sprintf("r%d", i), ts, milp.Equal, float64(sum/2))
	}
	return p
}
