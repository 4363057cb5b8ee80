package external

import (
	"bufio"
	"bytes"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/warpbound/warpbound/internal/milp"
)

// GLPK returns the solver that runs GLPK's glpsol.
func GLPK() *Solver {
	return &Solver{
		grace: milp.Grace,
		name:  "glpk", program: "glpsol", debian: "glpk-utils", title: "GLPK",
		versionArgs: []string{"--version"},
		args: func(opts milp.Options) []string {
			args := []string{"--lp", modelFile, "--mipgap", "0"}
			if opts.TimeLimit > 0 {
				args = append(args, "--tmlim", strconv.FormatInt(seconds(opts.TimeLimit), 10))
			}
			return append(args, "-w", solutionFile)
		},
		parse: func(p *milp.Problem) parser { return &glpkParser{p: p, bound: math.NaN()} },
	}
}

type glpkParser struct {
	p          *milp.Problem
	bound      float64 // the last printed dual bound, NaN without one
	release    string
	infeasible bool
	ambiguous  bool
	limit      bool
}

// glpkProgress matches a line of the tree search, as in
// "+  184: >>>>>   5.300000000e+01 >=   0.000000000e+00 100.0% (80; 13)".
var glpkProgress = regexp.MustCompile(`^\+ *\d+: (?:mip =|>>>>>) +(?:not found yet|\S+) +[<>]= +(\S+)`)

func (g *glpkParser) line(s string) {
	switch {
	case strings.HasPrefix(s, "GLPSOL"):
		if f := strings.Fields(s); g.release == "" {
			g.release = strings.TrimSuffix(f[len(f)-1], ",")
		}
	case strings.HasSuffix(s, "HAS NO PRIMAL FEASIBLE SOLUTION"):
		g.infeasible = true
	case strings.HasSuffix(s, "HAS NO DUAL FEASIBLE SOLUTION"), strings.HasSuffix(s, "HAS UNBOUNDED PRIMAL SOLUTION"):
		g.ambiguous = true
	case strings.HasPrefix(s, "TIME LIMIT EXCEEDED"):
		g.limit = true
	default:
		if m := glpkProgress.FindStringSubmatch(s); m != nil {
			// An infinite bound leaves the last number; "tree is empty" means
			// that nothing better than the incumbent is left.
			if m[1] == "tree" {
				g.bound = math.NaN()
			} else if d, err := strconv.ParseFloat(m[1], 64); err == nil && !math.IsInf(d, 0) {
				g.bound = d
			}
		}
	}
}

func (g *glpkParser) version() string { return g.release }

// glpkBoundError is the relative error of a bound printed to ten digits.
const glpkBoundError = 1e-9

// result reads the line "s mip ROWS COLS STATUS OBJECTIVE" or "s bas ROWS COLS
// PRIMAL DUAL OBJECTIVE", and the columns' lines "j INDEX VALUE" or "j INDEX
// STATE VALUE DUAL", whose indices follow the LP file's first mention, which is
// the problem's order.
func (g *glpkParser) result(solution []byte) (*milp.Solution, bool, error) {
	values := make([]float64, len(g.p.Columns))
	var status []string
	whole := false
	for sc := bufio.NewScanner(bytes.NewReader(solution)); sc.Scan(); {
		f := strings.Fields(sc.Text())
		switch {
		case len(f) == 0 || f[0] == "c" || f[0] == "i":
		case f[0] == "s":
			status = f
		case f[0] == "j":
			if !g.value(f, values) {
				return nil, false, fmt.Errorf("%w: solution line %q", ErrOutput, sc.Text())
			}
		case f[0] == "e":
			whole = true
		default:
			return nil, false, fmt.Errorf("%w: solution line %q", ErrOutput, sc.Text())
		}
	}
	if !whole {
		return nil, false, fmt.Errorf("%w: the solution file ends early", ErrOutput)
	}
	code, objective, err := glpkStatus(status)
	if err != nil {
		return nil, false, err
	}
	sol := &milp.Solution{Objective: math.NaN(), DualBound: math.NaN(), Nodes: -1}
	switch {
	case code == "o" || code == "ff":
		sol.Status, sol.Message = milp.Optimal, "optimal"
		sol.DualBound = objective
		if !math.IsNaN(g.bound) && (g.p.Maximize && g.bound > objective || !g.p.Maximize && g.bound < objective) {
			sol.DualBound = g.bound // stopped inside the gap
		}
	case code == "n" || g.infeasible:
		sol.Status, sol.Message = milp.Infeasible, "infeasible"
		return sol, false, nil
	case g.ambiguous:
		sol.Message = "infeasible or unbounded"
		return sol, true, nil
	case g.limit:
		g.stopped(sol, code)
	default:
		return nil, false, fmt.Errorf("%w: status %q", ErrOutput, strings.Join(status, " "))
	}
	if sol.Status == milp.Optimal || sol.Status == milp.Feasible {
		sol.Objective, sol.Values = objective, values
		sol.BoundError = glpkBoundError * math.Abs(sol.DualBound)
	}
	return sol, false, nil
}

// stopped fills in what is known after the time limit.
func (g *glpkParser) stopped(sol *milp.Solution, code string) {
	sol.Message, sol.DualBound = "time limit", g.p.Unproved()
	if g.p.IsLP() {
		return
	}
	if !math.IsNaN(g.bound) {
		sol.Status, sol.DualBound = milp.BoundOnly, g.bound
		sol.BoundError = glpkBoundError * math.Abs(g.bound)
	}
	if code == "f" {
		sol.Status = milp.Feasible
	}
}

// value stores the value of a column's line; it reports whether the line was
// understood.
func (g *glpkParser) value(f []string, values []float64) bool {
	at := 2
	if g.p.IsLP() {
		at = 3
	}
	if len(f) <= at {
		return false
	}
	j, err := strconv.Atoi(f[1])
	if err != nil || j < 1 {
		return false
	}
	v, err := strconv.ParseFloat(f[at], 64)
	if err != nil {
		return false
	}
	// The column that carries the objective constant comes last.
	if j <= len(values) {
		values[j-1] = v
	}
	return true
}

// glpkStatus takes the status line apart; code is one letter for a MIP, two
// (primal, dual) for a linear programme.
func glpkStatus(f []string) (code string, objective float64, err error) {
	switch {
	case len(f) == 6 && f[1] == "mip":
		code = f[4]
	case len(f) == 7 && f[1] == "bas":
		code = f[4] + f[5]
	default:
		return "", 0, fmt.Errorf("%w: status line %q", ErrOutput, strings.Join(f, " "))
	}
	objective, err = strconv.ParseFloat(f[len(f)-1], 64)
	if err != nil {
		return "", 0, fmt.Errorf("%w: status line %q", ErrOutput, strings.Join(f, " "))
	}
	return code, objective, nil
}
