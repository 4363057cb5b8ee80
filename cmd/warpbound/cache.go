package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/cache/l1d"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/plot"
	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/launch"
)

func newCache() *cobra.Command {
	var (
		out          output
		machine      machineFlags
		limit        limitFlags
		shape        cacheFlags
		listing      bool
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

--listing prints which lines every warp touches, with addresses that count from
the launch's first buffer.`,
		Example: `  warpbound cache examples/rodinia/hotspot/hotspot.toml --gpu gtx480 --size 16,32,64 --ways 4,8,16
  warpbound cache examples/rodinia/srad/srad1.toml --gpu gtx480 --simulate --plot rates.svg
  warpbound cache examples/huangfu/listing/listing.toml --listing`,
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
			if listing {
				if err := onlyWithoutListing(cmd); err != nil {
					return err
				}
				return writeListing(cmd, &out, args[0], m, shape, limits)
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
			format := ""
			if picture != "" {
				if format, err = plot.Format(picture); err != nil {
					return fmt.Errorf("--plot: %w", err)
				}
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
			if picture != "" {
				drawn, err := report.CachePlot(doc, format)
				if err == nil {
					err = writeFile(picture, drawn)
				}
				if err != nil {
					return fmt.Errorf("--plot: %w", err)
				}
			}
			if err := out.write(cmd, doc.Document(m.Desc, instructions)); err != nil {
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
	cmd.Flags().BoolVar(&listing, "listing", false, "print the lines that every warp touches instead")
	cmd.Flags().BoolVar(&instructions, "instructions", false, "say it of every instruction")
	cmd.Flags().BoolVar(&simulate, "simulate", false, "simulate each configuration, reordered and in dynamic order")
	cmd.Flags().BoolVar(&batches, "batches", false, "give an SM new blocks when all its blocks have ended")
	cmd.Flags().Int64Var(&resident, "blocks-per-sm", 0, "resident blocks of an SM (0: by occupancy)")
	cmd.Flags().StringVar(&policyName, "policy", "", "warp scheduling policy of the simulations (default: the description's)")
	_ = cmd.RegisterFlagCompletionFunc("policy", words(policy.Names()...))
	model.flags(cmd)
	cmd.Flags().StringVar(&picture, "plot", "", "draw the miss rates into this SVG or PNG file")
	return cmd
}

// onlyWithoutListing refuses flags that a listing has no use for.
func onlyWithoutListing(cmd *cobra.Command) error {
	var wrong []string
	for _, name := range []string{"json", "csv", "size", "ways", "replacement", "index", "instructions", "simulate", "batches", "blocks-per-sm", "policy", "model", "plot"} {
		if cmd.Flags().Changed(name) {
			wrong = append(wrong, "--"+name)
		}
	}
	if len(wrong) > 0 {
		return fmt.Errorf("--listing with %s: expected --line, --max-instructions, --gpu, --set and --output only", strings.Join(wrong, ", "))
	}
	return nil
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
func cacheLaunch(l *load.Launch) method.Source {
	return method.Source{
		Tainted: func() (simt.Tainted, error) { return l.Kernel(true) },
		Fresh:   l.Fresh,
	}
}

// writeListing analyses a launch and prints what its warps touch.
func writeListing(cmd *cobra.Command, out *output, path string, m *gpu.Machine, shape cacheFlags, limits simt.Limits) error {
	line := defaultLineBytes
	switch {
	case cmd.Flags().Changed("line"):
		if line = shape.line; checkLine(line) != nil {
			return checkLine(line)
		}
	case m.Desc.L1D != nil:
		line = m.Desc.L1D.LineBytes
	}
	l, err := openFor(path, m)
	if err != nil {
		return err
	}
	tainted, err := l.Kernel(true)
	if err != nil {
		return inLaunch(l, err)
	}
	a, err := l1d.Analyse(cmd.Context(), tainted, l1d.AnalyseOptions{Limits: limits})
	if err != nil {
		return inLaunch(l, err)
	}
	k, err := l.Kernel(false)
	if err != nil {
		return inLaunch(l, err)
	}
	if err := cmd.Context().Err(); err != nil {
		return err
	}
	opt := l1d.ListingOptions{LineBytes: line, Limits: limits}
	for i := range l.File.Args {
		if a := &l.File.Args[i]; a.Kind == launch.Buffer {
			opt.Origin, _ = k.BufferAddress(a.Name)
			break
		}
	}
	if out.file == "" {
		return inLaunch(l, a.WriteListing(cmd.Context(), cmd.OutOrStdout(), k, opt))
	}
	var p bytes.Buffer
	if err := a.WriteListing(cmd.Context(), &p, k, opt); err != nil {
		return inLaunch(l, err)
	}
	return writeFile(out.file, p.Bytes())
}
