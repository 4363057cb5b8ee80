package makespan

import (
	"errors"
	"math"
	"testing"

	"github.com/warpbound/warpbound/bound"
)

// at makes an instance from a transformed string of L and C and its capacities.
func at(t *testing.T, text string, sigmaL, sigmaC, warps int64) *Instance {
	t.Helper()
	in, err := New(text, []Unit{{'L', 32 * sigmaL}, {'C', 32 * sigmaC}}, 32, warps)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func TestClosedForms(t *testing.T) {
	for _, c := range []struct {
		text                  string
		sigmaL, sigmaC, warps int64
		published, safe       int64
		publishedSafe         bool
	}{
		{"LLCLL", 1, 1, 600, 3000, 3000, true}, // Berezovskyi2012, Fig. 6, the dashed line
		{"LLCLLCLL", 1, 1, 420, 3360, 3360, true},
		{"LLC", 1, 1, 4, 12, 12, true},
		{"LL", 2, 1, 4, 4, 5, false}, // the exact worst case is 5
		{"LL", 2, 1, 1, 2, 2, false},
		{"LLC", 2, 2, 8, 12, 3 + 7 + 3, false},
		{"CCLLLC", 3, 2, 5, 6 + 9, 6 + 4 + 6, false},
	} {
		in := at(t, c.text, c.sigmaL, c.sigmaC, c.warps)
		published, err := in.Published()
		if err != nil || published != c.published {
			t.Errorf("%s %d/%d W=%d: published %d, %v, want %d", c.text, c.sigmaL, c.sigmaC, c.warps, published, err, c.published)
		}
		safe, err := in.Safe()
		if err != nil || safe != c.safe {
			t.Errorf("%s %d/%d W=%d: safe %d, %v, want %d", c.text, c.sigmaL, c.sigmaC, c.warps, safe, err, c.safe)
		}
		if got := in.PublishedSafe(); got != c.publishedSafe {
			t.Errorf("%s %d/%d: published figure a bound: %v", c.text, c.sigmaL, c.sigmaC, got)
		}
	}
}

func TestClosedFormsOverflow(t *testing.T) {
	in := at(t, "L1000000000C1000000000", 1, 1, math.MaxInt64)
	if v, err := in.Published(); !errors.Is(err, bound.ErrOverflow) {
		t.Errorf("published %d, %v", v, err)
	}
	if v, err := in.Safe(); !errors.Is(err, bound.ErrOverflow) {
		t.Errorf("safe %d, %v", v, err)
	}
	if _, err := Estimates(math.MaxInt64, []int64{2}); !errors.Is(err, bound.ErrOverflow) {
		t.Errorf("estimate: %v", err)
	}
	// The largest that fits: one instruction, MaxInt64 warps.
	one := at(t, "L", 1, 1, math.MaxInt64)
	if v, err := one.Safe(); err != nil || v != math.MaxInt64 {
		t.Errorf("safe %d, %v", v, err)
	}
}

// The published curves of Figs. 6 and 7, from the exact makespans.
func TestEstimates(t *testing.T) {
	for _, c := range []struct {
		warps       int64
		exact       []int64
		raw, leasts []int64
	}{
		{600, []int64{5, 9, 13, 17, 21, 25, 29, 33}, nil, []int64{3000, 2700, 2600, 2550, 2520, 2500, 2494, 2475}},
		{420, []int64{8, 13, 20, 26, 32, 38, 44, 50}, []int64{3360, 2730, 2800, 2730, 2688, 2660, 2640, 2650}, nil},
		{4, []int64{3, 4, 7}, []int64{12, 8, 14}, []int64{12, 8, 8}}, // LCL: the exact makespan of 4 warps is 9
	} {
		points, err := Estimates(c.warps, c.exact)
		if err != nil || len(points) != len(c.exact) {
			t.Fatalf("%d points, %v", len(points), err)
		}
		for i, p := range points {
			if p.X != int64(i)+1 || p.Exact != c.exact[i] || c.raw != nil && p.Raw != c.raw[i] || c.leasts != nil && p.Least != c.leasts[i] {
				t.Errorf("W=%d: point %d is %+v", c.warps, i+1, p)
			}
		}
	}
}
