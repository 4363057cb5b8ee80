package l1d

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/warpbound/warpbound/internal/cache"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/simt"
)

func smallCache() cache.Config {
	return cache.Config{Sets: 4, Ways: 2, LineBytes: 128, SectorBytes: 128}
}

func estimate(t testing.TB, l *load.Opened, r Residency, caches []cache.Config, opt EstimateOptions) *Estimate {
	t.Helper()
	r.Blocks = simt.NumBlocks(l.File.Grid)
	e, err := analyse(t, tainted(t, l)).Estimate(context.Background(), l.Fresh, r, caches, opt)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// The published example by hand: four lines loaded by two warps, and stored by
// two warps, which evicts nothing and, without allocation, misses always.
func TestEstimateOfThePublishedExample(t *testing.T) {
	l := openExample(t, "huangfu/listing/listing.toml")
	fermi := cache.Config{Sets: 32, Ways: 4, LineBytes: 128, SectorBytes: 128, Index: cache.FermiHash, WriteEvict: true}
	e := estimate(t, l, Residency{SMs: 1, BlocksPerSM: 2}, []cache.Config{fermi}, EstimateOptions{Classes: true})
	want := cache.Counts{Loads: cache.Tally{Accesses: 8, Hits: 4}, Stores: cache.Tally{Accesses: 8}}
	c := &e.Caches[0]
	if c.Total != want {
		t.Errorf("total %+v, want %+v", c.Total, want)
	}
	if len(c.ByInstruction) != 2 || c.ByInstruction[0].Loads != want.Loads || c.ByInstruction[1].Stores != want.Stores {
		t.Errorf("by instruction: %+v", c.ByInstruction)
	}
	if got := fmt.Sprint(e.Instructions); got != "[{8 L 2 8 4} {10 S 2 8 4}]" {
		t.Errorf("instructions: %s", got)
	}
	if e.Residency.Rounds() != 1 || e.Irregular != 0 {
		t.Errorf("%d rounds, %d irregular accesses", e.Residency.Rounds(), e.Irregular)
	}
	var classes []string
	for _, b := range c.Blocks {
		for w, s := range b.Warps {
			for x := range s.All() {
				classes = append(classes, fmt.Sprintf("%d.%d:%v", b.Block, w, c.Classes[x]))
			}
		}
	}
	if got, want := strings.Join(classes, " "), "0.0:{8 L 4 4} 0.1:{8 L 4 0} 1.0:{10 S 4 4} 1.1:{10 S 4 4}"; got != want {
		t.Errorf("classes %s, want %s", got, want)
	}
}

var sweep = []cache.Config{
	{Sets: 4, Ways: 2, LineBytes: 128, SectorBytes: 32},
	{Sets: 8, Ways: 4, LineBytes: 64, SectorBytes: 32, Replacement: cache.FIFO, WriteBack: true, WriteAllocate: true},
	{Sets: 1, Ways: 16, LineBytes: 32, SectorBytes: 32, Replacement: cache.PLRU, WriteEvict: true},
}

// The estimate against caches fed by hand from the order, batch by batch.
func TestEstimateFollowsTheOrder(t *testing.T) {
	for _, name := range []string{"rodinia/srad/srad1.toml", "basic/histogram/histogram.toml", "rodinia/bfs/bfs_expand.toml", "basic/async/staged.toml"} {
		l := openExample(t, name)
		r := Residency{Blocks: simt.NumBlocks(l.File.Grid), SMs: 2, BlocksPerSM: 2}
		var seen []string
		e := estimate(t, l, r, sweep, EstimateOptions{Classes: true, Observe: func(sm int, a *Access, results [][]cache.Result) error {
			seen = append(seen, fmt.Sprint(sm, *a, results))
			return nil
		}})
		a := analyse(t, tainted(t, l))
		var want []string
		totals := make([]cache.Counts, len(sweep))
		classes := map[[2]int64][]Class{} // of cache 1
		for sm := range r.SMs {
			o := newOrder(t, a, fresh(t, l), Options{SegmentBytes: 32})
			var models []*cache.Cache
			for _, c := range sweep {
				m, err := cache.New(c)
				if err != nil {
					t.Fatal(err)
				}
				models = append(models, m)
			}
			for k := range r.Rounds() {
				if len(r.Batch(nil, sm, k)) == 0 {
					break
				}
				for _, x := range sequence(t, o, r.Batch(nil, sm, k)...) {
					results := make([][]cache.Result, len(models))
					class := Class{PC: x.PC, Kind: x.Kind, Segments: int32(len(x.Lines))}
					for i, m := range models {
						if x.Kind == Atomic {
							continue
						}
						for _, line := range x.Lines {
							res := m.Access(line, cache.Kind(x.Kind))
							totals[i].Add(cache.Kind(x.Kind), res)
							results[i] = append(results[i], res)
							if i == 1 && !res.Hit {
								class.Misses++
							}
						}
					}
					who := [2]int64{x.Block, int64(x.Warp)}
					classes[who] = append(classes[who], class)
					want = append(want, fmt.Sprint(sm, x, results))
				}
			}
		}
		if !slices.Equal(seen, want) {
			t.Errorf("%s: %d accesses seen, %d expected, or other ones", name, len(seen), len(want))
		}
		for i := range sweep {
			if e.Caches[i].Total != totals[i] {
				t.Errorf("%s: cache %d: %+v, want %+v", name, i, e.Caches[i].Total, totals[i])
			}
			var sum cache.Counts
			for j := range e.Caches[i].ByInstruction {
				addCounts(&sum, &e.Caches[i].ByInstruction[j])
			}
			if sum != totals[i] {
				t.Errorf("%s: cache %d: the instructions sum up to %+v, want %+v", name, i, sum, totals[i])
			}
		}
		c := &e.Caches[1]
		if int64(len(c.Blocks)) != r.Blocks {
			t.Errorf("%s: classes of %d blocks, want %d", name, len(c.Blocks), r.Blocks)
		}
		for i, b := range c.Blocks {
			if b.Block != int64(i) {
				t.Errorf("%s: block %d stands at %d", name, b.Block, i)
			}
			for w, s := range b.Warps {
				var got []Class
				for x := range s.All() {
					got = append(got, c.Classes[x])
				}
				if want := classes[[2]int64{b.Block, int64(w)}]; !slices.Equal(got, want) {
					t.Errorf("%s: block %d, warp %d: classes %v, want %v", name, b.Block, w, got, want)
				}
			}
		}
	}
}

func TestEstimateDoesNotDependOnWorkers(t *testing.T) {
	l := openExample(t, "rodinia/hotspot/hotspot.toml")
	var want string
	for _, workers := range []int{0, 1, 3, 100} {
		last := int64(0)
		e := estimate(t, l, Residency{SMs: 5, BlocksPerSM: 1}, sweep, EstimateOptions{Workers: workers, Classes: true, Progress: func(done, total int64) {
			if done <= last || total != 16 {
				t.Errorf("%d of %d blocks after %d", done, total, last)
			}
			last = done
		}})
		if last != 16 {
			t.Errorf("progress ended at %d blocks", last)
		}
		var s strings.Builder
		out, err := json.Marshal([]any{e.Instructions, e.Executed, e.Irregular})
		if err != nil {
			t.Fatal(err)
		}
		s.Write(out)
		for i := range e.Caches {
			c := &e.Caches[i]
			fmt.Fprint(&s, c.Total, c.ByInstruction, c.Classes)
			for _, b := range c.Blocks {
				for _, w := range b.Warps {
					fmt.Fprint(&s, b.Block, slices.Collect(w.All()))
				}
			}
		}
		if want == "" {
			want = s.String()
		}
		if s.String() != want {
			t.Errorf("%d workers: another estimate", workers)
		}
	}
}

func TestEstimateRefuses(t *testing.T) {
	l := openExample(t, "basic/saxpy/saxpy.toml")
	a := analyse(t, tainted(t, l))
	ctx := context.Background()
	ok := Residency{Blocks: 2, SMs: 1, BlocksPerSM: 1}
	bad := smallCache()
	bad.Ways, bad.LineBytes = 0, 96
	sectored := smallCache()
	sectored.SectorBytes = 32
	for _, c := range []struct {
		what   string
		r      Residency
		caches []cache.Config
		opt    EstimateOptions
		want   string
	}{
		{"no SM", Residency{Blocks: 2, BlocksPerSM: 1}, nil, EstimateOptions{}, "0 SMs"},
		{"other blocks", Residency{Blocks: 3, SMs: 1, BlocksPerSM: 1}, nil, EstimateOptions{}, "a grid of 2 blocks, 3 were announced"},
		{"a bad cache", ok, []cache.Config{smallCache(), bad}, EstimateOptions{}, "ways = 0"},
		{"two sector sizes", ok, []cache.Config{smallCache(), sectored}, EstimateOptions{}, "32-byte sectors and accesses coalesced by 128 bytes"},
		{"segments of another size", ok, []cache.Config{smallCache()}, EstimateOptions{SegmentBytes: 64}, "128-byte sectors and accesses coalesced by 64 bytes"},
		{"no segments", ok, nil, EstimateOptions{SegmentBytes: 3}, "power of two"},
		{"a limit", ok, nil, EstimateOptions{Limits: simt.Limits{MaxInstructions: 10}}, "instruction limit"},
	} {
		if _, err := a.Estimate(ctx, l.Fresh, c.r, c.caches, c.opt); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.what, err, c.want)
		}
	}
	stop := errors.New("stop")
	many := openExample(t, "basic/vecadd/vecadd.toml")
	r := Residency{Blocks: 16, SMs: 4, BlocksPerSM: 1}
	_, err := analyse(t, tainted(t, many)).Estimate(ctx, many.Fresh, r, nil, EstimateOptions{Workers: 4, Observe: func(sm int, _ *Access, _ [][]cache.Result) error {
		if sm == 2 {
			return stop
		}
		return nil
	}})
	if !errors.Is(err, stop) {
		t.Errorf("an observer that stops: %v", err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	a, newKernel := longLoop(13).again(t)
	if _, err := a.Estimate(cancelled, newKernel, Residency{Blocks: 2, SMs: 2, BlocksPerSM: 1}, nil, EstimateOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Folding loses nothing, and folds what repeats.
func TestFold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var symbols []int32
		for range rapid.IntRange(0, 4).Draw(t, "parts") {
			body := rapid.SliceOfN(rapid.Int32Range(0, 2), 1, 6).Draw(t, "body")
			for range rapid.IntRange(1, 30).Draw(t, "count") {
				symbols = append(symbols, body...)
			}
		}
		st := newFoldStore()
		var f folded
		for _, x := range symbols {
			st.push(&f, x)
		}
		if got := slices.Collect(st.seq(f).All()); !slices.Equal(got, symbols) {
			t.Fatalf("%v became %v", symbols, got)
		}
	})
	st := newFoldStore()
	var f folded
	for range 1000 {
		for range 50 {
			st.push(&f, 0)
			st.push(&f, 1)
			st.push(&f, 2)
			st.push(&f, 1)
		}
		st.push(&f, 3)
	}
	if len(f) != 1 || len(st.bodies) > 8 {
		t.Errorf("two nested loops are %d items and %d bodies: %v", len(f), len(st.bodies), f)
	}
}
