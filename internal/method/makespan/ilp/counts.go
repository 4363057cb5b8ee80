package ilp

import (
	"fmt"

	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/milp"
)

// buildCounts states the problem over N(i,t), the number of warps that have
// executed instruction i by cycle t; N(0,t) = W and N(i,0) = 0. With
// m(i,t) = N(i,t) − N(i,t−1), for every cycle t and kind u of capacity σ:
//
//	keep        N(i,t−1) ≤ N(i,t)
//	order       N(i,t) ≤ N(i−1,t−1)
//	capacity    Σ_{i of u} m(i,t) ≤ σ
//	full        Σ_{i of u} m(i,t) ≤ σ − 1 + e(u,t)
//	onlyfull    Σ_{i of u} m(i,t) ≥ σ·e(u,t)
//	work        Σ_{i of u} N(i−1,t−1) − N(i,t) ≤ (W−σ)·e(u,t)
//	left        run(t) ≤ W − N(I,t−1)
//	unfinished  W·run(t) ≥ W − N(I,t−1)
//	progress    Σ_i m(i,t) ≥ run(t)
//
// and the objective Σ_t run(t). It has the optimum of the other forms, because its
// integer points are the work-conserving schedules up to a renumbering of warps in
// every cycle, with the makespan as objective:
//
// Every schedule gives a point. Let N count, e tell saturation and run whether a
// warp is left. A kind that is not saturated leaves nobody waiting, and a saturated
// one no more than the W−σ warps that it does not serve: work.
// While a warp is left, its next instruction's kind executes something: progress.
//
// Every point gives a schedule. By keep and order, m(i,t) ≥ 0 warps can go on from
// those that stand before i at the start of cycle t (makespan.FromMoves). Where e is
// 1, onlyfull makes the kind saturated; where it is 0, the terms of work, none of
// them negative by order, are 0, and nobody is left waiting. run(t) is 1 exactly
// while a warp is left at the start of t, so the sum is the makespan.
//
// Feasible with the horizon Instance.Safe for the reason given at buildWarps.
// Counts that can have one value only (nobody is past i before cycle i, and all are
// when I−i cycles are left) are not variables.
func (m *model) buildCounts() {
	for i := range m.length {
		for t := i; t < m.ends(i); t++ {
			m.problem.AddInteger(fmt.Sprintf("past_i%d_t%d", i+1, t+1), 0, float64(m.warps))
		}
	}
	m.addFull()
	for t := range m.horizon {
		col := m.problem.AddBinary(fmt.Sprintf("run_t%d", t+1))
		m.problem.SetCost(col, 1)
		m.countRows(t, col)
	}
}

// ends is the first cycle at whose end all warps must be past i.
func (m *model) ends(i int) int { return m.horizon - m.length + i }

// sum is a linear expression with a constant.
type sum struct {
	terms    []milp.Term
	constant int64
}

func (s *sum) add(col int, coef int64) {
	s.terms = append(s.terms, milp.Term{Col: col, Coef: float64(coef)})
}

// addPast adds times N(i,t); instruction −1 is the start and cycle −1 the time
// before.
func (m *model) addPast(s *sum, i, t int, times int64) {
	switch {
	case i < 0 || t >= m.ends(i):
		s.constant += times * int64(m.warps)
	case t >= i:
		s.add(i*(m.horizon-m.length)+t-i, times)
	}
}

// relate adds the constraint that s is at most or at least rhs. One without terms is
// kept only where it cannot hold, which happens within too short a horizon.
func (m *model) relate(f family, name string, s sum, sense milp.Sense, rhs int64) {
	room := rhs - s.constant
	if sense == milp.GreaterEqual {
		room = -room
	}
	if len(s.terms) > 0 || room < 0 {
		m.row(f, name, s.terms, sense, rhs-s.constant)
	}
}

func (m *model) countRows(t, run int) {
	warps := int64(m.warps)
	var progress sum
	for i := range m.length {
		name := fmt.Sprintf("i%d_t%d", i+1, t+1)
		var step, room sum
		m.addPast(&step, i, t, 1)
		m.addPast(&step, i, t-1, -1)
		m.relate(famKeep, "keep_"+name, step, milp.GreaterEqual, 0)
		m.addPast(&room, i-1, t-1, 1)
		m.addPast(&room, i, t, -1)
		m.relate(famOrder, "order_"+name, room, milp.GreaterEqual, 0)
		m.addPast(&progress, i, t, 1)
		m.addPast(&progress, i, t-1, -1)
	}
	for k := range m.in.Kinds {
		m.countKind(k, t)
	}
	name := fmt.Sprintf("t%d", t+1)
	progress.add(run, -1)
	m.relate(famProgress, "progress_"+name, progress, milp.GreaterEqual, 0)
	for _, r := range []struct {
		family family
		name   string
		times  int64
		sense  milp.Sense
	}{
		{famRun, "left_", 1, milp.LessEqual},
		{famUnfinished, "unfinished_", warps, milp.GreaterEqual},
	} {
		var s sum
		s.add(run, r.times)
		m.addPast(&s, m.length-1, t-1, 1)
		m.relate(r.family, r.name+name, s, r.sense, warps)
	}
}

func (m *model) countKind(k, t int) {
	capacity, at := m.capacity(k), m.at(k, t)
	executed := func(times int64) sum {
		var s sum
		for i, kind := range m.in.Code {
			if int(kind) == k {
				m.addPast(&s, i, t, 1)
				m.addPast(&s, i, t-1, -1)
			}
		}
		if times != 0 {
			s.add(m.e(k, t), -times)
		}
		return s
	}
	m.relate(famCapacity, "capacity_"+at, executed(0), milp.LessEqual, capacity)
	m.relate(famFull, "full_"+at, executed(1), milp.LessEqual, capacity-1)
	m.relate(famOnlyFull, "onlyfull_"+at, executed(capacity), milp.GreaterEqual, 0)
	var waiting sum
	for i, kind := range m.in.Code {
		if int(kind) == k {
			m.addPast(&waiting, i-1, t-1, 1)
			m.addPast(&waiting, i, t, -1)
		}
	}
	if left := int64(m.warps) - capacity; left > 0 {
		waiting.add(m.e(k, t), -left)
	}
	m.relate(famWork, "work_"+at, waiting, milp.LessEqual, 0)
}

func (m *model) countsSchedule(values []int64) (*makespan.Schedule, error) {
	past := func(i, t int) int64 {
		var s sum
		m.addPast(&s, i, t, 1)
		n := s.constant
		for _, term := range s.terms {
			n += values[term.Col]
		}
		return n
	}
	var moves [][]int32
	for t := range m.horizon {
		if past(m.length-1, t-1) == int64(m.warps) {
			break
		}
		row := make([]int32, m.length)
		for i := range row {
			row[i] = int32(past(i, t) - past(i, t-1))
		}
		moves = append(moves, row)
	}
	return makespan.FromMoves(m.in, moves)
}
