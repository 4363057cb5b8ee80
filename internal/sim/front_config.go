package sim

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/warpbound/warpbound/gpu"
)

// SchedulingStats is what the Frontend model measures of its schedulers
// (Crouzet2024, Section VI-A), over all SMs.
type SchedulingStats struct {
	Variant     string `json:"variant"`
	FetchPolicy string `json:"fetch_policy"` // that of the issue stage with gpu.SWaS
	IssuePolicy string `json:"issue_policy"`
	// Discrepancies are the cycles in which the issue stage did not select what
	// the policy would if instructions were always at hand, and Errors those of
	// them that neither a miss of the instruction cache nor a taken branch of the
	// warp explains.
	Discrepancies int64   `json:"discrepancies"`
	Errors        int64   `json:"errors"`
	ErrorRate     float64 `json:"error_rate"` // errors a cycle
	NOPs          int64   `json:"nops"`       // issued
	Discarded     int64   `json:"discarded"`  // instructions fetched in vain, NOPs not counted
	ICacheHits    int64   `json:"icache_hits"`
	ICacheMisses  int64   `json:"icache_misses"`
	// ThreadIPC is the committed thread instructions a cycle, NOPs not counted.
	ThreadIPC float64 `json:"thread_ipc"`
	// BrokenQueueCycles are the cycles, summed over warps, after which the queue
	// of an active warp was not full with gpu.SWaS. A run with checks fails where
	// there are any.
	BrokenQueueCycles int64 `json:"broken_queue_cycles"`
}

// frontConfig is the front end as a run uses it.
type frontConfig struct {
	end          *gpu.FrontEnd
	swas         bool
	fetch, issue gpu.FrontPolicy
	entries      int // of a queue
	ablation     ablation
}

// ablation takes away one of the measures that gpu.SWaS consists of, for tests
// that show what each is for.
type ablation struct {
	entries  int  // of a queue, where not 0
	separate bool // the fetch stage selects by itself, with the same policy
	noNOPs   bool // taken branches and misses leave gaps
}

// chooseFrontEnd takes the settings of a front end, the description's where m says nothing.
func (c *settings) chooseFrontEnd(m FrontModel) error {
	d := c.Machine.Desc
	f := d.FrontEnd
	if f == nil {
		return fmt.Errorf("GPU %s has no front end ([front_end])", d.Name)
	}
	if err := checkFrontTable(f); err != nil {
		return err
	}
	if d.Issue.PerCycle != 1 {
		return fmt.Errorf("a front end with schedulers that issue %d instructions a cycle, expected one each", d.Issue.PerCycle)
	}
	r := &c.front
	r.end, r.ablation = f, m.ablation
	var err error
	if r.fetch, err = gpu.ParseFrontPolicy(cmp.Or(m.FetchPolicy, f.FetchPolicy)); err != nil {
		return fmt.Errorf("fetch %w", err)
	}
	if r.issue, err = gpu.ParseFrontPolicy(cmp.Or(m.IssuePolicy, f.IssuePolicy)); err != nil {
		return fmt.Errorf("issue %w", err)
	}
	switch v := cmp.Or(m.Variant, f.Variant); v {
	case gpu.Baseline:
	case gpu.SWaS:
		r.swas = true
	default:
		return fmt.Errorf("variant %q: expected %s or %s", v, gpu.Baseline, gpu.SWaS)
	}
	r.entries = cmp.Or(r.ablation.entries, f.QueueEntries)
	if !r.swas {
		return nil
	}
	if d.SM.Schedulers != 1 {
		return fmt.Errorf("variant swas with %d schedulers for issue, expected one for both stages", d.SM.Schedulers)
	}
	if f.Kind == gpu.Stall {
		return errors.New("variant swas of a front end that stalls at control instructions: expected one that predicts")
	}
	if f.QueueEntries != f.SWaSEntries() {
		return fmt.Errorf("variant swas with queues of %d entries: expected fetch_cycles + 1 = %d", f.QueueEntries, f.SWaSEntries())
	}
	if m.FetchPolicy != "" && r.fetch != r.issue {
		return fmt.Errorf("variant swas with fetch policy %s and issue policy %s: expected one scheduler", r.fetch, r.issue)
	}
	r.fetch = r.issue
	return nil
}

// checkFrontTable verifies of a front end what a description that no file made may
// not fulfil.
func checkFrontTable(f *gpu.FrontEnd) error {
	c := &f.ICache
	refetch := int64(0)
	if f.Kind == gpu.Stall {
		refetch = 1
	}
	for _, x := range []struct {
		name                  string
		value, least, highest int64
	}{
		{"queue_entries", int64(f.QueueEntries), 1, 1 << 16}, {"fetch_cycles", f.FetchCycles, 1, 1 << 16}, {"branch_resolve_cycles", f.BranchResolveCycles, 1, 1 << 30},
		{"refetch_cycles", f.RefetchCycles, refetch, 1 << 30}, {"start_gap_cycles", f.StartGapCycles, 0, 1 << 30}, {"instruction_bytes", f.InstructionBytes, 1, 1 << 16},
		{"icache.sets", int64(c.Sets), 1, 1 << 22}, {"icache.ways", int64(c.Ways), 1, 1 << 22 / max(int64(c.Sets), 1)}, {"icache.line_bytes", c.LineBytes, 1, 1 << 30}, {"icache.miss_cycles", c.MissCycles, 2, 1 << 30},
	} {
		if x.value < x.least || x.value > x.highest {
			return fmt.Errorf("front_end.%s is %d, expected %d to %d", x.name, x.value, x.least, x.highest)
		}
	}
	if c.Sets&(c.Sets-1) != 0 {
		return fmt.Errorf("front_end.icache.sets is %d, expected a power of two", c.Sets)
	}
	if f.Kind != gpu.Predict && f.Kind != gpu.Stall {
		return fmt.Errorf("front_end.kind is %q, expected %s or %s", f.Kind, gpu.Predict, gpu.Stall)
	}
	return nil
}

// policyName is the policy of a run as results name it: of fetch and issue, or
// of both with gpu.SWaS, in the Frontend model.
func policyName(c *settings) string {
	switch {
	case c.model != Frontend:
		return c.policy.String()
	case c.front.swas:
		return c.front.issue.String()
	}
	return c.front.fetch.String() + "-" + c.front.issue.String()
}

// scheduling adds up what the front ends counted.
func (g *grid) scheduling(r *Result) *SchedulingStats {
	c := &g.cfg.front
	s := &SchedulingStats{Variant: gpu.Baseline, FetchPolicy: c.fetch.String(), IssuePolicy: c.issue.String()}
	if c.swas {
		s.Variant = gpu.SWaS
	}
	for _, x := range g.cores {
		u := &x.(*frontSM).use
		s.Discrepancies += u.discrepancies
		s.Errors += u.errors
		s.NOPs += u.nops
		s.Discarded += u.discarded
		s.ICacheHits += u.hits
		s.ICacheMisses += u.misses
		s.BrokenQueueCycles += u.broken
	}
	if r.Cycles > 0 {
		s.ErrorRate = float64(s.Errors) / float64(r.Cycles)
		s.ThreadIPC = float64(r.ThreadInstructions) / float64(r.Cycles)
	}
	return s
}
