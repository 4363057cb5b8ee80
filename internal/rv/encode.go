package rv

import "fmt"

// Encode is the word of an instruction, the inverse of [Decode]. Raw and the
// fields the operation does not have are not looked at. It is an error if an
// operand does not fit its field.
func Encode(i Inst) (uint32, error) {
	if i.Op == Invalid || i.Op >= NumOps {
		return 0, fmt.Errorf("cannot encode %s", i.Op)
	}
	s, word := &shapes[i.Op], table[i.Op].match
	for _, f := range [...]struct {
		file  File
		reg   uint8
		shift int
	}{{s.Rd, i.Rd, 7}, {s.Rs1, i.Rs1, 15}, {s.Rs2, i.Rs2, 20}, {s.Rs3, i.Rs3, 27}} {
		if f.file == NoFile {
			continue
		}
		if f.reg > 31 {
			return 0, fmt.Errorf("%s: register %d of 32", i.Op, f.reg)
		}
		word |= uint32(f.reg) << f.shift
	}
	if s.RM {
		if i.RM > 7 {
			return 0, fmt.Errorf("%s: rounding mode %d, expected 0 to 7", i.Op, i.RM)
		}
		word |= uint32(i.RM) << 12
	}
	if s.CSR {
		if i.CSR > 0xfff {
			return 0, fmt.Errorf("%s: CSR number 0x%x, expected at most 0xfff", i.Op, i.CSR)
		}
		word |= uint32(i.CSR) << 20
	}
	if i.Neg {
		switch s.neg {
		case 'n':
			word |= 1 << 20
		case 'N':
			word |= 1 << 7
		}
	}
	imm := placeImmediate(s.imm, uint32(i.Imm))
	if immediate(s.imm, imm) != i.Imm && s.Imm {
		return 0, fmt.Errorf("%s: immediate %d does not fit", i.Op, i.Imm)
	}
	return word | imm, nil
}

// placeImmediate puts an immediate of the kind that letter stands for where
// [immediate] reads it; bits that do not fit are dropped.
func placeImmediate(letter byte, x uint32) uint32 {
	switch letter {
	case 'i', 'o', 'f':
		return x << 20
	case 'q':
		return x>>5<<25 | x&31<<7
	case 'b':
		return x>>12&1<<31 | x>>5&63<<25 | x>>1&15<<8 | x>>11&1<<7
	case 'a':
		return x>>20&1<<31 | x>>1&1023<<21 | x>>11&1<<20 | x>>12&255<<12
	case 'u':
		return x &^ 0xfff
	case 'h':
		return x & 31 << 20
	case 'z':
		return x & 31 << 15
	}
	return 0
}
