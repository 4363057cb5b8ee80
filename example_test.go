package warpbound_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log"
	"math"
	"os"
	"strings"

	"github.com/warpbound/warpbound"
	"github.com/warpbound/warpbound/launch"
)

const sgemm = "examples/sgemm/double/sgemm_double_8.toml"

// How long can a launch take at worst?
func Example() {
	l, err := warpbound.Open("examples/sgemm/double/sgemm_double_8.toml")
	if err != nil {
		log.Fatal(err)
	}
	a, err := l.Analyze(context.Background(), warpbound.AnalyzeOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d cycles = %v by %s, for all inputs: %t\n", a.Best.Cycles, a.Time(a.Best.Cycles), a.Best.Method, a.AllInputs)
	// Output: 12049 cycles = 10.644µs by chain, for all inputs: true
}

// Why, and who answers for it?
func ExampleLaunch_Analyze() {
	l, _ := warpbound.Open(sgemm)
	a, err := l.Analyze(context.Background(), warpbound.AnalyzeOptions{Methods: []string{"gub", "sum"}})
	if err != nil {
		log.Fatal(err)
	}
	for _, b := range a.Whole().Bounds {
		fmt.Println(b.Method, b.Cycles, "safe:", b.Safe, "assumptions:", len(b.Assumptions))
	}
	// Output:
	// gub 12067 safe: false assumptions: 18
	// sum 12081 safe: true assumptions: 18
}

// A launch without a launch file, on a GPU with a key replaced.
func ExampleNew() {
	buffer := launch.Arg{Kind: launch.Buffer, Type: launch.F32, Count: 512}
	x, y, n := buffer, buffer, launch.Arg{Name: "n", Type: launch.S32, Bits: 500}
	x.Name, y.Name = "x", "y"
	a := launch.Arg{Name: "a", Type: launch.F32, Bits: uint64(math.Float32bits(2))}
	l, err := warpbound.New(launch.Launch{
		Kernel: "examples/basic/saxpy/saxpy.ptx", Grid: [3]int{4}, Block: [3]int{128}, Args: []launch.Arg{x, y, a, n},
	})
	m, errGPU := warpbound.GPU("ecrts2025-200", "sm.count=2")
	if errors.Join(err, errGPU) != nil {
		log.Fatal(err, errGPU)
	}
	r, err := l.Analyze(context.Background(), warpbound.AnalyzeOptions{GPU: m})
	fmt.Println(r.Kernel, r.Blocks, "blocks,", r.Best.Cycles, "cycles", err)
	// Output: saxpy 4 blocks, 960 cycles <nil>
}

// A module with several kernels, of which none is named, is refused.
func ExampleEntryError() {
	_, err := warpbound.New(launch.Launch{Kernel: "examples/sgemm/double/double.ptx"})
	var entry *warpbound.EntryError
	if errors.As(err, &entry) {
		fmt.Println("kernels:", entry.Entries)
	}
	// Output: kernels: [sgemm_double_32 sgemm_double_16 sgemm_double_8 sgemm_double_4]
}

// How long does it take in the simulator, and what do schedulers wait for?
func ExampleLaunch_Simulate() {
	l, _ := warpbound.Open(sgemm)
	opened := 0
	s, err := l.Simulate(context.Background(), warpbound.SimulateOptions{Policy: "gto", Observe: func(e warpbound.Event) {
		if e.Kind == warpbound.Barrier {
			opened++
		}
	}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Cycles, "cycles,", s.WarpInstructions, "instructions,", s.Stalls["memory"], "cycles for memory,", opened, "warps let through barriers")
	// Output: 9929 cycles, 8504 instructions, 186 cycles for memory, 64 warps let through barriers
}

// What does the kernel compute?
func ExampleLaunch_Run() {
	l, _ := warpbound.Open("examples/basic/saxpy/saxpy.toml")
	r, err := l.Run(context.Background(), warpbound.RunOptions{})
	if err != nil {
		log.Fatal(err)
	}
	y := binary.LittleEndian.Uint32(r.Buffer("y"))
	fmt.Println(r.WarpInstructions, "warp instructions, y[0] =", math.Float32frombits(y))
	// Output: 1416 warp instructions, y[0] = 0.5665616
}

// What is in a file, and what is wrong with it?
func ExampleCheck() {
	r, err := warpbound.Check(context.Background(), []string{"examples/basic/saxpy/saxpy.ptx"}, warpbound.CheckOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range r.Files {
		fmt.Println(f.Kind+":", f.About, f.Errors)
	}
	// Output: PTX: version 6.0 for sm_70, addresses of 64 bits, 1 kernel (saxpy), 0 functions []
}

// Is the bound one?
func ExampleLaunch_Compare() {
	l, _ := warpbound.Open(sgemm)
	c, err := l.Compare(context.Background(), warpbound.CompareOptions{})
	if err != nil { // a violated bound is a *warpbound.ViolationError
		log.Fatal(err)
	}
	for _, r := range c.Rows {
		fmt.Printf("%s: %d simulated, %d at worst, %.1f %% more\n", r.Policy, r.SimulatedCycles, r.BoundCycles, 100*r.Overestimation)
	}
	// Output:
	// lrr: 9186 simulated, 12049 at worst, 31.2 % more
	// gto: 9929 simulated, 12049 at worst, 21.4 % more
}

// What hits in the L1 data cache, by its size?
func ExampleLaunch_Cache() {
	l, _ := warpbound.Open("examples/huangfu/listing/listing.toml")
	r, err := l.Cache(context.Background(), warpbound.CacheOptions{Shapes: []warpbound.CacheShape{{SizeBytes: 16 << 10}, {SizeBytes: 64 << 10}}})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range r.Caches {
		fmt.Printf("%d kB: %d of %d loads miss, loads and stores in any order %d to %d\n", c.Shape.SizeBytes>>10, c.Loads.Misses(), c.Loads.Accesses, c.LeastMisses, c.MostMisses)
	}
	// Output:
	// 16 kB: 4 of 8 loads miss, loads and stores in any order 12 to 12
	// 64 kB: 4 of 8 loads miss, loads and stores in any order 12 to 12
}

// What does a front end make of its policies, beside one scheduler for both stages?
func ExampleComparePairs() {
	launches, err := warpbound.OpenAll("examples/basic/reduce/reduce.toml")
	if err != nil {
		log.Fatal(err)
	}
	c, err := warpbound.ComparePairs(context.Background(), launches, warpbound.PairsOptions{Pairs: []string{"lrr-gtlrr"}})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range c.Rows {
		fmt.Printf("%s-%s: %d errors, swas %d; %.3f of its IPC\n", r.FetchPolicy, r.IssuePolicy, r.Baseline.Errors, r.SWaS.Errors, r.Ratio)
	}
	// Output: lrr-gtlrr: 1103 errors, swas 0; 0.835 of its IPC
}

// What does an enforced order of accesses cost?
func ExampleCompareSchemes() {
	launches, err := warpbound.OpenAll("examples/rodinia/kmeans/kmeans_assign.toml")
	if err != nil {
		log.Fatal(err)
	}
	c, err := warpbound.CompareSchemes(context.Background(), launches, warpbound.SchemesOptions{Schemes: []string{"default", "reorder"}, WCET: true})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range c.Rows[0].Runs {
		fmt.Printf("%s: %d cycles, %.4f of the first\n", r.Scheme, r.Cycles, r.Normalised)
	}
	// Output:
	// default: 11916 cycles, 1.0000 of the first
	// reorder: 12614 cycles, 1.0586 of the first
}

// Which lines of memory does a warp touch?
func ExampleLaunch_WriteListing() {
	l, _ := warpbound.Open("examples/huangfu/listing/listing.toml")
	if err := l.WriteListing(context.Background(), os.Stdout, warpbound.ListingOptions{}); err != nil {
		log.Fatal(err)
	}
	// Output:
	// -num_pcs 2
	// -pc_addrs [ 64 , 80 ]
	// -grid [ 1 , 2 , 1 ]
	// -block [ 16 , 4 , 1 ]
	// Block [ 0 , 0 , 0 ]
	// Warp0 [ 1 , 0 ]
	// Warp0 [ [ [ 0 , 128 , 256 , 384 ] , L ] , None ]
	// Warp1 [ 1 , 0 ]
	// Warp1 [ [ [ 0 , 128 , 256 , 384 ] , L ] , None ]
	// Block [ 0 , 1 , 0 ]
	// Warp0 [ 0 , 1 ]
	// Warp0 [ None , [ [ 2048 , 2176 , 2304 , 2432 ] , S ] ]
	// Warp1 [ 0 , 1 ]
	// Warp1 [ None , [ [ 2048 , 2176 , 2304 , 2432 ] , S ] ]
}

// How long do identical warps take at worst on one SM?
func ExampleMakespan() {
	r, err := warpbound.Makespan(context.Background(), "LLCLL", warpbound.MakespanOptions{Units: "L=32,C=32", Warps: 600})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range r.Figures {
		fmt.Println(f.Method, f.Cycles, f.Kind)
	}
	// Output:
	// paper 3000 published, safe here
	// safe 3000 safe bound
	// potential 2401 safe bound
	// law 2401 exact
	// estimate 2410 estimate (published, not a bound)
}

// The same of the blocks of a launch.
func ExampleLaunch_Makespan() {
	l, _ := warpbound.Open("examples/basic/saxpy/saxpy.toml")
	r, err := l.Makespan(context.Background(), warpbound.MakespanOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Warps, "warps,", r.VolumeCycles, "cycles of the model, which leaves out", len(r.Ignored), "things")
	// Output: 4 warps, 980 cycles of the model, which leaves out 4 things
}

// What would make loops predictable: phases that fit the scratchpad.
func ExamplePrem() {
	p, err := warpbound.Prem(context.Background(), "examples/prem/programs/conv2d.c", warpbound.PremOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for _, k := range p.Kernels {
		fmt.Println(k.Name, k.Teams, "teams,", k.SPMBytes, "bytes")
	}
	// Output: kernel_conv2d_0 4 teams, 3136 bytes
}

// How long do the phases take?
func ExamplePremProgram_Schedule() {
	p, _ := warpbound.Prem(context.Background(), "examples/prem/programs/conv2d.c", warpbound.PremOptions{})
	s, err := p.Schedule(context.Background(), warpbound.PremScheduleOptions{Schemes: []string{warpbound.SchemeSDMA}})
	if err != nil {
		log.Fatal(err)
	}
	b := s.Kernels[0].Schemes[0].Bounded
	fmt.Println("at worst", b.Memory, "of memory,", b.Compute, "of computing")
	// Output: at worst 17.453µs of memory, 6.232µs of computing
}

// The kernels as code.
func ExamplePremProgram_Emit() {
	p, _ := warpbound.Prem(context.Background(), "examples/prem/programs/conv2d.c", warpbound.PremOptions{})
	code, err := p.Emit(context.Background(), warpbound.PremEmitOptions{Emit: warpbound.EmitCUDA})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Contains(code.Text, "kernel_conv2d_0_sdma"))
	// Output: true
}

// Is every bound within its budget, and who promised what?
func ExampleProject_Assess() {
	p, err := warpbound.OpenProject("docs/gallery/warpbound.toml")
	if err != nil {
		log.Fatal(err)
	}
	a, err := p.Assess(context.Background(), warpbound.AssessOptions{MaxCycles: 50_000})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range a.Errors() {
		fmt.Println(f.Launch, f.Rule)
	}
	page, err := a.Render(warpbound.FormHTML)
	fmt.Println(a.Passed, strings.HasPrefix(string(page), "<!DOCTYPE html>"), err)
	// Output:
	// examples/inputs/kernels/nearest/nearest.toml over-budget
	// false true <nil>
}
