package ilp

import (
	"fmt"

	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/milp"
)

// buildWarps states Fig. 3 of the paper, or its variant with long constraints.
//
// It is feasible with the horizon Instance.Safe: serve the lowest numbered warps
// first. That is work-conserving, so it ends within Safe; renumber the warps so
// that W is the last to end, and set e and d to the truth of what they stand for.
func (m *model) buildWarps() {
	for w := range m.warps {
		for i := range m.length {
			for t := range m.horizon {
				m.problem.AddBinary("x_" + m.who(w, i, t))
			}
		}
	}
	m.addFull()
	for t := range m.horizon {
		m.problem.SetCost(m.x(m.warps-1, m.length-1, t), float64(t+1))
	}
	for w := range m.warps {
		m.warpRows(w)
	}
	for k := range m.in.Kinds {
		for t := range m.horizon {
			m.kindRows(k, t)
		}
	}
	for w := range m.warps {
		if m.form == Long {
			m.longWork(w)
		} else {
			m.shortWork(w)
		}
	}
}

func (m *model) who(w, i, t int) string { return fmt.Sprintf("w%d_i%d_t%d", w+1, i+1, t+1) }

func (m *model) x(w, i, t int) int { return (w*m.length+i)*m.horizon + t }

// warpRows adds the constraints on a warp alone, and that it does not end after
// the last one.
func (m *model) warpRows(w int) {
	for i := range m.length {
		once := make([]milp.Term, m.horizon)
		for t := range once {
			once[t] = milp.Term{Col: m.x(w, i, t), Coef: 1}
		}
		m.row(famOnce, fmt.Sprintf("once_w%d_i%d", w+1, i+1), once, milp.Equal, 1)
	}
	for t := range m.horizon {
		cycle := make([]milp.Term, m.length)
		for i := range cycle {
			cycle[i] = milp.Term{Col: m.x(w, i, t), Coef: 1}
		}
		m.row(famCycle, fmt.Sprintf("cycle_w%d_t%d", w+1, t+1), cycle, milp.LessEqual, 1)
	}
	for i := range m.length - 1 {
		name := fmt.Sprintf("order_w%d_i%d", w+1, i+1)
		m.row(famOrder, name, m.later(w, i, w, i+1), milp.GreaterEqual, 1)
	}
	if w < m.warps-1 {
		name := fmt.Sprintf("last_w%d", w+1)
		m.row(famLast, name, m.later(w, m.length-1, m.warps-1, m.length-1), milp.GreaterEqual, 0)
	}
}

// later is how many cycles instruction i2 of warp w2 executes after instruction i
// of warp w.
func (m *model) later(w, i, w2, i2 int) []milp.Term {
	out := make([]milp.Term, 0, 2*m.horizon)
	for t := range m.horizon {
		out = append(out,
			milp.Term{Col: m.x(w, i, t), Coef: -float64(t + 1)},
			milp.Term{Col: m.x(w2, i2, t), Coef: float64(t + 1)})
	}
	return out
}

// kindRows adds the capacity of a kind in a cycle, and makes e tell whether it is
// used up (eq. 40 and 41).
func (m *model) kindRows(k, t int) {
	capacity, at := m.capacity(k), m.at(k, t)
	m.row(famCapacity, "capacity_"+at, m.executed(k, t, 0), milp.LessEqual, capacity)
	m.row(famFull, "full_"+at, m.executed(k, t, 1), milp.LessEqual, capacity-1)
	m.row(famOnlyFull, "onlyfull_"+at, m.executed(k, t, capacity), milp.GreaterEqual, 0)
}

// executed is the number of instructions of a kind in a cycle, less times e.
func (m *model) executed(k, t int, times int64) []milp.Term {
	var out []milp.Term
	for w := range m.warps {
		for i, kind := range m.in.Code {
			if int(kind) == k {
				out = append(out, milp.Term{Col: m.x(w, i, t), Coef: 1})
			}
		}
	}
	if times != 0 {
		out = append(out, milp.Term{Col: m.e(k, t), Coef: -float64(times)})
	}
	return out
}

// notWaiting is a in
//
//	a = Σ_{t'≥t} x(w,i−1,t') + Σ_{t'≤t} x(w,i,t')
//
// for one instruction, or summed over all of a kind. Warp w does not wait at i in
// cycle t if i−1 is not done before t or i is done by t; famOrder excludes both
// at once, so that the paper's disjunction TL (eq. 27, 28) is that sum.
func (m *model) notWaiting(w, t int, counted func(i int) bool) []milp.Term {
	var out []milp.Term
	for i := range m.length {
		own, next := counted(i), i+1 < m.length && counted(i+1)
		if !own && !next {
			continue
		}
		for u := range m.horizon {
			coef := 0.0
			if own && u <= t {
				coef++
			}
			if next && u >= t {
				coef++
			}
			if coef != 0 {
				out = append(out, milp.Term{Col: m.x(w, i, u), Coef: coef})
			}
		}
	}
	return out
}

// shortWork adds eq. 34 and 37: ½(a + e) ≤ d ≤ a + e, and d, the disjunction, is
// true.
func (m *model) shortWork(w int) {
	for i, kind := range m.in.Code {
		for t := range m.horizon {
			name := m.who(w, i, t)
			d := m.problem.AddBinary("d_" + name)
			terms := func(times float64) []milp.Term {
				out := m.notWaiting(w, t, func(j int) bool { return j == i })
				return append(out, milp.Term{Col: m.e(int(kind), t), Coef: 1}, milp.Term{Col: d, Coef: -times})
			}
			m.row(famWork, "work_"+name, terms(1), milp.GreaterEqual, 0)
			m.row(famOr, "or_"+name, terms(2), milp.LessEqual, 0)
			m.row(famHolds, "holds_"+name, []milp.Term{{Col: d, Coef: 1}}, milp.GreaterEqual, 1)
		}
	}
}

// longWork adds eq. 33 and 36, times I:
//
//	½((Σ_i a_i − (I−1)) + I·e) ≤ I·d ≤ Σ_i a_i + I·e
//
// with the sum over all instructions, where a is 1 for those of other kinds.
func (m *model) longWork(w int) {
	length := float64(m.length)
	for k, kind := range m.in.Kinds {
		others := m.in.Length - kind.Count
		for t := range m.horizon {
			name := fmt.Sprintf("w%d_%s", w+1, m.at(k, t))
			d := m.problem.AddBinary("d_" + name)
			terms := func(times float64) []milp.Term {
				out := m.notWaiting(w, t, func(j int) bool { return int(m.in.Code[j]) == k })
				return append(out, milp.Term{Col: m.e(k, t), Coef: length}, milp.Term{Col: d, Coef: -times * length})
			}
			m.row(famWork, "work_"+name, terms(1), milp.GreaterEqual, -others)
			m.row(famOr, "or_"+name, terms(2), milp.LessEqual, m.in.Length-1-others)
			m.row(famHolds, "holds_"+name, []milp.Term{{Col: d, Coef: 1}}, milp.GreaterEqual, 1)
		}
	}
}

func (m *model) warpsSchedule(values []int64) (*makespan.Schedule, error) {
	s := &makespan.Schedule{Cycle: make([][]int32, m.warps)}
	for w := range s.Cycle {
		s.Cycle[w] = make([]int32, m.length)
		for i := range s.Cycle[w] {
			for t := range m.horizon {
				if values[m.x(w, i, t)] == 1 {
					s.Cycle[w][i] = int32(t + 1)
				}
			}
		}
	}
	return s, nil
}
