package analysis

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/method/makespan/dp"
	"github.com/warpbound/warpbound/internal/method/volume"
	"github.com/warpbound/warpbound/internal/seq"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/testkit/gpus"
)

// loopKernel is a loop of ten loads and additions, straight code, a barrier, and an
// end that differs between the even and the odd warps.
const loopKernel = `
	ld.param.u64 %rd1, [p];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, 10;
L:	ld.global.u32 %r3, [%rd1];
	add.u32 %r2, %r2, -1;
	setp.ne.u32 %p1, %r2, 0;
	@%p1 bra L;
	bar.sync 0;
	and.b32 %r4, %r1, 32;
	setp.ne.u32 %p2, %r4, 0;
	@%p2 bra E;
	add.u32 %r5, %r4, 1;
	add.u32 %r5, %r4, 1;
E:
`

// even is the example with a memory unit that is occupied for two cycles.
func even(t *testing.T, set ...string) *gpu.Machine {
	return gpus.Preset(t, "example", append([]string{"timing.memory.initiation_cycles=2"}, set...)...)
}

func problem(t *testing.T, r *Report, opt MakespanOptions) *MakespanProblem {
	t.Helper()
	p, err := Makespans(r, opt)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestMakespans(t *testing.T) {
	r := analysed(t, kernel(t, loopKernel, "1", "128"), even(t, "sm.schedulers=2", "units.ALU.count=2", "units.LSU.shared=true"), "sum")
	p := problem(t, r, MakespanOptions{})
	want := []MakespanUnit{
		{Unit: "ALU", Letter: "A", Capacity: 4, Instructions: 4*(2+30+1+3) + 2*2 + 4, Letters: 4*(2+30+1+3) + 2*2 + 4, LongestInitiationCycles: 1, LongestLatencyCycles: p.Mapping[0].LongestLatencyCycles},
		{Unit: "LSU", Letter: "L", Capacity: 1, Instructions: 4 * 11, Letters: 4 * (20 + 1), LongestInitiationCycles: 2, LongestLatencyCycles: p.Mapping[1].LongestLatencyCycles},
	}
	if d := cmp.Diff(want, p.Mapping); d != "" {
		t.Error(d)
	}
	if len(p.Sections) != 2 || p.Warps != 4 || p.BarrierModel == "" {
		t.Fatalf("%+v", p)
	}
	loop, end := p.Sections[0], p.Sections[1]
	if !loop.Identical || loop.Warps != 4 || len(loop.Classes) != 1 || loop.Instance == nil {
		t.Fatalf("%+v", loop)
	}
	unfolded := "LAA" + strings.Repeat("LLAAA", 10) + "A"
	if got := loop.Instance.Text(); got != unfolded || loop.Classes[0].Length != int64(len(unfolded)) {
		t.Errorf("string %q (%s), want %q", got, loop.Classes[0].Text, unfolded)
	}
	if in, err := makespan.New(loop.Classes[0].Text, []makespan.Unit{{Letter: 'A', Count: 128}, {Letter: 'L', Count: 32}}, 32, 4); err != nil || in.Text() != unfolded {
		t.Errorf("text %q does not stand for the string: %v", loop.Classes[0].Text, err)
	}
	if !cmp.Equal(loop.Instance.Capacities(), []int64{4, 1}) || loop.Instance.Warps != 4 {
		t.Errorf("capacities %v of %d warps", loop.Instance.Capacities(), loop.Instance.Warps)
	}
	safe, err := loop.Instance.Safe()
	if err != nil || loop.Volume.Cycles != safe {
		t.Errorf("volume %d, want %d, %v", loop.Volume.Cycles, safe, err)
	}
	if end.Identical || end.Instance != nil || end.Why == "" || end.First != 1 {
		t.Errorf("%+v", end)
	}
	if d := cmp.Diff([]MakespanClass{{Warps: 2, Text: "A6", Length: 6, Counts: []int64{6, 0}}, {Warps: 2, Text: "A4", Length: 4, Counts: []int64{4, 0}}}, end.Classes); d != "" {
		t.Error(d)
	}
	if end.Volume.Cycles != 6+(6+4+4)/4 || p.VolumeCycles != loop.Volume.Cycles+end.Volume.Cycles {
		t.Errorf("volume %+v, %d in all", end.Volume, p.VolumeCycles)
	}
	ignored := strings.Join(p.Ignored, "; ")
	for _, word := range []string{"latencies: ALU up to", "issue width: 2 scheduler(s)", "sub-cores", "long initiations: LSU up to 2 cycles", "queues (slots)", "barrier delay: 2", "block start delay: 10"} {
		if !strings.Contains(ignored, word) {
			t.Errorf("%q is not among what is ignored: %s", word, ignored)
		}
	}
}

// Warps that part and meet again execute the same letters, in other instructions.
func TestMakespansCompareLetters(t *testing.T) {
	r := analysed(t, kernel(t, `
	mov.u32 %r1, %tid.x;
	and.b32 %r4, %r1, 32;
	setp.ne.u32 %p2, %r4, 0;
	@%p2 bra E;
	add.u32 %r5, %r4, 1;
	bra F;
E:	sub.u32 %r5, %r4, 1;
	bra F;
F:
`, "3", "64"), even(t), "sum")
	if n := len(r.Path.Classes[0].Warps); n != 2 {
		t.Fatalf("%d classes of warps, expected 2", n)
	}
	if s := problem(t, r, MakespanOptions{}).Sections[0]; !s.Identical || s.Warps != 2 || s.Instance.Source != "A7" {
		t.Errorf("%+v", s)
	}
	p := problem(t, r, MakespanOptions{Blocks: 3})
	if p.Warps != 6 || p.Sections[0].Warps != 6 || p.Sections[0].Instance.Warps != 6 {
		t.Errorf("three blocks: %+v", p)
	}
	for _, bad := range []MakespanOptions{{Blocks: 4}, {Blocks: -1}, {Class: 1}, {Class: -1}} {
		if _, err := Makespans(r, bad); err == nil {
			t.Errorf("%+v: accepted", bad)
		}
	}
}

func TestMakespansRefuse(t *testing.T) {
	r := analysed(t, kernel(t, loopKernel, "2", "64"), even(t), "sum")
	if _, err := Makespans(r, MakespanOptions{Blocks: 2}); err == nil || !strings.Contains(err.Error(), "barriers of its own") {
		t.Errorf("two blocks with barriers: %v", err)
	}
	r = analysed(t, kernel(t, `
	mov.u32 %r1, %tid.x;
	and.b32 %r4, %r1, 32;
	setp.ne.u32 %p2, %r4, 0;
	@%p2 bra E;
	bar.sync 1, 32;
E:
`, "1", "64"), even(t), "serial")
	if _, err := Makespans(r, MakespanOptions{}); err == nil || !strings.Contains(err.Error(), "barrier") {
		t.Errorf("a barrier that not all warps wait for: %v", err)
	}
}

func TestLetters(t *testing.T) {
	taken := map[byte]bool{}
	var got []byte
	for _, name := range []string{"ALU", "lsu", "SFU", "MEM", "alu2", "A", "SP", "9"} {
		c, ok := freeLetter(name, taken)
		if !ok {
			t.Fatal(name)
		}
		taken[c] = true
		got = append(got, c)
	}
	if string(got) != "ALSMUBPC" {
		t.Errorf("letters %s", got)
	}
	for c := byte('A'); c <= 'Z'; c++ {
		taken[c] = true
	}
	if _, ok := freeLetter("X", taken); ok {
		t.Error("a 27th letter")
	}
}

// Where nothing is ignored the model is the machine: no simulation exceeds the exact
// worst case, and some adversary reaches it.
func TestMakespansWithNothingIgnored(t *testing.T) {
	d, err := gpu.Open("ecrts2025-5", nil)
	if err != nil {
		t.Fatal(err)
	}
	set := []string{"queue.kind=none", "issue.dependency_depth_cycles=0", "issue.per_cycle=3", "units.INT.count=2"}
	for i, rule := range d.Timing {
		set = append(set, fmt.Sprintf("timing.%d.initiation_cycles=1", i), fmt.Sprintf("timing.%d.latency_cycles=1", i))
		if rule.DependentIssueCycles > 0 {
			set = append(set, fmt.Sprintf("timing.%d.dependent_issue_cycles=1", i))
		}
	}
	l := kernel(t, `
	ld.param.u64 %rd1, [p];
	ld.global.u32 %r1, [%rd1];
	add.u32 %r2, %r1, 1;
	add.u32 %r2, %r2, 1;
	mul.f32 %f1, %f0, %f0;
	mul.f32 %f1, %f1, %f0;
	add.u32 %r2, %r2, 1;
	st.global.u32 [%rd1], %r2;
`, "1", "96")
	r := analysed(t, l, gpus.Preset(t, "ecrts2025-5", set...))
	p := problem(t, r, MakespanOptions{})
	if len(p.Ignored) > 0 || len(p.Sections) != 1 || !p.Sections[0].Identical {
		t.Fatalf("%+v", p)
	}
	exact, err := dp.Solve(t.Context(), p.Sections[0].Instance, dp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var policies []policy.Policy
	for _, name := range []string{"lrr", "gto", "oldest", "starve:0", "starve:1", "ahead", "behind"} {
		policies = append(policies, parsePolicy(t, name))
	}
	for seed := range 200 {
		policies = append(policies, parsePolicy(t, fmt.Sprintf("random:%d", seed)))
	}
	rows, err := Compare(t.Context(), r, l.Fresh, CompareOptions{Methods: []string{volume.Method}, Policies: policies, Scope: bound.Block, Checks: true})
	if err != nil {
		t.Fatal(err)
	}
	longest := int64(0)
	for _, x := range rows {
		longest = max(longest, x.SimulatedCycles)
		if !x.Safe || x.BoundCycles < exact.Cycles {
			t.Fatalf("bound %d below the exact %d: %+v", x.BoundCycles, exact.Cycles, x)
		}
	}
	if longest != exact.Cycles {
		t.Errorf("longest simulation %d, exact worst case %d of %s", longest, exact.Cycles, p.Sections[0].Classes[0].Text)
	}
}

// Strings that are folded differently are the same string.
func TestEqualStrings(t *testing.T) {
	a := &abstraction{
		r:          &Report{},
		letteredOf: map[*seq.Seq]*seq.Seq{}, stringOf: map[*seq.Seq]int{}, hashed: map[uint64][]int{},
	}
	one := seq.Must(seq.Run('A', 'L', 'A', 'L'))
	two := seq.Must(seq.Repeat(2, seq.Must(seq.Run('A', 'L'))))
	other := seq.Must(seq.Run('L', 'A', 'L', 'A'))
	for _, s := range []*seq.Seq{one, two, other} {
		a.letteredOf[s] = s
	}
	var ids []int
	for _, s := range []*seq.Seq{one, two, other, two} {
		id, err := a.letterString(s)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	if d := cmp.Diff([]int{0, 0, 1, 0}, ids); d != "" {
		t.Error(d)
	}
}
