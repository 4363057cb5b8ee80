package reference_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/arch/riscv64/riscv64asm"

	"github.com/warpbound/warpbound/internal/rv"
	"github.com/warpbound/warpbound/internal/simt/rvexec/internal/reference"
	"github.com/warpbound/warpbound/internal/testkit/settings"
)

// word draws an instruction word, mostly one that is an instruction or nearly.
func word(r *rand.Rand) uint32 {
	w := r.Uint32()
	switch r.IntN(4) {
	case 0: // an operation of package rv, all else random
		ops := rv.Ops()
		mask, match := ops[r.IntN(len(ops))].Encoding()
		w = w&^mask | match
		if r.IntN(4) == 0 {
			w ^= 1 << r.UintN(32)
		}
	case 1: // a major opcode that is in use
		opcodes := [...]uint32{0x03, 0x07, 0x0b, 0x0f, 0x13, 0x17, 0x23, 0x27, 0x33, 0x37, 0x43, 0x47, 0x4b, 0x4f, 0x53, 0x63, 0x67, 0x6f, 0x73}
		w = w&^0x7f | opcodes[r.IntN(len(opcodes))]
	case 2: // and fields with few bits set
		opcodes := [...]uint32{0x0b, 0x13, 0x33, 0x53, 0x73}
		w = w&r.Uint32()&^0x7f | opcodes[r.IntN(len(opcodes))]
	}
	return w
}

// TestDecode compares the decoder of package rv.
func TestDecode(t *testing.T) {
	r := random(t)
	seen := map[string]int{}
	for range settings.Times(t) * 150_000 {
		w := word(r)
		want, ok := reference.Decode(w)
		got, err := rv.Decode(w)
		if ok != (err == nil) {
			t.Fatalf("%08x: got %v, error %v; want %+v, an instruction: %v", w, got, err, want, ok)
		}
		seen[want.Name]++
		if !ok {
			continue
		}
		if got.Op.String() == "fence" {
			got.Imm = 0 // the sets, which are without effect
		}
		have := reference.Instruction{
			Name: got.Op.String(), Rd: int(got.Rd), Rs1: int(got.Rs1), Rs2: int(got.Rs2), Rs3: int(got.Rs3),
			Immediate: got.Imm, CSR: uint32(got.CSR), Rounding: int(got.RM), PredicateInverted: got.Neg,
		}
		if have != want.Fields() || got.Raw != w {
			t.Fatalf("%08x: got %+v, want %+v", w, have, want)
		}
	}
	for _, op := range rv.Ops() {
		if seen[op.String()] < 5 {
			t.Errorf("only %d words of %v", seen[op.String()], op)
		}
	}
}

// TestDecodeArch compares mnemonics with the decoder for 64-bit RISC-V of
// golang.org/x/arch, where it knows the instruction.
func TestDecodeArch(t *testing.T) {
	r := random(t)
	compared := 0
	for range settings.Times(t) * 150_000 {
		w := word(r)
		in, ok := reference.Decode(w)
		theirs, err := riscv64asm.Decode([]byte{byte(w), byte(w >> 8), byte(w >> 16), byte(w >> 24)})
		if err != nil || theirs.Len != 4 {
			continue
		}
		name := strings.ToLower(theirs.Op.String())
		if !ok {
			// What only 64-bit machines or other extensions have.
			for _, op := range rv.Ops() {
				if op.String() == name && !excused(name, w) {
					t.Fatalf("%08x: is no instruction, x/arch says %s", w, theirs)
				}
			}
			continue
		}
		compared++
		if in.Name != name {
			t.Fatalf("%08x: is %s, x/arch says %s", w, in.Name, theirs)
		}
	}
	t.Log(compared, "words compared")
	if compared < 10_000 {
		t.Errorf("only %d words compared", compared)
	}
}

// excused says where the two decoders must differ: shifts by 32 and more exist
// on 64-bit machines only.
func excused(name string, w uint32) bool {
	return (name == "slli" || name == "srli" || name == "srai") && w>>25&1 == 1
}
