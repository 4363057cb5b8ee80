package optional

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/testkit/settings"
)

// Tool is a program that tests use where it is installed.
type Tool struct {
	// Name is what WARPBOUND_REQUIRE_TOOLS and the log call it.
	Name string
	// Program is looked for on PATH.
	Program string
	// Package is the Debian package that holds it.
	Package string
}

// The tools.
var (
	Clang14 = Tool{"clang-14", "clang-14", "clang-14"}
	Clang16 = Tool{"clang-16", "clang-16", "clang-16"}
	Clang19 = Tool{"clang-19", "clang-19", "clang-19"}
	Clang   = Tool{"clang", "clang", "clang"}
	GCC     = Tool{"gcc", "gcc", "gcc"}
	GXX     = Tool{"g++", "g++", "g++"}
	CBC     = Tool{"cbc", "cbc", "coinor-cbc"}
	GLPK    = Tool{"glpk", "glpsol", "glpk-utils"}
	NVCC    = Tool{"nvcc", "nvcc", "nvidia-cuda-toolkit (non-free)"}
	PTXAS   = Tool{"ptxas", "ptxas", "nvidia-cuda-toolkit (non-free)"}
	// What Perfetto reads traces with.
	TraceProcessor = Tool{"trace_processor", "trace_processor", "none: get.perfetto.dev/trace_processor"}
	// What the page of warpbound view is tried in.
	Chromium = Tool{"chromium", "chromium", "chromium"}
	// What runs OpenMP's target loops on the processor: gcc's, and any clang's. There is no program to look for.
	OpenMPGCC   = Tool{"openmp-gcc", "", "gcc"}
	OpenMPClang = Tool{"openmp-clang", "", "clang-14 with clang-tools-14 and libomp-14-dev"}
)

// Clangs returns the versions of clang that Debian 12 has, and what is called clang where that is another.
func Clangs() []Tool {
	clangs := []Tool{Clang14, Clang16, Clang19}
	plain := target("clang")
	if plain == "" || slices.ContainsFunc(clangs, func(c Tool) bool { return target(c.Program) == plain }) {
		return clangs
	}
	return append(clangs, Clang)
}

// target returns the file behind a program's name, through links, or "" where there is none.
func target(program string) string {
	path, err := exec.LookPath(program)
	if err != nil {
		return ""
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return ""
	}
	return path
}

func all() []Tool {
	return []Tool{Clang14, Clang16, Clang19, Clang, GCC, GXX, CBC, GLPK, NVCC, PTXAS, TraceProcessor, Chromium, OpenMPGCC, OpenMPClang}
}

// Path returns where the tool is. Where it is not, the test is skipped, or fails if the tool is required.
func Path(t testing.TB, tool Tool) string {
	t.Helper()
	path, err := exec.LookPath(tool.Program)
	if err != nil {
		Missing(t, tool, tool.Program+" is not on PATH")
	}
	t.Cleanup(func() {
		if !t.Skipped() { // for want of another tool
			logged(t, "ran", tool)
		}
	})
	return path
}

// Each runs a subtest, named after the program, for each of the tools; for those that are missing it is skipped.
func Each(t *testing.T, tools []Tool, f func(t *testing.T, path string)) {
	t.Helper()
	for _, tool := range tools {
		t.Run(tool.Name, func(t *testing.T) { f(t, Path(t, tool)) })
	}
}

// Found says whether the tool is there, for tests of something that may use it or not. It counts neither as run nor skipped.
func Found(tool Tool) bool {
	_, err := exec.LookPath(tool.Program)
	return err == nil
}

// Missing skips a test for want of the tool, or fails it if the tool is required.
func Missing(t testing.TB, tool Tool, why string) {
	t.Helper()
	needed, err := required(settings.Text(settings.RequireToolsName, ""), tool)
	switch {
	case err != nil:
		t.Fatal(err)
	case needed:
		t.Fatalf("%s (Debian package %s), and %s asks for it", why, tool.Package, settings.RequireToolsName)
	}
	logged(t, "skipped", tool)
	t.Skipf("%s (Debian package %s)", why, tool.Package)
}

// required says whether the list, as in WARPBOUND_REQUIRE_TOOLS, names the tool.
func required(list string, tool Tool) (bool, error) {
	found := false
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		stands := func(u Tool) bool { return u.Name == name || strings.HasPrefix(u.Name, name+"-") }
		if !slices.ContainsFunc(all(), stands) {
			var names []string
			for _, u := range all() {
				names = append(names, u.Name)
			}
			return false, fmt.Errorf("%s: no tool is called %q, want some of %s", settings.RequireToolsName, name, strings.Join(names, ","))
		}
		found = found || stands(tool)
	}
	return found, nil
}

// logged appends a line to the log, if there is one.
func logged(t testing.TB, what string, tool Tool) {
	t.Helper()
	file := settings.Text(settings.ToolsLogName, "")
	if file == "" {
		return
	}
	if err := appendLine(file, fmt.Sprintf("%s\t%s\t%s\t%s\n", what, tool.Name, binary(), t.Name())); err != nil {
		t.Errorf("%s: %v", settings.ToolsLogName, err)
	}
}

// binary names the package that is tested, which go test calls the test's program after.
func binary() string { return strings.TrimSuffix(filepath.Base(os.Args[0]), ".test") }

// appendLine appends a line whole, whoever else appends at the same time.
func appendLine(file, line string) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.WriteString(line); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
