package jeanmougin2025

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/multiphase"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/policy"
)

// latencies are the memory latencies of Jeanmougin2025, tables 3 and 4, in
// cycles and in the order of the paper.
var latencies = []int{400, 200, 100, 50, 25, 10, 5}

// realistic is the latency the paper calls realistic, whose rows are looked at
// launch by launch.
const realistic = 200

var policies = []policy.Policy{{Name: "lrr"}, {Name: "gto"}}

func ecrts(latency int) string { return fmt.Sprintf("ecrts2025-%d", latency) }

// row is a launch on a machine under a policy: what it took and its bounds.
type row struct {
	GPU, Model, Scope, Launch, Policy string
	Simulated                         int64
	GUB                               int64  // 0 where the launch has none
	Best                              int64  // smallest safe bound, 0 where there is none
	Method                            string // of Best: among equals the simplest
	Refused                           string // why there is no safe bound
}

// block is the anatomy of a block's published bound beside a simulation under
// LRR.
type block struct {
	Launch                   string
	Warps                    int64
	Own, Others              int64 // the summands of GUB
	Alone                    int64 // the slowest warp alone, barriers not waited for
	Idle                     int64 // of the slowest warp, Own without its execution phases
	Instructions, Initiation int64 // of the block
	Unit                     string
	UnitCycles               int64 // initiation cycles of the busiest unit
	Simulated                int64
	GUB, Best                int64
	Method                   string
}

// whole lists the launch files of the comparison of whole launches: all but those
// in units, which use what the published machines have no timing of, and of which
// one has no bound.
func (b *bench) whole() ([]string, error) {
	files, err := b.Files("*/*/*.toml")
	return slices.DeleteFunc(files, func(f string) bool { return strings.HasPrefix(f, "units/") }), err
}

// analyse returns all bounds of a launch; no report and no error where a block
// does not fit an SM.
func (b *bench) analyse(launch, machine string) (*load.Opened, *analysis.Report, error) {
	m, err := b.Machine(machine)
	if err != nil {
		return nil, nil, err
	}
	l, err := b.Open(launch)
	if err != nil {
		return nil, nil, err
	}
	k, err := l.Kernel(true)
	if err != nil {
		return nil, nil, err
	}
	r, err := analysis.Run(context.Background(), analysis.Of(k), m, method.Question{})
	var small *gpu.FitError
	if errors.As(err, &small) {
		return l, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s on %s: %w", launch, machine, err)
	}
	return l, r, nil
}

// compare measures launches on a machine under LRR and GTO at the given scopes.
func (b *bench) compare(launches []string, machine, model string, scopes ...bound.Scope) ([]row, error) {
	return b.compareUnder(policies, launches, machine, model, scopes...)
}

func (b *bench) compareUnder(policies []policy.Policy, launches []string, machine, model string, scopes ...bound.Scope) ([]row, error) {
	var rows []row
	for _, launch := range launches {
		l, r, err := b.analyse(launch, machine)
		if err != nil {
			return nil, err
		}
		if r == nil {
			rows = append(rows, row{GPU: machine, Model: model, Launch: launch, Refused: "a block does not fit an SM"})
			continue
		}
		for _, scope := range scopes {
			opt := analysis.CompareOptions{
				Methods: append(analysis.General(), analysis.Best), Policies: policies, Scope: scope, Model: model, Checks: true,
			}
			if scope == bound.Warp {
				opt.Policies = policies[:1] // one warp leaves nothing to choose
			}
			found, err := analysis.Compare(context.Background(), r, l.Fresh, opt)
			if err != nil {
				return nil, fmt.Errorf("%s on %s: %w", launch, machine, err)
			}
			more, err := gather(found)
			if err != nil {
				return nil, fmt.Errorf("%s on %s: %w", launch, machine, err)
			}
			for i := range more {
				more[i].Launch, more[i].GPU = launch, machine
			}
			rows = append(rows, more...)
		}
	}
	return rows, nil
}

// gather makes one row a policy of a comparison's rows. A violated bound is an
// error: then nothing is reported.
func gather(found []analysis.Row) ([]row, error) {
	var rows []row
	for i := range found {
		f := &found[i]
		if f.Violation() {
			return nil, fmt.Errorf("the safe bound %s, %d cycles, is below the %d cycles simulated under %s", f.Method, f.BoundCycles, f.SimulatedCycles, f.Policy)
		}
		n := len(rows) - 1
		if n < 0 || rows[n].Policy != f.Policy {
			rows = append(rows, row{GPU: f.GPU, Model: f.Model, Scope: f.Scope.String(), Policy: f.Policy, Simulated: f.SimulatedCycles})
			n++
		}
		r := &rows[n]
		switch {
		case f.Method == analysis.Best:
			r.Best, r.Refused = f.BoundCycles, f.Refused
		case f.Method == multiphase.GUB && f.Refused == "":
			r.GUB = f.BoundCycles
		}
	}
	for i := range rows {
		rows[i].Method = methodOf(found, &rows[i])
	}
	return rows, nil
}

// methodOf names the simplest method that gives a row's best bound; the published
// one, where it is safe, only if no other does.
func methodOf(found []analysis.Row, r *row) string {
	name := ""
	for i := range found {
		f := &found[i]
		if f.Policy != r.Policy || f.Refused != "" || !f.Safe || f.Method == analysis.Best || f.BoundCycles != r.Best {
			continue
		}
		if name == "" || name == multiphase.GUB {
			name = f.Method
		}
	}
	return name
}

// anatomy takes the block of a launch apart. measured are its rows.
func (b *bench) anatomy(launch, machine string, measured []row) (block, error) {
	i := slices.IndexFunc(measured, func(r row) bool {
		return r.Launch == launch && r.Scope == bound.Block.String() && r.Policy == policies[0].Name
	})
	if i < 0 {
		return block{}, fmt.Errorf("%s was not measured on %s", launch, machine)
	}
	_, r, err := b.analyse(launch, machine)
	if err != nil {
		return block{}, err
	}
	whole, alone := r.Scope(bound.Block), r.Scope(bound.Warp)
	gub := whole.Bound(multiphase.GUB)
	if gub == nil || alone == nil || alone.BestBound() == nil {
		return block{}, fmt.Errorf("%s: no published bound on the block", launch)
	}
	out := block{
		Launch: launch, Warps: int64(r.Warps), Own: gub.Breakdown[0].Cycles, Others: gub.Breakdown[1].Cycles,
		Alone: alone.BestBound().Cycles, Simulated: measured[i].Simulated, GUB: measured[i].GUB, Best: measured[i].Best, Method: measured[i].Method,
	}
	units := make([]int64, len(r.Machine.Units))
	slowest := slices.MaxFunc(whole.Warps, func(a, b bound.WarpProfile) int { return cmp.Compare(a.IsoCycles, b.IsoCycles) })
	out.Idle = slowest.IdleCycles
	for _, w := range whole.Warps {
		out.Instructions += w.Warps * w.Instructions
		for u, cycles := range w.UnitInitCycles {
			units[u] += w.Warps * cycles
			out.Initiation += w.Warps * cycles
		}
	}
	for u, cycles := range units {
		if cycles > out.UnitCycles {
			out.Unit, out.UnitCycles = r.Machine.Units[u].Name, cycles
		}
	}
	return out, nil
}

// wholeLaunchGPUs are the machines of the comparison of whole launches.
var wholeLaunchGPUs = []string{ecrts(realistic), "rtx3070", "gtx480"}

// undrained is the realistic machine with stores that are acknowledged at once,
// as the model of the bounds has them.
var undrained = ecrts(realistic) + " pipeline.store_drain_cycles=0"

// rodinia measures the Rodinia-like launches at one latency: blocks and warps.
func (b *bench) rodinia(latency int) ([]row, error) {
	files, err := b.Files("rodinia/*/*.toml")
	if err != nil {
		return nil, err
	}
	return b.compare(files, ecrts(latency), sim.Abstract, bound.Block, bound.Warp)
}

// manyPolicies are the work-conserving policies of the comparison of policies.
const manyPolicies = "lrr gto oldest two-level:2 two-level:4 random:1 random:2 random:3 random:4 starve:0 starve:1 starve:2 starve:4 ahead behind"

// underMany measures the Rodinia-like blocks under many policies.
func (b *bench) underMany() ([]row, error) {
	files, err := b.Files("rodinia/*/*.toml")
	if err != nil {
		return nil, err
	}
	var all []policy.Policy
	for _, name := range strings.Fields(manyPolicies) {
		p, err := policy.Parse(name)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return b.compareUnder(all, files, ecrts(realistic), sim.Abstract, bound.Block)
}

// sgemm measures the matrix products at one latency, one block each.
func (b *bench) sgemm(latency int) ([]row, error) {
	files, err := b.Files("sgemm/*/sgemm_*.toml")
	if err != nil {
		return nil, err
	}
	files = slices.DeleteFunc(files, func(f string) bool { return strings.Contains(f, "blocks") })
	return b.compare(files, ecrts(latency), sim.Abstract, bound.Block)
}

// bounds measures all of Jeanmougin2025.
func (b *bench) bounds() (*results, error) {
	var out results
	for _, latency := range latencies {
		rows, err := b.rodinia(latency)
		if err != nil {
			return nil, err
		}
		out.rodinia = append(out.rodinia, rows...)
		if rows, err = b.sgemm(latency); err != nil {
			return nil, err
		}
		out.sgemm = append(out.sgemm, rows...)
	}
	var err error
	if out.blocks, err = b.blocks(out.rodinia); err != nil {
		return nil, err
	}
	if out.policies, err = b.underMany(); err != nil {
		return nil, err
	}
	files, err := b.whole()
	if err != nil {
		return nil, err
	}
	for _, g := range wholeLaunchGPUs {
		rows, err := b.compare(files, g, sim.Abstract, bound.Kernel)
		if err != nil {
			return nil, err
		}
		out.launches = append(out.launches, rows...)
	}
	out.pipeline, err = b.pipeline(files)
	return &out, err
}

// pipeline compares bounds with the pipeline model, which none of them claims to
// cover: whole launches on every machine, and the Rodinia-like blocks and warps.
func (b *bench) pipeline(files []string) ([]row, error) {
	rodinia, err := b.Files("rodinia/*/*.toml")
	if err != nil {
		return nil, err
	}
	var out []row
	for _, g := range []string{ecrts(realistic), undrained} {
		rows, err := b.compare(rodinia, g, sim.Pipeline, bound.Warp, bound.Block)
		if err != nil {
			return nil, err
		}
		out = append(out, rows...)
	}
	for _, g := range append([]string{undrained}, wholeLaunchGPUs...) {
		rows, err := b.compare(files, g, sim.Pipeline, bound.Kernel)
		if err != nil {
			return nil, err
		}
		out = append(out, rows...)
	}
	return out, nil
}

// blocks takes apart the blocks of the Rodinia-like launches.
func (b *bench) blocks(measured []row) ([]block, error) {
	files, err := b.Files("rodinia/*/*.toml")
	if err != nil {
		return nil, err
	}
	var at []row
	for _, r := range measured {
		if r.GPU == ecrts(realistic) {
			at = append(at, r)
		}
	}
	var out []block
	for _, f := range files {
		one, err := b.anatomy(f, ecrts(realistic), at)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}
