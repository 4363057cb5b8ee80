package replay

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/seq"
)

// op is an instruction for schedules by hand: initiation 1, one unit.
func op(pc int32, latency int64, reads ...int32) Op {
	return Op{PC: pc, Op: method.Op{InitCycles: 1, LatencyCycles: latency, Reads: reads, Writes: []int32{pc}}}
}

// code is instructions of which some are control instructions, two a line.
func code(n int, control ...int32) []Instruction {
	out := make([]Instruction, n)
	for pc := range out {
		out[pc] = Instruction{Line: int64(pc) / 2, Control: slices.Contains(control, int32(pc))}
	}
	return out
}

// small is a machine that fetches in one cycle and has one unit.
func small(swas bool, entries int, resolve int64, p Policy) *Core {
	return &Core{Servers: []int{1}, BlockSlots: 1, Front: FrontEnd{
		SWaS: swas, Fetch: p, Issue: p, QueueEntries: entries, FetchCycles: 1, ResolveCycles: resolve, ICache: ICache{Perfect: true},
	}}
}

type issued struct {
	cycle int64
	warp  int
	pc    int32
}

// Schedules worked out by hand, cycle by cycle.
func TestHandSchedules(t *testing.T) {
	lrr, srr := Policy{}, Policy{Category: Strict}
	missing := small(true, 2, 1, lrr)
	missing.Front.ICache = ICache{Sets: 1, Ways: 1, MissCycles: 5}
	evicting := small(false, 2, 1, lrr)
	evicting.Front.ICache = ICache{Sets: 1, Ways: 1, MissCycles: 3}
	stalling := small(false, 4, 2, lrr)
	stalling.Front.Stall, stalling.Front.RefetchCycles = true, 3
	gap := small(false, 2, 2, lrr)
	gap.Front.StartGapCycles, gap.StartDelayCycles = 2, 1
	arrive := op(1, 0)
	arrive.Sync = Arrive
	waits := []*seq.Seq{seq.Must(seq.Run(0, 1, 2)), seq.Must(seq.Run(1, 2))}

	for _, c := range []struct {
		name    string
		m       *Core
		in      Input
		want    []issued
		cycles  int64
		nops    int64
		misses  int64
		barrier int64
	}{
		{ // two NOPs, then what was requested when they issued
			name: "swas, straight line", m: small(true, 2, 2, lrr),
			in:   Input{Ops: []Op{op(0, 0), op(1, 0)}, Code: code(2, 1), Blocks: []Block{{Warps: []*seq.Seq{seq.Must(seq.Run(0, 1))}}}},
			want: []issued{{2, 0, 0}, {3, 0, 1}}, cycles: 4, nops: 2,
		},
		{ // 2: the branch; 4: resolved, 1 and 2 become NOPs, 3 is requested
			name: "swas, taken branch", m: small(true, 2, 2, lrr),
			in:   Input{Ops: []Op{op(0, 0), op(3, 0)}, Code: code(4, 0, 3), Blocks: []Block{{Warps: []*seq.Seq{seq.Must(seq.Run(0, 1))}}}},
			want: []issued{{2, 0, 0}, {6, 0, 3}}, cycles: 7, nops: 4,
		},
		{ // misses at 0 and 7, lines arrive at 5 and 12; 0 issues at 7, 1 at 12
			name: "swas, misses", m: missing,
			in:   Input{Ops: []Op{op(0, 0), op(1, 0), op(2, 0)}, Code: code(3, 2), Blocks: []Block{{Warps: []*seq.Seq{seq.Must(seq.Run(0, 1, 2))}}}},
			want: []issued{{7, 0, 0}, {12, 0, 1}, {14, 0, 2}}, cycles: 15, nops: 4, misses: 2,
		},
		{
			name: "baseline, straight line", m: small(false, 2, 2, lrr),
			in:   Input{Ops: []Op{op(0, 0), op(1, 0)}, Code: code(2, 1), Blocks: []Block{{Warps: []*seq.Seq{seq.Must(seq.Run(0, 1))}}}},
			want: []issued{{2, 0, 0}, {3, 0, 1}}, cycles: 4,
		},
		{ // 4: what was fetched behind the branch is discarded and 3 requested
			name: "baseline, taken branch", m: small(false, 4, 2, lrr),
			in:   Input{Ops: []Op{op(0, 0), op(3, 0)}, Code: code(4, 0, 3), Blocks: []Block{{Warps: []*seq.Seq{seq.Must(seq.Run(0, 1))}}}},
			want: []issued{{2, 0, 0}, {6, 0, 3}}, cycles: 7,
		},
		{ // a plain instruction that its neighbour does not follow is a branch, too
			name: "baseline, reconvergence", m: small(false, 4, 2, lrr),
			in:   Input{Ops: []Op{op(0, 0), op(3, 0)}, Code: code(4, 3), Blocks: []Block{{Warps: []*seq.Seq{seq.Must(seq.Run(0, 1))}}}},
			want: []issued{{2, 0, 0}, {6, 0, 3}}, cycles: 7,
		},
		{ // requests at 0, 3 (which stops at the branch) and 7, when it is resolved
			name: "stall", m: stalling,
			in:   Input{Ops: []Op{op(0, 0), op(1, 0), op(2, 0)}, Code: code(3, 1, 2), Blocks: []Block{{Warps: []*seq.Seq{seq.Must(seq.Run(0, 1, 2))}}}},
			want: []issued{{2, 0, 0}, {5, 0, 1}, {9, 0, 2}}, cycles: 10,
		},
		{ // operands at 9 and 10: whoever is ready goes
			name: "swas, loose", m: small(true, 2, 1, lrr),
			in:   Input{Ops: []Op{op(0, 4), op(1, 0, 0)}, Code: code(2, 1), Blocks: []Block{{Warps: []*seq.Seq{seq.Must(seq.Run(0, 1)), seq.Must(seq.Run(0, 1))}}}},
			want: []issued{{4, 0, 0}, {5, 1, 0}, {9, 0, 1}, {10, 1, 1}}, cycles: 11, nops: 4,
		},
		{ // warp 0 has the even cycles until it has ended
			name: "swas, strict", m: small(true, 2, 1, srr),
			in:   Input{Ops: []Op{op(0, 4), op(1, 0, 0)}, Code: code(2, 1), Blocks: []Block{{Warps: []*seq.Seq{seq.Must(seq.Run(0, 1)), seq.Must(seq.Run(0, 1))}}}},
			want: []issued{{4, 0, 0}, {5, 1, 0}, {10, 0, 1}, {11, 1, 1}}, cycles: 12, nops: 4,
		},
		{ // requests: 0 and 1 for warp 0 at 1 and 2, then warp 1, activated at 3
			name: "activation", m: gap,
			in:   Input{Ops: []Op{op(0, 0), op(1, 0)}, Code: code(2, 1), Blocks: []Block{{Warps: []*seq.Seq{seq.Must(seq.Run(0, 1)), seq.Must(seq.Run(0, 1))}}}},
			want: []issued{{3, 0, 0}, {4, 0, 1}, {5, 1, 0}, {6, 1, 1}}, cycles: 7,
		},
		{ // arrivals at 4 (warp 1) and 5 (warp 0); open at 6, when both are resolved
			name: "barrier", m: small(false, 3, 1, lrr),
			in:   Input{Ops: []Op{op(0, 0), arrive, op(2, 0)}, Code: code(3, 1, 2), Blocks: []Block{{Warps: waits}}},
			want: []issued{{2, 0, 0}, {3, 1, 1}, {4, 0, 1}, {5, 1, 2}, {6, 0, 2}}, cycles: 7, barrier: 1,
		},
		{
			// Line 0 is requested by warp 0 at 0 and asked for by warp 1 at 1; both have
			// it at 3. Warp 0 repeats its request at 3, warp 1 at 4; 2 misses at 7 and 8
			// and arrives at 10.
			name: "shared misses", m: evicting,
			in:   Input{Ops: []Op{op(0, 0), op(1, 0), op(2, 0)}, Code: code(3, 2), Blocks: []Block{{Warps: []*seq.Seq{seq.Must(seq.Run(0, 1, 2)), seq.Must(seq.Run(0, 1, 2))}}}},
			want: []issued{{5, 0, 0}, {6, 1, 0}, {7, 0, 1}, {8, 1, 1}, {12, 0, 2}, {13, 1, 2}}, cycles: 14, misses: 4,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []issued
			c.in.Order = []Stretch{{0, 1}}
			res, err := Run(context.Background(), c.m, &c.in, Options{Issue: func(cycle int64, slot int, pc, _ int32) {
				got = append(got, issued{cycle, slot, pc})
			}})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, c.want) || res.Cycles != c.cycles {
				t.Errorf("%v in %d cycles, want %v in %d", got, res.Cycles, c.want, c.cycles)
			}
			if s := res.Stats; s.NOPs != c.nops || s.Misses != c.misses || s.Barriers != c.barrier {
				t.Errorf("%+v, want %d NOPs, %d misses, %d barriers", s, c.nops, c.misses, c.barrier)
			}
		})
	}
}

// A policy that holds on to a warp at a barrier stops the machine.
func TestStuck(t *testing.T) {
	arrive := op(1, 0)
	arrive.Sync = Arrive
	in := Input{Ops: []Op{op(0, 0), arrive, op(2, 0)}, Code: code(3, 1, 2), Order: []Stretch{{0, 1}}, Blocks: []Block{{
		Warps: []*seq.Seq{seq.Must(seq.Run(0, 1, 2)), seq.Must(seq.Run(0, 1, 2))},
	}}}
	for _, swas := range []bool{false, true} {
		_, err := Run(context.Background(), small(swas, 2, 1, Policy{Oldest, Strict, 0}), &in, Options{})
		if !errors.Is(err, ErrStuck) {
			t.Errorf("swas %v: %v", swas, err)
		}
	}
}

// Blocks follow one another in the slots that come free.
func TestBlocksFollow(t *testing.T) {
	m := small(true, 2, 1, Policy{})
	in := Input{Ops: []Op{op(0, 0), op(1, 0)}, Code: code(2, 1), Blocks: []Block{{Warps: []*seq.Seq{seq.Must(seq.Run(0, 1))}}}, Order: []Stretch{{0, 3}}}
	for slots, want := range map[int]int64{1: 12, 2: 12, 3: 12} {
		m.BlockSlots = slots
		res, err := Run(context.Background(), m, &in, Options{})
		if err != nil || res.Cycles != want {
			t.Errorf("%d slots: %+v, %v, want %d cycles", slots, res, err, want)
		}
	}
}
