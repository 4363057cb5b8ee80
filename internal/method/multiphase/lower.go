package multiphase

import (
	"slices"

	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/seq"
)

// inst is an instruction at a place where it is known which of its registers
// were written in the section and which of those were read since: what is
// discrete is settled here, so that the machines work on numbers only.
type inst struct {
	op     int32
	unit   int32
	init   int64
	lambda int64 // initiation + latency
	start  bool  // starts a burst (docs/soundness/blocks.md, section "Charges")
	// srcs are the registers to wait for; writes those somebody reads.
	srcs, writes []int32
	// fresh are the sources no earlier instruction of the section had.
	fresh []freshSource
}

// freshSource is a source b of k that no instruction before k had.
type freshSource struct {
	reg int32
	op  int32 // the instruction b
}

// litem is a run of instructions, or count repetitions of body.
type litem struct {
	insts []int32
	count int64
	body  *lseq
}

type lseq struct{ items []litem }

// lowered is a section over its table of instructions.
type lowered struct {
	insts []inst
	body  *lseq
	regs  int // register variables
	units int // units of the hardware
}

// lowerer turns sections over ops into lowered sections. The discrete state
// after one iteration of a loop body recurs after every later one, so a loop
// becomes its first iteration and the rest.
type lowerer struct {
	ops []method.Op
	reg []int32 // register -> variable, -1 if nobody reads it

	def      []int32 // variable -> op that wrote it last in this section, -1
	consumed []bool  // variable -> its value was already a source

	out   []inst
	cands [][]int32 // op -> its instructions so far
	memo  map[bodyState]bodyResult
	key   []byte

	srcs  []int32
	fresh []freshSource
}

type bodyState struct {
	body  *seq.Seq
	state string
}

type bodyResult struct {
	seq      *lseq
	def      []int32
	consumed []bool
}

// newLowerer prepares for sections over ops: registers nobody reads are dropped.
func newLowerer(ops []method.Op) *lowerer {
	l := &lowerer{ops: ops}
	top := int32(-1)
	for i := range ops {
		for _, r := range ops[i].Reads {
			top = max(top, r)
		}
	}
	l.reg = make([]int32, top+1)
	for i := range l.reg {
		l.reg[i] = -1
	}
	n := int32(0)
	for i := range ops {
		for _, r := range ops[i].Reads {
			if l.reg[r] < 0 {
				l.reg[r] = n
				n++
			}
		}
	}
	l.def = make([]int32, n)
	l.consumed = make([]bool, n)
	return l
}

// lower resolves one section. Values from before the section are not sources.
func (l *lowerer) lower(s *seq.Seq, units int) *lowered {
	out := l.begin(units)
	out.body = l.seq(s)
	out.insts = l.out
	return out
}

// begin forgets everything lowered before; what it returns has no instructions
// yet.
func (l *lowerer) begin(units int) *lowered {
	for i := range l.def {
		l.def[i], l.consumed[i] = -1, false
	}
	l.out, l.cands, l.memo = nil, make([][]int32, len(l.ops)), map[bodyState]bodyResult{}
	return &lowered{regs: len(l.def), units: units}
}

func (l *lowerer) seq(s *seq.Seq) *lseq {
	out := &lseq{}
	for _, it := range s.Items() {
		if it.Body == nil {
			run := make([]int32, len(it.Symbols))
			for i, sym := range it.Symbols {
				run[i] = l.inst(sym)
			}
			out.items = append(out.items, litem{insts: run})
			continue
		}
		for left := it.Count; left > 0; {
			before := l.state()
			body := l.body(it.Body, before)
			if l.sameState(before) {
				out.items = append(out.items, litem{count: left, body: body})
				break
			}
			out.items = append(out.items, litem{count: 1, body: body})
			left--
		}
	}
	return out
}

// body lowers a loop body in the state given and moves to the state behind it.
func (l *lowerer) body(s *seq.Seq, before string) *lseq {
	k := bodyState{s, before}
	if r, ok := l.memo[k]; ok {
		copy(l.def, r.def)
		copy(l.consumed, r.consumed)
		return r.seq
	}
	out := l.seq(s)
	l.memo[k] = bodyResult{out, slices.Clone(l.def), slices.Clone(l.consumed)}
	return out
}

func (l *lowerer) state() string {
	l.fillKey()
	return string(l.key)
}

func (l *lowerer) sameState(s string) bool {
	l.fillKey()
	return string(l.key) == s
}

func (l *lowerer) fillKey() {
	l.key = l.key[:0]
	for i, d := range l.def {
		c := byte(0)
		if l.consumed[i] {
			c = 1
		}
		l.key = append(l.key, byte(d), byte(d>>8), byte(d>>16), byte(d>>24), c)
	}
}

// inst resolves one instruction, moves past it, and returns its index.
func (l *lowerer) inst(sym int32) int32 {
	op := &l.ops[sym]
	l.srcs, l.fresh = l.srcs[:0], l.fresh[:0]
	for _, r := range op.Reads {
		v := l.reg[r]
		if l.def[v] < 0 || l.sameValue(v) {
			continue
		}
		l.srcs = append(l.srcs, v)
		if !l.consumed[v] {
			l.fresh = append(l.fresh, freshSource{v, l.def[v]})
		}
	}
	for _, v := range l.srcs {
		l.consume(v)
	}
	for _, r := range op.Writes {
		if int(r) >= len(l.reg) || l.reg[r] < 0 {
			continue
		}
		v := l.reg[r]
		l.def[v] = sym
		l.consumed[v] = false
	}
	return l.intern(sym)
}

// sameValue tells whether a source found so far is the same instruction as v's:
// one instruction may write several registers. Registers with the same last
// writer were last written by the same execution of it, because an execution
// writes them all.
func (l *lowerer) sameValue(v int32) bool {
	for _, s := range l.srcs {
		if l.def[s] == l.def[v] {
			return true
		}
	}
	return false
}

// consume marks the instruction that wrote v as a source of an earlier one.
func (l *lowerer) consume(v int32) {
	for _, r := range l.ops[l.def[v]].Writes {
		if int(r) < len(l.reg) && l.reg[r] >= 0 && l.def[l.reg[r]] == l.def[v] {
			l.consumed[l.reg[r]] = true
		}
	}
}

func (l *lowerer) intern(sym int32) int32 {
	for _, c := range l.cands[sym] {
		if slices.Equal(l.out[c].srcs, l.srcs) && slices.Equal(l.out[c].fresh, l.fresh) {
			return c
		}
	}
	op := &l.ops[sym]
	in := inst{
		op: sym, unit: int32(op.Unit), init: op.InitCycles, lambda: op.InitCycles + op.LatencyCycles,
		start: len(l.fresh) > 0,
		srcs:  slices.Clone(l.srcs), fresh: slices.Clone(l.fresh),
	}
	for _, r := range op.Writes {
		if int(r) < len(l.reg) && l.reg[r] >= 0 {
			in.writes = append(in.writes, l.reg[r])
		}
	}
	id := int32(len(l.out))
	l.out = append(l.out, in)
	l.cands[sym] = append(l.cands[sym], id)
	return id
}
