package reference

import "math/big"

// execute carries out the instruction for the warp: those that concern it as a
// whole here and in simt.go, all others thread by thread.
func (s *step) execute() *Fault {
	switch s.in.Name {
	case "vx_tmc", "vx_wspawn", "vx_split", "vx_join", "vx_bar", "vx_pred", "ecall":
		return s.control()
	case "csrrw", "csrrs", "csrrc", "csrrwi", "csrrsi", "csrrci":
		return s.register()
	case "ebreak":
		return s.fault(Breakpoint, -1)
	case "fence", "fence.i":
		return nil
	}
	mode := NearestEven
	if s.in.hasRounding {
		rm := uint32(s.in.Rounding)
		if rm == 7 {
			rm = s.warp.FRM
		}
		if rm > 4 {
			return s.fault(BadRounding, -1)
		}
		mode = Mode(rm)
	}
	// All threads must go the same way, for the same reason.
	var ways []way
	for _, t := range s.warp.active() {
		w, f := s.thread(t, mode)
		if f != nil {
			return f
		}
		ways = append(ways, w)
	}
	for _, w := range ways {
		if w != ways[0] {
			return s.fault(Divergent, -1)
		}
	}
	if ways[0].next%4 != 0 {
		return s.fault(Misaligned, -1)
	}
	s.next = ways[0].next
	return nil
}

// way is where a thread goes on, and whether it has taken a branch to get there.
type way struct {
	next  uint32
	taken bool
}

// thread executes the instruction for one thread.
func (s *step) thread(t int, mode Mode) (w way, f *Fault) {
	regs := &s.warp.Threads[t]
	in := s.in
	w.next = s.pc + 4
	a, b := regs.X[in.Rs1], regs.X[in.Rs2]
	fa, fb, fc := regs.F[in.Rs1], regs.F[in.Rs2], regs.F[in.Rs3]
	imm := uint32(in.Immediate)

	x := func(value uint32) { // the result is an integer
		if in.Rd != 0 {
			regs.X[in.Rd] = value
		}
	}
	flagged := func(value, flags uint32) uint32 {
		s.warp.FFlags |= flags
		return value
	}
	float := func(value, flags uint32) { // the result is a number
		regs.F[in.Rd] = flagged(value, flags)
	}
	integer := func(value, flags uint32) { x(flagged(value, flags)) }
	branch := func(taken bool) {
		if taken {
			w = way{s.pc + imm, true}
		}
	}
	access := func(width int) uint32 {
		addr := a + imm
		s.event.Width = width
		s.event.Addresses = append(s.event.Addresses, addr)
		return addr
	}
	load := func(width int, sign bool) (value uint32) {
		value, f = s.load(access(width), width, t)
		if sign {
			value = uint32(signed(value, 8*width))
		}
		return value
	}

	switch in.Name {
	case "lui":
		x(imm)
	case "auipc":
		x(s.pc + imm)
	case "jal":
		w.next = s.pc + imm
		x(s.pc + 4)
	case "jalr":
		w.next = (a + imm) &^ 1
		x(s.pc + 4)
	case "beq":
		branch(a == b)
	case "bne":
		branch(a != b)
	case "blt":
		branch(int32(a) < int32(b))
	case "bge":
		branch(int32(a) >= int32(b))
	case "bltu":
		branch(a < b)
	case "bgeu":
		branch(a >= b)

	case "lb":
		if v := load(1, true); f == nil {
			x(v)
		}
	case "lh":
		if v := load(2, true); f == nil {
			x(v)
		}
	case "lw":
		if v := load(4, false); f == nil {
			x(v)
		}
	case "lbu":
		if v := load(1, false); f == nil {
			x(v)
		}
	case "lhu":
		if v := load(2, false); f == nil {
			x(v)
		}
	case "flw":
		if v := load(4, false); f == nil {
			float(v, 0)
		}
	case "sb":
		f = s.store(access(1), b, 1, t)
	case "sh":
		f = s.store(access(2), b, 2, t)
	case "sw":
		f = s.store(access(4), b, 4, t)
	case "fsw":
		f = s.store(access(4), fb, 4, t)

	case "addi":
		x(a + imm)
	case "add":
		x(a + b)
	case "sub":
		x(a - b)
	case "slti":
		x(truth(int32(a) < int32(imm)))
	case "slt":
		x(truth(int32(a) < int32(b)))
	case "sltiu":
		x(truth(a < imm))
	case "sltu":
		x(truth(a < b))
	case "xori":
		x(a ^ imm)
	case "xor":
		x(a ^ b)
	case "ori":
		x(a | imm)
	case "or":
		x(a | b)
	case "andi":
		x(a & imm)
	case "and":
		x(a & b)
	case "slli":
		x(shiftLeft(a, imm))
	case "sll":
		x(shiftLeft(a, b))
	case "srli":
		x(shiftRight(a, imm, false))
	case "srl":
		x(shiftRight(a, b, false))
	case "srai":
		x(shiftRight(a, imm, true))
	case "sra":
		x(shiftRight(a, b, true))

	case "mul":
		x(product(a, b, true, true, 0))
	case "mulh":
		x(product(a, b, true, true, 32))
	case "mulhsu":
		x(product(a, b, true, false, 32))
	case "mulhu":
		x(product(a, b, false, false, 32))
	case "div":
		quotient, _ := divide(a, b, true)
		x(quotient)
	case "divu":
		quotient, _ := divide(a, b, false)
		x(quotient)
	case "rem":
		_, remainder := divide(a, b, true)
		x(remainder)
	case "remu":
		_, remainder := divide(a, b, false)
		x(remainder)
	case "czero.eqz":
		if b == 0 {
			a = 0
		}
		x(a)
	case "czero.nez":
		if b != 0 {
			a = 0
		}
		x(a)

	case "fmadd.s":
		float(FMA(fa, fb, fc, mode))
	case "fmsub.s":
		float(FMA(fa, fb, fc^signBit, mode))
	case "fnmsub.s":
		float(FMA(fa^signBit, fb, fc, mode))
	case "fnmadd.s":
		float(FMA(fa^signBit, fb, fc^signBit, mode))
	case "fadd.s":
		float(Add(fa, fb, mode))
	case "fsub.s":
		float(Sub(fa, fb, mode))
	case "fmul.s":
		float(Mul(fa, fb, mode))
	case "fdiv.s":
		float(Div(fa, fb, mode))
	case "fsqrt.s":
		float(Sqrt(fa, mode))
	case "fsgnj.s":
		float(withSign(negative(fb), fa&^signBit), 0)
	case "fsgnjn.s":
		float(withSign(!negative(fb), fa&^signBit), 0)
	case "fsgnjx.s":
		float(withSign(negative(fa) != negative(fb), fa&^signBit), 0)
	case "fmin.s":
		float(Min(fa, fb))
	case "fmax.s":
		float(Max(fa, fb))
	case "feq.s":
		integer(Equal(fa, fb))
	case "flt.s":
		integer(Less(fa, fb))
	case "fle.s":
		integer(LessEqual(fa, fb))
	case "fclass.s":
		x(Classify(fa))
	case "fcvt.w.s":
		integer(ToInt(fa, true, mode))
	case "fcvt.wu.s":
		integer(ToInt(fa, false, mode))
	case "fcvt.s.w":
		float(FromInt(a, true, mode))
	case "fcvt.s.wu":
		float(FromInt(a, false, mode))
	case "fmv.x.w":
		x(fa)
	case "fmv.w.x":
		float(a, 0)
	}
	return w, f
}

// number is a register as a signed or unsigned number.
func number(a uint32, sign bool) *big.Int {
	if sign {
		return big.NewInt(int64(int32(a)))
	}
	return big.NewInt(int64(a))
}

// low is the lowest 32 bits of n in two's complement.
func low(n *big.Int) uint32 {
	return uint32(new(big.Int).And(n, big.NewInt(1<<32-1)).Uint64())
}

// shiftLeft shifts by the lowest five bits of by.
func shiftLeft(a, by uint32) uint32 {
	return low(new(big.Int).Mul(number(a, false), pow2(int(by%32))))
}

// shiftRight shifts by the lowest five bits of by: a division, rounded down.
func shiftRight(a, by uint32, arithmetic bool) uint32 {
	n := number(a, arithmetic)
	return low(n.Div(n, pow2(int(by%32)))) // Euclidean, which for a positive divisor is down
}

// product is the 32 bits from bit shift of a product.
func product(a, b uint32, signedA, signedB bool, shift int) uint32 {
	p := new(big.Int).Mul(number(a, signedA), number(b, signedB))
	return low(p.Div(p, pow2(shift)))
}

// divide rounds towards zero; the remainder has the sign of the dividend. There
// are no exceptions: division by zero gives all ones and the dividend, and the
// quotient that does not fit wraps around.
func divide(a, b uint32, sign bool) (quotient, remainder uint32) {
	if b == 0 {
		return 0xffffffff, a
	}
	q, r := new(big.Int).QuoRem(number(a, sign), number(b, sign), new(big.Int))
	return low(q), low(r)
}
