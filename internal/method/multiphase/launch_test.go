package multiphase

import (
	"context"
	"testing"

	"github.com/warpbound/warpbound/bound"
)

func TestSlowest(t *testing.T) {
	of := func(best int, cycles ...int64) *bound.Result {
		r := &bound.Result{Best: best}
		for _, c := range cycles {
			r.Bounds = append(r.Bounds, bound.Bound{Cycles: c})
		}
		return r
	}
	for _, c := range []struct {
		name string
		of   []*bound.Result
		want int
	}{
		{"the largest best bound, not the largest bound", []*bound.Result{of(0, 10, 99), of(1, 50, 20), of(0, 15)}, 1},
		{"the first of equals", []*bound.Result{of(0, 7), of(0, 7)}, 0},
		{"none safe: the first bound", []*bound.Result{of(-1, 7, 99), of(-1, 8)}, 1},
		{"no bounds at all", []*bound.Result{of(-1), of(-1)}, 0},
	} {
		r, i, err := slowest(len(c.of), func(i int) (*bound.Result, error) { return c.of[i], nil })
		if err != nil || i != c.want || r != c.of[c.want] {
			t.Errorf("%s: %d, %v", c.name, i, err)
		}
	}
	if _, _, err := slowest(1, func(int) (*bound.Result, error) { return nil, context.Canceled }); err != context.Canceled {
		t.Errorf("%v", err)
	}
}
