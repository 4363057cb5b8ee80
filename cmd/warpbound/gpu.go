package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/conf"
)

func newGPU() *cobra.Command {
	cmd := &cobra.Command{Use: "gpu", Short: "List, show and check GPU descriptions", Args: subcommand, RunE: help}
	cmd.AddCommand(newGPUList(), newGPUShow(), newGPUCheck())
	return cmd
}

func newGPUList() *cobra.Command {
	var out output
	cmd := command("gpu-list", "list", "List the presets", func(cmd *cobra.Command, _ []string) error {
		doc, err := warpbound.PresetsReport()
		return out.print(cmd, doc, err)
	})
	out.flags(cmd, false)
	return cmd
}

func newGPUShow() *cobra.Command {
	var (
		out output
		set []string
		raw bool
	)
	cmd := command("gpu-show", "show GPU", "Print a description with every number and its source", func(cmd *cobra.Command, args []string) error {
		if raw {
			text, err := gpu.PresetText(args[0])
			if err != nil {
				return err
			}
			return out.raw(cmd, text)
		}
		d, err := gpu.Open(args[0], set)
		if err != nil {
			return err
		}
		doc, err := warpbound.GPUReport(d)
		return out.print(cmd, doc, err)
	})
	cmd.ValidArgsFunction = presets
	out.flags(cmd, false)
	cmd.Flags().StringArrayVar(&set, "set", nil, "override a key first (repeatable)")
	cmd.Flags().BoolVar(&raw, "raw", false, "print the preset's file as it is, comments included")
	exclusive(cmd, "raw", "json")
	exclusive(cmd, "raw", "set")
	return cmd
}

func newGPUCheck() *cobra.Command {
	cmd := command("gpu-check", "check FILE", "Check a description file", func(cmd *cobra.Command, args []string) error {
		data, err := conf.Read(args[0])
		if err != nil {
			return err
		}
		d, err := gpu.Load(args[0], data)
		if err != nil {
			return err
		}
		if _, err := d.Machine(); err != nil {
			return err
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s is complete: %d units, %d timing rules\n", args[0], d.Name, len(d.Units), len(d.Timing))
		return err
	})
	cmd.ValidArgsFunction = launchFiles
	return cmd
}
