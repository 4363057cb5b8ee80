package reference

// Instruction is a word taken apart. Fields the instruction does not have are
// zero.
type Instruction struct {
	Name              string // mnemonic of the manual, "vx_..." for the SIMT instructions
	Rd, Rs1, Rs2, Rs3 int
	Immediate         int32 // offset, immediate, shift amount, zimm
	CSR               uint32
	Rounding          int // the rm field
	PredicateInverted bool
	hasRounding       bool
}

// bits is word[high:low] as a number.
func bits(word uint32, high, low int) uint32 {
	return word >> low & (1<<(high-low+1) - 1)
}

// signed is the value of the lowest width bits as a signed number.
func signed(value uint32, width int) int32 {
	if value>>(width-1)&1 == 1 {
		return int32(value) - 1<<width
	}
	return int32(value)
}

// Decode takes a word apart; ok is false where it is no instruction.
func Decode(word uint32) (in Instruction, ok bool) {
	rd, rs1, rs2 := int(bits(word, 11, 7)), int(bits(word, 19, 15)), int(bits(word, 24, 20))
	funct3, funct7 := bits(word, 14, 12), bits(word, 31, 25)
	immI := signed(bits(word, 31, 20), 12)
	immS := signed(bits(word, 31, 25)<<5|bits(word, 11, 7), 12)
	// The offsets of branches and jumps are in units of two bytes.
	immB := 2 * signed(bits(word, 31, 31)<<11|bits(word, 7, 7)<<10|bits(word, 30, 25)<<4|bits(word, 11, 8), 12)
	immJ := 2 * signed(bits(word, 31, 31)<<19|bits(word, 19, 12)<<11|bits(word, 20, 20)<<10|bits(word, 30, 21), 20)
	immU := int32(bits(word, 31, 12) << 12)

	name := func(names ...string) string { // by funct3
		if int(funct3) < len(names) {
			return names[funct3]
		}
		return ""
	}
	switch bits(word, 6, 0) {
	case 0b0110111:
		in = Instruction{Name: "lui", Rd: rd, Immediate: immU}
	case 0b0010111:
		in = Instruction{Name: "auipc", Rd: rd, Immediate: immU}
	case 0b1101111:
		in = Instruction{Name: "jal", Rd: rd, Immediate: immJ}
	case 0b1100111:
		in = Instruction{Name: name("jalr"), Rd: rd, Rs1: rs1, Immediate: immI}
	case 0b1100011:
		in = Instruction{Name: name("beq", "bne", "", "", "blt", "bge", "bltu", "bgeu"), Rs1: rs1, Rs2: rs2, Immediate: immB}
	case 0b0000011:
		in = Instruction{Name: name("lb", "lh", "lw", "", "lbu", "lhu"), Rd: rd, Rs1: rs1, Immediate: immI}
	case 0b0100011:
		in = Instruction{Name: name("sb", "sh", "sw"), Rs1: rs1, Rs2: rs2, Immediate: immS}
	case 0b0000111:
		in = Instruction{Name: name("", "", "flw"), Rd: rd, Rs1: rs1, Immediate: immI}
	case 0b0100111:
		in = Instruction{Name: name("", "", "fsw"), Rs1: rs1, Rs2: rs2, Immediate: immS}
	case 0b0010011:
		in = Instruction{Name: name("addi", "slli", "slti", "sltiu", "xori", "srli", "ori", "andi"), Rd: rd, Rs1: rs1, Immediate: immI}
		if funct3 == 1 || funct3 == 5 {
			in.Immediate = int32(rs2)
			switch {
			case funct3 == 5 && funct7 == 0b0100000:
				in.Name = "srai"
			case funct7 != 0:
				in.Name = ""
			}
		}
	case 0b0110011:
		in = Instruction{Rd: rd, Rs1: rs1, Rs2: rs2}
		switch funct7 {
		case 0b0000000:
			in.Name = name("add", "sll", "slt", "sltu", "xor", "srl", "or", "and")
		case 0b0100000:
			in.Name = name("sub", "", "", "", "", "sra")
		case 0b0000001:
			in.Name = name("mul", "mulh", "mulhsu", "mulhu", "div", "divu", "rem", "remu")
		case 0b0000111:
			in.Name = name("", "", "", "", "", "czero.eqz", "", "czero.nez")
		}
	case 0b0001111:
		// Both ignore the fields they do not use. fm, predecessor and successor
		// set are of no effect here.
		in = Instruction{Name: name("fence", "fence.i")}
	case 0b1110011:
		switch {
		case word == 0x00000073:
			in = Instruction{Name: "ecall"}
		case word == 0x00100073:
			in = Instruction{Name: "ebreak"}
		case funct3 >= 5:
			in = Instruction{Name: name("", "", "", "", "", "csrrwi", "csrrsi", "csrrci"), Rd: rd, Immediate: int32(rs1), CSR: bits(word, 31, 20)}
		default:
			in = Instruction{Name: name("", "csrrw", "csrrs", "csrrc"), Rd: rd, Rs1: rs1, CSR: bits(word, 31, 20)}
		}
	case 0b1000011, 0b1000111, 0b1001011, 0b1001111:
		in = Instruction{Rd: rd, Rs1: rs1, Rs2: rs2, Rs3: int(bits(word, 31, 27)), Rounding: int(funct3), hasRounding: true}
		if bits(word, 26, 25) == 0 { // fmt: single precision
			in.Name = [...]string{"fmadd.s", "fmsub.s", "fnmsub.s", "fnmadd.s"}[bits(word, 3, 2)]
		}
	case 0b1010011:
		in = decodeFloat(funct7, funct3, rd, rs1, rs2)
	case 0b0001011: // custom-0
		in = decodeSIMT(funct7, funct3, rd, rs1, rs2)
	}
	if in.Name == "" {
		return Instruction{}, false
	}
	return in, true
}

// decodeFloat takes apart what has the major opcode OP-FP. The lowest two bits
// of funct7 are the format, single precision where zero.
func decodeFloat(funct7, funct3 uint32, rd, rs1, rs2 int) Instruction {
	three := func(name string) Instruction { return Instruction{Name: name, Rd: rd, Rs1: rs1, Rs2: rs2} }
	rounded := func(in Instruction) Instruction {
		in.Rounding, in.hasRounding = int(funct3), true
		return in
	}
	// one is an instruction with one source: rs2 says which it is.
	one := func(names ...string) Instruction {
		if rs2 < len(names) {
			return Instruction{Name: names[rs2], Rd: rd, Rs1: rs1}
		}
		return Instruction{}
	}
	byFunct3 := func(names ...string) string {
		if int(funct3) < len(names) {
			return names[funct3]
		}
		return ""
	}
	switch funct7 {
	case 0b0000000:
		return rounded(three("fadd.s"))
	case 0b0000100:
		return rounded(three("fsub.s"))
	case 0b0001000:
		return rounded(three("fmul.s"))
	case 0b0001100:
		return rounded(three("fdiv.s"))
	case 0b0101100:
		return rounded(one("fsqrt.s"))
	case 0b0010000:
		return three(byFunct3("fsgnj.s", "fsgnjn.s", "fsgnjx.s"))
	case 0b0010100:
		return three(byFunct3("fmin.s", "fmax.s"))
	case 0b1010000:
		return three(byFunct3("fle.s", "flt.s", "feq.s"))
	case 0b1100000:
		return rounded(one("fcvt.w.s", "fcvt.wu.s"))
	case 0b1101000:
		return rounded(one("fcvt.s.w", "fcvt.s.wu"))
	case 0b1110000:
		return one(byFunct3("fmv.x.w", "fclass.s"))
	case 0b1111000:
		return one(byFunct3("fmv.w.x"))
	}
	return Instruction{}
}

// decodeSIMT takes apart the custom-0 instructions. Fields they do not use must
// be zero.
func decodeSIMT(funct7, funct3 uint32, rd, rs1, rs2 int) Instruction {
	if funct7 != 0 {
		return Instruction{}
	}
	switch {
	case funct3 == 0 && rd == 0 && rs2 == 0:
		return Instruction{Name: "vx_tmc", Rs1: rs1}
	case funct3 == 1 && rd == 0:
		return Instruction{Name: "vx_wspawn", Rs1: rs1, Rs2: rs2}
	case funct3 == 2 && rs2 < 2:
		return Instruction{Name: "vx_split", Rd: rd, Rs1: rs1, PredicateInverted: rs2 == 1}
	case funct3 == 3 && rd == 0 && rs2 == 0:
		return Instruction{Name: "vx_join", Rs1: rs1}
	case funct3 == 4 && rd == 0:
		return Instruction{Name: "vx_bar", Rs1: rs1, Rs2: rs2}
	case funct3 == 5 && rd < 2:
		return Instruction{Name: "vx_pred", Rs1: rs1, Rs2: rs2, PredicateInverted: rd == 1}
	}
	return Instruction{}
}

// Fields is in with its exported fields alone.
func (in Instruction) Fields() Instruction {
	in.hasRounding = false
	return in
}
