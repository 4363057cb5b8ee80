package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/cache/l1d"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/gantt"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/sim/soc"
	"github.com/warpbound/warpbound/internal/simt"
)

func newSimulate() *cobra.Command {
	var (
		out        output
		machine    machineFlags
		policyName string
		model      modelFlag
		maxCycles  int64
		resident   int64
		ganttFile  string
		from, to   int64
		l1         l1Flags
		front      frontFlags
		beside     trafficFlag
	)
	cmd := &cobra.Command{
		Use:   "simulate LAUNCH",
		Short: "Execute a launch cycle by cycle and print statistics",
		Long: `Execute a launch on the described GPU cycle by cycle, functionally exact, and
print how long it took and what its warps waited for. Policies: lrr, gto, srr,
gsrr, segments, oldest, ahead, behind, and with an argument ` + policyForms + `.

Machines with a front end (model frontend) fetch instructions into queues, with
policies of their own for either stage instead of --policy: lrr, gtlrr, gtlo, srr,
gsrr and more, in either case. Variant swas (Crouzet2024) has one scheduler for
both; the statistics say how often issue was not what its policy wants.

With --l1-order, global accesses go through the caches of the description: in the
order in which the load/store units send them (dynamic), or in the order that a
reordering unit enforces (reorder), for kernels whose accesses depend on no
unknown data. Otherwise global memory has one latency.

--gantt draws what every warp does over time, --from and --to a part of it. Long
executions are drawn in pieces of several cycles, and of more than 128 warp slots
the first are.

With --traffic, the CPU cores of the description send requests of a line each to
the DRAM that they share with the GPU, reads and writes alike: stress line after
line, random to random rows. All cores as much as they can, or cores=N of them,
at most rate=N bytes in 1000 cycles each.`,
		Example: `  warpbound simulate examples/basic/saxpy/saxpy.toml --gpu rtx3070 --policy gto
  warpbound simulate examples/basic/reduce/reduce.toml --policy random:7 --gantt warps.svg --from 1000 --to 2000
  warpbound simulate examples/basic/saxpy/saxpy.toml --gpu gtx480 --l1-order reorder --batches
  warpbound simulate examples/basic/saxpy/saxpy.toml --gpu tx1 --l1-order dynamic --traffic stress:cores=2
  warpbound simulate examples/basic/saxpy/saxpy.toml --gpu vortex-32x32 --variant swas --issue-policy gtlrr`,
		Args:              operands("LAUNCH"),
		ValidArgsFunction: launchFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := machine.machine()
			if err != nil {
				return err
			}
			name, err := model.model()
			if err != nil {
				return err
			}
			if err := l1.check(m); err != nil {
				return err
			}
			traffic, err := beside.traffic(m.Desc)
			if err != nil {
				return err
			}
			cfg := sim.Config{Machine: m, MaxCycles: maxCycles, Checks: true, Placement: sim.Batched(l1.batches)}
			var around *soc.Config
			switch {
			case traffic == nil:
			case l1.order == sim.L1None:
				return fmt.Errorf("--traffic %s: without caches there is no DRAM to share, expected --l1-order dynamic or reorder", beside)
			default:
				around = &soc.Config{Traffic: traffic}
			}
			var pick policy.Policy
			if policyName != "" {
				if pick, err = parsePolicy("policy", policyName); err != nil {
					return err
				}
			}
			if cfg.Model, err = front.model(cmd, m.Desc, name, pick); err != nil {
				return err
			}
			if err := errors.Join(atLeast("max-cycles", maxCycles, 0), atLeast("blocks-per-sm", resident, 0)); err != nil {
				return err
			}
			if ext := filepath.Ext(ganttFile); ext != "" && ext != ".svg" {
				return fmt.Errorf("--gantt %s: expected a file named .svg, the only format of this chart", ganttFile)
			}
			if err := window(cmd, ganttFile, from, to); err != nil {
				return err
			}
			l, err := openFor(args[0], m)
			if err != nil {
				return err
			}
			k, err := l.Fresh()
			if err != nil {
				return inLaunch(l, err)
			}
			timing, err := fit(&cfg, k, resident)
			if err != nil {
				return inLaunch(l, err)
			}
			cfg.Memory, err = sim.NamedMemory(l1.order, func() (sim.AccessOrder, error) { return l1.accessOrder(cmd.Context(), l, m) }, around)
			if err != nil {
				return inLaunch(l, err)
			}
			recorder := gantt.Recorder{FromCycle: from, ToCycle: to}
			if ganttFile != "" {
				cfg.Observers = append(cfg.Observers, &recorder)
			}
			bar := newProgress("simulating blocks")
			bar.of(l.Program())
			cfg.Progress = func(p sim.Progress) {
				bar.update(p.BlocksDone, p.Blocks)
				bar.simulated(p)
			}
			r, err := sim.Run(cmd.Context(), cfg, k, timing)
			bar.close()
			if err != nil {
				return inLaunch(l, err)
			}
			doc, err := report.Simulation(args[0], m, r, string(beside))
			if err != nil {
				return err
			}
			if ganttFile != "" {
				if from >= r.Cycles {
					return fmt.Errorf("--from %d: expected a cycle before the end of the execution, %d", from, r.Cycles)
				}
				if err := writeGantt(ganttFile, &recorder, report.SimulationGantt(args[0], m, r)); err != nil {
					return err
				}
			}
			end := load.OutcomeOf(k)
			if err := out.write(cmd, doc.Document(m, r, end, nil)); err != nil {
				return err
			}
			return failed(end)
		},
	}
	out.flags(cmd, false)
	machine.flags(cmd)
	cmd.Flags().StringVar(&policyName, "policy", "", "warp scheduling policy (default: the description's)")
	_ = cmd.RegisterFlagCompletionFunc("policy", words(policy.Names()...))
	model.flags(cmd)
	front.flags(cmd)
	l1.flags(cmd)
	beside.flags(cmd)
	cmd.Flags().StringVar(&ganttFile, "gantt", "", "draw warps over time into this SVG file")
	cmd.Flags().Int64Var(&from, "from", 0, "first cycle that --gantt draws")
	cmd.Flags().Int64Var(&to, "to", 0, "cycle at which --gantt ends (0: with the execution)")
	cmd.Flags().Int64Var(&maxCycles, "max-cycles", 0, "stop at this cycle (0: no limit)")
	cmd.Flags().Int64Var(&resident, "blocks-per-sm", 0, "resident blocks of an SM (0: by occupancy)")
	return cmd
}

// l1Flags say how global accesses reach the L1D.
type l1Flags struct {
	order   string
	batches bool
}

func (f *l1Flags) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.order, "l1-order", sim.L1None, "accesses through caches: none, dynamic or reorder")
	_ = cmd.RegisterFlagCompletionFunc("l1-order", words(sim.L1Orders()...))
	cmd.Flags().BoolVar(&f.batches, "batches", false, "give an SM new blocks when all its blocks have ended")
}

func (f *l1Flags) check(m *gpu.Machine) error {
	if err := oneOf("l1-order", f.order, sim.L1Orders()...); err != nil {
		return err
	}
	switch d := m.Desc; {
	case f.order == sim.L1None:
	case !d.HasCaches():
		return fmt.Errorf("--l1-order %s: %s has no tables [l1d], [l2] and [dram], expected a GPU with caches such as gtx480 or rtx3070", f.order, d.Name)
	case f.order == sim.L1Reorder && d.LDSTPath == nil:
		return fmt.Errorf("--l1-order reorder: %s has no table [ldst_path], expected the channels of a reordering unit", d.Name)
	}
	return nil
}

// accessOrder is the order that a reordering unit enforces.
func (f *l1Flags) accessOrder(ctx context.Context, l *load.Opened, m *gpu.Machine) (sim.AccessOrder, error) {
	tainted, err := l.Kernel(true)
	if err != nil {
		return nil, err
	}
	a, err := l1d.Analyse(ctx, tainted, l1d.AnalyseOptions{})
	if err != nil {
		return nil, err
	}
	k, err := l.Fresh()
	if err != nil {
		return nil, err
	}
	return a.NewOrder(k, l1d.Options{SegmentBytes: m.Desc.L1D.SectorBytes, Interrupt: ctx.Err})
}

// writeGantt draws what was recorded.
func writeGantt(file string, r *gantt.Recorder, o report.GanttOptions) error {
	intervals := r.Intervals()
	o.FromCycle, o.Hidden, o.Quantum = r.FromCycle, r.Hidden(), r.Quantum()
	if r.ToCycle > 0 {
		o.ToCycle = min(o.ToCycle, r.ToCycle)
	}
	var picture bytes.Buffer
	if err := report.WriteGantt(&picture, intervals, o); err != nil {
		return fmt.Errorf("--gantt: %w", err)
	}
	if err := writeFile(file, picture.Bytes()); err != nil {
		return fmt.Errorf("--gantt: %w", err)
	}
	return nil
}

// window checks the cycles that a chart is of.
func window(cmd *cobra.Command, file string, from, to int64) error {
	for _, name := range []string{"from", "to"} {
		if file == "" && cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s is for --gantt: expected it too", name)
		}
	}
	if cmd.Flags().Changed("to") && to <= from {
		return fmt.Errorf("--to %d: expected more than --from, %d", to, from)
	}
	return atLeast("from", from, 0)
}

// fit resolves the timing of a kernel and how many of its blocks are resident:
// as many as asked for, or for 0 as fit.
func fit(cfg *sim.Config, k simt.Kernel, resident int64) ([]gpu.Timing, error) {
	timing, occ, err := simt.Fit(k, cfg.Machine)
	switch {
	case err != nil:
		return nil, err
	case resident > occ.Blocks:
		return nil, fmt.Errorf("--blocks-per-sm %d: expected at most the %d that fit (limit: %s)", resident, occ.Blocks, occ.Limiter)
	case resident == 0:
		resident = occ.Blocks
	}
	cfg.BlocksPerSM = int(resident)
	return timing, nil
}
