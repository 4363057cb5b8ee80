package makespan

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"pgregory.net/rapid"
)

// explorer finds the longest makespan of a few warps, each with a string of its
// own over letters a, b, ..., by trying every work-conserving cycle.
type explorer struct {
	warps      []string
	capacities []int64
	width      int64
	longest    map[string]int64
}

func worstOf(warps []string, capacities []int64, width int64) int64 {
	e := &explorer{warps: warps, capacities: capacities, width: width, longest: map[string]int64{}}
	return e.from(make([]byte, len(warps)))
}

// from is the longest time to the end where warp i has executed at[i] letters.
func (e *explorer) from(at []byte) int64 {
	if v, ok := e.longest[string(at)]; ok {
		return v
	}
	var best int64
	for set := 1; set < 1<<len(at); set++ {
		if !e.conserving(at, set) {
			continue
		}
		next := append([]byte(nil), at...)
		for w := range next {
			next[w] += byte(set >> w & 1)
		}
		best = max(best, 1+e.from(next))
	}
	e.longest[string(at)] = best
	return best
}

// conserving: the set executes within the capacities and the width, and whoever is
// left out stands before a kind that is used up, or the width is.
func (e *explorer) conserving(at []byte, set int) bool {
	used := make([]int64, len(e.capacities))
	n := int64(0)
	for w := range at {
		if set>>w&1 == 1 {
			if int(at[w]) == len(e.warps[w]) {
				return false
			}
			used[e.warps[w][at[w]]-'a']++
			n++
		}
	}
	for u := range used {
		if used[u] > e.capacities[u] {
			return false
		}
	}
	if e.width > 0 && n >= e.width {
		return n == e.width
	}
	for w := range at {
		if set>>w&1 == 0 && int(at[w]) < len(e.warps[w]) {
			if u := e.warps[w][at[w]] - 'a'; used[u] < e.capacities[u] {
				return false
			}
		}
	}
	return true
}

func classesOf(warps []string, kinds int) []Class {
	var out []Class
	for _, w := range warps {
		c := Class{Warps: 1, Counts: make([]int64, kinds)}
		for i := range w {
			c.Counts[w[i]-'a']++
		}
		out = append(out, c)
	}
	return out
}

func checkVolume(t interface {
	Helper()
	Fatalf(string, ...any)
}, warps []string, capacities []int64, width int64) (exact bool) {
	t.Helper()
	v, err := VolumeBound(classesOf(warps, len(capacities)), capacities, width)
	if err != nil {
		t.Fatalf("%v: %v", warps, err)
	}
	worst := worstOf(warps, capacities, width)
	if worst > v.Cycles {
		t.Fatalf("%v, capacities %v, width %d: bound %d, a schedule takes %d", warps, capacities, width, v.Cycles, worst)
	}
	return worst == v.Cycles
}

// Every choice of three strings of up to three letters over two kinds, against all
// schedules.
func TestVolumeCoversAllSchedules(t *testing.T) {
	var strs []string
	for n := 1; n <= 3; n++ {
		for bits := range 1 << n {
			strs = append(strs, strings.Map(func(r rune) rune { return r + 'a' - '0' }, reverseBits(bits, n)))
		}
	}
	var tried, exact int
	for _, capacities := range [][]int64{{1, 1}, {1, 2}, {2, 1}, {2, 2}} {
		for _, width := range []int64{0, 1, 2} {
			for i, a := range strs {
				for j, b := range strs[:i+1] {
					for _, c := range append([]string{""}, strs[:j+1]...) {
						tried++
						if checkVolume(t, []string{a, b, c}, capacities, width) {
							exact++
						}
					}
				}
			}
		}
	}
	t.Logf("%d instances, the bound exact on %d", tried, exact)
	if exact*4 < tried {
		t.Errorf("the bound is exact on %d of %d instances only", exact, tried)
	}
}

func reverseBits(x, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = '0' + byte(x>>i&1)
	}
	return string(b)
}

func TestVolumeCoversRandomWarps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kinds := rapid.IntRange(1, 3).Draw(t, "kinds")
		capacities := rapid.SliceOfN(rapid.Int64Range(1, 3), kinds, kinds).Draw(t, "capacities")
		letter := rapid.SampledFrom([]rune("abc"[:kinds]))
		warps := rapid.SliceOfN(rapid.StringOfN(letter, 1, 5, -1), 1, 5).Draw(t, "warps")
		checkVolume(t, warps, capacities, rapid.Int64Range(0, 4).Draw(t, "width"))
	})
}

// Identical warps without an issue limit: the bound is Safe.
func TestVolumeOfIdenticalWarpsIsSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		units := []Unit{{'L', 32 * rapid.Int64Range(1, 4).Draw(t, "L")}, {'C', 32 * rapid.Int64Range(1, 4).Draw(t, "C")}}
		text := rapid.StringOfN(rapid.SampledFrom([]rune("LC")), 1, 12, -1).Draw(t, "string")
		warps := rapid.Int64Range(1, 1000).Draw(t, "warps")
		in, err := New(text, units, 32, warps)
		if err != nil {
			t.Fatal(err)
		}
		c := Class{Warps: warps}
		for _, k := range in.Kinds {
			c.Counts = append(c.Counts, k.Count)
		}
		got, err := VolumeBound([]Class{c}, in.Capacities(), 0)
		if err != nil {
			t.Fatal(err)
		}
		if want, err := in.Safe(); err != nil || got.Cycles != want {
			t.Fatalf("%d, want %d, %v", got.Cycles, want, err)
		}
	})
}

// Blocked is the optimum of its integer programme.
func TestBlockedIsTheOptimum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kinds := rapid.IntRange(1, 3).Draw(t, "kinds")
		counts := rapid.SliceOfN(rapid.Int64Range(0, 9), kinds, kinds).Draw(t, "counts")
		capacities := rapid.SliceOfN(rapid.Int64Range(1, 5), kinds, kinds).Draw(t, "capacities")
		width := rapid.Int64Range(0, 4).Draw(t, "width")
		got, err := Blocked(counts, capacities, width)
		if err != nil {
			t.Fatal(err)
		}
		if want := spend(counts, capacities, width, 0); got != want {
			t.Fatalf("%d cycles, want %d", got, want)
		}
	})
}

// spend tries how many cycles each kind from u on makes by itself, the rest going
// by width.
func spend(counts, capacities []int64, width int64, u int) int64 {
	if u == len(counts) {
		if width == 0 {
			return 0
		}
		sum := int64(0)
		for _, n := range counts {
			sum += n
		}
		return sum / width
	}
	best := int64(0)
	left := append([]int64(nil), counts...)
	for own := int64(0); left[u] >= 0; own++ {
		best = max(best, own+spend(left, capacities, width, u+1))
		left[u] -= capacities[u]
	}
	return best
}

func TestVolumeWitnesses(t *testing.T) {
	for _, c := range []struct {
		warps      []string
		capacities []int64
		width      int64
		want       Volume
	}{
		{[]string{"aaa", "b"}, []int64{1, 1}, 0, Volume{Cycles: 4, OwnCycles: 3, BlockedCycles: 1}},
		{[]string{"aaa", "aab"}, []int64{2, 1}, 0, Volume{Cycles: 5, Class: 0, OwnCycles: 3, BlockedCycles: 2}},
		{[]string{"a", "a", "a", "a"}, []int64{4}, 2, Volume{Cycles: 2, OwnCycles: 1, BlockedCycles: 1}},
		{[]string{"a", "a", "a", "a"}, []int64{4}, 4, Volume{Cycles: 1, OwnCycles: 1}},
		{[]string{"", "a"}, []int64{1}, 1, Volume{Cycles: 1, BlockedCycles: 1}},
	} {
		got, err := VolumeBound(classesOf(c.warps, len(c.capacities)), c.capacities, c.width)
		if err != nil || got != c.want {
			t.Errorf("%v: %+v, %v, want %+v", c.warps, got, err, c.want)
		}
	}
}

func TestBadVolumes(t *testing.T) {
	one := []int64{1}
	for name, f := range map[string]func() error{
		"no warps":     func() error { _, err := VolumeBound(nil, one, 0); return err },
		"no such kind": func() error { _, err := VolumeBound([]Class{{Warps: 1, Counts: []int64{1, 2}}}, one, 0); return err },
		"zero warps":   func() error { _, err := VolumeBound([]Class{{Counts: one}}, one, 0); return err },
		"negative":     func() error { _, err := VolumeBound([]Class{{Warps: 1, Counts: []int64{-1}}}, one, 0); return err },
		"latency -1": func() error {
			_, err := VolumeBound([]Class{{Warps: 1, Counts: one, LatencyCycles: -1}}, one, 0)
			return err
		},
		"latencies at SM": func() error {
			_, err := (&SM{Units: []SMUnit{{Servers: 1}}, SubCores: 1, Width: 1}).Bound([]SMWarps{{Warps: 1, Sections: [][]int64{{1}}, LatencyCycles: []int64{1, 2}}}, nil)
			return err
		},
		"repetitions": func() error {
			_, err := (&SM{Units: []SMUnit{{Servers: 1}}, SubCores: 1, Width: 1}).Bound([]SMWarps{{Warps: 1, Sections: [][]int64{{1}}}}, []int64{1, 1})
			return err
		},
		"no repetition": func() error {
			_, err := (&SM{Units: []SMUnit{{Servers: 1}}, SubCores: 1, Width: 1}).Bound([]SMWarps{{Warps: 1, Sections: [][]int64{{1}}}}, []int64{0})
			return err
		},
		"capacity 0":    func() error { _, err := Blocked(one, []int64{0}, 0); return err },
		"width -1":      func() error { _, err := Blocked(one, one, -1); return err },
		"two of one":    func() error { _, err := Blocked(one, nil, 0); return err },
		"no sub-core":   func() error { _, err := (&SM{Width: 1}).Bound([]SMWarps{{Warps: 1}}, nil); return err },
		"no warp at SM": func() error { _, err := (&SM{SubCores: 1, Width: 1}).Bound(nil, nil); return err },
		"sub-core 1": func() error {
			_, err := (&SM{SubCores: 1, Width: 1}).Bound([]SMWarps{{Warps: 1, SubCore: 1}}, nil)
			return err
		},
		"kinds at SM": func() error {
			_, err := (&SM{SubCores: 1, Width: 1}).Bound([]SMWarps{{Warps: 1, Sections: [][]int64{{1}}}}, nil)
			return err
		},
	} {
		if err := f(); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	const big = math.MaxInt64
	for name, f := range map[string]func() error{
		"warps": func() error {
			_, err := VolumeBound([]Class{{Warps: big, Counts: []int64{0}}, {Warps: 1, Counts: []int64{0}}}, one, 0)
			return err
		},
		"letters": func() error { _, err := VolumeBound([]Class{{Warps: 2, Counts: []int64{big}}}, one, 0); return err },
		"latencies": func() error {
			_, err := VolumeBound([]Class{{Warps: 1, Counts: one, LatencyCycles: big}}, one, 0)
			return err
		},
		"two kinds": func() error {
			_, err := VolumeBound([]Class{{Warps: 1, Counts: []int64{big, 1}}}, []int64{1, 1}, 0)
			return err
		},
		"blocked": func() error { _, err := Blocked([]int64{big, 1}, []int64{1, 1}, 0); return err },
		"blocked by width": func() error {
			_, err := Blocked([]int64{big, big, big}, []int64{9, 9, 9}, 1)
			return err
		},
		"sections": func() error {
			_, err := (&SM{Units: []SMUnit{{Servers: 1}}, SubCores: 1, Width: 1, FIFO: true}).Bound([]SMWarps{{Warps: 1, Sections: [][]int64{{big}, {1}}}}, nil)
			return err
		},
	} {
		if err := f(); !errors.Is(err, bound.ErrOverflow) {
			t.Errorf("%s: %v, want overflow", name, err)
		}
	}
	if v, err := VolumeBound([]Class{{Warps: 1, Counts: []int64{big}}}, one, 1); err != nil || v.Cycles != big {
		t.Errorf("the largest string: %+v, %v", v, err)
	}
}

func BenchmarkVolume(b *testing.B) {
	classes := make([]Class, 64)
	for i := range classes {
		classes[i] = Class{Warps: 1, Counts: []int64{int64(i), 2 * int64(i), 30, 4}}
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := VolumeBound(classes, []int64{1, 2, 1, 4}, 2); err != nil {
			b.Fatal(err)
		}
	}
}

// Sections that occur several times are counted so often, with the barriers between.
func TestRepeatedSections(t *testing.T) {
	sm := SM{Units: []SMUnit{{Servers: 2, LongestInitiationCycles: 1}, {Servers: 2, LongestInitiationCycles: 1}}, SubCores: 1, Width: 2, FIFO: true, BarrierDelayCycles: 7, BlockStartDelayCycles: 3}
	a, b := []int64{4, 1}, []int64{0, 2}
	unfolded := []SMWarps{{Warps: 3, Sections: [][]int64{a, b, a, b, a}, LatencyCycles: []int64{1, 0, 1, 0, 1}}, {Warps: 1, Sections: [][]int64{b, nil, b, nil, b}}}
	folded := []SMWarps{{Warps: 3, Sections: [][]int64{a, b}, LatencyCycles: []int64{1, 0}}, {Warps: 1, Sections: [][]int64{b, nil}}}
	want, err := sm.Bound(unfolded, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := sm.Bound(folded, []int64{3, 2})
	if err != nil || got != want || got.BarrierDelayCycles != 28 || got.BlockStartDelayCycles != 3 {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	sm.FIFO = false
	if _, err := sm.Bound(folded, []int64{3, 2}); err != nil {
		t.Errorf("units that start at once: %v", err)
	}
	sm.Width = 3
	if _, err := sm.Bound(folded, []int64{3, 2}); !errors.Is(err, ErrSections) {
		t.Errorf("units that make instructions wait: %v", err)
	}
	if _, err := sm.Bound([]SMWarps{{Warps: 1, Sections: [][]int64{a}}}, nil); err != nil {
		t.Errorf("one section: %v", err)
	}
}
