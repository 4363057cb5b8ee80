package multiphase

import (
	"context"
	"math/bits"

	"github.com/warpbound/warpbound/internal/method"
)

// walkMachine computes the largest cost of an S-walk (docs/soundness/blocks.md, section
// "Charges"). Without refunds that is the BURST charge, the sum over the bursts of their
// largest delay to a warp that uses the units S.
//
// Variables: the cost of the best walk that ends in U; the same in F_f for each
// f of S; with refunds, also the initiations so far on each f, and for each
// register and f what they were just before the instruction that wrote it.
type walkMachine struct {
	p       *lowered
	slot    []int32  // unit -> index in S, -1
	n       int      // |S|
	refunds *refunds // nil: every return to U is free
	allowed []uint64 // instruction, with refunds: bit f if F_f may get one
	x       []int64
	c       choices
}

// refunds holds what the refund condition requires of the hardware and of the
// warps on it.
type refunds struct {
	// leastLambda is the smallest initiation + latency on a unit among all warps
	// of the section.
	leastLambda []int64
	// never queues: every initiation on the unit takes one cycle, for everything
	// that can be on the SM.
	prompt unitSet
}

func newWalkMachine(p *lowered, s unitSet, ref *refunds) *walkMachine {
	m := &walkMachine{p: p, slot: make([]int32, p.units), refunds: ref}
	for u := range m.slot {
		m.slot[u] = -1
		if s.has(u) {
			m.slot[u] = int32(m.n)
			m.n++
		}
	}
	size := 1 + m.n
	if ref != nil {
		size += m.n + p.regs*m.n
		m.allow(s)
	}
	m.x = make([]int64, size)
	return m
}

// allow finds out for which instructions and units a refund is possible at all.
// It is whether every new source b has λ_b ≤ λmin_f and is on f or on a unit that
// never queues.
func (m *walkMachine) allow(s unitSet) {
	m.allowed = make([]uint64, len(m.p.insts))
	lambda := map[int32]*inst{}
	for i := range m.p.insts {
		lambda[m.p.insts[i].op] = &m.p.insts[i]
	}
	for i := range m.p.insts {
		in := &m.p.insts[i]
		if len(in.fresh) == 0 {
			continue
		}
		for f, u := range s.list() {
			ok := true
			for _, b := range in.fresh {
				src := lambda[b.op]
				late := src.lambda > m.refunds.leastLambda[u]
				queues := int(src.unit) != u && !m.refunds.prompt.has(int(src.unit))
				if late || queues {
					ok = false
				}
			}
			if ok {
				m.allowed[i] |= 1 << f
			}
		}
	}
}

func (m *walkMachine) vars() []int64 { return m.x }
func (m *walkMachine) log() *choices { return &m.c }
func (m *walkMachine) jumped()       {}

func (m *walkMachine) run(insts []int32) {
	n := m.n
	on := m.c.on
	walks := m.x[1 : 1+n]
	for _, id := range insts {
		in := &m.p.insts[id]
		u := m.x[0]
		if in.start {
			for f, v := range walks {
				if m.refunds != nil && m.allowed[id]>>f&1 == 1 {
					v -= m.refund(in, f, on)
				}
				u = m.larger(u, v, on)
			}
		}
		for f, v := range walks {
			walks[f] = m.larger(v, u, on)
		}
		m.x[0] = u + 1
		slot := m.slot[in.unit]
		if m.refunds != nil {
			m.note(in, slot)
		}
		if slot >= 0 {
			walks[slot] += in.init
		}
	}
}

func (m *walkMachine) larger(a, b int64, on bool) int64 {
	if b > a {
		if on {
			m.c.add(1, b-a)
		}
		return b
	}
	if on {
		m.c.add(0, a-b)
	}
	return a
}

// refund is the smallest, over the new sources, of the initiations on f since
// that source, itself included.
func (m *walkMachine) refund(in *inst, f int, on bool) int64 {
	loads := m.x[1+m.n : 1+2*m.n]
	at := m.x[1+2*m.n:]
	latest := at[int(in.fresh[0].reg)*m.n+f]
	for _, b := range in.fresh[1:] {
		latest = m.larger(latest, at[int(b.reg)*m.n+f], on)
	}
	return loads[f] - latest
}

// note books the initiation and, for the registers written, the sums before it.
func (m *walkMachine) note(in *inst, slot int32) {
	loads := m.x[1+m.n : 1+2*m.n]
	at := m.x[1+2*m.n:]
	for _, w := range in.writes {
		copy(at[int(w)*m.n:(int(w)+1)*m.n], loads)
	}
	if slot >= 0 {
		loads[slot] += in.init
	}
}

// walkCost is the largest cost of an S-walk over a section; with ref nil, the
// BURST charge.
func (a *Analyzer) walkCost(ctx context.Context, p *lowered, s unitSet, ref *refunds) (int64, error) {
	m := newWalkMachine(p, s, ref)
	if err := a.fold(ctx, m, p.body); err != nil {
		return 0, err
	}
	best := m.x[0]
	for _, v := range m.x[1 : 1+m.n] {
		best = max(best, v)
	}
	return best, nil
}

// groups partitions units into at most a few sets, so that paths are followed
// over sets of groups; see docs/soundness/blocks.md, section "Many units".
type groups struct {
	of   [method.MaxUnits]int8 // unit -> group, -1 if unused
	sets []unitSet
}

// newGroups makes a group of each used unit or, where there are more than limit,
// of each of the first limit-1 and of all others together.
func newGroups(used unitSet, limit int) groups {
	var g groups
	for i := range g.of {
		g.of[i] = -1
	}
	for _, u := range used.list() {
		if len(g.sets) < limit {
			g.sets = append(g.sets, 0)
		}
		k := len(g.sets) - 1
		g.of[u] = int8(k)
		g.sets[k] |= 1 << u
	}
	return g
}

// units of a set of groups.
func (g *groups) units(mask int) unitSet {
	var s unitSet
	for m := uint(mask); m != 0; m &= m - 1 {
		s |= g.sets[bits.TrailingZeros(m)]
	}
	return s
}
