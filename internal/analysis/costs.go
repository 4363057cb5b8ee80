package analysis

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/choice"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/multiphase"
	"github.com/warpbound/warpbound/isa"
)

// What the cycles of a bound may be listed by.
const (
	ByLine        = "line"
	ByInstruction = "instruction"
	ByLoop        = "loop"
	ByUnit        = "unit"
	// ByCall is by line of the function that is no inlined one: that of the outermost call.
	ByCall  = "call"
	ByArray = "array"
)

// CostsBy are the names of what cycles may be listed by.
var CostsBy = []string{ByLine, ByCall, ByInstruction, ByLoop, ByUnit, ByArray}

// Attribution is the cycles of a bound on the whole launch by what they belong to.
type Attribution struct {
	By    string
	Bound *bound.Bound
	Rows  []CostRow // those with most cycles first; they add up to the bound
}

// CostRow is the cycles of a bound that belong to a line, an instruction, a loop or a unit,
// or to none of these.
type CostRow struct {
	Name string
	Pos  isa.Position // of a line or an instruction; zero otherwise
	// InlinedAt are the calls in whose place instructions of a line stand, in order.
	InlinedAt []isa.Position
	// Cycles is the sum of those on the longest chain, by why the chain goes through an
	// instruction (Issue, Occupied, Awaited), of those that others charge, and of Other:
	// delays, and what belongs to no single path.
	Cycles, Issue, Occupied, Awaited, Charged, Other int64
	Parts                                            map[bound.PartID]int64 // of the bound
}

// Attribute lists the cycles of the bound that Costs is of; nil where no bound is safe.
func (r *Report) Attribute(ctx context.Context, by string) (*Attribution, error) {
	costs, b, err := r.Costs(ctx)
	if err != nil || b == nil {
		return nil, err
	}
	on := places{program: r.Program, machine: r.Machine, timing: r.Timing, source: r.Source}
	for _, c := range r.Path.Classes {
		on.blocks = append(on.blocks, c.First)
	}
	place, err := on.placer(ctx, by)
	if err != nil {
		return nil, err
	}
	out := &Attribution{By: by, Bound: b}
	at := map[costKey]int{}
	for _, c := range costs {
		key := costKey{Name: "delays of barriers and starts of blocks"}
		switch {
		case c.Symbol >= 0:
			key = place(r.Path.Symbols[c.Symbol].PC)
		case c.Kind == method.Joined && c.Cycles < 0:
			key.Name = "facts, which the path that stands for all does not respect"
		case c.Kind == method.Joined:
			key.Name = "several paths, of which none takes all"
		case c.Kind == method.Undivided:
			key.Name = "no single instruction: " + bound.Part(c.Part, 0).Name
		}
		i, ok := at[key]
		if !ok {
			i = len(out.Rows)
			at[key] = i
			out.Rows = append(out.Rows, CostRow{Name: key.Name, Pos: key.Pos, Parts: map[bound.PartID]int64{}})
		}
		row := &out.Rows[i]
		if by == ByLine && c.Symbol >= 0 {
			row.InlinedAt = inlinedAt(row.InlinedAt, r.Program.Instructions[r.Path.Symbols[c.Symbol].PC].Inlined)
		}
		row.Cycles += c.Cycles
		row.Parts[c.Part] += c.Cycles
		switch c.Kind {
		case method.Issue:
			row.Issue += c.Cycles
		case method.Occupied:
			row.Occupied += c.Cycles
		case method.Awaited:
			row.Awaited += c.Cycles
		case method.Charged:
			row.Charged += c.Cycles
		default:
			row.Other += c.Cycles
		}
	}
	slices.SortStableFunc(out.Rows, func(a, b CostRow) int {
		return cmp.Or(cmp.Compare(b.Cycles, a.Cycles), comparePositions(a.Pos, b.Pos), cmp.Compare(a.Name, b.Name))
	})
	return out, nil
}

// inlinedAt adds the place of the innermost call to a list, in order.
func inlinedAt(list []isa.Position, calls []isa.Inlined) []isa.Position {
	if len(calls) == 0 {
		return list
	}
	at := calls[0].At
	at.Col = 0
	i, known := slices.BinarySearchFunc(list, at, comparePositions)
	if known {
		return list
	}
	return slices.Insert(list, i, at)
}

// costKey is what cycles belong to.
type costKey struct {
	Name string
	Pos  isa.Position
}

// Costs are the cycles of the best bound on the whole launch by instruction; there are none,
// and no bound, where none is safe. They add up to it. Those of a method that does not say
// what its cycles belong to are one of each part of the bound, and belong to no instruction.
func (r *Report) Costs(ctx context.Context) (costs []method.Cost, attributed *bound.Bound, err error) {
	attributed = r.Best
	if attributed == nil {
		return nil, nil, nil
	}
	if costs, err = r.CostsOf(ctx, attributed); err != nil {
		return nil, nil, err
	}
	return costs, attributed, nil
}

// CostsOf are the cycles of a bound on the whole launch by instruction. They add up to it,
// and to each of its parts.
func (r *Report) CostsOf(ctx context.Context, b *bound.Bound) ([]method.Cost, error) {
	var costs []method.Cost
	if m := Lookup(b.Method); m != nil && m.Costs != nil && r.Question.Machine() == m.Machine {
		var err error
		if costs, err = m.Costs(ctx, r.Facts, r.longPath()); err != nil {
			return nil, fmt.Errorf("%s: %w", b.Method, err)
		}
	} else {
		costs = method.UndividedCosts(b)
	}
	parts := map[bound.PartID]int64{}
	for _, c := range costs {
		parts[c.Part] += c.Cycles
	}
	sum := int64(0)
	for _, p := range b.Breakdown {
		sum += parts[p.ID]
		if parts[p.ID] != p.Cycles {
			return nil, fmt.Errorf("costs of %s add up to %d cycles, the bound by %s has %d", p.ID, parts[p.ID], b.Method, p.Cycles)
		}
		delete(parts, p.ID)
	}
	if sum != b.Cycles || len(parts) > 0 {
		return nil, fmt.Errorf("costs add up to %d cycles, the bound by %s is %d", sum, b.Method, b.Cycles)
	}
	return costs, nil
}

// longPath finds the path of an expression that Worst shows.
func (r *Report) longPath() method.PathOf {
	return func(ctx context.Context, s *method.Stream, section int) (*choice.Expr, error) {
		l, err := multiphase.Of(r.Facts)
		if err != nil {
			return nil, err
		}
		a, err := l.With(multiphase.SUM)
		if err != nil {
			return nil, err
		}
		w := worst{ctx: ctx, a: a, chosen: map[*choice.Expr]int{}}
		e := s.Choices[section]
		if w.most, err = w.cycles(s.Ops, e); err != nil {
			return nil, err
		}
		path, _, err := w.choose(s.Ops, e)
		return path, err
	}
}
