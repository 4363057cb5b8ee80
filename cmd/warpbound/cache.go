package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/simt"
)

func newCache() *cobra.Command {
	var (
		out          output
		machine      machineFlags
		limit        limitFlags
		shape        cacheFlags
		instructions bool
		simulate     bool
		batches      bool
		resident     int64
		policyName   string
		model        modelFlag
		picture      string
	)
	cmd := &cobra.Command{
		Use:   "cache LAUNCH",
		Short: "Say what hits and misses in the L1 data cache",
		Long: `Count the hits and misses of a launch's global accesses in the L1 data caches of
the GPU, in the order that a reordering unit enforces: by program point, block
and warp. Beside it, the fewest and the most misses in any order of the
accesses. Several sizes and ways are counted in one pass. A launch whose
accesses depend on unknown data is refused, with the reason.

The estimate is exact where all blocks start at once, SMs getting them in turn,
or with --batches. Otherwise blocks come one after the other, and it is that of
batches.

--simulate runs every configuration in both orders. Exit code 1 then says that
an exact estimate was not what was simulated, or that misses were outside the
bounds.

cache listing prints which lines every warp touches.`,
		Example: `  warpbound cache examples/rodinia/hotspot/hotspot.toml --gpu gtx480 --size 16,32,64 --ways 4,8,16
  warpbound cache examples/rodinia/srad/srad1.toml --gpu gtx480 --simulate --plot rates.svg`,
		Args:              operands("LAUNCH"),
		ValidArgsFunction: launchFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := machine.machine()
			if err != nil {
				return err
			}
			limits, err := limit.limits()
			if err != nil {
				return err
			}
			if err := atLeast("blocks-per-sm", resident, 0); err != nil {
				return err
			}
			opt := analysis.CacheOptions{BlocksPerSM: int(resident), Batches: batches, Limits: limits, Simulate: simulate}
			if opt.Configs, err = shape.configs(cmd, m.Desc); err != nil {
				return err
			}
			if opt.Model, err = model.model(); err != nil {
				return err
			}
			if policyName != "" {
				if opt.Policy, err = parsePolicy("policy", policyName); err != nil {
					return err
				}
			}
			if err := plotFormat(picture); err != nil {
				return err
			}
			if simulate {
				if err := simulable("--simulate", m.Desc); err != nil {
					return err
				}
			} else if policyName != "" || opt.Model != "" {
				return errors.New("--policy and --model are for --simulate")
			}
			if opt.Model, err = policyModel(opt.Model, m.Desc); err != nil {
				return err
			}
			l, err := openFor(args[0], m)
			if err != nil {
				return err
			}
			bar := newProgress("caches")
			opt.Progress, opt.Simulated = bar.update, bar.simulated
			bar.watch(l, &opt.Limits)
			r, err := analysis.RunCaches(cmd.Context(), cacheLaunch(l), m, opt)
			bar.close()
			if err != nil {
				return inLaunch(l, err)
			}
			doc, err := report.Cache(args[0], r)
			if err != nil {
				return err
			}
			forms := doc.Document(m.Desc, instructions)
			if err := draw(document{forms}, picture); err != nil {
				return err
			}
			if err := out.write(cmd, forms); err != nil {
				return err
			}
			var failed failures
			if failed.add(args[0], l); len(failed) > 0 {
				return failed.err(nil)
			}
			if r.Wrong() {
				return errFound
			}
			return nil
		},
	}
	out.flags(cmd, true)
	machine.flags(cmd)
	limit.flags(cmd)
	shape.flags(cmd)
	cmd.Flags().BoolVar(&instructions, "instructions", false, "say it of every instruction")
	cmd.Flags().BoolVar(&simulate, "simulate", false, "simulate each configuration, reordered and in dynamic order")
	cmd.Flags().BoolVar(&batches, "batches", false, "give an SM new blocks when all its blocks have ended")
	cmd.Flags().Int64Var(&resident, "blocks-per-sm", 0, "resident blocks of an SM (0: by occupancy)")
	cmd.Flags().StringVar(&policyName, "policy", "", "warp scheduling policy of the simulations (default: the description's)")
	_ = cmd.RegisterFlagCompletionFunc("policy", words(policy.Names()...))
	model.flags(cmd)
	cmd.Flags().StringVar(&picture, "plot", "", "draw the miss rates into this SVG or PNG file")
	cmd.AddCommand(newCacheListing())
	return cmd
}

// simulable says why a GPU has no simulation of both orders.
func simulable(flag string, d *gpu.Description) error {
	switch {
	case !d.HasCaches():
		return fmt.Errorf("%s: %s has no tables [l1d], [l2] and [dram], expected a GPU with caches such as gtx480 or rtx3070", flag, d.Name)
	case d.LDSTPath == nil:
		return fmt.Errorf("%s: %s has no table [ldst_path], expected the channels of a reordering unit", flag, d.Name)
	}
	return nil
}

// cacheLaunch makes the kernels of a launch.
func cacheLaunch(l *load.Opened) method.Source {
	return method.Source{
		Tainted: func() (simt.Tainted, error) { return l.Kernel(true) },
		Fresh:   l.Fresh,
	}
}
