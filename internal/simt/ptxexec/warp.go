package ptxexec

import (
	"fmt"
	"math/bits"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// The representation of a value register: uniform says that lane 0 holds the
// value of all live lanes, filled that every live lane holds its own.
const (
	uniform = 1
	filled  = 2
)

// The program counters of entries that are no instruction.
const (
	pcNone  = isa.NoPC // of a warp that has ended
	pcLeave = -2       // lanes meet again where the function is left
)

// entry is a group of lanes on the reconvergence stack.
type entry struct {
	pc   int32  // next instruction
	rpc  int32  // where the group joins the one below; pcLeave at the end of the function
	mask uint32 // lanes that have neither returned nor exited
	// frame marks the group that entered a function: it is popped when all its
	// lanes have left.
	frame bool
}

// warp executes the instructions of up to 32 lanes.
type warp struct {
	blk    *block
	id     int
	code   []instr
	vals   []lanes
	st     []uint8
	preds  []uint32
	top    entry
	stack  []entry
	floor  int    // entries of the stack below the innermost fork of a covering execution
	loose  uint32 // lanes that may not be there (covering executions)
	reach  *reach // of a store at unknown addresses (closed covering executions)
	live   uint32 // lanes that have not exited
	status simt.Status
	clock  int64 // warp instructions executed
	step   *simt.Step
	tmp    lanes

	frames []frame
	copies []argument // arguments and results on their way between frames
	local  localMemory

	waitBarrier int32 // barrier waited at, and the instruction that waits
	waitPC      int32
	waitRed     *instr // bar.red whose result is due, in the lanes of waitMask
	waitMask    uint32

	taints []*warpTaint // by view; none outside taint mode

	passage passage // of covering executions; nil in others

	// Where the kernel varies: the copies that have not happened, and the groups
	// of copies that each lane has committed.
	later   []laterCopy
	commits [simt.MaxLanes]uint32
}

// PC implements simt.Warp.
func (w *warp) PC() int32 { return w.top.pc }

// Status implements simt.Warp.
func (w *warp) Status() simt.Status { return w.status }

// start makes the warp ready to execute from the kernel's entry.
func (w *warp) start(existing uint32) {
	p := w.blk.k.prog
	for i := range w.st {
		if p.regInit[i] == initZero {
			w.vals[i][0] = 0
			w.st[i] = uniform
		}
	}
	clear(w.preds)
	w.live = existing
	w.top = entry{pc: p.isa.Functions[0].Entry, rpc: pcLeave, mask: existing, frame: true}
	w.stack, w.floor, w.loose = w.stack[:0], 0, 0
	w.status = simt.Ready
	w.clock = 0
	w.frames = append(w.frames[:0], frame{fn: 0, size: p.funcs[0].frameBytes, entered: existing})
	w.local.reset(p.funcs[0].frameBytes)
	w.waitBarrier = -1
	w.waitRed = nil
	w.passage = nil
	for _, t := range w.taints {
		t.reset(w)
	}
}

// Step implements simt.Warp.
func (w *warp) Step(s *simt.Step) error {
	if w.status != simt.Ready {
		return w.fault(simt.ErrInvalid, -1, fmt.Sprintf("step of a warp that is %v", w.status))
	}
	pc := w.top.pc
	in := &w.code[pc]
	active := w.top.mask
	m := active
	if in.guard >= 0 {
		p := w.preds[in.guard]
		if in.guardNeg {
			p = ^p
		}
		m &= p
	}
	w.clock++
	w.step = s
	s.PC = pc
	s.Active, s.Exec = simt.Mask(active), simt.Mask(m)
	s.Space, s.WidthBytes, s.MoreCount, s.Local, s.Yield = isa.NoSpace, 0, 0, 0, false
	s.Barrier, s.BarrierFull, s.BarrierOpened = -1, false, false

	for _, t := range w.taints {
		t.before(w, in, m)
	}
	vary, open := w.blk.k.vary, uint32(0)
	if vary != nil {
		open = vary.before(w, in, m)
	}
	var err error
	switch in.group {
	case gPure:
		if m != 0 {
			w.pure(in, m)
		}
	case gSetp:
		w.setp(in, m)
	case gSelp:
		w.selp(in, m)
	case gPred:
		w.predicate(in, m)
	case gLoad:
		err = w.load(in, m)
	case gStore:
		err = w.store(in, m)
	case gMem, gExec:
		if vary != nil && in.inTurns() {
			err = vary.atomic(w, in, m)
			break
		}
		err = in.run(w, in, m)
	case gNop:
	default:
		if err = w.control(in, m); err != nil {
			return err
		}
		s.NextPC = w.top.pc
		return nil
	}
	if err == nil && vary != nil {
		err = vary.after(w, in, m, open)
	}
	if err != nil {
		return err
	}
	w.top.pc = pc + 1
	if w.top.pc == w.top.rpc {
		w.settle()
	}
	s.NextPC = w.top.pc
	return nil
}

// pure executes d = f(a, b, c).
func (w *warp) pure(in *instr, m uint32) {
	st := w.st
	if m == w.live && st[in.a]&st[in.b]&st[in.c]&uniform != 0 {
		w.vals[in.d][0] = in.f(w.vals[in.a][0], w.vals[in.b][0], w.vals[in.c][0])
		st[in.d] = uniform
		return
	}
	a, b, c := w.src(in.a), w.src(in.b), w.src(in.c)
	if m == w.live {
		d := &w.vals[in.d]
		st[in.d] = filled
		if in.v != nil {
			in.v(d, a, b, c)
			return
		}
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & 31
			d[i] = in.f(a[i], b[i], c[i])
		}
		return
	}
	if in.v != nil && bits.OnesCount32(m) > 4 {
		in.v(&w.tmp, a, b, c)
		d := w.part(in.d)
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & 31
			d[i] = w.tmp[i]
		}
		return
	}
	d := w.part(in.d)
	for ; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		d[i] = in.f(a[i], b[i], c[i])
	}
}

// src returns register r with every lane filled.
func (w *warp) src(r int32) *lanes {
	v := &w.vals[r]
	if w.st[r]&filled == 0 {
		x := v[0]
		for i := 0; i < len(v); i += 4 {
			v[i], v[i+1], v[i+2], v[i+3] = x, x, x, x
		}
		w.st[r] |= filled
	}
	return v
}

// part returns register r for a write of some of the live lanes.
func (w *warp) part(r int32) *lanes {
	v := w.src(r)
	w.st[r] = filled
	return v
}

// dst returns register r for a write of the lanes of m.
func (w *warp) dst(r int32, m uint32) *lanes {
	if m == w.live {
		w.st[r] = filled
		return &w.vals[r]
	}
	return w.part(r)
}

// setScalar writes one value to the lanes of m of register r.
func (w *warp) setScalar(r int32, m uint32, x uint64) {
	if m == w.live {
		w.vals[r][0] = x
		w.st[r] = uniform
		return
	}
	d := w.part(r)
	for ; m != 0; m &= m - 1 {
		d[bits.TrailingZeros32(m)&31] = x
	}
}

func (w *warp) setPred(p int32, m, bits uint32) {
	if p >= 0 {
		w.preds[p] = w.preds[p]&^m | bits&m
	}
}

func (w *warp) getPred(p int32, neg bool) uint32 {
	var x uint32
	if p >= 0 {
		x = w.preds[p]
	}
	if neg {
		return ^x
	}
	return x
}

func (w *warp) compare(in *instr, m uint32) uint32 {
	if w.st[in.a]&w.st[in.b]&uniform != 0 {
		if in.f(w.vals[in.a][0], w.vals[in.b][0], 0) != 0 {
			return ^uint32(0)
		}
		return 0
	}
	a, b := w.src(in.a), w.src(in.b)
	if in.cmp != nil {
		return in.cmp(a, b)
	}
	var r uint32
	for ; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		if in.f(a[i], b[i], 0) != 0 {
			r |= 1 << i
		}
	}
	return r
}

func (w *warp) setp(in *instr, m uint32) {
	if m == 0 {
		return
	}
	r := w.compare(in, m)
	q := ^r
	if in.boolOp != boolNone {
		c := w.getPred(in.pc, in.cNeg)
		r, q = combine(in.boolOp, r, c), combine(in.boolOp, q, c)
	}
	w.setPred(in.pd, m, r)
	w.setPred(in.pq, m, q)
}

// The operations on predicates.
const (
	boolNone uint8 = iota
	boolAnd
	boolOr
	boolXor
	boolNot
	boolMov
)

func combine(op uint8, a, b uint32) uint32 {
	switch op {
	case boolAnd:
		return a & b
	case boolOr:
		return a | b
	case boolXor:
		return a ^ b
	case boolNot:
		return ^a
	}
	return a
}

func (w *warp) predicate(in *instr, m uint32) {
	w.setPred(in.pd, m, combine(in.boolOp, w.getPred(in.pa, in.aNeg), w.getPred(in.pc, in.cNeg)))
}

func (w *warp) selp(in *instr, m uint32) {
	if m == 0 {
		return
	}
	p := w.getPred(in.pc, in.cNeg)
	if m == w.live {
		r := int32(-1)
		if p&m == m {
			r = in.a
		} else if p&m == 0 {
			r = in.b
		}
		if r >= 0 && w.st[r]&uniform != 0 {
			w.vals[in.d][0] = w.vals[r][0]
			w.st[in.d] = uniform
			return
		}
	}
	a, b := w.src(in.a), w.src(in.b)
	d := w.dst(in.d, m)
	if m == ^uint32(0) {
		for i := range d {
			x := b[i]
			if p&1 != 0 {
				x = a[i]
			}
			d[i] = x
			p >>= 1
		}
		return
	}
	for ; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		if p>>i&1 != 0 {
			d[i] = a[i]
		} else {
			d[i] = b[i]
		}
	}
}

// fault makes the error of an instruction that went wrong in a lane, -1 where
// no single lane is at fault.
func (w *warp) fault(kind error, lane int, detail string) error {
	e := &simt.RuntimeError{Kind: kind, Detail: detail, Block: w.blk.index, Thread: -1, PC: w.top.pc}
	if lane >= 0 {
		e.Thread = w.id*w.blk.k.warpSize + lane
	}
	if p := w.blk.k.prog.isa; e.PC >= 0 && int(e.PC) < len(p.Instructions) {
		e.Pos, e.Source = p.Instructions[e.PC].Pos, p.Instructions[e.PC].Source
	}
	return e
}
