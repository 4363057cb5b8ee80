package formula

import "math"

// Total is a sum over the iterations of a loop: of the quotients with Step * z added to the
// constant, for z from 0 to the count Of. Of quotients that are rounded up it takes the sum
// of what they may be at most, rounded down.
type Total struct {
	Of       int // index of a count
	Quotient Quotient
	Step     int64
}

// at is the total where the count is k.
func (t *Total) at(arguments []int64, k int64) int64 {
	return total(k+1, t.Quotient.dividend(arguments), t.Step, t.Quotient.divisor(arguments))
}

// total is no less than the sum of (first + step*z)/divisor, rounded up, over those z from 0
// to terms-1 for which it is above 0.
func total(terms, first, step, divisor int64) int64 {
	switch {
	case first > 0 && step < 0:
		terms = min(terms, (first-1)/-step+1)
	case first <= 0 && step > 0:
		from := min(-first/step+1, terms)
		terms, first = terms-from, first+from*step
	case first <= 0:
		return 0
	}
	sum := terms*first + terms*(terms-1)/2*step + terms*(divisor-1)
	return sum / divisor
}

// Fits says that nothing in the sum is beyond 62 bits, for a count of up to most.
func (t *Total) Fits(arguments []Argument, most int64) bool {
	if !t.Quotient.fits(arguments) || most >= math.MaxInt32 || t.Step < -math.MaxInt32 || t.Step > math.MaxInt32 {
		return false
	}
	size := bounded{arguments: arguments}
	q, terms := &t.Quotient, most+1
	for _, n := range []int64{q.Constant, t.Step * terms, q.Divisor} {
		if n < -math.MaxInt64/2/terms || n > math.MaxInt64/2/terms {
			return false
		}
		size.add(n * terms)
	}
	for _, of := range [][]int64{q.Factors, q.Per} {
		for i, n := range of {
			if n < -math.MaxInt64/2/terms || n > math.MaxInt64/2/terms {
				return false
			}
			size.add(n*terms, i)
		}
	}
	return !size.over && len(q.Product) == 0
}

// atMost says that a total is never above another one.
func (t *Total) atMost(other *Total, counts []Count) bool {
	return t.Step == other.Step && t.Quotient.atMost(&other.Quotient) && (t.Of == other.Of || counts[t.Of].atMost(&counts[other.Of], counts))
}

// The function total in C and Go.
const (
	totalC = `/* no less than the sum of (first + step*z)/divisor, rounded up, for z from 0 to terms - 1 */
static int64_t total(int64_t terms, int64_t first, int64_t step, int64_t divisor) {
	if (first > 0 && step < 0) {
		int64_t above = (first - 1) / -step + 1;
		if (above < terms) {
			terms = above;
		}
	} else if (first <= 0 && step > 0) {
		int64_t from = -first / step + 1;
		if (from > terms) {
			from = terms;
		}
		terms -= from;
		first += from * step;
	} else if (first <= 0) {
		return 0;
	}
	return (terms * first + terms * (terms - 1) / 2 * step + terms * (divisor - 1)) / divisor;
}

`
	totalGo = `
// total is no less than the sum of (first + step*z)/divisor, rounded up and at least 0, for z
// from 0 to terms-1.
func total(terms, first, step, divisor int64) int64 {
	switch {
	case first > 0 && step < 0:
		if above := (first-1)/-step + 1; above < terms {
			terms = above
		}
	case first <= 0 && step > 0:
		from := -first/step + 1
		if from > terms {
			from = terms
		}
		terms, first = terms-from, first+from*step
	case first <= 0:
		return 0
	}
	return (terms*first + terms*(terms-1)/2*step + terms*(divisor-1)) / divisor
}
`
)
