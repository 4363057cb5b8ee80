package multiphase

import (
	"context"
	"testing"

	"github.com/warpbound/warpbound/internal/exhaust"
	"github.com/warpbound/warpbound/internal/seq"
)

// The unbounded machine the theorems are about, for one block.
func unbounded(units int) Hardware {
	return Hardware{
		NumUnits: units, Queue: Unbounded, KeepsWarpOrder: true, FIFO: true,
		SubCores: 1, IssueWidth: 1, SlotsPerSM: 1, SMs: 1,
	}
}

// programOf turns a warp of the notation into a program: instruction j writes
// register j.
func programOf(w exhaust.Program, sections int) *Program {
	p := &Program{Ops: make([]Op, len(w)), Sections: make([]*seq.Seq, sections)}
	runs := make([][]int32, sections)
	for j, in := range w {
		op := Op{Unit: in.Unit, InitCycles: int64(in.Init), LatencyCycles: int64(in.Lat), Writes: []int32{int32(j)}}
		for _, b := range in.Src {
			op.Reads = append(op.Reads, int32(b))
		}
		p.Ops[j] = op
		runs[in.Section] = append(runs[in.Section], int32(j))
	}
	for k, run := range runs {
		p.Sections[k] = seq.Must(seq.Run(run...))
	}
	return p
}

func blockOf(s exhaust.System) *Block {
	b := &Block{}
	for _, w := range s.Warps {
		b.Classes = append(b.Classes, WarpClass{Program: programOf(w, s.Sections()), Count: 1})
	}
	return b
}

// withFacts states the largest initiation of each unit in the system.
func withFacts(h Hardware, s exhaust.System) Hardware {
	h.NumUnits = s.Units()
	h.Units = make([]UnitFact, h.NumUnits)
	for _, w := range s.Warps {
		for _, in := range w {
			u := &h.Units[in.Unit]
			u.MaxInitCycles = max(u.MaxInitCycles, int64(in.Init))
		}
	}
	return h
}

func parse(t testing.TB, text string) exhaust.System {
	t.Helper()
	s, err := exhaust.ParseSystem(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func analyzeBlock(t testing.TB, h Hardware, s exhaust.System) *Result {
	t.Helper()
	a, err := NewAnalyzer(withFacts(h, s), Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := a.Block(context.Background(), blockOf(s))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// fixture is a row of the table of reference instances in docs/soundness.md.
type fixture struct {
	name, program     string
	iso, exec         []int64
	exact, short, any int
	bounds            [6]int64 // in the order of Methods
}

var fixtures = []fixture{
	{"I1", "F0/3/0 F0/3/0 F1/3/0 F2/1/0(2) ; F0/3/0 F1/3/0 F2/1/0(0)", []int64{6, 4}, []int64{6, 4}, 11, 11, 11, [6]int64{10, 14, 14, 11, 11, 11}},
	{"I2", "2× F2/3/0 F2/3/0 F1/2/0 F1/2/0 F0/2/0(0,2)", []int64{6, 6}, []int64{6, 6}, 13, 13, 13, [6]int64{12, 18, 18, 14, 14, 14}},
	{"I3", "F0/1/0 F1/1/0(0) F0/1/0 ; F0/1/0 F2/1/2 F2/1/2(1)", []int64{3, 7}, []int64{3, 3}, 10, 10, 10, [6]int64{10, 10, 10, 10, 10, 10}},
	{"I4", "F0/2/0 F1/1/0 ; F1/1/0 F1/1/0", []int64{2, 2}, []int64{2, 2}, 4, 4, 4, [6]int64{4, 5, 4, 4, 4, 4}},
	{"I5", "2× F0/2/0 F1/1/0", []int64{2, 2}, []int64{2, 2}, 4, 4, 4, [6]int64{4, 5, 5, 4, 4, 4}},
	{"I6", "F0/2/0 F1/1/1 ; F0/2/0 F0/2/0", []int64{3, 4}, []int64{2, 4}, 6, 6, 6, [6]int64{7, 7, 7, 7, 6, 6}},
	{"I7", "2× F0/2/0 F1/1/0(0)", []int64{3, 3}, []int64{3, 3}, 5, 5, 5, [6]int64{6, 6, 6, 6, 6, 5}},
	{"I8", "F0/1/0 F1/2/0 F0/1/0(0) ; F1/2/0 F0/1/0", []int64{3, 2}, []int64{3, 2}, 5, 5, 5, [6]int64{5, 6, 6, 6, 6, 5}},
	{"I9", "F0/2/1 F1/3/2 ; F1/3/0 F2/3/3 F0/1/1(0)", []int64{6, 7}, []int64{4, 4}, 9, 9, 9, [6]int64{11, 13, 12, 11, 10, 9}},
	{"I10", "F0/2/0 F1/2/1(0) ; F0/2/0 F0/2/0(0)", []int64{5, 4}, []int64{4, 4}, 7, 7, 9, [6]int64{9, 9, 9, 9, 9, 9}},
	{"I11", "2× F0/1/1 F1/1/0(0)", []int64{3, 3}, []int64{2, 2}, 4, 5, 5, [6]int64{5, 5, 5, 5, 5, 5}},
	{"I12", "F0/1/1 F0/1/1 ; F0/1/1 F1/2/0 ; F0/1/1 F0/1/1", []int64{3, 3, 3}, []int64{2, 3, 2}, 7, 7, 7, [6]int64{8, 8, 7, 7, 7, 7}},
}

func TestFixtures(t *testing.T) {
	var e exhaust.Explorer
	for _, f := range fixtures {
		t.Run(f.name, func(t *testing.T) {
			s := parse(t, f.program)
			r := analyzeBlock(t, unbounded(0), s)
			for i := range f.iso {
				if w := r.Warps[i]; w.IsoCycles != f.iso[i] || w.ExecCycles != f.exec[i] {
					t.Errorf("warp %d: iso/exec %d/%d, want %d/%d", i, w.IsoCycles, w.ExecCycles, f.iso[i], f.exec[i])
				}
			}
			for i, method := range Methods() {
				b := r.Bound(method)
				if b == nil {
					t.Errorf("%s: not offered", method)
				} else if b.Cycles != f.bounds[i] {
					t.Errorf("%s: %d, want %d", method, b.Cycles, f.bounds[i])
				}
			}
			for _, m := range []struct {
				machine exhaust.Machine
				want    int
			}{
				{exhaust.Machine{Slots: -1, FIFO: true, OwnOrder: true}, f.exact},
				{exhaust.Machine{Slots: -1, FIFO: true, OwnOrder: true, ShortLat: true}, f.short},
				{exhaust.Machine{Slots: -1, OwnOrder: true, ShortLat: true}, f.any},
			} {
				got, err := e.Worst(&s, m.machine)
				if err != nil || got != m.want {
					t.Errorf("%s: worst %d, %v, want %d", m.machine, got, err, m.want)
				}
			}
		})
	}
}
