package potential_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/method/makespan/internal/reference"
	"github.com/warpbound/warpbound/internal/method/makespan/potential"
)

func findLaw(t *testing.T, in *makespan.Instance, c *potential.Certificate, most int64) *potential.Law {
	t.Helper()
	law, err := potential.FindLaw(context.Background(), in, c, c.Line(), most)
	if err != nil {
		t.Fatalf("%s %v: %v", in.Source, in.Capacities(), err)
	}
	return law
}

func TestLaws(t *testing.T) {
	for _, c := range []struct {
		text          string
		l, c          int64
		warps, cycles int64
		from, slope   int64
	}{
		{"LLCLL", 1, 1, 1_000_000, 4_000_001, 2, 4},
		{"LLCLLCLL", 1, 1, 420, 2522, 6, 6},
		{"LCLCL", 1, 1, 1000, 3002, 6, 3},
		{"LLCLL", 2, 2, 1 << 40, 1<<41 + 3, 5, 2},
	} {
		in := reference.Instance(t, c.text, c.warps, c.l, c.c)
		k := derive(t, in, potential.Options{})
		law := findLaw(t, in, k, 40)
		if law == nil {
			t.Errorf("%s %d/%d: no law", c.text, c.l, c.c)
			continue
		}
		if got, _ := cycles(t, k, in); got != c.cycles || law.From > c.from || law.PeriodCycles != c.slope*law.Period {
			t.Errorf("%s %d/%d, %d warps: %d cycles, %v; expected %d cycles, %d per warp from %d on", c.text, c.l, c.c, c.warps, got, law, c.cycles, c.slope, c.from)
		}
	}
}

func TestLawsOfShortStrings(t *testing.T) {
	laws := 0
	for _, text := range reference.Strings("LC", 5) {
		for _, capacity := range reference.Tuples(2, 2) {
			in := reference.Instance(t, text, 1000, capacity...)
			c := derive(t, in, potential.Options{Base: []int64{1, 2}})
			law := findLaw(t, in, c, 20)
			if law == nil {
				continue
			}
			laws++
			exact := exactUpTo(in, 14)
			for w := law.From; w <= 14; w++ {
				if got, _ := cycles(t, c, in.WithWarps(w)); got != exact[w] {
					t.Errorf("%s %v, %d warps: %v gives %d, exact %d", text, capacity, w, law, got, exact[w])
				}
			}
		}
	}
	if laws < 195 {
		t.Errorf("%d of 248 strings have a law, 200 had", laws)
	}
}

// Laws with a part changed do not pass.
func TestLawCheckRejects(t *testing.T) {
	in := reference.Instance(t, "LLCLL", 100, 1, 2)
	c := derive(t, in, potential.Options{})
	for name, spoil := range map[string]func(*potential.Law){
		"from":      func(l *potential.Law) { l.From++ },
		"from zero": func(l *potential.Law) { l.From = 0 },
		"cycles":    func(l *potential.Law) { l.PeriodCycles++ },
		"period":    func(l *potential.Law) { l.Period++ },
		"witness":   func(l *potential.Law) { l.Witnesses = nil },
		"moves":     func(l *potential.Law) { w := &l.Witnesses[0]; w.Moves = w.Moves[1:] },
		"times":     func(l *potential.Law) { l.Witnesses[0].Stretches[0].Times++ },
		"no times":  func(l *potential.Law) { l.Witnesses[0].Stretches[0].Times = 0 },
		"begin":     func(l *potential.Law) { l.Witnesses[0].Stretches[0].Begin = -1 },
		"end":       func(l *potential.Law) { l.Witnesses[0].Stretches[0].End = 1 << 30 },
		"stretches": func(l *potential.Law) { l.Witnesses[0].Stretches = nil },
		"moved late": func(l *potential.Law) {
			s := &l.Witnesses[0].Stretches[0]
			n := len(l.Witnesses[0].Moves)
			s.Begin, s.End = n-1, n
		},
	} {
		law := findLaw(t, in, c, 20)
		if law == nil {
			t.Fatal("no law")
		}
		law.Witnesses[0].Stretches = slices.Clone(law.Witnesses[0].Stretches)
		spoil(law)
		if law.Check(in) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	other := reference.Instance(t, "LLCLC", 100, 1, 2)
	if _, err := potential.FindLaw(context.Background(), other, c, c.Line(), 20); err == nil {
		t.Error("law for another string accepted")
	}
}

// A stretch during which a further warp could be served is refused: L with a
// capacity of 2 and 3 warps executes one L in its second cycle.
func TestStretchesNeedSaturation(t *testing.T) {
	in := reference.Instance(t, "L", 3, 2)
	c := derive(t, in, potential.Options{})
	// Cycles of 2 and 1: the second may not be repeated.
	law := &potential.Law{Line: c.Line(), From: 3, Period: 1, PeriodCycles: 1, Witnesses: []potential.Witness{{
		Moves: [][]int32{{2}, {1}}, Stretches: []potential.Stretch{{Begin: 1, End: 2, Times: 1}},
	}}}
	if law.Check(in) == nil {
		t.Error("accepted")
	}
	law = &potential.Law{Line: c.Line(), From: 3, Period: 2, PeriodCycles: 1, Witnesses: []potential.Witness{
		{Moves: [][]int32{{2}, {1}}, Stretches: []potential.Stretch{{Begin: 0, End: 1, Times: 1}}},
		{Moves: [][]int32{{2}, {2}}, Stretches: []potential.Stretch{{Begin: 0, End: 1, Times: 1}}},
	}}
	if err := law.Check(in); err != nil {
		t.Error(err)
	}
}

// Cycles behind the end of a schedule repeat nothing, so a law cannot count them:
// LC has T(W) = W + 1, and the line 2 W - 2 is met at W = 3 only.
func TestLawWithCyclesBehindItsEnd(t *testing.T) {
	in := reference.Instance(t, "LC", 3, 1, 1)
	law := &potential.Law{
		Line: potential.Line{From: 3, Slope: 2, Start: -2, Scale: 1}, From: 3, Period: 1, PeriodCycles: 2,
		Witnesses: []potential.Witness{{
			Moves:     [][]int32{{1, 0}, {1, 1}, {1, 1}, {0, 1}, {0, 0}},
			Stretches: []potential.Stretch{{Begin: 1, End: 2, Times: 1}, {Begin: 4, End: 5, Times: 1}},
		}},
	}
	if err := law.Check(in); err == nil {
		t.Errorf("%v is accepted", law)
	}
}

func TestFormulas(t *testing.T) {
	for want, line := range map[string]potential.Line{
		"T(W) <= W + 1 for W >= 2":                  {From: 2, Slope: 1, Start: 1, Scale: 1},
		"T(W) <= W for W >= 1":                      {From: 1, Slope: 1, Scale: 1},
		"T(W) <= 2 W for W >= 1":                    {From: 1, Slope: 2, Scale: 1},
		"T(W) <= 4 W - 3 for W >= 1":                {From: 1, Slope: 4, Start: -3, Scale: 1},
		"T(W) <= floor(5 W / 2) for W >= 1":         {From: 1, Slope: 5, Scale: 2},
		"T(W) <= floor((W + 1) / 2) for W >= 1":     {From: 1, Slope: 1, Start: 1, Scale: 2},
		"T(W) <= floor((13 W - 7) / 4) for W >= 12": {From: 12, Slope: 13, Start: -7, Scale: 4},
	} {
		if got := line.String(); got != want {
			t.Errorf("%s, expected %s", got, want)
		}
	}
	line := potential.Line{From: 3, Slope: 5, Start: -1, Scale: 2}
	for warps, want := range map[int64]int64{3: 7, 4: 9} {
		if got, ok := line.At(warps); got != want || !ok {
			t.Errorf("%d warps: %d, %t", warps, got, ok)
		}
	}
	for _, warps := range []int64{2, math.MaxInt64} {
		if got, ok := line.At(warps); ok {
			t.Errorf("%d warps: %d", warps, got)
		}
	}
}
