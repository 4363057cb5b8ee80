package trace

import (
	"math/bits"

	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/timeline"
)

// mostSamples is how many samples the counters of all SMs may have together, and
// mostWindows those of one counter.
const (
	mostSamples = 1 << 18
	mostWindows = 1 << 11
	leastWindow = 1 << 6
	perSM       = 32 // counters, about
)

// counters are those of an SM.
type counters struct {
	instructions series
	warps        series
	state        [sim.NumReasons + 1]series // mean number of warps in a state; the last is issuing
	queues       []series                   // by unit: instructions issued and not started
	classes      [len(accessNames)]series   // requests at the L1D
	mshrs        series
	accesses     series    // units have started, and not all requests of which have reached the tags
	line         [2]series // requests to the instruction cache: hits, misses
	windows      int
}

var accessNames = [...]string{sim.Hit: "hit", sim.HitReserved: "hit-reserved", sim.Miss: "miss", sim.SectorMiss: "sector-miss", sim.Passed: "passed"}

// newCounters makes the counters of an SM.
func newCounters(r *Recorder) counters {
	c := counters{windows: mostWindows}
	if share := mostSamples / (perSM * max(r.opt.SMs, 1)); share < c.windows {
		c.windows = max(leastWindow, 1<<(bits.Len(uint(share))-1))
	}
	for _, s := range []*series{&c.instructions, &c.warps, &c.mshrs, &c.accesses, &c.line[0], &c.line[1]} {
		s.most = c.windows
	}
	for i := range c.state {
		c.state[i].most = c.windows
	}
	for i := range c.classes {
		c.classes[i].most = c.windows
	}
	return c
}

// queue is the counter of instructions before a unit.
func (c *counters) queue(unit int) *series {
	return slotted(&c.queues, unit, series{most: c.windows})
}

// write makes the tracks of the counters that are not zero throughout.
func (c *counters) write(r *Recorder, process *timeline.Track, cycles int64) {
	group := process.Track("counters", rankCounters)
	rank := 0
	one := func(s *series, name, unit string) {
		if s.used() {
			s.write(group.Counter(name, unit, rank), cycles)
			rank++
		}
	}
	one(&c.instructions, "IPC", "warp instructions a cycle")
	one(&c.warps, "resident warps", "warps")
	one(&c.state[sim.NumReasons], "warps: issue", "warps")
	for i := range c.state[:sim.NumReasons] {
		one(&c.state[i], "warps: "+sim.Reason(i).String(), "warps")
	}
	for i := range c.queues {
		one(&c.queues[i], "before "+r.opt.Machine.Units[i].Name, "instructions")
	}
	for i := range c.classes {
		one(&c.classes[i], "L1D: "+accessNames[i], "requests a cycle")
	}
	one(&c.accesses, "L1D: accesses waiting", "accesses")
	one(&c.mshrs, "L1D: MSHRs in use", "MSHRs")
	one(&c.line[0], "instruction cache: hit", "requests a cycle")
	one(&c.line[1], "instruction cache: miss", "requests a cycle")
}

// totals are the counters of the launch.
type totals struct {
	instructions, blocks int64
	issued, warps        series
}

func newTotals() totals {
	return totals{issued: series{most: mostWindows}, warps: series{most: mostWindows}}
}

func (c *totals) finish(r *Recorder, cycles int64) {
	group := r.process.Track("counters of all SMs", 1)
	c.issued.write(group.Counter("IPC", "warp instructions a cycle", 0), cycles)
	c.warps.write(group.Counter("resident warps", "warps", 1), cycles)
}
