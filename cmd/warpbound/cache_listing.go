package main

import (
	"bytes"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/cache/l1d"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/launch"
)

func newCacheListing() *cobra.Command {
	var (
		out     output
		machine machineFlags
		limit   limitFlags
		line    int
	)
	cmd := &cobra.Command{
		Use:   "listing LAUNCH",
		Short: "Print which lines every warp touches",
		Long: `Print which lines of memory the global accesses of every warp touch, with
addresses that count from the launch's first buffer. A launch whose accesses
depend on unknown data is refused, with the reason.`,
		Example:           "  warpbound cache listing examples/huangfu/listing/listing.toml",
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
			return writeListing(cmd, &out, args[0], m, line, limits)
		},
	}
	out.fileFlag(cmd)
	machine.flags(cmd)
	limit.flags(cmd)
	cmd.Flags().IntVar(&line, "line", 0, "bytes of a line (default: the description's)")
	_ = cmd.RegisterFlagCompletionFunc("line", cobra.NoFileCompletions)
	return cmd
}

// writeListing analyses a launch and prints what its warps touch.
func writeListing(cmd *cobra.Command, out *output, path string, m *gpu.Machine, line int, limits simt.Limits) error {
	switch {
	case cmd.Flags().Changed("line"):
		if err := checkLine(line); err != nil {
			return err
		}
	case m.Desc.L1D == nil:
		line = defaultLineBytes
	default:
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
