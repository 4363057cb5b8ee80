package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound/internal/version"
)

func newVersion() *cobra.Command {
	var out output
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print version, commit and the hash of the embedded GPU files",
		Example: "  warpbound version --json",
		Args:    operands(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			info := version.Get()
			return out.write(cmd, info, func(w *printer) {
				name := info.Version
				if name != version.Release {
					name += ", after release " + version.Release
				}
				fmt.Fprintf(w, "warpbound %s\ncommit    %s\ngpu files %s\n", name, info.Commit, info.GPUHash)
			})
		},
	}
	out.flags(cmd, false)
	return cmd
}
