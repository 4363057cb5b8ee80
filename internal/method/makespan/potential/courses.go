package potential

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/warpbound/warpbound/internal/method/makespan"
)

// Courses is a certificate by cases (docs/soundness/makespan.md, theorem 18 (courses)):
// every schedule goes through stages in one of finitely many orders, and for each order,
// a course, a potential bounds the schedules that take it. The bound is the largest of
// theirs. It is often exact where a single Certificate is not, and larger.
type Courses struct {
	// Kinds, Capacities and Caps are as in Certificate.
	Kinds      []int   `json:"kinds"`
	Capacities []int64 `json:"capacities"`
	Caps       []int64 `json:"caps"`
	// Courses are different from each other.
	Courses []Course `json:"courses"`
}

// Course is a potential for the schedules that go through given stages.
type Course struct {
	Stages []Stage `json:"stages"`
	Scale  int64   `json:"scale"`
	// Weights[r][i] is the potential of a warp that waits for instruction i in stage
	// r, Offsets[r] the offsets of that stage by abstract state.
	Weights [][]int64 `json:"weights"`
	Offsets [][]int64 `json:"offsets"`
}

// Stage is a part of a schedule: the states in which Phase is the first instruction
// that a warp waits for and the kinds are as idle as Idle says, 2 bits a kind from
// the lowest on: 0 where the kind has been saturated in the phase so far, 1 from
// its first to its last unsaturated state there, 2 after the last.
type Stage struct {
	Phase int    `json:"phase"`
	Idle  uint64 `json:"idle"`
}

// DeriveCourses looks for courses with a small bound for the instance's warps; they
// hold for any other number as well. They have passed Check. Base has one entry
// that counts, the first; it is 2 by default.
//
// The error is a *makespan.LimitError where the string is too long for the budget
// or ctx ended.
func DeriveCourses(ctx context.Context, in *makespan.Instance, o Options) (*Courses, error) {
	if len(o.Base) == 0 {
		o.Base = []int64{2}
	}
	o = o.withDefaults()
	p, err := newProblem(in)
	if err != nil {
		return nil, err
	}
	caps := p.caps(o.Base[0])
	g, l, err := newUnfolded(ctx, p, caps, o)
	if err != nil {
		return nil, err
	}
	out := &Courses{Kinds: slices.Clone(p.kind), Capacities: slices.Clone(p.capacity), Caps: caps}
	for _, last := range g.endings() {
		path := l.path(last)
		r, w, err := improve(ctx, g.along(path), in.Warps, maxRounds)
		if err != nil {
			return nil, err
		}
		out.Courses = append(out.Courses, r.course(w, l, path))
	}
	if err := out.Check(ctx, o.MaxCourses); err != nil {
		return nil, err
	}
	return out, nil
}

// endings are the rows from which an edge leads to the end.
func (g *graph) endings() []int32 {
	ends := make([]bool, len(g.phase))
	for n := range g.nodes() {
		for _, e := range g.edges[g.start[n]:g.start[n+1]] {
			if e.to == g.final {
				ends[g.row[n]] = true
			}
		}
	}
	var out []int32
	for r, e := range ends {
		if e {
			out = append(out, int32(r))
		}
	}
	return out
}

// course is what the weights and offsets prove.
func (r *relaxation) course(w *weights, l *labels, path []int32) Course {
	c := Course{Scale: w.scale, Weights: w.waiting(r.phase)}
	for _, n := range path {
		s := l.list[n].stage
		c.Stages = append(c.Stages, Stage{s.phase, s.idle})
		offsets := make([]int64, r.size)
		for i := range offsets {
			offsets[i] = Unreachable
		}
		c.Offsets = append(c.Offsets, offsets)
	}
	for n, number := range r.number {
		if row := r.row[n]; int(row) < len(path) && r.offset[n] > unreached {
			c.Offsets[row][number] = r.offset[n]
		}
	}
	return c
}

// Line bounds the makespan from some number of warps on: for W ≥ From it is at most
// floor((Slope·W + Start)/Scale).
type Line struct{ From, Slope, Start, Scale int64 }

// at is the bound for a number of warps, at least From.
func (l Line) at(warps int64) *big.Int {
	b := new(big.Int).Mul(big.NewInt(warps), big.NewInt(l.Slope))
	b.Add(b, big.NewInt(l.Start))
	return b.Div(b, big.NewInt(l.Scale)) // Euclidean: downwards for a positive scale
}

// At is the bound for a number of warps; false where the line does not cover it or
// leaves int64.
func (l Line) At(warps int64) (int64, bool) {
	b := l.at(warps)
	return b.Int64(), warps >= l.From && b.IsInt64()
}

// formula is the line in W, such as W, 4 W + 1 or floor((5 W + 2) / 2).
func (l Line) formula() string {
	text := fmt.Sprintf("%d W", l.Slope)
	if l.Slope == 1 {
		text = "W"
	}
	alone := l.Start == 0
	switch {
	case l.Start < 0:
		text += fmt.Sprintf(" - %d", -l.Start)
	case l.Start > 0:
		text += fmt.Sprintf(" + %d", l.Start)
	}
	switch {
	case l.Scale == 1:
		return text
	case alone:
		return fmt.Sprintf("floor(%s / %d)", text, l.Scale)
	}
	return fmt.Sprintf("floor((%s) / %d)", text, l.Scale)
}

// reduced is the same bound in lowest terms.
func (l Line) reduced() Line {
	d := gcd(l.Scale, gcd(l.Slope, l.Start))
	if d < 0 {
		d = -d
	}
	return Line{l.From, l.Slope / d, l.Start / d, l.Scale / d}
}

func (l Line) String() string {
	return fmt.Sprintf("T(W) <= %s for W >= %d", l.formula(), l.From)
}

// Line is the certificate's bound.
func (c *Certificate) Line() Line {
	return Line{c.Caps[0], c.Weights[0][0], c.Offsets[c.Caps[0]], c.Scale}.reduced()
}

// line is the course's bound on the schedules that take it.
func (c *Courses) line(course *Course) Line {
	return Line{c.Caps[0], course.Weights[0][0], course.Offsets[0][c.Caps[0]], course.Scale}.reduced()
}

// bound is the largest bound of a course. Fewer warps than the first cap are bounded
// as if there were as many as the cap.
func (c *Courses) bound(warps int64) *big.Int {
	most := new(big.Int)
	for n := range c.Courses {
		if b := c.line(&c.Courses[n]).at(max(warps, c.Caps[0])); b.Cmp(most) > 0 {
			most = b
		}
	}
	return most
}

// Cycles bounds the makespan of the instance, as Certificate.Cycles does; the
// courses have passed Check.
func (c *Courses) Cycles(in *makespan.Instance) (cycles int64, byCourses bool, err error) {
	if err := matches(in, c.Kinds, c.Capacities); err != nil {
		return 0, false, err
	}
	safe, err := in.Safe()
	if b := c.bound(in.Warps); b.IsInt64() && (err != nil || b.Int64() < safe) {
		return b.Int64(), true, nil
	}
	return safe, false, err
}

// Line is the bound of the steepest course from where it is the largest, and of
// equally steep ones the one with the largest start.
func (c *Courses) Line() Line {
	var top Line
	steeper := func(a, b Line) int {
		if n := compareProducts(a.Slope, b.Scale, b.Slope, a.Scale); n != 0 {
			return n
		}
		return compareProducts(a.Start, b.Scale, b.Start, a.Scale)
	}
	for n := range c.Courses {
		if l := c.line(&c.Courses[n]); n == 0 || steeper(l, top) > 0 {
			top = l
		}
	}
	for n := range c.Courses {
		top.From = max(top.From, top.passes(c.line(&c.Courses[n])))
	}
	return top
}

// passes is the number of warps from which on l is at least other, which is not
// steeper: the least W with W·(l.Slope·other.Scale − other.Slope·l.Scale) ≥
// other.Start·l.Scale − l.Start·other.Scale.
func (l Line) passes(other Line) int64 {
	slope := product(l.Slope, other.Scale)
	slope.Sub(slope, product(other.Slope, l.Scale))
	start := product(other.Start, l.Scale)
	start.Sub(start, product(l.Start, other.Scale))
	if slope.Sign() == 0 || start.Sign() <= 0 {
		return 0
	}
	start.Add(start, slope).Sub(start, big.NewInt(1)).Div(start, slope)
	if !start.IsInt64() {
		return math.MaxInt64
	}
	return start.Int64()
}

func product(a, b int64) *big.Int { return new(big.Int).Mul(big.NewInt(a), big.NewInt(b)) }

func compareProducts(a, b, c, d int64) int { return product(a, b).Cmp(product(c, d)) }

// String is one line: the bound, and how many courses there are.
func (c *Courses) String() string { return fmt.Sprintf("%v, by %d courses", c.Line(), len(c.Courses)) }
