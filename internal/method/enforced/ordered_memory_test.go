package enforced

import (
	"errors"
	"slices"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/cache/l1d"
	"github.com/warpbound/warpbound/internal/method/ordered"
	"github.com/warpbound/warpbound/internal/testkit/gpus"
)

// By hand, for the gtx480: 4 sectors of a slice, 19 cycles for a row, 128 bytes at
// 42.24 bytes a cycle; 8 + 120 + 7 cycles of ways, 132 of the DRAM, 6 to an issue.
func TestMemoryCosts(t *testing.T) {
	m := gpus.Preset(t, "gtx480", "issue.dependency_depth_cycles=6", "l1d.write_latency_cycles=38", "l1d.hit_latency_cycles=35")
	c := newMemoryCosts(m.Desc)
	if want := (memoryCosts{slice: 4_000, unitBus: 3_031, lineBus: 3_031, opening: 19_000, readWays: 7_000, otherWays: 2_000, unitBytes: 128}); *c != want {
		t.Errorf("%+v, want %+v", *c, want)
	}
	for atomics, miss := range map[bool]int64{false: 273, true: 311} {
		if o := orderedMachine(m, atomics); o.MissCycles != miss || o.HitCycles != 40 || o.Channel != ordered.Credits || o.MSHRs != 64 || o.Check() != nil {
			t.Errorf("%+v", o)
		}
	}
	if o := orderedMachine(gpus.Preset(t, "gtx480", `ldst_path.full_channel="stall-unit"`), false); o.Channel != ordered.NeverFull {
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
		m := gpus.Preset(t, "gtx480", test.set...)
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
		// An atomic waits for its channel as a load does, a store for its slice alone.
		for unit, want := range map[uint64][2]int64{12: {29, 3}, 1: {6, 12}} {
			n := requests{atomics: 1}
			if unit == 1 {
				n = requests{writes: 1}
			}
			if mine, others, err := memory.charge(traffic{unit: n}); test.set == nil && (mine != want[0] || others != want[1] || err != nil) {
				t.Errorf("unit %d: %d and %d, %v, want %v", unit, mine, others, err, want)
			}
		}
		if _, err := newSharedMemory(m.Desc, costs, traffic{0: {reads: 1 << 60}}); !errors.Is(err, bound.ErrOverflow) {
			t.Error(err)
		}
	}
}

// In no order of its transfers a bank opens more rows.
func TestRowOpenings(t *testing.T) {
	for _, rows := range [][]int64{{1}, {4}, {1, 1}, {3, 1}, {2, 2}, {5, 1}, {3, 2}, {1, 1, 1}, {4, 1, 1}, {2, 2, 1}, {6, 2}} {
		left := append([]int64(nil), rows...)
		var longest func(last int) int64
		longest = func(last int) int64 {
			most := int64(0)
			for i := range left {
				if left[i] == 0 {
					continue
				}
				left[i]--
				n := longest(i)
				if i != last {
					n++
				}
				left[i]++
				most = max(most, n)
			}
			return most
		}
		m := &sharedMemory{costs: &memoryCosts{opening: 1}}
		o := occupation{channel: make([]int64, 2)}
		counts := map[bankRow]int64{{0, 3, 9}: 5}
		for i, n := range rows {
			counts[bankRow{1, 2, int64(i)}] = n
		}
		m.openings(&o, counts)
		if want := longest(-1); o.channel[0] != 1 || o.channel[1] != want {
			t.Errorf("%v: %v, want 1 and %d", rows, o.channel, want)
		}
	}
}

// By hand for 15 SMs: a slice has a request for 4 cycles, a channel for 19 and 4;
// of our own SM one that was sent later can be before ours at a channel, and
// behind a store that is held at a slice as well.
func TestInTurn(t *testing.T) {
	for _, test := range []struct {
		preset                string
		writesBack, overtakes bool
		slice, channel        int64
	}{
		{"gtx480", false, false, 15 * 4, 16 * (19 + 4)},
		{"gtx480", true, false, 15 * 4, 17 * (19 + 4)},
		{"gtx480", false, true, 16 * 4, 16 * (19 + 4)},
		{"rtx3070", false, false, 15 * 1, 16 * (54 + 3)},
		{"rtx3070", true, true, 16 * 1, 17 * (54 + 9)}, // a line of four sectors
	} {
		m := gpus.Preset(t, test.preset, "issue.dependency_depth_cycles=6", "l2.arbitration=round-robin", "l2.request_latency_cycles=8",
			"l2.latency_cycles=120", "l2.access_cycles=1", "l2.response_latency_cycles=7", "dram.latency_cycles=132")
		if test.preset == "rtx3070" {
			m.Desc.DRAM.RowMissCycles, m.Desc.DRAM.BytesPerKilocycle = 54, 15000
		}
		o := inTurn(orderedMachine(m, false), m.Desc, newMemoryCosts(m.Desc), 15, test.writesBack, test.overtakes)
		want := []ordered.Stage{
			{Places: m.Desc.L2.Slices, ReachCycles: 8, ServiceCycles: test.slice},
			{Places: m.Desc.DRAM.Channels, ReachCycles: 120, ServiceCycles: test.channel},
		}
		if !slices.Equal(o.Stages, want) || o.MissCycles != 132+7+6 || o.Check() != nil {
			t.Errorf("%+v: %+v, answered in %d, want %+v", test, o.Stages, o.MissCycles, want)
		}
	}
}

// A load goes to its slice and its channel, an atomic too, but held, and a store is
// held and ends at its slice. Without turns nobody asks.
func TestPlacesOfRequests(t *testing.T) {
	d := gpus.Preset(t, "gtx480", "l2.arbitration=round-robin", "l1d.write_latency_cycles=38").Desc
	for _, arbitration := range []string{"fifo", "round-robin"} {
		d.L2.Arbitration = arbitration
		s, err := newOrderedSM(d, nil, 128)
		if err != nil {
			t.Fatal(err)
		}
		s.loaded = map[uint64]loadedSector{}
		for _, test := range []struct {
			kind   l1d.Kind
			held   int64
			places []int32
		}{
			{l1d.Load, 0, []int32{7, 1, 0, 0}},
			{l1d.Store, 38, []int32{7, ordered.Elsewhere, 0, ordered.Elsewhere}},
			{l1d.Atomic, 38, []int32{7, 1, 0, 0}},
		} {
			x, err := s.classify(&l1d.Access{Kind: test.kind, Lines: []uint64{7 * 256, 12 * 256}})
			if err != nil || x.Requests != 2 {
				t.Fatalf("%+v, %v", x, err)
			}
			if arbitration == "fifo" {
				test.places = nil
			}
			if x.HeldCycles != test.held || !slices.Equal(x.Places, test.places) {
				t.Errorf("%s, %v: held for %d, to %v, want %+v", arbitration, test.kind, x.HeldCycles, x.Places, test)
			}
		}
	}
}

// Requests of one access pass in order, at most one a bank and cycle.
func TestTagCycles(t *testing.T) {
	s := &orderedSM{l1: gpus.Preset(t, "rtx3070", "l1d.banks=4", "l1d.sector_bytes=32").Desc.L1D}
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
