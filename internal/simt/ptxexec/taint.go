package ptxexec

import (
	"math/bits"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/taint"
	"github.com/warpbound/warpbound/ptx"
)

// Taint mode follows, for each register and lane, whether its value depends on
// something an analysis must not rely on: the contents of buffers not marked
// known, memory that was never written, clocks, the results of atomics, and
// what other blocks may have written.
//
// Only data flow is followed. A branch on a tainted value is itself recorded,
// and from there on the path observed is that of these inputs only, whatever
// else depends on it: following implicit flows through branches would add
// nothing that the record does not say. Predicated instructions are no
// branches; a tainted guard taints what they write, executed or not. So where
// nothing is recorded, instructions, active masks and addresses are the same for
// all inputs; the lanes that execute a predicated instruction which accesses no
// memory may differ.
//
// What warps of a block access between two barriers in an order that the
// schedule chooses is tainted, or recorded (taint_race.go).
//
// Memory is followed in granules of four bytes. A store to an address that is
// tainted itself may change any byte of its space, so it taints all of it.
const granule = taint.GranuleBytes

// Taint is kept in two accounts. In the first, a value is tainted by what the
// text above says; in the second also by results that PTX leaves open: those of
// approximate functions, divisions by zero, the leader of elect. Where only the
// second has a branch or an address that is tainted, the path holds for all
// inputs on a machine that computes those results as they are computed here.
const (
	viewData = iota
	viewOpen
	numViews
)

// LeavesOpen says that an instruction of the program may have a result that PTX leaves open.
func (k *Kernel) LeavesOpen() bool { return k.prog.leavesOpen }

// views is the number of accounts that a program needs.
func (p *Code) views(taint bool) int {
	switch {
	case !taint:
		return 0
	case p.leavesOpen:
		return numViews
	}
	return viewOpen
}

// warpTaint is one account of a warp: one bit a lane for each register, and the
// asynchronous copies under way.
type warpTaint struct {
	view        int
	vals, preds []uint32
	copies      []copyUnderWay
	groups      [simt.MaxLanes]uint32 // of copies, committed by each lane
	unsure      uint32                // lanes that may have committed fewer
}

func newWarpTaint(p *Code, view int) *warpTaint {
	return &warpTaint{view: view, vals: make([]uint32, len(p.regInit)), preds: make([]uint32, p.numPreds)}
}

// reset taints every register that the kernel has to write before it reads it.
func (t *warpTaint) reset(w *warp) {
	p := w.blk.k.prog
	for i := range t.vals {
		t.vals[i] = 0
		if p.regInit[i] == initZero {
			t.vals[i] = ^uint32(0)
		}
	}
	for i := range t.preds {
		t.preds[i] = ^uint32(0)
	}
	for _, sr := range p.specials {
		if sr.tainted {
			t.vals[sr.reg] = ^uint32(0)
		}
	}
	t.copies = t.copies[:0]
	t.groups = [simt.MaxLanes]uint32{}
	t.unsure = 0
}

// freshRegisters taints the registers of a function that the lanes of m call:
// each call has to write them anew before it reads them.
func (w *warp) freshRegisters(fn *function, m uint32) {
	if v := w.blk.k.vary; v != nil {
		v.scramble(w, fn.regLo, fn.regHi, fn.predLo, fn.predHi, m)
	}
	for _, t := range w.taints {
		for r := fn.regLo; r < fn.regHi; r++ {
			if w.blk.k.prog.regInit[r] == initZero {
				t.vals[r] |= m
			}
		}
		for p := fn.predLo; p < fn.predHi; p++ {
			t.preds[p] |= m
		}
	}
}

// Taints lists the branches, addresses and barriers seen so far that depend on
// data an analysis must not rely on, by instruction. It is empty outside taint
// mode.
func (k *Kernel) Taints() []simt.Taint { return k.taints[viewData].List() }

// Open lists what was seen so far to depend on results that the instruction set
// leaves open, and the instructions that gave such results. What Taints lists is
// not listed again. Both are empty outside taint mode.
func (k *Kernel) Open() (depend, results []simt.Taint) {
	return k.taints[viewOpen].Without(&k.taints[viewData]), k.open.List()
}

// record notes a taint of the current instruction, the first time.
func (t *warpTaint) record(w *warp, kind simt.TaintKind, register string) {
	k := w.blk.k
	k.taints[t.view].Note(k.prog.isa, w.top.pc, kind, register)
}

// recordOrder notes that the contents of a memory depend on the schedule, and
// that some warp relied on them.
func (t *warpTaint) recordOrder(w *warp, name string) { t.record(w, simt.TaintOrder, name) }

// leftOpen is the lanes of m whose result PTX leaves open.
func (t *warpTaint) leftOpen(w *warp, in *instr, m uint32) uint32 {
	if t.view != viewOpen || in.open == nil {
		return 0
	}
	lanes := in.open(w, in, m)
	if lanes != 0 {
		k := w.blk.k
		k.open.Note(k.prog.isa, w.top.pc, simt.TaintOpen, "")
	}
	return lanes
}

// guard is the taint of the guard in the active lanes.
func (t *warpTaint) guard(w *warp, in *instr) uint32 {
	if in.guard < 0 {
		return 0
	}
	return t.preds[in.guard] & w.top.mask
}

// sources is the union of the taints of the operands.
func (t *warpTaint) sources(in *instr) uint32 {
	var s uint32
	for _, r := range in.rv {
		s |= t.vals[r]
	}
	for _, p := range in.rp {
		s |= t.preds[p]
	}
	return s
}

// reads says whether an operand is tainted in a lane of m.
func (t *warpTaint) reads(in *instr, m uint32) bool { return t.sources(in)&m != 0 }

// setResults makes the taint of the results in the lanes of m all or none.
func (t *warpTaint) setResults(in *instr, m uint32, tainted bool) {
	var s uint32
	if tainted {
		s = m
	}
	t.results(in, m, s)
}

// results sets the taint of the results in the lanes of m.
func (t *warpTaint) results(in *instr, m, s uint32) {
	for _, r := range in.wv {
		t.vals[r] = t.vals[r]&^m | s&m
	}
	for _, p := range in.wp {
		t.preds[p] = t.preds[p]&^m | s&m
	}
}

// before applies an instruction's rule. It runs before the instruction: guard
// and addresses still have the values the instruction sees.
func (t *warpTaint) before(w *warp, in *instr, m uint32) {
	g := t.guard(w, in)
	switch in.group {
	case gBranch, gBrx, gCall, gRet, gExit:
		if g != 0 {
			t.record(w, simt.TaintBranch, w.blk.k.prog.predNames[in.guard])
		} else if (in.group == gBrx || in.group == gCall && in.x.call == nil) && t.vals[in.a]&m != 0 {
			t.record(w, simt.TaintBranch, w.blk.k.prog.valNames[in.a])
		}
		return
	case gBarrier:
		switch {
		case g != 0:
			t.record(w, simt.TaintBarrier, w.blk.k.prog.predNames[in.guard])
		case t.vals[in.a]&m != 0:
			t.record(w, simt.TaintBarrier, w.blk.k.prog.valNames[in.a])
		case in.x.imm != 0 && t.vals[in.b]&m != 0:
			t.record(w, simt.TaintBarrier, w.blk.k.prog.valNames[in.b])
		}
		return
	}
	if in.flow == flowOwn {
		in.x.taint(t, w, in, m, g)
		return
	}
	s := t.sources(in)
	switch in.flow {
	case flowWarp:
		if s&m != 0 || g != 0 {
			s = ^uint32(0)
		} else {
			s = 0
		}
	case flowShuffle:
		s = t.shuffle(w, in, m, g)
	case flowCopy:
		t.asyncCopy(w, in, m, g)
	case flowCommit:
		t.commit(m, g)
	case flowAwait:
		t.await(w, in, m&^g)
	case flowMemory:
		s = t.memory(w, in, m, g)
	case flowAddress:
		t.address(w, in, in.a, m, g)
	}
	t.results(in, m, s|t.leftOpen(w, in, m))
	if g != 0 {
		t.results(in, g, g)
	}
}

// address records an address in register r that is tainted, or an access that
// depends on a tainted guard.
func (t *warpTaint) address(w *warp, in *instr, r int32, m, g uint32) {
	if t.vals[r]&m != 0 {
		t.record(w, simt.TaintAddress, w.blk.k.prog.valNames[r])
	} else if g != 0 {
		t.record(w, simt.TaintAddress, w.blk.k.prog.predNames[in.guard])
	}
}

// shuffle is the taint of what each lane reads, and of the operands that choose
// the lane. What comes from a lane that does not take part, or may not, is
// tainted.
func (t *warpTaint) shuffle(w *warp, in *instr, m, g uint32) uint32 {
	b, c := w.src(in.b), w.src(in.c)
	s := t.vals[in.b] | t.vals[in.c]
	if in.x.e >= 0 {
		s |= t.vals[in.x.e]
	}
	there := m &^ g
	for left := m; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		j, _ := shuffleSource(ptx.ShflMode(in.x.mode), i, b[i], c[i])
		if t.vals[in.a]>>(j&31)&1 != 0 || there>>(j&31)&1 == 0 {
			s |= 1 << i
		}
	}
	return s
}
