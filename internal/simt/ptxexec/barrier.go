package ptxexec

import (
	"fmt"
	"math/bits"

	"github.com/warpbound/warpbound/internal/simt"
)

const numBarriers = 16

// barrierState is one of the barriers of a block between two openings.
type barrierState struct {
	arrivedWarps int   // warps that have arrived, whether they wait or not
	threads      int64 // expected threads; 0 means all live warps
	op           uint8 // the reduction; noReduction for none
	reduce       uint32
	reduced      bool // bar.red: reduce holds a value
	taint        [numViews]bool
}

// barrierInfo is what a barrier instruction says, in extra.
//
//	extra.mode  barSync, barArrive or barRed
//	extra.op    the reduction: boolAnd, boolOr, or redPopc
//	instr.a     the barrier number, instr.b the thread count; count -1: none
//	instr.pa    the predicate reduced; instr.d or instr.pd the result
const (
	barSync uint8 = iota
	barArrive
	barRed
)

const (
	redPopc     uint8 = 100
	noReduction uint8 = 101
)

// barrier makes the warp arrive at a barrier. The warp waits, unless it is the
// last, or only arrives.
//
// A warp arrives as a whole. Lanes that are elsewhere, because they have left
// for the end of the kernel and wait there for the others, count as gone if
// nothing before them is a barrier: a kernel may return early in some threads
// and synchronise the others. Lanes that could still reach a barrier are an
// error: PTX leaves it undefined for aligned barriers, and on a machine whose
// warps reconverge by stack they could not arrive while the others wait.
func (w *warp) barrier(in *instr, m uint32) error {
	x := in.x
	if m == 0 {
		w.top.pc++
		w.settle()
		return nil
	}
	if away := w.awaited(m, w.blk.k.prog.barrierAhead); away != 0 {
		return w.fault(simt.ErrDeadlock, bits.TrailingZeros32(away), fmt.Sprintf("lanes %#x of warp %d reach a barrier without its lanes %#x, which have barriers before them", m, w.id, away))
	}
	id, err := w.same(in.a, m, "barrier number")
	if err != nil {
		return err
	}
	if id >= numBarriers {
		return w.fault(simt.ErrInvalid, -1, fmt.Sprintf("barrier %d of %d", id, numBarriers))
	}
	var threads int64
	ws := int64(w.blk.k.warpSize)
	all := int64(len(w.blk.warps)) * ws
	if x.imm != 0 {
		n, err := w.same(in.b, m, "barrier thread count")
		if err != nil {
			return err
		}
		threads = int64(n)
		if threads == 0 || threads%ws != 0 || threads > all {
			return w.fault(simt.ErrInvalid, -1, fmt.Sprintf("barrier %d with a count of %d threads: not a multiple of the warp size %d up to %d", id, threads, ws, all))
		}
	}
	b := w.blk
	st := &b.barriers[id]
	if st.arrivedWarps > 0 && st.threads != threads {
		return w.fault(simt.ErrInvalid, -1, fmt.Sprintf("barrier %d with a count of %d threads, where others gave %d", id, threads, st.threads))
	}
	op := noReduction
	if x.mode == barRed {
		op = x.op
	}
	if st.arrivedWarps > 0 && st.op != op {
		return w.fault(simt.ErrInvalid, -1, fmt.Sprintf("barrier %d with another reduction than that of others, or with one where others have none", id))
	}
	st.threads, st.op = threads, op
	st.arrivedWarps++
	w.step.Barrier = int32(id)
	w.step.BarrierFull = x.mode != barArrive && b.k.prog.arrives>>id&1 == 0 && (threads == 0 || threads == all)
	w.waitPC = w.top.pc
	w.top.pc++
	if x.mode == barRed {
		w.waitRed, w.waitMask = in, m
		st.contribute(x.op, m, w.getPred(in.pa, in.aNeg)&m)
		for _, t := range w.taints {
			st.taint[t.view] = st.taint[t.view] || t.reads(in, m)
		}
	}
	if x.mode != barArrive {
		w.status = simt.Waiting
		w.waitBarrier = int32(id)
	}
	if b.complete(st) {
		b.openBarrier(st)
		if w.step.BarrierFull && !b.held {
			b.newEpoch()
		}
		w.step.BarrierOpened = true
	}
	w.settle()
	return nil
}

func (st *barrierState) contribute(op uint8, m, p uint32) {
	switch op {
	case redPopc:
		st.reduce += uint32(bits.OnesCount32(p))
	case boolAnd:
		v := uint32(0)
		if p == m {
			v = 1
		}
		if !st.reduced {
			st.reduce = 1
		}
		st.reduce &= v
	default:
		if p != 0 {
			st.reduce |= 1
		}
	}
	st.reduced = true
}

// complete says whether all warps that the barrier waits for have arrived.
func (b *block) complete(st *barrierState) bool {
	if st.threads > 0 {
		return int64(st.arrivedWarps)*int64(b.k.warpSize) >= st.threads
	}
	live := 0
	for i := range b.warps {
		if b.warps[i].status != simt.Done {
			live++
		}
	}
	return st.arrivedWarps >= live
}

// openBarrier releases the warps that wait at st.
func (b *block) openBarrier(st *barrierState) {
	for id := range b.barriers {
		if &b.barriers[id] != st {
			continue
		}
		for i := range b.warps {
			w := &b.warps[i]
			if w.status != simt.Waiting || w.waitBarrier != int32(id) {
				continue
			}
			w.status = simt.Ready
			w.waitBarrier = -1
			if in := w.waitRed; in != nil {
				w.waitRed = nil
				w.reduced(in, st)
			}
		}
	}
	*st = barrierState{}
}

// awaited returns the live lanes outside m that have an instruction of those in
// ahead before them.
func (w *warp) awaited(m uint32, ahead []bool) uint32 {
	away := w.live &^ m
	if away == 0 {
		return 0
	}
	var found uint32
	if ahead[w.top.pc+1] {
		found = w.top.mask & away
	}
	for _, e := range w.stack {
		if e.pc >= 0 && ahead[e.pc] {
			found |= e.mask & away
		}
	}
	return found
}

// reduced writes the result of a bar.red.
func (w *warp) reduced(in *instr, st *barrierState) {
	if in.pd >= 0 {
		w.setPred(in.pd, w.waitMask, -(st.reduce & 1))
	} else {
		w.setScalar(in.d, w.waitMask, uint64(st.reduce))
	}
	for _, t := range w.taints {
		t.setResults(in, w.waitMask, st.taint[t.view])
	}
}

// same returns the value of a register that must be equal in all lanes of m.
func (w *warp) same(r int32, m uint32, what string) (uint64, error) {
	if w.st[r]&uniform != 0 {
		return w.vals[r][0], nil
	}
	v := w.src(r)
	first := bits.TrailingZeros32(m) & 31
	for ; m != 0; m &= m - 1 {
		if i := bits.TrailingZeros32(m) & 31; v[i] != v[first] {
			return 0, w.fault(simt.ErrInvalid, i, what+" differs between lanes of a warp")
		}
	}
	return v[first], nil
}
