package choice

import "errors"

// ErrNone reports limits that no path respects.
var ErrNone = errors.New("no path of a warp respects what facts say of sums of counts and of exclusive places")

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
	// Quick looks for the price of each limit in its turn, and solves no linear programme,
	// which takes some 20 ms.
	Quick bool
}

// Empty says that nothing is known.
func (l *Limits) Empty() bool { return l == nil || len(l.Limits)+len(l.Exclusions) == 0 }

// Part is what is known of each part of a path: sums with negative factors are known of
// the whole only.
func (l *Limits) Part() *Limits {
	if l == nil {
		return nil
	}
	out := &Limits{Exclusions: l.Exclusions, Quick: l.Quick}
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

// Values is what a search for prices needs to know of the figure that it is for.
type Values struct {
	// Of is no less than the figure, which is not below 0, of any path less the prices of its symbols, each as often
	// as it comes; with a nil slice nothing has a price. With prices ErrOverflow says that
	// these are no good.
	Of func(price []int64) (int64, error)
	// Run is what a Run adds to the figure, roughly: only where the search begins depends on it.
	Run func(run *Expr) int64
}

// Under is no less than the value of any path of e that respects the limits. Every path is
// of one of the cases; Under is the largest of their values, with what their limits give back
// for the prices.
//
// For limits sum f <= M and any prices p >= 0 of a unit of each f, a path that respects them
// has the value v <= (v - p sum f) + p M, added up over the limits (Lagrange); all prices give
// a bound, and those of a small one are looked for. Of an exclusion a path has no symbol of A,
// or none of B: the larger of the two bounds holds.
func (l *Limits) Under(e *Expr, values Values) (int64, []Case, error) {
	best, err := values.Of(nil)
	if err != nil || l.Empty() {
		return best, []Case{nil}, err
	}
	binds, err := l.Binds(e)
	if err != nil {
		return 0, nil, err
	}
	s := search{e: e, values: values, best: best, ceiling: best, quick: l.Quick}
	for i := range l.Limits {
		if binds[i] {
			s.limits = append(s.limits, &l.Limits[i])
		}
	}
	if err := s.find(); err != nil {
		return 0, nil, err
	}
	cases := []Case{s.paid()}
	for i := range l.Exclusions {
		if !binds[len(l.Limits)+i] {
			continue
		}
		worst, two, err := s.exclude(&l.Exclusions[i])
		if err != nil {
			return 0, nil, err
		}
		if worst < s.best {
			s.best, cases = worst, two
		}
	}
	if s.best < 0 { // no figure is
		return 0, nil, ErrNone
	}
	return s.best, cases, nil
}

// MaxUnder is no less than the largest sum of weights along any path of e that respects
// the limits. A sum beyond int64 is ErrOverflow.
func (e *Expr) MaxUnder(l *Limits, weight func(symbol int32) int64) (int64, error) {
	most, _, err := e.Cases(l, weight)
	return most, err
}

// Cases is MaxUnder with the cases that show it.
func (e *Expr) Cases(l *Limits, weight func(symbol int32) int64) (int64, []Case, error) {
	return l.Under(e, Values{
		Of: func(price []int64) (int64, error) {
			if price == nil {
				return e.MaxWeight(weight)
			}
			return e.MaxWeight(func(s int32) int64 { return weight(s) - price[s] })
		},
		Run: func(run *Expr) int64 {
			sum := int64(0)
			for _, s := range run.symbols {
				sum += weight(s)
			}
			return sum
		},
	})
}
