package frontend

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/warpbound/warpbound/gpu"
)

// Settings are what a run asks of a front end; what is empty is as the description says.
type Settings struct {
	FetchPolicy, IssuePolicy string
	Variant                  string // gpu.Baseline or gpu.SWaS
	Ablation                 Ablation
}

// Ablation takes away one of the measures that gpu.SWaS consists of, for tests
// that show what each is for.
type Ablation struct {
	Entries  int  // of a queue, where not 0
	Separate bool // the fetch stage selects by itself, with the same policy
	NoNOPs   bool // taken branches and misses leave gaps
}

// Config is a front end as a run uses it.
type Config struct {
	end          *gpu.FrontEnd
	swas         bool
	fetch, issue gpu.FrontPolicy
	entries      int // of a queue
	ablation     Ablation
}

// Configure checks the front end of a description and what a run asks of it.
func Configure(d *gpu.Description, s Settings) (*Config, error) {
	f := d.FrontEnd
	if f == nil {
		return nil, fmt.Errorf("GPU %s has no front end ([front_end])", d.Name)
	}
	if err := checkTable(f); err != nil {
		return nil, err
	}
	if d.Issue.PerCycle != 1 {
		return nil, fmt.Errorf("a front end with schedulers that issue %d instructions a cycle, expected one each", d.Issue.PerCycle)
	}
	c := &Config{end: f, ablation: s.Ablation}
	var err error
	if c.fetch, err = gpu.ParseFrontPolicy(cmp.Or(s.FetchPolicy, f.FetchPolicy)); err != nil {
		return nil, fmt.Errorf("fetch %w", err)
	}
	if c.issue, err = gpu.ParseFrontPolicy(cmp.Or(s.IssuePolicy, f.IssuePolicy)); err != nil {
		return nil, fmt.Errorf("issue %w", err)
	}
	switch v := cmp.Or(s.Variant, f.Variant); v {
	case gpu.Baseline:
	case gpu.SWaS:
		c.swas = true
	default:
		return nil, fmt.Errorf("variant %q: expected %s or %s", v, gpu.Baseline, gpu.SWaS)
	}
	c.entries = cmp.Or(c.ablation.Entries, f.QueueEntries)
	if !c.swas {
		return c, nil
	}
	if d.SM.Schedulers != 1 {
		return nil, fmt.Errorf("variant swas with %d schedulers for issue, expected one for both stages", d.SM.Schedulers)
	}
	if f.Kind == gpu.Stall {
		return nil, errors.New("variant swas of a front end that stalls at control instructions: expected one that predicts")
	}
	if f.QueueEntries != f.SWaSEntries() {
		return nil, fmt.Errorf("variant swas with queues of %d entries: expected fetch_cycles + 1 = %d", f.QueueEntries, f.SWaSEntries())
	}
	if s.FetchPolicy != "" && c.fetch != c.issue {
		return nil, fmt.Errorf("variant swas with fetch policy %s and issue policy %s: expected one scheduler", c.fetch, c.issue)
	}
	c.fetch = c.issue
	return c, nil
}

// Variant is gpu.Baseline or gpu.SWaS.
func (c *Config) Variant() string {
	if c.swas {
		return gpu.SWaS
	}
	return gpu.Baseline
}

// Policies are those of the fetch and the issue stage, which are one with gpu.SWaS.
func (c *Config) Policies() (fetch, issue gpu.FrontPolicy) { return c.fetch, c.issue }

// String is the policies as results name them: of fetch and issue, or of both with
// gpu.SWaS.
func (c *Config) String() string {
	if c.swas {
		return c.issue.String()
	}
	return c.fetch.String() + "-" + c.issue.String()
}

// checkTable verifies of a front end what a description that no file made may
// not fulfil.
func checkTable(f *gpu.FrontEnd) error {
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
