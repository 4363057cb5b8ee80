package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Every flag of every command that writes a file is among those that are looked at.
func TestOutputFlagsAreKnown(t *testing.T) {
	writes := regexp.MustCompile(`^(write|draw)\b.*\b(file|FILE)\b`)
	var found []string
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if writes.MatchString(f.Usage) {
				found = append(found, f.Name)
				if !slices.Contains(outputFlags, f.Name) {
					t.Errorf("%s --%s: %s; not among the flags that are kept from overwriting", c.Name(), f.Name, f.Usage)
				}
			}
		})
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(newRoot())
	for _, name := range outputFlags {
		if !slices.Contains(found, name) {
			t.Errorf("no command has --%s", name)
		}
	}
}

// No output flag overwrites what the command reads.
func TestInputsAreNotOverwritten(t *testing.T) {
	dir := t.TempDir()
	copied := func(from, to string) string {
		data, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, to)
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	ptx := copied("../../examples/basic/saxpy/saxpy.ptx", "saxpy.ptx")
	c := copied("../../examples/prem/programs/gemm.c", "gemm.c")
	gpuFile := copied("../../gpu/presets/example.toml", "gpu.toml")
	launchFile := filepath.Join(dir, "k.toml")
	data := filepath.Join(dir, "x.npy")
	if code := run(context.Background(), []string{"run", "../../examples/basic/saxpy/saxpy.toml", "--dump", "y=" + data}, &bytes.Buffer{}, &bytes.Buffer{}); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	text, err := os.ReadFile("../../examples/basic/saxpy/saxpy.toml")
	if err != nil {
		t.Fatal(err)
	}
	text = regexp.MustCompile(`(?s)(name  = "y".*?)init  = \{.*?\} \}`).ReplaceAll(text, []byte(`${1}init = { file = "x.npy" }`))
	if err := os.WriteFile(launchFile, text, 0o666); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link.toml")
	if err := os.Symlink(launchFile, link); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"analyze", launchFile, "-o", launchFile},
		{"analyze", launchFile, "-o", link},
		{"analyze", launchFile, "-o", ptx},
		{"analyze", launchFile, "--gpu", gpuFile, "-o", gpuFile},
		{"run", launchFile, "--dump", "y=" + ptx},
		{"run", launchFile, "--dump", "y=" + filepath.Join(dir, ".", "x.npy")},
		{"simulate", launchFile, "--gantt", launchFile},
		{"simulate", launchFile, "--trace", data},
		{"cache", launchFile, "--gpu", "gtx480", "--plot", ptx},
		{"compare", launchFile, "-o", ptx},
		{"makespan", launchFile, "--plot", launchFile},
		{"makespan", launchFile, "--export", ptx},
		{"prem", c, "--emit", "cuda", "-o", c},
		{"simulate", launchFile, "--gantt", filepath.Join(dir, "new.svg"), "-o", filepath.Join(dir, "new.svg")},
	} {
		before := map[string]string{}
		for _, f := range []string{ptx, c, gpuFile, launchFile, data} {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			before[f] = string(text)
		}
		var stderr bytes.Buffer
		code := run(context.Background(), args, &bytes.Buffer{}, &stderr)
		if code != exitUsage || !strings.Contains(stderr.String(), "expected another one") {
			t.Errorf("%v: exit code %d, %s", args, code, stderr.String())
		}
		for f, old := range before {
			if text, err := os.ReadFile(f); err != nil || string(text) != old {
				t.Errorf("%v: %s has changed: %v", args, f, err)
			}
		}
	}
	if code := run(context.Background(), []string{"run", launchFile, "--dump", "y=" + filepath.Join(dir, "y.npy")}, &bytes.Buffer{}, &bytes.Buffer{}); code != 0 {
		t.Errorf("exit code %d for a new file", code)
	}
}
