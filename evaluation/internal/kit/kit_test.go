package kit

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFillRefusesBadPages(t *testing.T) {
	tables := map[string]string{"a": "A\n", "b": "B\n"}
	good := "x\n<!-- table a -->\nold\n<!-- end -->\ny\n<!-- table b -->\n<!-- end -->\n"
	got, err := Fill(good, tables)
	if want := "x\n<!-- table a -->\nA\n<!-- end -->\ny\n<!-- table b -->\nB\n<!-- end -->\n"; err != nil || got != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	for name, text := range map[string]string{
		"missing table":   "<!-- table a -->\n<!-- end -->\n",
		"unknown table":   "<!-- table c -->\n<!-- end -->\n",
		"table twice":     "<!-- table a -->\n<!-- end -->\n<!-- table a -->\n<!-- end -->\n",
		"nested table":    "<!-- table a -->\n<!-- table b -->\n<!-- end -->\n",
		"end too early":   "<!-- end -->\n" + good,
		"no end":          strings.TrimSuffix(good, "<!-- end -->\n"),
		"nothing at all":  "",
		"end without any": "<!-- end -->\n",
	} {
		if _, err := Fill(text, tables); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestCorrelation(t *testing.T) {
	for _, c := range []struct {
		ys   []float64
		want float64
	}{{[]float64{2, 4, 6}, 1}, {[]float64{3, 2, 1}, -1}, {[]float64{1, 0, 1}, 0}} {
		if got := Correlation([]float64{1, 2, 3}, c.ys); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("correlation with %v is %v, want %v", c.ys, got, c.want)
		}
	}
}

func TestRanksAndMedians(t *testing.T) {
	if got := Ranks([]float64{5, 1, 5, 0}); cmp.Diff(got, []float64{3.5, 2, 3.5, 1}) != "" {
		t.Errorf("ranks %v", got)
	}
	same := func(x *float64) float64 { return *x }
	for _, c := range []struct {
		of                        []float64
		mean, geometric, inMiddle float64
	}{{[]float64{4, 1, 2}, 7.0 / 3, 2, 2}, {[]float64{1, 4}, 2.5, 2, 1}, {[]float64{3}, 3, 3, 3}} {
		if m, g, h := Mean(c.of, same), Geometric(c.of, same), Median(c.of, same); math.Abs(m-c.mean)+math.Abs(g-c.geometric)+math.Abs(h-c.inMiddle) > 1e-12 {
			t.Errorf("%v: %v, %v, %v", c.of, m, g, h)
		}
	}
}
