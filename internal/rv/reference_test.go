package rv

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/arch/riscv64/riscv64asm"
)

// referenceText is the instruction as golang.org/x/arch sees it: mnemonic and
// operands, "" where it is none.
func referenceText(word uint32) string {
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], word)
	ref, err := riscv64asm.Decode(b[:])
	if err != nil {
		return ""
	}
	s := strings.ToLower(ref.Op.String())
	for _, a := range ref.Args {
		switch a := a.(type) {
		case nil:
		case riscv64asm.Uimm:
			s += fmt.Sprintf(" %d", a.Imm)
		case riscv64asm.Simm:
			s += fmt.Sprintf(" %d", a.Imm)
		case riscv64asm.RegOffset:
			s += fmt.Sprintf(" %d %s", a.Ofs.Imm, a.OfsReg)
		case riscv64asm.CSR:
			s += fmt.Sprintf(" %d", uint16(a))
		default:
			s += " " + a.String()
		}
	}
	return s
}

// ourText is a decoded instruction in the notation of referenceText, which
// leaves out rounding modes.
func ourText(i Inst) string {
	s := i.Op.String()
	for _, c := range table[i.Op].operands {
		switch c {
		case 'd':
			s += fmt.Sprintf(" x%d", i.Rd)
		case 's':
			s += fmt.Sprintf(" x%d", i.Rs1)
		case 't':
			s += fmt.Sprintf(" x%d", i.Rs2)
		case 'D':
			s += fmt.Sprintf(" f%d", i.Rd)
		case 'S':
			s += fmt.Sprintf(" f%d", i.Rs1)
		case 'T':
			s += fmt.Sprintf(" f%d", i.Rs2)
		case 'R':
			s += fmt.Sprintf(" f%d", i.Rs3)
		case 'i', 'o', 'q', 'h', 'b', 'a', 'z':
			s += fmt.Sprintf(" %d", i.Imm)
		case 'u':
			s += fmt.Sprintf(" %d", uint32(i.Imm)>>12)
		case 'c':
			s += fmt.Sprintf(" %d", i.CSR)
		case 'f':
			for _, set := range []int32{i.Imm >> 4 & 15, i.Imm & 15} {
				s += " " + riscv64asm.MemOrder(set).String()
			}
		}
	}
	return s
}

// TestDecodeAgainstReference: for random operands of every instruction outside
// Vortex's, the decoder of golang.org/x/arch reads the same.
func TestDecodeAgainstReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, op := range Ops() {
		if op.Extension() == Vortex {
			continue
		}
		mask, match := op.Encoding()
		for range 2000 {
			word := match | rng.Uint32()&^mask
			i, err := Decode(word)
			if err != nil {
				t.Fatalf("%s: %v", op, err)
			}
			if got, want := ourText(i), referenceText(word); got != want {
				t.Fatalf("%#08x: %q, the reference says %q", word, got, want)
			}
			if i.Op.Operands().RM && uint32(i.RM) != word>>12&7 {
				t.Fatalf("%#08x: rounding mode %d", word, i.RM)
			}
			if got, err := Encode(i); op != Fence && op != FenceI && (err != nil || got != word) {
				t.Fatalf("%s: encodes to %#08x, %v; want %#08x", i, got, err, word)
			}
		}
	}
}

// TestRefusalAgainstReference: what is refused among random words is either no
// instruction to the reference or one outside the supported extensions.
func TestRefusalAgainstReference(t *testing.T) {
	names := map[string]bool{}
	for _, op := range Ops() {
		names[op.String()] = true
	}
	rng := rand.New(rand.NewPCG(3, 4))
	refused := 0
	for range 100_000 {
		word := rng.Uint32() | 3
		if rng.IntN(2) == 0 { // near an instruction: one bit of it changed
			op := 1 + Op(rng.IntN(int(NumOps)-1))
			mask, match := op.Encoding()
			word = match | rng.Uint32()&^mask ^ 4<<rng.IntN(30)
		}
		if word&0x7f == 0x0b {
			continue
		}
		ref := referenceText(word)
		name, _, _ := strings.Cut(ref, " ")
		i, err := Decode(word)
		switch {
		case err == nil && ourText(i) != ref:
			t.Fatalf("%#08x: %s, the reference says %q", word, i, ref)
		case err == nil:
		case !names[name]:
			refused++
		case word>>25&1 != 0 && (name == "slli" || name == "srli" || name == "srai"):
			// a shift by 32 or more, which only 64-bit registers have
		default:
			t.Fatalf("%#08x: %v, the reference says %q", word, err, ref)
		}
	}
	if refused < 15_000 {
		t.Errorf("only %d words refused", refused)
	}
}
