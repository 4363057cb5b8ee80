package report

import (
	"fmt"
	"strings"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim"
)

// policies says what selected the warps of a run.
func policies(r *sim.Result) string {
	if s := r.Scheduling; s != nil {
		return frontText(s.Variant, s.FetchPolicy, s.IssuePolicy)
	}
	return "policy " + r.Policy
}

// frontText names a variant of a front end and its policies, as Crouzet2024 writes
// them.
func frontText(variant, fetch, issue string) string {
	if variant == gpu.SWaS {
		return fmt.Sprintf("%s, policy %s for fetch and issue", variant, strings.ToUpper(issue))
	}
	return fmt.Sprintf("%s, fetch policy %s, issue policy %s", variant, strings.ToUpper(fetch), strings.ToUpper(issue))
}

// schedulingSections say how the schedulers of a front end did.
func schedulingSections(r *sim.Result) []Section {
	s := r.Scheduling
	if s == nil {
		return nil
	}
	perCycle := func(what string, n int64) counted {
		return counted{what, n, float64(n) / float64(max(r.Cycles, 1))}
	}
	return []Section{
		{ID: "scheduling", Sheet: countedSheet("scheduling", "count", "a cycle", "times", []counted{
			perCycle("discrepancies", s.Discrepancies),
			{"errors", s.Errors, s.ErrorRate},
			perCycle("NOPs issued", s.NOPs),
			perCycle("fetched in vain", s.Discarded),
			perCycle("instruction cache hits", s.ICacheHits),
			perCycle("instruction cache misses", s.ICacheMisses),
		})},
		{ID: "thread_ipc", Lead: fmt.Sprintf("%.3f thread instructions a cycle, NOPs not counted\n", s.ThreadIPC)},
	}
}
