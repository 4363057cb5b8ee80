package warpbound_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/warpbound/warpbound"
	"github.com/warpbound/warpbound/gpu"
)

// Options that mean nothing are refused before anything is executed.
func TestOptions(t *testing.T) {
	l := open(t, "examples/basic/saxpy/saxpy.toml")
	ctx := context.Background()
	analyze := func(o warpbound.AnalyzeOptions) error { _, err := l.Analyze(ctx, o); return err }
	simulate := func(o warpbound.SimulateOptions) error { _, err := l.Simulate(ctx, o); return err }
	compare := func(o warpbound.CompareOptions) error { _, err := l.Compare(ctx, o); return err }
	cache := func(o warpbound.CacheOptions) error { _, err := l.Cache(ctx, o); return err }
	pairs := func(o warpbound.PairsOptions) error {
		_, err := warpbound.ComparePairs(ctx, []*warpbound.Launch{l}, o)
		return err
	}
	schemes := func(o warpbound.SchemesOptions) error {
		_, err := warpbound.CompareSchemes(ctx, []*warpbound.Launch{l}, o)
		return err
	}
	makespan := func(o warpbound.MakespanOptions) error { _, err := l.Makespan(ctx, o); return err }
	text := func(o warpbound.MakespanOptions) error { _, err := warpbound.Makespan(ctx, "LC", o); return err }
	sections := func(o warpbound.MakespanOptions) error {
		_, err := open(t, "examples/basic/reduce/reduce.toml").Makespan(ctx, o)
		return err
	}
	project, err := warpbound.NewProject([]string{l.Path()})
	if err != nil {
		t.Fatal(err)
	}
	assess := func(o warpbound.AssessOptions) error { _, err := project.Assess(ctx, o); return err }
	_, noLaunch := warpbound.NewProject(nil)
	_, noGPU := warpbound.NewProject([]string{l.Path()}, warpbound.ProjectGPU{Name: "gtx48"})
	_, noForm := warpbound.AssessmentForm("", "report.pdf")
	plain, err := warpbound.GPU(warpbound.DefaultGPU)
	if err != nil {
		t.Fatal(err)
	}
	run := func(o warpbound.RunOptions) error { _, err := l.Run(ctx, o); return err }
	cfg := func(o warpbound.CFGOptions) error { _, err := l.CFG(ctx, o); return err }
	check := func(o warpbound.CheckOptions) error { _, err := warpbound.Check(ctx, nil, o); return err }
	front, errFront := warpbound.GPU("vortex-32x32")
	tx1, errTX1 := warpbound.GPU("tx1")
	if err := errors.Join(errFront, errTX1); err != nil {
		t.Fatal(err)
	}
	for want, err := range map[string]error{
		"power of two of sets":    cache(warpbound.CacheOptions{Shapes: []warpbound.CacheShape{{}, {SizeBytes: 3000}}}),
		"Shapes[0].LineBytes 24":  cache(warpbound.CacheOptions{Shapes: []warpbound.CacheShape{{LineBytes: 24}}}),
		`Replacement "rlu"`:       cache(warpbound.CacheOptions{Shapes: []warpbound.CacheShape{{Replacement: "rlu"}}}),
		`Index "hash"`:            cache(warpbound.CacheOptions{Shapes: []warpbound.CacheShape{{Index: "hash"}}}),
		"no table [l1d]":          cache(warpbound.CacheOptions{GPU: plain}),
		"with Simulate false":     cache(warpbound.CacheOptions{Policy: "gto"}),
		"Shapes[1].Ways 257":      cache(warpbound.CacheOptions{Shapes: []warpbound.CacheShape{{}, {Ways: 257}}}),
		"Shapes[0].SizeBytes -1":  cache(warpbound.CacheOptions{Shapes: []warpbound.CacheShape{{SizeBytes: -1}}}),
		"Simulate: ":              cache(warpbound.CacheOptions{GPU: plain, Simulate: true}),
		`Schemes "defualt"`:       schemes(warpbound.SchemesOptions{Schemes: []string{"defualt"}}),
		"given twice":             schemes(warpbound.SchemesOptions{Schemes: []string{"srr", "srr"}}),
		"Schemes: no name":        schemes(warpbound.SchemesOptions{Schemes: []string{}}),
		"WCET with Schemes":       schemes(warpbound.SchemesOptions{Schemes: []string{"srr"}, WCET: true}),
		"Schemes: ecrts2025-200":  schemes(warpbound.SchemesOptions{GPU: plain}),
		`Pairs "lrr": expected F`: pairs(warpbound.PairsOptions{Pairs: []string{"lrr"}}),
		`Pairs "lrr-lrr": given`:  pairs(warpbound.PairsOptions{Pairs: []string{warpbound.AllPairs, "lrr-lrr"}}),
		"FetchPolicies with Pair": pairs(warpbound.PairsOptions{Pairs: []string{"lrr-lrr"}, FetchPolicies: []string{"lrr"}}),
		`Variants "both"`:         pairs(warpbound.PairsOptions{Variants: []string{"both"}}),
		"Replay with BlocksPerSM": pairs(warpbound.PairsOptions{Replay: true, BlocksPerSM: 1}),
		"Replay with L1Order dyn": pairs(warpbound.PairsOptions{Replay: true, L1Order: warpbound.L1Dynamic}),
		"Replay: expected varian": pairs(warpbound.PairsOptions{Replay: true, Variants: []string{gpu.Baseline}}),
		"it has no table [front_": pairs(warpbound.PairsOptions{GPU: plain}),
		`Policies "lrt"`:          assess(warpbound.AssessOptions{Policies: []string{"lrt"}}),
		"MaxCycles -1":            assess(warpbound.AssessOptions{MaxCycles: -1}),
		"MaxInstructions -7":      assess(warpbound.AssessOptions{MaxInstructions: -7}),
		"Workers -1":              assess(warpbound.AssessOptions{Workers: -1}),
		"Against: no cases, expe": assess(warpbound.AssessOptions{Against: []byte("{}")}),
		"Against: unexpected end": assess(warpbound.AssessOptions{Against: []byte("{")}),
		"Launches: no launch":     noLaunch,
		`no GPU preset "gtx48"`:   noGPU,
		`Output "report.pdf": th`: noForm,
		`Methods "dq"`:            makespan(warpbound.MakespanOptions{Methods: []string{"dq"}}),
		"Units \"L=16\"":          makespan(warpbound.MakespanOptions{Units: "L=16"}),
		`Solver "gurobi"`:         makespan(warpbound.MakespanOptions{Solver: "gurobi"}),
		`Solver "cbc": no integ`:  makespan(warpbound.MakespanOptions{Solver: "cbc"}),
		`Form "medium"`:           makespan(warpbound.MakespanOptions{Form: "medium"}),
		"Gantt with Methods":      makespan(warpbound.MakespanOptions{Gantt: true, Methods: []string{"safe"}}),
		"Curve 5: expected 1 to":  makespan(warpbound.MakespanOptions{Curve: 5}),
		"Timeout -1s":             makespan(warpbound.MakespanOptions{Timeout: -time.Second}),
		"Export: examples/basic":  sections(warpbound.MakespanOptions{Export: io.Discard}),
		"Warps: no number, expec": text(warpbound.MakespanOptions{}),
		"GPU: a string has units": text(warpbound.MakespanOptions{Warps: 1, GPU: plain}),
		"Blocks -1":               makespan(warpbound.MakespanOptions{Blocks: -1}),
		`Methods "gup"`:           analyze(warpbound.AnalyzeOptions{Methods: []string{"gup"}}),
		`L1Order "dynamic"`:       analyze(warpbound.AnalyzeOptions{L1Order: warpbound.L1Dynamic}),
		"no table [front_end]":    analyze(warpbound.AnalyzeOptions{FrontEnd: warpbound.FrontEnd{Variant: gpu.SWaS}}),
		"Methods with Policy":     analyze(warpbound.AnalyzeOptions{Methods: []string{"sum"}, Policy: "srr"}),
		`Policy "none"`:           simulate(warpbound.SimulateOptions{Policy: "none"}),
		`Model "quick"`:           simulate(warpbound.SimulateOptions{Model: "quick"}),
		"no tables [l1d]":         simulate(warpbound.SimulateOptions{L1Order: warpbound.L1Dynamic}),
		"From 7: nothing is draw": simulate(warpbound.SimulateOptions{From: 7}),
		"To 7 with From 8":        simulate(warpbound.SimulateOptions{Gantt: true, From: 8, To: 7}),
		"From 4502: expected a c": simulate(warpbound.SimulateOptions{Gantt: true, From: 4502}),
		`Trace.Format "svg"`:      simulate(warpbound.SimulateOptions{Trace: &warpbound.TraceOptions{To: io.Discard, Format: "svg"}}),
		"Trace.Window 8..8: expe": simulate(warpbound.SimulateOptions{Trace: &warpbound.TraceOptions{To: io.Discard, Window: warpbound.CycleRange{From: 8, To: 8}}}),
		"Trace.Window -1..: expe": simulate(warpbound.SimulateOptions{Trace: &warpbound.TraceOptions{To: io.Discard, Window: warpbound.CycleRange{From: -1}}}),
		"Trace.Window 4502..: ex": simulate(warpbound.SimulateOptions{Trace: &warpbound.TraceOptions{To: io.Discard, Window: warpbound.CycleRange{From: 4502}}}),
		"Trace.Blocks 2: expecte": simulate(warpbound.SimulateOptions{Trace: &warpbound.TraceOptions{To: io.Discard, Blocks: []int64{0, 2}}}),
		"DRAM to share":           simulate(warpbound.SimulateOptions{GPU: tx1, Traffic: warpbound.TrafficStress}),
		`Traffic "stres"`:         simulate(warpbound.SimulateOptions{GPU: tx1, L1Order: warpbound.L1Dynamic, Traffic: "stres"}),
		"Policy with Model front": simulate(warpbound.SimulateOptions{GPU: front, Model: warpbound.ModelFrontend, Policy: "gto"}),
		"Variant with Model abst": simulate(warpbound.SimulateOptions{GPU: front, Model: warpbound.ModelAbstract, FrontEnd: warpbound.FrontEnd{Variant: gpu.SWaS}}),
		`Model "frontend": ecrts`: simulate(warpbound.SimulateOptions{Model: warpbound.ModelFrontend}),
		`Dump "z": no such buff`:  run(warpbound.RunOptions{Dump: []warpbound.Dump{{Buffer: "z"}}}),
		"MaxInstructions -2":      run(warpbound.RunOptions{MaxInstructions: -2}),
		"MaxInstructions -3":      cfg(warpbound.CFGOptions{MaxInstructions: -3}),
		`Include "nowhere"`:       check(warpbound.CheckOptions{Include: []string{"nowhere"}}),
		"BlocksPerSM -1":          simulate(warpbound.SimulateOptions{BlocksPerSM: -1}),
		`Methods "ordred"`:        compare(warpbound.CompareOptions{Methods: []string{"ordred"}}),
		`Model "frontend"`:        compare(warpbound.CompareOptions{Model: warpbound.ModelFrontend}),
		`Scope "grid"`:            compare(warpbound.CompareOptions{Scope: "grid"}),
		"are between warps":       compare(warpbound.CompareOptions{Scope: warpbound.OneWarp, Methods: []string{"turns"}}),
		"Policies: no name":       compare(warpbound.CompareOptions{Policies: []string{}}),
		`Policies ""`:             compare(warpbound.CompareOptions{Policies: []string{"gto", ""}}),
		"Methods: no name":        compare(warpbound.CompareOptions{Methods: []string{}}),
		"GPUs: no GPU":            compare(warpbound.CompareOptions{GPUs: []*gpu.Machine{}}),
		`GPUs "ecrts2025-200": t`: compare(warpbound.CompareOptions{GPUs: []*gpu.Machine{plain, plain}}),
		"MaxInstructions -1":      compare(warpbound.CompareOptions{MaxInstructions: -1}),
		"BlocksPerSM 100: expect": simulate(warpbound.SimulateOptions{BlocksPerSM: 100}),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %s", err, want)
		}
	}
	var option *warpbound.OptionError
	err = analyze(warpbound.AnalyzeOptions{Methods: []string{"sum"}, L1Order: warpbound.L1Reorder})
	flag := func(option string) string { return "--" + strings.ToLower(option) }
	if !errors.As(err, &option) || option.Spelled(flag) != "--methods with --l1order reorder: expected one of them; the order has methods of its own" {
		t.Errorf("%v", err)
	}
}
