package jeanmougin2025

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/evaluation/internal/kit"

	"github.com/google/go-cmp/cmp"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/sim"
)

var root = filepath.Join("..", "..")

func committed(t *testing.T) *results {
	t.Helper()
	r, err := read(root)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// What the data files say of the realistic latency, of whole launches, and of the
// undrained pipeline is what is measured now. The other latencies and pipelines
// take the same road with other numbers; the command measures all.
func TestDataIsUpToDate(t *testing.T) {
	b := newBench(root)
	want := committed(t)
	compare := func(name string, old []row, measured []row, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(old, measured); d != "" {
			t.Errorf("%s is out of date; run: go run ./evaluation jeanmougin2025\n%s", name, d)
		}
	}
	at := func(rows []row) []row { return pick(rows, func(r *row) bool { return r.GPU == ecrts(realistic) }) }

	rodinia, err := b.rodinia(realistic)
	compare("rodinia.csv", at(want.rodinia), rodinia, err)
	sgemm, err := b.sgemm(realistic)
	compare("sgemm.csv", at(want.sgemm), sgemm, err)
	files, err := b.whole()
	if err != nil {
		t.Fatal(err)
	}
	var launches []row
	for _, g := range wholeLaunchGPUs {
		rows, err := b.compare(files, g, sim.Abstract, bound.Kernel)
		if err != nil {
			t.Fatal(err)
		}
		launches = append(launches, rows...)
	}
	compare("launches.csv", want.launches, launches, nil)
	files, err = b.Files("rodinia/*/*.toml")
	if err != nil {
		t.Fatal(err)
	}
	old := pick(want.pipeline, func(r *row) bool { return r.GPU == undrained && r.Scope != bound.Kernel.String() })
	pipeline, err := b.compare(files, undrained, sim.Pipeline, bound.Warp, bound.Block)
	compare("pipeline.csv", old, pipeline, err)
	under, err := b.underMany()
	compare("policies.csv", want.policies, under, err)
	blocks, err := b.blocks(rodinia)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want.blocks, blocks); d != "" {
		t.Errorf("%s is out of date; run: go run ./evaluation jeanmougin2025\n%s", blocksFile, d)
	}
}

// What the page claims of all data: every row has a simulation, a single warp is
// bounded exactly, no safe bound is below the abstract model, and every launch
// that fits its machine has a safe bound.
func TestDataHoldsWhatThePageSays(t *testing.T) {
	r := committed(t)
	fit := 0
	for _, x := range slices.Concat(r.rodinia, r.sgemm, r.policies, r.launches) {
		if x.Refused == "a block does not fit an SM" {
			continue
		}
		fit++
		if x.Best < x.Simulated || x.Simulated < 1 || x.Method == "" {
			t.Errorf("%s, %s, %s: %d cycles by %q, simulated %d", x.GPU, x.Launch, x.Policy, x.Best, x.Method, x.Simulated)
		}
		if x.Scope == bound.Warp.String() && x.Best != x.Simulated {
			t.Errorf("%s: one warp takes %d cycles on %s and is bounded by %d", x.Launch, x.Simulated, x.GPU, x.Best)
		}
	}
	if want := len(latencies)*(64*3+8*2) + 64*len(strings.Fields(manyPolicies)) + 2*(146+146+143); fit != want {
		t.Errorf("%d rows, want %d", fit, want)
	}
}

// One warp of the pipeline that does not wait for stores takes what its profile
// says, to one percent in the mean, and the blocks give the same picture as over
// the abstract model, to three points.
func TestPipelineAgreesWithProfiles(t *testing.T) {
	r := committed(t)
	mean := func(rows []row, gpu string, scope bound.Scope) float64 {
		s, _ := summary(pick(rows, func(x *row) bool {
			return x.GPU == gpu && x.Scope == scope.String() && x.Policy == "lrr"
		}), gub)
		if s.Rows != 64 {
			t.Errorf("%s, %s: %d launches", gpu, scope, s.Rows)
		}
		return s.Mean
	}
	if m := mean(r.pipeline, undrained, bound.Warp); math.Abs(m) > 0.01 {
		t.Errorf("one warp: mean %.4f", m)
	}
	pipeline, abstract := mean(r.pipeline, undrained, bound.Block), mean(r.rodinia, ecrts(realistic), bound.Block)
	if math.Abs(pipeline-abstract) > 0.03 {
		t.Errorf("one block: mean %.4f over the pipeline, %.4f over the abstract model", pipeline, abstract)
	}
}

// The shape of the paper's tables, as the page describes it: the longer the
// memory takes, the smaller the mean, and in SGEMM the more warps, the smaller
// from eight warps on.
func TestShapeOfThePaper(t *testing.T) {
	r := committed(t)
	mean := func(latency int, policy string, b of) float64 {
		s, _ := summary(pick(r.rodinia, func(x *row) bool {
			return x.GPU == ecrts(latency) && x.Scope == bound.Block.String() && x.Policy == policy
		}), b)
		if s.Rows != 64 || s.Exceeded != 0 {
			t.Errorf("latency %d: %d launches, %d above their bound", latency, s.Rows, s.Exceeded)
		}
		return s.Mean
	}
	last := math.Inf(-1)
	for _, latency := range latencies {
		lrr, gto := mean(latency, "lrr", gub), mean(latency, "gto", gub)
		if lrr < last {
			t.Errorf("latency %d: mean %.4f after %.4f", latency, lrr, last)
		}
		if (gto > lrr) != (latency >= 25) {
			t.Errorf("latency %d: mean %.4f under GTO, %.4f under LRR", latency, gto, lrr)
		}
		for _, p := range policies {
			if mean(latency, p.Name, best) > mean(latency, p.Name, gub) {
				t.Errorf("latency %d, %s: the safe bound's mean is above the published one's", latency, p.Name)
			}
		}
		last = lrr
	}
	for _, g := range r.sgemm {
		if !strings.HasSuffix(g.Launch, "_32.toml") {
			continue
		}
		before := kit.Over(g.GUB, g.Simulated)
		for _, warps := range []string{"_16", "_8"} {
			launch := strings.Replace(g.Launch, "_32", warps, 1)
			i := slices.IndexFunc(r.sgemm, func(x row) bool { return x.Launch == launch && x.GPU == g.GPU && x.Policy == g.Policy })
			if i < 0 || kit.Over(r.sgemm[i].GUB, r.sgemm[i].Simulated) < before {
				t.Errorf("%s, %s, %s: fewer warps are not bounded less closely", g.GPU, launch, g.Policy)
				continue
			}
			before = kit.Over(r.sgemm[i].GUB, r.sgemm[i].Simulated)
		}
	}
}

func TestDecodeRefusesBadFiles(t *testing.T) {
	good := string(encodeRows([]row{{GPU: "g", Launch: "l", Simulated: 7}}))
	if rows, err := kit.Decode([]byte(good), rowHeader, decodeRow); err != nil || len(rows) != 1 || rows[0].Simulated != 7 {
		t.Errorf("%v, %v", rows, err)
	}
	for name, text := range map[string]string{
		"number": strings.Replace(good, "7", "seven", 1),
		"fields": good + "a,b\n",
	} {
		if _, err := kit.Decode([]byte(text), rowHeader, decodeRow); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
