package rvexec

import (
	"github.com/warpbound/warpbound/internal/rv"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/rvexec/f32"
)

// lanes is one register of a warp.
type lanes = f32.Lanes

var _ [simt.MaxLanes]uint32 = lanes{}

// The registers of a warp: x0 to x31, f0 to f31, and one that takes what is
// written to x0.
const (
	firstFloat  = 32
	discard     = 64
	numRegs     = 65
	noRegister  = 0 // operands an instruction does not have read x0
	linkBytes   = 4
	dynamicMode = uint8(rv.DYN)
)

// group is how an instruction is executed.
type group uint8

const (
	gPure group = iota // d = f(a, b)
	gFloat
	gLoad
	gStore
	gBranch
	gJump
	gJumpReg
	gCSR
	gNop
	gTmc
	gWspawn
	gSplit
	gJoin
	gBar
	gPred
	gEcall
	gEbreak
	gIllegal
	gOverwritten
)

// instr is a predecoded instruction.
type instr struct {
	group      group
	op         rv.Op
	d, a, b, c uint8 // registers
	rm         uint8
	rounds     bool // has a rounding mode
	neg        bool
	signed     bool   // loads: extend the sign
	width      int32  // loads and stores: bytes
	csr        uint16 //
	imm        uint32
	target     int32  // branches and jumps: instruction index, or badTarget
	k          *lanes // the second operand, where it is an immediate
	f          func(d, a, b *lanes)
	cmp        func(a, b *lanes) uint32
}

// badTarget marks a jump that is an error when taken.
const badTarget int32 = -2

// predecode fills k.code.
func (k *Kernel) predecode() {
	k.code = make([]instr, len(k.img.Insts))
	seen := map[uint32]int{}
	for i := range k.img.Insts {
		if x, ok := k.immediate(int32(i)); ok {
			if _, known := seen[x]; !known {
				seen[x] = len(seen)
			}
		}
	}
	k.consts = make([]lanes, len(seen))
	for x, at := range seen {
		for lane := range k.consts[at] {
			k.consts[at][lane] = x
		}
	}
	for i := range k.code {
		in := &k.code[i]
		k.predecodeOne(in, int32(i))
		if x, ok := k.immediate(int32(i)); ok {
			in.k = &k.consts[seen[x]]
		}
	}
}

// immediate is the constant second operand of a computation, false where the
// instruction has none.
func (k *Kernel) immediate(i int32) (uint32, bool) {
	switch in := &k.img.Insts[i]; in.Op {
	case rv.Addi, rv.Slti, rv.Sltiu, rv.Xori, rv.Ori, rv.Andi, rv.Slli, rv.Srli, rv.Srai, rv.Lui:
		return uint32(in.Imm), true
	case rv.Auipc:
		return k.img.Addr(i) + uint32(in.Imm), true
	}
	return 0, false
}

func (k *Kernel) predecodeOne(in *instr, i int32) {
	s := &k.img.Insts[i]
	*in = instr{op: s.Op, d: s.Rd, a: s.Rs1, b: s.Rs2, c: s.Rs3, rm: s.RM, neg: s.Neg, csr: s.CSR, imm: uint32(s.Imm)}
	target := func() int32 {
		if t, ok := k.img.Index(k.img.Addr(i) + uint32(s.Imm)); ok {
			return t
		}
		return badTarget
	}
	o := s.Op.Operands()
	for _, r := range []struct {
		file rv.File
		reg  *uint8
	}{{o.Rd, &in.d}, {o.Rs1, &in.a}, {o.Rs2, &in.b}, {o.Rs3, &in.c}} {
		if r.file == rv.FloatFile {
			*r.reg += firstFloat
		}
	}
	in.rounds = o.RM
	switch s.Op {
	case rv.Beq, rv.Bne, rv.Blt, rv.Bge, rv.Bltu, rv.Bgeu:
		in.group, in.cmp, in.target = gBranch, compares[s.Op], target()
	case rv.Jal:
		in.group, in.target = gJump, target()
	case rv.Jalr:
		in.group = gJumpReg
	case rv.Lb, rv.Lbu:
		in.group, in.width, in.signed = gLoad, 1, s.Op == rv.Lb
	case rv.Lh, rv.Lhu:
		in.group, in.width, in.signed = gLoad, 2, s.Op == rv.Lh
	case rv.Lw, rv.Flw:
		in.group, in.width = gLoad, 4
	case rv.Sb:
		in.group, in.width = gStore, 1
	case rv.Sh:
		in.group, in.width = gStore, 2
	case rv.Sw, rv.Fsw:
		in.group, in.width = gStore, 4
	case rv.Fence, rv.FenceI:
		in.group = gNop
	case rv.Ecall:
		in.group = gEcall
	case rv.Ebreak:
		in.group = gEbreak
	case rv.Csrrw, rv.Csrrs, rv.Csrrc, rv.Csrrwi, rv.Csrrsi, rv.Csrrci:
		in.group = gCSR
	case rv.FmaddS, rv.FmsubS, rv.FnmsubS, rv.FnmaddS, rv.FaddS, rv.FsubS, rv.FmulS, rv.FdivS, rv.FsqrtS,
		rv.FminS, rv.FmaxS, rv.FeqS, rv.FltS, rv.FleS, rv.FcvtWS, rv.FcvtWuS, rv.FcvtSW, rv.FcvtSWu:
		in.group = gFloat
	case rv.Tmc:
		in.group = gTmc
	case rv.Wspawn:
		in.group = gWspawn
	case rv.Split:
		in.group = gSplit
	case rv.Join:
		in.group = gJoin
	case rv.Bar:
		in.group = gBar
	case rv.Pred:
		in.group = gPred
	default:
		in.group, in.f = gPure, pure[s.Op]
		if in.f == nil {
			in.group = gIllegal
		}
	}
	if in.d == 0 {
		in.d = discard
	}
}
