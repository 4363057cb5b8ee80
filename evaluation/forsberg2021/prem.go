package forsberg2021

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	examples "github.com/warpbound/warpbound/examples/prem"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/tile"
	"github.com/warpbound/warpbound/internal/premtime/study"
	"github.com/warpbound/warpbound/internal/sim/soc"
)

// The platform of Forsberg2021, section 4.1, with the published costs of a
// synchronisation (section 4.2.1); one team a cluster.
const (
	premGPU      = "tx1"
	premSPMBytes = 48 << 10
	premTeams    = 2
	premThreads  = 256
	// premUnroll is by how much copy loops are unrolled: as much as LLVM, on which
	// the paper's compiler is built, unrolls loops of unknown length.
	premUnroll = 8
)

var premCosts = study.Costs{SyncNanos: 5800, TimerNanos: 10700}

// premSizes are the programs of examples/prem with the sizes at which they are
// measured: arrays many times the scratchpad, kernels of some 0.2 to 10 million
// cycles where they are launched once.
var premSizes = []struct{ program, defines string }{
	{"adi", "N=192 TSTEPS=1"},
	{"atax", "NX=512 NY=512"},
	{"bicg", "NX=512 NY=512"},
	{"cholesky", "N=96"},
	{"conv2d", "NI=512 NJ=512"},
	{"conv3d", "NI=34 NJ=34 NK=64"},
	{"convlayer", "NB=2 NC=8 NF=16 NY=34 NX=34"},
	{"corr", "NM=64 NN=768"},
	{"covar", "NM=64 NN=384"},
	{"doitgen", "NR=16 NQ=16 NP=48"},
	{"downsample", "NI=384 NJ=384"},
	{"fdtd2d", "NX=384 NY=384 TSTEPS=1"},
	{"floydwarshall", "N=96"},
	{"gemm", "NI=128 NJ=128 NK=128"},
	{"gemver", "N=448"},
	{"gesummv", "N=384"},
	{"gramschmidt", "NI=256 NJ=32"},
	{"heat3d", "N=40 TSTEPS=1"},
	{"jacobi1d", "N=262144 TSTEPS=1"},
	{"jacobi2d", "N=256 TSTEPS=1"},
	{"lu", "N=128"},
	{"mm2", "NI=128 NJ=128 NK=128 NL=128"},
	{"mm3", "NI=64 NJ=64 NK=64 NL=64 NM=64"},
	{"mvt", "N=512"},
	{"redblack", "N=192 TSTEPS=1"},
	{"reduce", "N=262144"},
	{"seidel2d", "N=76 TSTEPS=1"},
	{"symm", "NI=128 NJ=128"},
	{"syr2k", "NI=96 NJ=96"},
	{"syrk", "NI=96 NJ=64"},
	{"trisolv", "N=96 NR=512"},
	{"trmm", "NI=128 NJ=192"},
}

// premTraffic are the two kinds of interference, all cores of the CPU at the memory
// all the time: from one line to the next, as the workers of stress go through
// their buffers, and to a random row with every request.
func premTraffic(d *gpu.Description) [][]soc.Traffic {
	out := make([][]soc.Traffic, len(premKinds))
	for i, sequential := range []int{1000, 0} {
		for _, c := range d.CPUs {
			out[i] = append(out[i], soc.Traffic{CPU: c.Name, SequentialPermille: sequential, WritePermille: 500, Seed: 1})
		}
	}
	return out
}

// premKinds are their names.
var premKinds = []string{"sequential", "random"}

var premSchemes = []device.Scheme{device.CMPT, device.DAE, device.SDMA}

// loopRow is a target loop as OpenMP runs it.
type loopRow struct {
	GPU             string // with overrides
	Kernel, Defines string
	Threads         int64 // a team
	Launches        int64
	Alone           study.Simulation
	Beside          [2]study.Simulation // by premKinds
}

// phaseRow is a target loop under a scheme.
type phaseRow struct {
	Kernel, Scheme string
	Threads        int64
	Unroll         int64  // of copy loops; 0 for none
	Compatible     string // why it has no load and store phases
	Cycles         int64
	Memory         study.Use
	Simulated      times
	Bounded        times // zero where the phases were not bounded
	InputDependent bool
	Guarded        guardedRow // zero where it was not run
}

// times are phases and what follows from them, in nanoseconds (study.Phases).
type times struct {
	Mem, Comp, Intervals    int64
	Code, Sync, Last, Setup int64
	Best, Fair              int64
	Group                   string // that of the kernel, were it under SDMA
}

// guardedRow is a kernel with the guard; budgets and times in cycles.
type guardedRow struct {
	BudgetMem, BudgetComp, Raises int64
	Runs                          [3]guardedRun // alone, and beside premKinds
}

type guardedRun struct{ Cycles, HandOvers, Misses, LongestMem, LongestComp int64 }

// premOption says how much is measured.
type premOption struct {
	gpu     string
	threads int64
	unroll  int64
	schemes []device.Scheme
	bounds  bool
	beside  bool // interference, and SDMA with the guard
}

// premAll is what the figures need, and premPlain the same code without unrolled
// copy loops.
var (
	premAll   = premOption{gpu: premGPU, threads: premThreads, unroll: premUnroll, schemes: premSchemes, bounds: true, beside: true}
	premPlain = premOption{gpu: premGPU, threads: premThreads, schemes: premSchemes}
)

// premPick are programs measured with several numbers of threads.
var (
	premPick    = []string{"atax", "conv2d", "fdtd2d", "gemm", "gramschmidt", "jacobi2d", "mvt", "trmm"}
	premCompare = []int64{64, 128, 256, 512}
)

// premThreaded is for another number of threads.
func premThreaded(threads int64) premOption {
	return premOption{gpu: premGPU, threads: threads, unroll: premUnroll, schemes: premSchemes[2:]}
}

// premMachines are what the interference of BASE may depend on: the traffic that the
// cores can send and the order in which the DRAM serves requests.
var premMachines = []struct{ name, gpu string }{
	{"as described", premGPU},
	{"24 lines under way a core instead of 6", premGPU + " cpu.a57.outstanding=24"},
	{"24 lines, 64 hits of a row before an older request instead of 4", premGPU + " cpu.a57.outstanding=24 dram.row_hit_cap=64"},
	{"24 lines, first come, first served", premGPU + " cpu.a57.outstanding=24 dram.scheduling=fifo"},
	{"24 lines, one channel of half the bandwidth", premGPU + " cpu.a57.outstanding=24 dram.channels=1 l2.slices=1 l2.sets=128 dram.bytes_per_kilocycle=6410"},
}

// premFactored is BASE on another machine.
func premFactored(gpu string) premOption {
	return premOption{gpu: gpu, threads: premThreads, beside: true}
}

// prems measures programs in order, as many in parallel as there are
// processors.
func (b *bench) prems(names []string, opt premOption) ([]loopRow, []phaseRow, error) {
	m, err := b.Machine(opt.gpu)
	if err != nil {
		return nil, nil, err
	}
	type found struct {
		loops  []loopRow
		phases []phaseRow
		err    error
	}
	all := make([]found, len(names))
	var wait sync.WaitGroup
	slots := make(chan struct{}, runtime.NumCPU())
	for i, name := range names {
		wait.Go(func() {
			slots <- struct{}{}
			f := &all[i]
			f.loops, f.phases, f.err = premOf(m, name, opt)
			<-slots
		})
	}
	wait.Wait()
	var loops []loopRow
	var phases []phaseRow
	for i, f := range all {
		if f.err != nil {
			return nil, nil, fmt.Errorf("%s: %w", names[i], f.err)
		}
		loops, phases = append(loops, f.loops...), append(phases, f.phases...)
	}
	return loops, phases, nil
}

// premNames are all programs.
func premNames() []string {
	var out []string
	for _, s := range premSizes {
		out = append(out, s.program)
	}
	return out
}

// premOf measures the target loops of a program.
func premOf(m *gpu.Machine, name string, opt premOption) ([]loopRow, []phaseRow, error) {
	i := slices.IndexFunc(premSizes, func(s struct{ program, defines string }) bool { return s.program == name })
	e, known := examples.Lookup(name)
	if i < 0 || !known {
		return nil, nil, fmt.Errorf("no such program")
	}
	p, err := premProgram(e, premSizes[i].defines, opt.threads)
	if err != nil {
		return nil, nil, err
	}
	o := study.Options{
		Machine: m, Tile: tile.Options{SPMBytes: premSPMBytes}, Schemes: opt.schemes, Caches: true, Bounds: opt.bounds, Costs: premCosts,
		Unroll: int(opt.unroll),
	}
	if opt.beside {
		o.Traffic = premTraffic(m.Desc)
		if slices.Contains(opt.schemes, device.SDMA) {
			o.Guarded = []device.Scheme{device.SDMA}
		}
	}
	fn := p.Funcs[0]
	r, err := study.Run(context.Background(), p, fn.Name, func() (loop.Args, error) { return study.Arguments(p, fn, nil) }, o)
	if err != nil {
		return nil, nil, err
	}
	loops, phases := premRows(r, premSizes[i].defines, opt)
	fmt.Fprintf(os.Stderr, "%s on %s: %d loops, %d threads, copy loops by %d\n", name, opt.gpu, len(loops), opt.threads, opt.unroll)
	return loops, phases, nil
}

// premProgram is a program with a team for each cluster.
func premProgram(e examples.Benchmark, defines string, threads int64) (*loop.Unit, error) {
	text, err := e.Source()
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	for _, d := range strings.Fields(defines) {
		key, value, _ := strings.Cut(d, "=")
		values[key] = value
	}
	p, err := cfront.Parse(e.File(), text, values)
	if err != nil {
		return nil, err
	}
	for _, k := range p.Funcs[0].Kernels() {
		k.NumTeams = &loop.IntLit{At: k.At, T: loop.Int, Value: premTeams}
		k.NumThreads = &loop.IntLit{At: k.At, T: loop.Int, Value: threads}
	}
	return p, nil
}

// premRows are the rows of a study.
func premRows(r *study.Result, defines string, opt premOption) ([]loopRow, []phaseRow) {
	var loops []loopRow
	var phases []phaseRow
	for _, k := range r.Kernels {
		name := strings.TrimPrefix(k.Name, "kernel_")
		l := loopRow{GPU: opt.gpu, Kernel: name, Defines: defines, Threads: opt.threads, Launches: k.Launches, Alone: k.Base.Simulation}
		copy(l.Beside[:], k.Base.Interference)
		loops = append(loops, l)
		for _, s := range k.Schemes {
			x := phaseRow{
				Kernel: name, Scheme: s.Scheme.String(), Threads: opt.threads, Unroll: opt.unroll, Compatible: s.Compatible, Cycles: s.Cycles, Memory: s.Memory,
				Simulated: timesOf(&s.Simulated), InputDependent: s.InputDependent,
			}
			if s.Bounded != nil {
				x.Bounded = timesOf(s.Bounded)
			}
			if g := s.Guarded; g != nil {
				x.Guarded = guardedRow{BudgetMem: g.MemCycles, BudgetComp: g.CompCycles, Raises: int64(g.Raises)}
				for i, o := range append([]study.Outcome{g.Isolation}, g.Interference...) {
					x.Guarded.Runs[i] = guardedRun{o.Cycles, o.HandOvers, o.Misses, o.LongestMem, o.LongestComp}
				}
			}
			phases = append(phases, x)
		}
	}
	return loops, phases
}

func timesOf(p *study.Phases) times {
	return times{
		Mem: p.MemNanos, Comp: p.CompNanos, Intervals: p.Intervals, Code: p.CodeNanos(), Sync: p.SyncNanos(), Last: p.LastNanos, Setup: p.SetupNanos,
		Best: p.TotalNanos(&p.Best), Fair: p.TotalNanos(&p.Fair), Group: string(study.Classify(p)),
	}
}

// measurePrem measures all programs, and some of them with other numbers of threads.
func (b *bench) measurePrem() (*results, error) {
	out := &results{}
	var err error
	if out.loops, out.phases, err = b.prems(premNames(), premAll); err != nil {
		return nil, err
	}
	_, plain, err := b.prems(premNames(), premPlain)
	if err != nil {
		return nil, err
	}
	out.phases = append(out.phases, plain...)
	for _, threads := range premCompare {
		loops, phases, err := b.prems(premPick, premThreaded(threads))
		if err != nil {
			return nil, err
		}
		out.threadLoops, out.threadPhases = append(out.threadLoops, loops...), append(out.threadPhases, phases...)
	}
	for _, m := range premMachines {
		loops, _, err := b.prems(premPick, premFactored(m.gpu))
		if err != nil {
			return nil, err
		}
		out.factorLoops = append(out.factorLoops, loops...)
	}
	return out, nil
}
