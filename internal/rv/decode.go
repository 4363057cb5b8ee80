package rv

import "fmt"

// Operands says which register fields an operation has, and in which file.
type Operands struct {
	Rd, Rs1, Rs2, Rs3 File
	Imm               bool // has an immediate, offset or shift amount
	RM                bool // has a rounding mode
	CSR               bool // names a control and status register
}

// File is a register file.
type File uint8

// The register files; NoFile where an operation has no such operand.
const (
	NoFile File = iota
	IntFile
	FloatFile
)

// shape is what the operand letters of a row mean for decoding.
type shape struct {
	Operands
	imm byte // letter of the immediate, 0 for none
	neg byte // letter of the negation, 0 for none
}

var (
	shapes [NumOps]shape
	// buckets lists what a word can be by opcode and funct3.
	buckets [1 << 10][]candidate
)

// candidate is an operation with the bits that identify it.
type candidate struct {
	mask, match uint32
	op          Op
}

func init() {
	for op := Invalid + 1; op < NumOps; op++ {
		shapes[op] = shapeOf(table[op].operands)
		mask, match := op.Encoding()
		for b := range uint32(len(buckets)) {
			word := b&0x7f | b>>7<<12
			if (word^match)&mask&0x707f == 0 {
				buckets[b] = append(buckets[b], candidate{mask, match, op})
			}
		}
	}
}

func shapeOf(operands string) shape {
	var s shape
	for i := range len(operands) {
		switch c := operands[i]; c {
		case 'd':
			s.Rd = IntFile
		case 'D':
			s.Rd = FloatFile
		case 's':
			s.Rs1 = IntFile
		case 'S':
			s.Rs1 = FloatFile
		case 't':
			s.Rs2 = IntFile
		case 'T':
			s.Rs2 = FloatFile
		case 'R':
			s.Rs3 = FloatFile
		case 'm':
			s.RM = true
		case 'c':
			s.CSR = true
		case 'n', 'N':
			s.neg = c
		case 'i', 'o', 'q', 'h', 'b', 'a', 'u', 'z', 'f':
			s.imm, s.Imm = c, true
		}
	}
	return s
}

// Operands says which operands op has; none for Invalid.
func (op Op) Operands() Operands {
	if op >= NumOps {
		op = Invalid
	}
	return shapes[op].Operands
}

// Decode decodes one instruction word. The error, a [*DecodeError], says why a
// word is not in the supported set; the Inst then has Op Invalid and the word.
func Decode(word uint32) (Inst, error) {
	i := decodeAny(word)
	if i.Op == Invalid {
		return i, &DecodeError{Word: word, Reason: refusal(word)}
	}
	return i, nil
}

// decodeAny is Decode without the reason of a refusal.
func decodeAny(word uint32) Inst {
	for _, c := range buckets[word&0x7f|word>>12&7<<7] {
		if word&c.mask == c.match {
			return extract(c.op, word)
		}
	}
	return Inst{Raw: word}
}

// extract takes the operands of op out of word.
func extract(op Op, word uint32) Inst {
	s := &shapes[op]
	i := Inst{Op: op, Raw: word}
	if s.Rd != NoFile {
		i.Rd = uint8(word >> 7 & 31)
	}
	if s.Rs1 != NoFile {
		i.Rs1 = uint8(word >> 15 & 31)
	}
	if s.Rs2 != NoFile {
		i.Rs2 = uint8(word >> 20 & 31)
	}
	if s.Rs3 != NoFile {
		i.Rs3 = uint8(word >> 27)
	}
	if s.RM {
		i.RM = uint8(word >> 12 & 7)
	}
	if s.CSR {
		i.CSR = uint16(word >> 20)
	}
	switch s.neg {
	case 'n':
		i.Neg = word>>20&1 != 0
	case 'N':
		i.Neg = word>>7&1 != 0
	}
	i.Imm = immediate(s.imm, word)
	return i
}

// immediate reads the immediate of the kind that letter stands for.
func immediate(letter byte, word uint32) int32 {
	signed := int32(word)
	switch letter {
	case 'i', 'o':
		return signed >> 20
	case 'q':
		return signed>>25<<5 | int32(word>>7&31)
	case 'b':
		return signed>>31<<12 | int32(word>>7&1<<11|word>>25&63<<5|word>>8&15<<1)
	case 'a':
		return signed>>31<<20 | int32(word&0xff000|word>>20&1<<11|word>>21&1023<<1)
	case 'u':
		return signed &^ 0xfff
	case 'h':
		return int32(word >> 20 & 31)
	case 'z':
		return int32(word >> 15 & 31)
	case 'f':
		return int32(word >> 20)
	}
	return 0
}

// refusal says, as far as the word tells, what it is instead.
func refusal(word uint32) string {
	switch {
	case word == 0, word == 0xffffffff:
		return "all bits alike, an illegal instruction by definition"
	case word&3 != 3:
		return "compressed (C) instructions are not supported"
	}
	switch op := word & 0x7f; op {
	case 0x07, 0x27:
		return "floating-point access that is not 32 bits wide"
	case 0x43, 0x47, 0x4b, 0x4f:
		return "floating-point format other than single precision"
	case 0x53:
		if word>>25&3 != 0 {
			return "floating-point format other than single precision"
		}
		return fmt.Sprintf("reserved floating-point encoding (funct7 0x%02x, funct3 %d)", word>>25, word>>12&7)
	case 0x2f:
		return "atomic (A) instructions are not supported"
	case 0x1b, 0x3b:
		return "a 64-bit instruction"
	case 0x57:
		return "vector (V) instructions are not supported"
	case 0x0b:
		return fmt.Sprintf("reserved SIMT encoding (funct3 %d, funct7 0x%02x), or a field that must be 0 is not", word>>12&7, word>>25)
	case 0x73:
		return "privileged or reserved system instruction"
	case 0x03, 0x0f, 0x13, 0x23, 0x33, 0x63, 0x67:
		return fmt.Sprintf("reserved encoding, or an unsupported extension (opcode 0x%02x, funct3 %d, funct7 0x%02x)", op, word>>12&7, word>>25)
	default:
		return fmt.Sprintf("unknown opcode 0x%02x", op)
	}
}
