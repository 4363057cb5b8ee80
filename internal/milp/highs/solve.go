package highs

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/tetratelabs/wazero/api"

	"github.com/warpbound/warpbound/internal/milp"
)

// Solver runs HiGHS. The zero value is ready for use.
type Solver struct{}

// Name returns "highs".
func (Solver) Name() string { return "highs" }

// coreVersion is what the vendored build calls itself; the npm package counts
// its releases on its own.
const coreVersion = "1.15.1"

// Version names the vendored release.
func (Solver) Version() string { return "HiGHS " + coreVersion + " (npm highs " + packageVersion + ")" }

// Model statuses of the C API.
const (
	statusOptimal               = 7
	statusInfeasible            = 8
	statusUnboundedOrInfeasible = 9
	statusUnbounded             = 10
	statusTimeLimit             = 13
	statusInterrupt             = 17
	statusMemoryLimit           = 18
)

// Other constants of the C API.
const (
	matrixRowwise    = 2
	solutionFeasible = 2 // primal_solution_status
)

// maxPages is the memory that the module declares as its most: 2 GiB.
const maxPages = 32768

// Solve implements milp.Solver. The time limit does not count the compilation
// of the module at the first call.
func (s Solver) Solve(ctx context.Context, p *milp.Problem, opts milp.Options) (*milp.Solution, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if sol := milp.Screen(p); sol != nil {
		return sol, nil
	}
	if p.Nonzeros() > math.MaxInt32 || len(p.Columns) > math.MaxInt32 || len(p.Rows) > math.MaxInt32 {
		return nil, fmt.Errorf("%w: %d columns, %d rows", milp.ErrMemory, len(p.Columns), len(p.Rows))
	}
	began := time.Now()
	eng, err := await(ctx)
	if err != nil {
		return nil, err
	}
	sol, err := newRun(ctx, p, opts).supervise(eng, milp.Grace)
	if sol != nil {
		sol.Elapsed, sol.Solver = time.Since(began), s.Version()
	}
	return sol, err
}

// await returns the compiled module; it does not wait longer than ctx.
func await(ctx context.Context) (*engine, error) {
	type result struct {
		e   *engine
		err error
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	done := make(chan result, 1)
	go func() {
		e, err := shared()
		done <- result{e, err}
	}()
	select {
	case res := <-done:
		return res.e, res.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// run is one solve.
type run struct {
	instance
	caller context.Context
	p      *milp.Problem
	opts   milp.Options
}

func newRun(ctx context.Context, p *milp.Problem, opts milp.Options) *run {
	box := &sandbox{start: time.Now(), progress: opts.Progress, pages: maxPages}
	if opts.MemoryBytes > 0 {
		box.pages = uint32(min(opts.MemoryBytes/wasmPage, maxPages))
	}
	r := &run{caller: ctx, p: p, opts: opts}
	r.ctx, r.box = context.WithValue(context.WithoutCancel(ctx), sandboxKey{}, box), box
	return r
}

// supervise solves in a goroutine of its own and stops it in two stages: at
// the caller's cancellation the clock jumps; grace after that, or after the
// time limit, the instance is abandoned.
func (r *run) supervise(eng *engine, grace time.Duration) (*milp.Solution, error) {
	type result struct {
		sol *milp.Solution
		err error
	}
	done := make(chan result, 1)
	garbage.hold(int64(r.box.pages) * wasmPage)
	go func() {
		sol, err := r.solve(eng)
		if r.mod != nil {
			r.mod.Close(r.ctx)
		}
		// Here, not where supervise returns: a run that was abandoned still runs.
		garbage.release()
		done <- result{sol, err}
	}()
	var overdue <-chan time.Time
	if r.opts.TimeLimit > 0 {
		overdue = time.After(r.opts.TimeLimit + grace)
	}
	cancelled := r.caller.Done()
	for {
		select {
		case res := <-done:
			return res.sol, res.err
		case <-cancelled:
			r.box.expired.Store(true)
			cancelled, overdue = nil, time.After(grace)
		case <-overdue:
			r.box.broken.Store(true)
			return r.abandoned(grace)
		}
	}
}

// abandoned is the outcome of a run that did not stop.
func (r *run) abandoned(grace time.Duration) (*milp.Solution, error) {
	if cause := context.Cause(r.caller); cause != nil {
		return nil, cause
	}
	return &milp.Solution{
		Objective: math.NaN(), DualBound: r.p.Unproved(), Nodes: -1,
		Message: fmt.Sprintf("broken off %v after the time limit of %v", grace, r.opts.TimeLimit),
	}, nil
}

func (r *run) solve(eng *engine) (*milp.Solution, error) {
	mod, err := eng.instantiate(r.ctx)
	if err != nil {
		r.err = r.reason(err)
		return r.outcome(nil)
	}
	r.mod = mod
	r.model = r.call(fnCreate)
	r.options()
	r.pass()
	status := r.run()
	if status == statusUnboundedOrInfeasible || status == statusUnbounded && !r.p.IsLP() {
		status = r.settleUnbounded()
	}
	return r.outcome(r.read(status))
}

func (r *run) options() {
	r.setBool("output_flag", r.opts.Progress != nil)
	limit := unlimited
	if r.opts.TimeLimit > 0 {
		limit = min(r.opts.TimeLimit, limit)
	}
	r.setFloat("time_limit", limit.Seconds())
	// The absolute gap stays at HiGHS's default of 1e-6, far below the unit
	// between two values of an integral objective.
	r.setFloat("mip_rel_gap", 0)
}

// pass hands over the model, rows first.
func (r *run) pass() {
	p := r.p
	nc, nr, nz := len(p.Columns), len(p.Rows), p.Nonzeros()
	cost, lower, upper := make([]float64, nc), make([]float64, nc), make([]float64, nc)
	kinds := make([]int32, nc)
	for i := range p.Columns {
		c := &p.Columns[i]
		cost[i] = c.Cost
		lower[i], upper[i] = c.Domain()
		if c.Integer {
			kinds[i] = 1
		}
	}
	rowLower, rowUpper := make([]float64, nr), make([]float64, nr)
	starts := make([]int32, nr+1)
	index, value := make([]int32, 0, nz), make([]float64, 0, nz)
	for i := range p.Rows {
		row := &p.Rows[i]
		rowLower[i], rowUpper[i] = row.Lower, row.Upper
		for _, t := range row.Terms {
			// HiGHS warns of explicit zeros and drops them.
			if t.Coef != 0 {
				index, value = append(index, int32(t.Col)), append(value, t.Coef)
			}
		}
		starts[i+1] = int32(len(index))
	}
	sense := int32(1)
	if p.Maximize {
		sense = -1
	}
	args := []uint64{
		r.model, uint64(nc), uint64(nr), uint64(len(index)), matrixRowwise, api.EncodeI32(sense), api.EncodeF64(p.Constant),
		r.putFloats(cost), r.putFloats(lower), r.putFloats(upper), r.putFloats(rowLower), r.putFloats(rowUpper),
		r.putInts(starts), r.putInts(index), r.putFloats(value),
	}
	if p.IsLP() {
		r.setting("model", fnPassLP, args...)
		return
	}
	r.setting("model", fnPassMIP, append(args, r.putInts(kinds))...)
}

// run runs HiGHS and returns the model status. The status of the call itself
// is a warning at every limit; the model status says it better.
func (r *run) run() int32 {
	r.call(fnRun, r.model)
	return api.DecodeI32(r.call(fnModelStatus, r.model))
}

// settleUnbounded decides by a second run without objective whether a problem
// with an unbounded direction has a feasible point at all.
func (r *run) settleUnbounded() int32 {
	n := len(r.p.Columns)
	r.setting("objective", fnChangeCosts, r.model, 0, uint64(n-1), r.putFloats(make([]float64, n)))
	status := r.run()
	if status == statusOptimal {
		return statusUnbounded
	}
	if status == statusInfeasible {
		return statusInfeasible
	}
	// The second run's bounds are not those of the problem.
	return statusUnboundedOrInfeasible
}

// read turns the state of HiGHS into a solution.
func (r *run) read(status int32) *milp.Solution {
	if r.err != nil {
		return nil
	}
	sol := &milp.Solution{Objective: math.NaN(), DualBound: math.NaN(), Nodes: -1, Message: statusText(status)}
	if bits, ok := r.info(fnGetInt64, "mip_node_count"); ok && !r.p.IsLP() {
		sol.Nodes = int64(bits)
	}
	switch status {
	case statusInfeasible:
		sol.Status = milp.Infeasible
	case statusUnbounded:
		sol.Status = milp.Unbounded
	case statusOptimal:
		sol.Status = milp.Optimal
		r.readPoint(sol)
		sol.DualBound = sol.Objective
		if !r.p.IsLP() {
			sol.DualBound = r.infoFloat("mip_dual_bound")
		}
	case statusTimeLimit, statusInterrupt:
		r.readLimit(sol)
	}
	return sol
}

// readLimit fills in what is known where the search was stopped. The simplex
// method stopped half-way proves nothing: only a MIP has a dual bound then.
func (r *run) readLimit(sol *milp.Solution) {
	sol.DualBound = r.p.Unproved()
	if !r.p.IsLP() {
		if d := r.infoFloat("mip_dual_bound"); !math.IsNaN(d) {
			sol.DualBound = d
		}
	}
	bounded := !math.IsInf(sol.DualBound, 0)
	switch {
	case r.infoInt("primal_solution_status") == solutionFeasible:
		sol.Status = milp.Feasible
		r.readPoint(sol)
	case bounded:
		sol.Status = milp.BoundOnly
	default:
		sol.Message += " before any point or bound was found"
	}
}

func (r *run) readPoint(sol *milp.Solution) {
	nc, nr := len(r.p.Columns), len(r.p.Rows)
	values := r.alloc(8 * nc)
	r.setting("request for the solution", fnGetSolution, r.model, values, r.alloc(8*nc), r.alloc(8*nr), r.alloc(8*nr))
	sol.Objective = r.infoFloat("objective_function_value")
	sol.Values = r.floats(values, nc)
}

// outcome decides between solution and error.
func (r *run) outcome(sol *milp.Solution) (*milp.Solution, error) {
	cause := context.Cause(r.caller)
	switch {
	case r.err == nil && (cause == nil || sol.Status == milp.Optimal || sol.Status == milp.Infeasible || sol.Status == milp.Unbounded):
		return sol, nil
	case r.err == nil:
		return sol, cause
	case cause != nil:
		return nil, cause
	case errors.Is(r.err, milp.ErrMemory):
		return nil, fmt.Errorf("%w: more than %d MiB for %d columns, %d rows, %d nonzeros", milp.ErrMemory, r.box.pages/16, len(r.p.Columns), len(r.p.Rows), r.p.Nonzeros())
	default:
		return nil, r.err
	}
}

func statusText(status int32) string {
	switch status {
	case statusOptimal:
		return "optimal"
	case statusInfeasible:
		return "infeasible"
	case statusUnbounded:
		return "unbounded"
	case statusUnboundedOrInfeasible:
		return "unbounded or infeasible"
	case statusTimeLimit:
		return "time limit"
	case statusInterrupt:
		return "interrupted"
	case statusMemoryLimit:
		return "memory limit"
	default:
		return fmt.Sprintf("HiGHS ended with model status %d", status)
	}
}
