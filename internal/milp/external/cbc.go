package external

import (
	"bufio"
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/warpbound/warpbound/internal/milp"
)

// CBC returns the solver that runs COIN-OR's cbc.
func CBC() *Solver {
	return &Solver{
		grace: milp.Grace,
		name:  "cbc", program: "cbc", debian: "coinor-cbc", title: "CBC",
		versionArgs: []string{"-quit"},
		args: func(opts milp.Options) []string {
			args := []string{modelFile, "-timeMode", "elapsed", "-ratio", "0", "-allow", "0"}
			if opts.TimeLimit > 0 {
				args = append(args, "-sec", strconv.FormatFloat(opts.TimeLimit.Seconds(), 'f', 3, 64))
			}
			return append(args, "-solve", "-solution", solutionFile)
		},
		parse: func(p *milp.Problem) parser {
			return &cbcParser{p: p, nodes: -1, bound: math.NaN()}
		},
	}
}

type cbcParser struct {
	p         *milp.Problem
	nodes     int64
	bound     float64 // the printed dual bound, NaN without one
	release   string
	doubtful  bool // the log says "infeasible or unbounded"
	pointless bool // the log says that no feasible point was found
}

func (c *cbcParser) line(s string) {
	key, value, found := strings.Cut(s, ":")
	value = strings.TrimSpace(value)
	switch {
	case found && key == "Version":
		c.release = value
	case found && key == "Enumerated nodes":
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			c.nodes = n
		}
	case found && (key == "Lower bound" && !c.p.Maximize || key == "Upper bound" && c.p.Maximize):
		// Beyond 1e30 the number stands for infinity.
		if d, err := strconv.ParseFloat(value, 64); err == nil && math.Abs(d) < 1e30 {
			c.bound = d
		}
	case s == "No feasible solution found":
		c.pointless = true
	case strings.Contains(s, "infeasible or unbounded"), strings.Contains(s, "(or unbounded)"):
		c.doubtful = true
	}
}

func (c *cbcParser) version() string { return c.release }

// cbcBoundError covers the three decimals to which CBC prints its bound.
const cbcBoundError = 1e-3

// result reads "STATUS - objective value X" and lines of "index name value
// reduced-cost", which leave out the columns that are zero.
func (c *cbcParser) result(solution []byte) (*milp.Solution, bool, error) {
	head, rest, _ := bytes.Cut(solution, []byte("\n"))
	status, objective, found := strings.Cut(string(head), " - objective value ")
	if !found {
		return nil, false, fmt.Errorf("%w: solution starts with %q", ErrOutput, head)
	}
	sol := &milp.Solution{Objective: math.NaN(), DualBound: math.NaN(), Nodes: c.nodes, Message: status}
	switch {
	case strings.HasPrefix(status, "Optimal"):
		sol.Status = milp.Optimal
	case status == "Infeasible" || status == "Integer infeasible":
		// Presolve may say so of an unbounded problem; without an objective
		// none is unbounded.
		if c.doubtful && hasObjective(c.p) {
			return sol, true, nil
		}
		sol.Status = milp.Infeasible
		return sol, false, nil
	case status == "Unbounded":
		return sol, true, nil
	case strings.HasPrefix(status, "Stopped on"):
		c.stopped(sol, strings.Contains(status, "no integer solution"))
	default:
		return nil, false, fmt.Errorf("%w: status %q", ErrOutput, status)
	}
	if sol.Status != milp.Optimal && sol.Status != milp.Feasible {
		return sol, false, nil
	}
	var err error
	if sol.Objective, err = strconv.ParseFloat(strings.TrimSpace(objective), 64); err != nil {
		return nil, false, fmt.Errorf("%w: objective value %q", ErrOutput, objective)
	}
	if sol.Status == milp.Optimal {
		sol.DualBound, sol.BoundError = sol.Objective, 1e-8
		if !math.IsNaN(c.bound) {
			sol.DualBound, sol.BoundError = c.bound, cbcBoundError
		}
	}
	sol.Values, err = c.values(rest)
	return sol, false, err
}

func hasObjective(p *milp.Problem) bool {
	for i := range p.Columns {
		if p.Columns[i].Cost != 0 {
			return true
		}
	}
	return false
}

// stopped fills in what is known after a limit. Values of a linear programme
// stopped half-way need not be feasible, so nothing of them is used.
func (c *cbcParser) stopped(sol *milp.Solution, noPoint bool) {
	sol.DualBound = c.p.Unproved()
	switch {
	case c.p.IsLP():
		return
	case !math.IsNaN(c.bound):
		sol.DualBound, sol.BoundError = c.bound, cbcBoundError
	}
	switch {
	case !noPoint && !c.pointless:
		sol.Status = milp.Feasible
	case !math.IsNaN(c.bound):
		sol.Status = milp.BoundOnly
	}
}

func (c *cbcParser) values(text []byte) ([]float64, error) {
	index := make(map[string]int, len(c.p.Columns))
	for i := range c.p.Columns {
		index[c.p.Columns[i].Name] = i
	}
	values := make([]float64, len(c.p.Columns))
	for sc := bufio.NewScanner(bytes.NewReader(text)); sc.Scan(); {
		// "**" marks a column that CBC holds for violated; the checks of
		// package milp decide.
		f := strings.Fields(strings.TrimPrefix(sc.Text(), "**"))
		if len(f) == 0 {
			continue
		}
		if len(f) < 3 {
			return nil, fmt.Errorf("%w: solution line %q", ErrOutput, sc.Text())
		}
		v, err := strconv.ParseFloat(f[2], 64)
		if err != nil {
			return nil, fmt.Errorf("%w: solution line %q", ErrOutput, sc.Text())
		}
		// The column that carries the objective constant is not of the problem.
		if i, ok := index[f[1]]; ok {
			values[i] = v
		}
	}
	return values, nil
}
