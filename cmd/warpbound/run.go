package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/npy"
	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/launch"
)

func newRun() *cobra.Command {
	var (
		out   output
		limit limitFlags
		dumps []string
	)
	cmd := &cobra.Command{
		Use:   "run LAUNCH",
		Short: "Execute a launch functionally, without timing",
		Long: `Execute a launch functionally, without timing, blocks in order. What a RISC-V
program writes to its console is part of the report, and so is its exit code;
one that is not 0 makes that of the command 1.`,
		Example:           "  warpbound run examples/basic/saxpy/saxpy.toml --dump y=y.npy",
		Args:              operands("LAUNCH"),
		ValidArgsFunction: launchFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			limits, err := limit.limits()
			if err != nil {
				return err
			}
			l, err := load.Open(args[0])
			if err != nil {
				return err
			}
			targets, err := dumpTargets(l.File, dumps)
			if err != nil {
				return err
			}
			k, err := l.Kernel(false)
			if err != nil {
				return inLaunch(l, err)
			}
			bar, blocks := newProgress("executing blocks"), simt.NumBlocks(k.Grid())
			bar.watch(l, &limits)
			bar.update(0, blocks)
			limits.Watch = func(at simt.At) {
				bar.update(at.Block, blocks)
				bar.executed(at)
			}
			n, err := simt.Run(cmd.Context(), k, limits)
			bar.close()
			if err == nil {
				err = cmd.Context().Err() // before any buffer is written
			}
			if err != nil {
				return inLaunch(l, err)
			}
			for _, t := range targets {
				var data bytes.Buffer
				if err := npy.Write(&data, t.arg.Type.NPY(), k.Buffer(t.arg.Name)); err != nil {
					return fmt.Errorf("--dump %s: %w", t.arg.Name, err)
				}
				if err := writeFile(t.file, data.Bytes()); err != nil {
					return fmt.Errorf("--dump %s: %w", t.arg.Name, err)
				}
			}
			end := load.OutcomeOf(k)
			var written []report.Dump
			for _, t := range targets {
				written = append(written, report.Dump{Buffer: t.arg.Name, File: t.file})
			}
			if err := out.write(cmd, report.Run(args[0], k.Program().Name, n, written, end)); err != nil {
				return err
			}
			return failed(end)
		},
	}
	out.flags(cmd, false)
	limit.flags(cmd)
	cmd.Flags().StringArrayVar(&dumps, "dump", nil, "write a buffer after execution: NAME=FILE.npy (repeatable)")
	return cmd
}

// failed is the error of a command whose RISC-V program has said that it failed.
func failed(end *load.Outcome) error {
	if end != nil && end.ExitCode != 0 {
		return errFound
	}
	return nil
}

// failures are the launches of a command whose RISC-V programs failed.
type failures []string

func (f *failures) add(path string, l *load.Opened) {
	if code := l.ExitCode(); code != 0 {
		*f = append(*f, fmt.Sprintf("%s: the program ended with exit code %d: its figures are about an execution that failed", path, code))
	}
}

// err joins what there is, which is found rather than wrong, with the error of a
// command that has printed its report.
func (f failures) err(other error) error {
	if len(f) == 0 {
		return other
	}
	return errors.Join(fmt.Errorf("%s%w", strings.Join(f, "\n"), errFound), other)
}

type dumpTarget struct {
	arg  *launch.Arg
	file string
}

func dumpTargets(l *launch.Launch, dumps []string) ([]dumpTarget, error) {
	var targets []dumpTarget
	for _, d := range dumps {
		name, file, ok := strings.Cut(d, "=")
		if !ok || name == "" || file == "" {
			return nil, fmt.Errorf("--dump %q: expected NAME=FILE.npy", d)
		}
		var found *launch.Arg
		var names []string
		for _, list := range [][]launch.Arg{l.Args, l.Buffers, l.Variables} {
			for i := range list {
				if list[i].Kind != launch.Buffer {
					continue
				}
				names = append(names, list[i].Name)
				if list[i].Name == name && found == nil {
					found = &list[i]
				}
			}
		}
		if found == nil {
			return nil, fmt.Errorf("--dump %s: no such buffer, %s", name, conf.Suggest(name, names))
		}
		for _, t := range targets {
			if t.file == file {
				return nil, fmt.Errorf("--dump %s: %s is to hold %s already, expected another file", name, file, t.arg.Name)
			}
		}
		targets = append(targets, dumpTarget{found, file})
	}
	return targets, nil
}
