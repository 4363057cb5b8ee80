// Command warpbound bounds, explains and simulates the worst-case execution
// time of GPU kernels. See the README for a first command and docs/ for the
// rest.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound"
	"github.com/warpbound/warpbound/internal/terminal"
	"github.com/warpbound/warpbound/internal/version"
)

// Exit codes: what the user got wrong is told apart from what the kernel does
// wrong at run time, what a check found, a command that was cut short, and a figure
// that is not what a script demands.
const (
	exitFound     = 1
	exitUsage     = 2
	exitThisInput = 3 // --require-all-inputs
	exitTooLong   = 4 // --max-cycles
)

// errFound marks a command that worked and found what it looks for, such as a
// violated bound; the report has been printed.
var errFound = errors.New("")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second signal ends a command that does not come to an end by itself.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run executes one command line and returns its exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	stdout, stderr = &terminal.Writer{W: stdout}, &terminal.Writer{W: stderr}
	root := newRoot()
	args, notice := respelled(args)
	if notice != "" {
		fmt.Fprintln(stderr, notice)
	}
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	fitHelp(root, stdout)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return 0
	}
	complain(stderr, cmd, err)
	return exitCode(err)
}

// complain says what a command ended with.
func complain(stderr io.Writer, cmd *cobra.Command, err error) {
	var cut *warpbound.InterruptedError
	var option *warpbound.OptionError
	switch {
	case errors.As(err, &cut):
		fmt.Fprintln(stderr, cut)
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "interrupted")
	case errors.As(err, &option):
		fmt.Fprintln(stderr, spelled(err, flagsOf(cmd)))
	case err.Error() != "":
		fmt.Fprintln(stderr, err)
	}
}

func exitCode(err error) int {
	var gate *gateError
	if errors.As(err, &gate) {
		return gate.code
	}
	var (
		kernel    *warpbound.KernelError
		exit      *warpbound.ExitError
		violation *warpbound.ViolationError
		output    *outputError
	)
	if errors.As(err, &kernel) || errors.As(err, &exit) || errors.As(err, &violation) || errors.As(err, &output) {
		return exitFound
	}
	for _, found := range []error{errFound, context.Canceled, warpbound.ErrMaxCycles, warpbound.ErrAccessOrder, warpbound.ErrStuck} {
		if errors.Is(err, found) {
			return exitFound
		}
	}
	return exitUsage
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "warpbound",
		Short: "How long can this GPU kernel take at worst, and why",
		Long: `warpbound bounds the worst-case execution time of GPU kernels given as PTX,
explains the bound, and checks it against a cycle-level simulator.

A kernel launch is described by a launch file (docs/launch-format.md), a GPU by
a preset name or a description file (docs/gpu-format.md).

On a terminal reports are as wide as it is, with bars beside shares, and with
colours unless --color never or the variable NO_COLOR says otherwise. With
--watch analyze, simulate and check run again whenever a file that they read is
saved.

Exit code 0: done. 1: the kernel failed at run time, a bound was violated, or
the command was interrupted. 2: the command line or a file is wrong; every line
on standard error then says where, what, and what was expected. 3: what
--require-all-inputs demands does not hold: a figure is one for this input only,
or there is none; a kernel without a launch file that has no bound where --loops
lists its loops is that, too. 4: what --max-cycles of analyze or compare demands does not
hold. With 3 and 4 the report is printed; where both do not hold the code is 3.`,
		Example:       "  warpbound analyze examples/basic/saxpy/saxpy.toml",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          subcommand,
		RunE:          help,

		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			if err := setStyle(cmd); err != nil {
				return err
			}
			return refuseOverwriting(cmd, args)
		},
	}
	colourFlag(root)
	// As the command version begins; its commit and --json are there.
	root.Version = version.Get().Version
	root.SetVersionTemplate("warpbound {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(
		newAnalyze(), newSimulate(), newCompare(), newRun(), newCFG(), newCheck(), newReport(), newCertify(), newInit(), newGPU(), newCache(), newMakespan(), newPrem(), newSoundness(), newView(), newVersion(), newMan(),
	)
	return root
}
