package analysis

import (
	"context"
	"math"
	"testing"

	"github.com/warpbound/warpbound/internal/cache"
	"github.com/warpbound/warpbound/internal/testkit/gpus"
)

func TestCompareSchemes(t *testing.T) {
	l := kernel(t, touching, "2", "64")
	m := gpus.Preset(t, "gtx480", "sm.count=1")
	one := cache.Config{Sets: 1, Ways: 1, LineBytes: 128, SectorBytes: 128, WriteEvict: true}
	rows, err := CompareSchemes(context.Background(), cacheLaunch(l), m, CacheOptions{Configs: []cache.Config{cache.OfL1D(m.Desc.L1D), one}}, Schemes())
	if err != nil || len(rows) != 2 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	// Misses of the estimate: by hand in TestRunCaches; with one line, each load
	// throws out the line that the one before it brought in, and of the stores,
	// which bring nothing in, only the one to the last of these lines hits.
	for i, misses := range []int64{6, 15} {
		r := &rows[i]
		if r.Kernel != "k" || !r.Exact || r.Blocks != 2 || r.Rounds != 1 || len(r.Runs) != 3 || r.Refused != "" {
			t.Fatalf("row %d: %+v", i, r)
		}
		if both := r.Estimated.Both(); both.Misses() != misses {
			t.Errorf("row %d: %d misses, want %d", i, both.Misses(), misses)
		}
		if run := &r.Runs[2]; run.Counts != r.Estimated || run.Ratio != 1 {
			t.Errorf("row %d: reordered %+v, estimated %+v", i, run, r.Estimated)
		}
		for j, run := range r.Runs {
			policy := []string{"lrr", "srr", "lrr"}[j]
			want := float64(run.Cycles) / float64(rows[0].Runs[0].Cycles)
			if run.Scheme != Schemes()[j].Name || run.Policy != policy || run.Normalised != want {
				t.Errorf("row %d: %+v", i, run)
			}
		}
	}
}

func TestCompareSchemesRefuses(t *testing.T) {
	const unknown = "\tld.param.u64 %rd0, [p];\n\tld.global.u32 %r0, [%rd0];\n\tmul.wide.u32 %rd1, %r0, 4;\n\tadd.u64 %rd1, %rd0, %rd1;\n\tst.global.u32 [%rd1], %r0;\n"
	rows, err := CompareSchemes(context.Background(), cacheLaunch(kernel(t, unknown, "1", "32")), gpus.Preset(t, "gtx480"), CacheOptions{}, Schemes())
	if err != nil || len(rows) != 1 || rows[0].Refused == "" || len(rows[0].Runs) > 0 {
		t.Errorf("%+v, %v", rows, err)
	}
	if s := SummarizeSchemes(rows); len(s) > 0 {
		t.Errorf("means of nothing: %+v", s)
	}
	if _, err := CompareSchemes(context.Background(), cacheLaunch(kernel(t, touching, "1", "32")), gpus.Preset(t, "ecrts2025-5"), CacheOptions{}, Schemes()); err == nil {
		t.Error("a GPU without caches")
	}
}

func TestSummarizeSchemes(t *testing.T) {
	counts := func(requests, hits int64) cache.Counts {
		return cache.Counts{Loads: cache.Tally{Accesses: requests, Hits: hits}}
	}
	small, large := cache.Config{Sets: 1}, cache.Config{Sets: 2}
	run := func(scheme string, normalised, ratio float64, c cache.Counts) SchemeRun {
		return SchemeRun{Scheme: scheme, CacheRun: CacheRun{Counts: c}, Normalised: normalised, Ratio: ratio}
	}
	rows := []SchemeRow{
		{Config: small, Estimated: counts(10, 5), Runs: []SchemeRun{run("a", 1, 2, counts(10, 7)), run("b", 2, math.NaN(), counts(10, 10))}},
		{Config: large, Estimated: counts(10, 5), Runs: []SchemeRun{run("a", 0.5, math.NaN(), counts(0, 0))}},
		{Config: small, Estimated: counts(10, 10), Runs: []SchemeRun{run("a", 4, 0, counts(10, 9))}},
		{Config: small, Refused: "no"},
	}
	s := SummarizeSchemes(rows)
	if len(s) != 3 {
		t.Fatalf("%+v", s)
	}
	near := func(x, y float64) bool { return math.Abs(x-y) < 1e-12 }
	if a := s[0]; a.Scheme != "a" || a.Config != small || a.Rows != 2 || a.Mean != 2.5 || !near(a.Geometric, 2) || a.Ratio != 1 || !near(a.Estimated, 0.25) || !near(a.Simulated, 0.2) {
		t.Errorf("a: %+v", a)
	}
	if b := s[1]; b.Scheme != "b" || b.Rows != 1 || b.Mean != 2 || !math.IsNaN(b.Ratio) || b.Simulated != 0 {
		t.Errorf("b: %+v", b)
	}
	if c := s[2]; c.Scheme != "a" || c.Config != large || c.Geometric != 0.5 || !math.IsNaN(c.Ratio) {
		t.Errorf("large: %+v", c)
	}
	if got := missRatio(counts(8, 4), counts(8, 6)); got != 2 {
		t.Errorf("ratio %v", got)
	}
	if got := missRatio(counts(8, 4), counts(8, 8)); !math.IsNaN(got) {
		t.Errorf("ratio to no misses: %v", got)
	}
}
