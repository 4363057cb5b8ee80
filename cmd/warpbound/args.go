package main

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

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
// --methods.
func flagsOf(cmd *cobra.Command) func(option string) string {
	return func(option string) string {
		name := option[strings.LastIndexByte(option, '.')+1:]
		var b strings.Builder
		for i, r := range name {
			if i > 0 && unicode.IsUpper(r) && !unicode.IsUpper(rune(name[i-1])) && !unicode.IsDigit(rune(name[i-1])) ||
				i > 1 && unicode.IsUpper(r) && unicode.IsDigit(rune(name[i-1])) {
				b.WriteByte('-')
			}
			b.WriteRune(unicode.ToLower(r))
		}
		flag := b.String()
		if one := strings.TrimSuffix(flag, "s"); cmd.Flags().Lookup(flag) == nil && cmd.Flags().Lookup(one) != nil {
			flag = one
		}
		return "--" + flag
	}
}

// flagError says in one line what is wrong with a flag.
func flagError(cmd *cobra.Command, err error) error {
	return fmt.Errorf("%s: %w, see %s --help", cmd.CommandPath(), err, cmd.CommandPath())
}

// oneOf checks a flag whose values are words.
func oneOf(flag, value string, words ...string) error {
	for _, w := range words {
		if w == value {
			return nil
		}
	}
	return fmt.Errorf("--%s %q: %s", flag, value, conf.Suggest(value, words))
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
	before := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if cmd.Flags().Changed(a) && cmd.Flags().Changed(b) {
			return fmt.Errorf("--%s with --%s: expected one of them", a, b)
		}
		if before == nil {
			return nil
		}
		return before(cmd, args)
	}
}
