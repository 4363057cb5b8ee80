package multiphase

import (
	"context"

	"github.com/warpbound/warpbound/internal/method"
)

// linkKinds is how many ways there are in which an instruction is a link of the longest
// chain: its warp issues the next one behind it, its unit starts the next one behind it, or
// somebody waits for what it completes.
const linkKinds = 3

const (
	linkIssue = iota
	linkInitiation
	linkCompletion
)

// linkMachine is isoMachine without phases that knows what its times are the sums of: beside
// each variable stand, for each instruction and kind of link, the cycles of the chain of
// instructions that leads to it. They add up to the variable. A comparison of two times
// takes, with the later one, its links; so these are variables that change by the same
// comparisons, and what holds of repetitions holds of them (docs/soundness/blocks.md, section
// "Loops").
type linkMachine struct {
	p    *lowered
	kind isoKind
	columns
	x     []int64 // the times, then the links of each
	times int
	at    [2][]int64 // links of the issue and of the dispatch in work
	c     choices
}

// Variables of linkMachine; units and registers follow.
const (
	linkNext = iota // earliest issue of the next instruction
	linkEnd         // latest completion
	linkBusy        // end of the latest initiation
	linkFixed
)

// columns are the places of ops beside a variable, each of some width: -1 for one that does
// not come.
type columns struct {
	column []int32
	width  int
}

func (c *columns) add(op int32, width int) {
	for int(op) >= len(c.column) {
		c.column = append(c.column, -1)
	}
	if c.column[op] < 0 {
		c.column[op] = int32(c.width)
		c.width += width
	}
}

// columnsOf are those of the instructions of a section.
func columnsOf(p *lowered, width int) columns {
	var c columns
	for i := range p.insts {
		c.add(p.insts[i].op, width)
	}
	return c
}

func newLinkMachine(p *lowered, kind isoKind, of columns) *linkMachine {
	m := &linkMachine{p: p, kind: kind, columns: of, times: linkFixed + p.units + p.regs}
	m.x = make([]int64, m.times*(1+m.width))
	m.at = [2][]int64{make([]int64, m.width), make([]int64, m.width)}
	return m
}

func (m *linkMachine) vars() []int64 { return m.x }
func (m *linkMachine) log() *choices { return &m.c }
func (m *linkMachine) jumped()       {}

// links are those of a variable.
func (m *linkMachine) links(v int) []int64 {
	from := m.times + v*m.width
	return m.x[from : from+m.width]
}

// later is the variable of the later of two times, a where they are the same.
func (m *linkMachine) later(a, b int) int {
	d := m.x[b] - m.x[a]
	if d > 0 {
		if m.c.on {
			m.c.add(1, d)
		}
		return b
	}
	if m.c.on {
		m.c.add(0, -d)
	}
	return a
}

// set makes a variable so many cycles after a time with links, by a link of its own.
func (m *linkMachine) set(v int, time int64, links []int64, op int32, kind int, cycles int64) {
	m.x[v] = time + cycles
	to := m.links(v)
	copy(to, links)
	to[int(m.column[op])+kind] += cycles
}

// copy makes a variable what another one is.
func (m *linkMachine) copy(to, from int) {
	m.x[to] = m.x[from]
	copy(m.links(to), m.links(from))
}

func (m *linkMachine) run(insts []int32) {
	for _, id := range insts {
		in := &m.p.insts[id]
		unit := linkFixed + int(in.unit)
		from := linkNext
		for _, r := range in.srcs {
			from = m.later(from, linkFixed+m.p.units+int(r))
		}
		issue := m.x[from]
		copy(m.at[0], m.links(from))
		from = m.later(from, unit)
		dispatch := m.x[from]
		copy(m.at[1], m.links(from))
		m.set(unit, dispatch, m.at[1], in.op, linkInitiation, in.init)
		if m.later(linkBusy, unit) == unit {
			m.copy(linkBusy, unit)
		}
		done := dispatch + in.lambda
		for _, w := range in.writes {
			m.set(linkFixed+m.p.units+int(w), dispatch, m.at[1], in.op, linkCompletion, in.lambda)
		}
		// A margin keeps the choice the same for as long as it is not negative.
		if d := done - m.x[linkEnd]; d > 0 {
			if m.c.on {
				m.c.add(1, d)
			}
			m.set(linkEnd, dispatch, m.at[1], in.op, linkCompletion, in.lambda)
		} else if m.c.on {
			m.c.add(0, -d)
		}
		switch m.kind {
		case isoQueued:
			m.set(linkNext, issue, m.at[0], in.op, linkIssue, 1)
		case isoBlocking:
			m.set(linkNext, dispatch, m.at[1], in.op, linkIssue, 1)
		default:
			m.set(linkNext, dispatch, m.at[1], in.op, linkInitiation, in.init)
		}
	}
}

// linkCost is the kind of a cost by that of a link.
var linkCost = [linkKinds]method.CostKind{linkIssue: method.Issue, linkInitiation: method.Occupied, linkCompletion: method.Awaited}

// chained is what a chain goes through, of instructions with linkKinds columns each.
func (c *columns) chained(links []int64) tally {
	out := tally{}
	for op, column := range c.column {
		for k := range linkKinds {
			if column >= 0 && links[int(column)+k] != 0 {
				out[method.Cost{Kind: linkCost[k], Symbol: int32(op)}] = links[int(column)+k]
			}
		}
	}
	return out
}

// chainOf is the longest chain of a sequence alone: its links add up to the isolated time.
func (a *Analyzer) chainOf(ctx context.Context, p *lowered, kind isoKind) (links tally, end int64, err error) {
	m := newLinkMachine(p, kind, columnsOf(p, linkKinds))
	if err := a.fold(ctx, m, p.body); err != nil {
		return nil, 0, err
	}
	return m.chained(m.links(linkEnd)), m.x[linkEnd], nil
}
