package analysis

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/replay"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/testkit/settings"
)

const frontTable = `
format = 1
base = "vortex-32x32"
name = "front"
description = "with a front end"
[front_end]
kind                  = "predict"
variant               = "swas"
fetch_policy          = "lrr"
issue_policy          = "lrr"
queue_entries         = 4
fetch_cycles          = 3
branch_resolve_cycles = 9
start_gap_cycles      = 0
instruction_bytes     = 8
source                = "test"
[front_end.icache]
perfect     = false
sets        = 4
ways        = 2
line_bytes  = 64
miss_cycles = 40
source      = "test"
`

// frontMachines vary what the replay has to follow: how many blocks are resident,
// queues, barriers, the instruction cache.
var frontMachines = []struct {
	queue gpu.QueueKind
	set   []string
}{
	{gpu.Slots, []string{"front_end.icache.sets=256", "front_end.icache.ways=1"}},
	{gpu.NoQueue, []string{"sm.max_blocks=3", "sm.max_warps=96", "sm.max_threads=3072", "front_end.start_gap_cycles=3"}},
	{gpu.Pooled, []string{"barrier.draining=true", "barrier.delay_cycles=3", "block_dispatch.start_delay_cycles=5", "sm.max_blocks=2", "sm.max_warps=64", "sm.max_threads=2048", "queue.kind=pooled", "queue.slots=3"}},
	{gpu.Unbounded, []string{"sm.max_blocks=4", "sm.max_warps=128", "sm.max_threads=4096", "issue.dependency_depth_cycles=3", "front_end.branch_resolve_cycles=3", "front_end.icache.miss_cycles=7"}},
	{gpu.Slots, []string{"front_end.icache.perfect=true", "units.1.count=2", "front_end.branch_resolve_cycles=21"}},
}

func frontMachine(t testing.TB, i int, set ...string) *gpu.Machine {
	t.Helper()
	file := filepath.Join(t.TempDir(), "front.toml")
	if err := os.WriteFile(file, []byte(frontTable), 0o666); err != nil {
		t.Fatal(err)
	}
	use := frontMachines[i%len(frontMachines)]
	d, err := gpu.Open(file, append(slices.Clone(use.set), set...))
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.Machine()
	if err != nil {
		t.Fatal(err)
	}
	m.Queue = use.queue
	return m
}

// frontUses are ways to use a front end: every policy with one scheduler, and
// pairs of policies with two.
func frontUses() []method.FrontEnd {
	var out []method.FrontEnd
	names := gpu.FrontPolicyNames()
	for i, n := range names {
		if strings.HasPrefix(n, "at") {
			names[i] += ":4"
		}
	}
	for _, n := range names {
		out = append(out, method.FrontEnd{Variant: gpu.SWaS, IssuePolicy: n})
	}
	for i, n := range names {
		for _, other := range []string{names[(i+1)%len(names)], names[(i*5+3)%len(names)], n} {
			out = append(out, method.FrontEnd{Variant: gpu.Baseline, FetchPolicy: other, IssuePolicy: n})
		}
	}
	return out
}

func threads(l *load.Opened) int64 {
	n := int64(1)
	for i := range 3 {
		n *= int64(l.File.Grid[i]) * int64(l.File.Block[i])
	}
	return n
}

// replayed is the path of a launch and its replay.
func replayed(ctx context.Context, l *load.Opened, m *gpu.Machine, use method.FrontEnd) (*Report, error) {
	k, err := l.Kernel(true)
	if err != nil {
		return nil, err
	}
	return Run(ctx, Of(k), m, method.Question{Methods: []string{}, FrontEnd: &use})
}

// stopped says that an error is that of a policy that waits for a warp at a
// barrier.
func stopped(err error) bool {
	var e *simt.RuntimeError
	return errors.As(err, &e) && e.Kind == simt.ErrDeadlock
}

// compareReplay compares a replay with the simulator, of the whole launch and of
// each distinct block alone. It returns the cycles of the launch, or 0 where the
// policies stop the machine.
func compareReplay(t *testing.T, l *load.Opened, m *gpu.Machine, use method.FrontEnd) int64 {
	t.Helper()
	ctx := context.Background()
	r, err := replayed(ctx, l, m, use)
	if err != nil && strings.Contains(err.Error(), "does not fit") {
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}
	whole := r.Scopes[len(r.Scopes)-1]
	b := whole.Bound(replay.Method)
	cfg := sim.Config{Machine: m, Model: sim.FrontModel{Variant: use.Variant, FetchPolicy: use.FetchPolicy, IssuePolicy: use.IssuePolicy}, BlocksPerSM: int(r.Occupancy.Blocks), Checks: true}
	if b != nil {
		cfg.MaxCycles = 2*b.Cycles + 10000
	} else {
		cfg.MaxCycles = 1 << 17
	}
	res, err := simulated(ctx, l, cfg, r)
	switch {
	case b == nil && err != nil && (errors.Is(err, sim.ErrStuck) || errors.Is(err, sim.ErrMaxCycles) || stopped(err)):
		return 0
	case b == nil && r.Path.Irregular != "":
		return 0
	case b == nil:
		t.Errorf("refused: %v; simulated %+v, %v", whole.Refused, res, err)
		return 0
	case err != nil:
		t.Errorf("%d cycles; simulated: %v", b.Cycles, err)
		return 0
	case res.Cycles != b.Cycles || res.Scheduling.NOPs != b.Breakdown[1].Cycles || res.WarpInstructions != b.Breakdown[0].Cycles:
		t.Errorf("%d cycles, %+v; simulated %d cycles, %d instructions, %d NOPs", b.Cycles, b.Breakdown, res.Cycles, res.WarpInstructions, res.Scheduling.NOPs)
	}
	anyPolicy(t, whole, use, res.Cycles)
	slowest := int64(0)
	for _, c := range r.Path.Classes {
		cfg.BlocksPerSM, cfg.Blocks = 1, []int64{c.First}
		res, err := simulated(ctx, l, cfg, r)
		if err != nil {
			t.Errorf("block %d: %v", c.First, err)
			continue
		}
		slowest = max(slowest, res.Cycles)
	}
	anyPolicy(t, r.Scope(bound.Block), use, slowest)
	if b := r.Scope(bound.Block).Bound(replay.Method); b.Cycles != slowest {
		t.Errorf("a block: %d cycles, simulated %d", b.Cycles, slowest)
	}
	return b.Cycles
}

// anyPolicy checks the bound for every policy, where there is one.
func anyPolicy(t *testing.T, res *bound.Result, use method.FrontEnd, cycles int64) {
	t.Helper()
	b := res.Bound(replay.AnyPolicy)
	if b == nil {
		return
	}
	if use.Variant != gpu.SWaS || !b.Safe {
		t.Errorf("%+v: bound %+v", use, b)
	}
	if b.Cycles < cycles {
		t.Errorf("%s of a %s: %d cycles, simulated %d", b.Method, b.Scope, b.Cycles, cycles)
	}
}

func simulated(ctx context.Context, l *load.Opened, cfg sim.Config, r *Report) (*sim.Result, error) {
	k, err := l.Fresh()
	if err != nil {
		return nil, err
	}
	return sim.Run(ctx, cfg, k, r.Timing)
}

// ordersMatter are the examples whose warps execute what depends on the order of their
// atomics, so that no path recorded in another order is theirs.
var ordersMatter = map[string]bool{"basic/atomics/global_atomics": true, "basic/atomics/shared_atomics": true}

// TestReplayIsTheSimulation replays every example and compares the cycles with
// the simulator's, which shares nothing with the replay. Each run takes one
// policy an example; all of them, about 7,000 launches, take
//
//	WARPBOUND_ALL=1 go test ./internal/analysis -run TestReplayIsTheSimulation -timeout 1h
func TestReplayIsTheSimulation(t *testing.T) {
	files, err := filepath.Glob("../../examples/*/*/*.toml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	all := settings.Everything(t)
	uses := frontUses()
	var compared, cycles int64
	for i, file := range files {
		l, err := load.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		for j, use := range uses {
			if !all && (j != (i*7)%len(uses) || threads(l) > 1<<12) {
				continue
			}
			example := strings.TrimSuffix(strings.TrimPrefix(file, "../../examples/"), ".toml")
			if ordersMatter[example] {
				continue
			}
			m := frontMachine(t, i+j)
			name := fmt.Sprintf("%s/%s-%s-%s", example, use.Variant, use.FetchPolicy, use.IssuePolicy)
			t.Run(name, func(t *testing.T) {
				if c := compareReplay(t, l, m, use); c > 0 {
					compared++
					cycles += c
				}
			})
		}
	}
	t.Logf("%d launches of %d cycles", compared, cycles)
	if compared < 80 {
		t.Errorf("%d launches compared", compared)
	}
}

// TestReplayOfPrograms does the same for the RISC-V programs, whose warps start one
// another.
func TestReplayOfPrograms(t *testing.T) {
	files, err := filepath.Glob("../../examples/vortex/kernels/*/*.toml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	all := settings.Everything(t)
	uses := frontUses()
	compared := 0
	for i, file := range files {
		l, err := load.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		if l.File.RISCV == nil {
			continue
		}
		for j, use := range uses {
			if !all && j != (i*11)%len(uses) {
				continue
			}
			m := frontMachine(t, 4*((i+j)%2), fmt.Sprintf("sm.warp_size=%d", l.File.RISCV.Threads), fmt.Sprintf("sm.max_threads=%d", 32*l.File.RISCV.Threads), fmt.Sprintf("sm.max_threads_per_block=%d", 32*l.File.RISCV.Threads))
			t.Run(fmt.Sprintf("%s/%s-%s-%s", strings.TrimSuffix(filepath.Base(file), ".toml"), use.Variant, use.FetchPolicy, use.IssuePolicy), func(t *testing.T) {
				if c := compareReplay(t, l, m, use); c > 0 {
					compared++
				}
			})
		}
	}
	t.Logf("%d launches", compared)
	if compared < 10 {
		t.Errorf("%d launches compared", compared)
	}
}
