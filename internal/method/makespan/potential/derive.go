package potential

import (
	"context"
	"errors"
	"math"
	"math/big"
	"slices"

	"github.com/warpbound/warpbound/internal/method/makespan"
)

// Options bound the work of Derive. The zero value means the defaults.
type Options struct {
	// Base are the caps to try, smallest first; the default is 1, 2 and 3. A count
	// is capped at the capacity of its kind at least.
	Base []int64
	// MaxStates and MaxEdges bound the abstraction. The defaults are 2^21 and 2^20,
	// about 100 MB.
	MaxStates, MaxEdges int64
	// MaxCourses bounds the sequences of stages of DeriveCourses; the default is 1000.
	MaxCourses int
}

func (o Options) withDefaults() Options {
	if len(o.Base) == 0 {
		o.Base = []int64{1, 2, 3}
	}
	if o.MaxStates == 0 {
		o.MaxStates = 1 << 21
	}
	if o.MaxEdges == 0 {
		o.MaxEdges = 1 << 20
	}
	if o.MaxCourses < 1 {
		o.MaxCourses = 1000
	}
	return o
}

// maxRounds bounds the improvements of a certificate.
const maxRounds = 400

// Derive looks for the certificate with the smallest bound for the instance's
// warps; it holds for any other number as well. It has passed Check.
//
// The error is a *makespan.LimitError where the string is too long or a capacity
// too high for the budget, or where ctx ended before there was a certificate.
func Derive(ctx context.Context, in *makespan.Instance, o Options) (*Certificate, error) {
	o = o.withDefaults()
	p, err := newProblem(in)
	if err != nil {
		return nil, err
	}
	var best *Certificate
	var caps []int64
	for _, base := range o.Base {
		next := p.caps(base)
		if slices.Equal(next, caps) {
			continue
		}
		caps = next
		c, err := derive(ctx, p, caps, in.Warps, o)
		if err == nil {
			err = c.Check()
		}
		if err != nil {
			var limit *makespan.LimitError
			if best != nil && errors.As(err, &limit) {
				break
			}
			return nil, err
		}
		if best == nil || c.bound(in.Warps).Cmp(best.bound(in.Warps)) < 0 {
			best = c
		}
		if best.reached(ctx, in) {
			break // higher caps cannot help
		}
	}
	return best, nil
}

// probeWarps is up to how many warps schedules are built to see whether a bound is
// reached.
const probeWarps = 256

// reached says whether some schedule of the instance's warps, or of probeWarps if
// those are fewer, reaches the bound.
func (c *Certificate) reached(ctx context.Context, in *makespan.Instance) bool {
	in = in.WithWarps(max(c.Caps[0], min(in.Warps, probeWarps)))
	for _, rule := range tieRules {
		_, cycles, err := dive(ctx, c, in, rule, 0)
		if err == nil && c.bound(in.Warps).Cmp(big.NewInt(cycles)) == 0 {
			return true
		}
	}
	return false
}

func derive(ctx context.Context, p *problem, caps []int64, warps int64, o Options) (*Certificate, error) {
	g, err := newGraph(ctx, p, caps, o.MaxStates, o.MaxEdges)
	if err != nil {
		return nil, err
	}
	r, w, err := improve(ctx, g, warps, maxRounds)
	if err != nil {
		return nil, err
	}
	return r.certificate(w), nil
}

// Bounds of the linear programme's variables from below, in cycles.
const (
	leastGain   = -4.0
	leastOffset = -4096.0
)

// improve alternates between the linear programme over the cuts found so far and
// the cuts that its answer violates, until the two agree (Kelley's method). Every
// set of weights without a gaining circle gives a certificate; the best is kept.
//
// It gives the best weights and the relaxation with their offsets.
func improve(ctx context.Context, g *graph, warps int64, rounds int) (*relaxation, *weights, error) {
	r := newRelaxation(g)
	n := r.all
	// A slope is not told from a better one by more warps than these.
	scaled := float64(min(warps, 1_000_000))
	least := make([]float64, n)
	cost := make([]float64, n)
	for j := range least {
		least[j] = leastGain
	}
	least[n-1], cost[n-1] = leastOffset, 1
	first := g.row[0]
	for i := g.phase[first]; i < g.length(); i++ {
		cost[r.base[first]+i] = scaled
	}
	lp := newProgramme(cost)
	add := func(c cut) {
		b := c.cycles
		for j, a := range c.coefficient {
			b -= a * least[j]
		}
		lp.cut(c.coefficient, b)
	}
	for _, c := range r.keeps() {
		add(c)
	}
	w := g.volume()
	var best *weights
	var offsets []int64
	bestCycles := math.Inf(1)
	for range rounds {
		r.weigh(w)
		cuts, err := r.longest(ctx)
		if err != nil && best == nil {
			return nil, nil, err
		}
		if err != nil {
			break
		}
		if len(cuts) == 0 {
			sum := int64(0)
			for _, v := range w.gain[first] {
				sum += v
			}
			cycles := (scaled*float64(sum) + float64(r.offset[0])) / float64(w.scale)
			if cycles < bestCycles-tolerance {
				best, bestCycles, offsets = w, cycles, slices.Clone(r.offset)
			}
			cuts = append(cuts, r.path())
		}
		for _, c := range cuts {
			add(c)
		}
		x, ok := lp.solve()
		if !ok {
			break
		}
		value := 0.0
		for j := range x {
			x[j] += least[j]
			value += cost[j] * x[j]
		}
		if value > bestCycles-1e-6*max(1, scaled/1000) {
			break
		}
		w = r.rationalise(x)
	}
	r.offset = offsets
	return r, best, nil
}

// volume are the weights of the closed bound: 1/σ for every instruction. No cycle
// of states gains under them, so there is always a certificate.
func (g *graph) volume() *weights {
	w := &weights{scale: 1}
	for _, c := range g.capacity {
		w.scale = w.scale / gcd(w.scale, c) * c
	}
	for _, p := range g.phase {
		gain := make([]int64, g.length())
		for i, k := range g.kind[p:] {
			gain[p+i] = w.scale / g.capacity[k]
		}
		w.gain = append(w.gain, gain)
	}
	return w
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// rationalise makes fractions of the programme's answer: the common denominator is
// the smallest that fits, and otherwise 2^20, rounded up, with a little more the
// earlier the row, so that the weights still do not grow.
func (r *relaxation) rationalise(x []float64) *weights {
	const most, coarse = 2000, 1 << 20
	w := &weights{scale: coarse}
	for d := int64(1); d <= most; d++ {
		if !slices.ContainsFunc(x[:len(x)-1], func(v float64) bool {
			f := v * float64(d)
			return math.Abs(f-math.Round(f)) > tolerance*float64(d)
		}) {
			w.scale = d
			break
		}
	}
	for row, p := range r.phase {
		gain := make([]int64, r.length())
		for i := p; i < len(gain); i++ {
			f := x[r.base[row]+i] * float64(w.scale)
			if w.scale == coarse {
				gain[i] = int64(math.Ceil(f)) + int64(len(r.phase)-row)
			} else {
				gain[i] = int64(math.Round(f))
			}
		}
		w.gain = append(w.gain, gain)
	}
	return w
}

// certificate is what the weights and the offsets prove.
func (r *relaxation) certificate(w *weights) *Certificate {
	c := &Certificate{
		Kinds: slices.Clone(r.kind), Capacities: slices.Clone(r.capacity), Caps: slices.Clone(r.capOf),
		Scale: w.scale, Weights: w.waiting(r.phase), Offsets: make([]int64, r.size),
	}
	for i := range c.Offsets {
		c.Offsets[i] = Unreachable
	}
	for n, number := range r.number {
		c.Offsets[number] = r.offset[n]
	}
	return c
}
