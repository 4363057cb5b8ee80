package study

import (
	"context"
	"errors"
	"slices"
	"testing"

	examples "github.com/warpbound/warpbound/examples/prem"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/tile"
	"github.com/warpbound/warpbound/internal/premtime/schedule"
	"github.com/warpbound/warpbound/internal/sim/soc"
	"github.com/warpbound/warpbound/internal/testkit/settings"
	"github.com/warpbound/warpbound/internal/verify/loopkit"
)

// published are the costs measured on a TX1 (Forsberg2021, section 4.2.1).
var published = Costs{SyncNanos: 5800, TimerNanos: 10700}

func tx1(tb testing.TB) *gpu.Machine {
	tb.Helper()
	d, err := gpu.Open("tx1", nil)
	if err != nil {
		tb.Fatal(err)
	}
	m, err := d.Machine()
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// example lowers an example program for two teams.
func example(tb testing.TB, name string, defines map[string]string, threads int64) *loop.Unit {
	tb.Helper()
	e, ok := examples.Lookup(name)
	if !ok {
		tb.Fatalf("no program %s", name)
	}
	text, err := e.Source()
	if err != nil {
		tb.Fatal(err)
	}
	p, err := cfront.Parse(e.File(), text, defines)
	if err != nil {
		tb.Fatal(err)
	}
	for _, k := range p.Funcs[0].Kernels() {
		k.NumTeams = &loop.IntLit{At: k.At, T: loop.Int, Value: 2}
		k.NumThreads = &loop.IntLit{At: k.At, T: loop.Int, Value: threads}
	}
	return p
}

// stress is what keeps all CPU cores at the memory all the time.
func stress(m *gpu.Machine) [][]soc.Traffic {
	var out []soc.Traffic
	for _, c := range m.Desc.CPUs {
		out = append(out, soc.Traffic{CPU: c.Name, SequentialPermille: 900, WritePermille: 500, Seed: 1})
	}
	return [][]soc.Traffic{out}
}

// TestStudy runs programs under all schemes, with the guard and beside busy CPU
// cores: phases stay within their bounds, results are those of the interpreter, and
// the guard keeps a kernel's time whatever the CPU does.
func TestStudy(t *testing.T) {
	m := tx1(t)
	all := []device.Scheme{device.CMPT, device.DAE, device.SDMA}
	for _, name := range []string{"gemm", "jacobi1d", "reduce", "corr"} {
		t.Run(name, func(t *testing.T) {
			p := example(t, name, nil, 64)
			fn := p.Funcs[0]
			var calls []loop.Args
			args := func() (loop.Args, error) {
				a, err := Arguments(p, fn, nil)
				calls = append(calls, a)
				return a, err
			}
			r, err := Run(context.Background(), p, fn.Name, args, Options{
				Machine: m, Tile: tile.Options{SPMBytes: 8 << 10}, Schemes: all, Caches: true, Bounds: true, Costs: published,
				Traffic: stress(m), Guarded: all, GuardBounds: true, Share: &schedule.Share{Mem: 1, Comp: 3},
			})
			if err != nil {
				t.Fatal(err)
			}
			checkResults(t, p, fn, calls, name == "reduce" || name == "gramschmidt")
			for _, k := range r.Kernels {
				checkKernel(t, m, &k, len(all))
			}
		})
	}
}

// TestBoundsAreNotMissed runs kernels with the guard and the bounds of their phases
// as budgets, nothing more than S for the synchronisation and a timer that responds
// at once: no hand-over is missed. WARPBOUND_ALL=1 runs all programs.
func TestBoundsAreNotMissed(t *testing.T) {
	m := tx1(t)
	names := []string{"doitgen", "fdtd2d", "gesummv", "symm"}
	if settings.Everything(t) {
		names = nil
		for _, e := range examples.All() {
			names = append(names, e.Name)
		}
	}
	handOvers := int64(0)
	for _, name := range names {
		p := example(t, name, nil, 64)
		fn := p.Funcs[0]
		all := []device.Scheme{device.CMPT, device.DAE, device.SDMA}
		r, err := Run(context.Background(), p, fn.Name, func() (loop.Args, error) { return Arguments(p, fn, nil) }, Options{
			Machine: m, Tile: tile.Options{SPMBytes: 24 << 10}, Schemes: all, Caches: true, Bounds: true, Costs: Costs{SyncNanos: published.SyncNanos}, Guarded: all, GuardBounds: true,
		})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, k := range r.Kernels {
			for _, s := range k.Schemes {
				handOvers += s.Guarded.Bounded.HandOvers
				if n := s.Guarded.Bounded.Misses; n > 0 {
					t.Errorf("%s, %s: %d misses of %d hand-overs, budgets %d and %d ns", k.Name, s.Scheme, n, s.Guarded.Bounded.HandOvers, s.Bounded.MemNanos, s.Bounded.CompNanos)
				}
			}
		}
	}
	t.Logf("%d hand-overs, none missed", handOvers)
}

func checkKernel(t *testing.T, m *gpu.Machine, k *KernelTimes, schemes int) {
	t.Helper()
	if k.Launches == 0 || k.Base.Cycles <= 0 || len(k.Base.Interference) != 1 || k.Base.Interference[0].Cycles < k.Base.Cycles || len(k.Schemes) != schemes {
		t.Fatalf("%s: %d launches, %+v, %d schemes", k.Name, k.Launches, k.Base, len(k.Schemes))
	}
	for _, s := range k.Schemes {
		x, b := &s.Simulated, s.Bounded
		if x.MemNanos > b.MemNanos || x.CompNanos > b.CompNanos || x.WorkNanos > b.WorkNanos || x.Intervals != b.Intervals {
			t.Errorf("%s, %s: simulated %d and %d ns in %d intervals, bounded %d and %d in %d", k.Name, s.Scheme, x.MemNanos, x.CompNanos, x.Intervals, b.MemNanos, b.CompNanos, b.Intervals)
		}
		if s.Cycles <= 0 || x.MemNanos <= 0 || (x.CompNanos == 0) != (s.Scheme == device.CMPT) {
			t.Errorf("%s, %s: %d cycles, phases of %d and %d ns", k.Name, s.Scheme, s.Cycles, x.MemNanos, x.CompNanos)
		}
		if x.Best.WallTotal > min(x.Fair.WallTotal, x.Share.WallTotal) {
			t.Errorf("%s, %s: best %d, fair %d, a quarter %d", k.Name, s.Scheme, x.Best.WallTotal, x.Fair.WallTotal, x.Share.WallTotal)
		}
		g := s.Guarded
		if g.Isolation.Misses > 0 {
			t.Errorf("%s, %s: %d misses in isolation with budgets %d and %d, raised %d times", k.Name, s.Scheme, g.Isolation.Misses, g.MemCycles, g.CompCycles, g.Raises)
		}
		checkTotal(t, m, k, &s)
		if loss := g.Interference[0].Cycles - g.Isolation.Cycles; loss > g.Isolation.Cycles/20 || loss < -g.Isolation.Cycles/20 {
			t.Errorf("%s, %s: %d cycles with the guard, %d beside busy cores", k.Name, s.Scheme, g.Isolation.Cycles, g.Interference[0].Cycles)
		}
	}
}

// checkTotal compares the best case with the kernel that ran with the guard, whose
// launches are granted when the timer of the offload has fired.
func checkTotal(t *testing.T, m *gpu.Machine, k *KernelTimes, s *Scheme) {
	t.Helper()
	g, p := s.Guarded, &s.Simulated
	best := p.Best
	// The guard's budgets are a little longer, since they hold the polling.
	in := schedule.Input{Intervals: []schedule.Interval{{Count: p.Intervals}}, SyncTime: best.SyncTime, TimerTime: best.TimerTime}
	in.Intervals[0].Mem, in.Intervals[0].Comp = nanos(t, m, g.MemCycles), nanos(t, m, g.CompCycles)
	with, err := schedule.BestCase(in)
	if err != nil {
		t.Fatal(err)
	}
	offload := k.Launches * (published.SyncNanos + max(published.TimerNanos, p.SetupNanos/k.Launches))
	want := p.TotalNanos(&with) - p.SetupNanos + offload
	got := int64(nanos(t, m, g.Isolation.Cycles))
	if got < want-want/33 || got > want+want/33 {
		t.Errorf("%s, %s: %d ns with the guard, the schedule says %d", k.Name, s.Scheme, got, want)
	}
	if loss := p.TotalNanos(&with) - p.TotalNanos(&best); loss < 0 || loss > p.TotalNanos(&best)/20 {
		t.Errorf("%s, %s: %d ns by the phases without the guard, %d by those with it", k.Name, s.Scheme, p.TotalNanos(&best), p.TotalNanos(&with))
	}
}

func nanos(t *testing.T, m *gpu.Machine, cycles int64) schedule.Time {
	t.Helper()
	n, err := schedule.FromCycles(cycles, m.Desc.Clock.CoreKHz*1000)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// checkResults compares the arrays of all calls with the interpreter's.
func checkResults(t *testing.T, p *loop.Unit, fn *loop.Func, calls []loop.Args, reduced bool) {
	t.Helper()
	if len(calls) < 2 || reduced {
		return // sums in another order
	}
	want, err := Arguments(p, fn, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := loopkit.Run(p, fn.Name, want); err != nil {
		t.Fatal(err)
	}
	for i, got := range calls {
		for _, q := range fn.Params {
			if q.Array != nil && !slices.Equal(got.Arrays[q.Array.Name].Bits, want.Arrays[q.Array.Name].Bits) {
				t.Errorf("call %d: array %s is not what the interpreter computes", i, q.Array.Name)
			}
		}
	}
}

func TestArguments(t *testing.T) {
	parse := func(text string) (*loop.Unit, *loop.Func) {
		p, err := cfront.Parse("f.c", text, nil)
		if err != nil {
			t.Fatal(err)
		}
		return p, p.Funcs[0]
	}
	p, fn := parse(`void f(int n, double a, float A[restrict n][4], const int *restrict B) {
#pragma omp target teams distribute parallel for map(tofrom: A[0:n][0:4]) map(to: B[0:n+2])
for (int i = 0; i < n; i++) A[i][0] = (float)a + (float)B[i + 2];
}`)
	got, err := Arguments(p, fn, map[string]int64{"n": 30})
	if err != nil {
		t.Fatal(err)
	}
	if a := got.Arrays["A"]; !slices.Equal(a.Shape, []int64{30, 4}) || loopkit.Floats(a)[98] != 1+1.0/64 {
		t.Errorf("A: %v, element 98 is %v", a.Shape, loopkit.Floats(a)[98])
	}
	if b := got.Arrays["B"]; !slices.Equal(b.Shape, []int64{32}) || loopkit.Ints(b)[3] != 4 {
		t.Errorf("B: %v, element 3 is %v", b.Shape, loopkit.Ints(b)[3])
	}
	if err := loopkit.Run(p, "f", got); err != nil {
		t.Error(err)
	}
	for _, n := range []int64{0, -1, 1 << 40} {
		if _, err := Arguments(p, fn, map[string]int64{"n": n}); err == nil {
			t.Errorf("n = %d was taken", n)
		}
	}
	var at *loop.Error
	if _, err := Arguments(p, fn, nil); !errors.As(err, &at) || at.Pos.Line != 1 {
		t.Errorf("without n: %v", err)
	}
}

func TestOptions(t *testing.T) {
	p := example(t, "jacobi1d", nil, 32)
	m := tx1(t)
	args := func() (loop.Args, error) { return Arguments(p, p.Funcs[0], nil) }
	base := Options{Machine: m, Tile: tile.Options{SPMBytes: 4096}, Costs: published}
	for what, change := range map[string]func(*Options){
		"traffic without caches":         func(o *Options) { o.Traffic = stress(m) },
		"guarded but not run":            func(o *Options) { o.Caches = true; o.Guarded = []device.Scheme{device.SDMA} },
		"a limit that is reached":        func(o *Options) { o.MaxCycles = 10 },
		"no core of the name":            func(o *Options) { o.Caches = true; o.Traffic = [][]soc.Traffic{{{CPU: "none"}}} },
		"a scratchpad that is too small": func(o *Options) { o.Tile.SPMBytes = 2; o.Schemes = []device.Scheme{device.SDMA} },
	} {
		o := base
		change(&o)
		if _, err := Run(context.Background(), p, p.Funcs[0].Name, args, o); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, p, p.Funcs[0].Name, args, base); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func BenchmarkStudy(b *testing.B) {
	m := tx1(b)
	p := example(b, "gemm", nil, 64)
	args := func() (loop.Args, error) { return Arguments(p, p.Funcs[0], nil) }
	for b.Loop() {
		if _, err := Run(context.Background(), p, p.Funcs[0].Name, args, Options{
			Machine: m, Tile: tile.Options{SPMBytes: 49152}, Schemes: []device.Scheme{device.SDMA}, Caches: true, Bounds: true, Costs: published,
		}); err != nil {
			b.Fatal(err)
		}
	}
}
