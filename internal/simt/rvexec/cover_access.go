package rvexec

import (
	"math/bits"

	"github.com/warpbound/warpbound/internal/simt/taint"
	"github.com/warpbound/warpbound/isa"
)

// access executes a load or store. Threads whose address is tainted do not make it.
func (w *coverWarp) access(in *instr, m uint32) error {
	s := &w.run.step
	unknown := w.taint.regs[in.a] & m
	known := m &^ unknown
	w.simple(m)
	apart, err := w.acrossSides(in, known, unknown != 0)
	if err != nil {
		return err
	}
	if in.group == gStore && w.changesText(in, known) {
		return w.refuse("the program changes its own instructions")
	}
	w.taint.loose = w.loose | apart
	if w.doubtful() {
		w.taint.loose = m
	}
	w.follow(in, m)
	w.taint.loose = 0
	w.note(in, m)
	if in.group == gLoad && in.d != discard {
		w.taint.regs[in.d] |= apart
	}
	w.core.changes++
	if known != 0 {
		var lane int
		var p problem
		if in.group == gLoad {
			lane, p = w.load(in, known, s)
		} else {
			lane, p = w.store(in, known, s)
		}
		if p.kind != nil {
			return w.wrong(w.fault(p, lane))
		}
	}
	if unknown != 0 {
		// Every thread in a segment of its own, and all in one bank.
		s.Space, s.WidthBytes = isa.Global, in.width
		for left := m; left != 0; left &= left - 1 {
			i := bits.TrailingZeros32(left) & 31
			s.Addresses[i] = uint64(i) << 24
		}
	}
	w.pc++
	if uint32(w.pc) >= uint32(len(w.code)) {
		w.pc--
		return w.refuse("execution runs behind the text")
	}
	s.NextPC = w.pc
	w.run.sink.Step(w.id, s, nil)
	return nil
}

// acrossSides returns the threads whose access meets one of another thread on the other
// side of an open fork, of which may come first: what they load or store is not known.
// Where another thread has relied on what they store, nothing is covered. anywhere says
// that some threads access at an address that is not known.
func (w *coverWarp) acrossSides(in *instr, known uint32, anywhere bool) (apart uint32, err error) {
	a := &w.regs[in.a]
	for _, s := range w.open {
		if !s.forks {
			continue
		}
		if in.group == gStore && anywhere {
			return 0, w.refuse("the address of a store depends on data, where control does")
		}
		for left := known; left != 0; left &= left - 1 {
			i := bits.TrailingZeros32(left) & 31
			others := ^(uint32(1) << i)
			g := (a[i] + in.imm) / taint.GranuleBytes
			switch {
			case !s.second && in.group == gLoad:
				s.loaded[g] |= 1 << i
			case !s.second:
				s.stored[g] |= 1 << i
			default:
				if s.stored[g]&others != 0 {
					apart |= 1 << i
				}
				if in.group == gStore && s.loaded[g]&others != 0 {
					return 0, w.refuse("a store to what threads on the other side of a split have loaded")
				}
			}
		}
	}
	return apart, nil
}

// changesText says that a thread of m stores where instructions are.
func (w *coverWarp) changesText(in *instr, m uint32) bool {
	for ; m != 0; m &= m - 1 {
		if w.core.k.mem.inText(w.regs[in.a][bits.TrailingZeros32(m)&31] + in.imm) {
			return true
		}
	}
	return false
}
