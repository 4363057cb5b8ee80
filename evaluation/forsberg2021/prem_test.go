package forsberg2021

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/evaluation/internal/kit"

	"github.com/google/go-cmp/cmp"

	examples "github.com/warpbound/warpbound/examples/prem"
)

const premAgain = "is out of date; run: go run ./evaluation forsberg2021"

// What the files say of two programs, and of one with another number of threads, is
// what is measured now. The others take the same road; the command measures all.
func TestPremIsUpToDate(t *testing.T) {
	r := committed(t)
	check := func(names []string, opt premOption, loops []loopRow, phases []phaseRow) {
		t.Helper()
		gotLoops, gotPhases, err := newBench(root).prems(names, opt)
		if err != nil {
			t.Fatal(err)
		}
		of := func(kernel string, threads, unroll int64) bool {
			return threads == opt.threads && unroll == opt.unroll && slices.Contains(names, kernel[:strings.LastIndex(kernel, "_")])
		}
		wantLoops := slices.DeleteFunc(slices.Clone(loops), func(x loopRow) bool { return !of(x.Kernel, x.Threads, opt.unroll) })
		wantPhases := slices.DeleteFunc(slices.Clone(phases), func(x phaseRow) bool { return !of(x.Kernel, x.Threads, x.Unroll) })
		if d := cmp.Diff(wantLoops, gotLoops); loops != nil && d != "" {
			t.Errorf("%s %s\n%s", loopsFile, premAgain, d)
		}
		if d := cmp.Diff(wantPhases, gotPhases); d != "" {
			t.Errorf("%s %s\n%s", phasesFile, premAgain, d)
		}
	}
	check([]string{"atax", "trisolv"}, premAll, r.loops, r.phases)
	check([]string{"atax"}, premPlain, nil, r.phases) // its loops are those above
	check([]string{"gramschmidt"}, premThreaded(64), r.threadLoops, r.threadPhases)
}

// There are sizes for every program, and rows for each of its loops.
func TestPremIsComplete(t *testing.T) {
	r := committed(t)
	var names []string
	for _, e := range examples.All() {
		names = append(names, e.Name)
	}
	if d := cmp.Diff(names, premNames()); d != "" {
		t.Error(d)
	}
	count := func(loops []loopRow, phases []phaseRow, programs []string, threads, schemes int) {
		t.Helper()
		want := 0
		for _, name := range programs {
			e, _ := examples.Lookup(name)
			p, err := premProgram(e, "", premThreads)
			if err != nil {
				t.Fatal(err)
			}
			want += threads * len(p.Funcs[0].Kernels())
		}
		if len(loops) != want || len(phases) != want*schemes {
			t.Errorf("%d loops and %d rows of schemes, want %d and %d", len(loops), len(phases), want, want*schemes)
		}
	}
	count(r.loops, r.phases, names, 1, 2*len(premSchemes)) // unrolled and not
	count(r.threadLoops, r.threadPhases, premPick, len(premCompare), 1)
	count(r.factorLoops, nil, premPick, len(premMachines), 0)
	d, err := newBench(root).Machine(premGPU)
	if err != nil {
		t.Fatal(err)
	}
	if d.Desc.Clock.CoreKHz != premKHz || d.Desc.DRAM.Channels != premChannels || int64(d.Desc.SM.Count) != premTeams {
		t.Errorf("%s has another clock, other channels or clusters", premGPU)
	}
}

// What the page says of all kernels: no phase is longer than its bound, schedules
// contain one another, no hand-over is missed, with or without interference, and a
// kernel with the guard takes what its schedule says, but for one: teams that do not
// wait for each other overlap their last memory phases.
func TestPremHoldsWhatThePageSays(t *testing.T) {
	apart, ahead, faster, atWall := 0, 0, 0, 0
	for _, k := range committed(t).premKernels(premUnroll) {
		if !slices.Contains(premGroups, k.group()) || k.loop.Launches < 1 || k.loop.Alone.Cycles < 1 {
			t.Errorf("%s: group %q, %+v", k.loop.Kernel, k.group(), k.loop)
		}
		for _, p := range []*phaseRow{k.cmpt, k.dae, k.sdma} {
			s, b := &p.Simulated, &p.Bounded
			if s.Mem > b.Mem || s.Comp > b.Comp || s.Intervals != b.Intervals || s.Code > b.Code || s.Best > b.Best || s.Fair > b.Fair {
				t.Errorf("%s, %s: above its bounds: %+v, %+v", p.Kernel, p.Scheme, *s, *b)
			}
			if s.Code+s.Sync > s.Best || s.Best > s.Fair {
				t.Errorf("%s, %s: %+v", p.Kernel, p.Scheme, *s)
			}
		}
		s, g := &k.sdma.Simulated, &k.sdma.Guarded
		if k.fair(k.dae) < 0.98*k.fair(k.sdma) {
			ahead++
		}
		if g.Runs[2].Cycles < k.loop.Beside[1].Cycles {
			faster++
		}
		if s.Comp < premCosts.TimerNanos {
			atWall++
		}
		for i, x := range g.Runs {
			if x.Misses > 0 || x.Cycles != g.Runs[0].Cycles {
				t.Errorf("%s: %d misses in run %d, or another time: %+v", k.loop.Kernel, x.Misses, i, *g)
			}
		}
		nanos := func(cycles int64) float64 { return float64(cycles) * 1e6 / premKHz }
		timer, sync := float64(premCosts.TimerNanos), float64(premCosts.SyncNanos)
		length := max(nanos(g.BudgetMem), timer) + max(nanos(g.BudgetComp), timer) + 2*sync
		phases := float64(k.loop.Launches)*(max(timer, float64(s.Setup/k.loop.Launches))+sync) + float64(s.Intervals)*length
		low, high := phases+float64(s.Last), phases+float64(k.loop.Launches)*nanos(g.Runs[0].LongestMem)
		got := nanos(g.Runs[0].Cycles)
		if got < 0.97*low || got > 1.03*high {
			t.Errorf("%s: %.0f ns with the guard, the schedule says %.0f", k.loop.Kernel, got, low)
		}
		if math.Abs(got-low) > 0.03*low {
			apart++
		}
	}
	if ahead != 14 || faster != 22 || atWall != 41 {
		t.Errorf("DAE is ahead of SDMA in %d kernels, SDMA of BASE beside interference in %d, and %d have compute phases at the wall", ahead, faster, atWall)
	}
	if apart != 1 {
		t.Errorf("%d kernels differ by more than 3 %% from their schedules", apart)
	}
}

func TestPremRowsSurviveTheFiles(t *testing.T) {
	l := loopRow{GPU: "g a=1", Kernel: "k_0", Defines: "N=1 M=2"}
	for i, n := range l.numbers() {
		*n = int64(i * 3)
	}
	loops, err := kit.Decode(encodeLoops([]loopRow{l}), loopHeader(), decodeLoop)
	if err != nil || len(loops) != 1 || loops[0] != l {
		t.Errorf("%+v, %v", loops, err)
	}
	p := phaseRow{Kernel: "k_0", Scheme: "sdma", Compatible: "f.c:1:2: no, not", InputDependent: true}
	p.Simulated.Group, p.Bounded.Group = "A", "C"
	for i, n := range p.numbers() {
		*n = int64(i * 5)
	}
	text := encodePhases([]phaseRow{p})
	phases, err := kit.Decode(text, phaseHeader(), decodePhase)
	if err != nil || len(phases) != 1 || phases[0] != p {
		t.Errorf("%+v, %v", phases, err)
	}
	if n := len(p.numbers()); n+6 != len(phaseHeader()) || len(l.numbers())+3 != len(loopHeader()) {
		t.Errorf("headers of %d and %d columns", len(phaseHeader()), len(loopHeader()))
	}
	if _, err := kit.Decode(bytes.Replace(text, []byte("125"), []byte("many"), 1), phaseHeader(), decodePhase); err == nil {
		t.Error("a word for a number: no error")
	}
}

func TestPremRefusesOtherPrograms(t *testing.T) {
	if _, _, err := newBench(root).prems([]string{"nothing"}, premAll); err == nil || !strings.Contains(err.Error(), "nothing") {
		t.Errorf("%v", err)
	}
}
