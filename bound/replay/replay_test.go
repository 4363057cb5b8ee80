package replay

import (
	"context"
	"errors"
	"testing"
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
