package potential

import "slices"

// programme is a linear programme: minimise cost·x over x ≥ 0 with a·x ≥ b for
// every cut (a, b). Its dual gains a column with every cut, and a basis stays
// feasible, so that solving again after a cut is cheap: the dual simplex, in
// floating point. Costs must not be negative. What it answers needs no trust.
type programme struct {
	columns [][]float64
	profit  []float64
	inverse [][]float64 // of the basis
	value   []float64   // of the basic columns
	basis   []int
}

func newProgramme(cost []float64) *programme {
	n := len(cost)
	p := &programme{value: slices.Clone(cost)}
	for i := range n {
		unit := make([]float64, n)
		unit[i] = 1
		p.columns = append(p.columns, unit)
		p.profit = append(p.profit, 0)
		p.basis = append(p.basis, i)
		p.inverse = append(p.inverse, slices.Clone(unit))
	}
	return p
}

func (p *programme) cut(a []float64, b float64) {
	p.columns = append(p.columns, a)
	p.profit = append(p.profit, b)
}

const (
	tolerance = 1e-7
	pivotMin  = 1e-9
	// greedySteps is after how many steps the entering column is the first that
	// improves instead of the best, which cannot cycle in exact arithmetic.
	greedySteps = 400
	maxSteps    = 20000
)

// solve gives x, or false where the programme is unbounded, infeasible or lost to
// rounding.
func (p *programme) solve() ([]float64, bool) {
	n := len(p.basis)
	x, direction := make([]float64, n), make([]float64, n)
	for step := range maxSteps {
		clear(x)
		for r, c := range p.basis {
			if b := p.profit[c]; b != 0 {
				for j, v := range p.inverse[r] {
					x[j] += b * v
				}
			}
		}
		enter, gain := -1, tolerance
		for c, column := range p.columns {
			reduced := p.profit[c]
			for i, a := range column {
				reduced -= a * x[i]
			}
			if reduced > gain {
				enter, gain = c, reduced
				if step > greedySteps {
					break
				}
			}
		}
		if enter < 0 {
			return x, true
		}
		for r := range direction {
			direction[r] = 0
			for i, a := range p.columns[enter] {
				direction[r] += p.inverse[r][i] * a
			}
		}
		if !p.pivot(enter, direction) {
			return nil, false
		}
	}
	return nil, false
}

// pivot brings a column into the basis; false where nothing limits it.
func (p *programme) pivot(enter int, direction []float64) bool {
	leave, ratio := -1, 0.0
	for r, d := range direction {
		if d <= pivotMin {
			continue
		}
		q := p.value[r] / d
		if leave < 0 || q < ratio-1e-12 || q <= ratio+1e-12 && p.basis[r] < p.basis[leave] {
			leave, ratio = r, q
		}
	}
	if leave < 0 {
		return false
	}
	d := direction[leave]
	row := p.inverse[leave]
	for j := range row {
		row[j] /= d
	}
	p.value[leave] /= d
	for r, f := range direction {
		if r == leave || f == 0 {
			continue
		}
		for j, v := range row {
			p.inverse[r][j] -= f * v
		}
		p.value[r] = max(0, p.value[r]-f*p.value[leave])
	}
	p.basis[leave] = enter
	return true
}
