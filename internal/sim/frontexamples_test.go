package sim_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/testkit/settings"
)

// frontPolicies are the policies with an argument where they need one.
func frontPolicies() []string {
	names := gpu.FrontPolicyNames()
	for i, n := range names {
		if strings.HasPrefix(n, "at") {
			names[i] = n + ":4"
		}
	}
	return names
}

// stuck tells whether a run ended because a stage waits for a warp that cannot
// go on, which only policies that may wait for one warp for ever do.
func stuck(err error, policies ...string) bool {
	for _, p := range policies {
		if (p == "so" || p == "sicount") && errors.Is(err, sim.ErrStuck) {
			return true
		}
	}
	return false
}

// frontExample runs an example on the machine of Crouzet2024.
func frontExample(l *load.Opened, m *gpu.Machine, change func(*sim.Config)) (*sim.Result, error) {
	k, err := l.Fresh()
	if err != nil {
		return nil, err
	}
	timing, err := m.Resolve(k.Program())
	if err != nil {
		return nil, err
	}
	resident := int(m.Desc.SM.MaxWarps) / simt.NumWarps(k.BlockDim(), k.WarpSize())
	cfg := sim.Config{Machine: m, Model: sim.FrontModel{}, BlocksPerSM: max(1, resident), Checks: true}
	change(&cfg)
	return sim.Run(context.Background(), cfg, k, timing)
}

// With one scheduler, queues of t_F + 1 entries and NOPs the issue stage always
// does what its policy says (Crouzet2024, Section VI-B); without one of the three
// it does not. Nothing that a front end does changes what a kernel computes.
func TestExamplesSWaS(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../../examples/*/*/*.toml", "../../examples/vortex/kernels/*/*.toml"} {
		more, err := filepath.Glob(pattern)
		if err != nil || len(more) == 0 {
			t.Fatal(pattern, err)
		}
		files = append(files, more...)
	}
	d, err := gpu.Open("vortex-32x32", nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.Machine()
	if err != nil {
		t.Fatal(err)
	}
	all := settings.Everything(t) // with every policy of the front end: minutes
	policies := frontPolicies()
	measures := []string{"entries", "scheduler", "nops"}
	erroneous := map[string]int{}
	runs := 0
	for i, file := range files {
		l, err := load.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		instructions := int64(-1)
		run := func(kind string, change func(*sim.Config), names ...string) {
			r, err := frontExample(l, m, func(c *sim.Config) {
				if i%2 == 1 && !fetchesTextures(file) {
					c.Memory = sim.Caches{}
				}
				if !all {
					c.MaxCycles = 50_000
				}
				change(c)
			})
			if stuck(err, names...) || !all && errors.Is(err, sim.ErrMaxCycles) {
				return
			}
			if err != nil {
				t.Errorf("%s, %s, %v: %v", file, kind, names, err)
				return
			}
			runs++
			s := r.Scheduling
			// Retries of compare-and-swap depend on time.
			if instructions >= 0 && r.ThreadInstructions != instructions && !strings.HasSuffix(file, "shared_atomics.toml") {
				t.Errorf("%s, %s, %v: %d thread instructions, otherwise %d", file, kind, names, r.ThreadInstructions, instructions)
			}
			instructions = r.ThreadInstructions
			if kind == gpu.SWaS && (s.Errors != 0 || s.BrokenQueueCycles != 0) {
				t.Errorf("%s, %v: %d errors, queues not full in %d cycles", file, names, s.Errors, s.BrokenQueueCycles)
			}
			if s.Errors > r.Cycles || s.Discrepancies > r.Cycles {
				t.Errorf("%s, %s, %v: %d errors, %d discrepancies in %d cycles", file, kind, names, s.Errors, s.Discrepancies, r.Cycles)
			}
			if s.Errors > 0 {
				erroneous[kind]++
			}
		}
		for j, p := range policies {
			if !all && j != i%len(policies) {
				continue
			}
			run(gpu.SWaS, func(c *sim.Config) { c.Model = sim.FrontModel{Variant: gpu.SWaS, IssuePolicy: p} }, p)
			measure := measures[(i+j)%len(measures)]
			run(measure, func(c *sim.Config) {
				c.Model = sim.FrontModel{Variant: gpu.SWaS, IssuePolicy: p}
				sim.WithoutMeasure(c, measure)
			}, p)
			fetch := policies[(i/len(policies)+j)%len(policies)]
			run(gpu.Baseline, func(c *sim.Config) { c.Model = sim.FrontModel{FetchPolicy: fetch, IssuePolicy: p} }, fetch, p)
		}
	}
	t.Logf("%d runs, with errors: %v", runs, erroneous)
	for _, kind := range append(measures, gpu.Baseline) {
		if erroneous[kind] == 0 {
			t.Errorf("no errors with %s in %d runs", kind, runs)
		}
	}
}

// With data caches, whose answers come when they come, skipping idle cycles
// changes nothing either, whatever the policies.
func TestFrontSkipsWithCaches(t *testing.T) {
	d, err := gpu.Open("vortex-32x32", []string{"dram.latency_cycles=300"})
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.Machine()
	if err != nil {
		t.Fatal(err)
	}
	policies := frontPolicies()
	compared := 0
	for i, file := range []string{"basic/vecadd/vecadd-1block.toml", "basic/transpose/transpose_conflicts-1block.toml", "basic/reduce/reduce-1block.toml", "rodinia/nn/nn-1block.toml"} {
		l, err := load.Open("../../examples/" + file)
		if err != nil {
			t.Fatal(err)
		}
		for j := range 2 * len(policies) {
			issue := policies[j/2]
			fetch, variant := issue, gpu.SWaS
			if j%2 == 0 {
				fetch, variant = policies[(i+5*j/2)%len(policies)], gpu.Baseline
			}
			change := func(c *sim.Config) {
				c.Model, c.Memory = sim.FrontModel{Variant: variant, FetchPolicy: fetch, IssuePolicy: issue}, sim.Caches{}
			}
			r, err := frontExample(l, m, change)
			if stuck(err, fetch, issue) {
				continue
			}
			if err != nil {
				t.Errorf("%s, %s, %s-%s: %v", file, variant, fetch, issue, err)
				continue
			}
			every, err := frontExample(l, m, func(c *sim.Config) {
				change(c)
				sim.StepIdle(c)
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(r, every); diff != "" {
				t.Errorf("%s, %s, %s-%s: visiting every cycle:\n%s", file, variant, fetch, issue, diff)
			}
			compared++
		}
	}
	if compared < 60 {
		t.Errorf("%d runs compared", compared)
	}
}

// fetchesTextures says that the accesses of an example have no places for a cache.
func fetchesTextures(file string) bool { return strings.Contains(filepath.ToSlash(file), "/texture/") }
