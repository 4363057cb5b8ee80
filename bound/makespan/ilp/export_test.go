package ilp

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warpbound/warpbound/bound/makespan/internal/reference"
	"github.com/warpbound/warpbound/internal/milp/solvers"
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
		if os.Getenv("UPDATE_GOLDEN") == "1" {
			if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), got.String()); d != "" {
			t.Errorf("%s (UPDATE_GOLDEN=1 refreshes it):\n%s", file, d)
		}
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

// TestExportElsewhere gives the exported file to the solvers that are installed,
// as their users would.
func TestExportElsewhere(t *testing.T) {
	programs := map[string]struct {
		args      []string
		objective *regexp.Regexp
	}{
		"cbc":    {[]string{"FILE", "-solve", "-quit"}, regexp.MustCompile(`Objective value:\s+(-?[\d.]+)`)},
		"glpsol": {[]string{"--lp", "FILE", "-o", "/dev/stdout"}, regexp.MustCompile(`Objective:\s+\S+ = (-?[\d.]+) \(MAXimum\)`)},
	}
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
			file := filepath.Join(t.TempDir(), "problem.lp")
			var text bytes.Buffer
			if err := Write(&text, in, form); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"cbc", "glpsol"} {
				if _, err := exec.LookPath(name); err != nil {
					continue
				}
				var args []string
				for _, a := range programs[name].args {
					if a == "FILE" {
						a = file
					}
					args = append(args, a)
				}
				out, err := exec.Command(name, args...).CombinedOutput()
				if err != nil {
					t.Fatalf("%s: %v\n%s", name, err, out)
				}
				m := programs[name].objective.FindSubmatch(out)
				if m == nil {
					t.Fatalf("%s, %v, %v: no objective in\n%s", name, c, form, out)
				}
				if got, err := strconv.ParseFloat(string(m[1]), 64); err != nil || got != float64(want) {
					t.Errorf("%s, %v, %v: %s, want %d", name, c, form, m[1], want)
				}
			}
		}
	}
}

// TestEverySolver solves through each solver that is there.
func TestEverySolver(t *testing.T) {
	for _, solver := range solvers.Solvers() {
		for _, form := range []Form{Short, Long, Counts} {
			exactly(t, reference.Instance(t, "LLC", 2, 1, 1), form, solver, 5)
			exactly(t, reference.Instance(t, "LL", 4, 2), form, solver, 5)
			exactly(t, reference.Instance(t, "LCL", 2, 1, 1), form, solver, 4)
		}
	}
}
