package rv

// Pseudo is the instruction at address pc as compilers and debuggers print it:
// as the common pseudo-instruction that stands for it (nop, li, mv, ret, beqz,
// csrr, ...), else like [Disassemble].
func (i Inst) Pseudo(pc uint32) string {
	if s := i.pseudo(absolute(pc)); s != "" {
		return s
	}
	return i.text(absolute(pc))
}

// pseudo is the pseudo-instruction for i, "" where there is none.
func (i Inst) pseudo(target func(int32) string) string {
	const zero, ra = 0, 1
	rd, rs1, rs2 := intNames[i.Rd&31], intNames[i.Rs1&31], intNames[i.Rs2&31]
	switch i.Op {
	case Addi:
		switch {
		case i.Rd == zero && i.Rs1 == zero && i.Imm == 0:
			return "nop"
		case i.Rs1 == zero:
			return "li " + rd + ", " + i.operand('i', target)
		case i.Imm == 0:
			return "mv " + rd + ", " + rs1
		}
	case Xori:
		if i.Imm == -1 {
			return "not " + rd + ", " + rs1
		}
	case Andi:
		if i.Imm == 255 {
			return "zext.b " + rd + ", " + rs1
		}
	case Sltiu:
		if i.Imm == 1 {
			return "seqz " + rd + ", " + rs1
		}
	case Sub:
		if i.Rs1 == zero {
			return "neg " + rd + ", " + rs2
		}
	case Sltu:
		if i.Rs1 == zero {
			return "snez " + rd + ", " + rs2
		}
	case Slt:
		switch {
		case i.Rs2 == zero:
			return "sltz " + rd + ", " + rs1
		case i.Rs1 == zero:
			return "sgtz " + rd + ", " + rs2
		}
	case Beq, Bne, Blt, Bge:
		return i.branchOnZero(target)
	case Jal:
		switch i.Rd {
		case zero:
			return "j " + target(i.Imm)
		case ra:
			return "jal " + target(i.Imm)
		}
	case Jalr:
		switch {
		case i.Imm != 0:
		case i.Rd == zero && i.Rs1 == ra:
			return "ret"
		case i.Rd == zero:
			return "jr " + rs1
		case i.Rd == ra:
			return "jalr " + rs1
		}
	case Fence:
		if i.Imm == 0xff {
			return "fence"
		}
	case Csrrw, Csrrs, Csrrc, Csrrwi, Csrrsi, Csrrci:
		return i.csrPseudo(target)
	case FsgnjS, FsgnjnS, FsgnjxS:
		if i.Rs1 == i.Rs2 {
			name := map[Op]string{FsgnjS: "fmv.s ", FsgnjnS: "fneg.s ", FsgnjxS: "fabs.s "}[i.Op]
			return name + floatNames[i.Rd&31] + ", " + floatNames[i.Rs1&31]
		}
	}
	return ""
}

func (i Inst) branchOnZero(target func(int32) string) string {
	rs1, rs2, to := intNames[i.Rs1&31], intNames[i.Rs2&31], ", "+target(i.Imm)
	if i.Rs2 == 0 {
		return map[Op]string{Beq: "beqz ", Bne: "bnez ", Blt: "bltz ", Bge: "bgez "}[i.Op] + rs1 + to
	}
	if i.Rs1 == 0 {
		switch i.Op {
		case Blt:
			return "bgtz " + rs2 + to
		case Bge:
			return "blez " + rs2 + to
		}
	}
	return ""
}

func (i Inst) csrPseudo(target func(int32) string) string {
	csr := CSRName(i.CSR)
	if i.Op == Csrrs && i.Rs1 == 0 {
		return "csrr " + intNames[i.Rd&31] + ", " + csr
	}
	if i.Rd != 0 {
		return ""
	}
	switch i.Op {
	case Csrrw:
		return "csrw " + csr + ", " + intNames[i.Rs1&31]
	case Csrrs:
		return "csrs " + csr + ", " + intNames[i.Rs1&31]
	case Csrrc:
		return "csrc " + csr + ", " + intNames[i.Rs1&31]
	case Csrrwi:
		return "csrwi " + csr + ", " + i.operand('z', target)
	case Csrrsi:
		return "csrsi " + csr + ", " + i.operand('z', target)
	}
	return "csrci " + csr + ", " + i.operand('z', target)
}
