package integration

import (
	"context"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/examples"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/launch"
)

func open(t *testing.T, e examples.Example) *load.Opened {
	t.Helper()
	l, err := load.Open(filepath.Join("..", "..", "..", "examples", filepath.FromSlash(e.Launch)))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// arguments returns the arguments of a launch as they are at the start, or, with
// a kernel, as that kernel left them.
func arguments(t *testing.T, l *load.Opened, k load.Executable) examples.Buffers {
	t.Helper()
	b := examples.Buffers{Grid: l.File.Grid, Block: l.File.Block, Args: map[string]examples.Arg{}}
	for i := range l.File.Args {
		a := &l.File.Args[i]
		data, err := l.File.Materialise(i)
		if err != nil {
			t.Fatal(err)
		}
		typ := a.Type.String()
		if a.Kind == launch.Struct {
			typ = "b8"
		}
		if a.Kind == launch.Buffer && k != nil {
			data = slices.Clone(k.Buffer(a.Name))
		}
		b.Args[a.Name] = examples.Arg{Type: typ, Data: data}
	}
	for i := range l.File.Textures {
		a := &l.File.Textures[i].Texels
		data, err := l.File.MaterialiseTexture(i)
		if err != nil {
			t.Fatal(err)
		}
		b.Args[a.Name] = examples.Arg{Type: a.Type.String(), Data: data}
	}
	return b
}

// Every launch, executed block by block, leaves what its host reference computes.
func TestExamplesComputeTheirReferences(t *testing.T) {
	for _, e := range slices.Concat(examples.All(), examples.Inputs()) {
		l := open(t, e)
		k, err := l.Kernel(false)
		if err != nil {
			t.Fatalf("%s: %v", e.Launch, err)
		}
		if _, err := simt.Run(context.Background(), k, simt.Limits{}); err != nil {
			t.Errorf("%s: %v", e.Launch, err)
			continue
		}
		if err := e.Check(arguments(t, l, nil), arguments(t, l, k)); err != nil {
			t.Error(err)
		}
	}
}

// tooLarge are the launches whose block does not fit an SM of a machine, by what
// the error must name.
var tooLarge = map[string]map[string]string{
	"gtx480": {
		"sgemm/double/sgemm_double_32.toml": "32768 registers",
		"sgemm/double/sgemm_double_4.toml":  "at most 63",
		"sgemm/naive/sgemm_naive_32.toml":   "32768 registers",
	},
}

// contended are the launches where what atomics return decides the path, or on
// machines that count transactions the addresses: they hold for one order only,
// the ledger says so, and no bound claims to cover another.
var contended = []string{"basic/atomics/shared_atomics.toml", "basic/atomics/global_atomics.toml"}

// timed are the launches that wait in a loop for a memory barrier object: how long
// is a matter of time, so that they have no bound, only simulations.
var timed = []string{"units/pipeline/copy_stages.toml"}

// comparison is one machine of the tests below, with what it must at least
// offer: a table without bounds would pass any check.
var comparisons = []struct {
	gpu  string
	best int // launches whose warp, block and whole grid have a safe bound: all but one with hand-made barriers, and those that are timed
}{
	{"ecrts2025-5", 147},
	{"ecrts2025-200", 147},
	{"rtx3070", 147},
	{"gtx480", 144},
}

var policies = []policy.Policy{{Name: "lrr"}, {Name: "gto"}}

// No safe bound on a warp, a block or a launch is below its simulation in the
// model it is proved for, and the simulated launches compute what the references
// say: the order of issue is not part of a kernel's result.
func TestBoundsHoldOnExamples(t *testing.T) {
	for _, c := range comparisons {
		t.Run(c.gpu, func(t *testing.T) {
			t.Parallel()
			d, err := gpu.Open(c.gpu, nil)
			if err != nil {
				t.Fatal(err)
			}
			m, err := d.Machine()
			if err != nil {
				t.Fatal(err)
			}
			all := 0
			for _, e := range examples.All() {
				if limit, ok := tooLarge[c.gpu][e.Launch]; ok {
					refuses(t, m, e, limit)
					continue
				}
				if holds(t, m, e) {
					all++
				}
			}
			if all < c.best {
				t.Errorf("%d launches have safe bounds of all three scopes, want at least %d", all, c.best)
			}
		})
	}
	t.Cleanup(func() {
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		if s.Sys > 1<<30 {
			t.Errorf("%d MiB obtained from the system, want at most 1024", s.Sys>>20)
		}
	})
}

// refuses checks that a launch that does not fit an SM is an error, not a bound.
func refuses(t *testing.T, m *gpu.Machine, e examples.Example, limit string) {
	t.Helper()
	k, err := open(t, e).Kernel(true)
	if err != nil {
		t.Fatal(err)
	}
	_, err = analysis.Run(context.Background(), analysis.Of(k), m, method.Question{})
	if err == nil || !strings.Contains(err.Error(), "does not fit") || !strings.Contains(err.Error(), limit) {
		t.Errorf("%s: error %v, want one that says the block does not fit for %q", e.Launch, err, limit)
	}
}

// holds compares all bounds of one launch with its simulations and tells whether
// each scope has a safe one.
func holds(t *testing.T, m *gpu.Machine, e examples.Example) bool {
	t.Helper()
	ctx := context.Background()
	l := open(t, e)
	k, err := l.Kernel(true)
	if err != nil {
		t.Fatal(err)
	}
	r, err := analysis.Run(ctx, analysis.Of(k), m, method.Question{})
	if err != nil {
		t.Errorf("%s: %v", e.Launch, err)
		return false
	}
	full := true
	for _, scope := range []bound.Scope{bound.Warp, bound.Block, bound.Kernel} {
		var ran []load.Executable
		fresh := func() (simt.Kernel, error) {
			k, err := l.Kernel(false)
			ran = append(ran, k)
			return k, err
		}
		opt := analysis.CompareOptions{
			Methods: append(analysis.Names(method.Plain), analysis.Best), Policies: policies, Scope: scope, Model: sim.Abstract, Checks: true,
		}
		rows, err := analysis.Compare(ctx, r, fresh, opt)
		if err != nil {
			t.Errorf("%s: %s: %v", e.Launch, scope, err)
			return false
		}
		best := 0
		for i := range rows {
			row := &rows[i]
			if row.Refused != "" {
				continue
			}
			if !row.Claimed && !slices.Contains(contended, e.Launch) {
				t.Errorf("%s: %s under %s is not claimed for the abstract model", e.Launch, row.Method, row.Policy)
			}
			if row.Violation() {
				t.Errorf("%s: %s, %s: the %s bound is %d cycles, %s took %d", e.Launch, row.GPU, scope, row.Method, row.BoundCycles, row.Policy, row.SimulatedCycles)
			}
			if row.Method == analysis.Best {
				best++
			}
		}
		full = full && best == len(policies)
		if scope != bound.Kernel {
			continue
		}
		if want := len(policies); slices.Contains(timed, e.Launch) {
			if best != 0 || !strings.Contains(rows[0].Refused, "depends on how far other warps are") {
				t.Errorf("%s: %s: %d rows have a bound, the first without says %q", e.Launch, m.Desc.Name, best, rows[0].Refused)
			}
		} else if best != want {
			t.Errorf("%s: %s: no safe bound on the whole launch", e.Launch, m.Desc.Name)
		}
		for i, k := range ran {
			if err := e.Check(arguments(t, l, nil), arguments(t, l, k)); err != nil {
				t.Errorf("simulated on %s under %s: %v", m.Desc.Name, policies[i], err)
			}
		}
	}
	return full
}
