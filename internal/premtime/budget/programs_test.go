package budget

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/examples/prem"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/guard"
	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/exec"
	"github.com/warpbound/warpbound/internal/prem/ptxgen"
	"github.com/warpbound/warpbound/internal/prem/tile"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/clock"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/sim/soc"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
	"github.com/warpbound/warpbound/internal/testkit/gpus"
	"github.com/warpbound/warpbound/internal/testkit/settings"
	"github.com/warpbound/warpbound/internal/verify/loopkit"
)

// granter is the CPU's side of the guard at its quickest: it grants what it is asked
// for in the next cycle.
type granter struct {
	token []byte
	asked uint32
	next  int64
}

// Attach implements soc.Agent.
func (g *granter) Attach(*soc.Cores) error {
	g.next = clock.Never
	return nil
}

// Next implements soc.Agent.
func (g *granter) Next() int64 { return g.next }

// Step implements soc.Agent.
func (g *granter) Step(int64) error {
	binary.LittleEndian.PutUint32(g.token[ptxgen.GrantBytes:], g.asked)
	g.next = clock.Never
	return nil
}

// Watch implements soc.Watcher.
func (g *granter) Watch(t int64) {
	ask := binary.LittleEndian.Uint32(g.token[ptxgen.RequestBytes:])
	if k := guard.Word(ask).Kind(); ask != g.asked && (k == guard.Memory || k == guard.Compute) {
		g.asked, g.next = ask, t+1
	}
}

func compiled(t testing.TB, e prem.Benchmark, opt exec.Options) *exec.Module {
	t.Helper()
	text, err := e.Source()
	if err != nil {
		t.Fatal(err)
	}
	p, err := cfront.Parse(e.File(), text, nil)
	if err != nil {
		t.Fatal(err)
	}
	mod, err := exec.Compile(p, e.Function(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return mod
}

// launches runs a program's function, every launch given to r.
func launches(t testing.TB, e prem.Benchmark, opt exec.Options, r exec.Runner) {
	t.Helper()
	if err := compiled(t, e, opt).Run(context.Background(), loopkit.Arguments(t, e, e.Inputs()), r); err != nil {
		t.Fatal(err)
	}
}

// boundLaunches bounds every launch of a program.
func boundLaunches(t testing.TB, e prem.Benchmark, m *gpu.Machine, opt exec.Options, o Options) []*Result {
	t.Helper()
	var out []*Result
	with := opt
	with.PTX.Guard = true
	guarded := compiled(t, e, with)
	x := &exec.Functional{}
	launches(t, e, opt, func(ctx context.Context, l *exec.Offload) (*ptxexec.Kernel, error) {
		k, err := l.Fresh(true)
		if err != nil {
			return nil, err
		}
		o := o
		o.Guarded = guarded.Kernels[l.Kernel.Number].Code.ISA()
		r, err := Phases(ctx, k, m, o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.Kernel.Device.Name, err)
		}
		out = append(out, r)
		return x.Run(ctx, l)
	})
	return out
}

// tally compares bounds with simulations.
type tally struct {
	n        [3]int
	ratio    [3]float64
	least    float64
	worst    [3]float64 // sums of the ratios of T_mem and T_comp by launch
	worsts   [3]int
	launches int
}

func (x *tally) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d launches, bound over simulation at least %.2f", x.launches, x.least)
	for _, k := range []Kind{Memory, Compute} {
		fmt.Fprintf(&b, "; %d %v phases %.2f on average, longest ones %.2f", x.n[k], k, x.ratio[k]/float64(x.n[k]), x.worst[k]/float64(x.worsts[k]))
	}
	return b.String()
}

// compare simulates the launches of a program with its guard and compares.
func compare(t *testing.T, e prem.Benchmark, m *gpu.Machine, opt exec.Options, bounds []*Result, policyName string, sum *tally) {
	t.Helper()
	opt.PTX.Guard = true
	p, err := policy.Parse(policyName)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	launches(t, e, opt, func(ctx context.Context, l *exec.Offload) (*ptxexec.Kernel, error) {
		k, err := l.Fresh(false)
		if err != nil {
			return nil, err
		}
		timing, err := m.Resolve(k.Program())
		if err != nil {
			return nil, err
		}
		r := bounds[n]
		n++
		got, err := Measure(ctx, sim.Config{
			Machine: m, Model: sim.OwnModel{Policy: p}, BlocksPerSM: int(r.BlocksPerSM), Memory: sim.Caches{SoC: &soc.Config{Agents: []soc.Agent{&granter{token: k.Buffer(exec.Token)}}}}, Checks: true,
		}, k, timing)
		if err != nil {
			return nil, err
		}
		want := r.Spans()
		if len(want) != len(got.Kinds) {
			return nil, fmt.Errorf("%d phases bounded, %d simulated", len(want), len(got.Kinds))
		}
		for i, b := range want {
			c := got.Cycles[i]
			if b.Kind == Setup {
				continue // with the guard it reads the token
			}
			if b.Kind != got.Kinds[i] || b.Cycles < c || b.Kind == Memory && b.Cycles < got.Drained[i] {
				t.Errorf("%s, %s, launch %d, phase %d, %v: %d cycles, bound %d (%+v)", l.Kernel.Device.Name, policyName, l.Number, i, b.Kind, c, b.Cycles, r.Phases[r.Order[i]])
			}
			if c > 0 {
				x := float64(b.Cycles) / float64(c)
				sum.n[b.Kind]++
				sum.ratio[b.Kind] += x
				sum.least = min(sum.least, x)
			}
		}
		for _, kind := range []Kind{Memory, Compute} {
			if w := r.Worst(kind); w != nil && got.Worst(kind) > 0 {
				sum.worsts[kind]++
				sum.worst[kind] += float64(w.Cycles) / float64(got.Worst(kind))
			}
		}
		sum.launches++
		return k, nil
	})
}

// add joins tallies.
func (x *tally) add(y *tally) {
	for k := range x.n {
		x.n[k] += y.n[k]
		x.ratio[k] += y.ratio[k]
		x.worst[k] += y.worst[k]
		x.worsts[k] += y.worsts[k]
	}
	x.least = min(x.least, y.least)
	x.launches += y.launches
}

// No phase of the generated kernels takes longer than its bound. All programs and
// more scratchpads are for the asking.
func TestProgramsKeepTheirBudgets(t *testing.T) {
	m := gpus.Preset(t, "tx1")
	names := []string{"gemm", "jacobi1d", "trisolv"}
	capacities := []int64{6 << 10}
	if settings.Everything(t) {
		names, capacities = nil, []int64{6 << 10, 24 << 10}
		for _, e := range prem.All() {
			names = append(names, e.Name)
		}
	}
	for _, s := range []device.Scheme{device.CMPT, device.DAE, device.SDMA} {
		total := tally{least: 1e9}
		for _, name := range names {
			e, ok := prem.Lookup(name)
			if !ok {
				t.Fatalf("no program %s", name)
			}
			for _, bytes := range capacities {
				opt := exec.Options{Scheme: s, Tile: tile.Options{SPMBytes: bytes, Teams: 2, Threads: 128}}
				bounds := boundLaunches(t, e, m, opt, Options{Caches: true, BlocksPerSM: 2})
				sum := tally{least: 1e9}
				for _, policy := range []string{"lrr", "gto"} {
					compare(t, e, m, opt, bounds, policy, &sum)
				}
				t.Logf("%s %v, %d bytes: %v", name, s, bytes, &sum)
				total.add(&sum)
			}
		}
		if total.n[Memory] == 0 || total.n[Compute] == 0 {
			t.Errorf("%v: nothing was compared", s)
		}
		t.Logf("%v: %v", s, &total)
	}
}
