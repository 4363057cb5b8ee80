package simt

import (
	"fmt"

	"github.com/warpbound/warpbound/isa"
)

// TaintKind says what depends on data that an analysis must not rely on.
type TaintKind uint8

// The kinds of taint.
const (
	// TaintBranch: where lanes go next, exits and returns included.
	TaintBranch TaintKind = iota + 1
	// TaintAddress: which addresses an instruction accesses, or whether it does.
	TaintAddress
	// TaintBarrier: the number or thread count of a barrier, or who arrives.
	TaintBarrier
	// TaintOrder: a known buffer holds what depends on the order of blocks.
	TaintOrder
	// TaintUnfollowed: the flow of data is not followed, so that everything from
	// this instruction on may depend on it.
	TaintUnfollowed
	// TaintOpen: the instruction set leaves the result open. It is no dependence
	// itself, but where one may start.
	TaintOpen
)

func (k TaintKind) String() string {
	return [...]string{"none", "branch", "address", "barrier", "order", "unfollowed", "open"}[k]
}

// Taint is an instruction whose effect on the path depends on input data: the
// path observed then holds for these inputs only.
type Taint struct {
	PC       int32
	Kind     TaintKind
	Pos      isa.Position
	Source   isa.Position
	Register string // the register that carries the dependence, "" where none
}

func (t Taint) String() string {
	if t.Kind == TaintUnfollowed {
		return fmt.Sprintf("%s: what depends on input data is not followed from pc %d on", t.Pos, t.PC)
	}
	if t.Kind == TaintOpen {
		return fmt.Sprintf("%s: the instruction set leaves the result at pc %d open", t.Pos, t.PC)
	}
	s := fmt.Sprintf("%s: %s at pc %d depends on input data", t.Pos, t.Kind, t.PC)
	if t.Register != "" {
		s += " through " + t.Register
	}
	return s
}

// Tainted is a kernel that follows which values depend on buffers whose contents
// an analysis may not rely on.
type Tainted interface {
	Kernel
	// Taints lists the branches, addresses and barriers that were seen to depend
	// on such buffers, by PC.
	Taints() []Taint
	// Open lists what was seen to depend on results that the instruction set leaves
	// open, beyond what Taints lists, and the instructions that gave such results.
	Open() (depend, results []Taint)
}
