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

// schedulingText writes how the schedulers of a front end did.
func schedulingText(r *sim.Result) string {
	s := r.Scheduling
	if s == nil {
		return ""
	}
	cycles := func(n int64) string { return Percent(float64(n) / float64(max(r.Cycles, 1))) }
	t := Table{Header: []string{"scheduling", "count", "a cycle"}}
	t.Add("discrepancies", Count(s.Discrepancies), cycles(s.Discrepancies))
	t.Add("errors", Count(s.Errors), Percent(s.ErrorRate))
	t.Add("NOPs issued", Count(s.NOPs), cycles(s.NOPs))
	t.Add("fetched in vain", Count(s.Discarded), cycles(s.Discarded))
	t.Add("instruction cache hits", Count(s.ICacheHits), cycles(s.ICacheHits))
	t.Add("instruction cache misses", Count(s.ICacheMisses), cycles(s.ICacheMisses))
	return fmt.Sprintf("\n%s\n%.3f thread instructions a cycle, NOPs not counted\n", t.Render(Text), s.ThreadIPC)
}
