package ptxexec

import (
	"math/bits"
	"sort"

	"github.com/warpbound/warpbound/ptx"
	"github.com/warpbound/warpbound/simt"
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
const granule = 4

// The states of a granule of a known buffer, beside (block+1)<<1 | written for
// one that a single block has touched.
const (
	ownNobody  = 0
	ownReaders = ^uint32(1) // read by several blocks, written by none
	ownTainted = ^uint32(0)
)

type taintKey struct {
	pc   int32
	kind simt.TaintKind
}

// warpTaint holds one bit a lane for each register.
type warpTaint struct {
	vals, preds []uint32
}

func newWarpTaint(p *Program) *warpTaint {
	return &warpTaint{vals: make([]uint32, len(p.regInit)), preds: make([]uint32, p.numPreds)}
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
}

// Taints lists the branches, addresses and barriers seen so far that depend on
// data an analysis must not rely on, by instruction. It is empty outside taint
// mode.
func (k *Kernel) Taints() []simt.Taint {
	out := make([]simt.Taint, 0, len(k.taints))
	for _, t := range k.taints {
		out = append(out, t)
	}
	sort.Slice(out, func(i, j int) bool {
		return out[i].PC < out[j].PC || out[i].PC == out[j].PC && out[i].Kind < out[j].Kind
	})
	return out
}

// record notes a taint of the current instruction, the first time.
func (k *Kernel) record(pc int32, kind simt.TaintKind, register string) {
	key := taintKey{pc, kind}
	if _, seen := k.taints[key]; seen {
		return
	}
	in := &k.prog.isa.Instructions[pc]
	k.taints[key] = simt.Taint{PC: pc, Kind: kind, Pos: in.Pos, Source: in.Source, Register: register}
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
			w.blk.k.record(w.top.pc, simt.TaintBranch, w.blk.k.prog.predNames[in.guard])
		} else if (in.group == gBrx || in.group == gCall) && t.vals[in.a]&m != 0 {
			w.blk.k.record(w.top.pc, simt.TaintBranch, w.blk.k.prog.valNames[in.a])
		}
		return
	case gBarrier:
		switch {
		case g != 0:
			w.blk.k.record(w.top.pc, simt.TaintBarrier, w.blk.k.prog.predNames[in.guard])
		case t.vals[in.a]&m != 0:
			w.blk.k.record(w.top.pc, simt.TaintBarrier, w.blk.k.prog.valNames[in.a])
		case in.x.imm != 0 && t.vals[in.b]&m != 0:
			w.blk.k.record(w.top.pc, simt.TaintBarrier, w.blk.k.prog.valNames[in.b])
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
	case flowOpen:
		s = ^uint32(0)
	case flowShuffle:
		s = t.shuffle(w, in, m)
	case flowCopy:
		t.asyncCopy(w, in, m, g)
	case flowMemory:
		s = t.memory(w, in, m, g)
	}
	t.results(in, m, s)
	if g != 0 {
		t.results(in, g, g)
	}
}

// shuffle is the taint of what each lane reads, and of the operands that choose
// the lane. What comes from a lane that does not take part is tainted.
func (t *warpTaint) shuffle(w *warp, in *instr, m uint32) uint32 {
	b, c := w.src(in.b), w.src(in.c)
	s := t.vals[in.b] | t.vals[in.c]
	if in.x.e >= 0 {
		s |= t.vals[in.x.e]
	}
	for left := m; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		j, _ := shuffleSource(ptx.ShflMode(in.x.mode), i, b[i], c[i])
		if t.vals[in.a]>>(j&31)&1 != 0 || m>>(j&31)&1 == 0 {
			s |= 1 << i
		}
	}
	return s
}
