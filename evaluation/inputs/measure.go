package inputs

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/evaluation/internal/kit"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/simt"
)

// row is a launch on a machine.
type row struct {
	GPU, Launch string
	Path        string // one of the constants below
	Reason      string // why there is no bound for all inputs
	Loops       int64  // bounds on loops that the bound relies on
	Bound       int64  // smallest safe bound on the launch for all inputs, 0 where there is none
	Method      string // of Bound
	Closed      int64  // the smallest where one block and one iteration of a loop stand for all; 0 where they do not
	Recorded    int64  // smallest safe figure for this input
	Simulated   int64  // the longest simulation of this input
}

// What is known of the path.
const (
	same       = "one for all inputs"
	covered    = "covered"
	notCovered = "not covered"
	tooLarge   = "a block does not fit an SM"
)

var gpus = []string{"ecrts2025-200", "rtx3070", "gtx480"}

var policies = []policy.Policy{{Name: "lrr"}, {Name: "gto"}, {Name: "oldest"}}

// apart are the kernels with several inputs, all examples the others.
const (
	all   = "*/*/*.toml"
	apart = "inputs/kernels/*/*.toml"
)

func measure(b *kit.Bench, gpus []string) ([]row, error) {
	var files []string
	for _, pattern := range []string{apart, all} {
		found, err := b.Files(pattern)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	var rows []row
	for _, name := range gpus {
		m, err := b.Machine(name)
		if err != nil {
			return nil, err
		}
		for _, launch := range files {
			r, err := one(b, launch, m)
			if err != nil {
				return nil, fmt.Errorf("%s on %s: %w", launch, name, err)
			}
			rows = append(rows, *r)
		}
	}
	return rows, nil
}

// directories are those of files in messages, which depend on where one stands.
var directories = regexp.MustCompile(`[^ ]*/`)

func one(b *kit.Bench, launch string, m *gpu.Machine) (*row, error) {
	l, err := b.Open(launch)
	if err != nil {
		return nil, err
	}
	out := &row{GPU: m.Desc.Name, Launch: launch}
	source := method.Source{Tainted: func() (simt.Tainted, error) { return l.Kernel(true) }, Fresh: l.Fresh}
	r, err := analysis.Run(context.Background(), source, m, method.Question{})
	var small *gpu.FitError
	if errors.As(err, &small) {
		out.Path = tooLarge
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	recorded := r.Best
	switch {
	case r.ThisInput != nil:
		out.Path, out.Loops = covered, int64(len(r.LoopBounds))
		recorded = r.Single().Best
	case r.AllInputs():
		out.Path = same
	default:
		out.Path, out.Reason = notCovered, directories.ReplaceAllString(r.NotCovered, "")
	}
	if recorded != nil {
		out.Recorded = recorded.Cycles
	}
	if r.AllInputs() && r.Best != nil {
		out.Bound, out.Method = r.Best.Cycles, r.Best.Method
	}
	c, err := analysis.Run(context.Background(), source, m, method.Question{Closed: true})
	if err != nil {
		return nil, err
	}
	if c.ThisInput != nil && c.Best != nil {
		out.Closed = c.Best.Cycles
	}
	rows, err := analysis.Compare(context.Background(), r, l.Fresh, analysis.CompareOptions{
		Methods: []string{analysis.Best}, Policies: policies, Scope: bound.Kernel, Model: sim.Abstract, Checks: true,
	})
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(rows, func(r analysis.Row) bool { return r.Violation() }); i >= 0 {
		return nil, fmt.Errorf("the bound of %d cycles is below the %d simulated under %s", rows[i].BoundCycles, rows[i].SimulatedCycles, rows[i].Policy)
	}
	for i := range rows {
		out.Simulated = max(out.Simulated, rows[i].SimulatedCycles)
	}
	return out, nil
}
