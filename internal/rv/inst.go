package rv

import "fmt"

// Inst is one decoded instruction. Fields the instruction does not have are 0.
// Whether Rd, Rs1 and Rs2 name integer or floating-point registers is the
// operation's business: see [Op.Operands].
type Inst struct {
	Op                Op
	Rd, Rs1, Rs2, Rs3 uint8 // register numbers, 0..31
	// Imm is the immediate operand in the form it is used in: sign-extended
	// for computations and offsets (bytes), already shifted left by 12 for lui
	// and auipc, 0..31 for shift amounts and the CSR immediates, the 12 bits
	// fm, predecessor and successor set for fence.
	Imm int32
	// RM is the rounding mode field, 0..7, of the floating-point instructions
	// that have one. 5 and 6 are reserved: they decode, and are an error when
	// executed, as is 7 (dynamic) where frm holds no valid mode.
	RM  uint8
	CSR uint16 // number of the control and status register, 0..4095
	Raw uint32 // the instruction word
	Neg bool   // the predicate of vx_split or vx_pred is negated
}

// The rounding modes of the RM field and of frm.
const (
	RNE uint8 = 0 // to nearest, ties to even
	RTZ uint8 = 1 // towards zero
	RDN uint8 = 2 // down
	RUP uint8 = 3 // up
	RMM uint8 = 4 // to nearest, ties to the larger magnitude
	DYN uint8 = 7 // the mode in frm
)

// DecodeError says why a word is no instruction of the supported set.
type DecodeError struct {
	Word   uint32
	Reason string
}

func (e *DecodeError) Error() string {
	return fmt.Sprintf("0x%08x is no supported instruction: %s", e.Word, e.Reason)
}
