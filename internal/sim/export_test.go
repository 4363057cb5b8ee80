package sim

// WithoutMeasure takes away one of the measures of gpu.SWaS: "entries" makes
// queues one entry shorter, "scheduler" lets fetch select by itself, "nops"
// leaves gaps.
func WithoutMeasure(c *Config, measure string) {
	switch measure {
	case "entries":
		c.front.ablation.entries = c.Machine.Desc.FrontEnd.QueueEntries - 1
	case "scheduler":
		c.front.ablation.separate = true
	case "nops":
		c.front.ablation.noNOPs = true
	}
}

// StepIdle has a run visit every cycle of every SM.
func StepIdle(c *Config) { c.stepIdle, c.stepAll = true, true }
