package ptxexec

import (
	"slices"

	"github.com/warpbound/warpbound/isa"
)

// What is known of registers stays known over calls: the registers of one function are none
// of another's, so that a call writes those that it names for results, and no other of the
// function that makes it. Arguments and results are what was passed, in registers or by way
// of memory that a thread has to itself (docs/soundness/closed.md, functions).

// passage is told what passes between functions, and in which lanes: what is read before
// anything is written.
type passage interface {
	reads(list []copyInfo, base uint64, m uint32)
	entered(fn *function, base uint64, m uint32)
	left(fn *function, restored bool)
	writes(list []copyInfo, base uint64, m uint32)
}

// passed is what is known of an argument or a result on its way.
type passed struct {
	span  span
	width uint8   // in bits, of the register that it comes from
	value *affine // nil where nothing is known
	pred  *predicate
	slots []slot // at offsets from where they come from
}

// slot is an integer in the local memory of threads: in a frame, where only addresses that
// count from it, and such as may be any, lead.
type slot struct {
	at, bytes uint64
	value     *affine // patterns of so many bytes
}

// overlaps says that the slot has a byte of [at, at+n).
func (s *slot) overlaps(at, n uint64) bool { return s.at < at+n && at < s.at+s.bytes }

// reads keeps what is known of arguments or results that the lanes of m pass, from the
// frame at base.
func (w *coverWarp) reads(list []copyInfo, base uint64, m uint32) {
	w.passing = w.passing[:0]
	for i := range list {
		c := &list[i]
		p := passed{span: anywhere}
		switch {
		case c.from == inReg:
			p.span, p.width = w.operand(c.fromReg, m), w.blk.k.prog.regBits[c.fromReg]
			if w.closed != nil {
				p.value = w.affine(c.fromReg, m)
			}
		case w.closed == nil:
		case c.from == inPred:
			if q := w.closed.preds[c.fromReg]; q != nil && m&^q.lanes == 0 {
				p.pred = q
			}
		default:
			from := base + c.fromOff
			for _, s := range w.closed.slots {
				if s.at >= from && s.at+s.bytes <= from+c.bytes && m&^s.value.lanes == 0 {
					s.at -= from
					p.slots = append(p.slots, s)
					if s.at == 0 && s.bytes == c.bytes {
						p.value, p.width = s.value, uint8(8*s.bytes)
					}
				}
			}
		}
		w.passing = append(w.passing, p)
	}
}

// writes makes what is known of arguments or results where they go that of where they come
// from, in the lanes of m and the frame at base. It runs behind the copies.
func (w *coverWarp) writes(list []copyInfo, base uint64, m uint32) {
	t := w.taint()
	for i := range list {
		c, p := &list[i], &w.passing[i]
		switch c.to {
		case inReg:
			same := p.width == w.blk.k.prog.regBits[c.toReg]
			if !same {
				p.span, p.value = anywhere, nil
			}
			w.setSpan(c.toReg, m, p.span)
			if w.closed != nil {
				w.closed.write(c.toReg, m)
				w.setAffine(c.toReg, m, p.value)
			}
		case inPred:
			if w.closed == nil {
				break
			}
			w.closed.preds[c.toReg] = nil
			if p.pred != nil && t.preds[c.toReg]&m == m {
				q := *p.pred
				q.lanes = m
				w.closed.preds[c.toReg] = &q
			}
		default:
			if w.closed == nil {
				break
			}
			to := base + c.toOff
			w.closed.overwrite(to, c.bytes, m)
			if c.from == inReg && (p.value.known() || p.width >= uint8(min(8*c.bytes, 64))) {
				w.closed.keep(slot{to, c.bytes, p.value}, m)
			}
			for _, s := range p.slots {
				w.closed.keep(slot{to + s.at, s.bytes, s.value}, m)
			}
		}
	}
}

// entered forgets the registers and the frame of a function that the lanes of m have
// entered: they hold nothing yet.
func (w *coverWarp) entered(fn *function, base uint64, m uint32) {
	for r := fn.regLo; r < fn.regHi; r++ {
		if w.blk.k.prog.regInit[r] == initZero {
			w.spans[r] = anywhere
		}
	}
	c := w.closed
	if c == nil {
		return
	}
	for r := fn.regLo; r < fn.regHi; r++ {
		if w.blk.k.prog.regInit[r] == initZero {
			c.write(r, m)
		}
	}
	clear(c.preds[fn.predLo:fn.predHi])
	c.slots = slices.DeleteFunc(c.slots, func(s slot) bool { return s.at+s.bytes > base })
}

// left forgets what a function had that has been left, and what was known of its registers
// in between where they are those of an earlier activation again.
func (w *coverWarp) left(fn *function, restored bool) {
	if c := w.closed; c != nil {
		c.slots = slices.DeleteFunc(c.slots, func(s slot) bool { return s.at+s.bytes > w.local.end })
	}
	if !restored {
		return
	}
	for r := fn.regLo; r < fn.regHi; r++ {
		w.spans[r] = anywhere
	}
	if c := w.closed; c != nil {
		clear(c.values[fn.regLo:fn.regHi])
		clear(c.preds[fn.predLo:fn.predHi])
	}
}

// overwrite forgets the slots with a byte of [at, at+n) in the lanes of m.
func (c *closed) overwrite(at, n uint64, m uint32) {
	kept := c.slots[:0]
	for _, s := range c.slots {
		if s.overlaps(at, n) {
			if s.value.lanes&^m == 0 {
				continue
			}
			value := *s.value
			value.lanes &^= m
			s.value = &value
		}
		kept = append(kept, s)
	}
	c.slots = kept
}

// mostSlots is how many slots are kept.
const mostSlots = 64

// keep keeps a slot that the lanes of m have written, and nobody since.
func (c *closed) keep(s slot, m uint32) {
	if s.value == nil || m == 0 || m&^s.value.lanes != 0 || len(c.slots) >= mostSlots {
		return
	}
	value := *s.value
	value.lanes = m
	s.value = &value
	// One of other lanes, which wait, is given up.
	c.slots = slices.DeleteFunc(c.slots, func(o slot) bool { return o.overlaps(s.at, s.bytes) })
	c.slots = append(c.slots, s)
}

// inFrame is where the lanes of m access memory that counts from the frame, if it is one
// place.
func (w *coverWarp) inFrame(in *instr, m uint32) (at uint64, ok bool) {
	mi := in.mem
	if !mi.frame || m == 0 || w.taint().vals[in.a]&m != 0 {
		return 0, false
	}
	a, ok := numbers(w.src(in.a), m).level()
	return mi.at(uint64(a), mi.off+w.frames[len(w.frames)-1].base), ok
}

// stored makes what is known of local memory what it is behind an instruction that the lanes
// of m execute, and those of unsure may; it runs before that.
func (w *coverWarp) stored(in *instr, m, unsure uint32) {
	c, mi := w.closed, in.mem
	if c == nil || in.group == gLoad || m|unsure == 0 {
		return
	}
	if mi == nil {
		c.slots = nil
		return
	}
	switch mi.space {
	case isa.Global, isa.Shared, isa.Const:
		return
	case isa.Generic:
		if _, space, _, _, ok := w.address(in, m|unsure); ok && space == isa.Global {
			return
		}
	}
	at, ok := w.inFrame(in, m|unsure)
	if !ok {
		c.slots = nil
		return
	}
	c.overwrite(at, mi.total(), m|unsure)
	if in.group != gStore || unsure != 0 || len(mi.regs) != 1 || mi.regs[0] < 0 || mi.width > 8 {
		return
	}
	if r := mi.regs[0]; w.taint().vals[r]&m == 0 || uint64(w.widthOf(r)) >= 8*mi.width {
		c.keep(slot{at, mi.width, w.affine(r, m)}, m)
	}
}

// remembered is what the lanes of m load that they have stored; nil where that is not known,
// or is read elsewhere. It runs before the load.
func (w *coverWarp) remembered(in *instr, m, unsure uint32) *affine {
	mi := in.mem
	if w.closed == nil || w.blind || in.group != gLoad || unsure != 0 || len(mi.regs) != 1 || len(in.wv) != 1 || uint64(w.widthOf(in.wv[0])) != 8*mi.width {
		return nil
	}
	at, ok := w.inFrame(in, m)
	if !ok {
		return nil
	}
	for _, s := range w.closed.slots {
		if s.at == at && s.bytes == mi.width && m&^s.value.lanes == 0 {
			value := *s.value
			value.lanes = m
			return &value
		}
	}
	return nil
}

// joinSlots makes what is known of local memory that behind two sides.
func (w *coverWarp) joinSlots(a *closed, first, second uint32, exclusive bool, there unknowns) {
	c := w.closed
	switch {
	case second == 0:
		c.slots = append(c.slots[:0], a.slots...)
		return
	case first == 0:
		return
	}
	kept := c.slots[:0]
	for _, s := range c.slots {
		i := slices.IndexFunc(a.slots, func(o slot) bool { return o.at == s.at && o.bytes == s.bytes })
		if i < 0 {
			continue
		}
		x, y := a.slots[i].value, s.value
		switch {
		case x == y:
		case first&^x.lanes != 0 || second&^y.lanes != 0:
			continue
		default:
			if s.value = c.joined(x, y, first, second, uint8(8*s.bytes), exclusive, there); s.value == nil {
				continue
			}
		}
		kept = append(kept, s)
	}
	c.slots = kept
}

// sameSlots says which slots at the head of a loop hold at an arrival what they held there,
// of those that were supposed to.
func (c *closed) sameSlots(before []slot, supposed []bool, m uint32) []bool {
	out := slices.Clone(supposed)
	for i, s := range before {
		out[i] = out[i] && slices.ContainsFunc(c.slots, func(o slot) bool {
			lanes := m & s.value.lanes
			return o.at == s.at && o.bytes == s.bytes && lanes&^o.value.lanes == 0 && o.value.same(s.value, lanes, uint8(8*s.bytes))
		})
	}
	return out
}
