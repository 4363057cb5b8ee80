package exec

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/examples/prem"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/guard"
	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/ptxgen"
	"github.com/warpbound/warpbound/internal/prem/tile"
	"github.com/warpbound/warpbound/internal/premtime/soc"
	"github.com/warpbound/warpbound/internal/sim"
	simsoc "github.com/warpbound/warpbound/internal/sim/soc"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
	"github.com/warpbound/warpbound/internal/verify/loopkit"
)

func example(t testing.TB, name string) prem.Benchmark {
	t.Helper()
	e, ok := prem.Lookup(name)
	if !ok {
		t.Fatalf("no program %s", name)
	}
	return e
}

// A simulator executes the same kernels and leaves the same memory.
func TestSimulatorAsRunner(t *testing.T) {
	desc, err := gpu.Preset("tx1")
	if err != nil {
		t.Fatal(err)
	}
	machine, err := desc.Machine()
	if err != nil {
		t.Fatal(err)
	}
	e := example(t, "lu")
	want := e.Inputs()
	if err := e.Run(want); err != nil {
		t.Fatal(err)
	}
	for _, s := range schemes {
		m, err := Compile(parsed(t, e), e.Function(), Options{Scheme: s, Tile: tile.Options{SPMBytes: 6 << 10}})
		if err != nil {
			t.Fatal(err)
		}
		in := e.Inputs()
		args := loopkit.Arguments(t, e, in)
		numbers, cycles := int64(0), int64(0)
		err = m.Run(context.Background(), args, func(ctx context.Context, l *Offload) (*ptxexec.Kernel, error) {
			if l.Number != numbers || l.Kernel != m.Kernels[numbers%2] {
				t.Errorf("launch %d of kernel %d, want launch %d of kernel %d", l.Number, l.Kernel.Number, numbers, numbers%2)
			}
			numbers++
			k, err := l.Fresh(false)
			if err != nil {
				return nil, err
			}
			timing, err := machine.Resolve(k.Program())
			if err != nil {
				return nil, err
			}
			r, err := sim.Run(ctx, sim.Config{Machine: machine, BlocksPerSM: 1}, k, timing)
			if err != nil {
				return nil, err
			}
			cycles += r.Cycles
			return k, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Compare(loopkit.Results(e, in, args), want); err != nil {
			t.Errorf("%s: %v", s, err)
		}
		if numbers != 2*27 || cycles == 0 {
			t.Errorf("%s: %d launches, %d cycles", s, numbers, cycles)
		}
	}
}

// Each launch can be made afresh, and with taint: no address or branch of these
// programs depends on data.
func TestLaunchesAreFresh(t *testing.T) {
	e := example(t, "gemm")
	m, err := Compile(parsed(t, e), e.Function(), Options{Scheme: device.SDMA, Tile: tile.Options{SPMBytes: 6 << 10}})
	if err != nil {
		t.Fatal(err)
	}
	x := &Functional{}
	err = m.Run(context.Background(), loopkit.Arguments(t, e, e.Inputs()), func(ctx context.Context, l *Offload) (*ptxexec.Kernel, error) {
		for range 2 {
			k, err := l.Fresh(true)
			if err != nil {
				return nil, err
			}
			if _, err := simt.Run(ctx, k, simt.Limits{}); err != nil {
				return nil, err
			}
			if taints := k.Taints(); len(taints) > 0 {
				t.Errorf("taints %v", taints)
			}
		}
		return x.Run(ctx, l)
	})
	if err != nil {
		t.Fatal(err)
	}
	// 32 x 28 elements of C, 32 x 24 of A once a tile, of B in each of four tiles.
	want := Counts{Launches: 1, LoadedElements: 32*28 + 32*24 + 4*24*28, StoredElements: 32 * 28, MemoryPhases: 8, ComputePhases: 4}
	got := x.Counts[0]
	want.LoadedBytes, want.StoredBytes = 4*want.LoadedElements, 4*want.StoredElements
	want.WarpInstructions, want.SharedElements = got.WarpInstructions, got.SharedElements
	if got != want {
		t.Errorf("counts %+v, want %+v", got, want)
	}
}

// An access in a compute phase is an error. Package device refuses such kernels, so
// that the PTX is edited.
func TestPhasesAreChecked(t *testing.T) {
	e := example(t, "gemm")
	for _, guard := range []bool{false, true} {
		m, err := Compile(parsed(t, e), e.Function(), Options{Scheme: device.CMPT, Tile: tile.Options{SPMBytes: 6 << 10}, PTX: ptxgen.Options{Guard: guard}})
		if err != nil {
			t.Fatal(err)
		}
		// Every memory phase becomes a compute phase.
		m.PTX = strings.ReplaceAll(m.PTX, "bar.sync \t1;", "bar.sync \t2;")
		if err := m.lower(); err != nil {
			t.Fatal(err)
		}
		err = m.Run(context.Background(), loopkit.Arguments(t, e, e.Inputs()), (&Functional{}).Run)
		if !errors.Is(err, ErrPhase) || !strings.Contains(err.Error(), "gemm.c:") {
			t.Errorf("guard %v: error %v", guard, err)
		}
	}
}

func TestErrors(t *testing.T) {
	e := example(t, "gemm")
	p := parsed(t, e)
	if _, err := Compile(p, "nothing", Options{}); err == nil || !strings.Contains(err.Error(), "no function nothing") {
		t.Errorf("unknown function: %v", err)
	}
	var at *loop.Error
	if _, err := Compile(p, e.Function(), Options{Scheme: device.SDMA, Tile: tile.Options{SPMBytes: 4}}); !errors.As(err, &at) || at.Pos.Line == 0 {
		t.Errorf("scratchpad of 4 bytes: %v", err)
	}
	m, err := Compile(p, e.Function(), Options{Scheme: device.Base, Tile: tile.Options{SPMBytes: 4}})
	if err != nil {
		t.Fatal("base needs no scratchpad:", err)
	}
	bare := "void f(int A[restrict 64][64])\n{\n#pragma omp target teams distribute parallel for\nfor (int i = 0; i < 64; i++) A[i][0] = 1;\n}\n"
	without, err := cfront.Parse("f.c", bare, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Compile(without, "f", Options{Scheme: device.Base, Tile: tile.Options{SPMBytes: 4}}); err == nil || !strings.Contains(err.Error(), "scratchpad") {
		t.Errorf("neither clauses nor a plan: %v", err)
	}
	run := func(ctx context.Context, r Runner) error { return m.Run(ctx, loopkit.Arguments(t, e, e.Inputs()), r) }
	mine := errors.New("mine")
	if err := run(context.Background(), func(context.Context, *Offload) (*ptxexec.Kernel, error) { return nil, mine }); !errors.Is(err, mine) || !strings.Contains(err.Error(), "kernel_gemm_0_base") {
		t.Errorf("error of a runner: %v", err)
	}
	other, err := Compile(parsed(t, example(t, "mvt")), "kernel_mvt", Options{})
	if err == nil {
		err = other.Run(context.Background(), loopkit.Arguments(t, e, e.Inputs()), nil)
	}
	if err == nil {
		t.Error("arguments of another function are taken")
	}
	limited := &Functional{Limits: simt.Limits{MaxInstructions: 10}}
	if err := run(context.Background(), limited.Run); !errors.Is(err, simt.ErrInstructionLimit) {
		t.Errorf("limit: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := run(ctx, (&Functional{}).Run); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	short := loopkit.Arguments(t, e, e.Inputs())
	delete(short.Arrays, "B")
	if err := m.Run(context.Background(), short, (&Functional{}).Run); err == nil || !strings.Contains(err.Error(), "B") {
		t.Errorf("missing argument: %v", err)
	}
	wrong := func(ctx context.Context, l *Offload) (*ptxexec.Kernel, error) {
		half := &Offload{Kernel: l.Kernel, args: append([]ptxexec.Arg(nil), l.args...)}
		half.args[2].Buffer = &ptxexec.Buffer{Contents: make([]byte, 4)}
		return half.Fresh(false)
	}
	if err := run(context.Background(), wrong); err == nil || !strings.Contains(err.Error(), "another launch") {
		t.Errorf("kernel of another launch: %v", err)
	}
}

// Guarded kernels take turns with the CPU's side of the protocol in a simulation.
func TestGuardBesideSimulatedKernels(t *testing.T) {
	desc, err := gpu.Preset("tx1")
	if err != nil {
		t.Fatal(err)
	}
	machine, err := desc.Machine()
	if err != nil {
		t.Fatal(err)
	}
	e := example(t, "gemm")
	want := e.Inputs()
	if err := e.Run(want); err != nil {
		t.Fatal(err)
	}
	for _, s := range []device.Scheme{device.CMPT, device.DAE, device.SDMA} {
		m, err := Compile(parsed(t, e), e.Function(), Options{Scheme: s, Tile: tile.Options{SPMBytes: 6 << 10}, PTX: ptxgen.Options{Guard: true}})
		if err != nil {
			t.Fatal(err)
		}
		in := e.Inputs()
		args := loopkit.Arguments(t, e, in)
		var stats soc.Stats
		err = m.Run(context.Background(), args, func(ctx context.Context, l *Offload) (*ptxexec.Kernel, error) {
			k, err := l.Fresh(false)
			if err != nil {
				return nil, err
			}
			timing, err := machine.Resolve(k.Program())
			if err != nil {
				return nil, err
			}
			cpu, err := soc.NewGuard(k.Buffer(Token), soc.Config{
				Budgets: guard.Budgets{LaunchNanos: 5000, MemoryNanos: 30000, ComputeNanos: 30000, RetryNanos: 1000}, Teams: int(l.Kernel.Device.Teams)})
			if err != nil {
				return nil, err
			}
			_, err = sim.Run(ctx, sim.Config{Machine: machine, BlocksPerSM: 2, Memory: sim.Caches{SoC: &simsoc.Config{Agents: []simsoc.Agent{cpu}}}, Checks: true, MaxCycles: 10_000_000}, k, timing)
			stats = cpu.Stats()
			return k, err
		})
		if err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		if err := e.Compare(loopkit.Results(e, in, args), want); err != nil {
			t.Errorf("%s: %v", s, err)
		}
		// One tile a team: memory, compute, memory.
		if stats.Memory.Phases != 2 || stats.Compute.Phases != 1 || stats.Misses != 0 {
			t.Errorf("%s: %+v", s, stats)
		}
	}
}
