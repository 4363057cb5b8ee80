package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"

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

// parseTime is how long reading a C file may take: the parser has no deadline of
// its own and does not come to an end on some malformed inputs.
const parseTime = 10 * time.Second

// maxSourceBytes bounds the C files that are read, below what the parser takes.
const maxSourceBytes = 4 << 20

// readSource reads a C file or a header. What is no regular file could have no end.
func readSource(file string) ([]byte, error) {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: no regular file, expected C", file)
	case info.Size() > maxSourceBytes:
		return nil, fmt.Errorf("%s: %d bytes, expected at most %d", file, info.Size(), maxSourceBytes)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// Some files are longer than they say, those of /proc for instance.
	data, err := io.ReadAll(io.LimitReader(f, maxSourceBytes+1))
	if err == nil && len(data) > maxSourceBytes {
		err = fmt.Errorf("%s: more than %d bytes, expected at most that", file, maxSourceBytes)
	}
	return data, err
}

// readHeader reads a header, of which folders and what lies below a file have none.
func readHeader(file string) (string, error) {
	if info, err := os.Stat(file); errors.Is(err, syscall.ENOTDIR) || err == nil && info.IsDir() {
		return "", fs.ErrNotExist
	}
	data, err := readSource(file)
	return string(data), err
}

// parse reads the file.
func (f *sourceFlags) parse(ctx context.Context, file string) (*loop.Program, error) {
	source, err := readSource(file)
	if err != nil {
		return nil, err
	}
	macros, errMacro := f.macros()
	if err := errors.Join(errMacro, f.folders()); err != nil {
		return nil, err
	}
	type result struct {
		p   *loop.Program
		err error
	}
	done := make(chan result, 1)
	go func() {
		p, err := cfront.ParseWith(file, string(source), macros, cfront.Headers{Read: readHeader, Dirs: f.include})
		done <- result{p, err}
	}()
	select {
	case r := <-done:
		return r.p, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(parseTime):
		return nil, fmt.Errorf("%s: the C parser did not come to an end in %v; is the file complete C99?", file, parseTime)
	}
}
