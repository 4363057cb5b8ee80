package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/warpbound/warpbound/launch"
)

// outputFlags are the flags that name a file to write.
var outputFlags = []string{"output", "dump", "gantt", "trace", "plot", "export", "certificate", "parametric-code"}

// written are the files that a command line asks to write, with the flags.
func written(flags *pflag.FlagSet) (files, of []string) {
	for _, name := range outputFlags {
		f := flags.Lookup(name)
		if f == nil || !f.Changed {
			continue
		}
		if list, several := f.Value.(pflag.SliceValue); several {
			for _, file := range list.GetSlice() {
				if name == "dump" { // NAME=FILE
					_, file, _ = strings.Cut(file, "=")
				}
				files, of = append(files, file), append(of, name)
			}
			continue
		}
		files, of = append(files, f.Value.String()), append(of, name)
	}
	return files, of
}

// readFiles are the files that a command line names to be read: operands, what the
// launch files among them name, and the GPU.
func readFiles(cmd *cobra.Command, args []string) []string {
	out := append([]string{}, args...)
	if f := cmd.Flags().Lookup("gpu"); f != nil {
		if list, several := f.Value.(pflag.SliceValue); several {
			out = append(out, list.GetSlice()...)
		} else {
			out = append(out, f.Value.String())
		}
	}
	for _, a := range args {
		info, err := os.Stat(a)
		if err != nil || !info.Mode().IsRegular() || !strings.HasSuffix(a, ".toml") {
			continue
		}
		// What is wrong with it the command says.
		if data, err := os.ReadFile(a); err == nil {
			if l, err := launch.Parse(a, data, filepath.Dir(a)); err == nil {
				out = append(out, l.Files()...)
			}
		}
	}
	return out
}

// refuseOverwriting refuses to write where a file lies that the command reads, or
// where another flag writes.
func refuseOverwriting(cmd *cobra.Command, args []string) error {
	files, flags := written(cmd.Flags())
	if len(files) == 0 {
		return nil
	}
	read := readFiles(cmd, args)
	for i, file := range files {
		info, err := os.Stat(file)
		for j, other := range files[:i] {
			if filepath.Clean(other) == filepath.Clean(file) {
				return fmt.Errorf("--%s %s: --%s writes that file, too, expected another one", flags[i], file, flags[j])
			}
		}
		if err != nil || !info.Mode().IsRegular() {
			continue // a new one, a pipe, a directory
		}
		if err := apart(flags[i], file, read); err != nil {
			return err
		}
	}
	return nil
}

// apart refuses a file that a flag names and the command reads.
func apart(flag, file string, read []string) error {
	info, err := os.Stat(file)
	if err != nil {
		return nil // a new one
	}
	for _, in := range read {
		if other, err := os.Stat(in); err == nil && os.SameFile(info, other) {
			return fmt.Errorf("--%s %s: the command reads that file, expected another one", flag, file)
		}
	}
	return nil
}

// apart refuses to write where a file lies that the command has read.
func (o *output) apart(read []string) error {
	if o.file == "" {
		return nil
	}
	return apart("output", o.file, read)
}
