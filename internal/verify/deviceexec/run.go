package deviceexec

import (
	"fmt"
	"slices"
	"sync"

	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
)

// Arg is the argument of one parameter: Buffer for an array, Value for a scalar.
type Arg struct {
	Value  loop.Value
	Buffer *loop.Buffer
}

// Options are how Run executes a kernel.
type Options struct {
	// Races makes it an error that two threads of a team touch an element between
	// two barriers and one of them writes it, or that two teams write an element of
	// global memory. Threads may write the same value to one element of a shared
	// array that no other thread touches between the two barriers.
	Races bool
	// Reverse executes teams and, from barrier to barrier, threads from the last
	// to the first: another of the orders that must not matter.
	Reverse bool
	// MaxSteps bounds the statements executed by all threads together; 0 is 2^40.
	MaxSteps int64
	// Observe, unless nil, is called at every access to global memory, in the order
	// of execution.
	Observe func(Access)
}

// Access is one access of a thread to an element of global memory.
type Access struct {
	At           loop.Pos
	Array        *loop.Array
	Element      int64 // in row-major order
	Write        bool
	Team, Thread int64
	Phase        int64 // how many Syncs the team has passed
}

// Code is a kernel made ready for execution. It may be run by several goroutines
// at once.
type Code struct {
	kernel *device.Entry
	body   []node
	arrays []*loop.Array // parameters first, then shared ones; a slot is an index
	params []int         // slot of each parameter: a variable's or an array's
	slots  int           // variables
	phased bool
	thread int // slot of ThreadIdx
	team   int // slot of TeamIdx
}

// Run executes a kernel that Check accepts, with the arguments of its parameters
// in order, and changes the buffers.
//
// Teams run one after the other. The threads of a team run one after the other
// from one barrier to the next. Shared memory is undefined when a team starts. The
// error is a *loop.Error that names the position, the team and the thread: for
// what package loop refuses (a subscript outside its dimension, undefined
// arithmetic, an unset local), the read of a shared element that the team has not
// written or of which it has overwritten bytes through another array, a barrier
// that not all threads meet, an access to global memory outside the memory phase
// of a kernel with Syncs, and what Options adds. Then the buffers hold what was
// stored until the fault.
func Run(k *device.Entry, args []Arg, o Options) error {
	c, err := Compile(k)
	if err != nil {
		return err
	}
	return c.Run(args, o)
}

// machine is one launch.
type machine struct {
	code     *Code
	opt      Options
	mem      []memory
	threads  []thread
	team     int64
	inMemory bool  // the last Sync that the team passed led into a memory phase
	phase    int64 // Syncs passed by the team
	epoch    int64 // barriers passed by all teams so far, counted from 1
	start    int64 // the epoch in which the team started
	steps    int64
}

// thread is one of the team that runs; vals and set are indexed by slot.
type thread struct {
	m    *machine
	id   int64
	vals []uint64
	set  []bool
}

// trap carries a fault from the depth of the evaluation to Run.
type trap struct{ err *loop.Error }

func (t *thread) fail(at loop.Pos, format string, args ...any) {
	msg := fmt.Sprintf(format, args...)
	panic(trap{&loop.Error{Pos: at, Msg: fmt.Sprintf("team %d, thread %d: %s", t.m.team, t.id, msg)}})
}

// Run is Run of the kernel that c was made from.
func (c *Code) Run(args []Arg, o Options) (err error) {
	m := &machine{code: c, opt: o, mem: make([]memory, len(c.arrays)), steps: o.MaxSteps}
	if m.steps <= 0 {
		m.steps = 1 << 40
	}
	k := c.kernel
	m.threads = make([]thread, k.Threads)
	vals, set := make([]uint64, k.Threads*int64(c.slots)), make([]bool, k.Threads*int64(c.slots))
	for i := range m.threads {
		lo, hi := i*c.slots, (i+1)*c.slots
		m.threads[i] = thread{m: m, id: int64(i), vals: vals[lo:hi:hi], set: set[lo:hi:hi]}
	}
	defer func() {
		if r := recover(); r != nil {
			t, ok := r.(trap)
			if !ok {
				panic(r)
			}
			err = t.err
		}
	}()
	defer m.release()
	if err := m.bind(args); err != nil {
		return err
	}
	for i := range k.Teams {
		if o.Reverse {
			i = k.Teams - 1 - i
		}
		m.run(i)
	}
	return nil
}

func (m *machine) bind(args []Arg) error {
	k := m.code.kernel
	if len(args) != len(k.Params) {
		return &loop.Error{Pos: k.At, Msg: fmt.Sprintf("kernel %s: %d arguments for %d parameters", k.Name, len(args), len(k.Params))}
	}
	var bound []*loop.Buffer
	for i, p := range k.Params {
		a := args[i]
		if p.Var != nil {
			if a.Buffer != nil || a.Value.Type != p.Var.Type {
				return &loop.Error{Pos: p.Var.At, Msg: fmt.Sprintf("argument %s: want a value of type %s", p.Var.Name, p.Var.Type)}
			}
			for t := range m.threads {
				m.threads[t].vals[m.code.params[i]] = a.Value.Bits
			}
			continue
		}
		b := a.Buffer
		if b == nil || b.Elem != p.Array.Elem || len(b.Shape) != len(p.Array.Extents) || size(b.Shape) != int64(len(b.Bits)) {
			return &loop.Error{Pos: p.Array.At, Msg: fmt.Sprintf("argument %s: want a buffer of %s with %d dimensions", p.Array.Name, p.Array.Elem, len(p.Array.Extents))}
		}
		if slices.Contains(bound, b) {
			return &loop.Error{Pos: p.Array.At, Msg: fmt.Sprintf("argument %s: a buffer of another array, but arrays do not alias", p.Array.Name)}
		}
		bound = append(bound, b)
		mem := memory{array: p.Array, slot: int32(m.code.params[i]), shape: b.Shape, bits: b.Bits, width: 1}
		if m.opt.Races {
			mem.cells = cellsFor(len(b.Bits))
		}
		m.mem[mem.slot] = mem
	}
	for i, p := range k.Params {
		if p.Array != nil {
			if err := m.extents(p.Array, args[i].Buffer); err != nil {
				return err
			}
		}
	}
	copy(m.mem[len(m.mem)-len(k.Shared):], m.code.pad())
	return nil
}

// freeCells are the cells of launches that have ended: programs launch the same kernels over and over.
var freeCells sync.Pool

// cellsFor are n cells that nobody has touched.
func cellsFor(n int) []cell {
	if free, ok := freeCells.Get().(*[]cell); ok && cap(*free) >= n {
		cells := (*free)[:n]
		clear(cells)
		return cells
	}
	return make([]cell, n)
}

// release gives back the cells of global memory.
func (m *machine) release() {
	for i := range m.mem {
		if cells := m.mem[i].cells; cells != nil && !m.mem[i].shared {
			m.mem[i].cells = nil
			freeCells.Put(&cells)
		}
	}
}

// extents compares a buffer's shape with the extents that addresses depend on.
func (m *machine) extents(a *loop.Array, b *loop.Buffer) error {
	for d, x := range a.Extents {
		if d == 0 {
			continue
		}
		g := generator{c: m.code, vars: make(map[*loop.Var]int)}
		for i, p := range m.code.kernel.Params {
			if p.Var != nil {
				g.vars[p.Var] = m.code.params[i]
			}
		}
		if want := int64(g.expr(x)(&m.threads[0])); want != b.Shape[d] {
			return &loop.Error{Pos: a.At, Msg: fmt.Sprintf("argument %s: dimension %d is %d, want %d", a.Name, d, b.Shape[d], want)}
		}
	}
	return nil
}

func size(shape []int64) int64 {
	n := int64(1)
	for _, s := range shape {
		n *= s
	}
	return n
}

// run executes one team.
func (m *machine) run(team int64) {
	m.team, m.inMemory, m.phase = team, false, 0
	m.epoch++
	m.start = m.epoch
	for i := range m.threads {
		t := &m.threads[i]
		t.vals[m.code.thread], t.vals[m.code.team] = uint64(t.id), uint64(team)
	}
	for _, n := range m.code.body {
		n.run(m)
	}
}

// each calls f for every thread of the team.
func (m *machine) each(f func(t *thread)) {
	for i := range m.threads {
		if m.opt.Reverse {
			i = len(m.threads) - 1 - i
		}
		f(&m.threads[i])
	}
}

// node is what the whole team executes together, so that barriers may stand in it.
type node interface{ run(m *machine) }

// segment is statements without a barrier.
type segment struct{ ops []operation }

func (s *segment) run(m *machine) {
	m.each(func(t *thread) {
		for _, op := range s.ops {
			op(t)
		}
	})
}

// barrier and change are a Barrier and a Sync.
type (
	barrier struct{}
	change  struct{ to device.Phase }
)

func (barrier) run(m *machine) { m.epoch++ }

func (s change) run(m *machine) {
	m.epoch++
	m.phase++
	m.inMemory = s.to == device.Memory
}

// teamIf is an If around a barrier.
type teamIf struct {
	at              loop.Pos
	cond            condition
	then, otherwise []node
}

func (s *teamIf) run(m *machine) {
	list := s.otherwise
	if m.agree(s.at, s.cond) {
		list = s.then
	}
	for _, n := range list {
		n.run(m)
	}
}

// agree evaluates a condition in every thread: some would miss the barrier below
// it where they differ.
func (m *machine) agree(at loop.Pos, cond condition) bool {
	var first *thread
	result := false
	m.each(func(t *thread) {
		m.step(t, at)
		switch c := cond(t); {
		case first == nil:
			first, result = t, c
		case c != result:
			t.fail(at, "a barrier is not met by all threads: the condition is %t here and %t in thread %d", c, result, first.id)
		}
	})
	return result
}

// teamFor is a For around a barrier.
type teamFor struct {
	at     loop.Pos
	enter  operation
	within condition
	next   operation
	body   []node
}

func (s *teamFor) run(m *machine) {
	m.each(s.enter)
	for m.agree(s.at, s.within) {
		for _, n := range s.body {
			n.run(m)
		}
		m.each(s.next)
	}
}

func (m *machine) step(t *thread, at loop.Pos) {
	if m.steps--; m.steps < 0 {
		t.fail(at, "more statements than MaxSteps")
	}
}
