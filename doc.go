// Package warpbound tells how long a GPU kernel can take at worst on a described GPU,
// why, and under which assumptions, and checks the answer against its own cycle-level
// simulator.
//
//	l, err := warpbound.Open("examples/sgemm/double/sgemm_double_8.toml")
//	...
//	a, err := l.Analyze(ctx, warpbound.AnalyzeOptions{})
//	...
//	fmt.Println(a.Best.Cycles, a.Best.Method)
//
// # A launch, a GPU, a question
//
// A [Launch] is a kernel with its grid, block and arguments: [Open] reads a launch
// file, [New] takes one that the program states. Kernels are PTX, or RISC-V programs
// for Vortex. A GPU is a *gpu.Machine: [GPU] opens a preset or a description, with
// keys replaced where asked to. Every operation takes a context and a struct of
// options, of which the zero value is a sensible question, and names the GPU there:
//
//	operation              question                                         result
//	[Launch.Analyze]       how long at worst, why, under which assumptions  [Analysis]
//	[Launch.Simulate]      how long in the simulator, and what it waits for [Simulation]
//	[Launch.Run]           what the kernel computes, without timing         [RunResult]
//	[Launch.CFG]           its control flow, and what was seen of it        [ControlFlow]
//	[Compare]              bounds beside simulations, of several launches   [Comparison]
//	[ComparePairs]         pairs of policies of a front end                 [PairsComparison]
//	[CompareSchemes]       schemes of scheduling and of the L1 data cache   [SchemesComparison]
//	[Launch.Cache]         what hits and misses in L1 data caches           [CacheReport]
//	[Launch.Makespan]      the blocks as strings of Berezovskyi2012         [LaunchMakespan]
//	[Makespan]             the same of a string and identical warps         [MakespanResult]
//	[Prem]                 memory and compute phases of OpenMP loops in C   [PremProgram]
//	[PremProgram.Emit]     the same as code                                 [PremCode]
//	[PremProgram.Schedule] how long the phases take, and their budgets      [PremSchedule]
//	[Project.Assess]       all of it, with budgets and who promised what    [Assessment]
//	[Check]                what files are, and what is wrong with them      [CheckResult]
//
// [Propose] writes a first launch file for a kernel. All results have a Report, which is
// what the command prints: text, JSON, an HTML page, and where there are some CSV and
// pictures.
//
// A Launch is not changed by what is asked about it: one can be put on many GPUs, by
// many goroutines at once. Same input, same output, on every machine.
//
// # What a bound says
//
// An [Analysis] has a bound.Result for one warp alone, one block alone and the whole
// launch, each with the bounds of all methods, those that were refused and why, and
// the best. A bound.Bound has its cycles, what they are the sum of, the theorem of
// docs/soundness.md that proves it, whether it is safe here, and the ledger of
// assumptions: enforced by the description of the GPU, proved for this kernel, or for
// the caller to answer for. Look at [Analysis.AllInputs] before a bound is used: where
// it is false, the path follows from data, and the figure bounds nothing but the input
// that the launch states.
//
// # Errors
//
// Errors are values that errors.As finds:
//
//	[OptionError]       which option of an operation is wrong, and what was expected
//	[FileError]         what is wrong with a file, and where
//	[EntryError]        a PTX module has several kernels, and none was named
//	[KernelError]       what the kernel did wrong when it was executed, and where
//	[InterruptedError]  where an execution was when its context ended
//	[RefusalError]      why something is not known before the kernel runs
//	[ViolationError]    a claim of this package was found to be false
//	[ExitError]         a RISC-V program failed
//
// The last two come beside a complete result; results of several launches and of
// makespans come with what was finished when the context ended. With every other error
// the result is nil.
//
// # Watching
//
// Options have a Progress, which is told now and then how far an operation is, one
// call at a time. A simulation tells SimulateOptions.Observe every [Event]. Both are
// called by the operation itself, so they should be quick.
//
// # Beside this package
//
// gpu holds descriptions of GPUs, launch what launches are made of, bound what bounds
// are, ptx the syntax of PTX, isa programs as timing sees them. All else is internal.
// docs/rationale.md says what of it is promised to stay.
package warpbound
