package study

import (
	"context"
	"fmt"
	"io"

	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/method/makespan/ilp"
	"github.com/warpbound/warpbound/internal/milp/solvers"
)

// Solvers are the names of the solvers of integer linear programmes; the first is
// built in, the others are used where they are installed.
func Solvers() []string {
	var names []string
	for _, s := range solvers.All() {
		names = append(names, s.Name())
	}
	return names
}

// Forms are the names of the forms of the integer linear programme: the methods
// named "ilp-" and a form solve it.
func Forms() []string {
	return []string{ilp.Short.String(), ilp.Long.String(), ilp.Counts.String()}
}

// ExportLP writes the integer linear programme of an instance in LP format, in one
// of the Forms. It is a *makespan.LimitError where the programme would be too large.
func ExportLP(w io.Writer, in *makespan.Instance, form string) error {
	f, err := ilp.ParseForm(form)
	if err != nil {
		return err
	}
	return ilp.Write(w, in, f)
}

const ilpTheorem = "Berezovskyi2012, Section 5"

// runILP solves one form of the integer linear programme. That nothing is longer
// than its answer rests on the solver's dual bound.
func runILP(form ilp.Form) func(context.Context, *makespan.Instance, task) (*outcome, error) {
	return func(ctx context.Context, in *makespan.Instance, t task) (*outcome, error) {
		solver, err := solvers.ByName(t.Solver)
		if err != nil {
			return nil, err
		}
		// A solver that ends by itself, before its context does, tells more.
		limit := t.budget.Timeout / 10 * 9
		r, err := ilp.Solve(ctx, in, ilp.Options{Form: form, Solver: solver, TimeLimit: limit, MemoryBytes: t.budget.MemoryBytes})
		if err != nil {
			return nil, err
		}
		size := fmt.Sprintf("%s, %d columns, %d rows", r.Solver, r.Columns, r.Rows)
		if !r.Exact {
			return nil, &makespan.LimitError{What: "time", Cycles: r.Cycles, Detail: fmt.Sprintf(
				"dual bound %d cycles, longest schedule found %d; %s", r.DualBound, r.Found, size)}
		}
		out := &outcome{
			cycles: r.Cycles, schedule: r.Schedule,
			note: size + "; that no schedule is longer rests on the solver's dual bound",
		}
		if r.Nodes > 0 {
			out.work, out.workUnit = r.Nodes, "node"
		}
		return out, nil
	}
}
