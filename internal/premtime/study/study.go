package study

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/exec"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/tile"
	"github.com/warpbound/warpbound/internal/premtime/budget"
	"github.com/warpbound/warpbound/internal/premtime/schedule"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/soc"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
)

// Options say what is run, and on what.
type Options struct {
	Machine *gpu.Machine
	Tile    tile.Options
	// Unroll is how many iterations of a copy loop are made one (ptxgen.Options); the
	// base has none.
	Unroll int
	// Approx takes the approximations of the GPU for exp, log and so on.
	Approx bool
	// Schemes are those with phases; the loops as they are always run.
	Schemes []device.Scheme
	// Caches runs with the caches and the DRAM of the description instead of the
	// latencies of its timing table.
	Caches bool
	// Bounds also bounds the phases.
	Bounds bool
	Costs  Costs
	// Share is that of a third schedule beside the best case and fair sharing.
	Share *schedule.Share
	// Traffic are kinds of interference, each what the CPU cores send: there is a
	// run beside each of them. It needs Caches.
	Traffic [][]soc.Traffic
	// Guarded are the schemes that are also run with the guard.
	Guarded []device.Scheme
	// GuardBounds runs them once more with the bounds of the phases as budgets. It
	// needs Bounds.
	GuardBounds bool
	// Watch, unless nil, looks at the first launch of the first of Guarded, with the
	// budgets that were found, beside the last kind of traffic.
	Watch Watcher
	// MaxCycles ends a simulation with sim.ErrMaxCycles; 0 means no limit.
	MaxCycles int64
	// Progress is called with what is being run.
	Progress func(what string)
	// Host, unless nil, is called from time to time with how many statements of the
	// host's code the present call has executed.
	Host func(statements int64)
}

// Costs are what the platform takes for a synchronisation, and until its timer
// responds: S and R_timer (Forsberg2021, sections 3.3.1 and 4.2.1).
type Costs struct {
	SyncNanos, TimerNanos int64
}

// The costs that Forsberg2021 measured on a TX1: a synchronisation (section 4.2.1), and
// the response of the timer in 95 % of the cases.
const (
	PublishedSync  = 5800 * time.Nanosecond
	PublishedTimer = 10700 * time.Nanosecond
)

// Result is what was found of one function.
type Result struct {
	Function string
	Kernels  []KernelTimes
}

// KernelTimes is one target loop, all its launches added up.
type KernelTimes struct {
	Name     string // FUNCTION_NUMBER
	At       string
	Launches int64
	Base     Base
	Schemes  []Scheme
}

// Base is the loop as OpenMP runs it, alone and beside the kinds of interference.
type Base struct {
	Simulation
	Interference []Simulation
}

// A Simulation is all launches of a kernel in a simulation, without the guard.
type Simulation struct {
	Cycles int64
	Memory Use
}

// Use is what a kernel did to the memories; it is zero without caches.
type Use struct {
	Accesses int64 // warp instructions that access global memory
	Requests int64 // the sectors that these touch
	Hits     int64 // and those of them that the L1D had
	// Transfers are those of the DRAM for the GPU, RowMisses the ones of them that had
	// to open their row, and WaitCycles how long they waited from their arrival at the
	// DRAM to their beginning.
	Transfers, RowMisses, WaitCycles int64
	// BusyMillicycles are thousandths of cycles in which a channel transferred, for
	// whomever, and CPUBytes what it transferred for CPU cores.
	BusyMillicycles, CPUBytes int64
}

// add adds a launch.
func (u *Use) add(m *sim.MemoryUse) {
	if m == nil {
		return
	}
	u.Accesses += m.L1D.Accesses
	u.Requests += m.L1D.Loads + m.L1D.Stores
	u.Hits += m.L1D.Hits + m.L1D.HitsReserved
	u.Transfers += m.GPU.Reads + m.GPU.Writes
	u.RowMisses += m.GPU.RowMisses
	u.WaitCycles += m.GPU.WaitCycles
	u.BusyMillicycles += m.DRAM.BusyMillicycles
	for i := range m.CPU {
		u.CPUBytes += m.CPU[i].Bytes
	}
}

// Scheme is a kernel under one scheme.
type Scheme struct {
	Scheme device.Scheme
	// Compatible says why the scheme's kernel is that of compatible intervals.
	Compatible string
	// Cycles are those of the kernel's phases in isolation, without synchronisation,
	// and Memory is what they do to the memories.
	Cycles int64
	Memory Use
	// Simulated are the phases as measured in the simulator; Bounded as bounded, nil
	// where that was not asked for.
	Simulated Phases
	Bounded   *Phases
	// NoBound says why the phases have no bound, although one was asked for.
	NoBound string
	// Apart says that in some simulated launch a team was in a phase before another had
	// ended the one before: without the guard nothing keeps them in step, and Simulated
	// can be above Bounded.
	Apart bool
	// InputDependent says that the bounds hold for these arguments only.
	InputDependent bool
	// LongestMem and LongestComp are the phases with the largest bounds, nil where there
	// is none, and Assumptions what all bounds of the kernel rest on.
	LongestMem, LongestComp *budget.Phase
	Assumptions             []bound.Assumption
	// Guarded are runs with the guard, nil where not asked for.
	Guarded *Guarded
}

// Run runs function name of p, which loop.Check must accept. args makes the
// arguments of a call; every scheme is called with fresh ones.
func Run(ctx context.Context, p *loop.Unit, name string, args func() (loop.Args, error), opt Options) (*Result, error) {
	s := &study{opt: opt, program: p, name: name, args: args}
	if len(opt.Traffic) > 0 && !opt.Caches {
		return nil, fmt.Errorf("traffic of CPU cores, but no caches and no DRAM")
	}
	if err := s.base(ctx); err != nil {
		return nil, err
	}
	for _, scheme := range opt.Schemes {
		if err := s.scheme(ctx, scheme); err != nil {
			return nil, fmt.Errorf("%s: %w", scheme, err)
		}
	}
	for _, scheme := range opt.Guarded {
		if err := s.guarded(ctx, scheme); err != nil {
			return nil, fmt.Errorf("%s with the guard: %w", scheme, err)
		}
	}
	return &s.result, nil
}

type study struct {
	opt     Options
	program *loop.Unit
	name    string
	args    func() (loop.Args, error)
	result  Result
	watched bool
}

func (s *study) progress(format string, args ...any) {
	if s.opt.Progress != nil {
		s.opt.Progress(s.name + ": " + fmt.Sprintf(format, args...))
	}
}

// compile makes the function's kernels under a scheme. The base, which is compiled
// first, proves that iterations are independent.
func (s *study) compile(scheme device.Scheme, guard bool) (*exec.Module, error) {
	opt := exec.Options{Scheme: scheme, Tile: s.opt.Tile, Trusted: scheme != device.Base}
	opt.PTX.Guard, opt.PTX.Unroll, opt.PTX.Approx = guard, s.opt.Unroll, s.opt.Approx
	return exec.Compile(s.program, s.name, opt)
}

// call runs the function once.
func (s *study) call(ctx context.Context, m *exec.Module, r exec.Runner) error {
	args, err := s.args()
	if err != nil {
		return err
	}
	if s.opt.Host != nil {
		args.Poll = func(statements int64) error {
			s.opt.Host(statements)
			return nil
		}
	}
	return m.Run(ctx, args, r)
}

// config is a simulation of a launch, in the model that the bounds are about.
func (s *study) config(k *ptxexec.Kernel) (sim.Config, []gpu.Timing, error) {
	cfg := sim.Config{Machine: s.opt.Machine, Model: sim.AbstractModel{}, MaxCycles: s.opt.MaxCycles}
	if s.opt.Caches {
		cfg.Memory = sim.Caches{}
	}
	timing, occ, err := simt.Fit(k, cfg.Machine)
	if err != nil {
		return cfg, nil, err
	}
	cfg.BlocksPerSM = int(occ.Blocks)
	return cfg, timing, nil
}

// base runs the loops as they are.
func (s *study) base(ctx context.Context) error {
	m, err := s.compile(device.Base, false)
	if err != nil {
		return err
	}
	s.result.Function = s.name
	for _, k := range m.Kernels {
		s.result.Kernels = append(s.result.Kernels, KernelTimes{
			Name: fmt.Sprintf("%s_%d", s.name, k.Number), At: k.Source.At.String(), Schemes: []Scheme{},
		})
	}
	s.progress("base")
	err = s.call(ctx, m, func(ctx context.Context, l *exec.Offload) (*ptxexec.Kernel, error) {
		at := &s.result.Kernels[l.Kernel.Number]
		at.Launches++
		return s.simulate(ctx, l, nil, &at.Base.Simulation)
	})
	for n, traffic := range s.opt.Traffic {
		if err != nil {
			return err
		}
		for i := range s.result.Kernels {
			b := &s.result.Kernels[i].Base
			b.Interference = append(b.Interference, Simulation{})
		}
		s.progress("base under interference")
		err = s.call(ctx, m, func(ctx context.Context, l *exec.Offload) (*ptxexec.Kernel, error) {
			return s.simulate(ctx, l, &soc.Config{Traffic: traffic}, &s.result.Kernels[l.Kernel.Number].Base.Interference[n])
		})
	}
	return err
}

// simulate runs a launch from its first to its last cycle.
func (s *study) simulate(ctx context.Context, l *exec.Offload, around *soc.Config, out *Simulation) (*ptxexec.Kernel, error) {
	k, err := l.Fresh(false)
	if err != nil {
		return nil, err
	}
	cfg, timing, err := s.config(k)
	if err != nil {
		return nil, err
	}
	if around != nil {
		cfg.Memory = sim.Caches{SoC: around}
	}
	r, err := sim.Run(ctx, cfg, k, timing)
	if err != nil {
		return nil, err
	}
	out.Cycles += r.Cycles
	out.Memory.add(r.Memory)
	return k, nil
}

// scheme runs the function under a scheme with phases.
func (s *study) scheme(ctx context.Context, scheme device.Scheme) error {
	m, err := s.compile(scheme, false)
	if err != nil {
		return err
	}
	var guarded *exec.Module // whose teams poll while they wait (docs/soundness/phases.md, theorem 36 (teams that wait))
	if s.opt.Bounds && s.opt.Caches {
		if guarded, err = s.compile(scheme, true); err != nil {
			return err
		}
	}
	s.progress("%s", scheme)
	found := make([]Scheme, len(m.Kernels))
	simulated, bounded := make([]intervals, len(m.Kernels)), make([]intervals, len(m.Kernels))
	err = s.call(ctx, m, func(ctx context.Context, l *exec.Offload) (*ptxexec.Kernel, error) {
		n := l.Kernel.Number
		k, err := l.Fresh(false)
		if err != nil {
			return nil, err
		}
		cfg, timing, err := s.config(k)
		if err != nil {
			return nil, err
		}
		if err := s.resident(k, &cfg); err != nil {
			return nil, err
		}
		measured, err := budget.Measure(ctx, cfg, k, timing)
		if err != nil {
			return nil, err
		}
		for _, span := range measured.Spans() {
			found[n].Cycles += span.Cycles
		}
		found[n].Memory.add(measured.Run.Memory)
		found[n].Apart = found[n].Apart || measured.Apart
		if err := simulated[n].add(measured.Spans(), s.hertz()); err != nil {
			return nil, err
		}
		if !s.opt.Bounds || found[n].NoBound != "" {
			return k, nil
		}
		tainted, err := l.Fresh(true)
		if err != nil {
			return nil, err
		}
		opt := budget.Options{Caches: s.opt.Caches, BlocksPerSM: int64(cfg.BlocksPerSM)}
		if guarded != nil {
			opt.Guarded = guarded.Kernels[n].Code.ISA()
		}
		bounds, err := budget.Phases(ctx, tainted, s.opt.Machine, opt)
		if refused(ctx, err) {
			found[n].NoBound = err.Error()
			return k, nil
		}
		if err != nil {
			return nil, err
		}
		found[n].bounded(bounds)
		return k, bounded[n].add(bounds.Spans(), s.hertz())
	})
	if err != nil {
		return err
	}
	for n, k := range m.Kernels {
		f := &found[n]
		f.Scheme = scheme
		if k.Plan != nil && k.Plan.Compatible != nil && scheme != device.CMPT {
			f.Compatible = k.Plan.Compatible.Error()
		}
		if f.Simulated, err = s.phases(&simulated[n]); err != nil {
			return err
		}
		if s.opt.Bounds && f.NoBound == "" {
			b, err := s.phases(&bounded[n])
			if err != nil {
				return err
			}
			f.Bounded = &b
		}
		s.result.Kernels[n].Schemes = append(s.result.Kernels[n].Schemes, *f)
	}
	return nil
}

// refused tells a refusal to give a bound from an error of the run.
func refused(ctx context.Context, err error) bool {
	var phase *budget.PhaseError
	var runtime *simt.RuntimeError
	return err != nil && ctx.Err() == nil && !errors.As(err, &phase) && !errors.As(err, &runtime)
}

// resident refuses a launch whose teams cannot change phases together.
func (s *study) resident(k *ptxexec.Kernel, cfg *sim.Config) error {
	teams, most := int64(k.Grid()[0]), int64(cfg.BlocksPerSM)*s.opt.Machine.Desc.SM.Count
	if teams > most {
		return fmt.Errorf("%d teams, of which %d are resident at a time, but all change phases together: expected fewer teams, or a smaller scratchpad", teams, most)
	}
	return nil
}

// bounded takes in the bounds of a launch.
func (s *Scheme) bounded(r *budget.Result) {
	s.InputDependent = s.InputDependent || len(r.InputDependent) > 0
	for _, x := range []struct {
		of   *budget.Phase
		keep **budget.Phase
	}{{r.Worst(budget.Memory), &s.LongestMem}, {r.Worst(budget.Compute), &s.LongestComp}} {
		if x.of != nil && (*x.keep == nil || x.of.Cycles > (*x.keep).Cycles) {
			*x.keep = x.of
		}
	}
	for _, a := range r.Assumptions {
		i := slices.IndexFunc(s.Assumptions, func(b bound.Assumption) bool { return b.ID == a.ID })
		switch {
		case i < 0:
			s.Assumptions = append(s.Assumptions, a)
		case a.Status == bound.Assumed: // of some launch it is not proved
			s.Assumptions[i] = a
		}
	}
}

// hertz is the GPU's clock.
func (s *study) hertz() int64 { return s.opt.Machine.Desc.Clock.CoreKHz * 1000 }

// cycles turns nanoseconds into cycles of the GPU, rounded up.
func (s *study) cycles(nanos int64) (int64, error) {
	t, err := schedule.FromNanoseconds(nanos, s.hertz())
	return int64(t), err
}
