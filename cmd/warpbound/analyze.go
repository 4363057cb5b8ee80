package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound"
)

func newAnalyze() *cobra.Command {
	var (
		out     output
		machine machineFlags
		opt     warpbound.AnalyzeOptions
		methods []string
		explain bool
		gate    gateFlags
	)
	cmd := &cobra.Command{
		Use:   "analyze LAUNCH",
		Short: "Bound the time of a launch, with breakdown and assumptions",
		Long: `Bound the worst-case execution time of one warp alone, one block alone and the
whole launch on the described GPU, by every method whose conditions hold there.

The bound is of the abstract SM of the description and rests on the assumptions
listed with it (docs/soundness.md). It covers the grid, block, scalar arguments
and known buffers of the launch file, and whatever the other buffers contain
where the report says so. Methods: gub is the published bound and not always
safe; makespan is for kernels without latencies, and where it is asked for on
another it is given as unsafe, with what breaks its assumptions; the others are
safe wherever they are given.

Where what is executed follows from data that the launch file does not make
known, or from the order of warps, the figure holds for this input only: the
report says THIS INPUT in the place of BOUND. --require-all-inputs and
--max-cycles are for scripts: the report is printed, and the exit code is 3
where the figure is not for all inputs, 4 where it exceeds the cycles, or where
there is none. --max-cycles alone is content with a figure for this input.

--l1-order reorder is about the machine with caches instead, whose reordering
unit lets the global accesses of an SM pass the L1 data cache in an order known
before the run (docs/soundness.md, section 17): what hits is known, and the
memory behind is charged for what the launch sends to it. Blocks are admitted in
batches: an SM gets its next blocks when all it has have left. Methods: ordered,
ordered-serial.

--policy is about one policy: the segment WCET of Huangfu2017 and the bounds for
strict turns (srr, gsrr, segments; docs/soundness.md, theorems 19 and 26),
without caches or, with --l1-order reorder, behind the unit. Under policies that
pass over warps that are not ready the figures are given too, and claim nothing.
Methods: segment, segment-count, segment-estimate, segment-classes, strict,
turns.

--variant, --fetch-policy and --issue-policy are about the machine with the
front end of the description and these policies (docs/soundness.md, theorem 32):
method replay follows them over what the warps execute, and gives the time
itself; it is safe with one scheduler (swas) or two strict ones (srr, gsrr, so).
Method sum-nops is for swas with every work-conserving policy (theorem 33). The
other bounds are then marked as unsafe: they are of a machine that always has
the next instruction at hand. A description whose model is frontend is bounded
so without a flag.

The bounds of a RISC-V program that ends with an exit code other than 0 are of
an execution that failed: the report says so, and the exit code is 1.`,
		Example: `  warpbound analyze examples/basic/saxpy/saxpy.toml --gpu ecrts2025-200
  warpbound analyze examples/basic/reduce/reduce.toml --set sm.count=4 --explain
  warpbound analyze examples/basic/saxpy/saxpy.toml --method gub,sum --json
  warpbound analyze examples/basic/saxpy/saxpy.toml --require-all-inputs --max-cycles 6000
  warpbound analyze examples/huangfu/listing/listing.toml --gpu gtx480 --l1-order reorder
  warpbound analyze examples/basic/saxpy/saxpy.toml --policy segments
  warpbound analyze examples/basic/reduce/reduce.toml --gpu vortex-32x32 --variant swas`,
		Args:              operands("LAUNCH"),
		ValidArgsFunction: launchFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := gate.check(cmd); err != nil {
				return err
			}
			m, err := machine.machine()
			if err != nil {
				return err
			}
			opt.GPU = m
			if opt.Methods = methods; !cmd.Flags().Changed("method") {
				opt.Methods = nil
			}
			l, err := warpbound.Open(args[0])
			if err != nil {
				return err
			}
			bar := newProgress("")
			defer bar.close()
			opt.Progress = bar.told
			a, err := l.Analyze(cmd.Context(), opt)
			bar.close()
			if a == nil {
				return err
			}
			doc, docErr := a.Report(explain)
			if err := out.print(cmd, doc, docErr); err != nil {
				return err
			}
			if err != nil {
				return errFound // a RISC-V program that failed: the report says so
			}
			return gate.judge([]figure{figureOf(args[0], a)})
		},
	}
	out.flags(cmd, false)
	machine.flags(cmd)
	limitFlag(cmd, &opt.MaxInstructions)
	frontEndFlags(cmd, &opt.FrontEnd)
	gate.flags(cmd)
	cmd.Flags().StringSliceVar(&methods, "method", []string{warpbound.All}, "methods to compute: all, or of "+strings.Join(methodsFor("plain"), ", "))
	_ = cmd.RegisterFlagCompletionFunc("method", words(append([]string{warpbound.All}, methodsFor("plain")...)...))
	cmd.Flags().StringVar(&opt.L1Order, "l1-order", warpbound.L1None, "how global accesses reach the L1 data cache: "+warpbound.L1None+" (no caches) or "+warpbound.L1Reorder+" (in an enforced order)")
	_ = cmd.RegisterFlagCompletionFunc("l1-order", words(warpbound.L1None, warpbound.L1Reorder))
	cmd.Flags().StringVar(&opt.Policy, "policy", "", "bound the launch under this policy, by its turns")
	_ = cmd.RegisterFlagCompletionFunc("policy", words(warpbound.Policies()...))
	cmd.Flags().BoolVar(&explain, "explain", false, "also print the phases of the slowest warp, what each assumption says, and why methods give no bound")
	return cmd
}
