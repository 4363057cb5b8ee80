package analysis

import (
	"errors"
	"testing"

	"github.com/warpbound/warpbound/bound/ordered"
)

// By hand, for the gtx480: 4 sectors of a slice, 19 cycles for a row, 128 bytes at
// 42.24 bytes a cycle; 8 + 120 + 7 cycles of ways, 132 of the DRAM, 6 to an issue.
func TestMemoryCosts(t *testing.T) {
	m := machine(t, "gtx480", "issue.dependency_depth_cycles=6", "l1d.write_latency_cycles=38", "l1d.hit_latency_cycles=35")
	c := newMemoryCosts(m.Desc)
	if want := (memoryCosts{read: 26_031, write: 26_031, atomic: 48_062, readWays: 7_000, otherWays: 2_000}); c != want {
		t.Errorf("%+v, want %+v", c, want)
	}
	n := requests{reads: 2, writes: 1, atomics: 1}
	if shared, err := c.shared(n); shared != 127 || err != nil { // 126.155
		t.Errorf("%d, %v", shared, err)
	}
	if all, err := c.all(n); all != 145 || err != nil { // 144.155
		t.Errorf("%d, %v", all, err)
	}
	if _, err := c.shared(requests{reads: 1 << 60}); !errors.Is(err, ordered.ErrOverflow) {
		t.Error(err)
	}
	for atomics, miss := range map[bool]int64{false: 273, true: 311} {
		if o := orderedMachine(m, atomics); o.MissCycles != miss || o.HitCycles != 40 || o.Channel != ordered.Credits || o.MSHRs != 64 || o.Check() != nil {
			t.Errorf("%+v", o)
		}
	}
	if o := orderedMachine(machine(t, "gtx480", `ldst_path.full_channel="stall-unit"`), false); o.Channel != ordered.NeverFull {
		t.Errorf("%+v", o)
	}
}

// Requests of one access pass in order, at most one a bank and cycle.
func TestTagCycles(t *testing.T) {
	s := &orderedSM{l1: machine(t, "rtx3070", "l1d.banks=4", "l1d.sector_bytes=32").Desc.L1D}
	for want, sectors := range [][]uint64{1: {7}, 2: {0, 1, 5, 2}, 3: {0, 4, 8}} {
		var lines []uint64
		for _, x := range sectors {
			lines = append(lines, 32*x)
		}
		if got := s.tagCycles(lines); got != int64(want) {
			t.Errorf("%v: %d cycles, want %d", sectors, got, want)
		}
	}
}
