package analysis

import (
	"cmp"
	"context"
	"slices"

	"github.com/warpbound/warpbound/internal/choice"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/multiphase"
	"github.com/warpbound/warpbound/isa"
)

// WorstPath is a path of one warp alone, of those that data choose among, that takes long.
type WorstPath struct {
	// Cycles is the bound of this path by SUM, Most that of all paths.
	Cycles, Most int64
	Lines        []WorstLine
	Choices      []WorstChoice // what data have to decide for it, in the order of the kernel
}

// WorstLine is a line of the source, or of the kernel's file where it names none.
type WorstLine struct {
	Pos              isa.Position
	Instructions     int64 // executed on the path
	InitiationCycles int64 // of them
}

// WorstChoice is what data decide at a place.
type WorstChoice struct {
	Pos isa.Position // of the first instruction that it is about
	// Times is how often what begins there is executed, each time the warp comes to it,
	// and Most how often it may be.
	Times, Most int64
}

// mostEvaluated is how many paths are compared, times the choices of each.
const mostEvaluated = 20_000

// Worst finds a path of the slowest warp; nil where data choose nothing. Choices are made
// one after the other, the outer ones first, each so that the paths left take longest, and
// alike in all iterations of a loop: there may be a path that takes longer, but none
// longer than Most.
func (r *Report) Worst(ctx context.Context) (*WorstPath, error) {
	if r.SeveralPaths() == nil || !r.profiled() {
		return nil, nil
	}
	l, err := multiphase.Of(r.Facts)
	if err != nil {
		return nil, err
	}
	a, err := l.With(multiphase.SUM)
	if err != nil {
		return nil, err
	}
	w := worst{ctx: ctx, a: a, chosen: map[*choice.Expr]int{}}
	var slowest *method.Stream
	for _, s := range r.Alone() {
		if len(s.Choices) != 1 || s.Stages != nil || s.Limits != nil {
			continue
		}
		cycles, err := w.cycles(s.Ops, s.Choices[0])
		if err != nil {
			return nil, err
		}
		if slowest == nil || cycles > w.most {
			slowest, w.most = s, cycles
		}
	}
	if slowest == nil {
		return nil, nil
	}
	return w.find(r, slowest)
}

// worst looks for a path that takes long.
type worst struct {
	ctx    context.Context
	a      *multiphase.Analyzer
	most   int64
	chosen map[*choice.Expr]int // option by node
}

// cycles is the bound of the paths of an expression.
func (w *worst) cycles(ops []method.Op, e *choice.Expr) (int64, error) {
	res, err := w.a.Warp(w.ctx, &method.Stream{Ops: ops, Choices: []*choice.Expr{e}})
	if err != nil {
		return 0, err
	}
	if b := res.Bound(multiphase.SUM); b != nil {
		return b.Cycles, nil
	}
	return 0, nil
}

func (w *worst) find(r *Report, s *method.Stream) (*WorstPath, error) {
	path, nodes, err := w.choose(s.Ops, s.Choices[0])
	if err != nil {
		return nil, err
	}
	out := &WorstPath{Most: w.most}
	if out.Cycles, err = w.cycles(s.Ops, path); err != nil {
		return nil, err
	}
	counts := make([]int64, len(r.Path.Symbols))
	countSymbols(path, counts, 1)
	out.Lines = r.worstLines(counts)
	out.Choices = w.choices(r, nodes)
	return out, nil
}

// choose is a path of an expression that takes long, and what was chosen for it. No path
// takes longer than w.most.
func (w *worst) choose(ops []method.Op, e *choice.Expr) (path *choice.Expr, nodes []*choice.Expr, err error) {
	seen := map[*choice.Expr]bool{}
	var collect func(*choice.Expr)
	collect = func(x *choice.Expr) {
		if seen[x] || !x.Choices() {
			return
		}
		seen[x] = true
		switch x.Kind() {
		case choice.One, choice.Any, choice.AtMost:
			nodes = append(nodes, x)
		}
		for _, p := range x.Parts() {
			collect(p)
		}
		if x.Body() != nil {
			collect(x.Body())
		}
	}
	collect(e)
	evaluated, now := 0, w.most
	for _, x := range nodes {
		best, most := longestOption(x), int64(-1)
		for i := range options(x) {
			if most == now || evaluated*len(nodes) >= mostEvaluated {
				break // as long as can be
			}
			evaluated++
			w.chosen[x] = i
			path, err := w.resolve(e)
			if err != nil {
				return nil, nil, err
			}
			cycles, err := w.cycles(ops, path)
			if err != nil {
				return nil, nil, err
			}
			if cycles > most {
				best, most = i, cycles
			}
		}
		w.chosen[x] = best
		if most >= 0 {
			now = most
		}
	}
	path, err = w.resolve(e)
	return path, nodes, err
}

// options is how many single ways a node has that are tried: of one of several each, of
// at most n all and none, of any in any order all in either order, and each alone.
func options(x *choice.Expr) int {
	switch x.Kind() {
	case choice.AtMost:
		return 2
	case choice.Any:
		return len(x.Parts()) + 2
	}
	return len(x.Parts())
}

// longestOption is what is chosen unseen: all that can be, or the most instructions.
func longestOption(x *choice.Expr) int {
	switch x.Kind() {
	case choice.AtMost:
		return 0
	case choice.Any:
		return len(x.Parts())
	}
	most := 0
	for i, p := range x.Parts() {
		if p.Len() > x.Parts()[most].Len() {
			most = i
		}
	}
	return most
}

// resolve is the expression with what was chosen so far, made anew.
func (w *worst) resolve(e *choice.Expr) (*choice.Expr, error) {
	b := choice.NewBuilder()
	made := map[*choice.Expr]*choice.Expr{}
	var build func(*choice.Expr) (*choice.Expr, error)
	all := func(list []*choice.Expr) ([]*choice.Expr, error) {
		var out []*choice.Expr
		for _, p := range list {
			q, err := build(p)
			if err != nil {
				return nil, err
			}
			out = append(out, q)
		}
		return out, nil
	}
	build = func(x *choice.Expr) (out *choice.Expr, err error) {
		if out = made[x]; out != nil {
			return out, nil
		}
		defer func() { made[x] = out }()
		i, decided := w.chosen[x]
		if x.Kind() == choice.Run || x.Kind() == choice.Empty {
			return b.Run(x.Run()...)
		}
		parts, err := all(x.Parts())
		if err != nil {
			return nil, err
		}
		var body *choice.Expr
		if x.Body() != nil {
			if body, err = build(x.Body()); err != nil {
				return nil, err
			}
		}
		switch {
		case x.Kind() == choice.Repeat || x.Kind() == choice.AtMost && decided && i == 0:
			return b.Repeat(x.Count(), body)
		case x.Kind() == choice.AtMost && decided:
			return b.Empty(), nil
		case x.Kind() == choice.AtMost:
			return b.AtMost(x.Count(), body)
		case x.Kind() == choice.One && decided:
			return parts[i], nil
		case x.Kind() == choice.One:
			return b.One(parts...)
		case x.Kind() == choice.Any && decided && i < len(parts):
			return parts[i], nil
		case x.Kind() == choice.Any && decided:
			if i > len(parts) {
				slices.Reverse(parts)
			}
			return b.Concat(parts...)
		case x.Kind() == choice.Any:
			return b.Any(parts...)
		}
		return b.Concat(parts...)
	}
	return build(e)
}

// countSymbols adds how often symbols come in the one path of an expression.
func countSymbols(e *choice.Expr, counts []int64, times int64) {
	for _, s := range e.Run() {
		counts[s] += times
	}
	for _, p := range e.Parts() {
		countSymbols(p, counts, times)
	}
	if e.Body() != nil {
		countSymbols(e.Body(), counts, times*e.Count())
	}
}

// worstLines adds up what instructions take by line, those that take most first.
func (r *Report) worstLines(counts []int64) []WorstLine {
	at := map[isa.Position]*WorstLine{}
	ops := r.Ops()
	for s, n := range counts {
		if n == 0 {
			continue
		}
		pos := lineOf(&r.Program.Instructions[r.Path.Symbols[s].PC])
		l := at[pos]
		if l == nil {
			l = &WorstLine{Pos: pos}
			at[pos] = l
		}
		l.Instructions += n
		l.InitiationCycles += n * ops[s].InitCycles
	}
	var out []WorstLine
	for _, l := range at {
		out = append(out, *l)
	}
	slices.SortFunc(out, func(a, b WorstLine) int {
		return cmp.Or(cmp.Compare(b.InitiationCycles, a.InitiationCycles), comparePositions(a.Pos, b.Pos))
	})
	return out
}

// lineOf is the line of an instruction in the source, or in the kernel's file.
func lineOf(in *isa.Instruction) isa.Position {
	pos := in.Pos
	if in.Source != (isa.Position{}) {
		pos = in.Source
	}
	pos.Col = 0
	return pos
}

func comparePositions(a, b isa.Position) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
}

// choices are the decisions that the path needs, where it comes to them.
func (w *worst) choices(r *Report, nodes []*choice.Expr) []WorstChoice {
	var out []WorstChoice
	add := func(x *choice.Expr, times, most int64) {
		symbols := x.Symbols()
		if len(symbols) == 0 {
			return
		}
		pc := r.Path.Symbols[symbols[0]].PC
		for _, s := range symbols {
			pc = min(pc, r.Path.Symbols[s].PC)
		}
		c := WorstChoice{Pos: r.Program.Instructions[pc].Pos, Times: times, Most: most}
		if !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	for _, x := range nodes {
		i := w.chosen[x]
		switch x.Kind() {
		case choice.AtMost:
			add(x.Body(), x.Count()*int64(1-i), x.Count())
		case choice.One, choice.Any:
			for j, p := range x.Parts() {
				taken := int64(0)
				if i == j || i >= len(x.Parts()) {
					taken = 1
				}
				add(p, taken, 1)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b WorstChoice) int { return comparePositions(a.Pos, b.Pos) })
	return out
}
