package ptxexec

import (
	"fmt"
	"math/bits"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/ptx"
)

// Memory barrier objects (mbarrier): 64 bits in shared memory that count
// arrivals, phase by phase. PTX leaves their layout open; here they hold, from
// the lowest bit on, the expected arrivals, those still pending (20 bits each),
// the bytes of transactions still pending (21 bits, signed), and the number of
// the phase (3 bits). A state is the object before the arrival.
//
// Lanes take their turns in lane order. Nothing waits in here: test_wait and
// try_wait return at once and the warp yields, so that others can arrive. What
// they return depends on the order of warps, so it is tainted: a loop that waits
// for a barrier is never proved to be the same in every order.
type mbarrier uint64

const (
	mbarCountBits = 20
	mbarCountMax  = 1<<mbarCountBits - 1
	mbarTxBits    = 21
	mbarTxMax     = 1<<(mbarTxBits-1) - 1
)

func (b mbarrier) expected() int64 { return int64(b & mbarCountMax) }
func (b mbarrier) pending() int64  { return int64(b >> mbarCountBits & mbarCountMax) }
func (b mbarrier) bytes() int64    { return int64(b<<3) >> (64 - mbarTxBits) }
func (b mbarrier) phase() uint64   { return uint64(b >> 61) }

func newMbarrier(expected, pending, bytes int64, phase uint64) mbarrier {
	return mbarrier(expected | pending<<mbarCountBits | bytes&(1<<mbarTxBits-1)<<(2*mbarCountBits) | int64(phase<<61))
}

// mbarOp is an operation on a memory barrier object.
type mbarOp uint8

const (
	mbarInit mbarOp = iota
	mbarInval
	mbarExpect
	mbarComplete
	mbarArrive
	mbarWait       // for the phase of a state
	mbarWaitParity // for the phase of a parity
	mbarCopies     // cp.async.mbarrier.arrive
)

// mbarInfo says what an instruction does.
type mbarInfo struct {
	op mbarOp
	// Of arrivals: the object expects one fewer from then on, its phase must not
	// end, the operand is a number of bytes that are expected first.
	drop, noComplete, expect bool
	noinc                    bool // mbarCopies: the arrival was counted on
}

// arrive applies an arrival of count threads. It returns what is wrong, or "".
func (b mbarrier) arrive(info *mbarInfo, count, bytes int64) (mbarrier, string) {
	expected, pending, tx := b.expected(), b.pending(), b.bytes()+bytes
	switch {
	case tx > mbarTxMax:
		return b, fmt.Sprintf("%d bytes are expected, more than %d", tx, mbarTxMax)
	case count < 1 || count > pending:
		return b, fmt.Sprintf("%d arrivals where %d are pending", count, pending)
	case info.drop && count > expected:
		return b, fmt.Sprintf("%d of %d expected arrivals are dropped", count, expected)
	}
	if info.drop {
		expected -= count
	}
	pending -= count
	if info.noComplete && pending == 0 && tx == 0 {
		return b, "an arrival with .noComplete completes the phase"
	}
	return newMbarrier(expected, pending, tx, b.phase()).next(), ""
}

// next begins the next phase where this one is complete.
func (b mbarrier) next() mbarrier {
	if b.pending() != 0 || b.bytes() != 0 {
		return b
	}
	return newMbarrier(b.expected(), b.expected(), 0, (b.phase()+1)&7)
}

// mbarrier lowers the instructions on memory barrier objects.
func (l *lowerer) mbarrier(s *ptx.Inst, f *ptx.Form) {
	ops := s.Operands
	if f.Action == "pending_count" {
		l.in.group, l.in.open = gExec, openAlways
		l.in.x = &extra{e: -1}
		l.in.a, l.in.d = l.src(&ops[1], ptx.B64), l.dst(&ops[0])
		l.in.f = func(a, _, _ uint64) uint64 { return uint64(mbarrier(a).pending()) }
		l.in.run = func(w *warp, in *instr, m uint32) error {
			if m != 0 {
				w.pure(in, m)
			}
			return nil
		}
		return
	}
	info := &mbarInfo{}
	for _, m := range f.Other {
		switch m {
		case "expect_tx":
			info.expect = true
		case "noComplete":
			info.noComplete = true
		case "noinc":
			info.noinc = true
		}
	}
	l.in.group, l.in.flow = gMem, flowOwn
	l.in.x = &extra{mbar: info, taint: mbarTaint}
	l.in.run = runMbarrier
	l.is.Kind = isa.Atomic
	l.is.WidthBytes = 8
	mi := &memInfo{width: 8, align: 8, regs: []int32{-1}}
	l.in.mem = mi
	switch f.Action {
	case "init":
		info.op = mbarInit
	case "inval":
		info.op = mbarInval
	case "expect_tx":
		info.op = mbarExpect
	case "complete_tx":
		info.op = mbarComplete
	case "arrive", "arrive_drop":
		info.op, info.drop = mbarArrive, f.Action == "arrive_drop"
	case "test_wait", "try_wait":
		info.op = mbarWait
		for _, m := range f.Other {
			if m == "parity" {
				info.op = mbarWaitParity
			}
		}
	default: // cp.async.mbarrier.arrive
		info.op = mbarCopies
	}
	at := 0
	switch info.op {
	case mbarArrive, mbarWait, mbarWaitParity:
		at = 1
	}
	sp := isa.Shared
	if f.Space == ptx.SpaceNone {
		sp = isa.Generic
	}
	l.address(&ops[at], sp, mi)
	l.is.Class.Space = isa.Shared
	l.in.b = l.constant(1)
	if len(ops) > at+1 {
		t := ptx.U32
		if info.op == mbarWait {
			t = ptx.B64
		}
		l.in.b = l.src(&ops[at+1], t)
	}
	if len(ops) > at+2 { // how long try_wait may wait
		l.src(&ops[at+2], ptx.U32)
	}
	l.in.d, l.in.pd = -1, -1
	switch info.op {
	case mbarArrive:
		if ops[0].Kind != ptx.KindSink {
			l.in.d = l.dst(&ops[0])
		}
	case mbarWait, mbarWaitParity:
		l.in.pd = l.dstPred(&ops[0])
	}
}

// runMbarrier executes an operation on memory barrier objects, lane by lane.
func runMbarrier(w *warp, in *instr, m uint32) error {
	s, mi := w.step, in.mem
	s.Space, s.WidthBytes = isa.Shared, 8
	if m == 0 {
		return nil
	}
	w.addresses(in, mi, m)
	b := w.src(in.b)
	var done uint32
	for left := m; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		data, sp, at, err := w.locate(mi, s.Addresses[i], 8, i, true)
		if err != nil {
			return err
		}
		if sp != isa.Shared {
			return w.fault(simt.ErrOutOfBounds, i, fmt.Sprintf("a memory barrier object at %s, expected shared memory", w.place(sp, at)))
		}
		s.Addresses[i] = at
		old := mbarrier(readBytes(data, 8))
		next, yes, wrong := in.x.mbar.apply(old, b[i])
		if wrong != "" {
			return w.fault(simt.ErrInvalid, i, fmt.Sprintf("memory barrier object at shared address %#x: %s", at, wrong))
		}
		writeBytes(data, 8, uint64(next))
		if yes {
			done |= 1 << i
		}
		w.tmp[i] = uint64(old)
	}
	if in.pd >= 0 {
		w.setPred(in.pd, m, done)
	}
	// Whether true or false, how the warp continues depends on how far others
	// are.
	s.Yield = in.x.mbar.op == mbarWait || in.x.mbar.op == mbarWaitParity
	if in.d >= 0 {
		d := w.dst(in.d, m)
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & 31
			d[i] = w.tmp[i]
		}
	}
	return nil
}

// apply gives the object after an operation, what a wait returns, and what is
// wrong, or "".
func (info *mbarInfo) apply(b mbarrier, operand uint64) (next mbarrier, yes bool, wrong string) {
	n := int64(operand & 0xffffffff)
	if info.op != mbarInit && b.expected() == 0 && b.pending() == 0 {
		return b, false, "it is not initialised"
	}
	switch info.op {
	case mbarInit:
		if n < 1 || n > mbarCountMax {
			return b, false, fmt.Sprintf("a count of %d, expected 1 to %d", n, mbarCountMax)
		}
		return newMbarrier(n, n, 0, 0), false, ""
	case mbarInval:
		return 0, false, ""
	case mbarExpect, mbarComplete:
		if info.op == mbarComplete {
			n = -n
		}
		if tx := b.bytes() + n; tx > mbarTxMax || tx < -mbarTxMax {
			return b, false, fmt.Sprintf("%d bytes are expected, more than %d", tx, mbarTxMax)
		}
		next = newMbarrier(b.expected(), b.pending(), b.bytes()+n, b.phase())
		if info.op == mbarComplete {
			next = next.next()
		}
		return next, false, ""
	case mbarArrive:
		if info.expect {
			next, wrong = b.arrive(info, 1, n)
		} else {
			next, wrong = b.arrive(info, n, 0)
		}
		return next, false, wrong
	case mbarCopies:
		// The copies are done. Without .noinc the arrival is one more than expected.
		if info.noinc {
			next, wrong = b.arrive(info, 1, 0)
			return next, false, wrong
		}
		return b, false, ""
	case mbarWait:
		return b, mbarrier(operand).phase() != b.phase(), ""
	}
	return b, operand&1 != b.phase()&1, ""
}

// mbarTaint taints what an operation returns and the object itself.
func mbarTaint(t *warpTaint, w *warp, in *instr, m, g uint32) {
	mi := in.mem
	t.address(w, in, in.a, m, g)
	a := w.src(in.a)
	unknown := t.vals[in.a] & (m | g)
	for left := (m | g) &^ unknown; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		if sp, at := w.where(mi, mi.at(a[i], mi.off)); sp == isa.Shared {
			t.writeMemory(w, sp, at, 8, i, true)
		}
	}
	t.taintAll(w, mi, unknown)
	t.results(in, m|g, m|g)
}
