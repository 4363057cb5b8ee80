package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/tile"
	"github.com/warpbound/warpbound/internal/report"
)

// premFlags say what is compiled, and for which scratchpad.
type premFlags struct {
	sourceFlags
	function string
	spm      int64
	tiles    []string
	values   []string
	teams    int64
	threads  int64
}

func (f *premFlags) flags(cmd *cobra.Command) {
	f.sourceFlags.flags(cmd)
	cmd.Flags().StringVar(&f.function, "function", "", "only this function")
	cmd.Flags().Int64Var(&f.spm, "spm", 0, "bytes of scratchpad a team may use (default: what the description has for a block, and at most what keeps all teams resident)")
	cmd.Flags().StringSliceVar(&f.tiles, "tile", nil, "tile sizes by loop variable, VARIABLE=N: iterations in a tile, for loops of the SIMT space iterations a thread")
	cmd.Flags().StringSliceVar(&f.values, "value", nil, "values of integer parameters, NAME=N, which plan and kernels are then for")
	cmd.Flags().Int64Var(&f.teams, "teams", 0, "teams, in the place of num_teams (default: num_teams, or one an SM)")
	cmd.Flags().Int64Var(&f.threads, "threads", 0, "threads of a team, in the place of num_threads (default: num_threads, or 128)")
	for _, name := range []string{"function", "spm", "tile", "value", "teams", "threads"} {
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions)
	}
}

// defaultThreads are the threads of a team where nothing says otherwise.
const defaultThreads = 128

// options are those of the plans. A team may use as much scratchpad as still lets
// all teams be resident, since they change phases together.
func (f *premFlags) options(cmd *cobra.Command, d *gpu.Description, fns []*loop.Func) (tile.Options, error) {
	opt := tile.Options{Teams: d.SM.Count, Threads: defaultThreads}
	if cmd.Flags().Changed("teams") {
		opt.Teams = f.teams
	}
	if cmd.Flags().Changed("threads") {
		opt.Threads = f.threads
	}
	var most int64
	if opt.SPMBytes, most = tile.Share(&d.SM, fns, opt.Teams); cmd.Flags().Changed("spm") {
		opt.SPMBytes = f.spm
	} else if opt.SPMBytes == 0 && d.SM.SharedMemoryPerBlockBytes > 0 {
		return opt, fmt.Errorf("%d teams an SM leave none any scratchpad: expected fewer teams (--teams), or --spm for teams that are not resident together", most)
	}
	if opt.SPMBytes > d.SM.SharedMemoryPerBlockBytes {
		return opt, fmt.Errorf("--spm %d: expected at most the %d that %s has for a block", opt.SPMBytes, d.SM.SharedMemoryPerBlockBytes, d.Name)
	}
	err := errors.Join(atLeast("spm", opt.SPMBytes, 0), atLeast("teams", opt.Teams, 1), atLeast("threads", opt.Threads, 1))
	var errTile, errValue error
	opt.Override, errTile = assignments("tile", f.tiles)
	if opt.Scalars, errValue = assignments("value", f.values); errValue == nil {
		errValue = knownParameters(opt.Scalars, fns)
	}
	return opt, errors.Join(err, errTile, errValue)
}

// knownParameters checks that some function has each of the parameters named.
func knownParameters(values map[string]int64, fns []*loop.Func) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(values)) {
		known := slices.ContainsFunc(fns, func(fn *loop.Func) bool {
			return slices.ContainsFunc(fn.Params, func(p loop.Param) bool { return p.Var != nil && p.Var.Name == name && p.Var.Type.IsInteger() })
		})
		if !known {
			errs = append(errs, fmt.Errorf("--value %s: no function has an integer parameter of that name", name))
		}
	}
	return errors.Join(errs...)
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

// functions are those that were asked for.
func (f *premFlags) functions(p *loop.Unit) ([]*loop.Func, error) {
	var out []*loop.Func
	for _, fn := range p.Funcs {
		if f.function == "" || f.function == fn.Name {
			out = append(out, fn)
		}
	}
	switch {
	case len(out) == 0 && f.function != "":
		return nil, fmt.Errorf("%s: no function %q with an OpenMP target loop", p.File, f.function)
	case len(out) == 0:
		return nil, fmt.Errorf("%s: no function with an OpenMP target loop", p.File)
	}
	return out, nil
}

// shape gives all kernels of functions the numbers of teams and threads of flags.
func (f *premFlags) shape(cmd *cobra.Command, fns []*loop.Func) {
	for _, fn := range fns {
		for _, k := range fn.Kernels() {
			if cmd.Flags().Changed("teams") {
				k.NumTeams = &loop.IntLit{At: k.At, T: loop.Int, Value: f.teams}
			}
			if cmd.Flags().Changed("threads") {
				k.NumThreads = &loop.IntLit{At: k.At, T: loop.Int, Value: f.threads}
			}
		}
	}
}

func newPrem() *cobra.Command {
	var (
		out      output
		machine  machineFlags
		prem     premFlags
		emitted  emitFlags
		schedule scheduleFlags
		explain  bool
	)
	cmd := &cobra.Command{
		Use:   "prem FILE.c",
		Short: "Cut OpenMP loops into memory and compute phases",
		Long: `Read C99 with OpenMP target loops, prove their iterations independent, and cut
them into intervals whose data fit the scratchpad of a GPU, so that the kernel
keeps off the memory it shares with a CPU while it computes (HePREM,
Forsberg2021; docs/prem.md).

Without other flags, print the plan of each kernel. --emit writes the kernels:
base (as OpenMP runs them), cmpt (whole tiles as memory phases), dae (loads and
stores stripped from the loops), sdma (copy loops, each element moved once). Of
several functions, ptx, clang-ptx, cuda and opencl are one text, harness and
launch are files for each in the directory of --output.
--schedule runs them in the simulator, bounds their phases, and prints the
budgets of the phases: best (as long as they take), fair (half of the time for
the CPU), or the GPU's share of the time, such as 30%. With --guarded, it also
runs them with the guard, which holds the CPU cores in memory phases, and with
--traffic, the loops as they are and the kernels with the guard beside cores
that send.`,
		Example: `  warpbound prem examples/prem/programs/gemm.c
  warpbound prem examples/prem/programs/conv2d.c --explain --spm 8192
  warpbound prem examples/prem/programs/gemm.c --emit cuda --scheme sdma
  warpbound prem examples/prem/programs/gemm.c --schedule fair --teams 2 --threads 128
  warpbound prem examples/prem/programs/jacobi1d.c --schedule best --guarded --traffic stress`,
		Args: operands("FILE.c"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"c"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := machine.machine()
			if err != nil {
				return err
			}
			if err := errors.Join(emitted.check(cmd, schedule.name != ""), schedule.check(cmd, m)); err != nil {
				return err
			}
			p, err := prem.parse(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if err := out.apart(p.Headers); err != nil {
				return err
			}
			fns, err := prem.functions(p)
			if err != nil {
				return err
			}
			prem.shape(cmd, fns)
			opt, err := prem.options(cmd, m.Desc, fns)
			if err != nil {
				return err
			}
			kernels, err := tile.Plans(cmd.Context(), p, fns, opt)
			if err != nil {
				return err
			}
			switch {
			case emitted.form != "":
				return emitted.write(cmd, &out, p, fns, opt)
			case schedule.name != "":
				return schedule.write(cmd, &out, m, p, fns, opt, &emitted, explain)
			}
			doc := report.NewPremPlans(args[0], m, opt.SPMBytes)
			for i := range kernels {
				doc.Add(kernels[i].Name(), kernels[i].Plan)
			}
			var explained func(int) string
			if explain {
				explained = func(i int) string { return tile.Explain(kernels[i].Plan) }
			}
			return out.write(cmd, doc.Document(explained))
		},
	}
	out.flags(cmd, false)
	machine.flags(cmd)
	cmd.Flags().Lookup("gpu").DefValue = premGPU
	machine.gpu = premGPU
	prem.flags(cmd)
	emitted.flags(cmd)
	schedule.flags(cmd)
	cmd.Flags().BoolVar(&explain, "explain", false, "also print loops, accesses, footprints, and how the tiles were found; with --schedule, what the bounds consist of and rest on")
	exclusive(cmd, "emit", "schedule")
	exclusive(cmd, "emit", "explain")
	exclusive(cmd, "emit", "json")
	return cmd
}

// premGPU is the GPU that prem takes where none is named: the published one.
const premGPU = "tx1"
