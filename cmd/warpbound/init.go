package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound"
)

func newInit() *cobra.Command {
	var (
		out output
		opt warpbound.ProposeOptions
	)
	cmd := command("init", "init FILE.ptx", "Write a launch file for a kernel, with every parameter", func(cmd *cobra.Command, args []string) error {
		if out.file != "" {
			opt.Folder = filepath.Dir(out.file)
		}
		text, err := warpbound.Propose(args[0], opt)
		if err != nil {
			return err
		}
		if _, err := os.Lstat(out.file); err == nil {
			return fmt.Errorf("--output %s: there is such a file, expected a new one", out.file)
		}
		return out.raw(cmd, text)
	})
	cmd.ValidArgsFunction = ptxFiles
	cmd.Flags().StringVar(&opt.Entry, "entry", "", "the kernel, where the module has several")
	cmd.Flags().StringVarP(&out.file, "output", "o", "", "write to this new file instead of standard output")
	return cmd
}

func ptxFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"ptx"}, cobra.ShellCompDirectiveFilterFileExt
}
