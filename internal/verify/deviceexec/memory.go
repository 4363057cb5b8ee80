package deviceexec

import "github.com/warpbound/warpbound/internal/prem/loop"

// memory is an array while a kernel runs.
type memory struct {
	array  *loop.Array
	slot   int32
	shape  []int64
	bits   []uint64
	shared bool
	// cells are width cells an element; nil for global memory where races are not
	// looked for. Those of shared arrays are the words of the scratchpad, which
	// arrays may have in common.
	cells []cell
	width int64
}

// cell is who touched an element, or a word of the scratchpad, last: the threads
// and the epochs in which they did. Of several threads in one epoch it holds two
// different ones.
type cell struct {
	written, read    int64 // epochs, 0 for never
	writers, readers [2]int32
	team             int32 // the team that wrote, counted from 1
	slot             int32 // of the array through which it was written
}

// word is the granularity in bytes at which shared arrays may overlap: the least
// size of an element.
const word = 4

// pad is the shared arrays of a kernel, in one scratchpad.
func (c *Code) pad() []memory {
	k := c.kernel
	at, bytes := k.Layout()
	cells := make([]cell, (bytes+word-1)/word)
	mem := make([]memory, len(k.Shared))
	for i, a := range k.Shared {
		shape := make([]int64, len(a.Extents))
		for d, x := range a.Extents {
			shape[d] = x.(*loop.IntLit).Value
		}
		mem[i] = memory{array: a, slot: int32(len(c.arrays) - len(k.Shared) + i), shape: shape, bits: make([]uint64, size(shape)),
			shared: true, cells: cells[at[i]/word:], width: a.Elem.Size() / word}
	}
	return mem
}

// other gives a thread of the pair that is not t, or -1.
func other(pair [2]int32, t int32) int32 {
	for _, x := range pair {
		if x != t {
			return x
		}
	}
	return -1
}

// mark notes that thread t touched the element in epoch now.
func mark(epoch *int64, pair *[2]int32, now int64, t int32) {
	switch {
	case *epoch != now:
		*epoch, *pair = now, [2]int32{t, t}
	case pair[0] == pair[1]:
		pair[1] = t
	}
}

func (m *machine) load(t *thread, at loop.Pos, mem *memory, i int64) uint64 {
	if !mem.shared {
		m.global(t, at, mem, i, false)
	}
	if mem.cells != nil {
		for j := i * mem.width; j < (i+1)*mem.width; j++ {
			c := &mem.cells[j]
			if mem.shared && (c.written < m.start || c.slot != mem.slot) {
				t.fail(at, "%s%v is read, but the team has not written it", mem.array.Name, mem.subscripts(i))
			}
			if m.opt.Races {
				if w := other(c.writers, int32(t.id)); c.written == m.epoch && w >= 0 {
					t.fail(at, "race: %s%v is read here and written by thread %d with no barrier between", mem.array.Name, mem.subscripts(i), w)
				}
				mark(&c.read, &c.readers, m.epoch, int32(t.id))
			}
		}
	}
	return mem.bits[i]
}

func (m *machine) store(t *thread, at loop.Pos, mem *memory, i int64, v uint64) {
	if !mem.shared {
		m.global(t, at, mem, i, true)
	}
	if mem.cells != nil {
		for j := i * mem.width; j < (i+1)*mem.width; j++ {
			c := &mem.cells[j]
			if m.opt.Races {
				m.raceOfStore(t, at, mem, i, c, v)
			}
			mark(&c.written, &c.writers, m.epoch, int32(t.id))
			c.slot = mem.slot
		}
	}
	mem.bits[i] = v
}

// raceOfStore looks for a race of the store of v to element i, of which c is a cell.
func (m *machine) raceOfStore(t *thread, at loop.Pos, mem *memory, i int64, c *cell, v uint64) {
	if r := other(c.readers, int32(t.id)); c.read == m.epoch && r >= 0 {
		t.fail(at, "race: %s%v is written here and read by thread %d with no barrier between", mem.array.Name, mem.subscripts(i), r)
	}
	same := mem.shared && c.slot == mem.slot && mem.bits[i] == v
	if w := other(c.writers, int32(t.id)); c.written == m.epoch && !same && w >= 0 {
		t.fail(at, "race: %s%v is written here and by thread %d with no barrier between", mem.array.Name, mem.subscripts(i), w)
	}
	if mem.shared {
		return
	}
	if c.team != 0 && c.team != int32(m.team)+1 {
		t.fail(at, "race: %s%v is written here and by team %d", mem.array.Name, mem.subscripts(i), c.team-1)
	}
	c.team = int32(m.team) + 1
}

// global notes an access to global memory, which in a kernel with Syncs belongs
// into the memory phase.
func (m *machine) global(t *thread, at loop.Pos, mem *memory, i int64, write bool) {
	if m.code.phased && !m.inMemory {
		t.fail(at, "access to %s%v outside the memory phase", mem.array.Name, mem.subscripts(i))
	}
	if m.opt.Observe != nil {
		m.opt.Observe(Access{At: at, Array: mem.array, Element: i, Write: write, Team: m.team, Thread: t.id, Phase: m.phase})
	}
}

// subscripts are those of element i.
func (mem *memory) subscripts(i int64) []int64 {
	s := make([]int64, len(mem.shape))
	for d := len(s) - 1; d >= 0; d-- {
		s[d] = i % mem.shape[d]
		i /= mem.shape[d]
	}
	return s
}
