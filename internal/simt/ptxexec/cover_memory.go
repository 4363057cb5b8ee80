package ptxexec

import (
	"math/bits"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// laterStore is why a side that comes behind barriers of the other is not covered.
const laterStore = "it comes after the end of lanes that leave by data, behind barriers of theirs"

// access executes a load or a store of the lanes of m; those of unsure may take part.
func (w *coverWarp) access(in *instr, m, unsure uint32) error {
	if w.blind && in.group == gStore && in.mem.space != isa.Local && in.mem.space != isa.Param {
		return w.refuse(laterStore)
	}
	t := w.taint()
	may := m | unsure
	unknown := t.vals[in.a] & may
	told := w.places(in, may, unknown)
	w.reach = w.hits(in, may, unknown)
	same := w.sameLoaded(in, m, unsure)
	w.stored(in, m, unsure)
	now := w.remembered(in, m, unsure)
	for _, t := range w.taints {
		t.access(w.warp, in, m, unsure, w.loose&may)
	}
	w.reach = nil
	if w.blind && in.group == gLoad {
		for _, t := range w.taints {
			t.results(in, m, m)
		}
	}
	if in.group == gLoad {
		w.noteSpan(in, m, unsure, loaded(in.mem))
		w.noteLoaded(in, m, unsure, same)
	}
	made, err := w.possible(in, m&^unknown)
	if err != nil {
		return err
	}
	// What a load that is not made gives is not known.
	if lost := m &^ made; lost != 0 && in.group == gLoad {
		for _, t := range w.taints {
			t.results(in, lost, lost)
		}
	}
	if made != 0 {
		if in.group == gLoad {
			err = w.load(in, made)
		} else {
			err = w.store(in, made)
		}
		if err != nil {
			return err
		}
	}
	if now != nil {
		w.setAffine(in.wv[0], m, now)
	}
	w.run.step = told
	return nil
}

// possible is the lanes of m, whose addresses are known, that can access what they
// address. A lane that is there for certain and cannot is the kernel's error; another
// one is not there.
func (w *coverWarp) possible(in *instr, m uint32) (uint32, error) {
	loose := m & w.loose
	if loose == 0 {
		return m, nil
	}
	mi := in.mem
	w.addresses(in, mi, m)
	at := w.step.Addresses
	for left := loose; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		if _, _, _, err := w.locate(mi, at[i], mi.total(), i, in.group != gLoad); err != nil {
			m &^= 1 << i
		}
	}
	return m, nil
}

// farApart is how far addresses that are not known are taken to be from one another: in
// segments of their own, and in one bank.
const farApart = 1 << 32

// places is the step as it is told: where the lanes of may access memory, for counting
// transactions. It is made before the instruction is executed, which may change the
// register of the address.
func (w *coverWarp) places(in *instr, may, unknown uint32) simt.Step {
	s := &w.run.step
	mi := in.mem
	s.Exec, s.Local = simt.Mask(may), 0
	switch {
	case may == 0:
	case unknown == 0:
		w.addresses(in, mi, may)
		if mi.space == isa.Generic || mi.space == isa.Local || mi.space == isa.Param {
			w.warp.places(mi, may)
		}
	default:
		if w.affinePlaces(in, may) {
			break
		}
		w.spread = w.addressSpan(in, may)
		for i := range s.Addresses {
			s.Addresses[i] = uint64(i) * farApart
		}
		if mi.space != isa.Global && mi.space != isa.Shared && mi.space != isa.Const {
			s.Local = simt.Mask(may)
		}
	}
	told := *s
	told.Space, told.WidthBytes = mi.space, int32(mi.total())
	return told
}

// access is the rule of a load or store of a covering execution: m are the lanes whose
// guard holds, g those where it is not known, loose those that may not be there.
func (t *warpTaint) access(w *warp, in *instr, m, g, loose uint32) {
	if in.group == gLoad {
		s := t.transfer(w, in, m, g)
		t.results(in, m, s)
		t.results(in, g, g)
		return
	}
	t.transfer(w, in, m, g|loose)
}

// rareAccess executes atomics and fetches from textures; other rare accesses only where all
// is known.
func (w *coverWarp) rareAccess(in *instr, m, unsure uint32) error {
	if in.x != nil && in.x.tex != nil {
		return w.fetch(in, m, unsure)
	}
	if w.blind {
		return w.refuse(laterStore)
	}
	w.stored(in, m, unsure)
	t := w.taint()
	may := m | unsure
	if in.flow != flowMemory {
		if unsure != 0 || may&w.loose != 0 {
			return w.refuse("not executed where control depends on data")
		}
		if t.reads(in, m) {
			return w.refuse("an operand depends on data")
		}
		if w.run.memory != nil {
			w.run.memory.written(0, ^uint64(0))
		}
		for _, t := range w.taints {
			t.before(w.warp, in, m)
		}
		return w.wrong(in.run(w.warp, in, m))
	}
	unknown := t.vals[in.a] & may
	told := w.places(in, may, unknown)
	w.reach = w.hits(in, may, unknown)
	for _, t := range w.taints {
		s := t.transfer(w.warp, in, m, unsure|w.loose&may)
		t.results(in, may, s)
	}
	w.reach = nil
	made, err := w.possible(in, m&^unknown)
	if err != nil {
		return err
	}
	if made != 0 {
		if err := in.run(w.warp, in, made); err != nil {
			return err
		}
	}
	w.run.step = told
	return nil
}

// rare executes the rarer instructions that access no memory.
func (w *coverWarp) rare(in *instr, m, unsure uint32) error {
	active := w.top.mask
	open := unsure != 0 || active&w.loose != 0
	switch {
	case in.flow == flowAddress:
		may := m | unsure
		unknown := w.taint().vals[in.a] & may
		w.run.step = w.places(in, may, unknown)
		return nil
	case in.flow == flowLanes && aborts(in):
		// trap, or a barrier of the warp: lanes that may not be there do neither.
		if open {
			return nil
		}
	case in.flow != flowLanes && open:
		// Who takes part is not known.
		if in.flow == flowCopy || in.flow == flowCommit || in.flow == flowAwait || in.flow == flowOwn && len(in.wv)+len(in.wp) == 0 {
			return w.refuse("not executed where control depends on data")
		}
		for _, t := range w.taints {
			t.results(in, active, active)
		}
		return nil
	case in.flow == flowCopy && w.taint().reads(in, m):
		return w.refuse("an operand depends on data")
	}
	for _, t := range w.taints {
		t.before(w.warp, in, m)
	}
	return w.wrong(in.run(w.warp, in, m))
}
