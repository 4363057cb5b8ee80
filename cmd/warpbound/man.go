package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/version"
)

// newMan prints the manual pages that releases come with. It is hidden: users read --help.
func newMan() *cobra.Command {
	var date string
	cmd := &cobra.Command{
		Use:     "man [PAGE]",
		Short:   "Print a manual page, or the names of all",
		Example: "  warpbound man\n  warpbound man warpbound-analyze.1 --date 2026-11-23",
		Hidden:  true,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			day, err := time.Parse(time.DateOnly, date)
			if err != nil {
				return fmt.Errorf("--date %s: expected a day such as 2026-11-23", date)
			}
			pages := map[string]*cobra.Command{}
			manPages(cmd.Root(), pages)
			names := slices.Sorted(maps.Keys(pages))
			if len(args) == 0 {
				fmt.Fprintln(cmd.OutOrStdout(), strings.Join(names, "\n"))
				return nil
			}
			page := pages[args[0]]
			if page == nil {
				return fmt.Errorf("manual page %q: %s", args[0], conf.Suggest(args[0], names))
			}
			page.DisableAutoGenTag = true // it would hold today's date
			return doc.GenMan(page, &doc.GenManHeader{Section: "1", Date: &day, Source: "warpbound " + version.Get().Version, Manual: "warpbound"}, cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&date, "date", "1970-01-01", "the day that the page names")
	return cmd
}

// manPages adds the pages of a command that users see, and of those below it.
func manPages(cmd *cobra.Command, pages map[string]*cobra.Command) {
	pages[strings.ReplaceAll(cmd.CommandPath(), " ", "-")+".1"] = cmd
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && !c.IsAdditionalHelpTopicCommand() {
			manPages(c, pages)
		}
	}
}
