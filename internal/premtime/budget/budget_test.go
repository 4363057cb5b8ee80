package budget

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/premtime/schedule"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/testkit/gpus"
)

// phases bounds the phases of a kernel.
func phases(t testing.TB, l *load.Opened, machineName string, opt Options, set ...string) (*Result, error) {
	t.Helper()
	k, err := l.Kernel(true)
	if err != nil {
		t.Fatal(err)
	}
	return Phases(context.Background(), k, gpus.Preset(t, machineName, set...), opt)
}

const twoIntervals = `
	ld.param.u64 %rd0, [p];
	mov.u32 %r0, %tid.x;
	mul.wide.u32 %rd1, %r0, 4;
	add.u64 %rd1, %rd1, %rd0;
	bar.sync 1;
	ld.global.u32 %r1, [%rd1];
	bar.sync 0;
	bar.sync 2;
	add.u32 %r1, %r1, 1;
	bar.sync 1;
	st.global.u32 [%rd1], %r1;
	ld.global.u32 %r2, [%rd1+4096];
	bar.sync 0;
	bar.sync 2;
	add.u32 %r2, %r2, 1;
	bar.sync 1;
	st.global.u32 [%rd1+4096], %r2;
`

func TestPhases(t *testing.T) {
	r, err := phases(t, launched(t, twoIntervals, 1, 32), "tx1", Options{})
	if err != nil {
		t.Fatal(err)
	}
	var kinds []Kind
	for _, s := range r.Spans() {
		kinds = append(kinds, s.Kind)
	}
	if diff := cmp.Diff([]Kind{Setup, Memory, Compute, Memory, Compute, Memory}, kinds); diff != "" {
		t.Error(diff)
	}
	// A load takes 280 cycles, 3 more for its further segments. Nothing waits for it,
	// since barriers do not drain.
	if got, want := r.Phases[1].Cycles, int64(280+3); r.Phases[1].Kind != Memory || got != want {
		t.Errorf("the first memory phase takes %d cycles, expected %d: %+v", got, want, r.Phases[1])
	}
	// The two compute phases are the same: an addition, and a barrier of 6 cycles.
	if p := r.Worst(Compute); p.Count != 2 || p.Cycles != 1+6 {
		t.Errorf("compute phases: %+v", p)
	}
	if r.Worst(Memory).Cycles < r.Phases[1].Cycles {
		t.Error("the longest memory phase is shorter than the first")
	}
	in, err := r.Input()
	if err != nil {
		t.Fatal(err)
	}
	if len(in.Intervals) != 3 || in.Intervals[2].Comp != 0 || in.Intervals[0].Mem != schedule.Time((r.Phases[1].Cycles*1_000_000+998_399)/998_400) {
		t.Errorf("intervals: %+v", in.Intervals)
	}
	if len(r.InputDependent) != 0 {
		t.Errorf("depends on %v", r.InputDependent)
	}
	want := map[bound.ID]bound.Status{bound.PhasesInStep: bound.Assumed, bound.PathCovers: bound.Proved, bound.InterferenceFree: bound.Assumed}
	for _, a := range r.Assumptions {
		if s, ok := want[a.ID]; ok && s == a.Status {
			delete(want, a.ID)
		}
	}
	if len(want) != 0 {
		t.Errorf("assumptions %v, of which are missing or other %v", r.Assumptions, want)
	}
	text, err := json.Marshal(r)
	if err != nil || !strings.Contains(string(text), `"kind":"memory"`) {
		t.Errorf("%s, %v", text, err)
	}
}

// With caches the ledger speaks of the memory, and phases of equal time count
// together.
func TestPhasesWithCaches(t *testing.T) {
	r, err := phases(t, launched(t, twoIntervals, 2, 64), "tx1", Options{Caches: true})
	if err != nil {
		t.Fatal(err)
	}
	if r.SMs != 2 || r.Teams != 2 {
		t.Errorf("%d teams on %d SMs", r.Teams, r.SMs)
	}
	p := r.Phases[1]
	if p.Requests != (Requests{Loads: 2 * 2 * 4}) {
		t.Errorf("requests %+v: expected those of 2 x 2 warps of 4 sectors", p.Requests)
	}
	sum := int64(0)
	parts := map[bound.PartID]bool{}
	for _, c := range p.Breakdown {
		if c != bound.Part(c.ID, c.Cycles) || parts[c.ID] {
			t.Errorf("part %+v: expected one of the table, once", c)
		}
		parts[c.ID] = true
		sum += c.Cycles
	}
	if sum != p.Cycles {
		t.Errorf("%d cycles are %d in parts: %+v", p.Cycles, sum, p.Breakdown)
	}
	found := map[bound.ID]bool{}
	for _, a := range r.Assumptions {
		found[a.ID] = true
	}
	if !found[bound.MemoryForGPUAlone] || !found[bound.MemoryResponse] || found[bound.NoDataCache] {
		t.Errorf("assumptions %v", r.Assumptions)
	}
}

// A data-dependent branch makes the bounds those of this input.
func TestInputDependent(t *testing.T) {
	body := strings.Replace(twoIntervals, "\tadd.u32 %r1, %r1, 1;\n", "\tsetp.eq.u32 %p0, %r1, 7;\n\t@%p0 bra SKIP;\n\tadd.u32 %r1, %r1, 1;\nSKIP:\n", 1)
	r, err := phases(t, launched(t, body, 1, 32), "tx1", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.InputDependent) == 0 {
		t.Error("the branch is not noticed")
	}
	for _, a := range r.Assumptions {
		if a.ID == bound.PathCovers && (a.Status != bound.Assumed || !strings.Contains(a.Note, "this input only")) {
			t.Errorf("%+v", a)
		}
	}
}

func TestKernelsWithoutPhases(t *testing.T) {
	const load = "\tld.param.u64 %rd0, [p];\n"
	for _, c := range []struct {
		name, body string
		opt        Options
		blocks     int
		want       string
		phase      bool // a *PhaseError
	}{
		{"an access in a compute phase", load + "\tbar.sync 1;\n\tbar.sync 2;\n\tld.global.u32 %r0, [%rd0];\n", Options{}, 1, "block 0 accesses global memory in a compute phase", true},
		{"an access before the first phase", load + "\tst.global.u32 [%rd0], %r0;\n\tbar.sync 1;\n", Options{}, 1, "block 0 accesses global memory before the first phase", true},
		{"no phases", load + "\tbar.sync 0;\n", Options{}, 1, "kernel k has no phases", false},
		{"a barrier of some threads", load + "\tbar.sync 1;\n\tbar.sync 3, 32;\n", Options{}, 1, "barrier 3 is not one of the whole block", true},
		{"the same phase twice", load + "\tbar.sync 1;\n\tbar.sync 1;\n", Options{}, 1, "from one of the same kind", true},
		{"phases out of step", load + "\tmov.u32 %r0, %ctaid.x;\n\tsetp.eq.u32 %p0, %r0, 0;\n\t@%p0 bra OTHER;\n\tbar.sync 1;\n\tret;\nOTHER:\n\tbar.sync 2;\n", Options{}, 2, "phase 1 is a memory phase of block 1 and a compute phase of an earlier one", false},
		{"teams that are not resident", load + "\tbar.sync 1;\n", Options{BlocksPerSM: 1}, 3, "3 blocks, of which 2 x 1 are resident at a time", false},
		{"a fence in a phase", load + "\tbar.sync 1;\n\tmembar.gl;\n", Options{Caches: true}, 1, "a fence within a phase of block 0", true},
		{"too many addresses", load + "\tmov.u32 %r0, %tid.x;\n\tmul.wide.u32 %rd1, %r0, 128;\n\tadd.u64 %rd1, %rd1, %rd0;\n\tbar.sync 1;\n\tld.global.u32 %r1, [%rd1];\n\tbar.sync 2;\n", Options{Caches: true, MaxBytes: 10}, 1, "too many to keep", false},
		{"an unknown method", load + "\tbar.sync 1;\n", Options{Methods: []string{"guess"}}, 1, "guess", false},
		{"a method that refuses", load + "\tbar.sync 1;\n", Options{Methods: []string{"ref"}}, 1, "no method bounds it", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := phases(t, launched(t, c.body, c.blocks, 64), "tx1", c.opt)
			var phase *PhaseError
			if err == nil || !strings.Contains(err.Error(), c.want) || errors.As(err, &phase) != c.phase {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	if _, err := phases(t, launched(t, twoIntervals, 1, 32), "ecrts2025-5", Options{Caches: true}); err == nil || !strings.Contains(err.Error(), "no tables [l1d]") {
		t.Errorf("caches of a GPU without: %v", err)
	}
	l := launched(t, twoIntervals, 1, 32)
	if _, err := phases(t, l, "tx1", Options{Guarded: l.Program()}); err == nil || !strings.Contains(err.Error(), "needs the caches") {
		t.Errorf("a guard without caches: %v", err)
	}
	if _, err := phases(t, l, "tx1", Options{Guarded: l.Program(), Caches: true}); err == nil || !strings.Contains(err.Error(), "has no guard") {
		t.Errorf("a guard that is none: %v", err)
	}
}

// A warp alone, with fixed latencies and barriers that drain, takes exactly what is
// bounded.
func TestOneWarpIsExact(t *testing.T) {
	l := launched(t, twoIntervals, 1, 32)
	m := gpus.Preset(t, "tx1", "barrier.draining=true", "barrier.delay_cycles=5")
	k, err := l.Kernel(true)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Phases(context.Background(), k, m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	timing, err := m.Resolve(k.Program())
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := l.Fresh()
	if err != nil {
		t.Fatal(err)
	}
	got, err := Measure(context.Background(), sim.Config{Machine: m, Model: sim.AbstractModel{}, BlocksPerSM: 1}, fresh, timing)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r.Spans(), got.Spans()); diff != "" {
		t.Errorf("bounded (-) and simulated (+):\n%s", diff)
	}
	if got.Worst(Memory) != r.Worst(Memory).Cycles {
		t.Errorf("longest memory phase %d, bounded %d", got.Worst(Memory), r.Worst(Memory).Cycles)
	}
}

func TestInput(t *testing.T) {
	in, err := Input([]Span{{Setup, 9}, {Memory, 1000}, {Compute, 500}, {Memory, 1000}, {Compute, 500}, {Memory, 7}}, 1_000_000_000)
	if err != nil {
		t.Fatal(err)
	}
	want := []schedule.Interval{{Mem: 1000, Comp: 500, Count: 2}, {Mem: 7, Count: 1}}
	if diff := cmp.Diff(want, in.Intervals); diff != "" {
		t.Error(diff)
	}
	if in, err = Input([]Span{{Compute, 3}, {Memory, 3}}, 2_000_000_000); err != nil || len(in.Intervals) != 2 || in.Intervals[0] != (schedule.Interval{Comp: 2, Count: 1}) {
		t.Errorf("%+v, %v", in, err)
	}
	if _, err := Input([]Span{{Memory, 1}}, 0); err == nil {
		t.Error("a clock that stands still is accepted")
	}
}

func BenchmarkPhases(b *testing.B) {
	w := &writer{}
	w.line("ld.param.u64 %%rd0, [p];")
	w.line("mov.u32 %%r0, %%tid.x;")
	w.line("mul.wide.u32 %%rd1, %%r0, 4;")
	w.line("add.u64 %%rd1, %%rd1, %%rd0;")
	w.line("mov.u32 %%r45, 0;")
	w.WriteString("AGAIN:\n")
	w.line("bar.sync 1;")
	for i := range 8 {
		w.line("ld.global.u32 %%r%d, [%%rd1+%d];", 10+i, 4096*i)
	}
	w.line("bar.sync 2;")
	w.line("add.u32 %%r45, %%r45, 1;")
	w.line("setp.lt.u32 %%p4, %%r45, 1000;")
	w.line("@%%p4 bra AGAIN;")
	l := launched(b, w.String(), 2, 256)
	for _, caches := range []bool{false, true} {
		name := "fixed"
		if caches {
			name = "caches"
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r, err := phases(b, l, "tx1", Options{Caches: caches})
				if err != nil {
					b.Fatal(err)
				}
				if r.Worst(Memory).Count < 900 {
					b.Fatalf("%+v", r.Phases)
				}
			}
		})
	}
}
