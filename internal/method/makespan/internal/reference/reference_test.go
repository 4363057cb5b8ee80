package reference_test

import (
	"testing"

	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/method/makespan/internal/reference"
)

func TestLongestGivesTheTable(t *testing.T) {
	for _, row := range reference.Table() {
		for w, want := range row.Cycles[:6] {
			in := reference.Instance(t, row.Text, int64(w)+1, row.L, row.C)
			if got := reference.Longest(in); got != want {
				t.Errorf("%s %d/%d, %d warps: %d, expected %d", row.Text, row.L, row.C, w+1, got, want)
			}
		}
	}
}

func TestEnumerateEqualsLongest(t *testing.T) {
	for _, text := range reference.Strings("LCM", 4) {
		for _, c := range reference.Tuples(3, 2) {
			for w := int64(1); w <= 3; w++ {
				in := reference.Instance(t, text, w, c...)
				if a, b := reference.Enumerate(in), reference.Longest(in); a != b {
					t.Errorf("%s %v, %d warps: %d by enumeration, %d by longest path", text, c, w, a, b)
				}
			}
		}
	}
}

// The published curves follow from the exact makespans.
func TestCurvesFollowFromTheTable(t *testing.T) {
	for _, row := range reference.Table() {
		if row.L != 1 || row.C != 1 {
			continue
		}
		for _, c := range []struct {
			curve reference.Curve
			of    func(makespan.Estimate) int64
		}{
			{reference.Figure6(), func(e makespan.Estimate) int64 { return e.Least }},
			{reference.Figure7(), func(e makespan.Estimate) int64 { return e.Raw }},
		} {
			if row.Text != c.curve.Text {
				continue
			}
			estimates, err := makespan.Estimates(c.curve.Warps, row.Cycles[:])
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range c.curve.Cycles {
				if got := c.of(estimates[i]); got != want {
					t.Errorf("%s, x = %d: %d, published %d", row.Text, i+1, got, want)
				}
			}
		}
	}
}

func TestSets(t *testing.T) {
	if n := len(reference.Strings("LC", 6)); n != 126 {
		t.Errorf("%d strings of up to 6 letters, expected 126", n)
	}
	if n := len(reference.Tuples(3, 2)); n != 8 {
		t.Errorf("%d triples, expected 8", n)
	}
}
