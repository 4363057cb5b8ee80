package serial

import (
	"math"
	"testing"

	"github.com/warpbound/warpbound/bound"
)

func TestBoundAddsEverything(t *testing.T) {
	b, err := Bound(bound.Kernel, Work{
		Counts: []int64{3, 2}, Cycles: []int64{5, 7},
		Barriers: 4, BarrierDelayCycles: 10, Starts: 2, StartCycles: 100,
	}, []bound.Assumption{bound.Assume(bound.PathCovers, bound.Proved, "tested")})
	if err != nil {
		t.Fatal(err)
	}
	if want := int64(3*5 + 2*7 + 40 + 200); b.Cycles != want {
		t.Errorf("%d cycles, want %d", b.Cycles, want)
	}
	var sum int64
	for _, c := range b.Breakdown {
		sum += c.Cycles
	}
	if sum != b.Cycles {
		t.Errorf("breakdown adds up to %d, want %d", sum, b.Cycles)
	}
	for _, a := range b.Assumptions {
		if a.ID == bound.PathCovers && a.Status != bound.Proved {
			t.Error("the ledger's entry was not used")
		}
	}
}

func TestBoundNeverWraps(t *testing.T) {
	for _, w := range []Work{
		{Counts: []int64{math.MaxInt64}, Cycles: []int64{2}},
		{Counts: []int64{math.MaxInt64, 1}, Cycles: []int64{1, 1}},
		{Counts: []int64{1}, Cycles: []int64{math.MaxInt64}, Starts: 1, StartCycles: 1},
		{Counts: []int64{-1}, Cycles: []int64{2}},
		{Counts: []int64{1}, Cycles: nil},
		{Barriers: math.MaxInt64, BarrierDelayCycles: 3},
	} {
		if b, err := Bound(bound.Block, w, nil); err == nil {
			t.Errorf("%+v gave %d cycles", w, b.Cycles)
		}
	}
}
