package huangfu2017

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/evaluation/internal/kit"

	"github.com/google/go-cmp/cmp"

	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/simt"
)

const again = "is out of date; run: go run ./evaluation huangfu2017"

// What the file says of the first cache, with grids as they are, and of all other
// machines is what is simulated now. The other caches and layers take the same
// road with other numbers; the command simulates all.
func TestSchemesAreUpToDate(t *testing.T) {
	shapes := append(schemeShapes()[:1], factorShapes()...)
	got, err := newBench(root).schemes(shapes)
	if err != nil {
		t.Fatal(err)
	}
	var want []cached
	for _, s := range shapes {
		for _, x := range committed(t).schemes {
			if x.GPU == s.gpu && x.Layers == s.layers && x.KB == s.kb && x.Ways == s.ways {
				want = append(want, x)
			}
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s %s\n%s", schemesFile, again, d)
	}
}

// The simulations of the page are those of compare schemes.
func TestSchemesAreThoseOfCompare(t *testing.T) {
	b := newBench(root)
	m, err := b.Machine(fermi)
	if err != nil {
		t.Fatal(err)
	}
	opt := analysis.CacheOptions{}
	for _, kb := range sizesKB {
		opt.Configs = append(opt.Configs, cacheConfig(m, kb, firstWays))
	}
	data := committed(t)
	for _, launch := range []string{"rodinia/srad/srad2.toml", "rodinia/kmeans/kmeans_assign.toml", "rodinia/btree/btree_find.toml"} {
		l, err := b.Open(launch)
		if err != nil {
			t.Fatal(err)
		}
		l.File.Grid[2] = 1
		of := method.Source{Tainted: func() (simt.Tainted, error) { return l.Kernel(true) }, Fresh: l.Fresh}
		rows, err := analysis.CompareSchemes(context.Background(), of, m, opt, analysis.Schemes())
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range rows {
			for _, x := range data.trios(fermi, 1, sizesKB[i]) {
				if x.dynamic.Launch != launch {
					continue
				}
				for _, run := range row.Runs {
					have := x.of(run.Scheme)
					if got := run.Counts.Both(); have.Cycles != run.Cycles || have.Misses != got.Misses() || have.Requests != got.Accesses {
						t.Errorf("%s, %d kB, %s: %d cycles and %d misses, compare has %d and %d", launch, sizesKB[i], run.Scheme, have.Cycles, have.Misses, run.Cycles, got.Misses())
					}
					if row.Estimated.Both().Misses() != have.EstimatedMisses {
						t.Errorf("%s, %d kB: estimated %d misses, compare %d", launch, sizesKB[i], have.EstimatedMisses, row.Estimated.Both().Misses())
					}
				}
			}
		}
	}
}

// What the page says of all simulations: scheduler cycles add up, an estimate of
// one batch is what is simulated with the unit, the default is fastest and strict
// turns are slowest in the mean, and the more blocks, the larger the gain.
func TestSchemesHoldWhatThePageSays(t *testing.T) {
	r := committed(t)
	full := int64(0)
	for i := range r.schemes {
		x := &r.schemes[i]
		if x.Issued+x.Withheld+x.Memory+x.Turn+x.Full+x.Idle+x.Other != x.Cycles*x.SMs*x.Schedulers || x.Other < 0 {
			t.Errorf("%s, %s, %d layers, %s: scheduler cycles do not add up", x.GPU, x.Launch, x.Layers, x.Scheme)
		}
		if x.Scheme == reordered && x.Rounds == 1 && (x.Misses != x.EstimatedMisses || x.Requests != x.EstimatedRequests) {
			t.Errorf("%s, %s, %d layers: %d misses, estimated %d", x.GPU, x.Launch, x.Layers, x.Misses, x.EstimatedMisses)
		}
		if x.Scheme != strict && x.Withheld > 0 || x.Scheme != reordered && x.Turn+x.Full > 0 {
			t.Errorf("%s, %s, %s: stalls of another scheme", x.GPU, x.Launch, x.Scheme)
		}
		if x.GPU == fermi {
			full += x.Full
		}
	}
	if full != 108 {
		t.Errorf("channels are full in %d scheduler cycles", full)
	}
	last := 0.0
	for _, layers := range layerCounts {
		all := r.everywhere(layers)
		s, o, g := kit.Mean(all, (*trio).strictTimes), kit.Mean(all, (*trio).reorderedTimes), kit.Mean(all, (*trio).gain)
		if len(all) != 31 || o < 1 || s < o || g < last {
			t.Errorf("%d layers: %d launches, srr %.4f, reorder %.4f, gain %.4f after %.4f", layers, len(all), s, o, g, last)
		}
		last = g
	}
	few := 0
	plain := r.trios(fermi, 1, firstKB)
	for i := range plain {
		if plain[i].warps() < 2 {
			few++
		}
	}
	if len(plain) != 33 || few != 16 {
		t.Errorf("%d launches, %d with fewer than two warps", len(plain), few)
	}
}

// Figures and bounds of the first cache are what is computed now.
func TestPredictionsAreUpToDate(t *testing.T) {
	for _, gpu := range predictedGPUs {
		got, err := newBench(root).predict(gpu, sizesKB[:1])
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(committed(t).predictionsOn(gpu, firstKB), got); d != "" {
			t.Errorf("%s %s\n%s", wcetFile, again, d)
		}
	}
}

// What the page says of Fig. 16: all launches have figures and a safe bound, which
// is not below the simulation it is for; the pipeline's simulations are those of the
// comparison of schemes; a miss rate takes off most of the overestimation.
func TestPredictionsHoldWhatThePageSays(t *testing.T) {
	r := committed(t)
	for _, gpu := range predictedGPUs {
		for _, kb := range sizesKB {
			rows := r.predictionsOn(gpu, kb)
			others := 0
			launches := r.trios(fermi, 1, kb)
			if len(rows) != 33 || len(launches) != len(rows) {
				t.Fatalf("%s, %d kB: %d launches", gpu, kb, len(rows))
			}
			for i, x := range rows {
				if x.Refused != "" || x.Bound < x.Simulated || x.Unknown < x.Simulated || x.Estimated > x.Unknown || (x.Claimed == "yes") != (gpu == fermiAbstract) {
					t.Errorf("%+v", x)
				}
				if gpu == fermi && x.Simulated != launches[i].reordered.Cycles {
					t.Errorf("%s, %d kB: %d cycles, %d in the comparison of schemes", x.Launch, kb, x.Simulated, launches[i].reordered.Cycles)
				}
			}
			for _, x := range rows {
				if x.OtherSMs > 0 && x.OtherSMs < x.Bound {
					others++
				}
			}
			if others < len(rows)/2 {
				t.Errorf("%s, %d kB: other SMs are charged in %d bounds", gpu, kb, others)
			}
			without, with := kit.Mean(rows, predictors[0].over), kit.Mean(rows, predictors[1].over)
			if with > without/2 {
				t.Errorf("%s, %d kB: %.3f without miss rate, %.3f with it", gpu, kb, without, with)
			}
		}
	}
}

func TestPredictionRowsSurviveTheFile(t *testing.T) {
	row := prediction{GPU: "g", Launch: "l", KB: 16, Simulated: 7, Unknown: 9, Estimated: 8, Bound: 10, OtherSMs: 3, Method: "m", Claimed: "yes", Refused: "no, not"}
	got, err := kit.Decode(encodeWCET([]prediction{row}), wcetHeader, decodeWCET)
	if err != nil || len(got) != 1 || got[0] != row {
		t.Errorf("%+v, %v, want %+v", got, err, row)
	}
}

func TestSchemeRowsSurviveTheFile(t *testing.T) {
	row := cached{GPU: "g a=1", Launch: "l", Layers: 4, KB: 16, Ways: 4, Scheme: strict}
	for i, n := range row.numbers() {
		*n = int64(i * 7)
	}
	text := encodeSchemes([]cached{row})
	got, err := kit.Decode(text, schemeHeader, decodeScheme)
	if err != nil || len(got) != 1 || got[0] != row {
		t.Errorf("%+v, %v, want %+v", got, err, row)
	}
	if _, err := kit.Decode(bytes.Replace(text, []byte("133"), []byte("many"), 1), schemeHeader, decodeScheme); err == nil {
		t.Error("a word for a number: no error")
	}
}

// A launch over has the same instructions and accesses n times over.
func TestLayersRepeatTheWork(t *testing.T) {
	work := map[string][2]int64{}
	for _, x := range committed(t).schemes {
		if x.GPU != fermi {
			continue
		}
		one := [2]int64{x.WarpInstructions / x.Layers, x.Requests / x.Layers}
		if x.WarpInstructions%x.Layers != 0 || x.Requests%x.Layers != 0 {
			t.Errorf("%s, %d layers: %d instructions, %d requests", x.Launch, x.Layers, x.WarpInstructions, x.Requests)
		}
		if was, ok := work[x.Launch]; ok && was != one {
			t.Errorf("%s, %d layers: %d instructions and requests a layer, %d in others", x.Launch, x.Layers, one, was)
		}
		work[x.Launch] = one
	}
}

func TestNoLaunchWithUnknownAccesses(t *testing.T) {
	b := newBench(root)
	rows, err := b.schemesOf("rodinia/streamcluster/streamcluster.toml", schemeShapes()[0])
	if err != nil || len(rows) != 0 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	bad := schemeShapes()[0]
	bad.gpu = "gtx480 sm.count=none"
	if _, err := b.schemesOf("rodinia/nn/nn.toml", bad); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("%v", err)
	}
}
