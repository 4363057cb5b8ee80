package formula

import (
	"fmt"
	"math"
	"slices"
)

// Argument is an integer that a formula is in.
type Argument struct {
	Name     string
	Min, Max int64 // for which the formula is valid
}

// Quotient is the least integer that is no less than (Constant + sum of Factors[i] *
// argument i) / Divisor, or 0 if that is negative. Divisor is at least 1.
type Quotient struct {
	Constant int64
	Factors  []int64
	Divisor  int64
}

// Count is at most Most, and at most the largest quotient of each test.
type Count struct {
	Name  string // of what is counted
	Most  int64
	Tests [][]Quotient
}

// Variable is a count of a formula divided by Per, rounded up.
type Variable struct {
	Count int
	Per   int64
}

// Formula is a figure as a function of arguments: the smaller one of Value, over Vars, and
// AtMost, which holds for all arguments that are valid.
type Formula struct {
	Arguments []Argument
	Counts    []Count
	Vars      []Variable
	Value     Form
	AtMost    int64
}

// New makes a formula whose figures and whose parts all fit 63 bits for all arguments that
// are valid, with nothing that is not used. Quotients that might not fit are left out, with
// their tests.
func New(arguments []Argument, counts []Count, vars []Variable, value Form, atMost int64) (*Formula, error) {
	f := &Formula{Arguments: arguments, AtMost: atMost}
	used := make([]bool, len(vars))
	for _, s := range value {
		for _, t := range s.Terms {
			for _, v := range t.Vars {
				used[v] = true
			}
		}
	}
	at := map[int]int{}
	to := make([]Var, len(vars))
	for i, v := range vars {
		if !used[i] {
			continue
		}
		n, ok := at[v.Count]
		if !ok {
			n = len(f.Counts)
			at[v.Count] = n
			count := counts[v.Count]
			count.Tests = slices.DeleteFunc(slices.Clone(count.Tests), func(test []Quotient) bool {
				return slices.ContainsFunc(test, func(q Quotient) bool { return !q.fits(arguments) })
			})
			f.Counts = append(f.Counts, count)
		}
		if count := &f.Counts[n]; count.Most < 0 || v.Per < 1 || count.Most > math.MaxInt64-v.Per {
			return nil, fmt.Errorf("variable %d is one %dth of a count up to %d", i, v.Per, count.Most)
		}
		to[i] = Var(len(f.Vars))
		f.Vars = append(f.Vars, Variable{n, v.Per})
	}
	f.Value = value.renamed(func(v Var) Var { return to[v] })
	largest := make([]int64, len(f.Vars))
	for i, v := range f.Vars {
		largest[i] = perGroup(f.Counts[v.Count].Most, v.Per)
	}
	_, err := f.Value.At(largest)
	return f, err
}

// fits says that no part of the dividend is beyond 62 bits.
func (q *Quotient) fits(arguments []Argument) bool {
	const limit = math.MaxInt64 / 2
	if q.Divisor < 1 || len(q.Factors) > len(arguments) || q.Constant < -limit || q.Constant > limit {
		return false
	}
	total := max(q.Constant, -q.Constant)
	for i, n := range q.Factors {
		a := arguments[i]
		if n < -limit || n > limit || a.Min < -limit || a.Max > limit {
			return false
		}
		size := max(a.Min, -a.Min, a.Max, -a.Max)
		if n = max(n, -n); n > 0 && size > (limit-total)/n {
			return false
		}
		total += n * size
	}
	return true
}

func perGroup(n, per int64) int64 { return (n + per - 1) / per }

// At is the value for arguments; an error where one is not valid.
func (f *Formula) At(arguments []int64) (int64, error) {
	if len(arguments) != len(f.Arguments) {
		return 0, fmt.Errorf("%d arguments, expected %d", len(arguments), len(f.Arguments))
	}
	for i, a := range f.Arguments {
		if x := arguments[i]; x < a.Min || x > a.Max {
			return 0, fmt.Errorf("%s is %d, expected %d to %d", a.Name, x, a.Min, a.Max)
		}
	}
	values := make([]int64, len(f.Vars))
	for i, v := range f.Vars {
		values[i] = perGroup(f.Counts[v.Count].at(arguments), v.Per)
	}
	n, err := f.Value.At(values)
	return min(n, f.AtMost), err
}

func (c *Count) at(arguments []int64) int64 {
	most := c.Most
	for _, test := range c.Tests {
		largest := int64(0)
		for _, q := range test {
			dividend := q.Constant
			for i, n := range q.Factors {
				dividend += n * arguments[i]
			}
			if dividend > 0 {
				largest = max(largest, (dividend-1)/q.Divisor+1)
			}
		}
		most = min(most, largest)
	}
	return most
}

// AddLargest adds the largest of n times any integer from low to high to the constant. It
// returns false where that does not fit.
func (q *Quotient) AddLargest(n, low, high int64) bool {
	x := high
	if n < 0 {
		x = low
	}
	if x != 0 && n != 0 && (n*x/x != n || n == -1 && x == math.MinInt64 || x == -1 && n == math.MinInt64) {
		return false
	}
	sum := q.Constant + n*x
	if (sum > q.Constant) != (n*x > 0) {
		return false
	}
	q.Constant = sum
	return true
}
