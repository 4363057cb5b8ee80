package external

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/warpbound/warpbound/internal/milp"
	"github.com/warpbound/warpbound/internal/milp/milptest"
	"github.com/warpbound/warpbound/internal/testkit/settings"
)

// noSlack is a market split without slack: too hard for a point within a
// second, while a bound is there at once.
func noSlack() *milp.Problem {
	p := milptest.MarketSplit(5, 40, 1)
	p.Maximize = true
	p.Columns = p.Columns[:40]
	for i := range p.Columns {
		p.SetCost(i, float64(i%7))
	}
	for i := range p.Rows {
		p.Rows[i].Terms = p.Rows[i].Terms[:40]
	}
	return p
}

// named returns the case of that name.
func named(name string) *milp.Problem {
	for _, c := range milptest.Cases() {
		if c.Name == name {
			return c.Problem
		}
	}
	panic("no case " + name)
}

// recording is a run whose log and solution file are kept in testdata.
// UPDATE_GOLDEN=1 runs the installed programs again; the figures of the runs
// that hit a limit then need a new look.
type recording struct {
	solver    *Solver
	file      string
	problem   *milp.Problem
	limit     time.Duration
	status    milp.Status
	ambiguous bool
	objective float64 // NaN: no point
	dual      float64
	nodes     int64
}

func recordings() []recording {
	nan := math.NaN()
	limit := time.Second
	return []recording{
		{CBC(), "constant", named("fixed binaries and constant"), 0, milp.Optimal, false, -2, -2, 0},
		{CBC(), "negative", named("negative"), 0, milp.Optimal, false, -9, -9, 0},
		{CBC(), "parity", named("parity"), 0, milp.Failed, true, nan, nan, -1},
		{CBC(), "unbounded", named("unbounded integer"), 0, milp.Failed, true, nan, nan, -1},
		{CBC(), "lp", named("LP minimum"), 0, milp.Optimal, false, 9.5, 9.5, -1},
		{CBC(), "lp-infeasible", named("infeasible LP"), 0, milp.Failed, true, nan, nan, 0},
		{CBC(), "limit", milptest.MarketSplit(4, 30, 1), limit, milp.Feasible, false, 3, 0, 158421},
		{CBC(), "limit-no-point", noSlack(), limit, milp.BoundOnly, false, nan, 83.384, 122632},
		{GLPK(), "constant", named("fixed binaries and constant"), 0, milp.Optimal, false, -2, -2, -1},
		{GLPK(), "negative", named("negative"), 0, milp.Optimal, false, -9, -9, -1},
		{GLPK(), "parity", named("parity"), 0, milp.Infeasible, false, nan, nan, -1},
		{GLPK(), "unbounded", named("unbounded integer"), 0, milp.Failed, true, nan, nan, -1},
		{GLPK(), "lp", named("LP minimum"), 0, milp.Optimal, false, 9.5, 9.5, -1},
		{GLPK(), "lp-infeasible", named("infeasible LP"), 0, milp.Infeasible, false, nan, nan, -1},
		{GLPK(), "lp-unbounded", named("unbounded LP"), 0, milp.Failed, true, nan, nan, -1},
		{GLPK(), "limit", milptest.MarketSplit(4, 30, 1), limit, milp.Feasible, false, 3, 0, -1},
		{GLPK(), "limit-no-point", noSlack(), limit, milp.BoundOnly, false, nan, 80, -1},
	}
}

func (r *recording) path(ext string) string {
	return filepath.Join("testdata", r.solver.name, r.file+ext)
}

func (r *recording) record(t *testing.T) {
	path, err := installed(t, r.solver).Path()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var model, log bytes.Buffer
	if err := milp.WriteLP(&model, r.problem); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, modelFile), model.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	opts := milp.Options{TimeLimit: r.limit, Progress: func(line string) { fmt.Fprintln(&log, line) }}
	if _, _, err := r.solver.execute(context.Background(), path, dir, opts, r.solver.parse(r.problem)); err != nil {
		t.Fatal(err)
	}
	solution, err := os.ReadFile(filepath.Join(dir, solutionFile))
	if err != nil {
		t.Fatal(err)
	}
	for ext, data := range map[string][]byte{".log": log.Bytes(), ".sol": solution} {
		if err := os.WriteFile(r.path(ext), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// load returns the parser after the recorded log, and the solution file.
func (r *recording) load(t testing.TB) (parser, []byte) {
	log, err := os.ReadFile(r.path(".log"))
	if err != nil {
		t.Fatal(err)
	}
	solution, err := os.ReadFile(r.path(".sol"))
	if err != nil {
		t.Fatal(err)
	}
	p := r.solver.parse(r.problem)
	for line := range strings.Lines(string(log)) {
		p.line(strings.TrimSuffix(line, "\n"))
	}
	return p, solution
}

func TestRecorded(t *testing.T) {
	for _, r := range recordings() {
		t.Run(r.solver.name+"/"+r.file, func(t *testing.T) {
			if settings.Updating(t) {
				r.record(t)
			}
			p, solution := r.load(t)
			sol, ambiguous, err := p.result(solution)
			if err != nil {
				t.Fatal(err)
			}
			if sol.Status != r.status || ambiguous != r.ambiguous || !same(sol.Objective, r.objective) || !same(sol.DualBound, r.dual) || sol.Nodes != r.nodes {
				t.Errorf("got %v ambiguous=%v objective %v dual %v nodes %d,\nwant %+v", sol.Status, ambiguous, sol.Objective, sol.DualBound, sol.Nodes, r)
			}
			if (sol.Values == nil) != math.IsNaN(r.objective) {
				t.Errorf("values %v", sol.Values)
			}
			if sol.Values != nil {
				if err := milptest.CheckFeasible(r.problem, sol.Values, 1e-6); err != nil {
					t.Error(err)
				}
			}
			if p.version() == "" {
				t.Error("no version in the log")
			}
		})
	}
}

func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// TestTruncated: a solution file cut anywhere is an error or at least no
// optimum with missing values; it never passes for the whole.
func TestTruncated(t *testing.T) {
	for _, r := range recordings() {
		if r.status != milp.Optimal || r.solver.name != "glpk" {
			continue
		}
		_, solution := r.load(t)
		for cut := range len(solution) - len("e o f\n") {
			p, _ := r.load(t)
			if _, _, err := p.result(solution[:cut]); !errors.Is(err, ErrOutput) {
				t.Fatalf("%s cut at %d: error %v, want ErrOutput", r.file, cut, err)
			}
		}
	}
}

func TestNotUnderstood(t *testing.T) {
	lp, mip := named("LP minimum"), named("negative")
	for _, c := range []struct {
		solver   *Solver
		problem  *milp.Problem
		solution string
	}{
		{CBC(), mip, ""},
		{CBC(), mip, "Wonderful - objective value 3\n"},
		{CBC(), mip, "Optimal - objective value three\n"},
		{CBC(), mip, "Optimal - objective value 3\n 0 x\n"},
		{CBC(), mip, "Optimal - objective value 3\n 0 x one 0\n"},
		{GLPK(), mip, ""},
		{GLPK(), mip, "e o f\n"},
		{GLPK(), mip, "s mip 2 3 q -9\ne o f\n"},
		{GLPK(), mip, "s mip 2 3 o nine\ne o f\n"},
		{GLPK(), mip, "s mip 2 3 o\ne o f\n"},
		{GLPK(), mip, "s mip 2 3 o -9\nj 0 1\ne o f\n"},
		{GLPK(), mip, "s mip 2 3 o -9\nj 1\ne o f\n"},
		{GLPK(), mip, "s mip 2 3 o -9\nj 1 x\ne o f\n"},
		{GLPK(), mip, "s mip 2 3 o -9\nk 1 2\ne o f\n"},
		{GLPK(), lp, "s bas 2 2 f n 3\ne o f\n"},
	} {
		p := c.solver.parse(c.problem)
		if sol, _, err := p.result([]byte(c.solution)); !errors.Is(err, ErrOutput) {
			t.Errorf("%s %q: %+v, error %v, want ErrOutput", c.solver.name, c.solution, sol, err)
		}
	}
}

// FuzzParse: no output makes a parser panic or return a point of the wrong
// size.
func FuzzParse(f *testing.F) {
	for _, r := range recordings() {
		if r.limit > 0 {
			continue // long, and nothing new in form
		}
		log, err := os.ReadFile(r.path(".log"))
		if err != nil {
			f.Fatal(err)
		}
		_, solution := r.load(f)
		f.Add(r.solver.name == "cbc", string(log), solution)
	}
	problems := []*milp.Problem{named("negative"), named("LP minimum")}
	f.Fuzz(func(t *testing.T, cbc bool, log string, solution []byte) {
		for _, problem := range problems {
			s := GLPK()
			if cbc {
				s = CBC()
			}
			p := s.parse(problem)
			for line := range strings.Lines(log) {
				p.line(strings.TrimSuffix(line, "\n"))
			}
			sol, _, err := p.result(solution)
			if err != nil {
				if !errors.Is(err, ErrOutput) {
					t.Errorf("error %v, want ErrOutput", err)
				}
				continue
			}
			point := sol.Status == milp.Optimal || sol.Status == milp.Feasible
			if point != (len(sol.Values) == len(problem.Columns)) {
				t.Errorf("%v with %d values", sol.Status, len(sol.Values))
			}
		}
	})
}
