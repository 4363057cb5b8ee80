package multiphase

import (
	"context"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/seq"
	"github.com/warpbound/warpbound/internal/verify/exhaust"
)

// The unbounded machine the theorems are about, for one block.
func unbounded(units int) method.Hardware {
	return method.Hardware{
		NumUnits: units, Queue: method.Unbounded, KeepsWarpOrder: true, FIFO: true,
		SubCores: 1, IssueWidth: 1, SlotsPerSM: 1, SMs: 1,
	}
}

// programOf turns a warp of the notation into a program: instruction j writes
// register j.
func programOf(w exhaust.Sequence, sections int) *method.Stream {
	p := &method.Stream{Ops: make([]method.Op, len(w)), Sections: make([]*seq.Seq, sections)}
	runs := make([][]int32, sections)
	for j, in := range w {
		op := method.Op{Unit: in.Unit, InitCycles: int64(in.Init), LatencyCycles: int64(in.Lat), Writes: []int32{int32(j)}}
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

func blockOf(s exhaust.System) *method.Block {
	b := &method.Block{}
	for _, w := range s.Warps {
		b.Classes = append(b.Classes, method.WarpClass{Stream: programOf(w, s.Sections()), Count: 1})
	}
	return b
}

// withFacts states the largest initiation of each unit in the system.
func withFacts(h method.Hardware, s exhaust.System) method.Hardware {
	h.NumUnits = s.Units()
	h.Units = make([]method.UnitFact, h.NumUnits)
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

func analyzeBlock(t testing.TB, h method.Hardware, s exhaust.System) *bound.Result {
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

func TestFixtures(t *testing.T) {
	var e exhaust.Explorer
	for _, f := range exhaust.Fixtures() {
		t.Run(f.Name, func(t *testing.T) {
			s := parse(t, f.Text)
			r := analyzeBlock(t, unbounded(0), s)
			for i := range f.Iso {
				if w := r.Warps[i]; w.IsoCycles != f.Iso[i] || w.ExecCycles != f.Exec[i] {
					t.Errorf("warp %d: iso/exec %d/%d, want %d/%d", i, w.IsoCycles, w.ExecCycles, f.Iso[i], f.Exec[i])
				}
			}
			for i, method := range published() {
				b := r.Bound(method)
				if b == nil {
					t.Errorf("%s: not offered", method)
				} else if b.Cycles != f.Bounds[i] {
					t.Errorf("%s: %d, want %d", method, b.Cycles, f.Bounds[i])
				}
			}
			for _, m := range []struct {
				machine exhaust.Rules
				want    int
			}{
				{exhaust.Rules{Slots: -1, FIFO: true, OwnOrder: true}, f.Exact},
				{exhaust.Rules{Slots: -1, FIFO: true, OwnOrder: true, ShortLat: true}, f.Short},
				{exhaust.Rules{Slots: -1, OwnOrder: true, ShortLat: true}, f.Any},
			} {
				got, err := e.Worst(&s, m.machine)
				if err != nil || got != m.want {
					t.Errorf("%s: worst %d, %v, want %d", m.machine, got, err, m.want)
				}
			}
		})
	}
}

// published are the methods that the reference instances list.
func published() []string { return []string{GUB, SUM, FUA, BURST, PATH, REF} }
