package analysis

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/volume"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/testkit/gpus"
)

// singleCycle is a description without latencies: 64 cores, 16 load/store units, two
// instructions a cycle.
const singleCycle = "../../examples/gpu/single-cycle.toml"

func status(b *bound.Bound, id bound.ID) bound.Assumption {
	for _, a := range b.Assumptions {
		if a.ID == id {
			return a
		}
	}
	return bound.Assumption{}
}

// On a machine without latencies the bound is safe, by hand the volume of what the
// warps execute, and above the simulation.
func TestMakespanBound(t *testing.T) {
	l := kernel(t, loopKernel, "1", "128")
	m := gpus.Preset(t, singleCycle)
	r := analysed(t, l, m)
	b := r.Scope(bound.Block).Bound(volume.Method)
	if b == nil || !b.Safe || b.UnsafeReason != "" {
		t.Fatalf("%+v", b)
	}
	// Cores: 33 before the barrier, 6 or 4 behind it. Load/store: 11 accesses of two
	// cycles. The cores take two warps, the load/store units one; two issue in a cycle.
	first, second := int64(33+22)+(3*33)/2+3*22, int64(6)+(6+4+4)/2
	if b.Cycles != first+second {
		t.Errorf("%d cycles, want %d + %d", b.Cycles, first, second)
	}
	sum := int64(0)
	for _, c := range b.Breakdown {
		sum += c.Cycles
	}
	if sum != b.Cycles || b.Theorem != "docs/soundness.md, theorem 14" {
		t.Errorf("%+v", b)
	}
	for id, want := range map[bound.ID]bound.Status{
		bound.SingleCycle: bound.Proved, bound.IssueWidth: bound.Enforced, bound.UnitCapacity: bound.Enforced,
		bound.QueueKind: bound.Enforced, bound.PathCovers: bound.Proved,
	} {
		if a := status(b, id); a.Status != want || a.Name == "" {
			t.Errorf("%s: %+v, want %v", id, a, want)
		}
	}
	if status(b, bound.SingleIssue).ID != "" {
		t.Error("the bound claims single issue")
	}
	if launch := r.Scopes[2].Bound(volume.Method); launch == nil || launch.Cycles != b.Cycles || r.Best.Method != volume.Method {
		t.Errorf("launch of one block: %+v, best %+v", launch, r.Best)
	}
	if warp := r.Scopes[0].Bound(volume.Method); warp == nil || warp.Cycles != 33+22+6 {
		t.Errorf("one warp alone: %+v", warp)
	}
	rows, err := Compare(context.Background(), r, l.Fresh, CompareOptions{Methods: []string{volume.Method, Best}, Policies: []policy.Policy{parsePolicy(t, "lrr"), parsePolicy(t, "starve:0")}, Scope: bound.Block, Checks: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range rows {
		if x.Violation() || !x.Safe || !x.Claimed || x.BoundCycles != b.Cycles || x.SimulatedCycles*2 < x.BoundCycles {
			t.Errorf("%+v", x)
		}
	}
}

func parsePolicy(t *testing.T, name string) policy.Policy {
	t.Helper()
	p, err := policy.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A latency makes the figure unsafe, with the first instruction that has one; it is
// then given only where it is asked for, and never the best.
func TestMakespanWithLatencies(t *testing.T) {
	l := kernel(t, loopKernel, "1", "128")
	m := gpus.Preset(t, singleCycle, "timing.load-store.latency_cycles=30")
	if b := analysed(t, l, m).Scope(bound.Block).Bound(volume.Method); b != nil {
		t.Errorf("given among all methods: %+v", b)
	}
	r := analysed(t, l, m, volume.Method)
	b := r.Scope(bound.Block).Bound(volume.Method)
	if b == nil || b.Safe || r.Best != nil || r.Scope(bound.Block).BestBound() != nil {
		t.Fatalf("%+v, best %+v", b, r.Best)
	}
	if safe := analysed(t, l, gpus.Preset(t, singleCycle)).Scope(bound.Block).Bound(volume.Method); b.Cycles != safe.Cycles {
		t.Errorf("%d cycles, %d without the latency", b.Cycles, safe.Cycles)
	}
	for _, word := range []string{"A21 single-cycle-instructions fails", "2 of the kernel's 14", "(44 of ", "ld.param.u64", "k.ptx:11:2", "on LSU", "initiation 2", "latency 28 cycles"} {
		if !strings.Contains(b.UnsafeReason, word) {
			t.Errorf("%q is not in: %s", word, b.UnsafeReason)
		}
	}
	if a := status(b, bound.SingleCycle); a.Status != bound.Assumed || !strings.HasPrefix(a.Note, "broken") {
		t.Errorf("%+v", a)
	}
	if got := analysed(t, l, m, volume.Method, "serial"); got.Best == nil || got.Best.Method != "serial" {
		t.Errorf("best %+v", got.Best)
	}
}

// Which launches are covered, and how.
func TestMakespanOfLaunches(t *testing.T) {
	const straight = "mov.u32 %r1, %tid.x;\nadd.u32 %r1, %r1, 1;\nadd.u32 %r1, %r1, 1;\n"                                  // 4 with the end
	const fenced = "mov.u32 %r1, %tid.x;\nbar.sync 0;\nadd.u32 %r1, %r1, 1;\n"                                             // 2, then 2
	const repeated = "mov.u32 %r2, 1000;\nL:\tbar.sync 0;\nadd.u32 %r2, %r2, -1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra L;\n" // 2, then 4 each time
	for name, c := range map[string]struct {
		body   string
		blocks string
		set    []string
		cycles int64 // 0: refused
		refers string
	}{
		"one block":            {straight, "1", nil, 4 + 3*4/2, "theorem 14"},
		"resident together":    {straight, "3", nil, 4 + 11*4/2, "theorem 14"},
		"wherever placed":      {straight, "3", []string{"sm.count=2", "block_dispatch.placement=any"}, 4 + 11*4/2, "theorem 14"},
		"on schedulers":        {straight, "3", []string{"sm.schedulers=2"}, 4 + 11*4/2, "theorem 14"},
		"one block, two cores": {straight, "1", []string{"sm.schedulers=2"}, 4 + 4/2, "theorem 14"},
		"an SM each":           {straight, "3", []string{"sm.count=3", "sm.max_blocks=4"}, 4 + 3*4/2, "theorem 11"},
		"one after the other":  {straight, "3", []string{"sm.max_blocks=1"}, 3 * 10, "theorem 9"},
		"two rounds":           {straight, "3", []string{"sm.max_blocks=1", "sm.count=2", "block_dispatch.placement=any"}, 2 * 10, "theorem 9"},
		"slots used again":     {straight, "9", []string{"sm.max_blocks=2"}, 0, "AloneFromReset"},
		"barriers together":    {fenced, "3", nil, 0, ""},
		"barriers":             {fenced, "1", nil, 2 + 3*2/2 + 2 + 3*2/2, "theorem 14"},
		"barriers in a loop":   {repeated, "1", []string{"barrier.delay_cycles=7"}, 2 + 3*2/2 + 1000*(4+3*4/2) + 7*1000, "theorem 14"},
		"barrier delay":        {fenced, "1", []string{"barrier.delay_cycles=7", "block_dispatch.start_delay_cycles=5"}, 10 + 7 + 5, "theorem 14"},
		"three issue":          {straight, "1", []string{"issue.per_cycle=3"}, 4 + 3*4/2, "theorem 14"},
		"one issues":           {straight, "1", []string{"issue.per_cycle=1"}, 16, "theorem 14"},
		"any order":            {fenced, "1", []string{"queue.order=any"}, 10, "theorem 14"},
		"any order, waiting":   {fenced, "1", []string{"queue.order=any", "issue.per_cycle=3"}, 0, ""},
		"any order, draining":  {fenced, "1", []string{"queue.order=any", "issue.per_cycle=3", "barrier.draining=true"}, 10, "theorem 14"},
		"any order, one block": {straight, "1", []string{"queue.order=any", "queue.keeps_warp_order=false"}, 10, "theorem 14"},
	} {
		r := analysed(t, kernel(t, c.body, c.blocks, "128"), gpus.Preset(t, singleCycle, c.set...))
		res := r.Scopes[len(r.Scopes)-1]
		b := res.Bound(volume.Method)
		refused := slices.ContainsFunc(res.Refused, func(no bound.Refusal) bool { return no.Method == volume.Method && no.Reason != "" })
		switch {
		case c.cycles == 0:
			if b != nil || !refused {
				t.Errorf("%s: %+v, refused %v", name, b, res.Refused)
			}
		case b == nil || refused:
			t.Errorf("%s: refused: %v", name, res.Refused)
		case b.Cycles != c.cycles || !strings.HasSuffix(b.Theorem, c.refers) || !b.Safe:
			t.Errorf("%s: %d cycles by %s, want %d by %s", name, b.Cycles, b.Theorem, c.cycles, c.refers)
		}
	}
}

// Every example launch on the machine without latencies: the bound covers the
// simulation wherever it is claimed to.
func TestMakespanCoversExamples(t *testing.T) {
	m := gpus.Preset(t, singleCycle)
	var covered int
	for _, file := range []string{"basic/saxpy/saxpy", "basic/reduce/reduce", "basic/transpose/transpose_conflicts", "basic/branches/branches", "basic/vecadd/vecadd-1block", "basic/localsort/localsort"} {
		l := open(t, "../../examples/"+file+".toml")
		r := analysed(t, l, m)
		for _, scope := range []bound.Scope{bound.Warp, bound.Block, bound.Kernel} {
			rows, err := Compare(context.Background(), r, l.Fresh, CompareOptions{
				Methods: []string{volume.Method}, Policies: []policy.Policy{parsePolicy(t, "gto"), parsePolicy(t, "lrr"), parsePolicy(t, "random:3")}, Scope: scope, Checks: true,
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range rows {
				if x.Violation() {
					t.Errorf("%s: %+v", file, x)
				}
				if x.Refused == "" && x.Safe && x.Claimed {
					covered++
				}
			}
		}
	}
	if covered < 30 {
		t.Errorf("%d rows are covered", covered)
	}
}

func TestMakespanIsAMethod(t *testing.T) {
	if !slices.Contains(Names(method.Plain), volume.Method) || slices.Contains(General(), volume.Method) {
		t.Errorf("methods %v, general %v", Names(method.Plain), General())
	}
	s, err := choose(&method.Question{Methods: []string{volume.Method}})
	if err != nil || len(s) != 1 || s[0].Name != volume.Method {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := choose(&method.Question{Methods: []string{"makespam"}}); err == nil || !strings.Contains(err.Error(), volume.Method) {
		t.Errorf("a wrong name: %v", err)
	}
}
