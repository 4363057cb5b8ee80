package rvexec

import (
	"fmt"

	"github.com/warpbound/warpbound/internal/rv"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/rvexec/f32"
)

// Registers of the machine that read as a constant and ignore writes.
const (
	csrSatp    uint16 = 0x180
	csrMstatus uint16 = 0x300
	csrMisa    uint16 = 0x301
	csrMedeleg uint16 = 0x302
	csrMideleg uint16 = 0x303
	csrMie     uint16 = 0x304
	csrMtvec   uint16 = 0x305
	csrMepc    uint16 = 0x341
	csrPmpcfg0 uint16 = 0x3a0
	csrPmpaddr uint16 = 0x3b0
	csrMnstat  uint16 = 0x744
	csrMvendor uint16 = 0xf11
	csrMarch   uint16 = 0xf12
	csrMimp    uint16 = 0xf13
	lastHpm           = rv.CSRMhpmcounter3 + 28
	lastHpmh          = rv.CSRMhpmcounter3h + 28
	frmBits           = 7
)

// misa is what the machine is: 32 bits, I, M and F, user mode, and extensions
// that are not standard, the SIMT instructions.
const misa uint32 = 1<<30 | 1<<('I'-'A') | 1<<('M'-'A') | 1<<('F'-'A') | 1<<('U'-'A') | 1<<('X'-'A')

// access is what may be done with a register.
type access uint8

const (
	unknown access = iota
	readOnly
	ignored  // reads as a constant, writes have no effect
	writable // has state
)

func csrAccess(csr uint16) access {
	switch csr {
	case rv.CSRFflags, rv.CSRFrm, rv.CSRFcsr, rv.CSRMscratch:
		return writable
	case csrSatp, csrMstatus, csrMisa, csrMedeleg, csrMideleg, csrMie, csrMtvec, csrMepc, csrPmpcfg0, csrPmpaddr, csrMnstat:
		return ignored
	case rv.CSRMcycle, rv.CSRMcycleh, rv.CSRMinstret, rv.CSRMinstreth,
		rv.CSRCycle, rv.CSRCycleh, rv.CSRTime, rv.CSRTimeh, rv.CSRInstret, rv.CSRInstreth,
		rv.CSRThreadID, rv.CSRWarpID, rv.CSRCoreID, rv.CSRActiveWarps, rv.CSRActiveThreads,
		rv.CSRNumThreads, rv.CSRNumWarps, rv.CSRNumCores, rv.CSRLocalMemBase,
		rv.CSRMhartid, csrMvendor, csrMarch, csrMimp, rv.CSRMpmReserved, rv.CSRMpmReservedh:
		return readOnly
	}
	if csr >= rv.CSRMhpmcounter3 && csr <= lastHpm || csr >= rv.CSRMhpmcounter3h && csr <= lastHpmh {
		return readOnly
	}
	return unknown
}

// readCSR is the value of a register in the first lane; it grows by step from
// lane to lane.
func (w *Warp) readCSR(csr uint16) (value, step uint32) {
	c := w.core
	l := &c.k.launch
	switch csr {
	case rv.CSRFflags:
		return uint32(w.fflags), 0
	case rv.CSRFrm:
		return uint32(w.frm), 0
	case rv.CSRFcsr:
		return uint32(w.frm)<<5 | uint32(w.fflags), 0
	case rv.CSRMscratch:
		return c.mscratch, 0
	case csrMisa:
		return misa, 0
	case rv.CSRMcycle, rv.CSRCycle, rv.CSRTime:
		return uint32(c.warpInstructions), 0
	case rv.CSRMcycleh, rv.CSRCycleh, rv.CSRTimeh:
		return uint32(c.warpInstructions >> 32), 0
	case rv.CSRMinstret, rv.CSRInstret:
		return uint32(c.threadInstructions), 0
	case rv.CSRMinstreth, rv.CSRInstreth:
		return uint32(c.threadInstructions >> 32), 0
	case rv.CSRThreadID:
		return 0, 1
	case rv.CSRWarpID:
		return uint32(w.id), 0
	case rv.CSRCoreID:
		return uint32(c.id), 0
	case rv.CSRActiveWarps:
		return c.active, 0
	case rv.CSRActiveThreads:
		return w.mask, 0
	case rv.CSRNumThreads:
		return uint32(l.Threads), 0
	case rv.CSRNumWarps:
		return uint32(l.Warps), 0
	case rv.CSRNumCores:
		return uint32(l.Cores), 0
	case rv.CSRLocalMemBase:
		return c.k.mem.userEnd, 0
	case rv.CSRMhartid:
		return uint32((c.id*l.Warps + w.id) * l.Threads), 1
	}
	return 0, 0
}

// writeCSR changes a register that is writable.
func (w *Warp) writeCSR(csr uint16, x uint32) {
	switch csr {
	case rv.CSRFflags:
		w.fflags = f32.Flags(x & 31)
	case rv.CSRFrm:
		w.frm = uint8(x & frmBits)
	case rv.CSRFcsr:
		w.fflags, w.frm = f32.Flags(x&31), uint8(x>>5&frmBits)
	case rv.CSRMscratch:
		w.core.mscratch = x
	}
}

// csr executes the instructions of Zicsr. A register is written with the operand
// of the last active thread; a set or clear of x0 or 0 does not write.
func (w *Warp) csr(in *instr, m uint32, s *simt.Step) problem {
	acc := csrAccess(in.csr)
	if acc == unknown {
		return problem{simt.ErrUnsupported, fmt.Sprintf("no register %s of control and status", rv.CSRName(in.csr))}
	}
	old, step := w.readCSR(in.csr)
	if v := w.core.k.vary; v.differs(in.csr) {
		old = v.value()
	}
	switch in.csr {
	case rv.CSRActiveWarps:
		s.Yield = w.core.started
	case rv.CSRMcycle, rv.CSRMcycleh, rv.CSRMinstret, rv.CSRMinstreth,
		rv.CSRCycle, rv.CSRCycleh, rv.CSRTime, rv.CSRTimeh, rv.CSRInstret, rv.CSRInstreth:
		w.core.changes++ // a loop around this ends some time
	}
	x := in.imm
	if in.op == rv.Csrrw || in.op == rv.Csrrs || in.op == rv.Csrrc {
		x = w.regs[in.a][last(m)]
	}
	write := true
	switch in.op {
	case rv.Csrrs, rv.Csrrc:
		write = in.a != noRegister
	case rv.Csrrsi, rv.Csrrci:
		write = in.imm != 0
	}
	if write {
		if acc == readOnly {
			return problem{simt.ErrInvalid, fmt.Sprintf("%s cannot be written", rv.CSRName(in.csr))}
		}
		switch in.op {
		case rv.Csrrs, rv.Csrrsi:
			x |= old
		case rv.Csrrc, rv.Csrrci:
			x = old &^ x
		}
		w.writeCSR(in.csr, x)
		w.core.changes++
	}
	d := &w.regs[in.d]
	for i := range d {
		if m>>i&1 != 0 {
			d[i] = old + step*uint32(i)
		}
	}
	return problem{}
}
