package sim

import (
	"errors"
	"fmt"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim/frontend"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/simt"
)

// settings are a Config with what it leaves to the description filled in.
type settings struct {
	Config
	model         string
	policy        policy.Policy // of the description with a front end, which has its own
	dispatchOrder policy.DispatchOrder
	front         *frontend.Config // nil with other models
	times         FixedTimes
	caches        *Caches // nil without
}

// settle fills in what the description decides and asks each part of the model what is
// wrong with its settings; the first answer counts.
func settle(cfg Config, kernel simt.Kernel, timing []gpu.Timing) (*settings, error) {
	c := &settings{Config: cfg}
	if c.Machine == nil || c.Machine.Desc == nil {
		return nil, errors.New("no machine")
	}
	for _, part := range [...]func() error{
		c.choose,
		c.checkPolicies,
		func() error { return checkLength(kernel, timing) },
		c.checkPipeline,
		c.checkSMs,
		func() error { return checkLanes(kernel) },
		func() error { return c.checkTiming(timing) },
		c.checkUnits,
		c.checkScript,
		func() error { return c.checkPlaces(kernel) },
		func() error {
			return c.checkCaches(simt.NumWarps(kernel.BlockDim(), kernel.WarpSize()) * c.BlocksPerSM)
		},
		func() error { return c.checkBlocks(simt.NumBlocks(kernel.Grid())) },
	} {
		if err := part(); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// choose takes the settings of the model and of the memory.
func (c *settings) choose() error {
	switch m := c.Memory.(type) {
	case nil:
	case FixedTimes:
		c.times = m
	case Caches:
		c.caches = &m
	default:
		return fmt.Errorf("memory %T: expected FixedTimes or Caches", m)
	}
	if c.Model == nil {
		return OwnModel{}.settle(c)
	}
	return c.Model.settle(c)
}

// checkPolicies takes the description's policy where none is named.
func (c *settings) checkPolicies() error {
	if c.policy.Name == "" {
		p, err := policy.Parse(c.Machine.Desc.Issue.Policy)
		if err != nil {
			return err
		}
		c.policy = p
	}
	if err := c.policy.Check(); err != nil {
		return err
	}
	return c.dispatchOrder.Check()
}

// checkLength verifies that every instruction has a timing.
func checkLength(kernel simt.Kernel, timing []gpu.Timing) error {
	if n := len(kernel.Program().Instructions); n != len(timing) {
		return fmt.Errorf("%d timings for %d instructions", len(timing), n)
	}
	return nil
}

func (c *settings) checkSMs() error {
	if c.BlocksPerSM < 1 {
		return fmt.Errorf("%d blocks an SM: expected at least 1", c.BlocksPerSM)
	}
	if d := c.Machine.Desc; d.SM.Count < 1 || d.SM.Count > 1<<16 || d.SM.Schedulers < 1 || d.Issue.PerCycle < 1 {
		return fmt.Errorf("%d SMs, %d schedulers, %d instructions a cycle", d.SM.Count, d.SM.Schedulers, d.Issue.PerCycle)
	}
	return nil
}

func checkLanes(kernel simt.Kernel) error {
	if n := kernel.WarpSize(); n < 1 || n > simt.MaxLanes {
		return fmt.Errorf("%d lanes a warp: expected 1 to %d", n, simt.MaxLanes)
	}
	return nil
}

// checkTiming verifies that what is issued has a unit that it keeps for a time.
func (c *settings) checkTiming(timing []gpu.Timing) error {
	for pc := range timing {
		t := &timing[pc]
		if t.NotIssued && c.model == Abstract {
			continue
		}
		if t.Unit < 0 || int(t.Unit) >= len(c.Machine.Units) || t.InitiationCycles < 1 || t.LatencyCycles < 0 {
			return fmt.Errorf("instruction %d: unit %d of %d, initiation %d, latency %d", pc, t.Unit, len(c.Machine.Units), t.InitiationCycles, t.LatencyCycles)
		}
	}
	return nil
}

func (c *settings) checkUnits() error {
	if n := len(c.Machine.Units); n > 64 {
		return fmt.Errorf("%d kinds of units: expected at most 64", n)
	}
	for i := range c.Machine.Units {
		if c.Machine.Units[i].Count < 1 {
			return fmt.Errorf("unit %s: count %d", c.Machine.Units[i].Name, c.Machine.Units[i].Count)
		}
	}
	if k := c.Machine.Queue; (k == gpu.Slots || k == gpu.Pooled) && c.Machine.Slots < 1 {
		return fmt.Errorf("%s queue of %d slots", k, c.Machine.Slots)
	}
	return nil
}

// checkScript verifies what a script needs.
func (c *settings) checkScript() error {
	if d := c.Machine.Desc; c.policy.Name == "script" && (d.SM.Count != 1 || d.SM.Schedulers != 1) {
		return errors.New("a script needs one SM with one scheduler")
	}
	return nil
}

// checkPlaces verifies that what goes through caches has addresses.
func (c *settings) checkPlaces(kernel simt.Kernel) error {
	if c.caches == nil {
		return nil
	}
	for pc := range kernel.Program().Instructions {
		if in := &kernel.Program().Instructions[pc]; in.Unplaced {
			return fmt.Errorf("%s: %s: it is not known what the lanes access, expected no L1 order", in.Pos, in.Opcode)
		}
	}
	return nil
}

// checkBlocks verifies the blocks asked for, of a grid of n, and where they go.
func (c *settings) checkBlocks(n int64) error {
	for _, b := range c.Blocks {
		if b < 0 || b >= n {
			return fmt.Errorf("block %d of %d", b, n)
		}
	}
	if c.Placement > InBatches {
		return fmt.Errorf("placement %d of blocks: expected at most %d", c.Placement, InBatches)
	}
	if c.Blocks == nil && n < 1 {
		return errors.New("empty grid")
	}
	return nil
}

// policyName is the policy of a run as results name it.
func (c *settings) policyName() string {
	if c.front != nil {
		return c.front.String()
	}
	return c.policy.String()
}
