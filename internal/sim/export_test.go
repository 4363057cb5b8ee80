package sim

import "github.com/warpbound/warpbound/internal/sim/policy"

// ModelNamed is the model of a name that there is, with a policy that goes with it.
func ModelNamed(name string, p ...policy.Policy) Model {
	m, err := NamedModel(name, append(p, policy.Policy{})[0])
	if err != nil {
		panic(err)
	}
	return m
}

// WithoutMeasure takes away one of the measures of gpu.SWaS: "entries" makes
// queues one entry shorter, "scheduler" lets fetch select by itself, "nops"
// leaves gaps.
func WithoutMeasure(c *Config, measure string) {
	m := c.Model.(FrontModel)
	switch measure {
	case "entries":
		m.ablation.Entries = c.Machine.Desc.FrontEnd.QueueEntries - 1
	case "scheduler":
		m.ablation.Separate = true
	case "nops":
		m.ablation.NoNOPs = true
	}
	c.Model = m
}

// StepIdle has a run visit every cycle of every SM.
func StepIdle(c *Config) { c.stepIdle, c.stepAll = true, true }
