package choice

import (
	"errors"
	"math"
	"slices"
)

// Bounds of a search for prices: the values that one price is tried with, and how often each
// price is looked for once more, beside the others.
const (
	mostEvaluations = 48
	mostRounds      = 4
)

// search looks for prices.
type search struct {
	e      *Expr
	values Values
	limits []*Limit
	price  []int64 // of a unit of each limit; nil for none
	best   int64   // the value with them, and what limits give back
	// ceiling is the value without any price.
	ceiling int64
	quick   bool
}

// find looks for the prices of all limits. The bound is a convex function of them: where it
// has one, it is looked for alone. Where it has more, the prices that a linear programme has
// for the figure's sum over Runs are where the search begins, or each price is looked for
// after the other, whichever is better.
func (s *search) find() error {
	if len(s.limits) == 0 {
		return nil
	}
	s.price = make([]int64, len(s.limits))
	if err := s.rounds(); err != nil || len(s.limits) == 1 || s.quick {
		return err
	}
	alone := *s
	s.price = slices.Clone(s.price)
	starts := s.dual()
	if len(starts) == 0 {
		return nil
	}
	s.best = math.MaxInt64
	for _, start := range starts {
		v, err := s.at(start)
		if err != nil {
			return err
		}
		if v < s.best {
			s.best, s.price = v, start
		}
	}
	if s.best < math.MaxInt64 {
		if err := s.rounds(); err != nil {
			return err
		}
	}
	if alone.best <= s.best {
		*s = alone
	}
	return nil
}

// rounds improves one price after the other, until none gets better.
func (s *search) rounds() error {
	for range mostRounds {
		before := s.best
		for i := range s.limits {
			if err := s.one(i); err != nil {
				return err
			}
		}
		if s.best == before || len(s.limits) == 1 {
			break
		}
	}
	return nil
}

// at is the bound with prices; the largest integer where a path may cost more than numbers
// can hold.
func (s *search) at(price []int64) (int64, error) {
	of, paid, ok := s.symbols(price)
	if !ok {
		return math.MaxInt64, nil
	}
	v, err := s.values.Of(of)
	switch {
	case errors.Is(err, ErrOverflow):
		return math.MaxInt64, nil // no better than without
	case err != nil:
		return 0, err
	}
	return v + paid, nil
}

// symbols is the price of each symbol, and what limits give back.
func (s *search) symbols(price []int64) (of []int64, paid int64, ok bool) {
	for i, p := range price {
		l := s.limits[i]
		if p < 0 {
			return nil, 0, false
		}
		if of == nil {
			of = make([]int64, len(l.Factor))
		}
		if l.Most > 0 && p > math.MaxInt64/8/l.Most {
			return nil, 0, false
		}
		if paid += p * l.Most; paid > math.MaxInt64/4 {
			return nil, 0, false
		}
		if !s.add(of, p, func(symbol int) int64 { return l.Factor[symbol] }) {
			return nil, 0, false
		}
	}
	return of, paid, true
}

// add adds a price to those of symbols, if no path costs more than numbers can hold.
func (s *search) add(of []int64, p int64, factor func(symbol int) int64) bool {
	for i := range of {
		f := factor(i)
		if f != 0 && p > math.MaxInt64/8/max(f, -f) {
			return false
		}
		of[i] += p * f
		if x := max(of[i], -of[i]); x > math.MaxInt64/8/max(s.e.Len(), 1) {
			return false
		}
	}
	return true
}

// one looks for a price beside the others: the bound is a convex function of it.
func (s *search) one(i int) error {
	left := mostEvaluations
	price := slices.Clone(s.price)
	at := func(p int64) (int64, error) {
		left--
		price[i] = p
		v, err := s.at(price)
		if err == nil && v < s.best {
			s.best, s.price = v, slices.Clone(price)
		}
		return v, err
	}
	// Away from what it is, by steps that double, as long as that helps; if neither way does,
	// it stays.
	base := s.price[i]
	low, high := base, base
	away := func(sign int64) (better bool, err error) {
		last := base
		for step := int64(1); left > 0; step *= 2 {
			p := min(max(base+sign*step, 0), s.ceiling+1)
			if p == last {
				return better, nil
			}
			before := s.best
			if _, err := at(p); err != nil {
				return better, err
			}
			low, high = min(last, p), max(last, p)
			if s.best == before {
				low, high = min(low, base), max(high, base)
				return better, nil
			}
			better, last = true, p
		}
		return better, nil
	}
	better, err := away(1)
	if err == nil && !better {
		better, err = away(-1)
	}
	if err != nil || !better {
		return err
	}
	for high-low > 2 && left > 1 {
		a, b := low+(high-low)/3, high-(high-low)/3
		va, err := at(a)
		if err != nil {
			return err
		}
		vb, err := at(b)
		if err != nil {
			return err
		}
		if va <= vb {
			high = b
		} else {
			low = a
		}
	}
	for p := low + 1; p < high && left > 0; p++ {
		if _, err := at(p); err != nil {
			return err
		}
	}
	return nil
}

// paid is the case of the prices found.
func (s *search) paid() Case {
	var out Case
	for i, p := range s.price {
		if p > 0 {
			out = append(out, Price{Limit: s.limits[i], Each: p})
		}
	}
	return out
}

// exclude is the larger of the bounds of paths without either set of symbols.
func (s *search) exclude(x *Exclusion) (worst int64, cases []Case, err error) {
	worst = math.MinInt64
	for side, set := range [][]bool{x.A, x.B} {
		of, paid, ok := s.symbols(s.price)
		if of == nil {
			of = make([]int64, len(set))
		}
		if !ok || !s.add(of, s.ceiling+1, func(symbol int) int64 {
			if set[symbol] {
				return 1
			}
			return 0
		}) {
			return math.MaxInt64, nil, nil
		}
		v, err := s.values.Of(of)
		if err != nil {
			return 0, nil, err
		}
		worst = max(worst, v+paid)
		cases = append(cases, append(s.paid(), Price{Exclusion: x, Side: side, Each: s.ceiling + 1}))
	}
	return worst, cases, nil
}
