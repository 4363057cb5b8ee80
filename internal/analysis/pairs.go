package analysis

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/replay"
	"github.com/warpbound/warpbound/internal/method/serial"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/simt"
)

// Pair is the policies of a front end's two stages, by their names in lower case
// (gpu.ParseFrontPolicy).
type Pair struct{ Fetch, Issue string }

// Pairs lists those of Crouzet2024, Section VI-A3: three policies for either
// stage.
func Pairs() []Pair {
	var out []Pair
	for _, issue := range []string{"lrr", "gtlrr", "gtlo"} {
		for _, fetch := range []string{"lrr", "gtlrr", "gtlo"} {
			out = append(out, Pair{fetch, issue})
		}
	}
	return out
}

// PairRun is one launch under one pair of policies, or with one scheduler for both
// stages.
type PairRun struct {
	Cycles             int64
	WarpInstructions   int64 // committed, NOPs not counted
	ThreadInstructions int64
	// IPC is the committed thread instructions a cycle, at most the lanes of a warp
	// on each SM (Crouzet2024, Section VI-A5).
	IPC float64
	sim.SchedulingStats
}

// Broken says that variant swas violated its purpose: some cycle did not follow
// the policy, or some queue was not full.
func (r *PairRun) Broken() bool {
	return r.Variant == gpu.SWaS && (r.Errors > 0 || r.BrokenQueueCycles > 0)
}

// PairRow is one launch under one pair of policies, beside variant swas with the
// issue policy of the pair for both stages.
type PairRow struct {
	Launch, Kernel string
	Pair
	Baseline, SWaS *PairRun // nil where not asked for, and where Stuck
	// Stuck says which run never ends, because its policy waits for a warp that
	// cannot go on: strict ones can, at barriers.
	Stuck string
	// Ratio is the IPC of swas over that of the baseline, NaN without both.
	Ratio  float64
	Replay *PairReplay // of SWaS, nil where not asked for
}

// PairReplay is the time of swas as internal/method/replay computes it.
type PairReplay struct {
	Cycles int64
	// Refused says why there is none; the other fields then mean nothing.
	Refused string
	// Claimed says that the simulation fulfils what the replay assumes, as
	// Row.Claimed.
	Claimed bool
}

// Broken says that swas violated its purpose, or took another time than its
// replay.
func (r *PairRow) Broken() bool {
	return r.SWaS != nil && r.SWaS.Broken() || r.Differs()
}

// Differs says that swas took another time than its replay.
func (r *PairRow) Differs() bool {
	return r.SWaS != nil && r.Replay != nil && r.Replay.Refused == "" && r.Replay.Claimed && r.Replay.Cycles != r.SWaS.Cycles
}

// PairOptions choose what ComparePairs simulates.
type PairOptions struct {
	Pairs []Pair // nil means Pairs()
	// Baseline and SWaS say which variants to simulate. Without Baseline there is a
	// row for each issue policy, whose fetch policy is the same.
	Baseline, SWaS bool
	// Tainted, if not nil, asks for replays of swas beside its simulations, and
	// makes the kernels to record. L1Order has to be sim.L1None and BlocksPerSM 0.
	Tainted     func() (simt.Tainted, error)
	L1Order     string // sim.L1None (also "") or sim.L1Dynamic
	BlocksPerSM int    // 0 means as many as fit
	Checks      bool
	Progress    func(done, total int64) // simulations
	Simulated   func(sim.Progress)      // now and then during each, if not nil
}

// ComparePairs simulates a launch on a machine with a front end under pairs of
// policies and under variant swas (Crouzet2024, Fig. 4 to 8 and Table II), a row a
// pair in the order given. fresh returns the kernel with its buffers as they are
// at the start.
func ComparePairs(ctx context.Context, fresh func() (simt.Kernel, error), m *gpu.Machine, opt PairOptions) ([]PairRow, error) {
	pairs := opt.Pairs
	if pairs == nil {
		pairs = Pairs()
	}
	if opt.Tainted != nil && (opt.BlocksPerSM != 0 || opt.L1Order != "" && opt.L1Order != sim.L1None) {
		return nil, fmt.Errorf("replays with L1 order %q and %d blocks on an SM: expected no caches and as many blocks as fit", opt.L1Order, opt.BlocksPerSM)
	}
	if !opt.Baseline {
		pairs = issuePolicies(pairs)
	}
	c := pairComparison{fresh: fresh, machine: m, opt: opt, swas: map[string]*PairRun{}, replays: map[string]*PairReplay{}}
	if opt.Baseline {
		c.total += int64(len(pairs))
	}
	if opt.SWaS {
		c.total += int64(len(issuePolicies(pairs)))
	}
	var rows []PairRow
	for _, p := range pairs {
		row := PairRow{Pair: p, Ratio: math.NaN()}
		var err error
		if opt.Baseline {
			row.Baseline, err = c.run(ctx, gpu.Baseline, p)
			if err = row.stuck(err); err != nil {
				return nil, err
			}
		}
		if opt.SWaS {
			row.SWaS, err = c.runSWaS(ctx, p.Issue)
			if err = row.stuck(err); err != nil {
				return nil, err
			}
		}
		if row.SWaS != nil {
			if row.Replay, err = c.replay(ctx, p.Issue, row.SWaS); err != nil {
				return nil, err
			}
		}
		if row.Baseline != nil && row.SWaS != nil {
			row.Ratio = row.SWaS.IPC / row.Baseline.IPC
		}
		row.Kernel = c.kernel
		rows = append(rows, row)
	}
	return rows, nil
}

// stuck records an error that says that a policy waits for ever, and returns any
// other.
func (r *PairRow) stuck(err error) error {
	if !errors.Is(err, sim.ErrStuck) {
		return err
	}
	if r.Stuck == "" {
		r.Stuck = err.Error()
	}
	return nil
}

// issuePolicies are the pairs of each issue policy with itself.
func issuePolicies(pairs []Pair) []Pair {
	var out []Pair
	for _, p := range pairs {
		if same := (Pair{p.Issue, p.Issue}); !slices.Contains(out, same) {
			out = append(out, same)
		}
	}
	return out
}

// pairComparison is the simulations of one launch.
type pairComparison struct {
	fresh       func() (simt.Kernel, error)
	machine     *gpu.Machine
	opt         PairOptions
	kernel      string
	swas        map[string]*PairRun    // by policy
	replays     map[string]*PairReplay // likewise
	done, total int64
}

func (c *pairComparison) runSWaS(ctx context.Context, policy string) (*PairRun, error) {
	if r := c.swas[policy]; r != nil {
		return r, nil
	}
	r, err := c.run(ctx, gpu.SWaS, Pair{policy, policy})
	if err == nil {
		c.swas[policy] = r
	}
	return r, err
}

// replay computes the time of a simulation of swas; nil where not asked for.
func (c *pairComparison) replay(ctx context.Context, policy string, simulated *PairRun) (*PairReplay, error) {
	if c.opt.Tainted == nil || c.replays[policy] != nil {
		return c.replays[policy], nil
	}
	k, err := c.opt.Tainted()
	if err != nil {
		return nil, err
	}
	r, err := Run(ctx, Of(k), c.machine, method.Question{Methods: []string{serial.Method}, FrontEnd: &method.FrontEnd{Variant: gpu.SWaS, IssuePolicy: policy}})
	if err != nil {
		return nil, err
	}
	whole := r.Whole()
	out := &PairReplay{}
	if b := whole.Bound(replay.Method); b == nil {
		out.Refused = r.whyNone(whole, replay.Method)
	} else {
		out.Cycles = b.Cycles
		out.Claimed = b.Safe && (len(r.InputDependent) == 0 || !r.orderMatters() && simulated.WarpInstructions == r.Path.Instructions)
	}
	c.replays[policy] = out
	return out, nil
}

func (c *pairComparison) run(ctx context.Context, variant string, p Pair) (*PairRun, error) {
	k, err := c.fresh()
	if err != nil {
		return nil, err
	}
	prepared, err := method.Prepare(k, c.machine, method.Question{})
	if err != nil {
		return nil, err
	}
	resident := int64(c.opt.BlocksPerSM)
	if resident == 0 {
		resident = prepared.Occupancy.Blocks
	}
	if resident > prepared.Occupancy.Blocks {
		return nil, fmt.Errorf("%d resident blocks: expected at most the %d that fit (limit: %s)", resident, prepared.Occupancy.Blocks, prepared.Occupancy.Limiter)
	}
	memory, err := sim.NamedMemory(c.opt.L1Order, nil, nil)
	if err != nil {
		return nil, err
	}
	got, err := sim.Run(ctx, sim.Config{
		Machine: c.machine, Model: sim.FrontModel{Variant: variant, FetchPolicy: p.Fetch, IssuePolicy: p.Issue},
		Memory: memory, BlocksPerSM: int(resident), Checks: c.opt.Checks, Progress: c.opt.Simulated,
	}, k, prepared.Timing)
	c.kernel = prepared.Kernel
	if err != nil {
		return nil, fmt.Errorf("%s, fetch policy %s, issue policy %s: %w", variant, p.Fetch, p.Issue, err)
	}
	c.done++
	if c.opt.Progress != nil {
		c.opt.Progress(c.done, c.total)
	}
	return &PairRun{
		Cycles: got.Cycles, WarpInstructions: got.WarpInstructions, ThreadInstructions: got.ThreadInstructions,
		IPC: got.Scheduling.ThreadIPC, SchedulingStats: *got.Scheduling,
	}, nil
}

// PairSummary is the mean over the launches of one pair of policies.
type PairSummary struct {
	Pair
	Rows int
	// Mean and Geometric are means of Ratio, and Least and Largest its range; NaN
	// without both variants.
	Mean, Geometric, Least, Largest float64
	// ErrorRate and MaxErrorRate are of the baseline, NaN without.
	ErrorRate, MaxErrorRate float64
	BaselineErrors          int64 // of all launches
	SWaSErrors              int64
	Broken                  int // rows that are
}

// SummarizePairs sums up rows by pair, in order of first appearance.
func SummarizePairs(rows []PairRow) []PairSummary {
	index := map[Pair]int{}
	var out []PairSummary
	for i := range rows {
		r := &rows[i]
		at, ok := index[r.Pair]
		if !ok {
			at = len(out)
			index[r.Pair] = at
			out = append(out, PairSummary{Pair: r.Pair, Least: math.Inf(1), Largest: math.Inf(-1)})
		}
		s := &out[at]
		s.Rows++
		s.Mean += r.Ratio
		s.Geometric += math.Log(r.Ratio)
		s.Least, s.Largest = min(s.Least, r.Ratio), max(s.Largest, r.Ratio)
		if r.Baseline != nil {
			s.ErrorRate += r.Baseline.ErrorRate
			s.MaxErrorRate = max(s.MaxErrorRate, r.Baseline.ErrorRate)
			s.BaselineErrors += r.Baseline.Errors
		} else {
			s.ErrorRate, s.MaxErrorRate = math.NaN(), math.NaN()
		}
		if r.SWaS != nil {
			s.SWaSErrors += r.SWaS.Errors
		}
		if r.Broken() {
			s.Broken++
		}
	}
	for i := range out {
		s, n := &out[i], float64(out[i].Rows)
		s.Mean, s.Geometric, s.ErrorRate = s.Mean/n, math.Exp(s.Geometric/n), s.ErrorRate/n
	}
	return out
}
