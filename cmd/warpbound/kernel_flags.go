package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound"
)

// kernelFlags state a launch without a launch file.
type kernelFlags struct {
	opt         warpbound.KernelOptions
	grid, block string
}

func (k *kernelFlags) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&k.grid, "grid", "", "of a kernel without a launch file: blocks in x, y, z, as 128 or 16,16, each a number or a range, as 1..4096")
	f.StringVar(&k.block, "block", "", "threads of a block in x, y, z, as 256 or 16,16, each a number or a range with a step, as 32..1024:32")
	f.StringArrayVar(&k.opt.Args, "arg", nil, "a scalar argument, NAME=VALUE or NAME=MIN..MAX, by name or number of the parameter (repeatable)")
	f.StringVar(&k.opt.Facts, "facts", "", "a file of facts on all executions of such a kernel (docs/launch-format.md)")
	f.StringVar(&k.opt.Entry, "entry", "", "the kernel, where the module has several")
	f.Int64Var(&k.opt.DynamicSharedBytes, "dynamic-shared-bytes", 0, "shared memory besides what the kernel declares")
}

// given says that a kernel is meant, not a launch file.
func (k *kernelFlags) given(cmd *cobra.Command, file string) (bool, error) {
	for _, name := range []string{"grid", "block", "arg", "facts", "entry", "dynamic-shared-bytes"} {
		if cmd.Flags().Changed(name) && !strings.HasSuffix(file, ".ptx") {
			return false, fmt.Errorf("--%s with %s: a launch file states it, expected the path of a .ptx file", name, file)
		}
	}
	return k.grid != "" || k.block != "", nil
}

// analyze is the analysis of a launch file, or of a kernel that the flags launch.
func (k *kernelFlags) analyze(cmd *cobra.Command, file string) (func(context.Context, warpbound.AnalyzeOptions) (*warpbound.Analysis, error), error) {
	kernel, err := k.given(cmd, file)
	if err != nil {
		return nil, err
	}
	if !kernel {
		l, err := warpbound.Open(file)
		if err != nil {
			return nil, err
		}
		return l.Analyze, nil
	}
	var steps [3]int
	if k.opt.LeastGrid, k.opt.Grid, steps, err = ranges("grid", k.grid); err != nil {
		return nil, err
	}
	if steps != [3]int{} {
		return nil, fmt.Errorf("--grid %q: a step is for --block, expected ranges without", k.grid)
	}
	if k.opt.LeastBlock, k.opt.Block, k.opt.BlockStep, err = ranges("block", k.block); err != nil {
		return nil, err
	}
	of, err := warpbound.OpenKernel(file, k.opt)
	if err != nil {
		return nil, err
	}
	return of.Analyze, nil
}

// ranges reads up to three numbers or ranges of numbers, with steps.
func ranges(name, text string) (least, most, step [3]int, err error) {
	for i, p := range strings.Split(text, ",") {
		low, high, ranged := strings.Cut(p, "..")
		by, stepped := "0", false
		if !ranged {
			high = low
		} else if high, by, stepped = strings.Cut(high, ":"); !stepped {
			by = "0"
		}
		from, err := strconv.Atoi(strings.TrimSpace(low))
		to, also := strconv.Atoi(strings.TrimSpace(high))
		n, then := strconv.Atoi(strings.TrimSpace(by))
		if err != nil || also != nil || then != nil || from < 1 || to < from || stepped && n < 1 || i > 2 {
			return least, most, step, fmt.Errorf("--%s %q: expected one to three numbers from 1 or ranges of them, as 128, 16,16, 1..4096 or (a block only) 32..1024:32", name, text)
		}
		least[i], most[i], step[i] = from, to, n
	}
	return least, most, step, nil
}
