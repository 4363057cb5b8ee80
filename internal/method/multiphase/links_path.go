package multiphase

import (
	"context"
	"math/bits"
)

// linkPathMachine is pathMachine that knows what its paths go through: beside each variable
// stand, for each instruction and kind of link, the cycles of the path. They add up to it.
type linkPathMachine struct {
	pathMachine
	columns
	vals int
	from []int64 // links of the paths to the issue of the instruction in work
	d    []int64 // and to its dispatch
}

func newLinkPathMachine(p *lowered, g *groups) *linkPathMachine {
	m := &linkPathMachine{pathMachine: *newPathMachine(p, g), columns: columnsOf(p, linkKinds)}
	m.vals = len(m.x)
	m.x = append(m.x, make([]int64, m.vals*m.width)...)
	m.from, m.d = make([]int64, m.n*m.width), make([]int64, m.width)
	return m
}

func (m *linkPathMachine) vars() []int64 { return m.x }
func (m *linkPathMachine) log() *choices { return &m.c }

// links are those of variable s of an array.
func (m *linkPathMachine) links(array, s int) []int64 {
	at := m.vals + (array*m.n+s)*m.width
	return m.x[at : at+m.width]
}

// issued are the links of the issue in work.
func (m *linkPathMachine) issued(s int) []int64 { return m.from[s*m.width : (s+1)*m.width] }

// longer tells whether a path is longer than another one.
func (m *linkPathMachine) longer(than, path int64) bool {
	if m.c.on {
		m.note(than, path)
	}
	return path > than
}

func (m *linkPathMachine) run(insts []int32) {
	const next, end, unit0 = 0, 1, 2
	for _, id := range insts {
		in := &m.p.insts[id]
		own := int(m.column[in.op])
		for s := range m.n {
			m.a[s] = m.array(next)[s]
			copy(m.issued(s), m.links(next, s))
			for _, r := range in.srcs {
				reg := unit0 + m.p.units + int(r)
				if v := m.array(reg)[s]; m.longer(m.a[s], v) {
					m.a[s] = v
					copy(m.issued(s), m.links(reg, s))
				}
			}
		}
		unit := unit0 + int(in.unit)
		for _, w := range in.writes {
			reg := m.array(unit0 + m.p.units + int(w))
			for s := range reg {
				reg[s] = never
				clear(m.links(unit0+m.p.units+int(w), s))
			}
		}
		group := m.g.of[in.unit]
		for s := range m.n {
			if group < 0 || s>>group&1 == 0 {
				continue
			}
			d := m.a[s]
			copy(m.d, m.issued(s))
			if v := m.a[s&^(1<<group)]; m.longer(d, v) {
				d = v
				copy(m.d, m.issued(s&^(1<<group)))
			}
			if v := m.array(unit)[s]; m.longer(d, v) {
				d = v
				copy(m.d, m.links(unit, s))
			}
			if d == never {
				continue
			}
			set := func(array, kind int, cycles int64) {
				m.array(array)[s] = d + cycles
				to := m.links(array, s)
				copy(to, m.d)
				to[own+kind] += cycles
			}
			set(unit, linkInitiation, in.init)
			if m.longer(m.array(end)[s], d+in.lambda) {
				set(end, linkCompletion, in.lambda)
			}
			for _, w := range in.writes {
				set(unit0+m.p.units+int(w), linkCompletion, in.lambda)
			}
		}
		for s, v := range m.a {
			to := m.links(next, s)
			copy(to, m.issued(s))
			if v != never {
				v++
				to[own+linkIssue]++
			}
			m.array(next)[s] = v
		}
	}
}

// only are the groups of a set; units of others belong to none.
func (g *groups) only(mask int) groups {
	var out groups
	var to [64]int8
	for m := uint(mask); m != 0; m &= m - 1 {
		k := bits.TrailingZeros(m)
		to[k] = int8(len(out.sets))
		out.sets = append(out.sets, g.sets[k])
	}
	for u, k := range g.of {
		if out.of[u] = -1; k >= 0 && mask>>k&1 == 1 {
			out.of[u] = to[k]
		}
	}
	return out
}

// pathLinks is what the longest path over exactly a set of groups goes through.
func (a *Analyzer) pathLinks(ctx context.Context, p *lowered, g *groups, mask int) (tally, error) {
	of := g.only(mask)
	m := newLinkPathMachine(p, &of)
	if err := a.fold(ctx, m, p.body); err != nil {
		return nil, err
	}
	return m.chained(m.links(1, m.n-1)), nil
}
