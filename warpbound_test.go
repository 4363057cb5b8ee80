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
		"run":      func() error { _, err := l.Run(context.Background(), warpbound.RunOptions{}); return err },
		"cfg":      func() error { _, err := l.CFG(context.Background(), warpbound.CFGOptions{}); return err },
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
		"run":      func() (any, error) { return l.Run(ctx, warpbound.RunOptions{}) },
		"cfg":      func() (any, error) { return l.CFG(ctx, warpbound.CFGOptions{}) },
		"check": func() (any, error) {
			return warpbound.Check(ctx, []string{"README.md"}, warpbound.CheckOptions{})
		},
		"compare": func() (any, error) { return l.Compare(ctx, warpbound.CompareOptions{}) },
		"cache":   func() (any, error) { return l.Cache(ctx, warpbound.CacheOptions{}) },
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
