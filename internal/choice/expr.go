package choice

import (
	"errors"
	"math"
	"slices"
)

// ErrOverflow reports a largest weight that does not fit an int64.
var ErrOverflow = errors.New("the largest weight of a path does not fit 63 bits")

// Kind says what an expression is made of.
type Kind uint8

// The kinds of expressions.
const (
	// Empty is the one path without symbols.
	Empty Kind = iota
	// Run is one path of at least one symbol.
	Run
	// Concat is a path of each of its parts, at least two, in order.
	Concat
	// Any is a path of each part of some selection of its parts, at least two, in
	// any order; the selection may be empty, and equal parts count separately.
	Any
	// One is a path of exactly one of its parts, at least two different ones.
	One
	// Repeat is a path of its body, Count times, at least twice.
	Repeat
	// AtMost is a path of its body, 0 to Count times, Count at least 1.
	AtMost
)

// Expr is a set of paths. It is not changed after it was made, so it may be
// shared between goroutines and be a part of many others.
type Expr struct {
	kind    Kind
	choices bool
	id      int32
	symbols []int32 // of a Run
	parts   []*Expr
	body    *Expr
	count   int64
	tag     int32
	length  int64
	owner   *Builder
}

// Kind says what e is made of, and so which of the following are set.
func (e *Expr) Kind() Kind { return e.kind }

// Run returns the symbols of a Run; the caller must not change them.
func (e *Expr) Run() []int32 { return e.symbols }

// Parts returns the parts of a Concat in order, and of an Any or a One in an
// order without meaning; the caller must not change them.
func (e *Expr) Parts() []*Expr { return e.parts }

// Body returns the body of a Repeat or an AtMost.
func (e *Expr) Body() *Expr { return e.body }

// Count returns how often the body of a Repeat or an AtMost comes, or comes at
// most.
func (e *Expr) Count() int64 { return e.count }

// Tag names the count of an AtMost for the caller, as AtMostOf has it; 0 for none.
func (e *Expr) Tag() int32 { return e.tag }

// ID numbers the expressions of one builder in the order in which they were
// made, from 0, parts before what contains them.
func (e *Expr) ID() int { return int(e.id) }

// Choices tells whether e may be anything but a single path.
func (e *Expr) Choices() bool { return e.choices }

// Len is the number of symbols of the longest path.
func (e *Expr) Len() int64 { return e.length }

// visit calls f for every node of e once, parts before what contains them.
func (e *Expr) visit(f func(*Expr) error) error {
	seen := make([]bool, e.id+1)
	var walk func(*Expr) error
	walk = func(x *Expr) error {
		if seen[x.id] {
			return nil
		}
		seen[x.id] = true
		for _, p := range x.parts {
			if err := walk(p); err != nil {
				return err
			}
		}
		if x.body != nil {
			if err := walk(x.body); err != nil {
				return err
			}
		}
		return f(x)
	}
	return walk(e)
}

// Symbols returns every symbol that occurs in e, in ascending order.
func (e *Expr) Symbols() []int32 {
	set := map[int32]struct{}{}
	_ = e.visit(func(x *Expr) error { // f never fails
		for _, s := range x.symbols {
			set[s] = struct{}{}
		}
		return nil
	})
	out := make([]int32, 0, len(set))
	for s := range set {
		out = append(out, s)
	}
	slices.Sort(out)
	return out
}

// MaxWeight returns the largest sum of weights along any path of e. Weights may
// be negative; a sum beyond int64 is ErrOverflow.
func (e *Expr) MaxWeight(weight func(symbol int32) int64) (int64, error) {
	return e.maxWeights(make([]int64, e.id+1), weight)
}

// maxWeights fills best, by ID, with the largest weights of e and its parts.
func (e *Expr) maxWeights(best []int64, weight func(symbol int32) int64) (int64, error) {
	err := e.visit(func(x *Expr) error {
		var c sum
		switch x.kind {
		case Run:
			for _, s := range x.symbols {
				c.add(weight(s))
			}
		case Concat:
			for _, p := range x.parts {
				c.add(best[p.id])
			}
		case Any:
			for _, p := range x.parts {
				c.add(max(best[p.id], 0))
			}
		case One:
			c.total = best[x.parts[0].id]
			for _, p := range x.parts[1:] {
				c.total = max(c.total, best[p.id])
			}
		case Repeat:
			c.addProduct(x.count, best[x.body.id])
		case AtMost:
			c.addProduct(x.count, max(best[x.body.id], 0))
		}
		best[x.id] = c.total
		if c.over {
			return ErrOverflow
		}
		return nil
	})
	return best[e.id], err
}

// Heaviest returns the largest sum of weights along any path of e, as MaxWeight does, and
// how often each of n symbols occurs on one such path. Weights must not be negative.
func (e *Expr) Heaviest(n int, weight func(symbol int32) int64) (counts []int64, total int64, err error) {
	best := make([]int64, e.id+1)
	if _, err := e.maxWeights(best, weight); err != nil {
		return nil, 0, err
	}
	// From what contains others to its parts, how often each node comes.
	times := make([]int64, e.id+1)
	times[e.id] = 1
	var nodes []*Expr
	_ = e.visit(func(x *Expr) error { nodes = append(nodes, x); return nil }) // f never fails
	counts = make([]int64, n)
	over := false
	add := func(to *int64, t, count int64) {
		if t > (math.MaxInt64-*to)/count {
			over = true
			return
		}
		*to += t * count
	}
	for _, x := range slices.Backward(nodes) {
		t := times[x.id]
		if t == 0 {
			continue
		}
		switch x.kind {
		case Run:
			for _, s := range x.symbols {
				add(&counts[s], t, 1)
			}
		case Concat, Any:
			for _, p := range x.parts {
				add(&times[p.id], t, 1)
			}
		case One:
			most := x.parts[0]
			for _, p := range x.parts[1:] {
				if best[p.id] > best[most.id] {
					most = p
				}
			}
			add(&times[most.id], t, 1)
		case Repeat, AtMost:
			add(&times[x.body.id], t, x.count)
		}
	}
	if over {
		return nil, 0, ErrOverflow
	}
	return counts, best[e.id], nil
}

// sum adds checked; once over, the total means nothing.
type sum struct {
	total int64
	over  bool
}

func (c *sum) add(v int64) {
	s := c.total + v
	c.over = c.over || (v > 0 && s < c.total) || (v < 0 && s > c.total)
	c.total = s
}

// addProduct adds n*v; n is positive.
func (c *sum) addProduct(n, v int64) {
	if v > math.MaxInt64/n || v < math.MinInt64/n {
		c.over = true
		return
	}
	c.add(n * v)
}
