package main

import (
	"bytes"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound"
)

func newCacheListing() *cobra.Command {
	var (
		out     output
		machine machineFlags
		opt     warpbound.ListingOptions
	)
	cmd := command("cache-listing", "listing LAUNCH", "Print which lines every warp touches", func(cmd *cobra.Command, args []string) error {
		var err error
		if opt.GPU, err = machine.machine(); err != nil {
			return err
		}
		if err := givenAtLeastOne(cmd, "line", opt.LineBytes); err != nil {
			return err
		}
		l, err := warpbound.Open(args[0])
		if err != nil {
			return err
		}
		if out.file == "" { // as it comes: it may be long
			return l.WriteListing(cmd.Context(), cmd.OutOrStdout(), opt)
		}
		var text bytes.Buffer
		if err := l.WriteListing(cmd.Context(), &text, opt); err != nil {
			return err
		}
		return writeFile(out.file, text.Bytes())
	})
	out.fileFlag(cmd)
	machine.flags(cmd)
	limitFlag(cmd, &opt.MaxInstructions)
	cmd.Flags().IntVar(&opt.LineBytes, "line", 0, "bytes of a line (default: the description's)")
	_ = cmd.RegisterFlagCompletionFunc("line", cobra.NoFileCompletions)
	return cmd
}
