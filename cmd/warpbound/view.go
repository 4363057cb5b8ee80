package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound/internal/view"
)

func newView() *cobra.Command {
	var (
		opt    view.Options
		silent bool
	)
	cmd := command("view", "view [LAUNCH|RESULT|DIR]", "Show launches and results on a page in the browser", func(cmd *cobra.Command, args []string) error {
		opt.Path = "."
		if len(args) > 0 {
			opt.Path = args[0]
		}
		opt.Ready = func(url string) {
			fmt.Fprintf(cmd.OutOrStdout(), "%s\nshows %s until Ctrl-C\n", url, opt.Path)
			if !silent {
				view.Open(url)
			}
		}
		return view.Serve(cmd.Context(), opt)
	})
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return operands("LAUNCH")(cmd, args)
	}
	cmd.ValidArgsFunction = nil
	cmd.Flags().StringVar(&opt.GPU, "gpu", "", "preset name or description file that the page begins with (default: that of the commands)")
	_ = cmd.RegisterFlagCompletionFunc("gpu", presets)
	cmd.Flags().StringArrayVar(&opt.Settings, "set", nil, "override a key of that description, e.g. sm.count=2 (repeatable)")
	_ = cmd.RegisterFlagCompletionFunc("set", cobra.NoFileCompletions)
	cmd.Flags().IntVar(&opt.Port, "port", 0, "port of the loopback interface (0: one that is free)")
	cmd.Flags().BoolVar(&silent, "no-open", false, "print the address only, and open no browser")
	needs(cmd, []string{"set"}, "it changes a description", "gpu")
	return cmd
}
