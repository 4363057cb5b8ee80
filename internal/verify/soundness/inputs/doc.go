// Package inputs searches for launches that are covered wrongly: what one covering
// execution says that warps may execute, for every input (simt.Coverer, path.Cover), and
// an execution with other data, or in another order, that does something else.
//
// The kernels drawn have control that depends on data nearly everywhere: branches on
// loaded values, of one lane or of all, nested and mixed with conditions on the thread;
// loops that data end early or at all, with one or several latches; branches forward into
// one another; returns and exits before and after barriers; calls, of functions that
// return in some lanes or call themselves; guarded accesses, accesses at loaded
// addresses, and everything that passes values on: shared, local and known global
// memory, atomics, exchanges among lanes.
//
// Each launch is executed many times, with contents of the unknown buffer drawn from
// distributions that make all lanes agree, one differ, or all differ. What the executions
// show of the trips of loops is what the covering execution is told under LoopBounds,
// where it is told anything. Then every warp of every execution has to take a path of its
// expression, and no instruction comes more often than the heaviest path has it. The
// bound on what is covered has a certificate that the checker accepts, of no larger a
// figure.
//
// Small scopes are tried completely: every kernel of a few blocks, with any branch behind
// each, and all data of a few bits, block by block and in closed form.
//
//	Run          drawn kernels
//	Scopes       small scopes; Scope.Run tries one
//	RunPrograms  drawn RISC-V programs
//	Draw         the kernel of a seed
//	Covers       whether a sequence is a path of an expression
package inputs
