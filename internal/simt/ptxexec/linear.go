package ptxexec

import "github.com/warpbound/warpbound/ptx"

// linearOp is what an instruction does to values that are affine in the block's
// coordinates. What has no rule here gives the same result in all blocks of a
// class only where its operands are the same in all of them.
type linearOp uint8

const (
	linNone linearOp = iota
	linMove
	linAdd
	linSub
	linMul // and mad: c is added
	linWide
	linShl
	linShr
	linDiv
	linRem
	linAnd
	linOr // and xor
	linNot
	linNeg
	linMin
	linMax
	linCvt
	linCompare
)

// linear is the rule of an instruction and the types it works on.
type linear struct {
	op       linearOp
	bits     uint8 // of the result
	from     uint8 // of the operands
	register uint8 // cvt: of the destination register
	signed   bool  // the operands are
	toSigned bool  // cvt: the result is
	add      bool  // the third operand is added
	cmp      ptx.Cmp
}

var linearOps = map[string]linearOp{
	"add": linAdd, "sub": linSub, "mul": linMul, "mad": linMul, "shl": linShl, "shr": linShr, "div": linDiv, "rem": linRem,
	"and": linAnd, "or": linOr, "xor": linOr, "not": linNot, "neg": linNeg, "min": linMin, "max": linMax, "cvt": linCvt,
}

// linearOf is the rule of an instruction of value registers only. width is that
// of its destination register.
func linearOf(op string, f *ptx.Form, width int) linear {
	t := f.Type
	r := linear{op: linearOps[op], bits: uint8(t.Bits()), from: uint8(t.Bits()), signed: t.Signed(), add: op == "mad", register: uint8(width)}
	switch {
	case !integral(t) || f.Sat || f.Relu || f.CC:
		return linear{}
	case r.op == linMul && f.Mul == ptx.MulWide:
		r.op, r.bits = linWide, 2*r.from
	case r.op == linMul && f.Mul == ptx.MulHi:
		return linear{}
	case r.op == linCvt:
		if !integral(f.Type2) {
			return linear{}
		}
		r.from, r.signed, r.toSigned = uint8(f.Type2.Bits()), f.Type2.Signed(), t.Signed()
	}
	if r.bits != 16 && r.bits != 32 && r.bits != 64 && r.op != linCvt {
		return linear{}
	}
	return r
}

// compares is the rule of setp.
func compares(f *ptx.Form) linear {
	t := f.Type
	if !integral(t) || f.Cmp > ptx.CmpHS {
		return linear{}
	}
	cmp, signed := f.Cmp, t.Signed()
	switch cmp {
	case ptx.CmpLO:
		cmp, signed = ptx.CmpLT, false
	case ptx.CmpLS:
		cmp, signed = ptx.CmpLE, false
	case ptx.CmpHI:
		cmp, signed = ptx.CmpGT, false
	case ptx.CmpHS:
		cmp, signed = ptx.CmpGE, false
	}
	return linear{op: linCompare, from: uint8(t.Bits()), signed: signed, cmp: cmp}
}

// integral says that values of a type are integers, or bits read as one.
func integral(t ptx.Type) bool {
	c := t.Class()
	return c == ptx.ClassUnsigned || c == ptx.ClassSigned || c == ptx.ClassBits
}
