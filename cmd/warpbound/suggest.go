package main

import (
	"bytes"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound"
	"github.com/warpbound/warpbound/launch"
)

// factFlags are those of analyze about facts.
type factFlags struct {
	suggest bool
	export  string
}

func (f *factFlags) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.suggest, "suggest-facts", false, "execute launches of one kernel, and print bounds on its loops as a file of facts: observed, not proved")
	cmd.Flags().StringVar(&f.export, "export", "", "also write the bounds on loops into this file, as OTAWA's flow facts (.ff)")
	needs(cmd, []string{"export"}, "no bounds on loops are listed", "loops", "suggest-facts")
	for _, other := range []string{"loops", "method", "l1-order", "policy", "explain", "certificate", "parametric", "parametric-code", "require-all-inputs", "max-cycles", "variant", "fetch-policy", "issue-policy"} {
		if cmd.Flags().Lookup(other) != nil {
			exclusive(cmd, "suggest-facts", other)
		}
	}
}

// several refuses launches that nobody asks for.
func (f *factFlags) several(cmd *cobra.Command, args []string) error {
	if len(args) > 1 && !f.suggest {
		return fmt.Errorf("%s: %q is one argument too many, expected %s LAUNCH [flags], or --suggest-facts", cmd.CommandPath(), args[1], cmd.CommandPath())
	}
	return nil
}

// write writes the facts of --export, with a comment on those that the file cannot hold,
// and on where they come from.
func (f *factFlags) write(list []launch.Fact) error {
	if f.export == "" {
		return nil
	}
	var text bytes.Buffer
	if f.suggest {
		text.WriteString("// observed, and proved by nobody: another input may do more\n")
	}
	left, err := launch.WriteFF(&text, list)
	if left > 0 {
		fmt.Fprintf(&text, "// left out, since such a file has no place for it: %d of %d facts\n", left, len(list))
	}
	if err == nil {
		err = writeFile(f.export, text.Bytes())
	}
	if err != nil {
		return fmt.Errorf("--export: %w", err)
	}
	return nil
}

// observed suggests facts for the launches of args.
func (f *factFlags) observed(cmd *cobra.Command, out *output, machine *machineFlags, limit int64, args []string) error {
	m, err := machine.machine()
	if err != nil {
		return err
	}
	launches, err := warpbound.OpenAll(args...)
	if err != nil {
		return err
	}
	opt := warpbound.SuggestOptions{GPU: m, MaxInstructions: limit}
	s, err := watched(cmd, &opt, &opt.Progress, of(launches, warpbound.SuggestFacts))
	if err != nil {
		return err
	}
	if err := f.write(s.Facts); err != nil {
		return err
	}
	doc, err := s.Report()
	return out.print(cmd, doc, err)
}
