package replay

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/warpbound/warpbound/internal/seq"
)

// TestFoldedEqualsStepped leaves repetitions out, and does not, of random
// programs on random machines.
func TestFoldedEqualsStepped(t *testing.T) {
	jumps, stuck, ran := int64(0), 0, 0
	for seed := range uint64(700) {
		in, m, _ := drawn(seed, 200)
		slow, err := Run(context.Background(), m, in, Options{Unfolded: true, MaxSteps: 60_000})
		if errors.Is(err, ErrTooLong) {
			continue
		}
		fast, err2 := Run(context.Background(), m, in, Options{})
		if errors.Is(err, ErrStuck) && errors.Is(err2, ErrStuck) {
			stuck++
			continue
		}
		if err != nil || err2 != nil {
			t.Fatalf("seed %d: stepped %v, folded %v", seed, err, err2)
		}
		ran++
		if fast.Cycles != slow.Cycles || fast.Stats != slow.Stats {
			t.Fatalf("seed %d: %+v stepped, %+v folded", seed, *slow, *fast)
		}
		jumps += fast.Jumps
	}
	t.Logf("%d programs, %d jumps, %d stuck", ran, jumps, stuck)
	if jumps < 200 || stuck == 0 || ran < 400 {
		t.Errorf("%d jumps in %d programs, %d stuck", jumps, ran, stuck)
	}
}

// pendingOverLoop is a warp that waits behind a loop for what it began before it.
func pendingOverLoop() (*Input, *Core) {
	return &Input{
		Ops: []Op{op(0, 700), op(1, 800), op(2, 0), op(3, 900, 0)}, Code: code(4, 2, 3), Order: []Stretch{{0, 1}},
		Blocks: []Block{{Warps: []*seq.Seq{seq.Must(seq.Run(0), seq.Repeat(300, seq.Must(seq.Run(1, 2))), seq.Run(3))}}},
	}, small(true, 2, 1, Policy{})
}

// What is pending is part of the state: the loop is not left out before the result
// has come. By hand: 0 at 2, then iterations of 4 cycles (1, 2, and the two NOPs
// that what follows the branch becomes), the last 2 at 1200, and 3 at 1201.
func TestPendingOverLoop(t *testing.T) {
	in, m := pendingOverLoop()
	slow, err := Run(context.Background(), m, in, Options{Unfolded: true})
	if err != nil {
		t.Fatal(err)
	}
	fast, err := Run(context.Background(), m, in, Options{})
	if err != nil || fast.Cycles != slow.Cycles || fast.Jumps == 0 || fast.SteppedInstructions < 700/4 || fast.Cycles != 1201+901 {
		t.Errorf("%+v, %v; stepped %+v", fast, err, slow)
	}
}

func TestKeep(t *testing.T) {
	var got []int64
	for i := range int64(15) {
		got = append(got, keep(i))
	}
	if want := []int64{1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
