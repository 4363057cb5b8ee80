package main

import (
	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound/internal/report"
)

func newVersion() *cobra.Command {
	var out output
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print version, commit and the hash of the embedded GPU files",
		Example: "  warpbound version --json",
		Args:    operands(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return out.write(cmd, report.Version())
		},
	}
	out.flags(cmd, false)
	return cmd
}
