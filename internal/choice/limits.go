package choice

import (
	"math"
	"slices"
)

// Limit bounds, of each path, the sum of factors of its symbols.
type Limit struct {
	ID     int     // the caller's
	Factor []int64 // by symbol
	Most   int64
}

// Exclusion says that no path has symbols of both sets.
type Exclusion struct {
	ID   int    // the caller's
	A, B []bool // by symbol
}

// Limits are what is known of paths beyond the expression.
type Limits struct {
	Limits     []Limit
	Exclusions []Exclusion
}

// Empty says that nothing is known.
func (l *Limits) Empty() bool { return l == nil || len(l.Limits)+len(l.Exclusions) == 0 }

// Part is what is known of each part of a path: sums with negative factors are known of
// the whole only.
func (l *Limits) Part() *Limits {
	if l == nil {
		return nil
	}
	out := &Limits{Exclusions: l.Exclusions}
	for _, x := range l.Limits {
		if !x.mixed() {
			out.Limits = append(out.Limits, x)
		}
	}
	return out
}

// mixed says that symbols outweigh others.
func (l *Limit) mixed() bool {
	for _, f := range l.Factor {
		if f < 0 {
			return true
		}
	}
	return false
}

// Price is what a symbol costs for each unit of its factor in a limit, or, of an exclusion,
// for being in the set of Side: 0 is A, 1 is B.
type Price struct {
	Limit     *Limit
	Exclusion *Exclusion
	Side      int
	Each      int64
}

// Case is the prices under which a figure of the paths that it is for holds: those without
// symbols of the sets priced.
type Case []Price

// Binds says which of the limits, and of the exclusions behind them, some path of the
// expression does not respect.
func (l *Limits) Binds(e *Expr) ([]bool, error) {
	var out []bool
	for i := range l.Limits {
		most, err := e.MaxWeight(func(s int32) int64 { return l.Limits[i].Factor[s] })
		if err != nil {
			return nil, err
		}
		out = append(out, most > l.Limits[i].Most)
	}
	symbols := e.Symbols()
	for i := range l.Exclusions {
		var a, b bool
		for _, s := range symbols {
			a, b = a || l.Exclusions[i].A[s], b || l.Exclusions[i].B[s]
		}
		out = append(out, a && b)
	}
	return out, nil
}

// mostEvaluations bounds the evaluations of a search for a price.
const mostEvaluations = 48

// Under is no less than the value of any path of e that respects the limits. value has to
// be no less than the value of any path less the prices of its symbols, each as often as it
// comes; with a nil slice nothing has a price. Every path is of one of the cases; Under is
// the largest of their values, with what their limits give back for the prices.
//
// For a limit sum f <= M and any price p >= 0 of a unit of f, a path that respects it has
// the value v <= (v - p sum f) + p M (Lagrange); every price gives a bound, and the smallest
// one is looked for. Of an exclusion a path has no symbol of A, or none of B: the larger of
// the two bounds holds.
func (l *Limits) Under(e *Expr, value func(price []int64) (int64, error)) (int64, []Case, error) {
	best, err := value(nil)
	if err != nil || l.Empty() {
		return best, []Case{nil}, err
	}
	binds, err := l.Binds(e)
	if err != nil {
		return 0, nil, err
	}
	s := search{e: e, value: value, best: best, ceiling: best, cases: []Case{nil}}
	for i := range l.Limits {
		if binds[i] {
			if err := s.limit(&l.Limits[i]); err != nil {
				return 0, nil, err
			}
		}
	}
	for i := range l.Exclusions {
		if binds[len(l.Limits)+i] {
			if err := s.exclude(&l.Exclusions[i]); err != nil {
				return 0, nil, err
			}
		}
	}
	return s.best, s.cases, nil
}

// search looks for prices.
type search struct {
	e       *Expr
	value   func(price []int64) (int64, error)
	price   []int64 // of all limits so far, by symbol; nil for none
	all     Case    // the same
	paid    int64   // what respected limits give back for them
	best    int64
	cases   []Case // of best
	ceiling int64  // the value without any price
}

// priced adds the price of a factor, if no path costs more than numbers can hold.
func (s *search) priced(p int64, factor func(symbol int) int64, symbols int) ([]int64, bool) {
	out := make([]int64, symbols)
	copy(out, s.price)
	for i := range out {
		f := factor(i)
		if f != 0 && p > math.MaxInt64/8/max(f, -f) {
			return nil, false
		}
		out[i] += p * f
		if x := max(out[i], -out[i]); x > math.MaxInt64/8/max(s.e.Len(), 1) {
			return nil, false
		}
	}
	return out, true
}

// limit looks for the price of a limit: the bound is a convex function of it.
func (s *search) limit(l *Limit) error {
	left := mostEvaluations
	at := func(p int64) (int64, error) {
		left--
		price, ok := s.priced(p, func(i int) int64 { return l.Factor[i] }, len(l.Factor))
		if !ok || l.Most > 0 && p > (math.MaxInt64/8)/l.Most {
			return math.MaxInt64, nil
		}
		v, err := s.value(price)
		if err != nil {
			return 0, err
		}
		return v + s.paid + p*l.Most, nil
	}
	low, high, now := int64(0), int64(1), s.best
	take := func(p, v int64) (better bool) { better = v < now; now = min(now, v); return better }
	bestPrice := int64(0)
	for high <= s.ceiling && left > 0 {
		v, err := at(high)
		if err != nil {
			return err
		}
		if !take(high, v) {
			break
		}
		bestPrice, low, high = high, high, high*2
	}
	if bestPrice > 0 {
		low = bestPrice / 2
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
		if take(a, va) {
			bestPrice = a
		}
		if take(b, vb) {
			bestPrice = b
		}
		if va <= vb {
			high = b
		} else {
			low = a
		}
	}
	for p := low + 1; p < high && left > 0; p++ {
		v, err := at(p)
		if err != nil {
			return err
		}
		if take(p, v) {
			bestPrice = p
		}
	}
	if bestPrice > 0 {
		s.price, _ = s.priced(bestPrice, func(i int) int64 { return l.Factor[i] }, len(l.Factor))
		s.paid += bestPrice * l.Most
		s.all = append(s.all, Price{Limit: l, Each: bestPrice})
		s.best, s.cases = now, []Case{s.all}
	}
	return nil
}

// exclude takes the larger of the bounds of paths without either set of symbols.
func (s *search) exclude(x *Exclusion) error {
	worst := int64(math.MinInt64)
	var cases []Case
	for side, set := range [][]bool{x.A, x.B} {
		price, ok := s.priced(s.ceiling+1, func(i int) int64 {
			if set[i] {
				return 1
			}
			return 0
		}, len(set))
		if !ok {
			return nil
		}
		v, err := s.value(price)
		if err != nil {
			return err
		}
		worst = max(worst, v+s.paid)
		cases = append(cases, append(slices.Clip(s.all), Price{Exclusion: x, Side: side, Each: s.ceiling + 1}))
	}
	if worst < s.best {
		s.best, s.cases = worst, cases
	}
	return nil
}

// MaxUnder is no less than the largest sum of weights along any path of e that respects
// the limits. A sum beyond int64 is ErrOverflow.
func (e *Expr) MaxUnder(l *Limits, weight func(symbol int32) int64) (int64, error) {
	most, _, err := e.Cases(l, weight)
	return most, err
}

// Cases is MaxUnder with the cases that show it.
func (e *Expr) Cases(l *Limits, weight func(symbol int32) int64) (int64, []Case, error) {
	return l.Under(e, func(price []int64) (int64, error) {
		if price == nil {
			return e.MaxWeight(weight)
		}
		return e.MaxWeight(func(s int32) int64 { return weight(s) - price[s] })
	})
}
