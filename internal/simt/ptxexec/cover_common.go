package ptxexec

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
)

// What the warps of a block have in common is named: two warps of which an unknown, an
// affine value or a predicate has the same name find the same there in every execution.
// Names are made of what a value is computed from: coordinates of the block, arguments,
// elements of memory that nobody writes, the number of an iteration that warps have begun
// together.

// name makes an unknown one that all warps find under that name; an empty one is none.
func (w *coverWarp) name(of int32, name string) {
	r := w.run
	if r.common == nil || name == "" {
		return
	}
	n, ok := r.common[name]
	if !ok {
		n = int32(len(r.common) + 1)
		r.common[name] = n
	}
	w.closed.unknowns[of].common = n
}

// named is the name of a value that is the same in all lanes of m; empty where it has
// none.
func (w *coverWarp) named(a *affine, m uint32) string {
	if w.run.common == nil || a == nil || m == 0 || m&^a.lanes != 0 {
		return ""
	}
	first := a.off[bits.TrailingZeros32(m)&31]
	for left := m; left != 0; left &= left - 1 {
		if a.off[bits.TrailingZeros32(left)&31] != first {
			return ""
		}
	}
	// In order of the names, which is the same in all warps.
	terms := make([]term, 0, len(a.terms))
	for _, t := range a.terms {
		of := &w.closed.unknowns[t.of]
		if of.common == 0 {
			return ""
		}
		at := 0
		for at < len(terms) && terms[at].of < of.common {
			at++
		}
		if at < len(terms) && terms[at].of == of.common {
			terms[at].factor += t.factor
			continue
		}
		terms = append(terms, term{})
		copy(terms[at+1:], terms[at:])
		terms[at] = term{of.common, t.factor}
	}
	out := binary.AppendVarint([]byte{'v', byte(len(terms))}, first)
	for _, t := range terms {
		out = binary.AppendVarint(binary.AppendVarint(out, int64(t.of)), t.factor)
	}
	return string(out)
}

// namedPredicate is the name of a predicate that is the same in all lanes of m.
func (w *coverWarp) namedPredicate(p int32, m uint32) string {
	switch {
	case w.run.common == nil || m == 0:
		return ""
	case p < 0:
		return "-;"
	}
	switch missing := w.taint().preds[p] & m; missing {
	case 0:
		switch w.preds[p] & m {
		case 0:
			return "0;"
		case m:
			return "1;"
		}
	case m:
		if q := w.closed.preds[p]; q != nil && m&^q.lanes == 0 {
			return q.name
		}
	}
	return ""
}

// namedResult is the name of what an instruction computes in the lanes of m, before it is
// executed; empty where an operand has none.
func (w *coverWarp) namedResult(in *instr, m uint32) string {
	if w.run.common == nil || !w.function(in) {
		return ""
	}
	var out strings.Builder
	fmt.Fprintf(&out, "i%d:", w.run.step.PC)
	for _, r := range in.rv {
		name := w.named(w.affine(r, m), m)
		if name == "" {
			return ""
		}
		out.WriteString(name)
	}
	for _, p := range in.rp {
		name := w.namedPredicate(p, m)
		if name == "" {
			return ""
		}
		out.WriteString(name)
	}
	return out.String()
}

// namedComparison is the name of the outcome of a comparison: of two values that have names,
// or of integers whose difference has one.
func (w *coverWarp) namedComparison(in *instr, m uint32, diff *affine) string {
	if w.run.common == nil || in.open != nil {
		return ""
	}
	if a, b := w.named(w.affine(in.a, m), m), w.named(w.affine(in.b, m), m); a != "" && b != "" {
		return fmt.Sprintf("i%d:%s%s", w.run.step.PC, a, b)
	}
	if diff != nil {
		if d := w.named(diff, m); d != "" {
			return fmt.Sprintf("d%d:%s", in.lin.cmp, d)
		}
	}
	return ""
}

// negatedName is the name of the opposite of a predicate.
func negatedName(name string) string {
	switch {
	case name == "":
		return ""
	case name[0] == '!':
		return name[1:]
	}
	return "!" + name
}

// mostName is how long the name of a predicate may be: one that is made of itself again and
// again has none.
const mostName = 1 << 10

// joinedNames is the name of two predicates combined.
func joinedNames(a, b string, op uint8) string {
	if a == "" || b == "" || len(a)+len(b) > mostName {
		return ""
	}
	return fmt.Sprintf("(%d:%s%s)", op, a, b)
}

// common says that the block takes one side of a branch that is not decided together, or
// the other, where it matters: where a barrier lies before the sides meet.
func (w *coverWarp) common(in *instr, rpc int32, exclusive bool) (bool, error) {
	if w.together == nil || w.forks > w.commons || !w.crosses(w.top.pc, rpc) {
		return false, nil
	}
	a := agreement{kind: onFork, pc: w.top.pc}
	if exclusive {
		a.key = w.namedPredicate(in.guard, w.top.mask)
	}
	found, err := w.meet(a)
	return err == nil && found.agreed, err
}

// crosses says that a barrier lies between a branch and the place where its sides meet.
func (w *coverWarp) crosses(pc, rpc int32) bool {
	if out, ok := w.run.crossed[pc]; ok {
		return out
	}
	p := w.blk.k.prog
	out := false
	seen := map[int32]bool{}
	queue := []int32{p.code[pc].target, pc + 1}
	for len(queue) > 0 && !out {
		at := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if at == rpc || seen[at] || int(at) >= len(p.code) || !p.barrierAhead[at] {
			continue
		}
		seen[at] = true
		in := &p.isa.Instructions[at]
		switch p.code[at].group {
		case gBarrier:
			out = true
			continue
		case gCall:
			out = p.callsBarrier(at)
			queue = append(queue, at+1)
			continue
		}
		queue = append(queue, at+1)
		queue = append(queue, in.Targets...)
	}
	w.run.crossed[pc] = out
	return out
}

// callsBarrier says that a function called at pc may have a barrier.
func (p *Code) callsBarrier(pc int32) bool {
	targets := p.isa.Instructions[pc].Targets
	return len(targets) == 0 || slices.ContainsFunc(targets, func(t int32) bool { return p.barrierAhead[t] })
}

// passes is what a barrier at which the lanes of m arrive makes of what it writes. Where there
// are none the warp does not arrive: for others the barrier may be a later one.
func (w *coverWarp) passes(in *instr, m uint32) {
	if m == 0 {
		return
	}
	for _, r := range in.wv {
		w.spans[r] = anywhere // what bar.red gives comes later
	}
	c := w.closed
	if c == nil {
		return
	}
	if w.barriers++; in.x.imm != 0 || in.x.mode == barArrive {
		w.barriers = math.MinInt64 // others may not pass it
	}
	named := w.together != nil && w.barriers > 0
	for _, r := range in.wv {
		c.values[r] = nil
		if named {
			of := c.unknowns.any(0, 1<<16, true)
			w.name(of, fmt.Sprintf("b%d:", w.barriers))
			c.values[r] = onlyUnknown(of, 1, 0, m)
		}
	}
	for _, p := range in.wp {
		c.preds[p] = nil
		if named {
			c.preds[p] = &predicate{lanes: m, uniform: true, name: fmt.Sprintf("b%d:", w.barriers)}
		}
	}
}
