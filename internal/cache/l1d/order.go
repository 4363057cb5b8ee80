package l1d

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/warpbound/warpbound/internal/simt"
)

// Options of an Order.
type Options struct {
	// SegmentBytes is what accesses are coalesced by: the line of the cache, or
	// its sector. A power of two; 0 means 128.
	SegmentBytes int
	// Strict makes it an error where an access is sent at a point before one
	// that its block has passed; see Irregular.
	Strict bool
	// Limits bound the execution behind the order.
	Limits simt.Limits
	// Interrupt is called every 65536 instructions; an error stops the
	// execution.
	Interrupt func() error
}

// The errors of an Order, to be matched with errors.Is.
var (
	// ErrOrder: the caller sent an access that was not next, or retired a block
	// that has not ended.
	ErrOrder = errors.New("access order")
	// ErrIrregular: hardware could not follow an order by program points alone
	// (Options.Strict).
	ErrIrregular = errors.New("program points are no order of the accesses")
)

// Order is the order in which a reordering unit lets global accesses pass to the
// L1 data cache of an SM (Huangfu2017, Section III-E): of the accesses whose
// predecessors have passed, the one with the lowest program point, then the
// lowest block, then the lowest warp. Predecessors are the warp's own earlier
// accesses and what barriers put before it. So the order is a linear extension
// of every warp's program order and of the barriers, whatever the points are;
// docs/soundness.md shows that hardware cannot deadlock under it.
//
// An Order executes the kernel as far as needed: every resident warp up to its
// next access. It needs memory for the resident blocks only.
type Order struct {
	kernel   simt.Kernel
	points   *points
	opt      Options
	shift    uint
	executed int64
	step     simt.Step
	keep     bool // orderWarp.seen
	sms      []orderSM
	free     []*orderBlock

	irregular int64
	first     *Irregular
}

// orderSM holds what is resident on one SM.
type orderSM struct {
	heap   warpHeap // warps with a next access
	blocks map[int64]*orderBlock
	err    error // of the execution; everything afterwards returns it
}

// orderBlock is a resident block.
type orderBlock struct {
	block  simt.Block
	warps  []orderWarp
	live   int // warps that have not ended
	latest passedPoint
}

// passedPoint is the highest point of the accesses sent so far, and whose that
// access was.
type passedPoint struct {
	point []int64
	warp  int
	pc    int32
}

// pass notes that an access is sent, and says whether its point is below the
// highest.
func (p *passedPoint) pass(w *orderWarp) (below bool) {
	c := comparePoints(w.key, p.point)
	if c < 0 {
		return true
	}
	if c > 0 {
		p.point = append(p.point[:0], w.key...)
	}
	p.warp, p.pc = w.access.Warp, w.access.PC
	return false
}

// orderWarp is a warp and its next access, if it has one.
type orderWarp struct {
	warp    simt.Warp
	owner   *orderBlock
	track   tracker
	pending bool
	access  Access
	key     []int64     // point of the access
	latest  passedPoint // of the warp
	seen    *simt.Step  // that made the next access, if that is to be kept
}

// NewOrder returns the order of the accesses of the launch analysed, with
// nothing resident. The kernel is executed: it must be an instance of its own, at
// the start of the launch, and nobody else may use it.
func (a *Analysis) NewOrder(k simt.Kernel, opt Options) (*Order, error) {
	if opt.SegmentBytes == 0 {
		opt.SegmentBytes = 128
	}
	if opt.SegmentBytes < 4 || opt.SegmentBytes&(opt.SegmentBytes-1) != 0 {
		return nil, fmt.Errorf("%w: segments of %d bytes: expected a power of two from 4 on", ErrOrder, opt.SegmentBytes)
	}
	if err := a.same(k); err != nil {
		return nil, err
	}
	return &Order{kernel: k, points: a.points, opt: opt, shift: uint(bits.TrailingZeros(uint(opt.SegmentBytes)))}, nil
}

// same says what is wrong with executing k as the launch analysed.
func (a *Analysis) same(k simt.Kernel) error {
	if k.Program() != a.Program() {
		return fmt.Errorf("%w: kernel %s is not of the program analysed, %s", ErrOrder, k.Program().Name, a.Program().Name)
	}
	return nil
}

// Admit makes a block resident on an SM.
func (o *Order) Admit(sm int, block int64) error {
	if sm < 0 {
		return fmt.Errorf("%w: SM %d", ErrOrder, sm)
	}
	for len(o.sms) <= sm {
		o.sms = append(o.sms, orderSM{blocks: map[int64]*orderBlock{}})
	}
	s := &o.sms[sm]
	if s.err != nil {
		return s.err
	}
	if s.blocks[block] != nil {
		return fmt.Errorf("%w: block %d is resident on SM %d already", ErrOrder, block, sm)
	}
	b, err := o.newBlock(block)
	if err != nil {
		return err
	}
	s.blocks[block] = b
	return o.advanceBlock(s, b)
}

// newBlock starts a block, in the memory of an earlier one where there is one.
func (o *Order) newBlock(index int64) (*orderBlock, error) {
	block, err := o.kernel.NewBlock(index)
	if err != nil {
		return nil, err
	}
	warps := block.Warps()
	var b *orderBlock
	if n := len(o.free); n > 0 {
		b = o.free[n-1]
		o.free = o.free[:n-1]
	} else {
		b = &orderBlock{}
	}
	if len(b.warps) != len(warps) {
		b.warps = make([]orderWarp, len(warps))
	}
	b.block, b.live, b.latest.point = block, len(warps), b.latest.point[:0]
	for i := range b.warps {
		w := &b.warps[i]
		w.warp, w.owner, w.pending = warps[i], b, false
		w.track.points = o.points
		w.track.reset()
		w.key, w.latest.point = w.key[:0], w.latest.point[:0]
		w.access = Access{Block: index, Warp: i, Index: -1, Lines: w.access.Lines[:0]}
	}
	return b, nil
}

// Retire takes a block off an SM: all its warps have ended, and all their
// accesses have been sent.
func (o *Order) Retire(sm int, block int64) error {
	s, err := o.sm(sm)
	if err != nil {
		return err
	}
	b := s.blocks[block]
	if b == nil {
		return fmt.Errorf("%w: block %d is not resident on SM %d", ErrOrder, block, sm)
	}
	for i := range b.warps {
		w := &b.warps[i]
		if w.pending {
			return fmt.Errorf("%w: block %d is to retire, but access %d of its warp %d (%s) has not been sent", ErrOrder, block, w.access.Index, i, o.place(w.access.PC))
		}
	}
	if b.live > 0 {
		return fmt.Errorf("%w: block %d is to retire, but %d of its warps have not ended", ErrOrder, block, b.live)
	}
	b.block.Release()
	b.block = nil
	delete(s.blocks, block)
	o.free = append(o.free, b)
	return nil
}

// Next says whose access is sent next on an SM. ok is false while no resident
// warp has an access left.
func (o *Order) Next(sm int) (block int64, warp int, index int64, ok bool, err error) {
	a, err := o.NextAccess(sm)
	if a == nil || err != nil {
		return 0, 0, 0, false, err
	}
	return a.Block, a.Warp, a.Index, true, nil
}

// NextAccess is Next with all that is known of the access, nil while there is
// none. It is valid until the access is sent.
func (o *Order) NextAccess(sm int) (*Access, error) {
	s, err := o.sm(sm)
	if err != nil {
		return nil, err
	}
	if len(s.heap) == 0 {
		return nil, nil
	}
	return &s.heap[0].access, nil
}

// Sent says that the next access of an SM has been sent.
func (o *Order) Sent(sm int) error {
	s, err := o.sm(sm)
	if err != nil {
		return err
	}
	if len(s.heap) == 0 {
		return fmt.Errorf("%w: an access was sent on SM %d, where no warp has one left", ErrOrder, sm)
	}
	w := s.heap[0]
	b := w.owner
	back := w.latest.pass(w)
	if b.latest.pass(w) {
		if s.err = o.note(w, back); s.err != nil {
			return s.err
		}
	}
	w.pending = false
	opened, err := o.advance(w)
	if w.pending {
		s.heap.down(0)
	} else {
		s.heap.pop()
	}
	if err == nil && opened {
		err = o.advanceBlock(s, b)
	} else if err == nil && !w.pending {
		err = o.stuck(b)
	}
	s.err = err
	return err
}

// Executed is the number of warp instructions executed so far.
func (o *Order) Executed() int64 { return o.executed }

func (o *Order) sm(sm int) (*orderSM, error) {
	if sm < 0 || sm >= len(o.sms) {
		return nil, fmt.Errorf("%w: nothing was admitted to SM %d", ErrOrder, sm)
	}
	return &o.sms[sm], o.sms[sm].err
}

// advanceBlock runs every warp of a block to its next access, barrier or end,
// again where that has opened a barrier.
func (o *Order) advanceBlock(s *orderSM, b *orderBlock) error {
	for again := true; again; {
		again = false
		for i := range b.warps {
			w := &b.warps[i]
			if w.pending || w.warp.Status() != simt.Ready {
				continue
			}
			opened, err := o.advance(w)
			if w.pending {
				s.heap.push(w)
			}
			if err != nil {
				s.err = err
				return err
			}
			again = again || opened
		}
	}
	return o.stuck(b)
}

// stuck reports a block whose live warps all wait at barriers.
func (o *Order) stuck(b *orderBlock) error {
	if b.live == 0 {
		return nil
	}
	for i := range b.warps {
		if w := &b.warps[i]; w.pending || w.warp.Status() == simt.Ready {
			return nil
		}
	}
	return simt.Deadlock(b.block)
}

// advance runs a warp to its next access, barrier or end. opened says that it
// opened a barrier for others.
func (o *Order) advance(w *orderWarp) (opened bool, err error) {
	s := &o.step
	marks := o.points.marks
	for w.warp.Status() == simt.Ready {
		if err := o.count(w); err != nil {
			return opened, err
		}
		if err := w.warp.Step(s); err != nil {
			return opened, located(o.points.program, err)
		}
		m := marks[s.PC]
		if m != 0 || s.Active != w.track.groups[w.track.cur].mask {
			if m&markAccess != 0 && s.Exec != 0 && IsGlobalAccess(&o.points.program.Instructions[s.PC], s) {
				w.track.step(s)
				o.hold(w, s)
				return opened, nil
			}
			w.track.step(s)
		}
		opened = opened || s.BarrierOpened
	}
	if w.warp.Status() == simt.Done {
		w.owner.live--
	}
	return opened, nil
}

// count enforces the limits before an instruction.
func (o *Order) count(w *orderWarp) error {
	if limit := o.opt.Limits.MaxInstructions; limit > 0 && o.executed >= limit {
		return &simt.RuntimeError{Kind: simt.ErrInstructionLimit, Detail: fmt.Sprintf("%d warp instructions executed", o.executed), Block: w.access.Block, Thread: -1, PC: w.warp.PC()}
	}
	o.executed++
	if o.executed&0xffff == 0 && o.opt.Interrupt != nil {
		return o.opt.Interrupt()
	}
	return nil
}

// hold makes an executed access the warp's next one.
func (o *Order) hold(w *orderWarp, s *simt.Step) {
	a := &w.access
	a.Index++
	a.PC, a.Kind = s.PC, kindOf(&o.points.program.Instructions[s.PC])
	a.Lanes = bits.OnesCount32(uint32(s.Exec))
	a.Lines = coalesce(a.Lines[:0], s, o.shift)
	w.key = w.track.key(w.key[:0], s.PC)
	w.pending = true
	if o.keep {
		if w.seen == nil {
			w.seen = new(simt.Step)
		}
		*w.seen = *s
	}
}

// place names an instruction for a message.
func (o *Order) place(pc int32) string {
	in := &o.points.program.Instructions[pc]
	return fmt.Sprintf("%s at %s, pc %d", in.Opcode, in.Pos, pc)
}
