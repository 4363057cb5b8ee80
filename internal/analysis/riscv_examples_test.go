package analysis_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/testkit/golden"
	"github.com/warpbound/warpbound/internal/testkit/gpus"
	"github.com/warpbound/warpbound/launch"
)

// Of the programs of the examples three have control that depends on data: threads part
// by prices and by which centre is nearer, and by the numbers that they halve, in loops that
// data alone end, of which the launch file says how often they go round. All others are
// bounded for all inputs by the path of one: what they keep on stacks, in local memory and in
// variables is known, and so are the order of their phases and the argument block.
func TestRISCVExamplesForAllInputs(t *testing.T) {
	dependent := map[string]int{"blackscholes": 0, "divergence": 2, "kmeans": 0} // and how many facts they need
	const root = "../../"
	files, err := filepath.Glob(root + "examples/vortex/kernels/*/*.toml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	table := report.Table{Header: []string{"program", "cycles", "hold for", "since"}, Left: []int{0, 2, 3}}
	programs := 0
	for _, file := range files {
		l, err := load.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		if l.File.RISCV == nil {
			continue
		}
		programs++
		name := strings.TrimSuffix(filepath.Base(file), ".toml")
		m := gpus.Open(t, "vortex-32x32", "riscv.variant="+cmp.Or(l.File.RISCV.Variant, launch.V22))
		if l, err = l.For(m.Desc); err != nil {
			t.Fatal(err)
		}
		source := method.Source{Fresh: l.Fresh, Tainted: func() (simt.Tainted, error) { return l.Kernel(true) }, Facts: l.Facts()}
		r, err := analysis.Run(t.Context(), source, m, method.Question{})
		if err != nil {
			t.Fatal(err)
		}
		needs, found := dependent[name]
		if found != (len(r.InputDependent) > 0) {
			t.Errorf("%s: recorded %v", name, r.InputDependent)
		}
		holds, since := "all inputs", "control and addresses depend on no data"
		known := slices.ContainsFunc(l.File.Args, func(a launch.Arg) bool { return a.Known })
		switch {
		case found:
			since = "both sides of every split that depends on data are counted"
			if needs > 0 {
				since += fmt.Sprintf(", and as many iterations as %d facts say", needs)
			}
			if len(r.LoopBounds) != needs {
				t.Errorf("%s: within %v", name, r.LoopBounds)
			}
			if !r.AllInputs() || r.Best.Cycles < r.Single().Best.Cycles {
				t.Errorf("%s: %d cycles for all inputs %v", name, r.Best.Cycles, r.AllInputs())
			}
		case known:
			since = "addresses depend on known buffers only"
		}
		for _, x := range r.InputDependent {
			if x.Kind != simt.TaintBranch {
				t.Errorf("%s: %v", name, x)
			}
		}
		table.Add("`"+name+"`", report.Count(r.Best.Cycles), holds, since)
	}
	if programs != 15 {
		t.Errorf("%d programs, expected 15", programs)
	}
	const page = root + "examples/README.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, page, golden.Part(t, string(text), "vortex-inputs", table.Render(report.Markdown)))
}
