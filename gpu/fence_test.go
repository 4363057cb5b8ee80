package gpu

import (
	"testing"

	"github.com/warpbound/warpbound/isa"
)

// A rule that counts transactions counts none where no memory is accessed.
func TestFencesMakeNoTransactions(t *testing.T) {
	d, err := Preset("vortex-32x32")
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.Machine()
	if err != nil {
		t.Fatal(err)
	}
	p := &isa.Program{Name: "k", Instructions: []isa.Instruction{
		{Opcode: "load", Class: isa.Class{Family: isa.LoadMem, Type: isa.I32, Space: isa.Global}, Kind: isa.Load, WidthBytes: 4},
		{Opcode: "load", Class: isa.Class{Family: isa.LoadMem, Type: isa.I32, Space: isa.Global}, Kind: isa.Load},
	}}
	timing, err := m.Resolve(p)
	if err != nil {
		t.Fatal(err)
	}
	if timing[0].Transactions != Segments {
		t.Fatalf("the preset does not count segments of loads: %+v", timing[0])
	}
	if timing[1].Transactions != OneTransaction {
		t.Errorf("an instruction that accesses nothing counts transactions: %+v", timing[1])
	}
}
