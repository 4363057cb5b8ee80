package multiphase

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/choice"
	"github.com/warpbound/warpbound/internal/formula"
	"github.com/warpbound/warpbound/internal/method"
)

// counted draws an expression in which some loops have counts 1 to 3. Where values are
// given, they are the counts; the same rng draws the same expression.
func (m maker) counted(rng *rand.Rand, n, depth int, values []int64) *choice.Expr {
	if depth == 0 || rng.IntN(6) == 0 {
		run := make([]int32, 1+rng.IntN(4))
		for i := range run {
			run[i] = int32(rng.IntN(n))
		}
		return m.run(run...)
	}
	parts := make([]*choice.Expr, 1+rng.IntN(3))
	for i := range parts {
		parts[i] = m.counted(rng, n, depth-1, values)
	}
	switch rng.IntN(7) {
	case 0:
		return m.must(m.One(parts...))
	case 1:
		return m.must(m.Any(parts...))
	case 2:
		return m.must(m.Repeat(rng.Int64N(4), parts[0]))
	case 3:
		return m.must(m.AtMost(rng.Int64N(4), parts[0]))
	case 4:
		return m.must(m.Concat(parts...))
	}
	tag := 1 + rng.IntN(3)
	if values != nil {
		return m.must(m.AtMost(values[tag-1], parts[0]))
	}
	return m.must(m.AtMostOf(int32(tag), 1000, parts[0]))
}

// countedGrid draws a grid of such expressions.
func countedGrid(seed uint64, values []int64) (method.Hardware, []method.BlockClass) {
	rng := rand.New(rand.NewPCG(seed, 46))
	units := 1 + rng.IntN(3)
	hw := anyHardware(rng, units)
	ops := randomOps(rng, 2+rng.IntN(4), units)
	sections := 1 + rng.IntN(2)
	var streams []*method.Stream
	for range 1 + rng.IntN(2) {
		s := &method.Stream{Ops: ops}
		m := newMaker()
		for range sections {
			s.Choices = append(s.Choices, m.counted(rng, len(ops), 1+rng.IntN(4), values))
		}
		streams = append(streams, s)
	}
	if m := newMaker(); rng.IntN(2) == 0 {
		stages := m.must(m.Concat(m.run(int32(rng.IntN(sections))), m.counted(rng, sections, 1+rng.IntN(3), values)))
		for _, s := range streams {
			s.Stages = stages
		}
	}
	var out []method.BlockClass
	for range 1 + rng.IntN(2) {
		b := &method.Block{}
		for range 1 + rng.IntN(2) {
			b.Classes = append(b.Classes, method.WarpClass{Stream: streams[rng.IntN(len(streams))], Count: 1 + rng.Int64N(2), SubCore: rng.IntN(hw.SubCores)})
		}
		out = append(out, method.BlockClass{Block: b, Count: 1 + rng.Int64N(3)})
	}
	return hw, out
}

// formOf is the bound by sum on a grid over variables, and what these are.
func formOf(hw method.Hardware, blocks []method.BlockClass) (formula.Form, []formula.Variable, error) {
	a, err := NewAnalyzer(hw, Options{Methods: []string{SUM}})
	if err != nil {
		return nil, nil, err
	}
	var vars []formula.Variable
	f, err := newForms(a, Variables{Count: func(tag int32, per int64) formula.Var {
		v := formula.Variable{Count: int(tag) - 1, Per: per}
		for i := range vars {
			if vars[i] == v {
				return formula.Var(i)
			}
		}
		vars = append(vars, v)
		return formula.Var(len(vars) - 1)
	}}).launch(context.Background(), blocks, hw.SMs)
	return f, vars, err
}

// formGap is the largest of what formulas are above bounds for known counts, in a thousand
// of these, in sets of counts that are all large.
func formGap(seed uint64) (gap int64, err error) {
	hw, blocks := countedGrid(seed, nil)
	f, vars, err := formOf(hw, blocks)
	if err != nil {
		return 0, err
	}
	rng := rand.New(rand.NewPCG(seed, 47))
	for try := range 6 {
		limit := []int64{2, 9, 40}[try%3]
		counts := []int64{rng.Int64N(limit), rng.Int64N(limit), rng.Int64N(limit)}
		if try == 5 {
			counts = []int64{400, 300, 500}
		}
		a, err := NewAnalyzer(hw, Options{Methods: []string{SUM}})
		if err != nil {
			return 0, err
		}
		_, known := countedGrid(seed, counts)
		r, err := a.several(context.Background(), known, bound.Kernel, hw.SMs)
		if err != nil {
			return 0, err
		}
		want := r.Bound(SUM).Cycles
		values := make([]int64, len(vars))
		for i, v := range vars {
			values[i] = (counts[v.Count] + v.Per - 1) / v.Per
		}
		got, err := f.At(values)
		if err != nil {
			return 0, err
		}
		if got < want {
			return 0, fmt.Errorf("seed %d: the formula %v is %d for counts %v, the bound is %d", seed, f, got, counts, want)
		}
		if try == 5 {
			gap = (got - want) * 1000 / max(want, 1)
		}
	}
	return gap, nil
}

// TestFormsAreNoLess: a formula is no less than the bound with its counts known, and not far
// above it where these are large.
func TestFormsAreNoLess(t *testing.T) {
	cases := scale(400, 4000)
	var gaps [3]int
	for seed := range uint64(cases) {
		gap, err := formGap(seed)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case gap <= 10:
			gaps[0]++
		case gap <= 100:
			gaps[1]++
		default:
			gaps[2]++
		}
	}
	t.Logf("above by at most 1 %%: %d, 10 %%: %d, more: %d", gaps[0], gaps[1], gaps[2])
	if gaps[0] < cases*2/3 {
		t.Errorf("of %d formulas %d are at most 1 %% above bounds for large counts", cases, gaps[0])
	}
}

// turns draws an expression with a loop in each of whose iterations counts of loops inside
// are others. Where values are given, those of an iteration are counts[z], and the loop is
// unrolled; the same seed draws the same expression.
func (m maker) turns(seed uint64, n int, values [][]int64) *choice.Expr {
	part := func(salt uint64, values []int64) *choice.Expr {
		return m.counted(rand.New(rand.NewPCG(seed, salt)), n, 3, values)
	}
	most := make([]int64, 3)
	for _, v := range values {
		for i := range most {
			most[i] = max(most[i], v[i])
		}
	}
	if values == nil {
		return m.must(m.Concat(part(1, nil), m.must(m.AtMostOf(4, 1000, part(2, nil))), part(3, nil)))
	}
	parts := []*choice.Expr{part(1, most)}
	for _, v := range values {
		parts = append(parts, m.must(m.AtMost(1, part(2, v))))
	}
	return m.must(m.Concat(append(parts, part(3, most))...))
}

// turnsGap compares the form of a loop in each of whose iterations counts are others with the
// bound where these are known.
func turnsGap(seed uint64) error {
	rng := rand.New(rand.NewPCG(seed, 49))
	hw := anyHardware(rng, 2)
	ops := randomOps(rng, 2+rng.IntN(4), 2)
	values := make([][]int64, 1+rng.IntN(6))
	for z := range values {
		values[z] = []int64{rng.Int64N(5), rng.Int64N(5), rng.Int64N(5)}
	}
	of := func(values [][]int64) []method.BlockClass {
		s := &method.Stream{Ops: ops, Choices: []*choice.Expr{newMaker().turns(seed, len(ops), values)}}
		return []method.BlockClass{{Block: &method.Block{Classes: []method.WarpClass{{Stream: s, Count: 2}}}, Count: 3}}
	}
	a, err := NewAnalyzer(hw, Options{Methods: []string{SUM}})
	if err != nil {
		return err
	}
	var at []int64
	variable := func(x int64) formula.Var {
		at = append(at, x)
		return formula.Var(len(at) - 1)
	}
	per := map[formula.Var]formula.Variable{}
	f, err := newForms(a, Variables{
		Count: func(tag int32, by int64) formula.Var {
			if tag == 4 {
				return variable((int64(len(values)) + by - 1) / by)
			}
			most := int64(0)
			for _, v := range values {
				most = max(most, v[tag-1])
			}
			v := variable((most + by - 1) / by)
			per[v] = formula.Variable{Count: int(tag) - 1, Per: by}
			return v
		},
		Total: func(tag int32, v formula.Var) (formula.Var, bool) {
			of, ok := per[v]
			if tag != 4 || !ok || of.Count == 2 {
				return 0, false
			}
			sum := int64(0)
			for _, x := range values {
				sum += (x[of.Count] + of.Per - 1) / of.Per
			}
			return variable(sum), true
		},
	}).launch(context.Background(), of(nil), hw.SMs)
	if err != nil {
		return err
	}
	got, err := f.At(at)
	if err != nil {
		return err
	}
	r, err := a.several(context.Background(), of(values), bound.Kernel, hw.SMs)
	if err != nil {
		return err
	}
	if want := r.Bound(SUM).Cycles; got < want {
		return fmt.Errorf("seed %d: the formula %v is %d for %v in turn, the bound is %d", seed, f, got, values, want)
	}
	return nil
}

// TestFormsInTurns: a formula in which counts differ from one iteration of a loop to the next
// is no less than the bound where they are known.
func TestFormsInTurns(t *testing.T) {
	for seed := range uint64(scale(400, 4000)) {
		if err := turnsGap(seed); err != nil {
			t.Fatal(err)
		}
	}
}
