package replay

import (
	"fmt"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/seq"
)

// AnyPolicy is the name of the bound for every work-conserving policy.
const AnyPolicy = "sum-nops"

// AnyPolicyTheorem is where its proof is.
const AnyPolicyTheorem = "docs/soundness.md, theorem 33"

// Extension is what the front end adds to the work of a scope under SWaS, at most
// (docs/soundness/frontends.md, theorem 33 (SWaS, every policy)).
type Extension struct {
	NOPs   int64 // issue slots they take, those for misses aside
	Lines  int64 // cycles in which a line is on its way, or a NOP for a miss issues
	Starts int64 // cycles in which warps wait for their activation
}

// Extend bounds what the front end adds to blocks of an input, all of the classes
// given, which execute one after the other. It is refused where the bound does not
// hold: without SWaS, for strict policies, and where the program does not fit the
// instruction cache.
func (m *Core) Extend(in *Input, order []Stretch) (Extension, *bound.Refusal) {
	f := &m.Front
	refuse := func(a bound.ID, format string, args ...any) (Extension, *bound.Refusal) {
		return Extension{}, &bound.Refusal{Method: AnyPolicy, Reason: fmt.Sprintf(format, args...), Assumption: a}
	}
	if !f.SWaS {
		return refuse(bound.FrontEndAsDescribed, "with two schedulers a warp can wait for the fetch stage, which serves others")
	}
	if f.Issue.strict() {
		return refuse(bound.WorkConserving, "policy %s idles though a warp is ready", f.Issue)
	}
	for _, b := range in.Blocks {
		if b.Asleep != nil {
			return refuse(bound.BarrierKind, "warps start one another")
		}
	}
	lines, fits := f.ICache.holds(in.Code)
	if !fits {
		return refuse(bound.ICacheAtStart, "the program does not fit the instruction cache, so that a warp can miss whatever it has fetched")
	}
	var c counter
	taken := map[*seq.Seq]transitions{}
	var blocks int64
	for _, o := range order {
		blocks = c.add(blocks, o.Count)
	}
	warps := c.mul(blocks, int64(len(in.Blocks[0].Warps)))
	var jumps int64
	for _, o := range order {
		for _, s := range in.Blocks[o.Class].Warps {
			if s != nil {
				jumps = c.add(jumps, c.mul(o.Count, in.transitions(s, taken, &c).taken))
			}
		}
	}
	// What queues hold at activation and when a branch is taken; what is issued behind
	// a branch or the end before it is resolved. NOPs for misses cost nothing: a
	// request that misses belongs to an issue while the line is on its way.
	full := c.add(warps, jumps)
	n := c.mul(f.FetchCycles+1, full)
	n = c.add(n, c.mul(f.ResolveCycles-1, c.add(jumps, warps)))
	x := Extension{NOPs: n, Starts: c.mul(blocks, int64(len(in.Blocks[0].Warps)-1)*f.StartGapCycles)}
	if lines > 0 {
		x.Lines = c.mul(lines, f.ICache.MissCycles)
	}
	if c.over {
		return refuse(bound.FrontEndAsDescribed, "what the front end adds does not fit 62 bits")
	}
	return x, nil
}

// holds counts the lines of a program, none where every request hits, and tells
// whether they all fit.
func (c *ICache) holds(code []Instruction) (lines int64, fits bool) {
	if c.Perfect {
		return 0, true
	}
	seen := map[int64]bool{}
	bySet := make([]int, c.Sets)
	for _, i := range code {
		if seen[i.Line] {
			continue
		}
		seen[i.Line] = true
		lines++
		if bySet[i.Line%int64(c.Sets)]++; bySet[i.Line%int64(c.Sets)] > c.Ways {
			return 0, false
		}
	}
	return lines, true
}

// transitions are the steps inside a sequence that do not go to the neighbour,
// with its first and last instructions.
type transitions struct {
	taken       int64
	first, last int32
}

func (in *Input) transitions(s *seq.Seq, known map[*seq.Seq]transitions, c *counter) transitions {
	if t, ok := known[s]; ok {
		return t
	}
	var out transitions
	begun := false
	follow := func(first int32) {
		if begun && in.Ops[out.last].PC+1 != in.Ops[first].PC {
			out.taken = c.add(out.taken, 1)
		}
		if !begun {
			out.first, begun = first, true
		}
	}
	for _, it := range s.Items() {
		for _, x := range it.Symbols {
			follow(x)
			out.last = x
		}
		if it.Body == nil {
			continue
		}
		t := in.transitions(it.Body, known, c)
		follow(t.first)
		inside := t.taken
		if in.Ops[t.last].PC+1 != in.Ops[t.first].PC {
			inside = c.add(inside, 1)
			out.taken = c.add(out.taken, -1) // not after the last iteration
		}
		out.taken = c.add(out.taken, c.mul(it.Count, inside))
		out.last = t.last
	}
	known[s] = out
	return out
}

// ControlRegister makes every op wait for the resolution of the control
// instruction before it, by a register of its own: those that are not followed by
// their neighbour somewhere, or are control instructions, write it.
func (m *Core) ControlRegister(in *Input, register int32) []Op {
	jumps := make([]bool, len(in.Ops))
	seen := map[*seq.Seq]bool{}
	for _, b := range in.Blocks {
		for _, s := range b.Warps {
			if s != nil {
				in.jumps(s, jumps, seen)
			}
		}
	}
	out := make([]Op, len(in.Ops))
	for i, op := range in.Ops {
		op.Reads = append(append([]int32(nil), op.Reads...), register)
		if jumps[i] || in.Code[op.PC].Control {
			op.Writes = append(append([]int32(nil), op.Writes...), register)
			op.LatencyCycles = max(op.LatencyCycles, m.Front.ResolveCycles-op.InitCycles)
		}
		out[i] = op
	}
	return out
}

// jumps marks the ops that are not followed by their neighbour somewhere in a
// sequence, and returns its first and last op.
func (in *Input) jumps(s *seq.Seq, marked []bool, seen map[*seq.Seq]bool) (first, last int32) {
	known := seen[s]
	seen[s] = true
	first, last = -1, -1
	follow := func(a, b int32) {
		if last >= 0 && in.Ops[last].PC+1 != in.Ops[a].PC {
			marked[last] = true
		}
		if first < 0 {
			first = a
		}
		last = b
	}
	for _, it := range s.Items() {
		if it.Body != nil {
			a, b := in.jumps(it.Body, marked, seen)
			follow(a, b)
			if it.Count > 1 && in.Ops[b].PC+1 != in.Ops[a].PC {
				marked[b] = true
			}
			continue
		}
		if known {
			follow(it.Symbols[0], it.Symbols[len(it.Symbols)-1])
			continue
		}
		for _, x := range it.Symbols {
			follow(x, x)
		}
	}
	return first, last
}

// counter adds and multiplies up to maxTime.
type counter struct{ over bool }

func (c *counter) add(a, b int64) int64 {
	if a > maxTime-max(b, 0) {
		c.over = true
		return 0
	}
	return a + b
}

func (c *counter) mul(a, b int64) int64 {
	if a > 0 && b > maxTime/a {
		c.over = true
		return 0
	}
	return a * b
}

// Bound adds the extension to a bound by the charges of SUM on the ops of
// ControlRegister.
func (x Extension) Bound(sum bound.Bound, m *Core) (bound.Bound, error) {
	var c counter
	b := sum
	b.Method, b.Theorem = AnyPolicy, AnyPolicyTheorem
	b.Cycles = c.add(c.add(c.add(sum.Cycles, x.NOPs), x.Lines), x.Starts)
	if c.over {
		return b, bound.ErrOverflow
	}
	b.Breakdown = append(append([]bound.Component(nil), sum.Breakdown...),
		bound.Part(bound.NOPs, x.NOPs),
		bound.Part(bound.LinesOnTheirWay, x.Lines),
		bound.Part(bound.Activation, x.Starts))
	b.Assumptions = nil
	for _, a := range sum.Assumptions {
		if a.ID != bound.BuffersNeverEmpty {
			b.Assumptions = append(b.Assumptions, a)
		}
	}
	b.Assumptions = append(b.Assumptions,
		bound.Assume(bound.FrontEndAsDescribed, bound.Enforced, "SWaS, "+m.Front.describe()),
		bound.Assume(bound.ICacheAtStart, bound.Assumed, m.Front.ICache.describe()+"; the program fits"))
	return b, nil
}
