package main

import (
	"errors"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/warpbound/warpbound/internal/version"
)

// newMan writes the manual pages that releases come with. It is hidden: users read --help.
func newMan() *cobra.Command {
	var date string
	cmd := &cobra.Command{
		Use:     "man FOLDER",
		Short:   "Write manual pages, one a command",
		Example: "  warpbound man dist/man --date 2026-11-23",
		Hidden:  true,
		Args:    operands("FOLDER"),
		RunE: func(cmd *cobra.Command, args []string) error {
			day, err := time.Parse(time.DateOnly, date)
			if err != nil {
				return errors.New("--date " + date + ": expected a day such as 2026-11-23")
			}
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true // it would hold today's date
			return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Date: &day, Source: "warpbound " + version.Get().Version, Manual: "warpbound"}, args[0])
		},
	}
	cmd.Flags().StringVar(&date, "date", "1970-01-01", "the day that the pages name")
	return cmd
}
