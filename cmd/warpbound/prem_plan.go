package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound"
	"github.com/warpbound/warpbound/gpu"
)

// planFlags say what prem compiles, and for which scratchpad.
type planFlags struct {
	sourceFlags
	opt           warpbound.PremOptions
	tiles, values []string // NAME=N
}

func (f *planFlags) flags(cmd *cobra.Command) {
	f.sourceFlags.flags(cmd)
	cmd.Flags().StringVar(&f.opt.Function, "function", "", "only this function")
	cmd.Flags().Int64Var(&f.opt.SPMBytes, "spm", 0, "bytes of scratchpad a team may use (default: what the description has for a block, and at most what keeps all teams resident)")
	cmd.Flags().StringSliceVar(&f.tiles, "tile", nil, "tile sizes by loop variable, VARIABLE=N: iterations in a tile, for loops of the SIMT space iterations a thread")
	cmd.Flags().StringSliceVar(&f.values, "value", nil, "values of integer parameters, NAME=N, which plan and kernels are then for")
	cmd.Flags().Int64Var(&f.opt.Teams, "teams", 0, "teams, in the place of num_teams (default: num_teams, or one an SM)")
	cmd.Flags().Int64Var(&f.opt.Threads, "threads", 0, "threads of a team, in the place of num_threads (default: num_threads, or 128)")
	for _, name := range []string{"function", "spm", "tile", "value", "teams", "threads"} {
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions)
	}
	positive(cmd, "spm", "teams", "threads")
}

// options are the flags as options.
func (f *planFlags) options(m *gpu.Machine) (warpbound.PremOptions, error) {
	var errTile, errValue error
	f.opt.GPU, f.opt.Defines, f.opt.Include = m, f.macros(), f.include
	f.opt.Tiles, errTile = assignments("tile", f.tiles)
	f.opt.Values, errValue = assignments("value", f.values)
	return f.opt, errors.Join(errTile, errValue)
}

// assignments reads the values of a flag of the form NAME=N.
func assignments(flag string, list []string) (map[string]int64, error) {
	out := map[string]int64{}
	for _, s := range list {
		name, value, ok := strings.Cut(s, "=")
		n, err := strconv.ParseInt(value, 10, 64)
		if !ok || name == "" || err != nil {
			return nil, fmt.Errorf("--%s %q: expected NAME=N with a whole number", flag, s)
		}
		if _, twice := out[name]; twice {
			return nil, fmt.Errorf("--%s: %s is given twice", flag, name)
		}
		out[name] = n
	}
	return out, nil
}
