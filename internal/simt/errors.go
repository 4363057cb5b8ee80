package simt

import (
	"errors"
	"fmt"

	"github.com/warpbound/warpbound/isa"
)

// The kinds of run-time errors; a *RuntimeError wraps one of them.
var (
	ErrOutOfBounds      = errors.New("out of bounds access")
	ErrMisaligned       = errors.New("misaligned access")
	ErrDeadlock         = errors.New("barrier deadlock")
	ErrEndlessLoop      = errors.New("endless loop")
	ErrInstructionLimit = errors.New("instruction limit reached")
	ErrUnsupported      = errors.New("instruction not executed by this machine")
	ErrTrap             = errors.New("trap")
	ErrLoopBound        = errors.New("bound on a loop exceeded")
	ErrFact             = errors.New("a fact of the launch does not hold")
	ErrCallDepth        = errors.New("call depth exceeded")
	ErrInvalid          = errors.New("invalid execution state")
)

// RuntimeError is what a kernel did wrong while it ran, and where.
type RuntimeError struct {
	Kind   error  // one of the errors above
	Detail string // what exactly, in a sentence fragment
	Block  int64  // block number
	Thread int    // linear thread number in its block; -1 where no single thread is at fault
	PC     int32  // instruction index; isa.NoPC where none
	Pos    isa.Position
	Source isa.Position
}

func (e *RuntimeError) Error() string {
	s := ""
	if e.Pos.Line != 0 {
		s = e.Pos.String() + ": "
	}
	s += fmt.Sprintf("%v: %s (block %d", e.Kind, e.Detail, e.Block)
	if e.Thread >= 0 {
		s += fmt.Sprintf(", thread %d", e.Thread)
	}
	if e.PC != isa.NoPC {
		s += fmt.Sprintf(", pc %d", e.PC)
	}
	if e.Source.Line != 0 {
		s += ", source " + e.Source.String()
	}
	return s + ")"
}

// Locate fills in the positions of e's instruction where they are unknown.
func (e *RuntimeError) Locate(p *isa.Program) {
	if e.Pos.Line == 0 && e.PC >= 0 && int(e.PC) < len(p.Instructions) {
		e.Pos, e.Source = p.Instructions[e.PC].Pos, p.Instructions[e.PC].Source
	}
}

func (e *RuntimeError) Unwrap() error { return e.Kind }
