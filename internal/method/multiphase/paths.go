package multiphase

import "context"

// pathMachine computes, for each set of unit groups, the longest path of a warp's
// graph from its first issue to a completion whose dispatch nodes lie on exactly
// the units of that set (PL_w(S) of docs/soundness.md). A variable is never while
// no such path exists.
//
// Variables, each an array over sets: the longest path to the issue of the next
// instruction; to a completion so far; per unit, to the end of its last
// initiation; per register, to the completion of its writer.
type pathMachine struct {
	p *lowered
	g *groups
	n int // 2^groups
	x []int64
	a []int64 // paths to the issue of the instruction in work
	c choices
}

func newPathMachine(p *lowered, g *groups) *pathMachine {
	n := 1 << len(g.sets)
	m := &pathMachine{p: p, g: g, n: n, x: make([]int64, n*(2+p.units+p.regs)), a: make([]int64, n)}
	for i := range m.x {
		m.x[i] = never
	}
	m.x[0] = 0
	return m
}

func (m *pathMachine) vars() []int64 { return m.x }
func (m *pathMachine) log() *choices { return &m.c }
func (m *pathMachine) jumped()       {}

func (m *pathMachine) array(i int) []int64 { return m.x[i*m.n : (i+1)*m.n] }

func (m *pathMachine) run(insts []int32) {
	on := m.c.on
	next, end := m.array(0), m.array(1)
	for _, id := range insts {
		in := &m.p.insts[id]
		copy(m.a, next)
		for _, r := range in.srcs {
			m.raise(m.a, m.array(2+m.p.units+int(r)), on)
		}
		m.dispatch(in, end, on)
		for s, v := range m.a {
			if v != never {
				v++
			}
			next[s] = v
		}
	}
}

// raise sets each a[s] to b[s] where that is larger.
func (m *pathMachine) raise(a, b []int64, on bool) {
	for s, v := range b {
		if on {
			m.note(a[s], v)
		}
		if v > a[s] {
			a[s] = v
		}
	}
}

// note logs a comparison; branches 2 to 4 tell which sides do not exist.
func (m *pathMachine) note(a, b int64) {
	switch {
	case a == never && b == never:
		m.c.add(4, 0)
	case a == never:
		m.c.add(3, 0)
	case b == never:
		m.c.add(2, 0)
	case b > a:
		m.c.add(1, b-a)
	default:
		m.c.add(0, a-b)
	}
}

// dispatch follows the edges into and out of the dispatch node: the paths that
// reach it pass its unit's group from now on.
func (m *pathMachine) dispatch(in *inst, end []int64, on bool) {
	bit := 1 << m.g.of[in.unit]
	unit := m.array(2 + int(in.unit))
	for s := range m.n {
		if s&bit == 0 {
			continue
		}
		d := m.pick(m.a[s], m.a[s&^bit], on)
		d = m.pick(d, unit[s], on)
		if d == never {
			continue
		}
		unit[s] = d + in.init
		end[s] = m.pick(end[s], d+in.lambda, on)
	}
	for _, w := range in.writes {
		reg := m.array(2 + m.p.units + int(w))
		for s := range reg {
			reg[s] = never
			if s&bit != 0 && unit[s] != never {
				reg[s] = unit[s] + in.lambda - in.init
			}
		}
	}
}

func (m *pathMachine) pick(a, b int64, on bool) int64 {
	if on {
		m.note(a, b)
	}
	return max(a, b)
}

// pathLengths returns the longest path for each set of groups, never where there
// is none.
func (a *Analyzer) pathLengths(ctx context.Context, p *lowered, g *groups) ([]int64, error) {
	m := newPathMachine(p, g)
	if err := a.fold(ctx, m, p.body); err != nil {
		return nil, err
	}
	return append([]int64(nil), m.array(1)...), nil
}
