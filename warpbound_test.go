package warpbound_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/warpbound/warpbound"
	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/launch"
)

func open(t *testing.T, path string) *warpbound.Launch {
	t.Helper()
	l, err := warpbound.Open(filepath.FromSlash(path))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// written is the path of the last of files, which lie in one folder.
func written(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	path := ""
	for i := 0; i < len(files); i += 2 {
		path = filepath.Join(dir, files[i])
		if err := os.WriteFile(path, []byte(files[i+1]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// The first kernel of double.ptx is another than that of the launch: whoever takes it
// gets 10,978 cycles for 12,049. No way through this package takes it unasked.
func TestEntryIsNeverChosen(t *testing.T) {
	ctx := context.Background()
	of := launch.Launch{Kernel: "examples/sgemm/double/double.ptx", Grid: [3]int{1}, Block: [3]int{32, 8}}
	kernels := []string{"sgemm_double_32", "sgemm_double_16", "sgemm_double_8", "sgemm_double_4"}
	for _, asked := range []string{"", "sgemm_double_9"} {
		of.Entry = asked
		l, err := warpbound.New(of)
		var entry *warpbound.EntryError
		if l != nil || !errors.As(err, &entry) || !slices.Equal(entry.Entries, kernels) || entry.Entry != asked || entry.Module != of.Kernel {
			t.Errorf("%q: %v, %+v", asked, err, entry)
		}
	}
	text, err := os.ReadFile("examples/sgemm/double/sgemm_double_8.toml")
	if err != nil {
		t.Fatal(err)
	}
	module, err := os.ReadFile(of.Kernel)
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.DeleteFunc(strings.SplitAfter(string(text), "\n"), func(s string) bool { return strings.HasPrefix(s, "entry") })
	_, err = warpbound.Open(written(t, "double.ptx", string(module), "k.toml", strings.Join(lines, "")))
	var entry *warpbound.EntryError
	var file *warpbound.FileError
	if !errors.As(err, &entry) || !slices.Equal(entry.Entries, kernels) || !errors.As(err, &file) || filepath.Base(file.Pos.File) != "k.toml" || file.Pos.Line == 0 {
		t.Errorf("%v", err)
	}
	l := open(t, "examples/sgemm/double/sgemm_double_8.toml")
	a, err := l.Analyze(ctx, warpbound.AnalyzeOptions{})
	if err != nil || l.Kernel() != "sgemm_double_8" || a.Kernel != "sgemm_double_8" || a.Best.Cycles != 12049 {
		t.Errorf("%+v, %v", a, err)
	}
}

// One launch serves many GPUs at once, and is not changed by them.
func TestManyGPUs(t *testing.T) {
	l := open(t, "examples/basic/saxpy/saxpy.toml")
	var wait sync.WaitGroup
	for range 2 {
		for name, settings := range map[string][]string{"ecrts2025-200": nil, "ecrts2025-10": nil, "vortex-v2.2": nil, "tx1": {"sm.count=1"}} {
			wait.Go(func() {
				m, err := warpbound.GPU(name, settings...)
				if err != nil {
					t.Error(err)
					return
				}
				got, err := l.Analyze(context.Background(), warpbound.AnalyzeOptions{GPU: m})
				if err != nil {
					t.Errorf("%s: %v", name, err)
					return
				}
				fresh, err := open(t, "examples/basic/saxpy/saxpy.toml").Analyze(context.Background(), warpbound.AnalyzeOptions{GPU: m})
				if err != nil || got.Best.Cycles != fresh.Best.Cycles || got.GPU != m {
					t.Errorf("%s: %v, %v, %v", name, got.Best, fresh.Best, err)
				}
			})
		}
	}
	wait.Wait()
	m, err := warpbound.GPU("ecrts2025-200", "sm.count=2")
	if err != nil || m.Desc.SM.Count != 2 {
		t.Errorf("%v, %v", m, err)
	}
}

// What is wrong with a file of any kind is a FileError with its place.
func TestFileErrors(t *testing.T) {
	const ptx = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n ret;\n}\n"
	for _, c := range []struct {
		name string
		open func() error
		file string
		line int
	}{
		{"launch", func() error {
			_, err := warpbound.Open(written(t, "k.ptx", ptx, "k.toml", "kernel = \"k.ptx\"\ngrid = [1]\nblock = [0]\n"))
			return err
		}, "k.toml", 3},
		{"PTX", func() error {
			_, err := warpbound.Open(written(t, "k.ptx", ptx+"bad\n", "k.toml", "kernel = \"k.ptx\"\ngrid = [1]\nblock = [1]\n"))
			return err
		}, "k.ptx", 8},
		{"ELF", func() error {
			_, err := warpbound.Open(written(t, "k.elf", "no", "k.toml", "kernel = \"k.elf\"\nwarps = 1\nthreads = 1\n"))
			return err
		}, "k.elf", 0},
		{"GPU", func() error {
			_, err := warpbound.GPU(written(t, "g.toml", "format = 2\n"))
			return err
		}, "g.toml", 1},
		{"stated", func() error {
			_, err := warpbound.New(launch.Launch{Kernel: written(t, "k.ptx", ptx), Args: []launch.Arg{{Name: "x", Type: launch.U32}}})
			return err
		}, "k.ptx", 0},
	} {
		err := c.open()
		var at *warpbound.FileError
		if !errors.As(err, &at) || filepath.Base(at.Pos.File) != c.file || at.Pos.Line != c.line || at.Msg == "" {
			t.Errorf("%s: %v, %+v", c.name, err, at)
		}
		if all := warpbound.FileErrors(err); len(all) == 0 || all[0].Error() != at.Error() {
			t.Errorf("%s: %v", c.name, all)
		}
	}
	// An importer that opens a GPU by itself can name the same error.
	_, err := gpu.Open(written(t, "g.toml", "format = 2\n"), nil)
	var own *gpu.Error
	if !errors.As(err, &own) || len(warpbound.FileErrors(err)) == 0 {
		t.Errorf("%v", err)
	}
}

const outside = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 x)\n{\n .reg .b64 %rd<3>;\n ld.param.u64 %rd1, [x];\n ld.global.u64 %rd2, [%rd1+4096];\n ret;\n}\n"

// What a kernel does wrong is a KernelError with the instruction.
func TestKernelErrors(t *testing.T) {
	l, err := warpbound.New(launch.Launch{Kernel: written(t, "k.ptx", outside), Block: [3]int{32}, Args: []launch.Arg{{Name: "x", Kind: launch.Buffer, Type: launch.U32, Count: 4}}})
	if err != nil {
		t.Fatal(err)
	}
	for name, ask := range map[string]func() error{
		"simulate": func() error { _, err := l.Simulate(context.Background(), warpbound.SimulateOptions{}); return err },
		"compare":  func() error { _, err := l.Compare(context.Background(), warpbound.CompareOptions{}); return err },
	} {
		err := ask()
		var failed *warpbound.KernelError
		if !errors.As(err, &failed) || !errors.Is(err, warpbound.ErrOutOfBounds) || failed.Pos.Line != 8 || failed.Thread != 0 {
			t.Errorf("%s: %v, %+v", name, err, failed)
		}
	}
	loop := open(t, "examples/sgemm/double/sgemm_double_8.toml")
	if _, err := loop.Simulate(context.Background(), warpbound.SimulateOptions{MaxCycles: 100}); !errors.Is(err, warpbound.ErrMaxCycles) {
		t.Errorf("%v", err)
	}
	if _, err := loop.Analyze(context.Background(), warpbound.AnalyzeOptions{MaxInstructions: 10}); !errors.Is(err, warpbound.ErrInstructionLimit) {
		t.Errorf("%v", err)
	}
}

// A cancelled context ends every operation, and says where it was.
func TestCancel(t *testing.T) {
	l := open(t, "examples/sgemm/double/sgemm_double_8.toml")
	program, err := warpbound.Prem(context.Background(), "examples/prem/programs/conv2d.c", warpbound.PremOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for name, ask := range map[string]func() (any, error){
		"analyze":  func() (any, error) { return l.Analyze(ctx, warpbound.AnalyzeOptions{}) },
		"simulate": func() (any, error) { return l.Simulate(ctx, warpbound.SimulateOptions{}) },
		"compare":  func() (any, error) { return l.Compare(ctx, warpbound.CompareOptions{}) },
		"cache":    func() (any, error) { return l.Cache(ctx, warpbound.CacheOptions{}) },
		"pairs": func() (any, error) {
			return warpbound.ComparePairs(ctx, []*warpbound.Launch{l}, warpbound.PairsOptions{})
		},
		"schemes": func() (any, error) {
			return warpbound.CompareSchemes(ctx, []*warpbound.Launch{l}, warpbound.SchemesOptions{})
		},
		"listing":  func() (any, error) { return nil, l.WriteListing(ctx, io.Discard, warpbound.ListingOptions{}) },
		"makespan": func() (any, error) { return l.Makespan(ctx, warpbound.MakespanOptions{}) },
		"prem": func() (any, error) {
			return warpbound.Prem(ctx, "examples/prem/programs/conv2d.c", warpbound.PremOptions{})
		},
		"emit": func() (any, error) { return program.Emit(ctx, warpbound.PremEmitOptions{}) },
		"launches": func() (any, error) {
			return program.Emit(ctx, warpbound.PremEmitOptions{Emit: warpbound.EmitLaunch, Output: func(string, []byte) error { return nil }})
		},
		"schedule": func() (any, error) { return program.Schedule(ctx, warpbound.PremScheduleOptions{}) },
		"string":   func() (any, error) { return warpbound.Makespan(ctx, "LCL", warpbound.MakespanOptions{Warps: 9}) },
	} {
		if _, err := ask(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel = context.WithCancel(context.Background())
	defer cancel()
	_, err = l.Simulate(ctx, warpbound.SimulateOptions{Observe: func(e warpbound.Event) {
		if e.Cycle > 1000 {
			cancel()
		}
	}})
	var cut *warpbound.InterruptedError
	if !errors.As(err, &cut) || !errors.Is(err, context.Canceled) || cut.Cycle < 1000 || cut.Instructions == 0 {
		t.Errorf("%v, %+v", err, cut)
	}
}

// Progress comes one call at a time.
func TestProgress(t *testing.T) {
	l := open(t, "examples/basic/reduce/reduce.toml")
	var at []warpbound.Progress
	tell := func(p warpbound.Progress) { at = append(at, p) }
	if _, err := l.Analyze(context.Background(), warpbound.AnalyzeOptions{Progress: tell}); err != nil || len(at) == 0 || at[0].Task != "recording blocks" || at[0].Total == 0 {
		t.Errorf("%+v, %v", at, err)
	}
}

// The events of a simulation are those that its counts are of.
func TestEvents(t *testing.T) {
	l := open(t, "examples/basic/reduce/reduce-1block.toml")
	count, stalled := map[warpbound.EventKind]int64{}, int64(0)
	reasons := map[string]int64{}
	s, err := l.Simulate(context.Background(), warpbound.SimulateOptions{KeepWarps: true, Observe: func(e warpbound.Event) {
		count[e.Kind]++
		if e.Kind == warpbound.Stall {
			stalled += e.EndCycle - e.Cycle
			reasons[e.Reason] += e.EndCycle - e.Cycle
		}
		if (e.Kind == warpbound.Issue || e.Kind == warpbound.Dispatch) && int(e.PC) >= len(l.Program().Instructions) || (e.Kind == warpbound.Dispatch) != (e.Unit != "") {
			t.Errorf("%+v", e)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if count[warpbound.Issue] != s.WarpInstructions || count[warpbound.BlockStart] != s.Blocks || count[warpbound.BlockEnd] != s.Blocks || count[warpbound.Complete] == 0 || count[warpbound.Wait] == 0 || count[warpbound.Barrier] == 0 {
		t.Errorf("%v, %+v", count, s)
	}
	for reason, cycles := range s.Stalls {
		if reasons[reason] != cycles {
			t.Errorf("%s: %d cycles of events, %d counted", reason, reasons[reason], cycles)
		}
	}
	if stalled+s.IssueCycles != s.Cycles*int64(s.SMs*s.Schedulers) {
		t.Errorf("%d + %d of %d", stalled, s.IssueCycles, s.Cycles)
	}
	if len(s.BlockTimes) != 1 || len(s.BlockTimes[0].Warps) != 8 || s.BlockTimes[0].EndCycle != s.Cycles {
		t.Errorf("%+v", s.BlockTimes)
	}
}

// Bounds are not below simulations, whatever is compared.
func TestCompare(t *testing.T) {
	l := open(t, "examples/basic/saxpy/saxpy.toml")
	caches, err := warpbound.GPU("gtx480")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		opt  warpbound.CompareOptions
		rows int
	}{
		{warpbound.CompareOptions{}, 2},
		{warpbound.CompareOptions{Scope: warpbound.OneBlock, Methods: []string{"gub", warpbound.Best, "turns"}, Policies: []string{"srr"}}, 3},
		{warpbound.CompareOptions{Scope: warpbound.OneWarp}, 2},
		{warpbound.CompareOptions{GPUs: []*gpu.Machine{caches}, L1Order: warpbound.L1Reorder, Policies: []string{"lrr"}}, 1},
	} {
		got, err := l.Compare(context.Background(), c.opt)
		if err != nil || len(got.Rows) != c.rows || len(got.Summaries) != c.rows {
			t.Errorf("%+v: %+v, %v", c.opt, got, err)
			continue
		}
		for _, r := range got.Rows {
			if r.Refused != "" || r.Claimed && r.Safe && r.BoundCycles < r.SimulatedCycles || r.SimulatedCycles == 0 || r.Launch != l.Path() {
				t.Errorf("%+v: %+v", c.opt, r)
			}
		}
	}
}

// Several launches on several GPUs are one comparison. Where one fails, or the context
// ends, what was finished before comes beside the error.
func TestCompareSeveral(t *testing.T) {
	const file = "examples/basic/saxpy/saxpy.toml"
	fails := written(t, "k.ptx", ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n trap;\n}\n", "k.toml", "kernel = \"k.ptx\"\ngrid = [1]\nblock = [32]\n")
	var gpus []*gpu.Machine
	for _, name := range []string{"ecrts2025-10", "ecrts2025-200"} {
		m, err := warpbound.GPU(name)
		if err != nil {
			t.Fatal(err)
		}
		gpus = append(gpus, m)
	}
	for _, c := range []struct {
		files    []string
		cancelIn int // the launch, 0 for none
		rows     int
		want     error
	}{
		{[]string{file, file}, 0, 8, nil},
		{[]string{file, fails, file}, 0, 4, warpbound.ErrTrap},
		{[]string{fails}, 0, 0, warpbound.ErrTrap},
		{[]string{file, file}, 2, 4, context.Canceled},
		{[]string{file}, 1, 0, context.Canceled},
	} {
		launches, err := warpbound.OpenAll(c.files...)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		got, err := warpbound.Compare(ctx, launches, warpbound.CompareOptions{GPUs: gpus, Progress: func(p warpbound.Progress) {
			if c.cancelIn > 0 && p.Done == int64(c.cancelIn-1) {
				cancel()
			}
		}})
		cancel()
		if !errors.Is(err, c.want) || c.want == nil && err != nil || (got == nil) != (c.rows == 0) {
			t.Errorf("%+v: %+v, %v", c, got, err)
		}
		if got == nil {
			continue
		}
		r, err := got.Report()
		if err != nil || len(got.Rows) != c.rows || got.Complete != (c.want == nil) || got.Rows[2].GPU != "ecrts2025-200" || got.Rows[0].Launch != file || strings.Count(r.CSV(), "\n") != c.rows+1 {
			t.Errorf("%+v: %+v, %v", c, got, err)
		}
	}
	if _, err := warpbound.Compare(t.Context(), nil, warpbound.CompareOptions{}); err == nil {
		t.Error("nothing was compared")
	}
	// All files are read first, and everything that is wrong with them is said.
	if _, err := warpbound.OpenAll("none.toml", file, "nor.toml"); err == nil || strings.Count(err.Error(), "no such file") != 2 {
		t.Errorf("%v", err)
	}
}

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

func TestMethods(t *testing.T) {
	machines := map[string]bool{}
	for _, m := range warpbound.Methods() {
		machines[m.Machine] = true
		if m.Doc == "" || len(m.Theorems) == 0 || len(m.Scopes) == 0 {
			t.Errorf("%+v", m)
		}
	}
	if len(machines) != 4 || machines[""] || !slices.Contains(warpbound.Policies(), "gto") {
		t.Errorf("%v", machines)
	}
}

// A front end is bounded where the description has it as its model, and its variants
// where they are asked for.
func TestFrontEnd(t *testing.T) {
	l := open(t, "examples/basic/reduce/reduce.toml")
	m, err := warpbound.GPU("vortex-32x32")
	if err != nil {
		t.Fatal(err)
	}
	end := warpbound.FrontEnd{Variant: gpu.SWaS, IssuePolicy: "GTLRR"}
	a, err := l.Analyze(context.Background(), warpbound.AnalyzeOptions{GPU: m, FrontEnd: end})
	if err != nil || a.Best == nil || a.Best.Method != "replay" {
		t.Fatalf("%+v, %v", a, err)
	}
	s, err := l.Simulate(context.Background(), warpbound.SimulateOptions{GPU: m, FrontEnd: end})
	if err != nil || s.Scheduling == nil || s.Scheduling.Errors != 0 || s.Cycles > a.Best.Cycles {
		t.Errorf("%+v, %v", s, err)
	}
	if a, err := l.Analyze(context.Background(), warpbound.AnalyzeOptions{GPU: m}); err != nil || a.Whole().Bound("replay") == nil && len(a.Whole().Refused) == 0 {
		t.Errorf("%+v, %v", a, err)
	}
	end.FetchPolicy = "srr"
	if _, err := l.Analyze(context.Background(), warpbound.AnalyzeOptions{GPU: m, FrontEnd: end}); err == nil || !strings.Contains(err.Error(), "one scheduler") {
		t.Errorf("%v", err)
	}
}

// RISC-V programs have cores and warps in place of a grid.
func TestRISCV(t *testing.T) {
	l, err := warpbound.New(launch.Launch{Kernel: "examples/vortex/kernels/hello/hello.elf", RISCV: &launch.RISCV{Warps: 4, Threads: 32}})
	if err != nil {
		t.Fatal(err)
	}
	m, err := warpbound.GPU("vortex-v2.2")
	if err != nil {
		t.Fatal(err)
	}
	s, err := l.Simulate(context.Background(), warpbound.SimulateOptions{GPU: m})
	if err != nil || len(s.Console) == 0 {
		t.Errorf("%+v, %v", s, err)
	}
	if a, err := l.Analyze(context.Background(), warpbound.AnalyzeOptions{GPU: m}); err != nil || a.Scope(bound.Block) == nil {
		t.Errorf("%+v, %v", a, err)
	}
}

// A RISC-V program that exits with a code other than 0 has an error beside a complete
// result.
func TestExit(t *testing.T) {
	code := []uint32{
		0x00700693, // li a3, 7
		0x08800713, // li a4, 0x88: the exit code of Vortex 2.2
		0x00d72023, // sw a3, 0(a4)
		0x0000000b, // vx_tmc zero
	}
	size, base := uint32(4*len(code)), uint32(0x80000000)
	var b bytes.Buffer
	b.WriteString("\x7fELF\x01\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00")
	for _, v := range []any{
		uint16(2), uint16(243), uint32(1), base, uint32(52), uint32(0), uint32(2), uint16(52), uint16(32), uint16(1), uint16(40), uint16(0), uint16(0),
		uint32(1), uint32(84), base, base, size, size, uint32(5), uint32(4), code,
	} {
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			t.Fatal(err)
		}
	}
	l, err := warpbound.New(launch.Launch{Kernel: written(t, "k.elf", b.String()), RISCV: &launch.RISCV{Threads: 32}})
	if err != nil {
		t.Fatal(err)
	}
	m, err := warpbound.GPU("vortex-v2.2")
	if err != nil {
		t.Fatal(err)
	}
	var left *warpbound.ExitError
	if a, err := l.Analyze(context.Background(), warpbound.AnalyzeOptions{GPU: m}); !errors.As(err, &left) || left.Code != 7 || a == nil || a.Best == nil {
		t.Errorf("%+v, %v", a, err)
	}
	if s, err := l.Simulate(context.Background(), warpbound.SimulateOptions{GPU: m}); !errors.As(err, &left) || s == nil || s.Cycles == 0 {
		t.Errorf("%+v, %v", s, err)
	}
	if c, err := l.Compare(context.Background(), warpbound.CompareOptions{GPUs: []*gpu.Machine{m}}); !errors.As(err, &left) || c == nil || len(c.Rows) != 2 {
		t.Errorf("%+v, %v", c, err)
	}
}

// Counts are those of simulations, which do not contradict them.
func TestCache(t *testing.T) {
	l := open(t, "examples/huangfu/listing/listing.toml")
	r, err := l.Cache(context.Background(), warpbound.CacheOptions{Simulate: true, Shapes: []warpbound.CacheShape{{SizeBytes: 1 << 10, Ways: 2, Replacement: "fifo", Index: "linear"}, {}}})
	if err != nil || len(r.Caches) != 2 || !r.Exact {
		t.Fatalf("%+v, %v", r, err)
	}
	for _, c := range r.Caches {
		if c.Reordered == nil || c.Dynamic == nil || c.Reordered.Loads != c.Loads || c.Reordered.Stores != c.Stores {
			t.Errorf("%+v, %+v", c, c.Reordered)
		}
		if n := c.Dynamic.Loads.Misses() + c.Dynamic.Stores.Misses(); n < c.LeastMisses || n > c.MostMisses || c.Loads.MissRate() != 0.5 {
			t.Errorf("%+v: %d", c, n)
		}
	}
	if want := (warpbound.CacheShape{SizeBytes: 1 << 10, Ways: 2, LineBytes: 128, Replacement: "fifo", Index: "linear"}); r.Caches[0].Shape != want {
		t.Errorf("%+v", r.Caches[0].Shape)
	}
	_, err = open(t, "examples/basic/atomics/global_atomics.toml").Cache(context.Background(), warpbound.CacheOptions{})
	var no *warpbound.RefusalError
	if !errors.As(err, &no) || no.Kernel != "global_atomics" || len(no.Reasons) == 0 || no.Reasons[0].Pos.Line != 47 {
		t.Errorf("%v, %+v", err, no)
	}
}

// Makespans of strings and of launches.
func TestMakespan(t *testing.T) {
	ctx := context.Background()
	r, err := warpbound.Makespan(ctx, "LCL", warpbound.MakespanOptions{Warps: 4, Units: "L=32,C=32", Methods: []string{"dp"}})
	if err != nil || r.Exact == nil || r.Exact.Cycles != 9 || r.Best == nil || r.Best.Cycles != 9 || r.Warps != 4 {
		t.Errorf("%+v, %v", r, err)
	}
	for _, c := range []struct{ text, units string }{{"L(C", ""}, {"LX", ""}, {"L", "L=0"}} {
		if r, err := warpbound.Makespan(ctx, c.text, warpbound.MakespanOptions{Warps: 1, Units: c.units}); err == nil {
			t.Errorf("%q, %q: %+v", c.text, c.units, r)
		}
	}
	// The programme, the curve and the schedule of one study.
	var lp bytes.Buffer
	r, err = warpbound.Makespan(ctx, "LLCLL", warpbound.MakespanOptions{Warps: 4, Units: "L=32,C=32", Gantt: true, Curve: 3, Export: &lp})
	if err != nil || len(r.Curve) != 3 || r.Curve[2].ExactCycles != 13 || r.CurveStopped() != "" || !strings.HasPrefix(lp.String(), "Maximize") {
		t.Errorf("%+v, %v, %.20s", r, err, &lp)
	}
	if picture, err := r.Gantt(); err != nil || !bytes.Contains(picture, []byte("<svg")) {
		t.Errorf("%v", err)
	}
	// What was finished before the context ended is kept.
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if r, err := warpbound.Makespan(gone, "LLCLL", warpbound.MakespanOptions{Warps: 900, Units: "L=32,C=32", Methods: []string{"dp"}}); !errors.Is(err, context.Canceled) || r == nil || r.Complete || r.Best.Cycles != 4500 {
		t.Errorf("%+v, %v", r, err)
	}
	m, err := warpbound.GPU("examples/gpu/single-cycle.toml")
	if err != nil {
		t.Fatal(err)
	}
	of, err := open(t, "examples/basic/saxpy/saxpy.toml").Makespan(ctx, warpbound.MakespanOptions{GPU: m})
	if err != nil || len(of.Sections) == 0 || of.Sections[0].Result == nil || of.Sections[0].Result.Best.Cycles > of.Sections[0].VolumeCycles || of.VolumeCycles == 0 {
		t.Errorf("%+v, %v", of, err)
	}
}
