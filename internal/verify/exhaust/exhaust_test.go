package exhaust

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

func parse(t testing.TB, text string) System {
	t.Helper()
	s, err := ParseSystem(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var plain = Rules{Slots: -1, FIFO: true, OwnOrder: true}

// TestPaperExample2 is Example 2 of Jeanmougin2025: two warps under GTO.
func TestPaperExample2(t *testing.T) {
	s := parse(t, "2× F0/2/6 F1/3/4 F1/3/4 F2/2/4(0)")
	g := Grid{Machine: plain, Blocks: []System{s}, SlotsPerSM: 1, SMs: 1, SubCores: 1}
	tr, err := g.Run(&GTO{})
	if err != nil {
		t.Fatal(err)
	}
	want := [2][4][2]int{{{0, 0}, {1, 1}, {2, 4}, {8, 8}}, {{3, 3}, {4, 7}, {5, 10}, {11, 11}}}
	for w := range want {
		for j, id := range want[w] {
			if got := [2]int{tr.Issue[0][w][j], tr.Dispatch[0][w][j]}; got != id {
				t.Errorf("w%d.i%d: issue and dispatch %v, want %v", w, j, got, id)
			}
		}
	}
	if tr.End != 17 {
		t.Errorf("GTO ends at %d, want 17", tr.End)
	}
	if tr, err = g.Run(&LRR{}); err != nil || tr.End != 18 {
		t.Errorf("LRR ends at %d, %v, want 18", tr.End, err)
	}
	var e Explorer
	if worst, err := e.Worst(&s, plain); err != nil || worst != 18 {
		t.Errorf("worst %d, %v, want 18", worst, err)
	}
}

// TestRandomNeverBeatsExhaustive runs two independent models of the SM against
// each other: no schedule of one exceeds the other's worst, and on tiny systems
// random schedules reach it.
func TestRandomNeverBeatsExhaustive(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var e Explorer
	reached, cases := 0, 0
	for range 400 {
		s := RandomSystem(rng, Shape{Warps: 3, Instrs: 3, Units: 2, Init: 3, Lat: 2, Sections: 2, Equal: 4})
		m := RandomMachine(rng)
		worst, err := e.Worst(&s, m)
		if err != nil {
			t.Fatal(err)
		}
		g := Grid{Machine: m, Blocks: []System{s}, SlotsPerSM: 1, SMs: 1, SubCores: 1}
		best := 0
		for range 40 {
			tr, err := g.Run(NewRandom(rng, m))
			if err != nil {
				t.Fatal(err)
			}
			best = max(best, tr.End)
		}
		if best > worst {
			t.Fatalf("%s on %s: a schedule of %d, worst %d", s, m, best, worst)
		}
		cases++
		if best == worst {
			reached++
		}
	}
	if reached*10 < cases*8 {
		t.Errorf("random schedules reach the worst case of %d systems of %d only", reached, cases)
	}
}

func TestOneWarpAloneHasOneSchedule(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var e Explorer
	for range 300 {
		s := RandomSystem(rng, Shape{Warps: 1, Instrs: 6, Units: 3, Init: 3, Lat: 4})
		for slots := -1; slots < 3; slots++ {
			m := Rules{Slots: slots, FIFO: true, OwnOrder: true}
			worst, err := e.Worst(&s, m)
			if err != nil {
				t.Fatal(err)
			}
			g := Grid{Machine: m, Blocks: []System{s}, SlotsPerSM: 1, SMs: 1, SubCores: 1}
			if tr, err := g.Run(&LRR{}); err != nil || tr.End != worst {
				t.Fatalf("%s on %s: simulated %d, %v, explored %d", s, m, tr.End, err, worst)
			}
		}
	}
}

func TestWitness(t *testing.T) {
	var e Explorer
	s := parse(t, "F0/3/0 F0/3/0 F1/3/0 F2/1/0(2) ; F0/3/0 F1/3/0 F2/1/0(0)")
	if _, err := e.Worst(&s, plain); err != nil {
		t.Fatal(err)
	}
	w := e.Witness()
	if n := strings.Count(w, "issues"); n != 7 {
		t.Errorf("%d issues in the schedule, want 7:\n%s", n, w)
	}
	if n := strings.Count(w, "starts"); n != 7 || !strings.Contains(w, "cycle 10: ") {
		t.Errorf("%d starts, want 7, the last in cycle 10:\n%s", n, w)
	}
}

func TestGridSlots(t *testing.T) {
	// Three blocks of one warp, one slot: one after the other.
	s := parse(t, "F0/2/1")
	g := Grid{Machine: plain, Blocks: []System{s, s, s}, SlotsPerSM: 1, SMs: 1, SubCores: 1, StartDelay: 4}
	tr, err := g.Run(&LRR{})
	if err != nil || tr.End != 21 {
		t.Errorf("one slot: %d, %v, want 21", tr.End, err)
	}
	g.SlotsPerSM, g.StartDelay = 3, 0
	if tr, err = g.Run(&LRR{}); err != nil || tr.End != 7 {
		t.Errorf("three slots: %d, %v, want 7", tr.End, err)
	}
	g.SlotsPerSM, g.SMs = 1, 3
	if tr, err = g.Run(&LRR{}); err != nil || tr.End != 3 {
		t.Errorf("three SMs: %d, %v, want 3", tr.End, err)
	}
	g = Grid{Machine: plain, Blocks: []System{parse(t, "F0/1/0 | F0/1/0 ; F0/1/3 | F0/1/0")}, SlotsPerSM: 1, SMs: 1, SubCores: 1, BarrierDelay: 5}
	if tr, err = g.Run(&LRR{}); err != nil || tr.End != 9 {
		t.Errorf("barrier: %d, %v, want 9", tr.End, err)
	}
	g.Machine.Draining = true
	if tr, err = g.Run(&LRR{}); err != nil || tr.End != 12 {
		t.Errorf("draining barrier: %d, %v, want 12", tr.End, err)
	}
}

func TestPrintParse(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		s := RandomSystem(rng, Shape{Warps: 3, Instrs: 5, Units: 3, Init: 3, Lat: 3, Sections: 3})
		if back := parse(t, s.String()); back.String() != s.String() {
			t.Fatalf("%q read back as %q", s, back)
		}
	}
	for text, want := range map[string]string{
		"F0/1":             "expected F<unit>",
		"0/1/1":            "expected F<unit>",
		"F0/x/1":           "not a number",
		"F0/1/1(0":         "expected ')'",
		"F0/1/1 F0/1/1(1)": "not an earlier",
		"F0/0/1":           "initiation 0",
		"ax F0/1/1":        "a count like",
		"F0/1/1(a)":        "is not a number",
	} {
		if _, err := ParseSystem(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestExplorerRefuses(t *testing.T) {
	var e Explorer
	big := parse(t, strings.Repeat("F0/1/0 ", 17))
	if _, err := e.Worst(&big, plain); err == nil {
		t.Error("17 instructions accepted")
	}
	long := parse(t, "F0/1/250")
	if _, err := e.Worst(&long, plain); err == nil {
		t.Error("251 cycles accepted")
	}
	odd := parse(t, "F0/1/0")
	if _, err := e.Worst(&odd, Rules{FIFO: true}); err == nil {
		t.Error("FIFO that reorders a warp accepted")
	}
	if _, err := e.Worst(&odd, Rules{Pooled: true, OwnOrder: true}); err == nil {
		t.Error("an empty pool accepted")
	}
	e.MaxStates = 3
	s := parse(t, "2× F0/1/3 F1/1/3 F0/1/3")
	if _, err := e.Worst(&s, plain); !errors.Is(err, ErrStates) {
		t.Errorf("got %v, want ErrStates", err)
	}
	if _, err := (&Grid{}).Run(&LRR{}); err == nil {
		t.Error("an empty grid ran")
	}
}

func BenchmarkExplore(b *testing.B) {
	s := parse(b, "2× F2/3/0 F2/3/0 F1/2/0 F1/2/0 F0/2/0(0,2)")
	var e Explorer
	for b.Loop() {
		if _, err := e.Worst(&s, plain); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(e.worst)), "states")
}
