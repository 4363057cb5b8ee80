package rv

import "fmt"

// Op is an operation: one constant per instruction of the supported set.
type Op uint8

// The operations. Invalid, the zero value, is what a word that is no supported
// instruction stands for.
const (
	Invalid Op = iota

	// RV32I
	Lui
	Auipc
	Jal
	Jalr
	Beq
	Bne
	Blt
	Bge
	Bltu
	Bgeu
	Lb
	Lh
	Lw
	Lbu
	Lhu
	Sb
	Sh
	Sw
	Addi
	Slti
	Sltiu
	Xori
	Ori
	Andi
	Slli
	Srli
	Srai
	Add
	Sub
	Sll
	Slt
	Sltu
	Xor
	Srl
	Sra
	Or
	And
	Fence
	Ecall
	Ebreak

	// Zifencei
	FenceI

	// Zicsr
	Csrrw
	Csrrs
	Csrrc
	Csrrwi
	Csrrsi
	Csrrci

	// M
	Mul
	Mulh
	Mulhsu
	Mulhu
	Div
	Divu
	Rem
	Remu

	// Zicond
	CzeroEqz
	CzeroNez

	// F
	Flw
	Fsw
	FmaddS
	FmsubS
	FnmsubS
	FnmaddS
	FaddS
	FsubS
	FmulS
	FdivS
	FsqrtS
	FsgnjS
	FsgnjnS
	FsgnjxS
	FminS
	FmaxS
	FcvtWS
	FcvtWuS
	FmvXW
	FeqS
	FltS
	FleS
	FclassS
	FcvtSW
	FcvtSWu
	FmvWX

	// Vortex
	Tmc
	Wspawn
	Split
	Join
	Bar
	Pred

	NumOps // how many operations there are, Invalid included
)

// Extension is the part of the instruction set an operation belongs to.
type Extension uint8

// The supported extensions.
const (
	RV32I Extension = iota
	Zifencei
	Zicsr
	RV32M
	Zicond
	RV32F
	Vortex // the SIMT instructions on custom-0
)

var extensionNames = [...]string{"RV32I", "Zifencei", "Zicsr", "RV32M", "Zicond", "RV32F", "Vortex"}

func (e Extension) String() string {
	if int(e) < len(extensionNames) {
		return extensionNames[e]
	}
	return fmt.Sprintf("extension(%d)", uint8(e))
}

// row is one instruction of the table: a word w is this instruction where
// w&mask == match. operands is its assembly syntax, a letter an operand, each
// letter also saying which bits of the word hold it:
//
//	d s t    integer registers rd, rs1, rs2
//	D S T R  floating-point registers rd, rs1, rs2, rs3
//	i o q    12-bit immediate of I-type, the same as load offset, that of S-type
//	h        shift amount, 5 bits
//	b a      branch offset (B-type), jump offset (J-type)
//	u        upper 20 bits
//	c z      CSR number, its 5-bit immediate
//	m        rounding mode, printed where it is not dynamic
//	f        fm, predecessor and successor set of fence
//	n N      negation of the predicate: bit 0 of the rs2 field, of the rd field
type row struct {
	name     string
	ext      Extension
	mask     uint32
	match    uint32
	operands string
}

// table is indexed by Op. Encodings: The RISC-V Instruction Set Manual, Volume
// I, instruction set listings; the SIMT instructions as in Vortex 2.2, custom-0
// with funct7 0. Register fields an instruction has no use for must be 0, with
// one exception that the manual makes: rd and rs1 of fence and fence.i (and the
// immediate of fence.i) are ignored.
var table = [NumOps]row{
	Lui:    {"lui", RV32I, 0x0000007f, 0x00000037, "d,u"},
	Auipc:  {"auipc", RV32I, 0x0000007f, 0x00000017, "d,u"},
	Jal:    {"jal", RV32I, 0x0000007f, 0x0000006f, "d,a"},
	Jalr:   {"jalr", RV32I, 0x0000707f, 0x00000067, "d,o(s)"},
	Beq:    {"beq", RV32I, 0x0000707f, 0x00000063, "s,t,b"},
	Bne:    {"bne", RV32I, 0x0000707f, 0x00001063, "s,t,b"},
	Blt:    {"blt", RV32I, 0x0000707f, 0x00004063, "s,t,b"},
	Bge:    {"bge", RV32I, 0x0000707f, 0x00005063, "s,t,b"},
	Bltu:   {"bltu", RV32I, 0x0000707f, 0x00006063, "s,t,b"},
	Bgeu:   {"bgeu", RV32I, 0x0000707f, 0x00007063, "s,t,b"},
	Lb:     {"lb", RV32I, 0x0000707f, 0x00000003, "d,o(s)"},
	Lh:     {"lh", RV32I, 0x0000707f, 0x00001003, "d,o(s)"},
	Lw:     {"lw", RV32I, 0x0000707f, 0x00002003, "d,o(s)"},
	Lbu:    {"lbu", RV32I, 0x0000707f, 0x00004003, "d,o(s)"},
	Lhu:    {"lhu", RV32I, 0x0000707f, 0x00005003, "d,o(s)"},
	Sb:     {"sb", RV32I, 0x0000707f, 0x00000023, "t,q(s)"},
	Sh:     {"sh", RV32I, 0x0000707f, 0x00001023, "t,q(s)"},
	Sw:     {"sw", RV32I, 0x0000707f, 0x00002023, "t,q(s)"},
	Addi:   {"addi", RV32I, 0x0000707f, 0x00000013, "d,s,i"},
	Slti:   {"slti", RV32I, 0x0000707f, 0x00002013, "d,s,i"},
	Sltiu:  {"sltiu", RV32I, 0x0000707f, 0x00003013, "d,s,i"},
	Xori:   {"xori", RV32I, 0x0000707f, 0x00004013, "d,s,i"},
	Ori:    {"ori", RV32I, 0x0000707f, 0x00006013, "d,s,i"},
	Andi:   {"andi", RV32I, 0x0000707f, 0x00007013, "d,s,i"},
	Slli:   {"slli", RV32I, 0xfe00707f, 0x00001013, "d,s,h"},
	Srli:   {"srli", RV32I, 0xfe00707f, 0x00005013, "d,s,h"},
	Srai:   {"srai", RV32I, 0xfe00707f, 0x40005013, "d,s,h"},
	Add:    {"add", RV32I, 0xfe00707f, 0x00000033, "d,s,t"},
	Sub:    {"sub", RV32I, 0xfe00707f, 0x40000033, "d,s,t"},
	Sll:    {"sll", RV32I, 0xfe00707f, 0x00001033, "d,s,t"},
	Slt:    {"slt", RV32I, 0xfe00707f, 0x00002033, "d,s,t"},
	Sltu:   {"sltu", RV32I, 0xfe00707f, 0x00003033, "d,s,t"},
	Xor:    {"xor", RV32I, 0xfe00707f, 0x00004033, "d,s,t"},
	Srl:    {"srl", RV32I, 0xfe00707f, 0x00005033, "d,s,t"},
	Sra:    {"sra", RV32I, 0xfe00707f, 0x40005033, "d,s,t"},
	Or:     {"or", RV32I, 0xfe00707f, 0x00006033, "d,s,t"},
	And:    {"and", RV32I, 0xfe00707f, 0x00007033, "d,s,t"},
	Fence:  {"fence", RV32I, 0x0000707f, 0x0000000f, "f"},
	Ecall:  {"ecall", RV32I, 0xffffffff, 0x00000073, ""},
	Ebreak: {"ebreak", RV32I, 0xffffffff, 0x00100073, ""},

	FenceI: {"fence.i", Zifencei, 0x0000707f, 0x0000100f, ""},

	Csrrw:  {"csrrw", Zicsr, 0x0000707f, 0x00001073, "d,c,s"},
	Csrrs:  {"csrrs", Zicsr, 0x0000707f, 0x00002073, "d,c,s"},
	Csrrc:  {"csrrc", Zicsr, 0x0000707f, 0x00003073, "d,c,s"},
	Csrrwi: {"csrrwi", Zicsr, 0x0000707f, 0x00005073, "d,c,z"},
	Csrrsi: {"csrrsi", Zicsr, 0x0000707f, 0x00006073, "d,c,z"},
	Csrrci: {"csrrci", Zicsr, 0x0000707f, 0x00007073, "d,c,z"},

	Mul:    {"mul", RV32M, 0xfe00707f, 0x02000033, "d,s,t"},
	Mulh:   {"mulh", RV32M, 0xfe00707f, 0x02001033, "d,s,t"},
	Mulhsu: {"mulhsu", RV32M, 0xfe00707f, 0x02002033, "d,s,t"},
	Mulhu:  {"mulhu", RV32M, 0xfe00707f, 0x02003033, "d,s,t"},
	Div:    {"div", RV32M, 0xfe00707f, 0x02004033, "d,s,t"},
	Divu:   {"divu", RV32M, 0xfe00707f, 0x02005033, "d,s,t"},
	Rem:    {"rem", RV32M, 0xfe00707f, 0x02006033, "d,s,t"},
	Remu:   {"remu", RV32M, 0xfe00707f, 0x02007033, "d,s,t"},

	CzeroEqz: {"czero.eqz", Zicond, 0xfe00707f, 0x0e005033, "d,s,t"},
	CzeroNez: {"czero.nez", Zicond, 0xfe00707f, 0x0e007033, "d,s,t"},

	Flw:     {"flw", RV32F, 0x0000707f, 0x00002007, "D,o(s)"},
	Fsw:     {"fsw", RV32F, 0x0000707f, 0x00002027, "T,q(s)"},
	FmaddS:  {"fmadd.s", RV32F, 0x0600007f, 0x00000043, "D,S,T,R,m"},
	FmsubS:  {"fmsub.s", RV32F, 0x0600007f, 0x00000047, "D,S,T,R,m"},
	FnmsubS: {"fnmsub.s", RV32F, 0x0600007f, 0x0000004b, "D,S,T,R,m"},
	FnmaddS: {"fnmadd.s", RV32F, 0x0600007f, 0x0000004f, "D,S,T,R,m"},
	FaddS:   {"fadd.s", RV32F, 0xfe00007f, 0x00000053, "D,S,T,m"},
	FsubS:   {"fsub.s", RV32F, 0xfe00007f, 0x08000053, "D,S,T,m"},
	FmulS:   {"fmul.s", RV32F, 0xfe00007f, 0x10000053, "D,S,T,m"},
	FdivS:   {"fdiv.s", RV32F, 0xfe00007f, 0x18000053, "D,S,T,m"},
	FsqrtS:  {"fsqrt.s", RV32F, 0xfff0007f, 0x58000053, "D,S,m"},
	FsgnjS:  {"fsgnj.s", RV32F, 0xfe00707f, 0x20000053, "D,S,T"},
	FsgnjnS: {"fsgnjn.s", RV32F, 0xfe00707f, 0x20001053, "D,S,T"},
	FsgnjxS: {"fsgnjx.s", RV32F, 0xfe00707f, 0x20002053, "D,S,T"},
	FminS:   {"fmin.s", RV32F, 0xfe00707f, 0x28000053, "D,S,T"},
	FmaxS:   {"fmax.s", RV32F, 0xfe00707f, 0x28001053, "D,S,T"},
	FcvtWS:  {"fcvt.w.s", RV32F, 0xfff0007f, 0xc0000053, "d,S,m"},
	FcvtWuS: {"fcvt.wu.s", RV32F, 0xfff0007f, 0xc0100053, "d,S,m"},
	FmvXW:   {"fmv.x.w", RV32F, 0xfff0707f, 0xe0000053, "d,S"},
	FeqS:    {"feq.s", RV32F, 0xfe00707f, 0xa0002053, "d,S,T"},
	FltS:    {"flt.s", RV32F, 0xfe00707f, 0xa0001053, "d,S,T"},
	FleS:    {"fle.s", RV32F, 0xfe00707f, 0xa0000053, "d,S,T"},
	FclassS: {"fclass.s", RV32F, 0xfff0707f, 0xe0001053, "d,S"},
	FcvtSW:  {"fcvt.s.w", RV32F, 0xfff0007f, 0xd0000053, "D,s,m"},
	FcvtSWu: {"fcvt.s.wu", RV32F, 0xfff0007f, 0xd0100053, "D,s,m"},
	FmvWX:   {"fmv.w.x", RV32F, 0xfff0707f, 0xf0000053, "D,s"},

	Tmc:    {"vx_tmc", Vortex, 0xfff07fff, 0x0000000b, "s"},
	Wspawn: {"vx_wspawn", Vortex, 0xfe007fff, 0x0000100b, "s,t"},
	Split:  {"vx_split", Vortex, 0xffe0707f, 0x0000200b, "d,s,n"},
	Join:   {"vx_join", Vortex, 0xfff07fff, 0x0000300b, "s"},
	Bar:    {"vx_bar", Vortex, 0xfe007fff, 0x0000400b, "s,t"},
	Pred:   {"vx_pred", Vortex, 0xfe007f7f, 0x0000500b, "s,t,N"},
}

// Ops returns all operations in declaration order, without Invalid.
func Ops() []Op {
	ops := make([]Op, 0, NumOps-1)
	for op := Invalid + 1; op < NumOps; op++ {
		ops = append(ops, op)
	}
	return ops
}

// String is the mnemonic.
func (op Op) String() string {
	switch {
	case op == Invalid:
		return "invalid"
	case op < NumOps:
		return table[op].name
	}
	return fmt.Sprintf("op(%d)", uint8(op))
}

// Extension is the part of the instruction set op belongs to.
func (op Op) Extension() Extension { return op.row().ext }

// Encoding gives the bits every word of op has: word&mask == match.
func (op Op) Encoding() (mask, match uint32) {
	r := op.row()
	return r.mask, r.match
}

// row is the table's row of op, the empty row of Invalid for what is no
// operation.
func (op Op) row() *row {
	if op >= NumOps {
		op = Invalid
	}
	return &table[op]
}
