package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// sourceFlags say how C files are read.
type sourceFlags struct {
	defines []string // NAME or NAME=VALUE
	include []string
}

func (f *sourceFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVarP(&f.defines, "define", "D", nil, "C: define a macro, NAME or NAME=VALUE (repeatable)")
	cmd.Flags().StringArrayVarP(&f.include, "include", "I", nil, "C: look for the files of #include \"...\" in this directory, too, after that of the file that includes them (repeatable)")
	_ = cmd.RegisterFlagCompletionFunc("define", cobra.NoFileCompletions)
	_ = cmd.MarkFlagDirname("include")
}

// macros are the definitions of -D.
func (f *sourceFlags) macros() map[string]string {
	out := map[string]string{}
	for _, s := range f.defines {
		name, value, given := strings.Cut(s, "=")
		if !given {
			value = "1"
		}
		out[name] = value
	}
	return out
}
