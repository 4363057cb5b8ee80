package reference

import "fmt"

// Config is a machine and what its memory holds at the start.
type Config struct {
	Cores, Warps, Threads int
	Feb2024               bool // the state of February 2024, else version 2.2
	Start                 uint32
	Argument              uint32            // what mscratch holds at the start
	Code                  map[uint32]uint32 // instruction words by address
	CodeWritable          bool
	Memory                map[uint32]byte // user memory; bytes it does not have are 0
}

// Thread is the registers of one thread.
type Thread struct{ X, F [32]uint32 }

// Warp is the state of one warp. It is active while Mask is not zero.
type Warp struct {
	PC      uint32
	Mask    uint32 // active threads
	Threads []Thread
	FRM     uint32
	FFlags  uint32
	Waiting bool // at a barrier, or for a spawn
	splits  []split
}

// split is an open divergent SPLIT: everything needed by its two JOINs.
type split struct {
	all, other uint32 // thread masks: of both parts, of the part that waits
	pc         uint32 // behind the SPLIT
	second     bool   // the other part is executing
}

// Core is the state of one core.
type Core struct {
	Warps    []*Warp
	Scratch  uint32
	Local    map[uint32]byte // by address
	barriers map[uint32]*barrier
	spawn    *spawn // waits for the other warps to end
	warpInstructions,
	threadInstructions uint64
}

// barrier is one where warps wait.
type barrier struct {
	count uint32
	warps []int
}

// spawn is a WSPAWN not yet carried out.
type spawn struct{ count, pc uint32 }

// Emulator executes a program.
type Emulator struct {
	Config
	cores       []*Core
	overwritten map[uint32]bool // addresses of instructions that were stored to
	io          map[uint32]byte // the performance-monitor dump and the exit code
	// The console: lines that ended, and what the line of a place has so far.
	ended []byte
	lines map[uint32][]byte
}

// New is a machine at its start: warp 0 of every core with thread 0.
func New(c Config) *Emulator {
	m := &Emulator{Config: c, overwritten: map[uint32]bool{}, io: map[uint32]byte{}, lines: map[uint32][]byte{}}
	if m.Memory == nil {
		m.Memory = map[uint32]byte{}
	}
	m.Restart()
	return m
}

// Restart brings all cores back to their start. User memory and what has been
// printed stay.
func (m *Emulator) Restart() {
	m.cores = nil
	for range m.Cores {
		core := &Core{Scratch: m.Argument, Local: map[uint32]byte{}, barriers: map[uint32]*barrier{}}
		for range m.Warps {
			core.Warps = append(core.Warps, &Warp{Threads: make([]Thread, m.Threads)})
		}
		core.Warps[0].PC, core.Warps[0].Mask = m.Start, 1
		m.cores = append(m.cores, core)
	}
}

// Core is the state of a core, to look at and to prepare.
func (m *Emulator) Core(i int) *Core { return m.cores[i] }

// Ready says whether a warp can be stepped.
func (m *Emulator) Ready(core, warp int) bool {
	w := m.cores[core].Warps[warp]
	return w.Mask != 0 && !w.Waiting
}

// Ended says whether no warp of a core is active.
func (m *Emulator) Ended(core int) bool { return m.cores[core].activeWarps() == 0 }

func (c *Core) activeWarps() (mask uint32) {
	for i, w := range c.Warps {
		if w.Mask != 0 {
			mask |= 1 << i
		}
	}
	return mask
}

// last is the highest active thread.
func (w *Warp) last() int {
	for t := len(w.Threads) - 1; ; t-- {
		if w.Mask>>t&1 == 1 {
			return t
		}
	}
}

// active lists the active threads in ascending order.
func (w *Warp) active() []int { return threads(w.Mask) }

func threads(mask uint32) (list []int) {
	for t := range 32 {
		if mask>>t&1 == 1 {
			list = append(list, t)
		}
	}
	return list
}

// Kind is what a program did wrong.
type Kind string

// The kinds of faults.
const (
	Illegal      Kind = "illegal instruction"
	BadRounding  Kind = "reserved rounding mode"
	NotWritable  Kind = "register cannot be written"
	Divergent    Kind = "threads go different ways"
	BadSplit     Kind = "too many open splits"
	BadJoin      Kind = "no such split to join"
	BadSpawn     Kind = "spawn that is not possible"
	BadBarrier   Kind = "barrier that is not possible"
	CoreBarrier  Kind = "barrier of several cores"
	Misaligned   Kind = "misaligned address"
	Outside      Kind = "address outside"
	Protected    Kind = "instructions cannot be written"
	Breakpoint   Kind = "breakpoint"
	Deadlock     Kind = "every active warp waits"
	Inexecutable Kind = "instruction was overwritten"
)

// Fault is what a program did wrong, and where.
type Fault struct {
	Kind   Kind
	PC     uint32
	Thread int // the thread of the warp, -1 where it is not one
}

func (f *Fault) Error() string {
	return fmt.Sprintf("%s at %#x, thread %d", f.Kind, f.PC, f.Thread)
}

// Event says what an instruction did.
type Event struct {
	PC     uint32
	Next   uint32 // where the warp goes on; of no meaning where it has ended
	Ended  bool   // the warp is not active any more
	Active uint32 // threads that executed the instruction
	// Width is the bytes each thread accessed, 0 where memory was not accessed;
	// Addresses has the address of each active thread, in ascending order.
	Width     int
	Addresses []uint32
	// Arrived says that the warp arrived at barrier number Barrier, Full that
	// the barrier is one of all warps; Opened that other warps, or this one, go
	// on for it: because the barrier opened, or because warps were spawned or
	// the last warp a WSPAWN waited for ended.
	Arrived, Full bool
	Barrier       uint32
	Opened        bool
}

// step is one instruction in execution.
type step struct {
	m     *Emulator
	core  *Core
	id    [2]int // of core and warp
	warp  *Warp
	pc    uint32
	in    Instruction
	next  uint32
	event Event
}

func (s *step) fault(k Kind, thread int) *Fault { return &Fault{Kind: k, PC: s.pc, Thread: thread} }

// Step executes one instruction of a warp that is ready.
func (m *Emulator) Step(core, warp int) (Event, *Fault) {
	c := m.cores[core]
	w := c.Warps[warp]
	s := &step{m: m, core: c, id: [2]int{core, warp}, warp: w, pc: w.PC, next: w.PC + 4}
	s.event = Event{PC: w.PC, Active: w.Mask}

	word := m.Code[w.PC]
	if m.overwritten[w.PC] {
		return s.event, s.fault(Inexecutable, -1)
	}
	in, ok := Decode(word)
	if !ok {
		return s.event, s.fault(Illegal, -1)
	}
	s.in = in
	c.warpInstructions++
	c.threadInstructions += uint64(len(w.active()))
	if f := s.execute(); f != nil {
		return s.event, f
	}
	if w.Mask != 0 {
		if _, ok := m.Code[s.next]; !ok {
			return s.event, s.fault(Outside, -1)
		}
	}
	w.PC = s.next
	s.event.Next, s.event.Ended = s.next, w.Mask == 0
	if w.Mask == 0 {
		s.event.Opened = c.settle() || s.event.Opened
	}
	if c.stuck() {
		return s.event, s.fault(Deadlock, -1)
	}
	return s.event, nil
}

// settle carries out a spawn that has waited until its warp is alone.
func (c *Core) settle() bool {
	if c.spawn == nil || c.activeWarps() != 1 {
		return false
	}
	c.Warps[0].Waiting = false
	c.activate(*c.spawn)
	c.spawn = nil
	return true
}

// Splits is the number of open divergent splits.
func (w *Warp) Splits() int { return len(w.splits) }

// stuck says whether warps are active, but all of them wait.
func (c *Core) stuck() bool {
	for _, w := range c.Warps {
		if w.Mask != 0 && !w.Waiting {
			return false
		}
	}
	return c.activeWarps() != 0
}
