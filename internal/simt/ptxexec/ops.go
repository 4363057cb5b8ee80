package ptxexec

import (
	"github.com/warpbound/warpbound/ptx"
)

// pureOp is what an instruction computes: for one lane, and, where it pays, for
// a whole warp at once. The two agree bit for bit.
type pureOp struct {
	f laneFn
	v vecFn
}

type unsigned interface {
	uint8 | uint16 | uint32 | uint64
}

type signed interface {
	int8 | int16 | int32 | int64
}

// ofWidth chooses by the width of a type in bits.
func ofWidth(bits int, w16, w32, w64 pureOp) pureOp {
	switch bits {
	case 16:
		return w16
	case 32:
		return w32
	}
	return w64
}

// pure returns what an instruction without side effects computes from value
// registers only; ok is false for all others.
func pure(op string, f *ptx.Form) (p pureOp, ok bool) {
	t := f.Type
	if isPacked(t) && op != "cvt" {
		return packed(op, f)
	}
	switch op {
	case "add", "sub", "mul", "mad", "fma", "div", "rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2", "tanh", "abs", "neg", "min", "max":
		if t.Float() {
			p = floatOp(op, f)
		} else {
			p = integerOp(op, f)
		}
	case "mul24", "mad24", "sad", "rem", "dp4a", "dp2a":
		p = integerOp(op, f)
	case "copysign":
		p = pureOp{f: copySign(t)}
	case "and", "or", "xor", "not", "cnot", "shl", "shr":
		if t == ptx.Pred {
			return p, false
		}
		p = logicOp(op, f)
	case "shf":
		p = pureOp{f: funnelShift(f)}
	case "popc", "clz", "bfind", "brev", "bfe", "prmt", "fns", "szext", "bmsk":
		p = pureOp{f: bitOp(op, f)}
	case "slct":
		p = pureOp{f: selectSign(f)}
	case "cvt":
		p = convert(f)
	}
	return p, p.f != nil
}
