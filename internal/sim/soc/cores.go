package soc

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim/clock"
	"github.com/warpbound/warpbound/internal/sim/memory"
	"github.com/warpbound/warpbound/internal/sim/splitmix"
)

// Cores are the CPU cores of a run that send, as agents see them. A core that is
// held sends nothing; what it has sent before is still answered.
type Cores struct {
	mem   *memory.System
	core  []cpuCore
	watch []Observer
}

// Len is the number of cores that send. They are in the order of Use.
func (c *Cores) Len() int { return len(c.core) }

// Hold stops core i from cycle t on, the present one. Holding twice is holding.
func (c *Cores) Hold(i int, t int64) {
	if x := &c.core[i]; !x.held {
		x.held, x.heldSince = true, t
		c.tell(i, t)
	}
}

// Release lets core i go on after cycle t, the present one.
func (c *Cores) Release(i int, t int64) {
	if x := &c.core[i]; x.held {
		x.held = false
		x.use.HeldCycles += t - x.heldSince
		c.tell(i, t)
		c.goOn(i, t)
	}
}

// HoldAll stops all cores.
func (c *Cores) HoldAll(t int64) {
	for i := range c.core {
		c.Hold(i, t)
	}
}

// ReleaseAll lets all cores go on.
func (c *Cores) ReleaseAll(t int64) {
	for i := range c.core {
		c.Release(i, t)
	}
}

// InFlight is how many requests of all cores are under way.
func (c *Cores) InFlight() int {
	n := 0
	for i := range c.core {
		n += c.core[i].inFlight
	}
	return n
}

// CoreUse counts what one core of a CPU did.
type CoreUse struct {
	CPU  string // gpu.CPU.Name
	Core int
	memory.RequesterUse
	// Sent is how many requests it sent; those that were not answered when the run
	// ended are in flight.
	Sent, InFlight int64
	// LatencyCycles is how long all answered ones took together, from the core to
	// the core, and HeldCycles how long the core was held.
	LatencyCycles, HeldCycles int64
}

// cpuCore is a core that sends.
type cpuCore struct {
	cpu         *gpu.CPU
	outstanding int
	lineMillis  int64 // thousandths of a cycle between two requests, at least
	sequential  uint64
	writes      uint64
	on, period  int64 // it sends in the first on cycles of each period
	shift       int64 // from cycle 0 into the first period
	base, size  uint64
	jump        uint64 // random places are multiples of it
	random      splitmix.Source

	next      uint64 // place of the next line in the buffer
	pace      int64  // when it may send again, in thousandths of a cycle
	wakeAt    int64  // when it will be woken
	inFlight  int
	answered  int64
	held      bool
	heldSince int64
	use       CoreUse
}

// Buffers of cores lie where those of kernels never do.
const (
	coreBuffers = uint64(1) << 44
	coreStride  = uint64(1) << 33
)

// newCores makes the cores that send, and has them woken from cycle 0 on.
func newCores(mem *memory.System, d *gpu.Description, traffic []Traffic) *Cores {
	s := &Cores{mem: mem}
	var back []int64
	span := uint64(d.DRAM.RowBytes) * uint64(d.DRAM.Channels)
	for i := range traffic {
		x := &traffic[i]
		cpu := findCPU(d, x.CPU)
		buffer := uint64(cmp.Or(x.BufferBytes, max(int64(span), defaultBufferBytes)))
		for k := range cmp.Or(x.Cores, cpu.Cores) {
			c := cpuCore{
				cpu: cpu, outstanding: cmp.Or(x.Outstanding, cpu.Outstanding), lineMillis: 1000, sequential: uint64(x.SequentialPermille), writes: uint64(x.WritePermille),
				base: coreBuffers + uint64(len(s.core))*coreStride, size: buffer - buffer%span, jump: span,
				random: splitmix.From(x.Seed ^ uint64(k+1)*0xd1342543de82ef95 ^ uint64(i)<<56), wakeAt: clock.Never, use: CoreUse{CPU: x.CPU, Core: k},
			}
			if x.BytesPerKilocycle > 0 {
				c.lineMillis = max(1000, (cpu.LineBytes*1_000_000+x.BytesPerKilocycle-1)/x.BytesPerKilocycle)
			}
			if x.OffCycles > 0 {
				c.on, c.period = x.OnCycles, x.OnCycles+x.OffCycles
				c.shift = int64(c.random.Below(uint64(c.period)))
			}
			c.next = c.random.Below(c.size/c.jump) * c.jump
			s.core = append(s.core, c)
			back = append(back, cpu.ResponseLatencyCycles)
		}
	}
	if len(s.core) > 0 {
		mem.AddCores((*requester)(s), back)
	}
	for i := range s.core {
		s.wake(i, s.core[i].due(0))
	}
	return s
}

// due is the first cycle from t on in which the core's pace and its rests let it
// send.
func (c *cpuCore) due(t int64) int64 {
	t = max(t, c.pace/1000)
	if c.period > 0 {
		if in := (t + c.shift) % c.period; in >= c.on {
			t += c.period - in
		}
	}
	return t
}

// wake has core i woken in cycle t, if it is not before.
func (s *Cores) wake(i int, t int64) {
	if c := &s.core[i]; t < c.wakeAt {
		c.wakeAt = t
		s.mem.Wake(i, t)
	}
}

// goOn lets core i, which is released in cycle t or has sent in it, send from the next
// one on.
func (s *Cores) goOn(i int, t int64) {
	if c := &s.core[i]; c.inFlight < c.outstanding {
		s.wake(i, c.due(t+1))
	}
}

// send lets core i send in cycle t if it can, and says when it is to be woken again.
func (s *Cores) send(i int, t int64) {
	c := &s.core[i]
	if c.held || c.inFlight == c.outstanding {
		return
	}
	if at := c.due(t); at > t {
		s.wake(i, at)
		return
	}
	line := uint64(c.cpu.LineBytes)
	write := c.random.Below(1000) < c.writes
	addr := c.base + c.next
	c.pace = max(c.pace, 1000*t) + c.lineMillis
	c.inFlight++
	c.use.Sent++
	s.tell(i, t)
	if c.random.Below(1000) < c.sequential {
		c.next += line
		if c.next == c.size {
			c.next = 0
		}
	} else {
		c.next = c.random.Below(c.size/c.jump) * c.jump
	}
	s.mem.SendCore(i, t+c.cpu.RequestLatencyCycles, write, addr, c.cpu.LineBytes)
	s.goOn(i, t)
}

// requester is the cores as the memory sees them.
type requester Cores

// Woken implements memory.Cores.
func (r *requester) Woken(i int, t int64) {
	if c := &r.core[i]; c.wakeAt == t {
		c.wakeAt = clock.Never
		(*Cores)(r).send(i, t)
	}
}

// Answered implements memory.Cores.
func (r *requester) Answered(i int, arrived, t int64) {
	c := &r.core[i]
	c.inFlight--
	c.answered++
	(*Cores)(r).tell(i, t)
	c.use.LatencyCycles += t - arrived + c.cpu.RequestLatencyCycles
	(*Cores)(r).send(i, t)
}

// Draining implements memory.Cores: a core that is held waits for an answer.
func (r *requester) Draining() bool {
	for i := range r.core {
		if c := &r.core[i]; c.held && c.inFlight > 0 {
			return true
		}
	}
	return false
}

// Use is what the cores did in a run that ended in cycle end.
func (s *SoC) Use(end int64) []CoreUse {
	var use []CoreUse
	for i := range s.cores.core {
		c := &s.cores.core[i]
		u := c.use
		u.RequesterUse, u.InFlight = s.cores.mem.CoreUse(i), int64(c.inFlight)
		if c.held {
			u.HeldCycles += end - c.heldSince
		}
		use = append(use, u)
	}
	return use
}

// Check verifies that the cores have what they sent, or it is under way.
func (s *SoC) Check() error {
	var errs []error
	for i := range s.cores.core {
		c := &s.cores.core[i]
		if u := &c.use; u.Sent != c.answered+int64(c.inFlight) {
			errs = append(errs, fmt.Errorf("core %d of %s: %d requests sent, %d answered and %d in flight", u.Core, u.CPU, u.Sent, c.answered, c.inFlight))
		}
	}
	return errors.Join(errs...)
}
