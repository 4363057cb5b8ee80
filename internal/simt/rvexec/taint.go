package rvexec

import (
	"github.com/warpbound/warpbound/internal/rv"
	"github.com/warpbound/warpbound/internal/simt"
)

// Taint mode follows, for each register and lane, whether its value depends on
// something an analysis must not rely on: memory that the launch does not know, or that
// nobody has written; counters, and what tells one machine from another; which warps are
// active while they come and go; and what other warps or cores may have written. Package
// taint has the rules for memory.
//
// Where lanes go next is the business of branches, jumps and the SIMT instructions: what
// these look at is recorded where it is tainted, and so is a tainted address. Only data
// flow is followed. Where nothing is recorded, instructions, thread masks and addresses
// are the same for all inputs and in every order of warps and cores (docs/soundness/paths.md,
// theorem 38 (all inputs), which has what is different for this machine).
//
// Programs, the argument block and the numbers of core, warp and thread are known: a core
// is a block, and the launch says which cores there are.
type warpTaint struct {
	regs        [numRegs]uint32 // tainted lanes
	frm, fflags bool
	// loose are threads that may not be there, in a store of a covering execution.
	loose uint32
}

// reset taints every register that the program has to write before it reads it. The
// floating-point control register is 0 at the start of the machine.
func (t *warpTaint) reset() {
	for r := range t.regs {
		t.regs[r] = ^uint32(0)
	}
	t.regs[noRegister] = 0
	t.frm, t.fflags = false, false
}

// record notes a taint of the instruction that the warp executes next, the first time.
func (w *Warp) record(kind simt.TaintKind, register string) {
	k := w.core.k
	k.taints.Note(k.prog, w.pc, kind, register)
}

// recordRegister is record of what a register carries.
func (w *Warp) recordRegister(kind simt.TaintKind, r uint8) {
	w.record(kind, w.core.k.prog.Registers[r-1])
}

// decides records a register that lanes of m look at, if it is tainted in one of them.
func (w *Warp) decides(kind simt.TaintKind, r uint8, m uint32) {
	if w.taint.regs[r]&m != 0 {
		w.recordRegister(kind, r)
	}
}

// follow applies the rule of an instruction to the lanes of m. It runs before the
// instruction.
func (w *Warp) follow(in *instr, m uint32) {
	t := w.taint
	one := uint32(1) << last(m) // the lane whose operand is the warp's
	switch in.group {
	case gPure:
		s := t.regs[in.a]
		if in.k == nil {
			s |= t.regs[in.b]
		}
		w.result(in, m, s)
	case gFloat:
		s := t.regs[in.a] | t.regs[in.b] | t.regs[in.c]
		if in.rounds && in.rm == dynamicMode && t.frm {
			s = ^uint32(0)
		}
		t.fflags = t.fflags || s&m != 0
		w.result(in, m, s)
	case gLoad:
		w.decides(simt.TaintAddress, in.a, m)
		w.result(in, m, w.loaded(in, m))
	case gStore:
		w.decides(simt.TaintAddress, in.a, m)
		w.stored(in, m)
	case gBranch:
		w.decides(simt.TaintBranch, in.a, m)
		w.decides(simt.TaintBranch, in.b, m)
	case gJump:
		w.result(in, m, 0)
	case gJumpReg:
		w.decides(simt.TaintBranch, in.a, m)
		w.result(in, m, 0)
	case gCSR:
		w.followCSR(in, m, one)
	case gTmc, gJoin:
		w.decides(simt.TaintBranch, in.a, one)
	case gPred:
		w.decides(simt.TaintBranch, in.a, m)
		if w.predicates(in, m) == 0 {
			w.decides(simt.TaintBranch, in.b, one)
		}
	case gSplit:
		w.decides(simt.TaintBranch, in.a, m)
		w.result(in, m, 0)
	case gWspawn:
		w.decides(simt.TaintBranch, in.a, one)
		w.decides(simt.TaintBranch, in.b, one)
		if w.core.started && w.core.k.launch.Variant != V22 && w.regs[in.a][last(m)] > 1 {
			w.record(simt.TaintOrder, activeWarps) // which may still be active: then it is an error
		}
	case gBar:
		w.decides(simt.TaintBarrier, in.a, one)
		w.decides(simt.TaintBarrier, in.b, one)
	}
}

// activeWarps is what warps and cores change for one another besides memory.
const activeWarps = "the active warps"

// result sets the taint of the register written in the lanes of m.
func (w *Warp) result(in *instr, m, s uint32) {
	t := w.taint
	t.regs[in.d] = t.regs[in.d]&^m | s&m
}

// followCSR is follow of the instructions of Zicsr.
func (w *Warp) followCSR(in *instr, m, one uint32) {
	t := w.taint
	x, write := false, true
	switch in.op {
	case rv.Csrrw:
		x = t.regs[in.a]&one != 0
	case rv.Csrrs, rv.Csrrc:
		x, write = t.regs[in.a]&one != 0, in.a != noRegister
	case rv.Csrrsi, rv.Csrrci:
		write = in.imm != 0
	}
	old := w.registerTainted(in.csr)
	if write {
		if in.op != rv.Csrrw && in.op != rv.Csrrwi {
			x = x || old // some of its bits stay
		}
		switch in.csr {
		case rv.CSRFflags:
			t.fflags = x
		case rv.CSRFrm:
			t.frm = x
		case rv.CSRFcsr:
			t.fflags, t.frm = x, x
		case rv.CSRMscratch:
			who := w.who()
			if w.core.taint.scratch.Write(&who, scratchBytes, x) && !w.core.k.distrusts(scratchName) {
				w.record(simt.TaintOrder, scratchName)
			}
		}
	}
	s := uint32(0)
	if old {
		s = m
	}
	w.result(in, m, s)
}

// registerTainted says whether what is read of a register of control and status is
// tainted. Who reads mscratch untainted relies on it.
func (w *Warp) registerTainted(csr uint16) bool {
	c := w.core
	switch csr {
	case rv.CSRFflags:
		return w.taint.fflags
	case rv.CSRFrm:
		return w.taint.frm
	case rv.CSRFcsr:
		return w.taint.fflags || w.taint.frm
	case rv.CSRMscratch:
		who := w.who()
		if c.k.distrusts(scratchName) || c.taint.scratch.Tainted(&who, scratchBytes) {
			return true
		}
		c.taint.scratch.Rely(&who, who.Block)
		return false
	case rv.CSRActiveWarps:
		return c.started
	}
	return !sameEverywhere(csr)
}

// sameEverywhere says that a register of control and status shows the same on every
// machine that the launch is for, as far as it depends on who reads it.
func sameEverywhere(csr uint16) bool {
	switch csr {
	case rv.CSRFflags, rv.CSRFrm, rv.CSRFcsr, rv.CSRMscratch, rv.CSRActiveWarps, rv.CSRActiveThreads,
		rv.CSRThreadID, rv.CSRWarpID, rv.CSRCoreID, rv.CSRMhartid,
		rv.CSRNumThreads, rv.CSRNumWarps, rv.CSRNumCores, rv.CSRLocalMemBase:
		return true
	}
	return false
}

// differ says whether two lanes of a store store different values. Which of those at one
// address stays is one thing on this machine, and another elsewhere.
func (w *Warp) differ(in *instr, i, j int) bool {
	b := &w.regs[in.b]
	return (b[i]^b[j])<<(32-8*uint32(in.width)) != 0
}
