package warpbound_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/warpbound/warpbound"
	"github.com/warpbound/warpbound/launch"
)

// A plan is that of the command, its kernels can be launched, and phases stay below
// their bounds.
func TestPrem(t *testing.T) {
	ctx, file := context.Background(), "examples/prem/programs/conv2d.c"
	p, err := warpbound.Prem(ctx, file, warpbound.PremOptions{})
	if err != nil || len(p.Kernels) != 1 || p.GPU.Desc.Name != warpbound.DefaultPremGPU {
		t.Fatalf("%+v, %v", p, err)
	}
	k := p.Kernels[0]
	if k.Name != "kernel_conv2d_0" || k.Teams != 4 || k.Threads != 64 || k.Compatible != "" || k.SPMBytes < 1 || k.SPMBytes > p.SPMBytes || k.Pos.Line != 13 || !strings.Contains(k.Explanation, "3136 of 32768 bytes") {
		t.Errorf("%+v", k)
	}
	if other, err := warpbound.Prem(ctx, file, warpbound.PremOptions{Teams: 2, Threads: 32}); err != nil || other.Kernels[0].Teams != 2 || other.Kernels[0].Threads != 32 {
		t.Errorf("%+v, %v", other, err)
	}
	small, err := warpbound.Prem(ctx, file, warpbound.PremOptions{Defines: map[string]string{"NI": "20"}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := small.Schedule(ctx, warpbound.PremScheduleOptions{Schedule: "30%", Schemes: []string{warpbound.SchemeDAE, warpbound.SchemeSDMA}, NoCaches: true})
	if err != nil || s.Caches || len(s.Kernels) != 1 || len(s.Kernels[0].Schemes) != 2 || s.Kernels[0].Launches != 1 || s.Kernels[0].BaseCycles == 0 || len(s.Runs) != 0 {
		t.Fatalf("%+v, %v", s, err)
	}
	for _, x := range s.Kernels[0].Schemes {
		if x.Bounded == nil || x.Simulated.Memory > x.Bounded.Memory || x.Simulated.Compute > x.Bounded.Compute || x.Bounded.BestCase == 0 || len(x.Assumptions) == 0 {
			t.Errorf("%+v", x)
		}
		if b := x.Bounded; b.MemoryBudget < b.Memory || b.ComputeBudget < b.Compute || b.Total < b.BestCase {
			t.Errorf("%+v", b)
		}
	}
	var at *warpbound.FileError
	bad := written(t, "k.c", "void f(float a[4]) {\n#pragma omp target teams distribute parallel for\nfor (int i = 0; i < 3; i++) a[i] = a[i + 1];\n}\n")
	_, err = warpbound.Prem(ctx, bad, warpbound.PremOptions{})
	if !errors.As(err, &at) || at.Pos.Line == 0 || at.Pos.File != bad {
		t.Errorf("%v, %+v", err, at)
	}
}

// The guard is simulated, and the loops beside CPU cores.
func TestPremGuarded(t *testing.T) {
	p, err := warpbound.Prem(context.Background(), "examples/prem/programs/jacobi1d.c", warpbound.PremOptions{})
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]bool{}
	s, err := p.Schedule(context.Background(), warpbound.PremScheduleOptions{
		Schemes: []string{warpbound.SchemeSDMA}, NoBounds: true, Guarded: true, Traffic: []string{warpbound.TrafficStress},
		Progress: func(p warpbound.Progress) {
			if parts[p.Detail] = true; p.Task == "" || p.Total != 5 || p.Done >= p.Total {
				t.Errorf("%+v", p)
			}
		},
	})
	if err != nil || len(s.Runs) != 4*len(p.Kernels) || !parts["kernel_jacobi1d: sdma"] {
		t.Fatalf("%+v, %v, %v", s, err, parts)
	}
	for i, r := range s.Runs[:4] {
		if r.Kernel != "kernel_jacobi1d_0" || (r.Traffic == "") != (i%2 == 0) || (r.Scheme == warpbound.SchemeBase) != (i < 2) || (r.HandOvers > 0) != (i >= 2) || r.Cycles == 0 || r.Slowdown < 1 {
			t.Errorf("%d: %+v", i, r)
		}
	}
	if x := s.Kernels[0].Schemes[0]; x.Bounded != nil || x.Simulated.Intervals == 0 {
		t.Errorf("%+v", x)
	}
}

// One program is written and run by several goroutines at once, and gives each what it
// gives alone.
func TestPremAtOnce(t *testing.T) {
	ctx := context.Background()
	p, err := warpbound.Prem(ctx, "examples/prem/programs/jacobi1d.c", warpbound.PremOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ask := map[string]func() (string, error){}
	for _, scheme := range []string{warpbound.SchemeBase, warpbound.SchemeCMPT, warpbound.SchemeDAE, warpbound.SchemeSDMA} {
		ask["emit "+scheme] = func() (string, error) {
			code, err := p.Emit(ctx, warpbound.PremEmitOptions{Scheme: scheme})
			if err != nil {
				return "", err
			}
			return code.Text, nil
		}
		if scheme == warpbound.SchemeBase {
			continue
		}
		ask["schedule "+scheme] = func() (string, error) {
			s, err := p.Schedule(ctx, warpbound.PremScheduleOptions{Schemes: []string{scheme}, NoCaches: true})
			if err != nil {
				return "", err
			}
			doc, err := s.Report(true)
			if err != nil {
				return "", err
			}
			return doc.Text(), nil
		}
	}
	var wait sync.WaitGroup
	for name, one := range ask {
		want, err := one()
		if err != nil || want == "" {
			t.Fatalf("%s: %v", name, err)
		}
		for range 2 {
			wait.Go(func() {
				if got, err := one(); err != nil || got != want {
					t.Errorf("%s differs beside others: %v", name, err)
				}
			})
		}
	}
	wait.Wait()
}

// Kernels as text are one module, and as launches what Open takes.
func TestPremEmit(t *testing.T) {
	ctx := context.Background()
	p, err := warpbound.Prem(ctx, "examples/prem/programs/conv2d.c", warpbound.PremOptions{})
	if err != nil {
		t.Fatal(err)
	}
	code, err := p.Emit(ctx, warpbound.PremEmitOptions{})
	if err != nil || len(code.Files) != 0 {
		t.Fatalf("%+v, %v", code, err)
	}
	_, err = warpbound.New(launch.Launch{Kernel: written(t, "k.ptx", code.Text), Entry: "none"})
	var entry *warpbound.EntryError
	if !errors.As(err, &entry) || len(entry.Entries) != 1 || entry.Entries[0] != "kernel_conv2d_0_sdma" {
		t.Errorf("%v", err)
	}
	for form, want := range map[string]string{
		warpbound.EmitCUDA: "__global__ void", warpbound.EmitOpenCL: "__kernel", warpbound.EmitHarness: "int main",
	} {
		if code, err := p.Emit(ctx, warpbound.PremEmitOptions{Emit: form, Scheme: warpbound.SchemeDAE, Guard: true}); err != nil || !strings.Contains(code.Text, want) {
			t.Errorf("%s: %v", form, err)
		}
	}
	dir := t.TempDir()
	code, err = p.Emit(ctx, warpbound.PremEmitOptions{Emit: warpbound.EmitLaunch, Scheme: warpbound.SchemeBase, Output: func(name string, data []byte) error {
		return os.WriteFile(filepath.Join(dir, name), data, 0o666)
	}})
	if err != nil || !slices.Equal(code.Files, []string{"kernel_conv2d_0_base.toml"}) {
		t.Fatalf("%+v, %v", code, err)
	}
	if a, err := open(t, filepath.Join(dir, code.Files[0])).Analyze(ctx, warpbound.AnalyzeOptions{}); err != nil || a.Best == nil {
		t.Errorf("%+v, %v", a, err)
	}
	full := errors.New("no room")
	if _, err := p.Emit(ctx, warpbound.PremEmitOptions{Emit: warpbound.EmitLaunch, Output: func(string, []byte) error { return full }}); !errors.Is(err, full) {
		t.Errorf("%v", err)
	}
}

// Options of prem that mean nothing are refused, all of them at once.
func TestPremOptions(t *testing.T) {
	ctx, file := context.Background(), "examples/prem/programs/conv2d.c"
	p, err := warpbound.Prem(ctx, file, warpbound.PremOptions{})
	if err != nil {
		t.Fatal(err)
	}
	plain, err := warpbound.GPU(warpbound.DefaultGPU)
	if err != nil {
		t.Fatal(err)
	}
	uncached, err := warpbound.Prem(ctx, file, warpbound.PremOptions{GPU: plain})
	if err != nil {
		t.Fatal(err)
	}
	prem := func(o warpbound.PremOptions) error { _, err := warpbound.Prem(ctx, file, o); return err }
	emit := func(o warpbound.PremEmitOptions) error { _, err := p.Emit(ctx, o); return err }
	schedule := func(o warpbound.PremScheduleOptions) error { _, err := p.Schedule(ctx, o); return err }
	_, without := uncached.Schedule(ctx, warpbound.PremScheduleOptions{Guarded: true})
	for want, err := range map[string]error{
		`Function "kernel"`:                   prem(warpbound.PremOptions{Function: "kernel"}),
		`Values "n": no function`:             prem(warpbound.PremOptions{Values: map[string]int64{"n": 1}}),
		"expected at most the 49152":          prem(warpbound.PremOptions{SPMBytes: 1 << 40}),
		"SPMBytes -1":                         prem(warpbound.PremOptions{SPMBytes: -1}),
		"leave none any scratchpad":           prem(warpbound.PremOptions{Teams: 1 << 20}),
		"Teams -1":                            prem(warpbound.PremOptions{Teams: -1}),
		`Defines "1"`:                         prem(warpbound.PremOptions{Defines: map[string]string{"1": "2"}}),
		`Include "nowhere"`:                   prem(warpbound.PremOptions{Include: []string{"nowhere"}}),
		`Emit "cude": did you mean cuda?`:     emit(warpbound.PremEmitOptions{Emit: "cude"}),
		`Scheme "sdmb"`:                       emit(warpbound.PremEmitOptions{Scheme: "sdmb"}),
		"Unroll with Emit cuda":               emit(warpbound.PremEmitOptions{Emit: warpbound.EmitCUDA, Unroll: 4}),
		"Approx with Emit opencl":             emit(warpbound.PremEmitOptions{Emit: warpbound.EmitOpenCL, Approx: true}),
		"Unroll 33: expected 1 to 32":         emit(warpbound.PremEmitOptions{Unroll: 33}),
		"Guard with Emit launch":              emit(warpbound.PremEmitOptions{Emit: warpbound.EmitLaunch, Guard: true, Output: func(string, []byte) error { return nil }}),
		"Output with Emit launch":             emit(warpbound.PremEmitOptions{Emit: warpbound.EmitLaunch}),
		`Schedule "soon": expected best`:      schedule(warpbound.PremScheduleOptions{Schedule: "soon"}),
		`Schemes "base": base has no phases`:  schedule(warpbound.PremScheduleOptions{Schemes: []string{"base"}}),
		`Schemes "sdma": given twice`:         schedule(warpbound.PremScheduleOptions{Schemes: []string{"sdma", "sdma"}}),
		"Trace with Guarded false: only kern": schedule(warpbound.PremScheduleOptions{Trace: &warpbound.TraceOptions{To: io.Discard}}),
		"Phases with Guarded false: only ker": schedule(warpbound.PremScheduleOptions{Phases: true}),
		"Trace.Blocks 99: expected a block":   schedule(warpbound.PremScheduleOptions{Schemes: []string{"sdma"}, NoBounds: true, Guarded: true, Trace: &warpbound.TraceOptions{To: io.Discard, Blocks: []int64{99}}}),
		"Schemes: no name":                    schedule(warpbound.PremScheduleOptions{Schemes: []string{}}),
		"Costs.SyncTime -1ns":                 schedule(warpbound.PremScheduleOptions{Costs: &warpbound.PremCosts{SyncTime: -1}}),
		"Guarded with Schedule fair":          schedule(warpbound.PremScheduleOptions{Schedule: warpbound.ScheduleFair, Guarded: true}),
		"Guarded with NoCaches":               schedule(warpbound.PremScheduleOptions{Guarded: true, NoCaches: true}),
		"Guarded: ecrts2025-200 has no":       without,
		`Traffic "stress" with NoCaches`:      schedule(warpbound.PremScheduleOptions{Traffic: []string{"stress"}, NoCaches: true}),
		`Traffic "strss": did you mean`:       schedule(warpbound.PremScheduleOptions{Traffic: []string{"strss"}}),
	} {
		var option *warpbound.OptionError
		if !errors.As(err, &option) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, expected %s", err, want)
		}
	}
	if err := prem(warpbound.PremOptions{Include: []string{"nowhere", "gpu", "nobody"}}); err.Error() != "Include \"nowhere\": no such directory\nInclude \"nobody\": no such directory" {
		t.Errorf("%v", err)
	}
}

// TestPremPhases tells that phases follow one another, and that they are those that are
// counted.
func TestPremPhases(t *testing.T) {
	p, err := warpbound.Prem(t.Context(), "examples/prem/programs/conv2d.c", warpbound.PremOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.Schedule(t.Context(), warpbound.PremScheduleOptions{Schemes: []string{warpbound.SchemeSDMA}, NoBounds: true, Guarded: true, Phases: true})
	if err != nil {
		t.Fatal(err)
	}
	g := s.Guard
	if g == nil || g.Scheme != warpbound.SchemeSDMA || len(g.Phases) == 0 || s.Trace != nil {
		t.Fatalf("phases %+v, trace %v", g, s.Trace)
	}
	var run *warpbound.PremRun
	for i := range s.Runs {
		if s.Runs[i].Scheme == g.Scheme {
			run = &s.Runs[i]
		}
	}
	if run == nil || run.Cycles != g.Cycles || run.HandOvers != int64(len(g.Phases)-1) {
		t.Errorf("%d phases in %d cycles, want one more than hand-overs of %+v", len(g.Phases), g.Cycles, run)
	}
	for i, x := range g.Phases {
		if i > 0 && x.GrantCycle != g.Phases[i-1].EndCycle || x.RequestCycle >= 0 && x.RequestCycle < x.GrantCycle {
			t.Errorf("phase %d: %+v behind %+v", i, x, g.Phases[max(0, i-1)])
		}
	}
}
