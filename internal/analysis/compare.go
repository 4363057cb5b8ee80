package analysis

import (
	"context"
	"fmt"
	"math"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/multiphase"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// Best, as a method to compare, is the smallest safe bound of the scope.
const Best = "best"

// Row is one bound beside one simulation.
type Row struct {
	Kernel          string      `json:"kernel"`
	Launch          string      `json:"launch"`
	GPU             string      `json:"gpu"`
	Policy          string      `json:"policy"`
	Model           string      `json:"model"`
	Scope           bound.Scope `json:"scope"`
	Method          string      `json:"method"`
	BoundCycles     int64       `json:"bound_cycles"`
	SimulatedCycles int64       `json:"simulated_cycles"`
	Overestimation  float64     `json:"overestimation"` // bound / simulated - 1
	Safe            bool        `json:"safe"`
	// AllInputs is that of the report that the bound is from.
	AllInputs bool `json:"holds_for_all_inputs"`
	// Refused says why the method gives no bound here; BoundCycles,
	// Overestimation, Safe, AllInputs and Claimed then mean nothing.
	Refused string `json:"refused,omitempty"`
	// Claimed says that the simulation fulfils the bound's assumptions: only
	// then is a bound below the simulation a violation. A path that depends on
	// data must not depend on the schedule as well (atomics, races), and the
	// simulation must have executed as many instructions as were analysed.
	Claimed bool `json:"claimed"`
}

// Violation says that a bound that claims to hold does not.
func (r *Row) Violation() bool {
	return r.Refused == "" && r.Safe && r.Claimed && r.BoundCycles < r.SimulatedCycles
}

// Summary sums up the rows of one GPU, method and policy.
type Summary struct {
	GPU          string  `json:"gpu"`
	Method       string  `json:"method"`
	Policy       string  `json:"policy"`
	Rows         int     `json:"rows"`    // rows with a bound, which all that follows is about
	Refused      int     `json:"refused"` // further rows, without one
	Mean         float64 `json:"mean"`
	Max          float64 `json:"max"`
	WeightedMean float64 `json:"weighted_mean"` // by simulated cycles
	StdDev       float64 `json:"stddev"`        // of the population
	Violations   int     `json:"violations"`
	// Exceeded counts rows of any bound, safe or not, below the simulation.
	Exceeded int `json:"exceeded"`
}

// Summarize sums up rows by GPU, method and policy, in order of first appearance.
func Summarize(rows []Row) []Summary {
	type key struct{ gpu, method, policy string }
	index := map[key]int{}
	var out []Summary
	groups := [][]Row{}
	for _, r := range rows {
		k := key{r.GPU, r.Method, r.Policy}
		i, ok := index[k]
		if !ok {
			i = len(out)
			index[k] = i
			out = append(out, Summary{GPU: r.GPU, Method: r.Method, Policy: r.Policy})
			groups = append(groups, nil)
		}
		if r.Refused != "" {
			out[i].Refused++
			continue
		}
		groups[i] = append(groups[i], r)
	}
	for i := range out {
		s := &out[i]
		if len(groups[i]) == 0 {
			continue
		}
		s.Max = math.Inf(-1)
		var sum, weighted, weight, squares float64
		for _, r := range groups[i] {
			sum += r.Overestimation
			weighted += r.Overestimation * float64(r.SimulatedCycles)
			weight += float64(r.SimulatedCycles)
			s.Max = max(s.Max, r.Overestimation)
			if r.Violation() {
				s.Violations++
			}
			if r.BoundCycles < r.SimulatedCycles {
				s.Exceeded++
			}
		}
		n := float64(len(groups[i]))
		s.Rows, s.Mean = len(groups[i]), sum/n
		if weight > 0 {
			s.WeightedMean = weighted / weight
		}
		for _, r := range groups[i] {
			squares += (r.Overestimation - s.Mean) * (r.Overestimation - s.Mean)
		}
		s.StdDev = math.Sqrt(squares / n)
	}
	return out
}

// CompareOptions choose what Compare does.
type CompareOptions struct {
	Methods  []string // of Methods, and Best
	Policies []policy.Policy
	Scope    bound.Scope // Kernel and SM mean the whole launch
	Model    string      // of the simulator; "" means the description's
	Checks   bool
	// Simulated, if not nil, is called from time to time with how far a
	// simulation is.
	Simulated func(sim.Progress)
}

// Compare simulates a launch under each policy and compares with its bounds.
// fresh returns the kernel with its buffers as they are at the start; r is what
// Run returned for it. Scope Block runs one block alone, Warp one warp alone: of
// the slowest class where the path holds for all inputs, otherwise of block 0.
func Compare(ctx context.Context, r *Report, fresh func() (simt.Kernel, error), opt CompareOptions) ([]Row, error) {
	slowest, err := r.slowestBlock(ctx)
	if err != nil {
		return nil, err
	}
	class, warp := r.slowestClass(opt.Scope, slowest)
	res := r.Whole()
	switch opt.Scope {
	case bound.Warp:
		res, err = r.result(ctx, method.Part{Scope: bound.Warp, Index: r.AloneOf(r.Path.Classes[class].Warps[warp].Warp)})
	case bound.Block:
		res, err = r.result(ctx, method.Part{Scope: bound.Block, Index: class})
	}
	if err != nil {
		return nil, err
	}
	analysed := r.instructions(opt.Scope, class, warp)
	var rows []Row
	for _, policy := range opt.Policies {
		k, err := fresh()
		if err != nil {
			return nil, err
		}
		model, err := sim.NamedModel(opt.Model, policy)
		if err != nil {
			return nil, err
		}
		cfg := sim.Config{Machine: r.Machine, Model: model, BlocksPerSM: int(r.Occupancy.Blocks), Checks: opt.Checks, Progress: opt.Simulated}
		if opt.Scope == bound.Block || opt.Scope == bound.Warp {
			cfg.Blocks = []int64{r.Path.Classes[class].First}
		}
		if opt.Scope == bound.Warp {
			k = simt.Solo(k, r.Path.Classes[class].Warps[warp].IDs[0])
		}
		got, err := sim.Run(ctx, cfg, k, r.Timing)
		if err != nil {
			return nil, err
		}
		for _, m := range opt.Methods {
			row := r.beside(got, policy, res, m, analysed)
			row.Scope = opt.Scope
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// Beside sets the best bound on the whole launch, as it was analysed, beside its simulation
// under a policy.
func (r *Report) Beside(got *sim.Result, p policy.Policy) Row {
	return r.beside(got, p, r.Whole(), Best, r.instructions(bound.Kernel, 0, 0))
}

// beside sets the bound of a method beside a simulation; analysed is how many warp
// instructions the bound is for.
func (r *Report) beside(got *sim.Result, p policy.Policy, res *bound.Result, name string, analysed int64) Row {
	row := Row{
		Kernel: r.Kernel, GPU: r.Machine.Desc.Name, Policy: got.Policy, Model: got.Model, Scope: res.Scope, Method: name,
		SimulatedCycles: got.Cycles,
	}
	b := res.Bound(name)
	if name == Best {
		b = res.BestBound()
	}
	if b == nil {
		row.Refused = r.whyNone(res, name)
		return row
	}
	row.BoundCycles, row.Safe, row.AllInputs = b.Cycles, b.Safe, r.AllInputs()
	row.Overestimation = float64(b.Cycles)/float64(max(got.Cycles, 1)) - 1
	row.Claimed = got.Model == sim.Abstract && p.WorkConserving() && (r.ThisInput != nil || len(r.InputDependent) == 0 || !r.orderMatters() && got.WarpInstructions == analysed)
	return row
}

// whyNone says why a result has no bound by a method.
func (r *Report) whyNone(res *bound.Result, name string) string {
	for _, no := range res.Refused {
		if no.Method == name {
			return no.Reason
		}
	}
	switch {
	case r.Path.Timed:
		return r.Path.Irregular
	case name == Best:
		return "no safe bound for this scope"
	case Lookup(name) != nil && !Lookup(name).On(res.Scope):
		return fmt.Sprintf("no bound on a single %s", res.Scope)
	case r.Path.Irregular != "":
		return r.Path.Irregular
	}
	return "not computed"
}

// slowestClass picks the block class, and within it the warp class, that a
// comparison of a smaller scope runs.
func (r *Report) slowestClass(scope bound.Scope, slowest int) (class, warp int) {
	if scope != bound.Block && scope != bound.Warp {
		return 0, 0
	}
	class = slowest
	if r.ThisInput == nil && len(r.InputDependent) > 0 {
		class = int(r.Path.Class(0))
	}
	var most int64 = -1
	for i, wc := range r.Path.Classes[class].Warps {
		if wc.Warp.Instructions > most {
			warp, most = i, wc.Warp.Instructions
		}
	}
	return class, warp
}

// slowestBlock is the class of blocks with the largest best bound, 0 where blocks have
// none.
func (r *Report) slowestBlock(ctx context.Context) (int, error) {
	if !r.profiled() {
		return 0, nil
	}
	l, err := multiphase.Of(r.Facts)
	if err != nil {
		return 0, err
	}
	return l.SlowestBlock(ctx)
}

// orderMatters says that the path may depend on the order in which warps or
// blocks run: what atomics return does, and so do races that were seen.
func (r *Report) orderMatters() bool {
	for _, t := range r.InputDependent {
		if t.Kind == simt.TaintOrder {
			return true
		}
	}
	for i := range r.Program.Instructions {
		if r.Program.Instructions[i].Kind == isa.Atomic {
			return true
		}
	}
	return false
}

// instructions is the number of warp instructions analysed for a scope.
func (r *Report) instructions(scope bound.Scope, class, warp int) int64 {
	switch scope {
	case bound.Warp:
		return r.Path.Classes[class].Warps[warp].Warp.Instructions
	case bound.Block:
		n := int64(0)
		for _, wc := range r.Path.Classes[class].Warps {
			n += wc.Count * wc.Warp.Instructions
		}
		return n
	}
	return r.Path.Instructions
}
