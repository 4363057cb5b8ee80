package rvexec

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/warpbound/warpbound/internal/simt"
)

// round finds out that a warp goes round for ever: what it is comes back to what
// it was while nothing that warps share has changed, so that it does the same
// again and again, unless another warp changes that. The warp is compared at
// jumps back, with what it was at the last power of two of them, so that a round
// of any length is found (Brent's method).
type round struct {
	jumps   uint64 // back, since the warp was last looked at
	next    uint64 // jumps at which it is
	noted   bool
	changes uint64 // Core.changes then
	closed  bool   // it has come back
	pc      int32
	mask    uint32
	fcsr    uint32
	splits  []split
	regs    *[discard]lanes
}

// firstLook is the jumps back after which a warp is first looked at: programs
// that end soon pay nothing.
const firstLook = 1 << 12

func (l *round) forget(firstLook uint64) {
	l.jumps, l.next, l.noted, l.closed = 0, firstLook, false, false
}

// goneBack follows a warp that has jumped back. One that can only go round yields
// to the others; it is an error if none of them can do anything else either.
// Cores share memory: of several, another may end the loop.
func (w *Warp) goneBack(s *simt.Step) error {
	c, l := w.core, &w.round
	switch l.jumps++; {
	case l.noted && l.changes == c.changes && l.pc == w.pc && w.same():
		l.closed = true
		s.Yield = true
		if c.k.launch.Cores == 1 {
			return c.endless(w)
		}
	case l.jumps >= l.next:
		w.note()
	}
	return nil
}

// note keeps what the warp is.
func (w *Warp) note() {
	l := &w.round
	if l.regs == nil {
		l.regs = new([discard]lanes)
	}
	*l.regs = [discard]lanes(w.regs[:discard])
	l.splits = append(l.splits[:0], w.splits...)
	l.pc, l.mask, l.fcsr, l.changes = w.pc, w.mask, w.FCSR(), w.core.changes
	l.jumps, l.next, l.noted, l.closed = 0, 2*l.next, true, false
}

// same tells whether the warp is what was noted.
func (w *Warp) same() bool {
	l, n := &w.round, w.core.k.launch.Threads
	if l.mask != w.mask || l.fcsr != w.FCSR() || !slices.Equal(l.splits, w.splits) {
		return false
	}
	for r := range l.regs {
		if !slices.Equal(l.regs[r][:n], w.regs[r][:n]) {
			return false
		}
	}
	return true
}

// endless is the error of a core all of whose warps wait or go round; w is one
// that goes round.
func (c *Core) endless(w *Warp) error {
	ready := c.ready()
	for m := ready; m != 0; m &= m - 1 {
		if l := &c.warps[bits.TrailingZeros32(m)].round; !l.closed || l.changes != c.changes {
			return nil
		}
	}
	p := problem{simt.ErrEndlessLoop, "the registers are what they were a round ago, and nothing has changed that warps share"}
	if waiting := bits.OnesCount32(c.active) - bits.OnesCount32(ready); waiting > 0 {
		p.detail += fmt.Sprintf("; %d warps wait", waiting)
	}
	return w.fault(p, -1)
}
