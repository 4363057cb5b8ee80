package inorder_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/warpbound/warpbound/internal/verify/inorder"
)

func TestTryKeepsTheOrder(t *testing.T) {
	for _, workers := range []int{0, 1, 3, 50} {
		var got []int
		for of, err := range inorder.Try(t.Context(), 200, workers, func(_ context.Context, i int) (int, error) { return i * i, nil }) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, of)
		}
		want := make([]int, 200)
		for i := range want {
			want[i] = i * i
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d workers: %v, expected squares in order", workers, got)
		}
	}
}

func TestTryEnds(t *testing.T) {
	wrong := errors.New("wrong")
	var running atomic.Int32
	try := func(ctx context.Context, i int) (int, error) {
		running.Add(1)
		defer running.Add(-1)
		if i == 5 {
			return 0, wrong
		}
		return i, ctx.Err()
	}
	var last error
	n := 0
	for _, err := range inorder.Try(t.Context(), 1000, 2, try) {
		n, last = n+1, err
	}
	if n != 6 || !errors.Is(last, wrong) {
		t.Errorf("%d outcomes, the last with %v, expected 6 and %v", n, last, wrong)
	}
	for i := range inorder.Try(t.Context(), 5, 2, try) {
		if i == 2 {
			break
		}
	}
	if n := running.Load(); n != 0 {
		t.Errorf("%d cases run behind the end of the loop", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range inorder.Try(ctx, 5, 2, try) {
		last = err
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("error %v of a cancelled campaign, expected %v", last, context.Canceled)
	}
}
