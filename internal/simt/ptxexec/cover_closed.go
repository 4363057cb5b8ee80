package ptxexec

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// A closed covering execution executes one block that stands for all: the block's
// coordinates are unknowns, and so are scalar arguments that may be any number of a
// range.

// startClosed makes the registers of a warp those of any block.
func (w *coverWarp) startClosed() {
	k := w.blk.k
	w.closed = &closed{values: make([]*affine, len(k.prog.regInit)), preds: make([]*predicate, k.prog.numPreds), unrolled: map[int32]unrolling{}}
	for i, r := range k.ranges {
		of := w.closed.unknowns.declare(r.Min, r.Max, true)
		w.name(of, fmt.Sprintf("a%d:", i))
		w.closed.ranged = append(w.closed.ranged, of)
	}
	w.startGrid()
	for _, sr := range k.prog.specials {
		if sr.axis == 0 {
			continue
		}
		if n := int64(k.grid[sr.axis-1]); n > 1 {
			of := w.closed.unknowns.declare(0, n-1, true)
			w.name(of, fmt.Sprintf("c%d:", sr.axis))
			w.startUnknown(sr.reg, of)
		}
	}
}

// startUnknown makes a register an unknown.
func (w *coverWarp) startUnknown(r, of int32) {
	for _, t := range w.taints {
		t.vals[r] = ^uint32(0)
	}
	w.closed.values[r] = onlyUnknown(of, 1, 0, ^uint32(0))
}

// leaveEmpty gives up the contents of buffers of which nothing is known: a covering
// execution reads none of them.
func (k *Kernel) leaveEmpty() {
	for i := range k.pending {
		if of := k.pending[i].of; !of.Known && of.Elements == nil {
			empty := *of
			empty.Fill = func([]byte) error { return nil }
			k.pending[i].of = &empty
		}
	}
}

// sharing is who reads and who writes the buffers of a launch: what all lanes of a warp
// load from one address is the same only where nobody writes.
type sharing struct {
	unknown []string
	read    map[*segment]bool
	stores  [][2]uint64 // the first and last byte that stores may hit
}

func newSharing(unknown []string) *sharing {
	return &sharing{unknown: unknown, read: map[*segment]bool{}}
}

// distrusted adds the buffers that somebody writes, though somebody relies on them not
// being written.
func (s *sharing) distrusted(out []string) []string {
	for g := range s.read {
		for _, at := range s.stores {
			if at[0] <= g.base+g.size-1 && at[1] >= g.base && !slices.Contains(out, g.name) {
				out = append(out, g.name)
			}
		}
	}
	return out
}

// written notes a store to somewhere from the first byte to the last.
func (s *sharing) written(low, last uint64) {
	if n := len(s.stores); n > 0 && s.stores[n-1] == [2]uint64{low, last} {
		return
	}
	s.stores = append(s.stores, [2]uint64{low, last})
}

// address is the address of an access in the lanes of m, and the first and the last byte;
// ok is false where these are not known. It is in the space that the instruction names,
// or in global memory if that is where a generic one leads.
func (w *coverWarp) address(in *instr, m uint32) (a *affine, space isa.Space, low, last uint64, ok bool) {
	mi := in.mem
	a = w.affine(in.a, m).plus(int64(mi.off))
	width := uint8(bits.Len64(mi.mask))
	_, lo, hi, ok := w.closed.unknowns.read(a, width, false)
	if !ok {
		return a, mi.space, 0, ^uint64(0), false
	}
	low, last = uint64(lo), uint64(hi)+mi.total()-1
	space = mi.space
	if space == isa.Generic {
		if low < paramWindow+windowBytes {
			return a, space, 0, ^uint64(0), false
		}
		space = isa.Global
	}
	return a, space, low, last, true
}

// affinePlaces is places where the addresses are known but for something that is the same
// in all lanes. It says whether they are.
func (w *coverWarp) affinePlaces(in *instr, may uint32) bool {
	if w.closed == nil || in.mem.frame {
		return false
	}
	a, space, low, last, ok := w.address(in, may)
	if space != isa.Global && space != isa.Shared && space != isa.Const {
		return false
	}
	u := &w.closed.unknowns
	spread := &simt.Spread{Low: low, High: last}
	if !ok {
		spread.Low, spread.High = 0, ^uint64(0)
	}
	s := &w.run.step
	if u.together(a) {
		spread.Step = 1 << u.zeros(a)
		for i := range s.Addresses {
			s.Addresses[i] = uint64(a.off[i])
		}
	} else if ok {
		for i := range s.Addresses {
			s.Addresses[i] = uint64(i) * farApart
		}
	} else {
		return false
	}
	w.spread = spread
	return true
}

// hits is where a store at unknown addresses may hit memory; nil where that is not known.
// It notes what is written.
func (w *coverWarp) hits(in *instr, may, unknown uint32) *reach {
	if w.closed == nil || in.group == gLoad || may == 0 {
		return nil
	}
	_, space, low, last, ok := w.address(in, may)
	if in.mem.frame || space == isa.Local || space == isa.Param {
		return nil
	}
	if space != isa.Shared {
		w.run.memory.written(low, last)
	}
	if !ok || unknown == 0 {
		return nil
	}
	return &reach{space, low, last}
}

// sameLoaded says that a load gives the same in all lanes of m, although it is not known
// what: from one address in memory that nobody writes.
func (w *coverWarp) sameLoaded(in *instr, m, unsure uint32) bool {
	if w.closed == nil || in.group != gLoad || m == 0 || unsure != 0 || in.mem.frame {
		return false
	}
	a, space, low, last, ok := w.address(in, m)
	if !w.closed.unknowns.uniform(a) || space != isa.Global && space != isa.Const {
		return false
	}
	if !ok && space != isa.Const {
		low, last = 0, ^uint64(0)
	}
	for _, g := range w.blk.k.memory {
		if last < g.base || low > g.base+g.size-1 || g.constant {
			continue
		}
		if slices.Contains(w.run.memory.unknown, g.name) {
			return false
		}
		w.run.memory.read[g] = true
	}
	return true
}

// noteLoaded keeps what a load gives.
func (w *coverWarp) noteLoaded(in *instr, m, unsure uint32, same bool) {
	c := w.closed
	if c == nil {
		return
	}
	var now *affine
	if unsure == 0 && m != 0 && len(in.mem.regs) == 1 && len(in.wv) == 1 && w.taint().vals[in.wv[0]]&m == m {
		if now = w.rangedParam(in, m); now == nil {
			now = w.element(in, m, same)
		}
		if now == nil && same {
			lo, hi := loaded(in.mem).integers(w.widthOf(in.wv[0]))
			of := c.unknowns.any(lo, hi, true)
			w.name(of, w.namedElement(in, m))
			now = onlyUnknown(of, 1, 0, m)
		}
	}
	w.noteAffine(in, m, unsure, now)
}

// namedElement is the name of what a load gives that is the same in all lanes of m.
func (w *coverWarp) namedElement(in *instr, m uint32) string {
	if w.run.common == nil {
		return ""
	}
	at := w.named(w.affine(in.a, m).plus(int64(in.mem.off)), m)
	if at == "" {
		return ""
	}
	return fmt.Sprintf("l%d.%d.%d:%s", in.mem.space, in.mem.width, in.mem.sext, at)
}

// rangedParam is a scalar argument that may be any number of a range, read as it is; nil
// where it is not what a load reads.
func (w *coverWarp) rangedParam(in *instr, m uint32) *affine {
	mi := in.mem
	if mi.space != isa.Param || mi.frame || mi.width > 8 {
		return nil
	}
	a := w.affine(in.a, m)
	at, ok := a.constant()
	if !ok {
		return nil
	}
	for i, r := range w.blk.k.ranges {
		fits := uint64(8*mi.width) == uint64(w.widthOf(in.wv[0])) || r.Min >= 0 && mi.sext == 0
		if r.offset == mi.at(uint64(at), mi.off) && r.bytes == mi.width && fits {
			return onlyUnknown(w.closed.ranged[i], 1, 0, m)
		}
	}
	return nil
}

// element is what is known of an integer in a buffer that nobody writes; nil where it is
// not what a load reads.
func (w *coverWarp) element(in *instr, m uint32, same bool) *affine {
	c, mi := w.closed, in.mem
	a, space, low, last, ok := w.address(in, m)
	if !ok || space != isa.Global {
		return nil
	}
	g := w.blk.k.memory.find(low, 1)
	if g == nil || g.elements == nil || last > g.base+g.size-1 || low < g.base+g.before || last > g.base+g.size-g.after-1 || mi.width != g.elementBytes {
		return nil
	}
	e := g.elements
	if slices.Contains(w.run.memory.unknown, g.name) || uint64(8*mi.width) != uint64(w.widthOf(in.wv[0])) && (e.Min < 0 || mi.sext != 0) {
		return nil
	}
	if !c.unknowns.aligned(a, g.base+g.before, mi.width) {
		return nil
	}
	w.run.memory.read[g] = true
	before := len(c.unknowns)
	value := c.elementAt(g, a, m, same)
	if same && len(c.unknowns) > before && len(value.terms) == 1 {
		w.name(value.terms[0].of, w.namedElement(in, m))
	}
	c.elements = append(c.elements, loadedElement{g, a, value, len(c.unknowns)})
	return value
}

// aligned says that an address is a multiple of a power of two away from a base.
func (u unknowns) aligned(a *affine, base, by uint64) bool {
	if by&(by-1) != 0 || 1<<u.zeros(a)%by != 0 {
		return false
	}
	for m := a.lanes; m != 0; m &= m - 1 {
		if (uint64(a.off[bits.TrailingZeros32(m)&31])-base)%by != 0 {
			return false
		}
	}
	return true
}

// loadedElement is one that was loaded.
type loadedElement struct {
	of        *segment
	at, value *affine
	unknowns  int // made until then
}

// elementAt is the element at an address: one that was loaded before, one next to such a
// one, or any.
func (c *closed) elementAt(g *segment, at *affine, m uint32, same bool) *affine {
	e := g.elements
	for _, x := range c.elements {
		if x.of != g || m&^x.value.lanes != 0 {
			continue
		}
		by, ok := x.at.moved(at, m, 64)
		if !ok {
			continue
		}
		value := *x.value
		value.lanes = m
		switch {
		case by == 0:
			return &value
		case e.Ascending && by == int64(g.elementBytes):
			return value.combine(1, onlyUnknown(c.unknowns.any(0, e.MaxStep, same), 1, 0, m), 1)
		case e.Ascending && by == -int64(g.elementBytes):
			return value.combine(1, onlyUnknown(c.unknowns.any(0, e.MaxStep, same), 1, 0, m), -1)
		}
	}
	return onlyUnknown(c.unknowns.declare(e.Min, e.Max, same), 1, 0, m)
}

// rangedParam is a scalar argument that may be any number of a range.
type rangedParam struct {
	offset, bytes uint64
	Integers
}

// mayVary says that bytes of the parameters are of such an argument.
func (k *Kernel) mayVary(at, width uint64) bool {
	for _, r := range k.ranges {
		if at < r.offset+r.bytes && r.offset < at+width {
			return true
		}
	}
	return false
}

// truncate forgets the unknowns beyond the first n.
func (c *closed) truncate(n int) {
	c.unknowns = c.unknowns[:n]
	for len(c.elements) > 0 && c.elements[len(c.elements)-1].unknowns > n {
		c.elements = c.elements[:len(c.elements)-1]
	}
}
