package multiphase

import (
	"context"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/seq"
	"github.com/warpbound/warpbound/internal/verify/exhaust"
)

func worst(t *testing.T, s exhaust.System, m exhaust.Rules) int {
	t.Helper()
	var e exhaust.Explorer
	v, err := e.Worst(&s, m)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// blockingBurst is BURST over the zero-slot isolated time, which is refuted.
func blockingBurst(t *testing.T, s exhaust.System) (gub, burst int64, iso, exec []int64) {
	t.Helper()
	ctx := context.Background()
	a := newTestAnalyzer(t, withFacts(unbounded(0), s))
	var secs []*section
	for _, c := range blockOf(s).Classes {
		sec, err := a.section(c.Stream, 0)
		if err != nil {
			t.Fatal(err)
		}
		r, err := a.isolated(ctx, sec, isoBlocking)
		if err != nil {
			t.Fatal(err)
		}
		secs, iso, exec = append(secs, sec), append(iso, r.end), append(exec, r.exec)
	}
	for i, w := range secs {
		g, b := iso[i], iso[i]
		for j, v := range secs {
			if i == j {
				continue
			}
			c, err := a.walk(ctx, v, w.used)
			if err != nil {
				t.Fatal(err)
			}
			g, b = g+exec[j], b+c
		}
		gub, burst = max(gub, g), max(burst, b)
	}
	return gub, burst, iso, exec
}

var (
	fifo      = exhaust.Rules{Slots: -1, FIFO: true, OwnOrder: true}
	zeroSlots = exhaust.Rules{Slots: 0, FIFO: true, OwnOrder: true}
	oneSlot   = exhaust.Rules{Slots: 1, FIFO: true, OwnOrder: true}
)

func queued(kind method.QueueKind, slots int) method.Hardware {
	h := unbounded(0)
	h.Queue, h.QueueSlots = kind, slots
	return h
}

// TestH1 and its neighbours are the counterexamples on other hardware.
func TestH1ZeroSlot(t *testing.T) {
	s := parse(t, "F2/2/2 F1/3/3 ; F1/3/3 F2/2/2 F0/1/2")
	if got := worst(t, s, zeroSlots); got != 11 {
		t.Errorf("worst %d, want 11", got)
	}
	if got := worst(t, s, fifo); got != 10 {
		t.Errorf("worst with unbounded queues %d, want 10", got)
	}
	gub, burst, iso, exec := blockingBurst(t, s)
	if gub != 10 || burst != 10 || iso[0] != 7 || exec[0] != 4 || iso[1] != 6 || exec[1] != 3 {
		t.Errorf("GUB %d, BURST %d over %v/%v, want 10, 10 over [7 6]/[4 3]", gub, burst, iso, exec)
	}
	r := analyzeBlock(t, queued(method.NoQueue, 0), s)
	if b := r.Bound(FUA); b.Cycles != 13 || r.BestBound().Cycles != 13 {
		t.Errorf("theorem 6 %d, best %d, want 13", b.Cycles, r.BestBound().Cycles)
	}
	wantRefused(t, r, bound.QueueKind, BURST, PATH, REF)
	if b := r.Bound(GUB); b.Safe {
		t.Error("the published bound counts as safe")
	}
}

func wantRefused(t *testing.T, r *bound.Result, id bound.ID, methods ...string) {
	t.Helper()
	for _, m := range methods {
		found := false
		for _, no := range r.Refused {
			if no.Method == m {
				found = true
				if no.Assumption != id || no.Reason == "" {
					t.Errorf("%s refused for %s: %q, want %s", m, no.Assumption, no.Reason, id)
				}
			}
		}
		if !found || r.Bound(m) != nil {
			t.Errorf("%s is not refused", m)
		}
	}
}

func TestH2ZeroSlot(t *testing.T) {
	s := parse(t, "F1/3/3 F0/2/0 F0/2/0 ; F1/3/3 F1/3/3")
	if got := worst(t, s, zeroSlots); got != 13 {
		t.Errorf("worst %d, want 13", got)
	}
	if _, burst, _, _ := blockingBurst(t, s); burst != 12 {
		t.Errorf("BURST %d, want 12", burst)
	}
	if b := analyzeBlock(t, queued(method.NoQueue, 0), s).Bound(FUA); b.Cycles != 14 {
		t.Errorf("theorem 6 %d, want 14", b.Cycles)
	}
}

func TestH3OneSlot(t *testing.T) {
	s := parse(t, "F1/3/1 F1/1/3 F0/3/3 F0/1/0 F0/1/3 ; F1/1/2 F1/1/0")
	if got := worst(t, s, oneSlot); got != 13 {
		t.Errorf("worst %d, want 13", got)
	}
	for i, want := range []int{10, 3} {
		if got := worst(t, exhaust.System{Warps: s.Warps[i : i+1]}, oneSlot); got != want {
			t.Errorf("warp %d alone %d, want %d", i, got, want)
		}
	}
	if b := analyzeBlock(t, queued(method.Slots, 1), s).Bound(FUA); b.Cycles != 14 {
		t.Errorf("theorem 6 %d, want 14", b.Cycles)
	}
}

func TestH4OrderNotKept(t *testing.T) {
	s := parse(t, "2× F0/1/1 F0/2/0")
	if got := worst(t, s, exhaust.Rules{Slots: -1}); got != 7 {
		t.Errorf("worst %d, want 7", got)
	}
	kept := analyzeBlock(t, unbounded(0), s)
	for _, m := range []string{SUM, FUA, BURST, PATH, REF} {
		if b := kept.Bound(m); b.Cycles != 6 {
			t.Errorf("order kept: %s %d, want 6", m, b.Cycles)
		}
	}
	h := unbounded(0)
	h.FIFO, h.KeepsWarpOrder = false, false
	r := analyzeBlock(t, h, s)
	for _, m := range []string{SUM, FUA, BURST, PATH} {
		if b := r.Bound(m); b.Cycles != 9 || !strings.Contains(b.Theorem, "theorem 7") {
			t.Errorf("%s %d by %s, want 9 by theorem 7", m, b.Cycles, b.Theorem)
		}
	}
	wantRefused(t, r, bound.WarpOrderPerUnit, REF)
	if r.Bound(GUB).Safe {
		t.Error("the published bound counts as safe")
	}
}

func TestH5OneSlot(t *testing.T) {
	s := parse(t, "2× F0/2/0 F0/2/0 F1/3/0(0)")
	if got := worst(t, s, oneSlot); got != 11 {
		t.Errorf("worst %d, want 11", got)
	}
	if got := worst(t, s, fifo); got != 10 {
		t.Errorf("worst with unbounded queues %d, want 10", got)
	}
	r := analyzeBlock(t, unbounded(0), s)
	if g, f := r.Bound(GUB).Cycles, r.Bound(REF).Cycles; g != 10 || f != 10 {
		t.Errorf("GUB %d, REF %d, want 10 and 10", g, f)
	}
	if b := analyzeBlock(t, queued(method.Slots, 1), s).Bound(FUA); b.Cycles != 13 {
		t.Errorf("theorem 6 %d, want 13", b.Cycles)
	}
}

func TestH6BarrierAnyOrder(t *testing.T) {
	s := parse(t, "F1/2/0 | F0/1/1(0) ; F1/2/0 | F1/2/0")
	if got := worst(t, s, exhaust.Rules{Slots: -1, OwnOrder: true}); got != 8 {
		t.Errorf("worst %d, want 8", got)
	}
	if b := analyzeBlock(t, unbounded(0), s).Bound(FUA); b.Cycles != 7 {
		t.Errorf("sum of FUA with FIFO %d, want 7", b.Cycles)
	}
	h := unbounded(0)
	h.FIFO = false
	r := analyzeBlock(t, h, s)
	if b := r.Bound(SUM); b.Cycles != 8 {
		t.Errorf("SUM %d, want 8", b.Cycles)
	}
	wantRefused(t, r, bound.BarrierKind, FUA, BURST, PATH, REF)
	h.DrainingBarriers = true
	if analyzeBlock(t, h, s).Bound(REF) == nil {
		t.Error("draining barriers: REF is not offered")
	}
}

func TestZeroSlotIsolatedTimeOfI2(t *testing.T) {
	s := parse(t, "F2/3/0 F2/3/0 F1/2/0 F1/2/0 F0/2/0(0,2)")
	if w := analyzeBlock(t, queued(method.NoQueue, 0), s).Warps[0]; w.IsoCycles != 9 {
		t.Errorf("iso⁰ %d, want 9", w.IsoCycles)
	}
}

func TestPooledChargesEverything(t *testing.T) {
	s := parse(t, "F0/2/0 F1/3/0 ; F2/5/0")
	r := analyzeBlock(t, queued(method.Pooled, 0), s)
	// Serial: 0, 2; end 5. The other warp adds 5.
	if b := r.Bound(SUM); b.Cycles != 10 {
		t.Errorf("SUM %d, want 10", b.Cycles)
	}
	wantRefused(t, r, bound.QueueKind, FUA, BURST, PATH, REF)
}

func TestOutsideTheModel(t *testing.T) {
	s := parse(t, "2× F0/2/0")
	for id, change := range map[bound.ID]func(*method.Hardware){
		bound.SingleIssue:          func(h *method.Hardware) { h.IssueWidth = 2 },
		bound.PrivateDispatchPorts: func(h *method.Hardware) { h.SharedDispatchPort = true },
	} {
		h := unbounded(0)
		change(&h)
		r := analyzeBlock(t, h, s)
		wantRefused(t, r, id, SUM, FUA, BURST, PATH, REF)
		if r.Best != -1 || r.BestBound() != nil {
			t.Errorf("%s: best is %d", id, r.Best)
		}
		a := newTestAnalyzer(t, withFacts(h, s))
		k, err := a.Kernel(t.Context(), []method.BlockClass{{Block: blockOf(s), Count: 5}})
		if err != nil || k.Best != -1 {
			t.Errorf("%s: kernel bound %v, %v", id, k.BestBound(), err)
		}
	}
}

// TestSharedUnits: warps of other sub-cores are charged what they start on units
// that both use, and nothing else (theorem 8 (shared units)).
func TestSharedUnits(t *testing.T) {
	s := parse(t, "F0/2/0 F1/3/0 ; F0/2/0 F1/5/0 F2/7/0")
	h := withFacts(unbounded(0), s)
	h.SubCores = 2
	h.Units[1].Shared, h.Units[2].Shared = true, true
	b := blockOf(s)
	b.Classes[1].SubCore = 1
	r, err := newTestAnalyzer(t, h).Block(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	// Alone: 4 (F1 from 1 to 4) and 9 (F2 from 2). The second is delayed on F1 by
	// 3; the first by 5 on F1, and by SUM by 7 on F2 as well.
	for method, want := range map[string]int64{FUA: 12, SUM: 16} {
		if got := r.Bound(method); got == nil || got.Cycles != want {
			t.Errorf("%s is %+v, want %d cycles", method, got, want)
		}
	}
	wantRefused(t, r, bound.PrivateUnits, BURST, PATH, REF)

	h.Queue = method.Pooled
	if r, err = newTestAnalyzer(t, h).Block(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	wantRefused(t, r, bound.QueueKind, FUA)
	wantRefused(t, r, bound.PrivateUnits, BURST, PATH, REF)
	// Serial: 0, 2; end 5. 0, 2, 7; end 14. The second is delayed on F1 by 3, the
	// first by 5 + 7 on the shared units.
	if got := r.Bound(SUM); got == nil || got.Cycles != 17 {
		t.Errorf("pooled: SUM is %+v, want 17 cycles", got)
	}
}

// TestGUBJudged: the published bound is safe exactly where theorem 1 (published bound)
// says so.
func TestGUBJudged(t *testing.T) {
	for text, safe := range map[string]bool{
		"2× F0/1/3 F1/1/5(0)":               true,
		"2× F0/2/0 F0/3/0":                  true, // one unit
		"2× F0/2/0 F1/2/0(0)":               true, // serial: exec = Σ init
		"F0/2/0 F0/2/0 F1/2/0 ; F2/1/0":     true, // a single overlapping warp delays nobody more than its execution cycles
		"2× F0/3/0 F0/3/0 F1/3/0 F2/1/0(2)": false,
	} {
		b := analyzeBlock(t, unbounded(0), parse(t, text)).Bound(GUB)
		if b.Safe != safe || (b.UnsafeReason == "") != safe {
			t.Errorf("%s: safe %v (%s), want %v", text, b.Safe, b.UnsafeReason, safe)
		}
	}
}

// TestPaperExample1 is Example 1 of Jeanmougin2025.
func TestPaperExample1(t *testing.T) {
	s := parse(t, "F0/2/6 F1/3/4 F1/3/4 F2/2/4(0)")
	r := analyzeBlock(t, unbounded(0), s)
	want := []bound.Phase{{Kind: bound.Exec, StartCycles: 0, LengthCycles: 7, ExecCycles: 7}, {Kind: bound.Idle, StartCycles: 7, LengthCycles: 1, ExecCycles: 0}, {Kind: bound.Exec, StartCycles: 8, LengthCycles: 2, ExecCycles: 2}, {Kind: bound.Idle, StartCycles: 10, LengthCycles: 4, ExecCycles: 0}}
	got := r.Warps[0].Sections[0].Phases
	if len(got) != len(want) {
		t.Fatalf("phases %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("phase %d: %v, want %v", i, got[i], want[i])
		}
	}
	a := newTestAnalyzer(t, unbounded(3))
	sec, err := a.section(programOf(s.Warps[0], 1), 0)
	if err != nil {
		t.Fatal(err)
	}
	m := newIsoMachine(sec.low, isoQueued)
	for i, want := range []int64{0, 1, 2, 8} {
		m.run([]int32{int32(i)})
		if got := m.x[isoNext] - 1; got != want {
			t.Errorf("instruction %d issues at %d, want %d", i, got, want)
		}
	}
	if b := analyzeBlock(t, unbounded(0), parse(t, "2× "+s.String())).Bound(GUB); b.Cycles != 23 {
		t.Errorf("Example 2: GUB %d, want 23", b.Cycles)
	}
}

// TestAlgorithm1Traps are programs on which Algorithm 1 read literally is wrong.
func TestAlgorithm1Traps(t *testing.T) {
	for text, want := range map[string]int64{
		"F0/10/1 F1/1/5 F1/1/5(1) F1/1/5(2)": 19,
		"F0/1/2 F1/5/0 F2/1/10(0)":           14,
	} {
		if w := analyzeBlock(t, unbounded(0), parse(t, text)).Warps[0]; w.IsoCycles != want {
			t.Errorf("%s: isolated %d, want %d", text, w.IsoCycles, want)
		}
	}
	// load r1, latency 50; mov r1: the register is overwritten, the load still ends
	// at 51.
	p := &method.Stream{
		Ops:      []method.Op{{Unit: 0, InitCycles: 1, LatencyCycles: 50, Writes: []int32{1}}, {Unit: 1, InitCycles: 1, LatencyCycles: 4, Writes: []int32{1}}},
		Sections: []*seq.Seq{seq.Must(seq.Run(0, 1))},
	}
	r, err := newTestAnalyzer(t, unbounded(2)).Warp(t.Context(), p)
	if err != nil || r.Warps[0].IsoCycles != 51 {
		t.Errorf("overwritten load: %d, %v, want 51", r.Warps[0].IsoCycles, err)
	}
	for i := range p.Ops {
		p.Ops[i] = method.WithWAW(p.Ops[i])
	}
	r, err = newTestAnalyzer(t, unbounded(2)).Warp(t.Context(), p)
	if err != nil || r.Warps[0].IsoCycles != 56 {
		t.Errorf("with a write-after-write interlock: %d, %v, want 56", r.Warps[0].IsoCycles, err)
	}
}
