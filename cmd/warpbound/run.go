package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound"
)

func newRun() *cobra.Command {
	var (
		out   output
		opt   warpbound.RunOptions
		dumps []string
	)
	cmd := command("run", "run LAUNCH", "Execute a launch functionally, without timing", func(cmd *cobra.Command, args []string) error {
		var err error
		if opt.Dump, err = dumpsOf(dumps); err != nil {
			return err
		}
		l, err := warpbound.Open(args[0])
		if err != nil {
			return err
		}
		r, err := watched(cmd, &opt, &opt.Progress, l.Run)
		if r == nil {
			return err
		}
		for _, d := range r.Dumps {
			if err := writeFile(d.File, d.NPY); err != nil {
				return fmt.Errorf("--dump %s: %w", d.Buffer, err)
			}
		}
		doc, docErr := r.Report()
		return reported(out.print(cmd, doc, docErr), err)
	})
	out.flags(cmd, false)
	limitFlag(cmd, &opt.MaxInstructions)
	cmd.Flags().StringArrayVar(&dumps, "dump", nil, "write a buffer after execution: NAME=FILE.npy (repeatable)")
	return cmd
}

// dumpsOf reads NAME=FILE.npy.
func dumpsOf(list []string) ([]warpbound.Dump, error) {
	var out []warpbound.Dump
	for _, d := range list {
		name, file, ok := strings.Cut(d, "=")
		if !ok || name == "" || file == "" {
			return nil, fmt.Errorf("--dump %q: expected NAME=FILE.npy", d)
		}
		out = append(out, warpbound.Dump{Buffer: name, File: file})
	}
	return out, nil
}
