// Command warpbound bounds, explains and simulates the worst-case execution
// time of GPU kernels. See the README for a first command and docs/ for the
// rest.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound/simt"
)

// Exit codes: what the user got wrong is told apart from what the kernel does
// wrong at run time or what a check found.
const (
	exitFound = 1
	exitUsage = 2
)

// errFound marks a command that worked and found what it looks for, such as a
// violated bound; the report has been printed.
var errFound = errors.New("")

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := newRoot()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	if err.Error() != "" {
		fmt.Fprintln(os.Stderr, err)
	}
	return exitCode(err)
}

func exitCode(err error) int {
	var runtime *simt.RuntimeError
	switch {
	case errors.As(err, &runtime), errors.Is(err, errFound), errors.Is(err, context.Canceled):
		return exitFound
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
a preset name or a description file (docs/gpu-format.md).`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(
		newAnalyze(), newSimulate(), newCompare(), newRun(), newCFG(), newGPU(), newSoundness(), newVersion(),
	)
	return root
}
