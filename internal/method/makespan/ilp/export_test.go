package ilp

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/method/makespan/internal/reference"
	"github.com/warpbound/warpbound/internal/milp/solvers"
	"github.com/warpbound/warpbound/internal/testkit/golden"
	"github.com/warpbound/warpbound/internal/testkit/optional"
)

// TestExport compares the exported programmes with those in testdata;
// UPDATE_GOLDEN=1 writes them anew.
func TestExport(t *testing.T) {
	in := reference.Instance(t, "LC", 2, 1, 1)
	for _, form := range []Form{Short, Long, Counts} {
		var got bytes.Buffer
		if err := Write(&got, in, form); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("testdata", fmt.Sprintf("lc_w2_%v.lp", form))
		golden.File(t, file, got.Bytes())
	}
}

type failing struct{}

var errFull = errors.New("disk full")

func (failing) Write([]byte) (int, error) { return 0, errFull }

func TestExportFails(t *testing.T) {
	if err := Write(failing{}, reference.Instance(t, "LC", 2, 1, 1), Short); !errors.Is(err, errFull) {
		t.Errorf("%v, want %v", err, errFull)
	}
	if err := Write(failing{}, reference.Instance(t, "L2000000000", 1<<40, 1), Short); err == nil {
		t.Error("a horizon beyond int64 is written")
	}
}

// elsewhere are the solvers as their users call them, FILE being the exported programme.
var elsewhere = []struct {
	tool      optional.Tool
	args      []string
	objective *regexp.Regexp
}{
	{optional.CBC, []string{"FILE", "-solve", "-quit"}, regexp.MustCompile(`Objective value:\s+(-?[\d.]+)`)},
	{optional.GLPK, []string{"--lp", "FILE", "-o", "/dev/stdout"}, regexp.MustCompile(`Objective:\s+\S+ = (-?[\d.]+) \(MAXimum\)`)},
}

// TestExportElsewhere gives the exported file to the solvers that are installed,
// as their users would.
func TestExportElsewhere(t *testing.T) {
	for _, p := range elsewhere {
		optional.Each(t, []optional.Tool{p.tool}, func(t *testing.T, path string) {
			for _, c := range []struct {
				text  string
				warps int64
				caps  []int64
			}{
				{"LC", 2, []int64{1, 1}},
				{"LL", 4, []int64{2}},
				{"LLC", 2, []int64{1, 1}},
			} {
				in := reference.Instance(t, c.text, c.warps, c.caps...)
				want := reference.Longest(in)
				for _, form := range []Form{Short, Long, Counts} {
					if got := objective(t, path, p.args, p.objective, in, form); got != float64(want) {
						t.Errorf("%v, %v: %v, want %d", c, form, got, want)
					}
				}
			}
		})
	}
}

// objective exports a programme, runs the solver at path on it and finds
// the objective in what it says.
func objective(t *testing.T, path string, args []string, pattern *regexp.Regexp, in *makespan.Instance, form Form) float64 {
	t.Helper()
	file := filepath.Join(t.TempDir(), "problem.lp")
	var text bytes.Buffer
	if err := Write(&text, in, form); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	args = slices.Clone(args)
	args[slices.Index(args, "FILE")] = file
	out, err := exec.Command(path, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", form, err, out)
	}
	m := pattern.FindSubmatch(out)
	if m == nil {
		t.Fatalf("%v: no objective in\n%s", form, out)
	}
	got, err := strconv.ParseFloat(string(m[1]), 64)
	if err != nil {
		t.Fatalf("%v: %v", form, err)
	}
	return got
}

// TestEverySolver solves through each solver.
func TestEverySolver(t *testing.T) {
	tools := map[string]optional.Tool{"cbc": optional.CBC, "glpk": optional.GLPK}
	for _, solver := range solvers.All() {
		t.Run(solver.Name(), func(t *testing.T) {
			if tool, ok := tools[solver.Name()]; ok {
				optional.Path(t, tool)
			}
			for _, form := range []Form{Short, Long, Counts} {
				exactly(t, reference.Instance(t, "LLC", 2, 1, 1), form, solver, 5)
				exactly(t, reference.Instance(t, "LL", 4, 2), form, solver, 5)
				exactly(t, reference.Instance(t, "LCL", 2, 1, 1), form, solver, 4)
			}
		})
	}
}
