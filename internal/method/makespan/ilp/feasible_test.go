package ilp

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/method/makespan/internal/reference"
	"github.com/warpbound/warpbound/internal/milp"
)

// enumerator finds every integer point of a programme, by trying the values of one
// column after the other and narrowing the domains by every row in between.
type enumerator struct {
	p     *milp.Problem
	rows  [][]int // of each column
	yield func(values []int64) bool
}

// points calls yield with every integer point until it returns false; the slice is
// reused.
func points(p *milp.Problem, yield func(values []int64) bool) {
	e := &enumerator{p: p, yield: yield, rows: make([][]int, len(p.Columns))}
	for r := range p.Rows {
		for _, term := range p.Rows[r].Terms {
			e.rows[term.Col] = append(e.rows[term.Col], r)
		}
	}
	lo, hi := make([]int64, len(p.Columns)), make([]int64, len(p.Columns))
	for c := range p.Columns {
		lo[c], hi[c] = int64(p.Columns[c].Lower), int64(p.Columns[c].Upper)
	}
	all := make([]int, len(p.Rows))
	for r := range all {
		all[r] = r
	}
	if e.narrow(lo, hi, all) {
		e.try(lo, hi, 0)
	}
}

func (e *enumerator) try(lo, hi []int64, col int) bool {
	for col < len(lo) && lo[col] == hi[col] {
		col++
	}
	if col == len(lo) {
		return e.yield(lo)
	}
	for v := lo[col]; v <= hi[col]; v++ {
		l, h := slices.Clone(lo), slices.Clone(hi)
		l[col], h[col] = v, v
		if e.narrow(l, h, slices.Clone(e.rows[col])) && !e.try(l, h, col+1) {
			return false
		}
	}
	return true
}

// narrow shrinks the domains to what the rows leave of them, and is false where a
// row cannot hold.
func (e *enumerator) narrow(lo, hi []int64, queue []int) bool {
	queued := make([]bool, len(e.p.Rows))
	for _, r := range queue {
		queued[r] = true
	}
	for len(queue) > 0 {
		row := &e.p.Rows[queue[0]]
		queued[queue[0]] = false
		queue = queue[1:]
		least, most := 0.0, 0.0
		for _, term := range row.Terms {
			a, b := term.Coef*float64(lo[term.Col]), term.Coef*float64(hi[term.Col])
			least += min(a, b)
			most += max(a, b)
		}
		if least > row.Upper || most < row.Lower {
			return false
		}
		for _, term := range row.Terms {
			c := term.Col
			for lo[c] < hi[c] {
				// The row with the column at an end of its domain.
				span := math.Abs(term.Coef) * float64(hi[c]-lo[c])
				tooMuch, tooLittle := least+span > row.Upper, most-span < row.Lower
				if !tooMuch && !tooLittle {
					break
				}
				step := math.Abs(term.Coef)
				if tooMuch {
					most -= step
				} else {
					least += step
				}
				if tooMuch == (term.Coef > 0) {
					hi[c]--
				} else {
					lo[c]++
				}
				for _, r := range e.rows[c] {
					if !queued[r] {
						queued[r] = true
						queue = append(queue, r)
					}
				}
			}
		}
	}
	return true
}

// schedules are the work-conserving schedules within a horizon by the definition:
// every way to give each warp increasing cycles, where Check finds no fault.
func schedules(in *makespan.Instance, horizon int64) []*makespan.Schedule {
	var rows [][]int32
	var fill func(row []int32, from int32)
	fill = func(row []int32, from int32) {
		if len(row) == len(in.Code) {
			rows = append(rows, slices.Clone(row))
			return
		}
		for t := from; t <= int32(horizon); t++ {
			fill(append(row, t), t+1)
		}
	}
	fill(nil, 1)
	var out []*makespan.Schedule
	var choose func(cycle [][]int32)
	choose = func(cycle [][]int32) {
		if int64(len(cycle)) == in.Warps {
			if s := (&makespan.Schedule{Cycle: slices.Clone(cycle)}); s.Check(in) == nil {
				out = append(out, s)
			}
			return
		}
		for _, row := range rows {
			choose(append(cycle, row))
		}
	}
	choose(nil)
	return out
}

// lastEndsLast says whether no warp ends after the last one.
func lastEndsLast(s *makespan.Schedule) bool {
	last := s.Cycle[len(s.Cycle)-1]
	for _, row := range s.Cycle {
		if row[len(row)-1] > last[len(last)-1] {
			return false
		}
	}
	return true
}

// key is what a form tells of a schedule: the cycles of each warp, or the numbers
// of warps that execute each instruction in each cycle.
func key(form Form, in *makespan.Instance, s *makespan.Schedule) string {
	if form != Counts {
		return fmt.Sprint(s.Cycle)
	}
	moves := make([][]int, s.MakespanCycles())
	for t := range moves {
		moves[t] = make([]int, in.Length)
	}
	for _, row := range s.Cycle {
		for i, t := range row {
			moves[t-1][i]++
		}
	}
	return fmt.Sprint(moves)
}

// same compares the points of a programme with the schedules: every schedule is
// one point and every point a schedule, with its makespan as objective.
func same(m *model) error {
	want := map[string]bool{}
	for _, s := range schedules(m.in, int64(m.horizon)) {
		if m.form == Counts || lastEndsLast(s) {
			want[key(m.form, m.in, s)] = true
		}
	}
	found := map[string]bool{}
	var fault error
	points(&m.problem, func(values []int64) bool {
		fault = func() error {
			s, err := m.schedule(values)
			if err != nil {
				return err
			}
			if err := s.Check(m.in); err != nil {
				return fmt.Errorf("%v: %w", s.Cycle, err)
			}
			k := key(m.form, m.in, s)
			if !want[k] {
				return fmt.Errorf("%s is a point and not wanted", k)
			}
			if found[k] {
				return fmt.Errorf("%s is two points", k)
			}
			found[k] = true
			objective := int64(0)
			for c, v := range values {
				objective += int64(m.problem.Columns[c].Cost) * v
			}
			if objective != s.MakespanCycles() {
				return fmt.Errorf("%s has objective %d", k, objective)
			}
			return nil
		}()
		return fault == nil
	})
	if fault == nil && len(found) != len(want) {
		fault = fmt.Errorf("%d schedules are points, %d are not", len(found), len(want)-len(found))
	}
	return fault
}

type tiny struct {
	text       string
	capacities []int64
	warps      int64
}

func tinies() []tiny {
	return []tiny{
		{"L", []int64{1}, 1},
		{"L", []int64{1}, 3},
		{"L", []int64{2}, 3},
		{"LC", []int64{1, 1}, 1},
		{"LC", []int64{1, 1}, 2},
		{"LC", []int64{1, 1}, 3},
		{"LC", []int64{2, 1}, 3},
		{"LC", []int64{1, 2}, 3},
		{"LL", []int64{1}, 2},
		{"LL", []int64{2}, 2},
		{"LL", []int64{2}, 3},
		{"LL", []int64{2}, 4},
		{"LLC", []int64{1, 1}, 2},
		{"LLC", []int64{2, 1}, 3},
		{"LCL", []int64{1, 1}, 2},
		{"LCL", []int64{2, 2}, 3},
		{"LCL", []int64{5, 1}, 2},
		{"LCM", []int64{1, 1, 1}, 2},
		{"LCLC", []int64{2, 1}, 2},
	}
}

func mustBuild(t testing.TB, in *makespan.Instance, form Form) *model {
	t.Helper()
	safe, err := in.Safe()
	if err != nil {
		t.Fatal(err)
	}
	m, err := build(in, form, safe)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestPointsAreTheSchedules: with all rows, the integer points of each form are
// the work-conserving schedules, once each.
func TestPointsAreTheSchedules(t *testing.T) {
	for _, c := range tinies() {
		in := reference.Instance(t, c.text, c.warps, c.capacities...)
		for _, form := range []Form{Short, Long, Counts} {
			m := mustBuild(t, in, form)
			if err := same(m); err != nil {
				t.Errorf("%v: %v: %v", c, form, err)
			}
			if n := float64(m.problem.Nonzeros()); n > terms(in, form, int64(m.horizon)) {
				t.Errorf("%v: %v: %v coefficients, estimated as %v", c, form, n, terms(in, form, int64(m.horizon)))
			}
		}
	}
}

// TestEveryAssignment goes through every 0/1 assignment of all columns, with the
// exact checker as judge: the enumerator above cannot hide a point.
func TestEveryAssignment(t *testing.T) {
	for _, c := range []struct {
		tiny
		form    Form
		horizon int64
	}{
		{tiny{"L", []int64{1}, 2}, Short, 2},
		{tiny{"L", []int64{1}, 2}, Long, 2},
		{tiny{"L", []int64{2}, 2}, Short, 2},
		{tiny{"LC", []int64{1, 1}, 1}, Short, 2},
		{tiny{"LL", []int64{1}, 1}, Long, 3},
		{tiny{"LL", []int64{2}, 2}, Long, 2},
		{tiny{"LC", []int64{1, 1}, 2}, Counts, 3},
	} {
		in := reference.Instance(t, c.text, c.warps, c.capacities...)
		m, err := build(in, c.form, c.horizon)
		if err != nil {
			t.Fatal(err)
		}
		want := 0
		points(&m.problem, func([]int64) bool { want++; return true })
		values, got := make([]float64, len(m.problem.Columns)), 0
		for {
			if _, err := milp.CheckInteger(&m.problem, values); err == nil {
				got++
			}
			col := 0
			for col < len(values) && values[col] == m.problem.Columns[col].Upper {
				values[col] = 0
				col++
			}
			if col == len(values) {
				break
			}
			values[col]++
		}
		if got != want || got == 0 {
			t.Errorf("%v, %v, horizon %d: %d points of %d columns, enumerated %d", c.tiny, c.form, c.horizon, got, len(values), want)
		}
	}
}

// TestPlantedFaults drops one family of constraints after the other: the
// comparison with the schedules notices, except for the families named here, whose
// constraints follow from the others. They are kept because they are the paper's,
// or help a solver.
func TestPlantedFaults(t *testing.T) {
	implied := map[Form][]family{
		// famOrder separates the cycles; full with e ≤ 1 is the capacity; a ≤ 1
		// makes the left sides hold where the disjunction is true.
		Short: {famCycle, famCapacity, famOr},
		Long:  {famCycle, famCapacity, famOr},
		// Work conservation executes something while a warp is left, and a cycle
		// in which nothing can execute is not counted.
		Counts: {famCapacity, famProgress, famRun},
	}
	for _, form := range []Form{Short, Long, Counts} {
		var families []family
		for _, f := range mustBuild(t, reference.Instance(t, "LL", 2, 1), form).families {
			if !slices.Contains(families, f) {
				families = append(families, f)
			}
		}
		for _, f := range families {
			err := faulty(t, form, f)
			if wanted := !slices.Contains(implied[form], f); (err != nil) != wanted {
				t.Errorf("%v without family %d: %v, expected to be noticed: %v", form, f, err, wanted)
			}
		}
		for _, pair := range [][]family{{famCapacity, famFull}, {famProgress, famRun}} {
			if slices.Contains(families, pair[0]) && faulty(t, form, pair...) == nil {
				t.Errorf("%v without families %d: not noticed", form, pair)
			}
		}
	}
}

// faulty is what is noticed of programmes without some families.
func faulty(t *testing.T, form Form, dropped ...family) error {
	for _, c := range tinies() {
		m := mustBuild(t, reference.Instance(t, c.text, c.warps, c.capacities...), form)
		var rows []milp.Row
		for r, f := range m.families {
			if !slices.Contains(dropped, f) {
				rows = append(rows, m.problem.Rows[r])
			}
		}
		m.problem.Rows = rows
		if err := same(m); err != nil {
			return fmt.Errorf("%v: %w", c, err)
		}
	}
	return nil
}
