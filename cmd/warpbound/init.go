package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/propose"
	"github.com/warpbound/warpbound/ptx"
)

func newInit() *cobra.Command {
	var entry, output string
	cmd := &cobra.Command{
		Use:   "init FILE.ptx",
		Short: "Write a launch file for a kernel, with every parameter",
		Long: `Write a launch file for a kernel of a PTX module: every parameter with a first
value, every buffer with a first size, the textures and samplers that the kernel
fetches by, commented. What the parameters are for is guessed from how the
kernel uses them; sizes and values are for the user to correct
(docs/launch-format.md).`,
		Example:           "  warpbound init examples/basic/saxpy/saxpy.ptx",
		Args:              operands("FILE.ptx"),
		ValidArgsFunction: ptxFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := readModule(args[0])
			if err != nil {
				return err
			}
			fn, err := entryNamed(m, entry)
			if err != nil {
				return err
			}
			if output == "" {
				_, err := cmd.OutOrStdout().Write(propose.Launch(m, fn, filepath.ToSlash(args[0])))
				return err
			}
			// Paths in a launch file are relative to it.
			kernel, err := filepath.Rel(filepath.Dir(output), args[0])
			if err != nil {
				if kernel, err = filepath.Abs(args[0]); err != nil {
					return err
				}
			}
			if _, err := os.Lstat(output); err == nil {
				return fmt.Errorf("--output %s: there is such a file, expected a new one", output)
			}
			return writeFile(output, propose.Launch(m, fn, filepath.ToSlash(kernel)))
		},
	}
	cmd.Flags().StringVar(&entry, "entry", "", "the kernel, where the module has several")
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to this new file instead of standard output")
	return cmd
}

func ptxFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"ptx"}, cobra.ShellCompDirectiveFilterFileExt
}

// readModule reads and checks a PTX module.
func readModule(path string) (*ptx.File, error) {
	src, err := readRegular(path, "PTX")
	if err != nil {
		return nil, err
	}
	m, err := ptx.Parse(path, src)
	if err != nil {
		return nil, err
	}
	return m, ptx.Check(m)
}

// maxFileBytes is the most that check and init read of a file.
const maxFileBytes = 256 << 20

// readRegular reads a file of which what is expected.
func readRegular(path, what string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: no regular file, expected %s", path, what)
	case info.Size() > maxFileBytes:
		return nil, fmt.Errorf("%s: %d bytes, expected at most %d", path, info.Size(), maxFileBytes)
	}
	return os.ReadFile(path)
}

// entryNamed is a kernel of a module, its only one where the name is "".
func entryNamed(m *ptx.File, name string) (*ptx.Func, error) {
	var names []string
	for _, fn := range m.Entries() {
		if fn.Name == name {
			return fn, nil
		}
		names = append(names, fn.Name)
	}
	switch {
	case len(names) == 0:
		return nil, fmt.Errorf("%s: the module has no kernel (.entry), expected one", m.Name)
	case name != "":
		return nil, fmt.Errorf("--entry %s: %s has no such kernel, %s", name, m.Name, conf.Suggest(name, names))
	case len(names) > 1:
		return nil, fmt.Errorf("%s has %d kernels (%s), expected --entry to name one", m.Name, len(names), conf.List(names))
	}
	return m.Entries()[0], nil
}
