package warpbound

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/internal/cache/l1d"
	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/makespan/study"
	"github.com/warpbound/warpbound/internal/rv"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// FileError is one thing that is wrong with a file of the user's, of whatever kind:
// a launch file, PTX, a RISC-V program, a GPU description, C. An error can hold
// several; [FileErrors] lists them, errors.As finds the first.
type FileError struct {
	Pos isa.Position // a Line of 0 means that the file is all that is known
	Msg string       // what was found, and what was expected
}

func (e *FileError) Error() string {
	if e.Pos.Line == 0 {
		return e.Pos.File + ": " + e.Msg
	}
	return e.Pos.String() + ": " + e.Msg
}

// FileErrors lists everything that err says is wrong with files, in their order.
func FileErrors(err error) []*FileError {
	var e *explained
	if errors.As(err, &e) {
		return slices.Clone(e.files)
	}
	return fileErrors(err)
}

// EntryError says that a PTX module has several kernels and none was named, or that
// it has none of the name. No kernel is ever chosen for the caller.
type EntryError struct {
	FileError
	Module  string   // path of the PTX file
	Entry   string   // the name asked for, "" where none was
	Entries []string // the kernels of the module, in its order
}

// Unwrap gives the place and the message alone.
func (e *EntryError) Unwrap() error { return &e.FileError }

// KernelError is what a kernel did wrong while it was executed, and where.
type KernelError struct {
	// Kind is one of [ErrOutOfBounds], [ErrMisaligned], [ErrDeadlock] and those
	// beside them; errors.Is finds it.
	Kind   error
	Block  int64        // number of the block in the grid
	Thread int          // number of the thread in its block, -1 where no single one is at fault
	PC     int32        // index of the instruction, isa.NoPC where there is none
	Pos    isa.Position // of the instruction in the kernel's file
	Source isa.Position // in the language the kernel was written in, where that is known

	text string
}

func (e *KernelError) Error() string { return e.text }

// Unwrap gives Kind.
func (e *KernelError) Unwrap() error { return e.Kind }

// What a kernel can do wrong, as KernelError.Kind.
var (
	ErrOutOfBounds      = simt.ErrOutOfBounds
	ErrMisaligned       = simt.ErrMisaligned
	ErrDeadlock         = simt.ErrDeadlock // at barriers
	ErrEndlessLoop      = simt.ErrEndlessLoop
	ErrInstructionLimit = simt.ErrInstructionLimit // MaxInstructions of the options
	ErrUnsupported      = simt.ErrUnsupported
	ErrTrap             = simt.ErrTrap
	ErrCallDepth        = simt.ErrCallDepth
	ErrLoopBound        = simt.ErrLoopBound // a bound of the launch on a loop, for every input
	ErrFact             = simt.ErrFact      // another fact of the launch, or one in this execution
)

// How a simulation can end early besides a KernelError.
var (
	ErrMaxCycles = sim.ErrMaxCycles // MaxCycles of the options was reached
	ErrStuck     = sim.ErrStuck     // the policy never selects a warp again
	// ErrAccessOrder: accesses do not come in the order that the reordering unit
	// enforces, and it waits for ever.
	ErrAccessOrder = sim.ErrAccessOrder
)

// InterruptedError says where an execution was when its context ended. Its cause,
// such as context.Canceled, is found by errors.Is.
type InterruptedError struct {
	Instructions int64        // warp instructions executed until then
	Cycle        int64        // -1 where the execution had no time
	Pos          isa.Position // of the instruction of a warp that could go on
	Cause        error

	text string
}

func (e *InterruptedError) Error() string { return e.text }

// Unwrap gives Cause.
func (e *InterruptedError) Unwrap() error { return e.Cause }

// RefusalError says why something cannot be computed for a kernel: what its
// accesses are depends on data that is not known before it runs.
type RefusalError struct {
	Kernel  string
	Reasons []Dependence

	text string
}

func (e *RefusalError) Error() string { return e.text }

// ViolationError says that a claim of this package is false: a bound that claims to
// cover a simulation is below it, a cache count is not what was simulated, methods for
// makespans contradict one another, or a simulation lost count of what it conserves.
// The first two come beside the result. It is a bug: please report it.
type ViolationError struct {
	Rows []Row // the rows of a comparison that contradict their bound
	text string
}

func (e *ViolationError) Error() string { return e.text }

// ExitError says that a RISC-V program ended with an exit code other than 0: what was
// found is of an execution that failed. It comes beside the result.
type ExitError struct {
	Launch  string // as Launch.Path
	Program string // its file
	Code    int32
}

func (e *ExitError) Error() string {
	return fmt.Sprintf("%s: the program ended with exit code %d: its figures are about an execution that failed", e.Launch, e.Code)
}

// explained is an error with what of it callers can ask for.
type explained struct {
	err   error
	as    []error
	files []*FileError
}

func (e *explained) Error() string { return e.err.Error() }

func (e *explained) Unwrap() []error { return append(slices.Clone(e.as), e.err) }

// explain gives an error the types of this package. nil stays nil.
func explain(err error) error {
	if err == nil {
		return nil
	}
	var many *method.BlocksError
	if errors.As(err, &many) {
		return &OptionError{Option: "BlocksPerSM", Value: many.Asked, Msg: many.Expected()}
	}
	e := &explained{err: err, files: fileErrors(err)}
	var entry *load.EntryError
	if errors.As(err, &entry) {
		e.as = append(e.as, &EntryError{FileError: *ofConf(entry.At), Module: entry.Module, Entry: entry.Entry, Entries: slices.Clone(entry.Entries)})
	}
	for _, f := range e.files {
		e.as = append(e.as, f)
	}
	var failed *simt.RuntimeError
	if errors.As(err, &failed) {
		e.as = append(e.as, &KernelError{
			Kind: failed.Kind, Block: failed.Block, Thread: failed.Thread, PC: failed.PC, Pos: failed.Pos, Source: failed.Source, text: err.Error(),
		})
	}
	var cut *simt.Interrupted
	if errors.As(err, &cut) {
		e.as = append(e.as, &InterruptedError{Instructions: cut.Instructions, Cycle: cut.Cycle, Pos: cut.Pos, Cause: cut.Err, text: cut.Error()})
	}
	var unknown *l1d.NotAnalysable
	if errors.As(err, &unknown) {
		no := &RefusalError{Kernel: unknown.Kernel, text: err.Error()}
		for i := range unknown.Reasons {
			no.Reasons = append(no.Reasons, dependence(&unknown.Reasons[i].Taint))
		}
		e.as = append(e.as, no)
	}
	var fault *study.ContradictionError
	if errors.As(err, &fault) || errors.Is(err, sim.ErrConservation) {
		e.as = append(e.as, &ViolationError{text: err.Error()})
	}
	if len(e.as) == 0 {
		return err
	}
	return e
}

// explainOf is explain for an error about a launch, with its place.
func explainOf(l *load.Opened, err error) error { return explain(l.Place(err)) }

// fileErrors lists the errors of files that err holds.
func fileErrors(err error) []*FileError {
	var out []*FileError
	var walk func(error)
	walk = func(err error) {
		switch e := err.(type) {
		case nil:
			return
		case *FileError:
			out = append(out, e)
			return
		case *conf.Error:
			out = append(out, ofConf(e))
			return
		case *rv.FormatError:
			out = append(out, &FileError{Pos: isa.Position{File: e.File}, Msg: e.Reason})
			return
		}
		switch e := err.(type) {
		case interface{ Unwrap() error }:
			walk(e.Unwrap())
		case interface{ Unwrap() []error }:
			for _, x := range e.Unwrap() {
				walk(x)
			}
		}
	}
	walk(err)
	return out
}

func ofConf(e *conf.Error) *FileError {
	return &FileError{Pos: e.Pos, Msg: e.Msg}
}

// OptionError says which option of an operation is wrong, and what was expected.
type OptionError struct {
	Option string // a field of the options, as "L1Order" or "FrontEnd.Variant"
	With   string // another one that it does not go with, "" where it is wrong by itself
	Value  any    // that was given, a string or a number; nil where it does not matter
	Other  string // the value of With, "" where it does not matter
	Msg    string
}

func (e *OptionError) Error() string { return e.Spelled(func(option string) string { return option }) }

// Spelled is the message for those who know options by other names, such as flags.
func (e *OptionError) Spelled(name func(option string) string) string {
	out := name(e.Option)
	switch value := e.Value.(type) {
	case nil:
	case string:
		out += fmt.Sprintf(" %q", value)
	default:
		out += fmt.Sprintf(" %v", value)
	}
	if e.With != "" {
		out += " with " + name(e.With)
		if e.Other != "" {
			out += " " + e.Other
		}
	}
	return out + ": " + e.Msg
}

// oneOf checks a word of an option.
func oneOf(option, value string, words ...string) error {
	if slices.Contains(words, value) {
		return nil
	}
	return &OptionError{Option: option, Value: value, Msg: conf.Suggest(value, words)}
}

// atLeast checks a number of an option.
func atLeast(option string, value, least int64) error {
	if value < least {
		return &OptionError{Option: option, Value: value, Msg: fmt.Sprintf("expected %d or more", least)}
	}
	return nil
}

// violations is the error of rows that contradict their bounds, nil where none does.
func violations(rows []Row) error {
	var wrong []Row
	var text []string
	for i := range rows {
		if r := &rows[i]; r.Violation() {
			wrong = append(wrong, *r)
			text = append(text, fmt.Sprintf("%s on %s under %s: the bound %s is %d cycles, but the simulation took %d", r.Kernel, r.GPU, r.Policy, r.Method, r.BoundCycles, r.SimulatedCycles))
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return &ViolationError{Rows: wrong, text: strings.Join(text, "\n")}
}
