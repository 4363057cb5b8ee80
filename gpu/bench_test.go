package gpu

import (
	"testing"

	"github.com/warpbound/warpbound/isa"
)

func BenchmarkPreset(b *testing.B) {
	for b.Loop() {
		if _, err := Preset("ecrts2025-5"); err != nil {
			b.Fatal(err)
		}
	}
}

// Resolving a program costs a table lookup an instruction.
func BenchmarkResolve(b *testing.B) {
	m := machine(b, "rtx3070")
	p := &isa.Program{Instructions: make([]isa.Instruction, 1000)}
	for i := range p.Instructions {
		p.Instructions[i].Class = isa.Class{Family: isa.Mad, Type: isa.F32}
	}
	for b.Loop() {
		if _, err := m.Resolve(p); err != nil {
			b.Fatal(err)
		}
	}
}
