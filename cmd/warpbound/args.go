package main

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound"
	"github.com/warpbound/warpbound/internal/conf"
)

// operands checks that a command gets as many arguments as its names; the last
// name may end in "..." for one or more.
func operands(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		most := len(names)
		if most > 0 && strings.HasSuffix(names[most-1], "...") {
			most = max(most, len(args))
		}
		switch {
		case len(args) < len(names):
			return fmt.Errorf("%s: no %s, expected %s", cmd.CommandPath(), strings.TrimSuffix(names[len(args)], "..."), cmd.UseLine())
		case len(args) > most:
			return fmt.Errorf("%s: %q is one argument too many, expected %s", cmd.CommandPath(), args[most], cmd.UseLine())
		}
		return nil
	}
}

// subcommand refuses a word that names no command below cmd.
func subcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return fmt.Errorf("%s: no command %q, %s", cmd.CommandPath(), args[0], conf.Suggest(args[0], names))
}

// help is what a command that only holds others does.
func help(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// flagsOf names the flags of a command by the options of the library that they set:
// L1Order is --l1-order, FrontEnd.Variant --variant, Methods --method where there is no
// --methods, LineBytes --line, SPMBytes --spm and Trace.Window --trace-window.
func flagsOf(cmd *cobra.Command) func(option string) string {
	return func(option string) string {
		name := option[strings.LastIndexByte(option, '.')+1:]
		if strings.HasPrefix(option, "Trace.") {
			name = "Trace" + name
		}
		if strings.HasPrefix(name, "Shapes[") {
			return "--size, --ways and --line"
		}
		var b strings.Builder
		for i, r := range name {
			if i > 0 && unicode.IsUpper(r) && !unicode.IsUpper(rune(name[i-1])) && !unicode.IsDigit(rune(name[i-1])) ||
				i > 1 && unicode.IsUpper(r) && unicode.IsDigit(rune(name[i-1])) {
				b.WriteByte('-')
			}
			b.WriteRune(unicode.ToLower(r))
		}
		flag := b.String()
		if stem, ok := strings.CutPrefix(flag, "least-"); ok && cmd.Flags().Lookup(flag) == nil {
			flag = stem // of a range
		}
		for _, end := range []struct{ option, flag string }{{"", ""}, {"ies", "y"}, {"s", ""}, {"-bytes", ""}, {"bytes", ""}} {
			if stem, ok := strings.CutSuffix(flag, end.option); ok && cmd.Flags().Lookup(stem+end.flag) != nil {
				return "--" + stem + end.flag
			}
		}
		return "--" + flag
	}
}

// spelled is an error that options are wrong, in terms of flags.
func spelled(err error, flag func(option string) string) string {
	var option *warpbound.OptionError
	if list, ok := err.(interface{ Unwrap() []error }); ok {
		var lines []string
		for _, e := range list.Unwrap() {
			lines = append(lines, spelled(e, flag))
		}
		return strings.Join(lines, "\n")
	}
	if errors.As(err, &option) {
		return option.Spelled(flag)
	}
	return err.Error()
}

// flagError says in one line what is wrong with a flag.
func flagError(cmd *cobra.Command, err error) error {
	return fmt.Errorf("%s: %w, see %s --help", cmd.CommandPath(), err, cmd.CommandPath())
}

// atLeast checks a number given as a flag.
func atLeast(flag string, value, least int64) error {
	if value < least {
		return fmt.Errorf("--%s %d: expected %d or more", flag, value, least)
	}
	return nil
}

// exclusive refuses two flags together.
func exclusive(cmd *cobra.Command, a, b string) {
	before(cmd, func() error {
		if cmd.Flags().Changed(a) && cmd.Flags().Changed(b) {
			return fmt.Errorf("--%s with --%s: expected one of them", a, b)
		}
		return nil
	})
}

// needs refuses flags that have no use without one of others; why says what is not done
// then.
func needs(cmd *cobra.Command, flags []string, why string, others ...string) {
	before(cmd, func() error {
		for _, other := range others {
			if cmd.Flags().Changed(other) {
				return nil
			}
		}
		for _, name := range flags {
			if cmd.Flags().Changed(name) {
				return fmt.Errorf("--%s: %s, expected --%s", name, why, strings.Join(others, " or --"))
			}
		}
		return nil
	})
}

// positive refuses 0 for flags where the library takes it as nothing given.
func positive(cmd *cobra.Command, flags ...string) {
	before(cmd, func() error {
		for _, name := range flags {
			if f := cmd.Flags().Lookup(name); f.Changed && f.Value.String() == "0" {
				return fmt.Errorf("--%s 0: expected 1 or more", name)
			}
		}
		return nil
	})
}

// before has a command check something before it begins.
func before(cmd *cobra.Command, check func() error) {
	first := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if first != nil {
			if err := first(cmd, args); err != nil {
				return err
			}
		}
		return check()
	}
}
