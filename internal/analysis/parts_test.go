package analysis

import (
	"context"
	"reflect"
	"testing"

	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/testkit/gpus"
)

// Record records what Run bounds.
func TestRecord(t *testing.T) {
	l := kernel(t, "\tmov.u32 %r0, %tid.x;\n\tbar.sync 0;\n\tadd.u32 %r0, %r0, 1;\n", "3", "64")
	m := gpus.Preset(t, "ecrts2025-5")
	full := analysed(t, l, m)
	k, err := l.Kernel(true)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Record(context.Background(), k, k, m, simt.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(r.Ops(), full.Ops()) || r.Blocks != 3 || len(r.Path.Classes) != len(full.Path.Classes) {
		t.Errorf("recorded %+v", r.Path)
	}
	if hw := method.HardwareOf(r.Machine, 2); hw.SlotsPerSM != 2 || hw.SubCores != full.Machine.Desc.SM.Schedulers {
		t.Errorf("hardware %+v", hw)
	}
	if !reflect.DeepEqual(r.Ledger(), full.Ledger()) {
		t.Errorf("ledger %v", r.Ledger())
	}
}
