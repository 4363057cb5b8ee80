package study

import (
	"context"
	"errors"
	"math"
	"sort"

	"github.com/warpbound/warpbound/bound/makespan"
	"github.com/warpbound/warpbound/bound/makespan/dp"
	"github.com/warpbound/warpbound/bound/makespan/ilp"
)

// registry are the methods beside the closed forms, in the order in which they
// run: where none is named, what answers at once comes before what may not, and
// what the answer makes superfluous is left out.
func registry() []method {
	never := func(*makespan.Instance, bool) bool { return false }
	scheduled := func(in *makespan.Instance, _ bool) bool { return in.Code != nil }
	return []method{
		{name: DP, theorem: "docs/soundness.md, section 15", exact: true, eager: dpIsQuick, run: runDP},
		{name: Potential, theorem: "docs/soundness.md, theorem 15", eager: scheduled, run: runPotential},
		{name: Search, theorem: "docs/soundness.md, theorem 15", exact: true, run: runSearch,
			eager: func(in *makespan.Instance, known bool) bool { return in.Code != nil && !known }},
		{name: ILPShort, theorem: ilpTheorem, exact: true, eager: never, run: runILP(ilp.Short)},
		{name: ILPLong, theorem: ilpTheorem, exact: true, eager: never, run: runILP(ilp.Long)},
		{name: ILPCounts, theorem: ilpTheorem, exact: true, eager: never, run: runILP(ilp.Counts)},
	}
}

// quickStates is the number of states of the dynamic programme that takes a few
// seconds at most; estimateStates one that takes none to speak of.
const quickStates, estimateStates = 1e8, 2e6

// states is C(W+I, I), the states of the dynamic programme at most, as far as a
// float64 tells.
func states(in *makespan.Instance, warps int64) float64 {
	n := 1.0
	short, long := min(in.Length, warps), max(in.Length, warps)
	for i := int64(1); i <= short && !math.IsInf(n, 0); i++ {
		n *= float64(long+i) / float64(i)
	}
	return n
}

func dpIsQuick(in *makespan.Instance, _ bool) bool {
	return in.Code != nil && states(in, in.Warps) <= quickStates
}

func runDP(ctx context.Context, in *makespan.Instance, t task) (*outcome, error) {
	r, err := dp.Solve(ctx, in, dp.Options{MemoryBytes: t.budget.MemoryBytes, Schedule: t.witness, Upto: true, Progress: t.progress})
	if r == nil {
		return nil, err
	}
	out := &outcome{cycles: r.Cycles, upTo: r.Upto, work: r.States, workUnit: "state"}
	if err == nil && t.witness {
		out.schedule, err = makespan.FromMoves(in, r.Moves)
	}
	return out, err
}

// exactTable are the exact makespans of 1, 2, ... warps that take no time to speak
// of, at most the instance's; none where a budget allows none.
func exactTable(ctx context.Context, in *makespan.Instance, memoryBytes int64) ([]int64, error) {
	return dpTable(ctx, in.WithWarps(reach(in, estimateStates)), memoryBytes)
}

// reach is the largest number of warps, at most the instance's, with no more than
// so many states.
func reach(in *makespan.Instance, most float64) int64 {
	more := sort.Search(int(min(in.Warps, math.MaxInt32)), func(i int) bool { return states(in, int64(i)+1) > most })
	return max(int64(more), 1)
}

// dpTable are the exact makespans of 1, 2, ... warps, as many as a budget allows.
func dpTable(ctx context.Context, in *makespan.Instance, memoryBytes int64) ([]int64, error) {
	r, err := dp.Solve(ctx, in, dp.Options{MemoryBytes: memoryBytes, Upto: true})
	var limit *makespan.LimitError
	if err != nil && !errors.As(err, &limit) {
		return nil, err
	}
	if r == nil {
		return nil, nil
	}
	return r.Upto, nil
}
