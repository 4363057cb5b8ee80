package soc

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim/clock"
	"github.com/warpbound/warpbound/internal/sim/memory"
)

// Config is what is around the GPU in a run with caches: the traffic of the CPU cores
// that share its DRAM, and agents that act beside it. In such a run loads that
// are volatile, or ordered beyond their block, pass the L1D (isa.Instruction.Uncached),
// and a fence waits until all global accesses of its block are answered.
type Config struct {
	// Traffic is what cores send. CPUs of the description that are not named are
	// silent.
	Traffic []Traffic
	// Agents act in this order within a cycle. One serves one run.
	Agents []Agent
}

// Traffic is what the cores of a CPU send: requests of a line each, as long as a
// core has less of them under way than it can, in the manner of memory workers.
type Traffic struct {
	CPU   string // gpu.CPU.Name
	Cores int    // how many of them send; 0 for all
	// BytesPerKilocycle is the most that a core sends in 1000 cycles; 0 for no
	// limit but one request a cycle. What it could not send in time it does not
	// make up for.
	BytesPerKilocycle int64
	// SequentialPermille is in how many of 1000 cases a request goes on with the line
	// after the last one; otherwise it goes to a random row of its buffer.
	SequentialPermille int
	// WritePermille is how many of 1000 requests are writes. They count as under way
	// until they are written.
	WritePermille int
	// A core sends for OnCycles and rests for OffCycles, again and again, each core
	// with its own shift. OffCycles 0 is no rest, and OnCycles 0 then too.
	OnCycles, OffCycles int64
	// BufferBytes is the size of the buffer of each core, of which whole rows of all
	// channels are used; 0 for 16 MiB.
	BufferBytes int64
	// Outstanding are the requests that a core has under way at most; 0 for what
	// the description says, which is the largest.
	Outstanding int
	Seed        uint64
}

// An Agent acts beside the GPU at cycles of its own choice: a timer, an interrupt
// handler, a task that looks at shared memory. It may change the kernel's global
// memory and hold and release cores. In a cycle the events of the memory come
// first, then agents, then the SMs, which read what the agents wrote.
type Agent interface {
	// Attach is called before the first cycle. The agent keeps the cores.
	Attach(cores *Cores) error
	// Next is a cycle in which the agent wants to act, clock.Never for none that is
	// known. It is asked in every cycle in which something happens on an SM, or a
	// core that is held has got its last answer; a cycle that has passed counts as
	// the present one.
	Next() int64
	// Step acts in cycle t, and again in t as long as Next is not later.
	Step(t int64) error
}

// A Watcher is an agent that wants to look at what the SMs have done, at the end of
// every cycle in which they can have done something.
type Watcher interface {
	Agent
	Watch(t int64)
}

// Check verifies a configuration beside a GPU.
func (c *Config) Check(d *gpu.Description) error {
	for i := range c.Traffic {
		x := &c.Traffic[i]
		cpu := findCPU(d, x.CPU)
		if cpu == nil {
			return fmt.Errorf("traffic of CPU %q: GPU %s has no such table [[cpu]]", x.CPU, d.Name)
		}
		for _, o := range c.Traffic[:i] {
			if o.CPU == x.CPU {
				return fmt.Errorf("traffic of CPU %q twice", x.CPU)
			}
		}
		if err := x.check(cpu, d.DRAM); err != nil {
			return fmt.Errorf("traffic of CPU %q: %w", x.CPU, err)
		}
	}
	for i, a := range c.Agents {
		if a == nil {
			return fmt.Errorf("agent %d is nil", i)
		}
	}
	return nil
}

func findCPU(d *gpu.Description, name string) *gpu.CPU {
	for i := range d.CPUs {
		if d.CPUs[i].Name == name {
			return &d.CPUs[i]
		}
	}
	return nil
}

const defaultBufferBytes = 16 << 20

func (x *Traffic) check(cpu *gpu.CPU, dram *gpu.DRAM) error {
	if cpu.Cores < 1 || cpu.LineBytes < 1 || cpu.LineBytes&(cpu.LineBytes-1) != 0 || cpu.Outstanding < 1 || cpu.RequestLatencyCycles < 1 || cpu.ResponseLatencyCycles < 0 {
		return fmt.Errorf("the description has %+v", *cpu)
	}
	span := dram.RowBytes * int64(dram.Channels)
	for _, r := range []struct {
		name         string
		value        int64
		least, large int64
	}{
		{"cores", int64(x.Cores), 0, int64(cpu.Cores)},
		{"bytes a kilocycle", x.BytesPerKilocycle, 0, 1 << 40},
		{"sequential requests of 1000", int64(x.SequentialPermille), 0, 1000},
		{"writes of 1000", int64(x.WritePermille), 0, 1000},
		{"cycles on", x.OnCycles, 0, 1 << 40},
		{"cycles off", x.OffCycles, 0, 1 << 40},
		{"bytes of a buffer", cmp.Or(x.BufferBytes, max(span, defaultBufferBytes)), span, 1 << 32},
		{"outstanding requests", int64(x.Outstanding), 0, int64(cpu.Outstanding)},
	} {
		if r.value < r.least || r.value > r.large {
			return fmt.Errorf("%d %s: expected %d to %d", r.value, r.name, r.least, r.large)
		}
	}
	if x.OffCycles > 0 && x.OnCycles == 0 {
		return errors.New("cycles off without cycles on")
	}
	return nil
}

// SoC is what is around the GPU while a run lasts.
type SoC struct {
	cores    *Cores
	agents   []Agent
	watchers []Watcher
}

// New puts the cores that send beside the SMs of a memory, and gives them to the agents.
// Observers see what the cores do.
func New(mem *memory.System, d *gpu.Description, c *Config, watch ...Observer) (*SoC, error) {
	s := &SoC{cores: newCores(mem, d, c.Traffic)}
	s.cores.watch = watch
	for _, a := range c.Agents {
		if err := a.Attach(s.cores); err != nil {
			return nil, err
		}
		s.agents = append(s.agents, a)
		if w, ok := a.(Watcher); ok {
			s.watchers = append(s.watchers, w)
		}
	}
	return s, nil
}

// Act lets agents act in cycle t.
func (s *SoC) Act(t int64) error {
	for _, a := range s.agents {
		for a.Next() <= t {
			if err := a.Step(t); err != nil {
				return fmt.Errorf("cycle %d: %w", t, err)
			}
		}
	}
	return nil
}

// NextAct is when an agent wants to act after cycle t.
func (s *SoC) NextAct(t int64) int64 {
	next := clock.Never
	for _, a := range s.agents {
		next = min(next, max(t+1, a.Next()))
	}
	return next
}

// Watch lets the watchers look at cycle t, which is over.
func (s *SoC) Watch(t int64) {
	for _, w := range s.watchers {
		w.Watch(t)
	}
}
