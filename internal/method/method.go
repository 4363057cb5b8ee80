package method

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/bound"
)

// MachineKind is the kind of machine that a bound is of.
type MachineKind int

// The kinds of machines.
const (
	// Plain: memory by the latencies of the timing table, the next instruction
	// always at hand, any work-conserving policy.
	Plain MachineKind = iota
	// WithFrontEnd: a plain machine behind the front end of its description, under
	// the declared policies.
	WithFrontEnd
	// InOrder: caches behind a unit that enforces an order of the accesses, any
	// work-conserving policy.
	InOrder
	// InTurns: a policy that gives warps strict turns, with or without an enforced
	// order of the accesses.
	InTurns
)

// Need is what a method reads of the path.
type Need int

// What methods read.
const (
	// Counts: how often each instruction is executed, in any order.
	Counts Need = iota
	// Sections: the folded sequence of every warp between barriers.
	Sections
	// Sequences: the folded sequence of every warp, and how warps wait for one another.
	Sequences
	// Accesses: every global access with its addresses, in an enforced order.
	Accesses
)

// Method is a way to bound the time of a launch.
type Method struct {
	Name string // on the command line and in reports
	Doc  string // one line, without a full stop
	// Theorems of docs/soundness that prove it; several where the scope or the
	// hardware decides.
	Theorems []int
	Machine  MachineKind
	Need     Need
	Scopes   []bound.Scope
	// Unsafe says that a bound may be marked unsafe: a published figure whose
	// condition does not hold everywhere.
	Unsafe bool
	// Choices says that the method bounds warps that may take several paths
	// (docs/soundness/inputs.md, theorem 41 (every path)); others are refused there.
	Choices bool
	// OnRequest, where not nil, says that the method is left out for this launch
	// unless it was asked for by name.
	OnRequest func(*Facts) bool
	// Applies is nil where the method gives a bound on a part, or else the reason
	// for which it does not. A nil function always applies.
	Applies func(*Facts, Part) *bound.Refusal
	// Run computes the bound. An error that is a *bound.Refusal says that there is
	// none; any other that it could not be computed.
	Run func(context.Context, *Facts, Part) (*bound.Bound, error)
	// Costs, where not nil, are the cycles of the bound on the whole launch by instruction.
	// They add up to it, and to each of its parts. One may be negative: what facts about
	// several places take from a sum.
	Costs func(context.Context, *Facts, PathOf) ([]Cost, error)
}

// Slowest as Part.Index means the part of the scope for which the bound is
// largest.
const Slowest = -1

// Part is what of a launch a bound is on: with scope Warp the warp Facts.Alone
// [Index] by itself, with Block a block of the class Facts.Classes[Index], with SM
// or Kernel the whole launch.
type Part struct {
	Scope bound.Scope
	Index int
}

// Whole tells whether the part is the whole launch.
func (p Part) Whole() bool { return p.Scope != bound.Warp && p.Scope != bound.Block }

// On tells whether the method bounds parts of a scope.
func (m *Method) On(s bound.Scope) bool { return slices.Contains(m.Scopes, s) }

// Check tells what the entry lacks.
func (m *Method) Check() error {
	switch {
	case m.Name == "" || strings.ToLower(m.Name) != m.Name:
		return fmt.Errorf("method %q: expected a name in lower case", m.Name)
	case m.Doc == "" || strings.HasSuffix(m.Doc, ".") || strings.Contains(m.Doc, "\n"):
		return fmt.Errorf("method %s: expected one line that says what it is, without a full stop", m.Name)
	case len(m.Theorems) == 0:
		return fmt.Errorf("method %s names no theorem", m.Name)
	case len(m.Scopes) == 0 || m.Run == nil:
		return fmt.Errorf("method %s bounds nothing", m.Name)
	case m.Machine == InOrder && m.Need != Accesses, (m.Machine == Plain || m.Machine == WithFrontEnd) && m.Need == Accesses:
		return fmt.Errorf("method %s reads what is not recorded of its machine", m.Name)
	}
	return nil
}
