package method

import (
	"testing"

	"github.com/warpbound/warpbound/gpu"
)

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		placement          string
		sms, slots, blocks int64
		wantSlots          int64 // 0: not spread
	}{
		{"breadth-first", 4, 2, 3, 1},
		{"breadth-first", 4, 2, 4, 1},
		{"breadth-first", 4, 2, 5, 2},
		{"breadth-first", 4, 2, 8, 2},
		{"breadth-first", 4, 2, 9, 0}, // one block waits for a slot
		{"breadth-first", 1, 8, 4, 0}, // theorem 4 (one SM) is for one SM
		{"any", 4, 2, 3, 0},
		{"", 4, 2, 3, 0},
	} {
		m := &gpu.Machine{Desc: &gpu.Description{Dispatch: gpu.Dispatch{Placement: c.placement}}}
		hw, even := (&Facts{Machine: m, Blocks: c.blocks}).Spread(Hardware{SMs: c.sms, SlotsPerSM: c.slots})
		if even != (c.wantSlots > 0) {
			t.Errorf("%+v: spread %v", c, even)
		}
		if even && (hw.SlotsPerSM != c.wantSlots || (c.blocks-1)/hw.SMs != 0) {
			t.Errorf("%+v: %d SMs of %d slots", c, hw.SMs, hw.SlotsPerSM)
		}
	}
}
