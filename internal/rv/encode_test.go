package rv

import "testing"

func TestEncodeErrors(t *testing.T) {
	for _, i := range []Inst{
		{},
		{Op: NumOps},
		{Op: Add, Rd: 32},
		{Op: Sw, Rs2: 32},
		{Op: FmaddS, Rs3: 32},
		{Op: FaddS, RM: 8},
		{Op: Csrrw, CSR: 0x1000},
		{Op: Addi, Imm: 2048},
		{Op: Sw, Imm: -2049},
		{Op: Slli, Imm: 32},
		{Op: Csrrwi, Imm: -1},
		{Op: Beq, Imm: 3},
		{Op: Beq, Imm: 4096},
		{Op: Jal, Imm: 1 << 20},
		{Op: Lui, Imm: 1},
		{Op: Fence, Imm: 4096},
	} {
		if w, err := Encode(i); err == nil {
			t.Errorf("%+v encoded to %#08x", i, w)
		}
	}
}

// TestStringRelative: without an address targets are relative; numbers of
// registers and modes beyond their fields do not break printing.
func TestStringRelative(t *testing.T) {
	for _, c := range []struct {
		i    Inst
		want string
	}{
		{Inst{Op: Beq, Rs1: 10, Rs2: 11, Imm: 16}, "beq a0, a1, .+16"},
		{Inst{Op: Jal, Rd: 1, Imm: -8}, "jal ra, .-8"},
		{Inst{Op: Fence}, "fence 0, 0"},
		{Inst{Op: FaddS, RM: 5}, "fadd.s ft0, ft0, ft0, rm5"},
		{Inst{Op: Add, Rd: 255}, "add t6, zero, zero"},
		{Inst{Op: Csrrs, Rd: 10, CSR: CSRThreadID}, "csrrs a0, vx_thread_id, zero"},
		{Inst{Op: Csrrs, Rd: 10, CSR: 0x123}, "csrrs a0, 0x123, zero"},
		{Inst{Raw: 7}, ".word 0x00000007"},
		{Inst{Op: 200, Raw: 7}, ".word 0x00000007"},
	} {
		if got := c.i.String(); got != c.want {
			t.Errorf("%+v prints as %q, want %q", c.i, got, c.want)
		}
	}
	if got := Disassemble(0xfe000ee3, 0); got != "beq zero, zero, 0xfffffffc" {
		t.Errorf("a target below address 0 prints as %q", got)
	}
}
