package soc

// CoreEvent is what a core is like from Cycle on: how many of its requests are under
// way, and whether it is held.
type CoreEvent struct {
	CPU      string // gpu.CPU.Name
	Core     int    // of that CPU
	Number   int    // of all cores that send, in the order of Use
	Cycle    int64
	InFlight int
	Held     bool
}

// Observer sees the cores, whenever one sends, has an answer, is held or goes on. What
// Attach of an agent does is in cycle 0.
type Observer interface{ Core(CoreEvent) }

// tell tells observers about core i in cycle t.
func (s *Cores) tell(i int, t int64) {
	c := &s.core[i]
	for _, o := range s.watch {
		o.Core(CoreEvent{CPU: c.use.CPU, Core: c.use.Core, Number: i, Cycle: t, InFlight: c.inFlight, Held: c.held})
	}
}
