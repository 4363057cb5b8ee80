package sim_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/isa"
)

// What a run with a front end cannot be is said before it begins.
func TestBadFrontConfig(t *testing.T) {
	for want, change := range map[string]func(*sim.Config){
		"front_end.icache.sets is 3, expected a power of two":  func(c *sim.Config) { c.Machine.Desc.FrontEnd.ICache.Sets = 3 },
		"front_end.icache.line_bytes is 0, expected 1":         func(c *sim.Config) { c.Machine.Desc.FrontEnd.ICache.LineBytes = 0 },
		"front_end.icache.ways is 0, expected 1 to 1048576":    func(c *sim.Config) { c.Machine.Desc.FrontEnd.ICache.Ways = 0 },
		"front_end.fetch_cycles is 0, expected 1":              func(c *sim.Config) { c.Machine.Desc.FrontEnd.FetchCycles = 0 },
		"front_end.refetch_cycles is 0, expected 1":            func(c *sim.Config) { c.Machine.Desc.FrontEnd.Kind = gpu.Stall },
		`front_end.kind is "guess", expected predict or stall`: func(c *sim.Config) { c.Machine.Desc.FrontEnd.Kind = "guess" },
		"has no front end":                         func(c *sim.Config) { c.Machine.Desc.FrontEnd = nil },
		"a front end with schedulers that issue 2": func(c *sim.Config) { c.Machine.Desc.Issue.PerCycle = 2 },
		"variant swas with 2 schedulers":           func(c *sim.Config) { c.Model = sim.FrontModel{Variant: gpu.SWaS}; c.Machine.Desc.SM.Schedulers = 2 },
		"policy gto with model frontend": func(c *sim.Config) {
			c.Machine.Desc.Model, c.Model = sim.Frontend, sim.OwnModel{Policy: policy.Policy{Name: "gto"}}
		},
		`fetch policy "gto"`:                        func(c *sim.Config) { c.Model = sim.FrontModel{FetchPolicy: "gto"} },
		`issue policy "nosuch"`:                     func(c *sim.Config) { c.Model = sim.FrontModel{IssuePolicy: "nosuch"} },
		`variant "both": expected baseline or swas`: func(c *sim.Config) { c.Model = sim.FrontModel{Variant: "both"} },
		"queues of 3 entries: expected fetch_cycles + 1 = 4": func(c *sim.Config) {
			c.Model = sim.FrontModel{Variant: gpu.SWaS}
			c.Machine.Desc.FrontEnd.QueueEntries = 3
		},
		"fetch policy lo and issue policy lrr: expected one": func(c *sim.Config) { c.Model = sim.FrontModel{Variant: gpu.SWaS, FetchPolicy: "lo"} },
		"stalls at control instructions: expected one that predicts": func(c *sim.Config) {
			c.Model = sim.FrontModel{Variant: gpu.SWaS}
			c.Machine.Desc.FrontEnd.Kind, c.Machine.Desc.FrontEnd.RefetchCycles = gpu.Stall, 4
		},
	} {
		k := newFlow(1, control(isa.Exit))
		cfg := sim.Config{Machine: flowMachine(flowFront()), Model: sim.FrontModel{}, BlocksPerSM: 1}
		change(&cfg)
		_, err := sim.Run(context.Background(), cfg, k, k.timing())
		if !errors.Is(err, sim.ErrConfig) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// The oldest warp stands at a barrier, and strict issue waits for it.
func TestStrictFrontStandsStill(t *testing.T) {
	k := newFlow(2, control(isa.Barrier), control(isa.Exit))
	for _, p := range []string{"so", "sicount"} {
		_, err := sim.Run(context.Background(), sim.Config{Machine: flowMachine(flowFront()), Model: sim.FrontModel{IssuePolicy: p, Variant: gpu.SWaS}, BlocksPerSM: 1}, k, k.timing())
		if !stuck(err, p) {
			t.Errorf("%s: %v", p, err)
		}
	}
}
