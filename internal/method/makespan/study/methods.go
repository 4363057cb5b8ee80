package study

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sort"
	"strings"

	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/method/makespan/dp"
	"github.com/warpbound/warpbound/internal/method/makespan/ilp"
)

// registry are the methods beside the closed forms, in the order in which they
// run: where none is named, what answers at once comes before what may not, and
// what the answer makes superfluous is left out.
func registry() []method {
	never := func(*runner) bool { return false }
	return []method{
		{name: DP, theorem: "docs/soundness.md, section 15", exact: true, reports: true, run: runDP,
			eager: func(r *runner) bool { return r.in.Code != nil && effort(r.in, r.in.Warps) <= r.config.quick() }},
		{name: Potential, theorem: "docs/soundness.md, theorem 15", run: runPotential,
			eager: func(r *runner) bool { return r.in.Code != nil }},
		{name: Law, theorem: "docs/soundness.md, theorem 17", exact: true, run: runLaw,
			eager: func(r *runner) bool { return r.certificate.of != nil }},
		{name: Courses, theorem: "docs/soundness.md, theorem 18", run: runCourses,
			eager: func(r *runner) bool { return r.certificate.of != nil && r.study.Exact == nil }},
		{name: Search, theorem: "docs/soundness.md, theorem 16", exact: true, run: runSearch,
			eager: func(r *runner) bool { return r.certificate.of != nil && r.wanting() }},
		{name: ILPShort, theorem: ilpTheorem, exact: true, eager: never, run: runILP(ilp.Short)},
		{name: ILPLong, theorem: ilpTheorem, exact: true, eager: never, run: runILP(ilp.Long)},
		{name: ILPCounts, theorem: ilpTheorem, exact: true, eager: never, run: runILP(ilp.Counts)},
	}
}

// effortPerSecond is what two cores do of the dynamic programme's effort in a second,
// from strings of 5 letters to such of 121; immediate takes no time to speak of.
const effortPerSecond, immediate = 2e9, 2e8

// quick is the effort of the dynamic programme that takes half the time for methods
// that nobody named: it should not depend on the machine whether it ends.
func (c *Config) quick() float64 { return effortPerSecond / 2 * c.Eager.Seconds() }

// effort is a measure of the dynamic programme's time for a number of warps: its
// states at most, times the instructions, times the ways to choose those that
// execute where the warps are spread over the string.
func effort(in *makespan.Instance, warps int64) float64 {
	e := choose(in.Length+warps, warps) * float64(in.Length)
	for _, k := range in.Kinds {
		waiting := int64(math.Ceil(float64(warps) * float64(k.Count) / float64(in.Length)))
		capacity := min(k.Capacity, waiting)
		e *= choose(min(k.Count, waiting)+capacity-1, capacity)
	}
	return e
}

// choose is the binomial coefficient, as far as a float64 tells.
func choose(n, k int64) float64 {
	c := 1.0
	k = min(k, n-k)
	for i := int64(1); i <= k && !math.IsInf(c, 0); i++ {
		c *= float64(n-k+i) / float64(i)
	}
	return c
}

func runDP(ctx context.Context, in *makespan.Instance, t task) (*outcome, error) {
	r, err := dp.Solve(ctx, in, dp.Options{MemoryBytes: t.budget.MemoryBytes, Schedule: t.witness, Upto: true, Progress: t.progress})
	if r == nil {
		return nil, err
	}
	out := &outcome{cycles: r.Cycles, upTo: r.Upto, work: r.States, workUnit: "state"}
	var limit *makespan.LimitError
	switch {
	case errors.As(err, &limit) && r.Cycles > 0:
		out.note = "no schedule: " + limit.Error()
	case err != nil:
		return out, err
	case t.witness:
		err = out.witness(in, r.Moves, t.budget)
		return out, err
	}
	return out, nil
}

// witness makes the schedule of warps out of one of counts, where the memory
// suffices for it and for its check.
func (o *outcome) witness(in *makespan.Instance, moves [][]int32, b Budget) error {
	need := float64(in.Warps)*(24+2*4*float64(in.Length)) + 8*float64(len(moves))
	if need > float64(b.MemoryBytes) {
		o.note = strings.TrimPrefix(o.note+"; ", "; ") + fmt.Sprintf(
			"no schedule: out of memory: one of %d warps needs %.3g bytes, %d are allowed", in.Warps, need, b.MemoryBytes)
		return nil
	}
	var err error
	o.schedule, err = makespan.FromMoves(in, moves)
	return err
}

// exactTable are the exact makespans of 1, 2, ... warps that take no time to speak
// of, at most the instance's; none where the memory does not hold all their states:
// to visit only those that can be reached takes less of it, but time.
func exactTable(ctx context.Context, in *makespan.Instance, memoryBytes int64) ([]int64, error) {
	return dpTable(ctx, in.WithWarps(reach(in, immediate)), dp.Options{MemoryBytes: memoryBytes, Engine: dp.Flat})
}

// reach is the largest number of warps, at least 1 and at most the instance's, that
// take no more than so much effort.
func reach(in *makespan.Instance, most float64) int64 {
	more := sort.Search(int(min(in.Warps, math.MaxInt32)), func(i int) bool { return effort(in, int64(i)+1) > most })
	return max(int64(more), 1)
}

// dpTable holds the exact makespans of 1, 2, ... warps, as far as a budget
// allows.
func dpTable(ctx context.Context, in *makespan.Instance, o dp.Options) ([]int64, error) {
	o.Upto = true
	r, err := dp.Solve(ctx, in, o)
	var limit *makespan.LimitError
	if err != nil && !errors.As(err, &limit) {
		return nil, err
	}
	if r == nil {
		return nil, nil
	}
	return r.Upto, nil
}
