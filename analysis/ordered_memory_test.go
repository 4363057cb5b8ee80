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
	if want := (memoryCosts{slice: 4_000, unitBus: 3_031, lineBus: 3_031, opening: 19_000, readWays: 7_000, otherWays: 2_000, unitBytes: 128}); *c != want {
		t.Errorf("%+v, want %+v", *c, want)
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

// Two SMs by hand: units 0 and 1 lie in slice 0, unit 2 in slice 1 and unit 12 in
// slice 6, which has the channel and the row of slice 0.
func TestSharedMemory(t *testing.T) {
	a := traffic{0: {reads: 2}, 1: {writes: 1}}
	b := traffic{0: {reads: 1}, 2: {reads: 3}, 12: {atomics: 1}}
	for _, test := range []struct {
		name string
		set  []string
		want [4]int64 // of a, of others for a, of b, of others for b
	}{
		// Slices 4 a request; channel 0 fetches units 0 and 12 and opens a row, and
		// channel 1 likewise fetches unit 2: 16 + 12 + 22.031 and 4 + 3.031 for a,
		// 30 + 20 + 25.062 + 22.031 and 12 for b.
		{"room", nil, [4]int64{51, 7, 98, 12}},
		// Units 0 and 1 replace each other: a fetches 2 and writes 1 back, b fetches
		// unit 0 for itself; with those, channel 0 has 34.155.
		{"crowded", []string{"l2.sets=1", "l2.ways=1"}, [4]int64{57, 10, 98, 21}},
		// Every transfer of channel 0 can find the row of another piece open.
		{"rows", []string{"dram.row_bytes=256", "dram.banks=1"}, [4]int64{51, 26, 117, 12}},
	} {
		m := machine(t, "gtx480", test.set...)
		costs := newMemoryCosts(m.Desc)
		all := traffic{}
		all.merge(a)
		all.merge(b)
		memory, err := newSharedMemory(m.Desc, costs, all)
		if err != nil {
			t.Fatal(err)
		}
		var got [4]int64
		for i, own := range []traffic{a, b} {
			if got[2*i], got[2*i+1], err = memory.charge(own); err != nil {
				t.Fatal(err)
			}
		}
		if got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
		if _, err := newSharedMemory(m.Desc, costs, traffic{0: {reads: 1 << 60}}); !errors.Is(err, ordered.ErrOverflow) {
			t.Error(err)
		}
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
