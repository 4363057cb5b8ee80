package l1d

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/warpbound/warpbound/internal/simt"
)

// maxRecorded bounds what a recording keeps: different steps, bodies of
// repetitions, and items of the sequences of all classes together, each a few
// dozen bytes. Launches that need more are executed.
const maxRecorded = 1 << 17

// recording is the accesses of one block of each class, in the enforced order of
// the block alone.
type recording struct {
	*followed
	points  *points
	pcs     []int32 // of the accesses, by slot
	slots   []int16 // by PC, -1 where it makes no access
	shapes  []shape
	moves   [][]int64 // changes of a program point: see movePoint
	steps   []step
	store   *foldStore // of indices into steps
	classes []classRecording
}

// classRecording is the sequence of a block: every access as a step from the one
// before it, which is the same in all iterations of a loop that walks through
// memory, and folded.
type classRecording struct {
	class    *simt.BlockClass
	sequence folded
	executed int64 // warp instructions
}

// step is an access beside the one before it.
type step struct {
	base  uint64 // address of the lowest lane beside the last one of the warp by this instruction
	shape int32
	move  int32 // of the program point; 0: none
	warp  int16 // beside the last one
	slot  int16
}

// recorded is one access of the representative of a class.
type recorded struct {
	base  uint64 // address of the lowest lane that executes it
	index int64  // among the accesses of the warp
	shape int32
	warp  int16
	slot  int16
}

// shape is how the addresses of the lanes lie beside that of the lowest one.
type shape struct {
	width   int32
	exec    simt.Mask
	offsets [simt.MaxLanes]uint64 // zero where a lane does not execute
}

// place is where in a sequence one is: what the next step counts from.
type place struct {
	last  []uint64 // by warp and slot: the base of the last access, 0 where none
	slot  []uint64 // by slot: that of the last one of any warp
	index []int64  // by warp: of its last access
	warp  int16
	point []int64
}

func newPlace(warps int) *place { return &place{index: make([]int64, warps)} }

// reset goes to the start of a sequence of accesses by so many instructions.
func (p *place) reset(slots int) {
	if len(p.slot) != slots {
		p.last, p.slot = make([]uint64, slots*len(p.index)), make([]uint64, slots)
	}
	clear(p.last)
	clear(p.slot)
	for i := range p.index {
		p.index[i] = -1
	}
	p.warp, p.point = 0, p.point[:0]
}

// from is the base that the next one of a warp and slot is counted from.
func (p *place) from(warp, slot int16) (last *uint64, base uint64) {
	last = &p.last[int(slot)*len(p.index)+int(warp)]
	if base = *last; base == 0 {
		base = p.slot[slot]
	}
	return last, base
}

// movePoint applies a change: what is added to each number of a point; numbers
// beyond its end count as zero, and the length is that of the change.
func movePoint(point, by []int64) []int64 {
	point = point[:min(len(point), len(by))]
	for len(point) < len(by) {
		point = append(point, 0)
	}
	for i, x := range by {
		point[i] += x
	}
	return point
}

// record executes one block of each class, alone, in the enforced order. It
// returns nil where blocks cannot be replayed after all.
func (a *Analysis) record(k simt.Kernel, opt Options) (*recording, error) {
	o, err := a.NewOrder(k, opt)
	if err != nil {
		return nil, err
	}
	o.keep = true
	r := &recording{followed: a.followed, points: a.points, slots: make([]int16, len(a.Program().Instructions)), moves: [][]int64{nil}, store: newFoldStore()}
	for pc := range r.slots {
		r.slots[pc] = -1
		if a.points.marks[pc]&markAccess != 0 {
			r.slots[pc] = int16(len(r.pcs))
			r.pcs = append(r.pcs, int32(pc))
		}
	}
	if len(r.pcs) > math.MaxInt16 || r.warps() > math.MaxInt16 {
		return nil, nil
	}
	w := &recorder{recording: r, place: newPlace(r.warps()), shapes: map[shape]int32{}, moves: map[string]int32{"": 0}, steps: map[step]int32{}, like: make([]int32, len(r.pcs))}
	for i := range a.followed.Classes {
		c := classRecording{class: &a.followed.Classes[i]}
		if fits, err := w.executeClass(o, &c); err != nil || !fits {
			return nil, err
		}
		r.classes = append(r.classes, c)
	}
	if o.irregular > 0 {
		return nil, nil
	}
	return r, nil
}

// recorder fills a recording.
type recorder struct {
	*recording
	place  *place
	shapes map[shape]int32
	moves  map[string]int32
	steps  map[step]int32
	items  int // of the classes recorded so far
	bytes  []byte
	folder folder
	like   []int32 // by slot: the shape of the last access
}

// executeClass records the representative of a class. fits is false where that
// takes more than may be kept.
func (r *recorder) executeClass(o *Order, c *classRecording) (fits bool, err error) {
	at := c.class.Representative
	block := at[0] + int64(r.Grid[0])*(at[1]+int64(r.Grid[1])*at[2])
	before := o.executed
	r.place.reset(len(r.pcs))
	r.folder.start(r.store)
	if err := o.Admit(0, block); err != nil {
		return false, err
	}
	for {
		a, err := o.NextAccess(0)
		if err != nil {
			return false, err
		}
		if a == nil {
			break
		}
		r.add(o.sms[0].heap[0])
		if r.items+len(r.folder.sequence)+len(r.recording.steps)+len(r.recording.shapes)+len(r.recording.moves)+len(r.store.bodies) > maxRecorded {
			return false, nil
		}
		if err := o.Sent(0); err != nil {
			return false, err
		}
	}
	r.folder.flush()
	c.sequence = r.folder.sequence
	r.items += len(c.sequence)
	c.executed = o.executed - before
	return true, o.Retire(0, block)
}

// add records the next access of a warp.
func (r *recorder) add(w *orderWarp) {
	s, a := w.seen, &w.access
	x := shape{width: s.WidthBytes, exec: s.Exec}
	first := s.Addresses[bits.TrailingZeros32(uint32(s.Exec))&31]
	for m := s.Exec; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(uint32(m)) & 31
		x.offsets[i] = s.Addresses[i] - first
	}
	p := r.place
	slot := r.slots[a.PC]
	if like := r.like[slot]; int(like) >= len(r.recording.shapes) || r.recording.shapes[like] != x {
		r.like[slot] = number(r.shapes, &r.recording.shapes, x)
	}
	next := step{shape: r.like[slot], move: r.move(w.key), warp: int16(a.Warp) - p.warp, slot: slot}
	last, from := p.from(int16(a.Warp), next.slot)
	next.base = first - from
	*last, p.slot[next.slot], p.warp = first, first, int16(a.Warp)
	r.folder.push(number(r.steps, &r.recording.steps, next))
}

// number is the index of x in a table of different things.
func number[T comparable](known map[T]int32, table *[]T, x T) int32 {
	id, ok := known[x]
	if !ok {
		id = int32(len(*table))
		known[x] = id
		*table = append(*table, x)
	}
	return id
}

// move is the change to the point of the next access, and makes it.
func (r *recorder) move(key []int64) int32 {
	p := r.place
	if comparePoints(p.point, key) == 0 {
		return 0
	}
	r.bytes = r.bytes[:0]
	for i, x := range key {
		if i < len(p.point) {
			x -= p.point[i]
		}
		r.bytes = binary.LittleEndian.AppendUint64(r.bytes, uint64(x))
	}
	id, ok := r.moves[string(r.bytes)]
	if !ok {
		by := slices.Clone(key)
		for i := range min(len(by), len(p.point)) {
			by[i] -= p.point[i]
		}
		id = int32(len(r.recording.moves))
		r.moves[string(r.bytes)] = id
		r.recording.moves = append(r.recording.moves, by)
	}
	p.point = append(p.point[:0], key...)
	return id
}

// within says whether the blocks of the launch together stay below a limit on
// instructions, however they are dealt to SMs.
func (r *recording) within(limits simt.Limits) bool {
	left := limits.MaxInstructions
	if left <= 0 {
		return true
	}
	for i := range r.classes {
		if left -= r.blocks[i] * r.classes[i].executed; left < 0 {
			return false
		}
	}
	return true
}
