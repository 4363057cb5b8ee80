package multiphase

import (
	"context"
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/internal/choice"
	"github.com/warpbound/warpbound/internal/formula"
)

// Limits of the search for what an iteration takes: how many are followed from the start,
// groups of how many are tried, and how often a guess is tried and raised.
const (
	formFollowed = 48
	formPeriod   = 8
	formTries    = 64
	formRaises   = 40
)

// forms evaluates expressions in which some loops have counts that are variables
// (docs/soundness/formulas.md, theorem 46 (formulas)). Times are a form over the variables,
// the same for all components, and the vector of the machine behind it.
type forms struct {
	a     *Analyzer
	names Variables
	calc  formula.Calc
	// tagged tells of expressions whether some count in them is a variable.
	tagged map[*choice.Expr]bool
	times  map[*section]formula.Form
	sums   map[formCharge]formula.Form

	// Of the section being timed.
	w     *ways
	rates map[*choice.Expr]rate
}

// formCharge names a sum of initiations: of a section, on a unit, or on all.
type formCharge struct {
	sec  *section
	unit int
}

const allUnits = -1

// rate is how many cycles a group of iterations takes, at most, but for a form.
type rate struct{ group, cycles int64 }

func newForms(a *Analyzer, names Variables) *forms {
	return &forms{a: a, names: names, calc: formula.Calc{AtMost: names.AtMost}, tagged: map[*choice.Expr]bool{}, times: map[*section]formula.Form{}, sums: map[formCharge]formula.Form{}}
}

func (s *forms) variable(e *choice.Expr) bool {
	if v, ok := s.tagged[e]; ok {
		return v
	}
	v := e.Tag() > 0 || e.Body() != nil && s.variable(e.Body()) || slices.ContainsFunc(e.Parts(), s.variable)
	s.tagged[e] = v
	return v
}

// isolated is no less than the isolated time of any path of a section.
func (s *forms) isolated(ctx context.Context, sec *section) (formula.Form, error) {
	if f, ok := s.times[sec]; ok {
		return f, nil
	}
	f, err := s.timed(ctx, sec)
	if err != nil {
		return nil, err
	}
	s.times[sec] = f
	return f, s.calc.Err()
}

func (s *forms) timed(ctx context.Context, sec *section) (formula.Form, error) {
	if sec.ways == nil || !s.variable(sec.ways) {
		r, err := s.a.isolated(ctx, sec, s.a.hw.matched())
		if err != nil {
			return nil, err
		}
		return s.calc.Constant(r.end), nil
	}
	m := &wayMachine{insts: sec.table.insts, kind: s.a.hw.matched(), x: make([]int64, sec.table.vars)}
	s.w = &ways{folder: folder{ctx: ctx, m: m, steps: s.a.opt.MaxSteps, maxLog: s.a.maxLog, lifts: true, patience: s.a.patience}, m: m, table: sec.table}
	s.rates = map[*choice.Expr]rate{}
	f, err := s.expr(sec.ways)
	if err != nil {
		return nil, err
	}
	return s.calc.Add(f, s.calc.Constant(m.x[wayEnd])), s.calc.Err()
}

// expr takes the vector to behind an expression, but for the form that it returns.
func (s *forms) expr(e *choice.Expr) (formula.Form, error) {
	if !s.variable(e) {
		if err := s.w.expr(e); err != nil {
			return nil, err
		}
		return nil, s.w.check()
	}
	switch e.Kind() {
	case choice.Concat:
		var total formula.Form
		for _, p := range e.Parts() {
			f, err := s.expr(p)
			if err != nil {
				return nil, err
			}
			total = s.calc.Add(total, f)
		}
		return total, nil
	case choice.One:
		before := slices.Clone(s.w.m.x)
		worst := make([]int64, len(before))
		var most formula.Form
		for _, p := range e.Parts() {
			copy(s.w.m.x, before)
			f, err := s.expr(p)
			if err != nil {
				return nil, err
			}
			raise(worst, s.w.m.x)
			most = s.calc.Max(most, f)
		}
		copy(s.w.m.x, worst)
		return most, nil
	case choice.Any:
		return s.any(e)
	}
	return s.loop(e)
}

// raise makes times no earlier than others.
func raise(x, y []int64) {
	for i, v := range y {
		x[i] = max(x[i], v)
	}
}

// any follows each of any selection of parts in any order. Each part comes once at most, so
// that the forms of the parts are added.
func (s *forms) any(e *choice.Expr) (formula.Form, error) {
	parts := e.Parts()
	of := make([]formula.Form, len(parts))
	follow := func(i int, from []int64) error {
		copy(s.w.m.x, from)
		f, err := s.expr(parts[i])
		of[i] = s.calc.Max(of[i], f)
		return err
	}
	x := s.w.m.x
	if len(parts) <= 3 {
		behind := [][]int64{slices.Clone(x)}
		for mask := 1; mask < 1<<len(parts); mask++ {
			worst := make([]int64, len(x))
			for i := range parts {
				if mask>>i&1 == 0 {
					continue
				}
				if err := follow(i, behind[mask&^(1<<i)]); err != nil {
					return nil, err
				}
				raise(worst, x)
			}
			behind = append(behind, worst)
		}
		for _, v := range behind {
			raise(x, v)
		}
	} else {
		now := slices.Clone(x)
		for range parts {
			worst := slices.Clone(now)
			for i := range parts {
				if err := follow(i, now); err != nil {
					return nil, err
				}
				raise(worst, x)
			}
			now = worst
		}
		copy(x, now)
	}
	return s.calc.Add(of...), nil
}

// loop follows up to as many iterations as the count of a loop says, a number or a variable.
func (s *forms) loop(e *choice.Expr) (formula.Form, error) {
	x := s.w.m.x
	from := slices.Clone(x)
	r, ok := s.rates[e]
	if !ok {
		var err error
		if r, err = s.guess(e.Body()); err != nil {
			return nil, err
		}
	}
	more := int64(1)
	for range formRaises {
		copy(x, from)
		f, ok, err := s.holds(e.Body(), r)
		switch {
		case err != nil:
			return nil, err
		case ok:
			s.rates[e] = r
			return s.iterations(e, r, f)
		}
		r.cycles += more
		more *= 2
	}
	return nil, fmt.Errorf("what an iteration takes does not settle at %d cycles for %d", r.cycles, r.group)
}

// iterations is the form of a loop each group of whose iterations takes so many cycles, and
// each iteration a form. Numbers that are known go to the vector.
func (s *forms) iterations(e *choice.Expr, r rate, each formula.Form) (formula.Form, error) {
	if e.Tag() > 0 {
		groups := s.calc.TimesVar(s.names.Count(e.Tag(), r.group), s.calc.Constant(r.cycles))
		if len(each) == 0 {
			return groups, nil
		}
		return s.calc.Add(groups, s.over(e.Tag(), each)), nil
	}
	groups := (e.Count()-1)/r.group + 1
	d, ok := mulSigned(groups, r.cycles)
	for i := range s.w.m.x {
		var fits bool
		if s.w.m.x[i], fits = addSigned(s.w.m.x[i], d); !ok || !fits {
			return nil, formula.ErrOverflow
		}
	}
	return s.calc.Times(e.Count(), each), s.w.check()
}

// over is no less than a form added for each iteration of the loop of a tag. A product has a
// sum over these in the place of one variable, if there is one that is known.
func (s *forms) over(tag int32, each formula.Form) formula.Form {
	times := s.names.Count(tag, 1)
	if s.names.Total == nil {
		return s.calc.TimesVar(times, each)
	}
	total := func(v formula.Var) (formula.Var, bool) { return s.names.Total(tag, v) }
	return s.calc.TimesTotals(times, each, total)
}

// iteration follows one iteration or none.
func (s *forms) iteration(body *choice.Expr) (formula.Form, error) {
	before := slices.Clone(s.w.m.x)
	f, err := s.expr(body)
	raise(s.w.m.x, before)
	return f, err
}

// guess follows iterations to see how many cycles each takes in the long run.
func (s *forms) guess(body *choice.Expr) (rate, error) {
	history := [][]int64{slices.Clone(s.w.m.x)}
	for range formFollowed {
		if _, err := s.iteration(body); err != nil {
			return rate{}, err
		}
		history = append(history, slices.Clone(s.w.m.x))
	}
	best := rate{}
	last := history[len(history)-1]
	for p := int64(1); p <= formPeriod; p++ {
		most := int64(0)
		for i, v := range history[int64(len(history))-1-p] {
			most = max(most, last[i]-v)
		}
		// A longer group has to be worth an unknown number of iterations left over.
		if best.group == 0 || most*best.group*100 < best.cycles*p*99 {
			best = rate{p, most}
		}
	}
	return best, nil
}

// holds moves the vector to one from which a group of iterations leads to at most as much
// later, if there is one not far from it: then any number of groups does. It returns the
// largest form of an iteration.
func (s *forms) holds(body *choice.Expr, r rate) (formula.Form, bool, error) {
	x := s.w.m.x
	at := slices.Clone(x)
	for range formTries {
		copy(x, at)
		var each formula.Form
		for range r.group {
			f, err := s.iteration(body)
			if err != nil {
				return nil, false, err
			}
			each = s.calc.Max(each, f)
		}
		settled := true
		for i, v := range x {
			if v-r.cycles > at[i] {
				at[i], settled = v-r.cycles, false
			}
		}
		if settled {
			copy(x, at)
			return each, true, nil
		}
	}
	return nil, false, nil
}

// charge is no less than the initiations of any path of a section on a unit, or on all.
func (s *forms) charge(sec *section, unit int) (formula.Form, error) {
	key := formCharge{sec, unit}
	if f, ok := s.sums[key]; ok {
		return f, nil
	}
	var f formula.Form
	if sec.ways == nil || !s.variable(sec.ways) {
		n := sec.sum
		if unit != allUnits {
			n = sec.loads[unit]
		}
		f = s.calc.Constant(n)
	} else {
		var err error
		f, err = s.weight(sec.ways, map[*choice.Expr]formula.Form{}, func(symbol int32) int64 {
			in := &sec.table.insts[symbol]
			if unit != allUnits && int(in.unit-wayFixed) != unit {
				return 0
			}
			return in.init
		})
		if err != nil {
			return nil, err
		}
	}
	s.sums[key] = f
	return f, s.calc.Err()
}

// weight is no less than the sum of weights, none below 0, along any path.
func (s *forms) weight(e *choice.Expr, known map[*choice.Expr]formula.Form, weight func(int32) int64) (formula.Form, error) {
	if f, ok := known[e]; ok {
		return f, nil
	}
	var f formula.Form
	if !s.variable(e) {
		n, err := e.MaxWeight(weight)
		if err != nil {
			return nil, err
		}
		f = s.calc.Constant(n)
		known[e] = f
		return f, nil
	}
	for _, p := range e.Parts() {
		of, err := s.weight(p, known, weight)
		if err != nil {
			return nil, err
		}
		if e.Kind() == choice.One {
			f = s.calc.Max(f, of)
		} else {
			f = s.calc.Add(f, of)
		}
	}
	if e.Body() != nil {
		of, err := s.weight(e.Body(), known, weight)
		if err != nil {
			return nil, err
		}
		if e.Tag() > 0 {
			f = s.over(e.Tag(), of)
		} else {
			f = s.calc.Times(e.Count(), of)
		}
	}
	known[e] = f
	return f, nil
}
