package sim

import (
	"cmp"
	"math/bits"

	"github.com/warpbound/warpbound/gpu"
)

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
	random      uint64 // state of the generator

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

// addCores makes the cores that send, and wakes them in cycle 0.
func (m *memorySystem) addCores(d *gpu.Description, soc *SoC) {
	span := uint64(d.DRAM.RowBytes) * uint64(d.DRAM.Channels)
	for i := range soc.Traffic {
		x := &soc.Traffic[i]
		cpu := findCPU(d, x.CPU)
		buffer := uint64(cmp.Or(x.BufferBytes, max(int64(span), defaultBufferBytes)))
		for k := range cmp.Or(x.Cores, cpu.Cores) {
			c := cpuCore{
				cpu: cpu, outstanding: cmp.Or(x.Outstanding, cpu.Outstanding), lineMillis: 1000, sequential: uint64(x.SequentialPermille), writes: uint64(x.WritePermille),
				base: coreBuffers + uint64(len(m.cores))*coreStride, size: buffer - buffer%span, jump: span,
				random: x.Seed ^ uint64(k+1)*0xd1342543de82ef95 ^ uint64(i)<<56, wakeAt: never, use: CoreUse{CPU: x.CPU, Core: k},
			}
			if x.BytesPerKilocycle > 0 {
				c.lineMillis = max(1000, (cpu.LineBytes*1_000_000+x.BytesPerKilocycle-1)/x.BytesPerKilocycle)
			}
			if x.OffCycles > 0 {
				c.on, c.period = x.OnCycles, x.OnCycles+x.OffCycles
				c.shift = int64(c.below(uint64(c.period)))
			}
			c.next = c.below(c.size/c.jump) * c.jump
			m.cores = append(m.cores, c)
		}
	}
	for i := range m.channels {
		p := &m.channels[i].turns
		for range m.cores {
			p.waiting = append(p.waiting, nil)
		}
	}
	for i := range m.cores {
		m.wakeCore(i, m.cores[i].due(0))
	}
}

// below draws a number below n, by the generator SplitMix64.
func (c *cpuCore) below(n uint64) uint64 {
	c.random += 0x9e3779b97f4a7c15
	z := c.random
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	high, _ := bits.Mul64(z^z>>31, n)
	return high
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

// wakeCore has core i woken in cycle t, if it is not before.
func (m *memorySystem) wakeCore(i int, t int64) {
	if c := &m.cores[i]; t < c.wakeAt {
		c.wakeAt = t
		m.add(request{stage: coreWakes, sm: int32(i), waiting: -1, leader: -1}, t)
	}
}

// draining tells whether a core that is held waits for an answer.
func (m *memorySystem) draining() bool {
	for i := range m.cores {
		if c := &m.cores[i]; c.held && c.inFlight > 0 {
			return true
		}
	}
	return false
}

// coreWakes is the event that core i has asked for.
func (m *memorySystem) coreWakes(i int, t int64) {
	if c := &m.cores[i]; c.wakeAt == t {
		c.wakeAt = never
		m.coreSends(i, t)
	}
}

// coreGoesOn lets core i, which is released in cycle t, send from the next one on.
func (m *memorySystem) coreGoesOn(i int, t int64) {
	if c := &m.cores[i]; c.inFlight < c.outstanding {
		m.wakeCore(i, c.due(t+1))
	}
}

// coreSends lets core i send in cycle t if it can, and says when it is to be woken
// again.
func (m *memorySystem) coreSends(i int, t int64) {
	c := &m.cores[i]
	if c.held || c.inFlight == c.outstanding {
		return
	}
	if at := c.due(t); at > t {
		m.wakeCore(i, at)
		return
	}
	line := uint64(c.cpu.LineBytes)
	kind := cpuRead
	if c.below(1000) < c.writes {
		kind = cpuWrite
	}
	addr := c.base + c.next
	c.pace = max(c.pace, 1000*t) + c.lineMillis
	c.inFlight++
	c.use.Sent++
	if c.below(1000) < c.sequential {
		c.next += line
		if c.next == c.size {
			c.next = 0
		}
	} else {
		c.next = c.below(c.size/c.jump) * c.jump
	}
	m.add(request{sm: int32(i), addr: addr, missing: c.cpu.LineBytes, kind: kind, stage: toChannel, waiting: -1, leader: -1}, t+c.cpu.RequestLatencyCycles)
	if c := &m.cores[i]; c.inFlight < c.outstanding {
		m.wakeCore(i, c.due(t+1))
	}
}

// socUse adds what the memory knows of a run that ended in cycle end.
func (m *memorySystem) socUse(u *MemoryUse, end int64) {
	u.DRAM.Refreshes = m.refresh.begun(end) * int64(len(m.channels))
	for i := range m.cores {
		c := m.cores[i]
		c.use.InFlight = int64(c.inFlight)
		if c.held {
			c.use.HeldCycles += end - c.heldSince
		}
		u.CPU = append(u.CPU, c.use)
	}
}

// coreAnswered ends request r of a core in cycle t.
func (m *memorySystem) coreAnswered(r int32, t int64) {
	x := &m.requests[r]
	i := int(x.sm)
	c := &m.cores[i]
	c.inFlight--
	c.answered++
	c.use.LatencyCycles += t - x.arrived + c.cpu.RequestLatencyCycles
	m.drop(r)
	m.coreSends(i, t)
}
