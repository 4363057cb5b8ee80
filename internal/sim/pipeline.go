package sim

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim/slotset"
	"github.com/warpbound/warpbound/isa"
)

// pipelineSM is one SM of the pipeline model. The stages of a cycle, in order:
//
//	release   results whose time has come can be read (settle)
//	execute   each unit takes an instruction from the port behind the collectors
//	collect   collectors dispatch, banks read, free collectors take instructions
//	issue     each scheduler issues; the one that begins rotates
//	fetch     the instruction fetched last is decoded, empty buffers are refilled
//
// Once a unit has started an instruction the cycle of its result is known, so
// only instructions in front of a unit are simulated cycle by cycle.
type pipelineSM struct {
	smBase
	pp    *gpu.Pipeline
	front []frontEnd // by warp slot

	// hungry holds warp slots with an empty buffer that nobody fetches for.
	hungry      []uint64
	lastFetched int
	decoding    int32 // warp slot whose fetch is not decoded yet, -1 none
	quiet       quietTime
	decoded     bool // during decode: schedulers have issued in this cycle
	firstIssue  int  // scheduler that issues first in this cycle

	kinds                    int
	ports                    int   // of each kind: one a scheduler with sub-cores
	issueWidth, operandWidth []int // ports of a kind without sub-cores
	issued                   []portSlot
	operand                  []portSlot
	moving                   int   // instructions in ports and collectors
	inPorts                  int   // of those, in issue ports
	toUnits                  int   // of those, in operand ports
	portN                    []int // instructions in issue ports, by kind
	unitN                    []int // instructions in operand ports, by kind
	uid                      int64

	pools  []pool
	poolOf [][]int // pools that serve a kind
	order  []int   // kinds in the order in which they take collectors
	banks  []bank
	queued uint64 // banks with reads queued
	writes []bankWrites

	units []unitPipe
	buses []busSlot

	insts      []inFlight
	free       int32
	returnFree int64 // when the memory's return path is free
	lsu        int   // unit kind of the load/store unit
	request    Request
	operands   []operandList // by pc
	bankOf     []int32       // operands of all instructions, as register numbers
}

// portSlot is a pipeline register that holds one instruction, -1 none.
type portSlot int32

// frontEnd is the instruction buffer of a warp.
type frontEnd struct {
	fetchPC   int32 // where the next fetch starts
	bufferPC  int32 // first instruction in the buffer
	buffered  int32
	lastWrite int64 // when the last register write so far is done
	refetch   bool  // the buffer was emptied because control went elsewhere
	waits     bool  // nothing issues before earlier instructions complete (fence, atomic)
}

// operandList holds offsets into pipelineSM.bankOf: the register numbers an
// instruction reads through the collectors, then those it writes.
type operandList struct {
	reads, writes, end int32
	path               memoryPath
}

// memoryPath is the way through the load/store unit.
type memoryPath uint8

const (
	plainPath    memoryPath = iota // not on the load/store unit
	sharedPath                     // shared memory
	constantPath                   // parameters and constants
	globalPath                     // everything else that accesses memory
	orderPath                      // fences and the like
)

type inFlight struct {
	warp, pc, next int32
	uid            int64
	index          int64
	initiation     int64
	latency        int64
	transactions   int32
	path           memoryPath
	access         int32 // global access that goes through the caches, -1 none
	store          bool
	space          isa.Space
	segments       []uint64
}

// pool is a set of operand collectors.
type pool struct {
	collectors []collector
	per        int    // collectors a scheduler may use; all without sub-cores
	ready      uint64 // collectors whose operands have all been read
	last       []int  // by dispatcher: the collector it served last
}

type collector struct {
	inst    int32 // -1 free
	missing int32 // operands not read yet
	kind    int32
	port    int32
}

// bank is a register-file bank: the collectors that wait to read from it.
type bank struct {
	queue []collectorRef
	head  int
}

type collectorRef struct{ pool, collector int32 }

// bankWrites are the banks written at the start of a cycle.
type bankWrites struct {
	cycle int64
	banks uint64
}

// busSlot counts the results that arrive in a cycle.
type busSlot struct {
	cycle int64
	n     int
}

type unitPipe struct {
	kind   int
	port   int   // operand port it takes from; -1 is any, oldest first
	freeAt int64 // when the next instruction can start
	done   []int64
}

// checkPipeline verifies what the pipeline model needs.
func (c *settings) checkPipeline() error {
	if c.model != Pipeline {
		return nil
	}
	pp := c.Machine.Desc.Pipeline
	if pp == nil {
		return errors.New("the GPU description has no [pipeline] table")
	}
	if c.policy.Name == "script" {
		return errors.New("the pipeline model takes no script")
	}
	name := func(n string) bool {
		return slices.ContainsFunc(c.Machine.Units, func(u gpu.Unit) bool { return u.Name == n })
	}
	if !name(pp.LoadStoreUnit) {
		return fmt.Errorf("pipeline: no load/store unit %q", pp.LoadStoreUnit)
	}
	schedulers := 1
	if pp.SubCores {
		schedulers = c.Machine.Desc.SM.Schedulers
	}
	if pp.RegisterBanks*schedulers > 64 {
		return fmt.Errorf("pipeline: %d register banks an SM, expected at most 64", pp.RegisterBanks*schedulers)
	}
	for _, u := range c.Machine.Units {
		if pp.SubCores && pp.IssuePorts[u.Name] > 1 {
			return fmt.Errorf("pipeline: %d issue ports for unit %q, expected one a sub-core", pp.IssuePorts[u.Name], u.Name)
		}
	}
	for _, p := range pp.CollectorPools {
		if p.Count*schedulers > 64 {
			return fmt.Errorf("pipeline: a pool of %d collectors an SM, expected at most 64", p.Count*schedulers)
		}
		for _, u := range p.Units {
			if u != "*" && !name(u) {
				return fmt.Errorf("pipeline: collectors for unit %q, which does not exist", u)
			}
		}
	}
	if len(pp.CollectorOrder) != len(c.Machine.Units) {
		return fmt.Errorf("pipeline: collector_order has %d units of %d", len(pp.CollectorOrder), len(c.Machine.Units))
	}
	for _, u := range c.Machine.Units {
		if !slices.Contains(pp.CollectorOrder, u.Name) {
			return fmt.Errorf("pipeline: unit %q is not in collector_order", u.Name)
		}
		if !slices.ContainsFunc(pp.CollectorPools, func(p gpu.CollectorPool) bool { return p.Serves(u.Name) }) {
			return fmt.Errorf("pipeline: no collectors for unit %q", u.Name)
		}
	}
	return nil
}

func newPipelineSM(p *plan, sm int) *pipelineSM {
	pp := p.cfg.Machine.Desc.Pipeline
	units := p.cfg.Machine.Units
	s := &pipelineSM{pp: pp, decoding: -1, lastFetched: p.slots - 1, kinds: len(units), free: -1}
	s.smBase = newBase(p, s, sm, len(units))
	s.tail = 1 // ended warps are noticed after their last result is written
	s.front = make([]frontEnd, p.slots)
	s.hungry = make([]uint64, (p.slots+63)/64)
	s.buildPorts(units)
	s.buildPools(units)
	s.buildOperands()
	longest, longestOnBus := int64(1), int64(1)
	for pc := range p.timing {
		tm := &p.timing[pc]
		longest = max(longest, tm.UnitLatencyCycles, tm.InitiationCycles)
		if int(tm.Unit) != s.lsu {
			longestOnBus = max(longestOnBus, tm.UnitLatencyCycles)
		}
	}
	s.writes = make([]bankWrites, 1<<bits.Len64(uint64(longest+pp.MemoryLatencyCycles+256)))
	// What memory returns takes no bus: these stay small enough for a processor's cache.
	s.buses = make([]busSlot, 1<<bits.Len64(uint64(longestOnBus)))
	for i := range s.units {
		s.units[i].done = make([]int64, len(s.buses))
	}
	return s
}

// buildPorts makes the issue and operand ports and the units behind them.
func (s *pipelineSM) buildPorts(units []gpu.Unit) {
	s.ports = s.schedulers
	s.issueWidth, s.operandWidth = make([]int, s.kinds), make([]int, s.kinds)
	s.portN, s.unitN = make([]int, s.kinds), make([]int, s.kinds)
	for kind, u := range units {
		s.operandWidth[kind] = u.Count
		s.issueWidth[kind] = u.Count
		if n := s.pp.IssuePorts[u.Name]; n > 0 {
			s.issueWidth[kind] = n
		}
		s.ports = max(s.ports, s.issueWidth[kind], u.Count)
	}
	s.issued, s.operand = make([]portSlot, s.kinds*s.ports), make([]portSlot, s.kinds*s.ports)
	for i := range s.issued {
		s.issued[i], s.operand[i] = -1, -1
	}
	for kind, u := range units {
		if u.Name == s.pp.LoadStoreUnit {
			s.lsu = kind
		}
		if s.pp.SubCores && !u.Shared {
			for sched := range s.schedulers {
				for range u.Count {
					s.units = append(s.units, unitPipe{kind: kind, port: sched})
				}
			}
			continue
		}
		for range u.Count {
			s.units = append(s.units, unitPipe{kind: kind, port: -1})
		}
	}
}

func (s *pipelineSM) buildPools(units []gpu.Unit) {
	groups := 1
	if s.pp.SubCores {
		groups = s.schedulers
	}
	s.banks = make([]bank, s.pp.RegisterBanks*groups)
	s.poolOf = make([][]int, s.kinds)
	for _, name := range s.pp.CollectorOrder {
		s.order = append(s.order, slices.IndexFunc(units, func(u gpu.Unit) bool { return u.Name == name }))
	}
	for i, p := range s.pp.CollectorPools {
		q := pool{collectors: make([]collector, p.Count*groups), per: p.Count, last: make([]int, p.Dispatches*groups)}
		for c := range q.collectors {
			q.collectors[c].inst = -1
		}
		s.pools = append(s.pools, q)
		for kind, u := range units {
			if p.Serves(u.Name) {
				s.poolOf[kind] = append(s.poolOf[kind], i)
			}
		}
	}
}

// buildOperands lists the registers each instruction moves through the banks.
// A register's bank follows from the number in its name, as in the reference
// simulator, and two registers of one number count once. The guard is read
// outside the register file.
func (s *pipelineSM) buildOperands() {
	prog := s.kernel.Program()
	number := make([]int32, len(prog.Registers))
	for i, name := range prog.Registers {
		number[i] = registerNumber(name, int32(i))
	}
	s.operands = make([]operandList, len(prog.Instructions))
	for pc := range prog.Instructions {
		in, o := &prog.Instructions[pc], &s.operands[pc]
		o.reads = int32(len(s.bankOf))
		for _, r := range in.Reads {
			if n := number[r]; r != in.Guard && !slices.Contains(s.bankOf[o.reads:], n) {
				s.bankOf = append(s.bankOf, n)
			}
		}
		o.writes = int32(len(s.bankOf))
		for _, r := range in.Writes {
			s.bankOf = append(s.bankOf, number[r])
		}
		o.end = int32(len(s.bankOf))
		o.path = s.pathOf(pc, in)
	}
}

func registerNumber(name string, otherwise int32) int32 {
	n, found := int32(0), false
	for _, c := range []byte(name) {
		if c < '0' || c > '9' {
			if found {
				break
			}
			continue
		}
		n, found = (n*10+int32(c-'0'))&0xffff, true
	}
	if !found {
		return otherwise
	}
	return n
}

func (s *pipelineSM) pathOf(pc int, in *isa.Instruction) memoryPath {
	switch {
	case int(s.timing[pc].Unit) != s.lsu:
		return plainPath
	case in.Kind != isa.Load && in.Kind != isa.Store && in.Kind != isa.Atomic && in.Kind != isa.AsyncCopy:
		return orderPath
	case in.Class.Space == isa.Shared:
		return sharedPath
	case in.Class.Space == isa.Param || in.Class.Space == isa.Const:
		return constantPath
	}
	return globalPath
}

// bankNumber is the bank of a register of warp i.
func (s *pipelineSM) bankNumber(register, i int32) int32 {
	n := int32(s.pp.RegisterBanks)
	b := (register + i) % n
	if s.pp.SubCores {
		b += n * s.warp[i].sched
	}
	return b
}

// check implements core.
func (s *pipelineSM) check() error {
	var errs []error
	if s.moving != 0 || s.inPorts != 0 || s.toUnits != 0 || s.queued != 0 {
		errs = append(errs, fmt.Errorf("%d instructions in front of units, %d in issue ports, %d in operand ports", s.moving, s.inPorts, s.toUnits))
	}
	if s.decoding >= 0 || slotset.Any(s.hungry) {
		errs = append(errs, errors.New("fetches pending"))
	}
	if s.mem != nil {
		errs = append(errs, s.mem.check())
	}
	if s.wheel.count != 0 {
		errs = append(errs, fmt.Errorf("%d warps still to wake", s.wheel.count))
	}
	free := 0
	for e := s.free; e >= 0; e = s.insts[e].next {
		free++
	}
	if free != len(s.insts) {
		errs = append(errs, fmt.Errorf("%d of %d instruction records returned", free, len(s.insts)))
	}
	return errors.Join(errs...)
}
