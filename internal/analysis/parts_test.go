package analysis

import (
	"context"
	"reflect"
	"testing"
)

// Record records what Run bounds.
func TestRecord(t *testing.T) {
	l := kernel(t, "\tmov.u32 %r0, %tid.x;\n\tbar.sync 0;\n\tadd.u32 %r0, %r0, 1;\n", "3", "64")
	m := machine(t, "ecrts2025-5")
	full := analysed(t, l, m)
	k, err := l.Kernel(true)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Record(context.Background(), k, k, m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(r.Ops(), full.Ops()) || r.Blocks != 3 || len(r.Path.Classes) != len(full.Path.Classes) || len(r.Scopes) != 0 {
		t.Errorf("recorded %+v", r.Path)
	}
	if hw := r.Hardware(2); hw.SlotsPerSM != 2 || hw.SubCores != full.hardware.SubCores {
		t.Errorf("hardware %+v", hw)
	}
	if !reflect.DeepEqual(r.Ledger(), full.Ledger()) {
		t.Errorf("ledger %v", r.Ledger())
	}
}
