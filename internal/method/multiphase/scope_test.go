package multiphase

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/seq"
)

// small is a block of one warp of one instruction: isolated time 3, Σ init 2.
func small() *method.Block {
	return &method.Block{Classes: []method.WarpClass{{Stream: oneOp(2, 1), Count: 1}}}
}

func oneOp(init, lat int64) *method.Stream {
	return &method.Stream{Ops: []method.Op{{Unit: 0, InitCycles: init, LatencyCycles: lat}}, Sections: []*seq.Seq{seq.Must(seq.Run(0))}}
}

func TestTheorems4And5(t *testing.T) {
	big := &method.Block{Classes: []method.WarpClass{{Stream: oneOp(5, 5), Count: 2}}} // iso 10, Σ init 10, SUM 15
	for _, c := range []struct {
		name       string
		slots, sms int64
		start      int64
		blocks     []method.BlockClass
		want       int64
		theorem    string
	}{
		{"all resident", 8, 1, 0, []method.BlockClass{{Block: small(), Count: 5}}, 4*2 + 3, "theorem 4"},
		{"two slots", 2, 1, 0, []method.BlockClass{{Block: small(), Count: 5}}, 2*3 + 4*2 + 3, "theorem 4"},
		{"start delay", 2, 1, 1, []method.BlockClass{{Block: small(), Count: 5}}, 2*4 + 4*2 + 4, "theorem 4"},
		{"mixed", 2, 1, 0, []method.BlockClass{{Block: small(), Count: 2}, {Block: big, Count: 2}}, 10 + (4 + 10) + 15, "theorem 4"},
		{"grid", 2, 2, 0, []method.BlockClass{{Block: small(), Count: 9}}, 2*3 + 4*2 + 1*2 + 3, "theorem 5"},
		{"grid, mixed", 2, 2, 0, []method.BlockClass{{Block: small(), Count: 8}, {Block: big, Count: 1}}, 2*10 + 4*10 + 1*10 + 15, "theorem 5"},
		{"few blocks", 8, 4, 0, []method.BlockClass{{Block: small(), Count: 2}}, 1*2 + 3, "theorem 5"},
		{"one slot", 1, 1, 0, []method.BlockClass{{Block: small(), Count: 5}, {Block: big, Count: 1}}, 5*3 + 15, "theorem 9"},
		{"one slot, grid", 1, 2, 0, []method.BlockClass{{Block: small(), Count: 5}}, 3 * 3, "theorem 9"},
		{"one block", 4, 4, 2, []method.BlockClass{{Block: big, Count: 1}}, 2 + 15, "theorem 2"},
	} {
		h := unbounded(1)
		h.SlotsPerSM, h.SMs, h.BlockStartDelayCycles = c.slots, c.sms, c.start
		a := newTestAnalyzer(t, h)
		analyse := a.Kernel
		if c.sms == 1 {
			analyse = a.SM
		}
		r, err := analyse(t.Context(), c.blocks)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		b := r.Bound(SUM)
		if b.Cycles != c.want || !strings.Contains(b.Theorem, c.theorem) {
			t.Errorf("%s: %d by %s, want %d by %s", c.name, b.Cycles, b.Theorem, c.want, c.theorem)
		}
		sum := int64(0)
		for _, part := range b.Breakdown {
			sum += part.Cycles
		}
		if sum != b.Cycles {
			t.Errorf("%s: parts %v do not sum to %d", c.name, b.Breakdown, b.Cycles)
		}
		if c.theorem == "theorem 4" || c.theorem == "theorem 5" {
			wantRefused(t, r, bound.AloneFromReset, GUB, FUA, BURST, PATH, REF)
		}
	}
}

// TestSectionsAndDelays: sections add up, each barrier costs its delay, equal
// sections are listed once.
func TestSectionsAndDelays(t *testing.T) {
	ops := []method.Op{{Unit: 0, InitCycles: 2, LatencyCycles: 1}, {Unit: 0, InitCycles: 1}}
	one, two := seq.Must(seq.Run(0)), seq.Must(seq.Run(0, 1))
	p := &method.Stream{Ops: ops, Sections: []*seq.Seq{one, two, one, one}}
	h := unbounded(1)
	h.BarrierDelayCycles, h.BlockStartDelayCycles = 10, 100
	a := newTestAnalyzer(t, h)
	r, err := a.Block(t.Context(), &method.Block{Classes: []method.WarpClass{{Stream: p, Count: 2}}})
	if err != nil {
		t.Fatal(err)
	}
	// Section "one": 3 + 2. Section "two": 3 + 3.
	if b := r.Bound(SUM); b.Cycles != 3*5+6+3*10+100 {
		t.Errorf("SUM %d, want %d: %v", b.Cycles, 3*5+6+3*10+100, b.Breakdown)
	}
	secs := r.Sections[SUM]
	if len(secs) != 2 || secs[0].Count != 3 || secs[1].Count != 1 || secs[1].Cycles() != 6 {
		t.Errorf("sections %+v", secs)
	}
	w := r.Warps[0]
	if w.Instructions != 5 || w.UnitInitCycles[0] != 9 || w.IsoCycles != 12 || len(w.Sections) != 2 {
		t.Errorf("profile %+v", w)
	}
}

func TestSubCoresCountSeparately(t *testing.T) {
	h := unbounded(1)
	h.SubCores = 2
	a := newTestAnalyzer(t, h)
	p := oneOp(2, 1)
	b := &method.Block{Classes: []method.WarpClass{{Stream: p, Count: 3, SubCore: 0}, {Stream: p, Count: 2, SubCore: 1}}}
	r, err := a.Block(t.Context(), b)
	if err != nil || r.Bound(SUM).Cycles != 3+2*2 {
		t.Errorf("two sub-cores: %+v, %v, want 7", r.Bound(SUM), err)
	}
	// Theorem 4 (one SM) takes all warps together.
	h.SlotsPerSM = 2
	k, err := newTestAnalyzer(t, h).SM(t.Context(), []method.BlockClass{{Block: b, Count: 2}})
	if err != nil || k.Bound(SUM).Cycles != 10+(3+4*2) {
		t.Errorf("two blocks: %+v, %v, want 21", k.Bound(SUM), err)
	}
}

func TestFoldedProfile(t *testing.T) {
	ops := []method.Op{{Unit: 0, InitCycles: 1, LatencyCycles: 9, Reads: []int32{0}, Writes: []int32{0}}}
	s, err := seq.Parse("(0)*1000000")
	if err != nil {
		t.Fatal(err)
	}
	r, err := newTestAnalyzer(t, unbounded(1)).Warp(t.Context(), &method.Stream{Ops: ops, Sections: []*seq.Seq{s}})
	if err != nil {
		t.Fatal(err)
	}
	w := r.Warps[0]
	if w.ExecCycles != 1_000_000 || w.IdleCycles != 9_000_000 {
		t.Errorf("exec %d, idle %d", w.ExecCycles, w.IdleCycles)
	}
	phases := w.Sections[0].Phases
	at, exec, folded := int64(0), int64(0), 0
	for _, p := range phases {
		if p.StartCycles != at {
			t.Errorf("phase %+v starts at %d, want %d", p, p.StartCycles, at)
		}
		at += p.LengthCycles
		exec += p.ExecCycles
		if p.Kind == bound.Folded {
			folded++
		}
	}
	if at != w.IsoCycles || exec != w.ExecCycles || folded != 1 || len(phases) > 20 {
		t.Errorf("phases %v: end %d, exec %d, %d folded", phases, at, exec, folded)
	}
}

// TestLongProfileIsCut: what exceeds the limit of phases is one folded phase.
func TestLongProfileIsCut(t *testing.T) {
	ops := []method.Op{{Unit: 0, InitCycles: 1, LatencyCycles: 9, Reads: []int32{0}, Writes: []int32{0}}}
	a, err := NewAnalyzer(unbounded(1), Options{MaxPhases: 7})
	if err != nil {
		t.Fatal(err)
	}
	r, err := a.Warp(t.Context(), &method.Stream{Ops: ops, Sections: []*seq.Seq{seq.Must(seq.Run(make([]int32, 50)...))}})
	if err != nil {
		t.Fatal(err)
	}
	phases := r.Warps[0].Sections[0].Phases
	last := phases[len(phases)-1]
	if len(phases) != 9 || last.StartCycles+last.LengthCycles != 500 || phases[6].Kind != bound.Folded || phases[6].ExecCycles != 46 {
		t.Errorf("phases %v", phases)
	}
}

func TestLedger(t *testing.T) {
	known := bound.Assume(bound.PathCovers, bound.Proved, "no branch depends on data")
	a, err := NewAnalyzer(unbounded(1), Options{Ledger: []bound.Assumption{known}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := a.Kernel(t.Context(), []method.BlockClass{{Block: small(), Count: 3}})
	if err != nil {
		t.Fatal(err)
	}
	ids := map[bound.ID]bound.Assumption{}
	for _, as := range r.BestBound().Assumptions {
		if _, twice := ids[as.ID]; twice || as.Name == "unknown-assumption" {
			t.Errorf("assumption %+v is unknown or twice in the ledger", as)
		}
		ids[as.ID] = as
	}
	if ids[bound.PathCovers] != known {
		t.Errorf("A11 is %+v, want the caller's", ids[bound.PathCovers])
	}
	for _, id := range []bound.ID{bound.SingleIssue, bound.InterferenceFree, bound.GreedyBlocks, bound.SlotRule, bound.WorstTimings} {
		if _, ok := ids[id]; !ok {
			t.Errorf("%s is missing", id)
		}
	}
	out, err := json.Marshal(r)
	if err != nil || !strings.Contains(string(out), `"scope":"kernel"`) {
		t.Errorf("JSON %s, %v", out, err)
	}
}

func TestBadInput(t *testing.T) {
	for name, change := range map[string]func(*method.Hardware){
		"units":       func(h *method.Hardware) { h.NumUnits = 0 },
		"many units":  func(h *method.Hardware) { h.NumUnits = 65 },
		"facts":       func(h *method.Hardware) { h.Units = make([]method.UnitFact, 3) },
		"fact":        func(h *method.Hardware) { h.Units = []method.UnitFact{{MaxInitCycles: -1}} },
		"queue":       func(h *method.Hardware) { h.Queue = 9 },
		"slots":       func(h *method.Hardware) { h.Queue = method.Slots },
		"order":       func(h *method.Hardware) { h.KeepsWarpOrder = false },
		"sub-cores":   func(h *method.Hardware) { h.SubCores = 0 },
		"issue width": func(h *method.Hardware) { h.IssueWidth = 0 },
		"block slots": func(h *method.Hardware) { h.SlotsPerSM = 0 },
		"delay":       func(h *method.Hardware) { h.BarrierDelayCycles = -1 },
	} {
		h := unbounded(1)
		change(&h)
		if _, err := NewAnalyzer(h, Options{}); err == nil || !strings.HasPrefix(err.Error(), "hardware: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, opt := range map[string]Options{
		"steps": {MaxSteps: -1}, "phases": {MaxPhases: -1}, "groups": {MaxPathUnits: 11}, "method": {Methods: []string{"best"}},
	} {
		if _, err := NewAnalyzer(unbounded(1), opt); err == nil {
			t.Errorf("options: bad %s accepted", name)
		}
	}
	h := unbounded(1)
	h.Units = []method.UnitFact{{Name: "alu", MaxInitCycles: 4}}
	a := newTestAnalyzer(t, h)
	run := []*seq.Seq{seq.Must(seq.Run(0))}
	for name, b := range map[string]*method.Block{
		"no block":       nil,
		"no warps":       {},
		"no program":     {Classes: []method.WarpClass{{Count: 1}}},
		"no count":       {Classes: []method.WarpClass{{Stream: oneOp(1, 1)}}},
		"sub-core":       {Classes: []method.WarpClass{{Stream: oneOp(1, 1), Count: 1, SubCore: 1}}},
		"nil section":    {Classes: []method.WarpClass{{Stream: &method.Stream{Sections: []*seq.Seq{nil}}, Count: 1}}},
		"no ops":         {Classes: []method.WarpClass{{Stream: &method.Stream{Sections: run}, Count: 1}}},
		"unit":           {Classes: []method.WarpClass{{Stream: &method.Stream{Ops: []method.Op{{Unit: 1, InitCycles: 1}}, Sections: run}, Count: 1}}},
		"initiation":     {Classes: []method.WarpClass{{Stream: oneOp(0, 1), Count: 1}}},
		"fact exceeded":  {Classes: []method.WarpClass{{Stream: oneOp(5, 1), Count: 1}}},
		"latency":        {Classes: []method.WarpClass{{Stream: oneOp(1, -1), Count: 1}}},
		"register":       {Classes: []method.WarpClass{{Stream: &method.Stream{Ops: []method.Op{{InitCycles: 1, Reads: []int32{-1}}}, Sections: run}, Count: 1}}},
		"symbol":         {Classes: []method.WarpClass{{Stream: &method.Stream{Ops: oneOp(1, 1).Ops, Sections: []*seq.Seq{seq.Must(seq.Run(1))}}, Count: 1}}},
		"symbol in loop": {Classes: []method.WarpClass{{Stream: &method.Stream{Ops: oneOp(1, 1).Ops, Sections: []*seq.Seq{seq.Must(seq.Repeat(5, seq.Must(seq.Run(1))))}}, Count: 1}}},
	} {
		if _, err := a.Block(t.Context(), b); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	for name, blocks := range map[string][]method.BlockClass{"none": nil, "zero": {{Block: small(), Count: 0}}, "nil": {{Block: nil, Count: 2}}} {
		if _, err := a.Kernel(t.Context(), blocks); err == nil {
			t.Errorf("blocks %s: accepted", name)
		}
	}
}

func TestEmptySections(t *testing.T) {
	p := &method.Stream{Ops: oneOp(2, 1).Ops, Sections: []*seq.Seq{seq.Must(), seq.Must(seq.Run(0)), seq.Must()}}
	r, err := newTestAnalyzer(t, unbounded(1)).Warp(t.Context(), p)
	if err != nil || r.BestBound().Cycles != 3 {
		t.Errorf("%+v, %v, want 3", r, err)
	}
}
