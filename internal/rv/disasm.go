package rv

import (
	"fmt"
	"strings"
)

var (
	intNames = [32]string{
		"zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5",
		"a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
	}
	floatNames = [32]string{
		"ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7", "fs0", "fs1", "fa0", "fa1", "fa2", "fa3", "fa4", "fa5",
		"fa6", "fa7", "fs2", "fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11",
	}
	roundingNames = [8]string{"rne", "rtz", "rdn", "rup", "rmm", "rm5", "rm6", "dyn"}
)

// tsoFence is the immediate of fence.tso: fm 8, both sets rw.
const tsoFence = 0x833

// Mnemonic is the name of the operation, with the suffix _n where a predicate
// is negated.
func (i Inst) Mnemonic() string {
	switch {
	case i.Neg:
		return i.Op.String() + "_n"
	case i.Op == Fence && i.Imm == tsoFence:
		return "fence.tso"
	}
	return i.Op.String()
}

// String is the instruction in assembly syntax without pseudo-instructions,
// branch and jump targets relative to it: "beq a0, a1, .+16". A word that is
// no instruction prints as data.
func (i Inst) String() string {
	return i.text(func(offset int32) string { return fmt.Sprintf(".%+d", offset) })
}

// Disassemble is the instruction word at address pc in assembly syntax without
// pseudo-instructions, branch and jump targets as absolute addresses. A word
// that is no instruction prints as data: ".word 0x00000000".
func Disassemble(word, pc uint32) string {
	i, err := Decode(word)
	if err != nil {
		return dataText(word)
	}
	return i.text(absolute(pc))
}

func absolute(pc uint32) func(int32) string {
	return func(offset int32) string { return fmt.Sprintf("0x%x", pc+uint32(offset)) }
}

func dataText(word uint32) string { return fmt.Sprintf(".word 0x%08x", word) }

// text prints the operands by the letters of the operation's row.
func (i Inst) text(target func(offset int32) string) string {
	if i.Op == Invalid || i.Op >= NumOps {
		return dataText(i.Raw)
	}
	var b strings.Builder
	b.WriteString(i.Mnemonic())
	if i.Op == Fence && i.Imm == tsoFence {
		return b.String()
	}
	operands := table[i.Op].operands
	for k := range len(operands) {
		c := operands[k]
		switch c {
		case ',':
			continue // every operand writes its own separator
		case '(', ')':
			b.WriteByte(c)
			continue
		case 'm':
			if i.RM&7 == DYN {
				continue
			}
		case 'n', 'N':
			continue // in the mnemonic
		}
		switch {
		case k == 0:
			b.WriteByte(' ')
		case operands[k-1] != '(':
			b.WriteString(", ")
		}
		b.WriteString(i.operand(c, target))
	}
	return b.String()
}

// operand prints the operand that letter stands for.
func (i Inst) operand(letter byte, target func(int32) string) string {
	switch letter {
	case 'd':
		return intNames[i.Rd&31]
	case 's':
		return intNames[i.Rs1&31]
	case 't':
		return intNames[i.Rs2&31]
	case 'D':
		return floatNames[i.Rd&31]
	case 'S':
		return floatNames[i.Rs1&31]
	case 'T':
		return floatNames[i.Rs2&31]
	case 'R':
		return floatNames[i.Rs3&31]
	case 'b', 'a':
		return target(i.Imm)
	case 'u':
		return fmt.Sprintf("0x%x", uint32(i.Imm)>>12)
	case 'c':
		return CSRName(i.CSR)
	case 'm':
		return roundingNames[i.RM&7]
	case 'f':
		return fenceSet(i.Imm>>4) + ", " + fenceSet(i.Imm)
	}
	return fmt.Sprint(i.Imm)
}

// fenceSet names the accesses of a predecessor or successor set.
func fenceSet(set int32) string {
	var b strings.Builder
	for k, c := range []byte("iorw") {
		if set>>(3-k)&1 != 0 {
			b.WriteByte(c)
		}
	}
	if b.Len() == 0 {
		return "0"
	}
	return b.String()
}
