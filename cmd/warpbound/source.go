package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/loop"
)

// sourceFlags say how C files are read.
type sourceFlags struct {
	defines []string
	include []string
}

func (f *sourceFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVarP(&f.defines, "define", "D", nil, "C: define a macro, NAME or NAME=VALUE (repeatable)")
	cmd.Flags().StringArrayVarP(&f.include, "include", "I", nil, "C: look for the files of #include \"...\" in this directory, too, after that of the file that includes them (repeatable)")
	_ = cmd.RegisterFlagCompletionFunc("define", cobra.NoFileCompletions)
	_ = cmd.MarkFlagDirname("include")
}

// macros are the definitions of -D.
func (f *sourceFlags) macros() (map[string]string, error) {
	out := map[string]string{}
	for _, s := range f.defines {
		name, value, given := strings.Cut(s, "=")
		if !isName(name) {
			return nil, fmt.Errorf("--define %q: expected NAME or NAME=VALUE", s)
		}
		if !given {
			value = "1"
		}
		out[name] = value
	}
	return out, nil
}

// folders checks those of -I.
func (f *sourceFlags) folders() error {
	var errs []error
	for _, dir := range f.include {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			errs = append(errs, fmt.Errorf("--include %q: no such directory", dir))
		}
	}
	return errors.Join(errs...)
}

// isName says whether s is an identifier of C.
func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// readSource reads a C file or a header.
func readSource(file string) ([]byte, error) { return cfront.ReadSource(file) }

// parse reads the file.
func (f *sourceFlags) parse(ctx context.Context, file string) (*loop.Unit, error) {
	// What is wrong with the file comes before what is wrong with flags.
	if _, err := readSource(file); err != nil {
		return nil, err
	}
	macros, errMacro := f.macros()
	if err := errors.Join(errMacro, f.folders()); err != nil {
		return nil, err
	}
	return cfront.ParseFile(ctx, file, macros, f.include)
}
