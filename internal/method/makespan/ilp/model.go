package ilp

import (
	"fmt"

	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/milp"
)

// MaxTerms is the largest number of coefficients that a programme may have. A
// larger one would take hundreds of megabytes before the solver starts, and no
// solver would finish it.
const MaxTerms = 1 << 22

// family is a group of constraints that state one thing.
type family uint8

const (
	famOnce       family = iota // every warp executes every instruction once
	famCapacity                 // eq. 14, 15
	famCycle                    // eq. 16: one instruction per warp and cycle
	famOrder                    // Section 5.3
	famLast                     // Section 5.1: warp W ends last
	famFull                     // eq. 40: a saturated kind is marked
	famOnlyFull                 // eq. 41: only a saturated kind is marked
	famWork                     // right sides of eq. 33, 34, 36, 37
	famOr                       // left sides
	famHolds                    // the disjunctions are true
	famKeep                     // counts do not fall
	famRun                      // a cycle is counted only while a warp is left
	famUnfinished               // and then it is
	famProgress                 // something executes in a counted cycle
)

// model is a programme and what its columns mean. Cycles, warps and instructions
// count from 1 in names, as in the paper, and from 0 in code.
type model struct {
	in       *makespan.Instance
	form     Form
	warps    int
	length   int
	horizon  int
	full     int // column of e for kind 0 and cycle 0
	problem  milp.Problem
	families []family // of the rows
}

// build states the problem over a horizon of at least in.Length cycles.
func build(in *makespan.Instance, form Form, horizon int64) (*model, error) {
	if err := checkSize(in, form, horizon); err != nil {
		return nil, err
	}
	m := &model{in: in, form: form, warps: int(in.Warps), length: int(in.Length), horizon: int(horizon)}
	m.problem.Name = fmt.Sprintf("makespan_%s_w%d", form, in.Warps)
	m.problem.Maximize = true
	switch form {
	case Short, Long:
		m.buildWarps()
	case Counts:
		m.buildCounts()
	default:
		return nil, fmt.Errorf("%v: no such form", form)
	}
	return m, nil
}

// checkSize refuses what would have more than MaxTerms coefficients, or as many
// entries in its schedule.
func checkSize(in *makespan.Instance, form Form, horizon int64) error {
	n := max(terms(in, form, horizon), float64(in.Warps)*float64(in.Length))
	if n > MaxTerms || in.Code == nil {
		return &makespan.LimitError{What: "memory", Detail: fmt.Sprintf(
			"%s form of %d warps, %d instructions and %d cycles: about %.3g coefficients, at most %d",
			form, in.Warps, in.Length, horizon, n, MaxTerms)}
	}
	return nil
}

// terms estimates the coefficients of a programme, from above. It decides about
// memory only, and is computed in floating point because it may leave int64.
func terms(in *makespan.Instance, form Form, horizon int64) float64 {
	w, i, h, u := float64(in.Warps), float64(in.Length), float64(horizon), float64(len(in.Kinds))
	if form == Counts {
		return h * (11*i + 6*u + 8)
	}
	// A work constraint spans the horizon, and there are two of a sort.
	perVariable := 2*h + 16
	if form == Long {
		perVariable += 4 * u
	}
	return w*i*h*perVariable + 4*u*h
}

// row adds a constraint.
func (m *model) row(f family, name string, terms []milp.Term, sense milp.Sense, rhs int64) {
	m.problem.AddRow(name, terms, sense, float64(rhs))
	m.families = append(m.families, f)
}

// addFull adds the columns e_L_t1: kind L is saturated in cycle 1.
func (m *model) addFull() {
	m.full = len(m.problem.Columns)
	for k := range m.in.Kinds {
		for t := range m.horizon {
			m.problem.AddBinary(fmt.Sprintf("e_%s", m.at(k, t)))
		}
	}
}

// at names a kind and a cycle.
func (m *model) at(kind, t int) string {
	return fmt.Sprintf("%c_t%d", m.in.Kinds[kind].Letter, t+1)
}

func (m *model) e(kind, t int) int { return m.full + kind*m.horizon + t }

// capacity is the capacity of a kind, or the number of warps where that is less:
// more of them cannot execute.
func (m *model) capacity(kind int) int64 { return min(m.in.Kinds[kind].Capacity, m.in.Warps) }

// schedule reads a checked point as a schedule. MaxTerms keeps its cycles far
// below 2^31.
func (m *model) schedule(values []int64) (*makespan.Schedule, error) {
	if m.form == Counts {
		return m.countsSchedule(values)
	}
	return m.warpsSchedule(values)
}
