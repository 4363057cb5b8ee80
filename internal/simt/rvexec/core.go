package rvexec

import (
	"math/bits"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/rvexec/f32"
	"github.com/warpbound/warpbound/internal/simt/taint"
	"github.com/warpbound/warpbound/isa"
)

// Core is a core of a Kernel in execution. It implements simt.Block.
type Core struct {
	k        *Kernel
	id       int
	warps    []Warp
	list     []simt.Warp
	active   uint32 // warps with a thread mask
	local    []byte
	mscratch uint32
	barriers []barrier
	spawn    spawn
	released bool

	warpInstructions, threadInstructions uint64

	taint *coreTaint // nil outside taint mode
	// started says that warps were started which may still be active: which are
	// is then a matter of time.
	started bool
	changes uint64 // of what warps share; see goneBack
}

// barrier is a barrier between two openings: the warps that wait, and for how
// many.
type barrier struct {
	arrived uint32
	count   uint32
}

// spawn is a WSPAWN of warp 0 that waits for the other warps to end.
type spawn struct {
	pending bool
	count   uint32
	pc      int32
}

func newCore(k *Kernel) *Core {
	n := k.launch.Warps
	c := &Core{
		k:        k,
		warps:    make([]Warp, n),
		list:     make([]simt.Warp, n),
		local:    make([]byte, LocalBytes),
		barriers: make([]barrier, k.launch.Variant.barriers(n)),
	}
	for i := range c.warps {
		w := &c.warps[i]
		w.core, w.id, w.code, w.full = c, i, k.code, k.threads()
		c.list[i] = w
		if k.follows != nil {
			w.taint = new(warpTaint)
		}
	}
	if k.follows != nil {
		c.taint = &coreTaint{local: make([]taint.Granule, LocalBytes/taint.GranuleBytes)}
	}
	return c
}

// open puts c to the start of core number id.
func (c *Core) open(id int) {
	c.id, c.released = id, false
	clear(c.local)
	clear(c.barriers)
	c.spawn = spawn{}
	c.mscratch = c.k.launch.ArgumentAddr
	c.warpInstructions, c.threadInstructions = 0, 0
	c.started, c.changes = false, 0
	for i := range c.warps {
		w := &c.warps[i]
		w.regs = [numRegs]lanes{}
		w.mask, w.pc, w.status = 0, isa.NoPC, simt.Waiting
		w.splits = w.splits[:0]
		w.frm, w.fflags = 0, 0
		w.waitBarrier, w.waitPC = -1, isa.NoPC
		w.round.forget(c.k.firstLook)
		if w.taint != nil {
			w.taint.reset()
		}
	}
	if c.taint != nil {
		c.taint.open()
	}
	c.newEpoch()
	if c.k.vary != nil {
		c.k.vary.open(c)
	}
	c.active = 0
	start, _ := c.k.img.Index(c.k.launch.StartPC)
	c.activate(0, start)
}

// activate makes warp i active, with thread 0 only, at an instruction.
func (c *Core) activate(i int, pc int32) {
	w := &c.warps[i]
	w.mask, w.pc, w.status = 1, pc, simt.Ready
	c.active |= 1 << i
}

// ended takes warp w, whose thread mask has become 0, from the active ones. A
// WSPAWN that has waited for this is carried out.
func (c *Core) ended(w *Warp, s *simt.Step) {
	w.pc, w.status, w.waitPC = isa.NoPC, simt.Waiting, isa.NoPC
	c.active &^= 1 << w.id
	switch {
	case c.active == 0:
		c.close(simt.Done)
	case c.spawn.pending && c.active == 1:
		c.spawn.pending = false
		c.warps[0].status = simt.Ready
		c.spawnWarps(c.spawn.count, c.spawn.pc)
		s.BarrierOpened = true
	}
}

// close gives all inactive warps a status: they will never be active again.
func (c *Core) close(status simt.Status) {
	for i := range c.warps {
		if c.active>>i&1 == 0 {
			c.warps[i].status = status
		}
	}
}

// spawnWarps makes warps 1 to count-1 active.
func (c *Core) spawnWarps(count uint32, pc int32) {
	if c.k.launch.Variant == V22 || !c.started {
		c.newEpoch() // no other warp is active, in whatever order they are executed
	}
	for i := 1; i < int(count); i++ {
		c.activate(i, pc)
	}
	// Where WSPAWN waits for all others to end, their time plays no part after
	// one that starts none.
	c.started = count > 1 || c.started && c.k.launch.Variant != V22
}

// stuck is the error of a core whose active warps all wait: nothing can let
// them go. It is nil where one does not.
func (c *Core) stuck() error {
	if c.active == 0 {
		return nil
	}
	if c.ready() != 0 {
		return nil
	}
	c.close(simt.Done) // so that only those that wait are told
	return simt.Deadlock(c)
}

// ready is the active warps that do not wait.
func (c *Core) ready() uint32 {
	var r uint32
	for m := c.active; m != 0; m &= m - 1 {
		if i := bits.TrailingZeros32(m); c.warps[i].status == simt.Ready {
			r |= 1 << i
		}
	}
	return r
}

// Index implements simt.Block: the number of the core.
func (c *Core) Index() int64 { return int64(c.id) }

// Warps implements simt.Block.
func (c *Core) Warps() []simt.Warp { return c.list }

// Release implements simt.Block.
func (c *Core) Release() {
	if !c.released {
		c.released = true
		c.k.free = append(c.k.free, c)
	}
}

// Wait implements simt.Waiter. A warp that waits in WSPAWN has no barrier, -1.
func (c *Core) Wait(warp int) (simt.Wait, bool) {
	w := &c.warps[warp]
	if w.status != simt.Waiting || w.waitPC == isa.NoPC {
		return simt.Wait{}, false
	}
	in := &c.k.prog.Instructions[w.waitPC]
	return simt.Wait{Barrier: w.waitBarrier, PC: w.waitPC, Pos: in.Pos, Source: in.Source}, true
}

// Warp is warp number i of the core.
func (c *Core) Warp(i int) *Warp { return &c.warps[i] }

// Warp is a warp of a Core. It implements simt.Warp.
type Warp struct {
	core   *Core
	id     int
	code   []instr
	pc     int32
	mask   uint32 // active threads; 0 where the warp is inactive
	full   uint32 // all threads
	status simt.Status
	frm    uint8
	fflags f32.Flags
	splits []split
	taint  *warpTaint // nil outside taint mode
	tmp    lanes
	regs   [numRegs]lanes

	round round

	waitBarrier int32 // barrier waited at, -1 in a WSPAWN
	waitPC      int32 // the instruction that waits
}

// split is an open divergent SPLIT.
type split struct {
	full, other uint32 // lanes before it, and those left for JOIN
	pc          int32  // where these go on
	joined      bool   // they have gone on
}

// Register is register x0 to x31 (0 to 31) or f0 to f31 (32 to 63) of a lane.
// There must be such a register, and a thread of that number.
func (w *Warp) Register(r, lane int) uint32 { return w.regs[:discard][r][lane] }

// SetRegister changes what Register gives; x0 stays 0.
func (w *Warp) SetRegister(r, lane int, x uint32) {
	if r != 0 {
		w.regs[:discard][r][lane] = x
	}
}

// Mask is the warp's active threads, 0 where it is inactive.
func (w *Warp) Mask() simt.Mask { return simt.Mask(w.mask) }

// Splits is the number of open divergent splits.
func (w *Warp) Splits() int { return len(w.splits) }

// FCSR is the warp's fcsr: frm in bits 7 to 5, fflags below.
func (w *Warp) FCSR() uint32 { return uint32(w.frm)<<5 | uint32(w.fflags) }

var _ interface {
	simt.Block
	simt.Waiter
} = (*Core)(nil)
