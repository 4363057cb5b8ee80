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
	Step     int64 // between values from Min on; 0 and 1 for all
}

// Quotient is the least integer that is no less than (Constant + sum of Factors[i] *
// argument i + Multiple * product of the arguments in Product, if there are some) / (Divisor + sum of Per[i] *
// argument i), or 0 if that is negative. What is divided by is at least 1 for all arguments
// that are valid.
type Quotient struct {
	Constant int64
	Factors  []int64
	Divisor  int64
	Per      []int64
	Multiple int64
	Product  []int
}

// Count is at most Most, at most the largest quotient of each test, and at most Total, if
// that is not nil.
type Count struct {
	Name  string // of what is counted
	Most  int64
	Tests [][]Quotient
	Total *Total
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
	var add func(i int) int
	add = func(i int) int {
		n, ok := at[i]
		if ok {
			return n
		}
		count := counts[i]
		count.Fit(arguments)
		if t := count.Total; t != nil {
			count.Total = nil
			if t.Fits(arguments, counts[t.Of].Most) {
				count.Total = &Total{add(t.Of), t.Quotient, t.Step} // before what it is of
			}
		}
		n = len(f.Counts)
		at[i] = n
		f.Counts = append(f.Counts, count)
		return n
	}
	to := make([]Var, len(vars))
	for i, v := range vars {
		if !used[i] {
			continue
		}
		n := add(v.Count)
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

// Always is a formula in no argument.
func Always(n int64) *Formula {
	return &Formula{Value: new(Calc).Constant(n), AtMost: n}
}

// fits says that no part of the dividend is beyond 62 bits, nor one of the divisor, which
// is at least 1.
func (q *Quotient) fits(arguments []Argument) bool {
	sum := bounded{arguments: arguments}
	sum.add(q.Constant)
	for i, n := range q.Factors {
		sum.add(n, i)
	}
	sum.add(q.Multiple, q.Product...)
	by := bounded{arguments: arguments}
	by.add(q.Divisor)
	least := q.Divisor
	for i, n := range q.Per {
		if by.add(n, i); by.over {
			return false
		}
		least += min(n*arguments[i].Min, n*arguments[i].Max)
	}
	return !sum.over && !by.over && least >= 1
}

// bounded adds the sizes of products of a number and arguments, up to 62 bits.
type bounded struct {
	arguments []Argument
	total     int64
	over      bool
}

func (b *bounded) add(n int64, of ...int) {
	const limit = math.MaxInt64 / 2
	if n < -limit || n > limit {
		b.over = true
	}
	size := max(n, -n)
	for _, i := range of {
		if b.over || i >= len(b.arguments) || n != 0 && (b.arguments[i].Min < -limit || b.arguments[i].Max > limit) {
			b.over = true
			return
		}
		if by := max(b.arguments[i].Max, -b.arguments[i].Min, 1); size > 0 && size > limit/by {
			b.over = true
			return
		} else if size > 0 {
			size *= by
		}
	}
	if b.over = b.over || b.total > limit-size; !b.over {
		b.total += size
	}
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
		values[i] = perGroup(f.count(v.Count, arguments), v.Per)
	}
	n, err := f.Value.At(values)
	return min(n, f.AtMost), err
}

// count is the value of a count for arguments.
func (f *Formula) count(i int, arguments []int64) int64 {
	c := &f.Counts[i]
	most := c.at(arguments)
	if t := c.Total; t != nil {
		most = min(most, t.at(arguments, f.count(t.Of, arguments)))
	}
	return most
}

// at is a count without its total.
func (c *Count) at(arguments []int64) int64 {
	most := c.Most
	for _, test := range c.Tests {
		largest := int64(0)
		for _, q := range test {
			if dividend := q.dividend(arguments); dividend > 0 {
				largest = max(largest, (dividend-1)/q.divisor(arguments)+1)
			}
		}
		most = min(most, largest)
	}
	return most
}

func (q *Quotient) dividend(arguments []int64) int64 {
	out := q.Constant
	if len(q.Product) > 0 {
		product := q.Multiple
		for _, i := range q.Product {
			product *= arguments[i]
		}
		out += product
	}
	for i, n := range q.Factors {
		out += n * arguments[i]
	}
	return out
}

func (q *Quotient) divisor(arguments []int64) int64 {
	out := q.Divisor
	for i, n := range q.Per {
		out += n * arguments[i]
	}
	return out
}

// AddLargest adds the largest of n times any integer from low to high to the constant. It
// returns false where that does not fit.
func (q *Quotient) AddLargest(n, low, high int64) bool {
	x := high
	if n < 0 {
		x = low
	}
	return addProduct(&q.Constant, n, x)
}

// AddLeast adds the least of n times any integer from low to high to the divisor. It
// returns false where that does not fit.
func (q *Quotient) AddLeast(n, low, high int64) bool {
	x := low
	if n < 0 {
		x = high
	}
	return addProduct(&q.Divisor, n, x)
}

// DividedBy divides a quotient once more. It returns false where that does not fit.
func (q *Quotient) DividedBy(n int64) bool {
	q.Per = slices.Clone(q.Per)
	for i := range q.Per {
		if x := q.Per[i]; x > math.MaxInt64/n || x < -math.MaxInt64/n {
			return false
		}
		q.Per[i] *= n
	}
	if q.Divisor > math.MaxInt64/n || q.Divisor < -math.MaxInt64/n {
		return false
	}
	q.Divisor *= n
	return true
}

func addProduct(to *int64, n, x int64) bool {
	if x != 0 && n != 0 && (n*x/x != n || n == -1 && x == math.MinInt64 || x == -1 && n == math.MinInt64) {
		return false
	}
	sum := *to + n*x
	if (sum > *to) != (n*x > 0) {
		return false
	}
	*to = sum
	return true
}
