package multiphase

import (
	"context"

	"github.com/warpbound/warpbound/internal/method"
)

// linkWalkMachine is walkMachine that knows what its costs are the sums of: beside each
// variable stand the cycles of each instruction. They add up to the variable; a refund takes
// away what the instructions that it is for had added.
type linkWalkMachine struct {
	walkMachine
	columns
	vals int // variables without those of instructions
	u    []int64
	v    []int64
}

func newLinkWalkMachine(p *lowered, s unitSet, ref *refunds) *linkWalkMachine {
	m := &linkWalkMachine{walkMachine: *newWalkMachine(p, s, ref), columns: columnsOf(p, 1)}
	m.vals = len(m.x)
	m.x = make([]int64, m.vals*(1+m.width))
	m.u, m.v = make([]int64, m.width), make([]int64, m.width)
	return m
}

func (m *linkWalkMachine) vars() []int64 { return m.x }
func (m *linkWalkMachine) log() *choices { return &m.c }

func (m *linkWalkMachine) links(v int) []int64 {
	from := m.vals + v*m.width
	return m.x[from : from+m.width]
}

func (m *linkWalkMachine) run(insts []int32) {
	n, on := m.n, m.c.on
	loads, at := 1+n, 1+2*n // with refunds
	for _, id := range insts {
		in := &m.p.insts[id]
		own := int(m.column[in.op])
		u := m.x[0]
		copy(m.u, m.links(0))
		if in.start {
			for f := range n {
				v := m.x[1+f]
				copy(m.v, m.links(1+f))
				if m.refunds != nil && m.allowed[id]>>f&1 == 1 {
					latest := at + int(in.fresh[0].reg)*n + f
					for _, b := range in.fresh[1:] {
						if next := at + int(b.reg)*n + f; m.larger(m.x[latest], m.x[next], on) > m.x[latest] {
							latest = next
						}
					}
					v -= m.x[loads+f] - m.x[latest]
					for i, l := range m.links(loads + f) {
						m.v[i] -= l - m.links(latest)[i]
					}
				}
				if m.larger(u, v, on) > u {
					u = v
					copy(m.u, m.v)
				}
			}
		}
		for f := range n {
			if m.larger(m.x[1+f], u, on) > m.x[1+f] {
				m.x[1+f] = u
				copy(m.links(1+f), m.u)
			}
		}
		m.x[0] = u + 1
		copy(m.links(0), m.u)
		m.links(0)[own]++
		slot := int(m.slot[in.unit])
		if m.refunds != nil {
			for _, w := range in.writes {
				for f := range n {
					to := at + int(w)*n + f
					m.x[to] = m.x[loads+f]
					copy(m.links(to), m.links(loads+f))
				}
			}
			if slot >= 0 {
				m.x[loads+slot] += in.init
				m.links(loads + slot)[own] += in.init
			}
		}
		if slot >= 0 {
			m.x[1+slot] += in.init
			m.links(1 + slot)[own] += in.init
		}
	}
}

// walkLinks is what the largest cost of an S-walk over a section belongs to.
func (a *Analyzer) walkLinks(ctx context.Context, p *lowered, s unitSet, ref *refunds) (tally, error) {
	m := newLinkWalkMachine(p, s, ref)
	if err := a.fold(ctx, m, p.body); err != nil {
		return nil, err
	}
	best := 0
	for v := range m.n {
		if m.x[1+v] > m.x[best] {
			best = 1 + v
		}
	}
	return m.charged(m.links(best)), nil
}

// charged is what is charged for instructions, each with one column.
func (c *columns) charged(links []int64) tally {
	out := tally{}
	for op, column := range c.column {
		if column >= 0 && links[column] != 0 {
			out[method.Cost{Kind: method.Charged, Symbol: int32(op)}] = links[column]
		}
	}
	return out
}

// execMachine is isoMachine that knows which instruction makes an execution cycle one: the
// first that initiates in it, beside its variables.
type execMachine struct {
	isoMachine
	columns
	from int // of the columns
}

func newExecMachine(p *lowered) *execMachine {
	m := &execMachine{isoMachine: *newIsoMachine(p, isoQueued), columns: columnsOf(p, 1)}
	m.from = len(m.x)
	m.x = append(m.x, make([]int64, m.width)...)
	return m
}

func (m *execMachine) vars() []int64 { return m.x }
func (m *execMachine) log() *choices { return &m.c }

func (m *execMachine) run(insts []int32) {
	for i := range insts {
		before := m.x[isoBusy] - m.x[isoIdle]
		m.isoMachine.run(insts[i : i+1])
		m.x[m.from+int(m.column[m.p.insts[insts[i]].op])] += m.x[isoBusy] - m.x[isoIdle] - before
	}
}

// execLinks is what the execution cycles of a section belong to.
func (a *Analyzer) execLinks(ctx context.Context, p *lowered) (tally, error) {
	m := newExecMachine(p)
	if err := a.fold(ctx, m, p.body); err != nil {
		return nil, err
	}
	return m.charged(m.x[m.from:]), nil
}
