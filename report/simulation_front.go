package report

import (
	"fmt"
	"strings"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/sim"
)

// policies says what selected the warps of a run.
func policies(r *sim.Result) string {
	s := r.Scheduling
	switch {
	case s == nil:
		return "policy " + r.Policy
	case s.Variant == gpu.SWaS:
		return fmt.Sprintf("%s, policy %s for fetch and issue", s.Variant, strings.ToUpper(s.IssuePolicy))
	}
	return fmt.Sprintf("%s, fetch policy %s, issue policy %s", s.Variant, strings.ToUpper(s.FetchPolicy), strings.ToUpper(s.IssuePolicy))
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
