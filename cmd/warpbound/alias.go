package main

import (
	"fmt"
	"slices"
	"strings"
)

// spellings are modes that flags of a command once asked for and that are commands
// now. They are understood for one release.
var spellings = []struct {
	command, mode string
	flags         []string // that asked for it
	gone          bool     // the mode has no such flag
}{
	{"compare", "pairs", []string{"pairs", "fetch-policy", "issue-policy", "variant"}, false},
	{"compare", "schemes", []string{"schemes"}, false},
	{"cache", "listing", []string{"listing"}, true},
}

// respelled is a command line in which a mode that flags ask for is a command, and a
// notice about it, "" where nothing was to do.
func respelled(args []string) (now []string, notice string) {
	for _, s := range spellings {
		if len(args) > 1 && args[0] == s.command && args[1] == s.mode {
			return args, "" // as it is spelled now
		}
	}
	for _, s := range spellings {
		if len(args) < 2 || args[0] != s.command {
			continue
		}
		asked := func(arg string) bool {
			name, _, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
			return strings.HasPrefix(arg, "--") && slices.Contains(s.flags, name)
		}
		i := slices.IndexFunc(args, asked)
		if i < 0 || slices.ContainsFunc(args, func(a string) bool { return a == "--help" || a == "-h" }) {
			continue
		}
		flag, _, _ := strings.Cut(args[i], "=")
		rest := slices.Clone(args[1:])
		if s.gone {
			rest = slices.DeleteFunc(rest, asked)
		}
		return append([]string{s.command, s.mode}, rest...), fmt.Sprintf("note: %s %s is a command now: %s %s; the next release does not know the flag", s.command, flag, s.command, s.mode)
	}
	return args, ""
}
