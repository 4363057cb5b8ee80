package analysis

import (
	"context"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/replay"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/testkit/gpus"
)

// A barrier whose guard holds only in some iterations is the same symbol whether
// it is arrived at or not; so are whole launches on several SMs, one block each.
func TestReplayGuardedBarrier(t *testing.T) {
	l := kernel(t, `	mov.u32 %r1, 0;
$L:
	and.b32 %r2, %r1, 3;
	setp.eq.u32 %p1, %r2, 2;
	@%p1 bar.sync 0;
	add.u32 %r1, %r1, 1;
	setp.lt.u32 %p2, %r1, 40;
	@%p2 bra $L;
`, "3", "96")
	for i, use := range frontUses() {
		compareReplay(t, l, frontMachine(t, i), use)
	}
	m := frontMachine(t, 0, "sm.count=2", "sm.max_blocks=2", "sm.max_warps=64", "sm.max_threads=2048", "block_dispatch.placement=breadth-first")
	r, err := replayed(context.Background(), l, m, method.FrontEnd{})
	if err != nil {
		t.Fatal(err)
	}
	res, err := simulated(context.Background(), l, sim.Config{Machine: m, Model: sim.FrontModel{}, BlocksPerSM: int(r.Occupancy.Blocks)}, r)
	if err != nil {
		t.Fatal(err)
	}
	if b := r.Best; b == nil || b.Method != replay.Method || b.Scope != bound.Kernel || b.Cycles != res.Cycles {
		t.Errorf("%+v, simulated %d", b, res.Cycles)
	}
}

func TestReplayRefusals(t *testing.T) {
	l := kernel(t, "\tmov.u32 %r1, 0;\n", "9", "64")
	plain := func(change func(*gpu.Machine)) *gpu.Machine {
		m := frontMachine(t, 0)
		change(m)
		return m
	}
	for _, c := range []struct {
		m     *gpu.Machine
		use   method.FrontEnd
		scope bound.Scope
		want  string
		id    bound.ID
	}{
		{gpus.Preset(t, "ecrts2025-200"), method.FrontEnd{}, bound.Block, "has no front end", bound.FrontEndAsDescribed},
		{plain(func(m *gpu.Machine) { m.FIFO = false }), method.FrontEnd{}, bound.Block, "in an order that is not stated", bound.DispatchOrder},
		{plain(func(m *gpu.Machine) { m.Desc.Issue.PerCycle = 2 }), method.FrontEnd{}, bound.Block, "2 instructions a cycle", bound.SingleIssue},
		{frontMachine(t, 0, "sm.count=2"), method.FrontEnd{}, bound.Kernel, "9 blocks for 2 slots of 2 SMs", bound.GreedyBlocks},
	} {
		r, err := replayed(context.Background(), l, c.m, c.use)
		if err != nil {
			t.Errorf("%s: %v", c.want, err)
			continue
		}
		found := false
		for _, no := range r.Scope(c.scope).Refused {
			found = found || no.Method == replay.Method && no.Assumption == c.id && strings.Contains(no.Reason, c.want) && no.Scope == c.scope
		}
		if !found || r.Scope(c.scope).Bound(replay.Method) != nil {
			t.Errorf("%s: %+v", c.want, r.Scope(c.scope))
		}
	}
	for want, use := range map[string]method.FrontEnd{
		"variant \"swap\"":           {Variant: "swap"},
		"issue policy \"best\"":      {IssuePolicy: "best"},
		"fetch policy \"worst\"":     {FetchPolicy: "worst", Variant: gpu.Baseline},
		"expected one scheduler":     {FetchPolicy: "lrr", IssuePolicy: "gtlo", Variant: gpu.SWaS},
		"policy lrr takes no argume": {IssuePolicy: "lrr:3"},
	} {
		if _, err := replayed(context.Background(), l, frontMachine(t, 0), use); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// With a front end the other bounds are those of another machine, and the best one
// is the replay.
func TestReplayMarksOtherBounds(t *testing.T) {
	l := kernel(t, "\tmov.u32 %r1, 0;\n", "2", "64")
	k, err := l.Kernel(true)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(context.Background(), Of(k), frontMachine(t, 0), method.Question{FrontEnd: &method.FrontEnd{IssuePolicy: "GTLRR"}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Best == nil || r.Best.Method != replay.Method {
		t.Errorf("best %+v", r.Best)
	}
	for _, res := range r.Scopes {
		for _, b := range res.Bounds {
			front := b.Method == replay.Method || b.Method == replay.AnyPolicy
			if b.Safe != front || !front && b.UnsafeReason == "" {
				t.Errorf("%s of a %s: %+v", b.Method, res.Scope, b)
			}
		}
	}
}
