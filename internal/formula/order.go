package formula

import "slices"

// atMost says that a is never above b: no coefficient is larger, or what is missing is left
// over in b of products that are never below.
func (c *Calc) atMost(a, b *Sum) bool {
	if atMost(a, b) {
		return true
	}
	if c.AtMost == nil || a.Constant > b.Constant || !enough(a.Terms, b.Terms) {
		return false
	}
	left := make([]int64, len(b.Terms))
	for i, t := range b.Terms {
		left[i] = t.Coefficient
	}
	missing := make([]int64, len(a.Terms))
	for i, t := range a.Terms {
		missing[i] = t.Coefficient
		if j, ok := slices.BinarySearchFunc(b.Terms, t, byVars); ok {
			n := min(missing[i], left[j])
			missing[i], left[j] = missing[i]-n, left[j]-n
		}
	}
	for i, t := range a.Terms {
		for j, u := range b.Terms {
			if n := min(missing[i], left[j]); n > 0 && c.product(t.Vars, u.Vars) {
				missing[i], left[j] = missing[i]-n, left[j]-n
			}
		}
		if missing[i] > 0 {
			return false
		}
	}
	return true
}

// enough says that for products of each length the coefficients of b are no less together,
// without which they cannot make up for those of a.
func enough(a, b []Term) bool {
	for len(a) > 0 {
		n := len(a[0].Vars)
		over := 0.0
		for len(a) > 0 && len(a[0].Vars) == n {
			over, a = over+float64(a[0].Coefficient), a[1:]
		}
		for len(b) > 0 && len(b[0].Vars) < n {
			b = b[1:]
		}
		for len(b) > 0 && len(b[0].Vars) == n {
			over, b = over-float64(b[0].Coefficient), b[1:]
		}
		if over > 1 {
			return false
		}
	}
	return true
}

// product says that a product is never above another one, factor by factor.
func (c *Calc) product(a, b []Var) bool {
	if len(a) != len(b) {
		return false
	}
	for i, v := range a {
		if v != b[i] && !c.AtMost(v, b[i]) {
			return false
		}
	}
	return true
}

// atMost says that a count is never above another one: each of its tests is among those of
// the other, with a constant that is no larger, and so is its total.
func (c *Count) atMost(other *Count, counts []Count) bool {
	if c.Most > other.Most || other.Total != nil && (c.Total == nil || !c.Total.atMost(other.Total, counts)) {
		return false
	}
	for _, test := range other.Tests {
		if !slices.ContainsFunc(c.Tests, func(own []Quotient) bool { return testAtMost(own, test) }) {
			return false
		}
	}
	return true
}

func testAtMost(a, b []Quotient) bool {
	for i := range a {
		if !slices.ContainsFunc(b, func(q Quotient) bool { return a[i].atMost(&q) }) {
			return false
		}
	}
	return true
}

// atMost compares quotients that differ in their constants.
func (q *Quotient) atMost(other *Quotient) bool {
	return q.Constant <= other.Constant && q.Divisor == other.Divisor && q.Multiple == other.Multiple &&
		slices.Equal(q.Factors, other.Factors) && slices.Equal(q.Per, other.Per) && slices.Equal(q.Product, other.Product)
}

// AtMost says that a variable is never above another one.
func (v Variable) AtMost(other Variable, counts []Count) bool {
	return v.Per >= other.Per && (v.Count == other.Count || counts[v.Count].atMost(&counts[other.Count], counts))
}

// Fit leaves the tests out of which a quotient may not fit 63 bits for arguments that are
// valid.
func (c *Count) Fit(arguments []Argument) {
	c.Tests = slices.DeleteFunc(slices.Clone(c.Tests), func(test []Quotient) bool {
		return slices.ContainsFunc(test, func(q Quotient) bool { return !q.fits(arguments) })
	})
}
