package witness

import (
	"encoding/binary"
	"slices"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/certificate"
	"github.com/warpbound/warpbound/internal/choice"
)

// maxTime leaves room for additions, as in package certify.
const maxTime = int64(1) << 58

// state is a vector, a number of cycles later.
type state struct{ at, vector int64 }

// intern numbers a normalised vector.
func (m *maker) intern(v []int64) int64 {
	m.key = m.key[:0]
	for i, x := range v {
		if x != 0 {
			m.key = binary.AppendUvarint(binary.AppendUvarint(m.key, uint64(i)), uint64(x))
		}
	}
	if id, ok := m.vectors[string(m.key)]; ok {
		return id
	}
	id := int64(len(m.dense))
	m.dense = append(m.dense, slices.Clone(v))
	sparse := certificate.Vector{}
	for i, x := range v {
		if x != 0 {
			sparse = append(sparse, [2]int64{int64(i), x})
		}
	}
	m.c.Vectors = append(m.c.Vectors, sparse)
	m.vectors[string(m.key)] = id
	return id
}

// normal is a vector of times, which it changes, as a state. No component is earlier
// than the next issue: whether it is makes no difference to what is behind.
func (m *maker) normal(v []int64) state {
	at := v[next]
	for i := range v {
		v[i] = max(v[i]-at, 0)
	}
	return state{at, m.intern(v)}
}

// times are those of a state.
func (m *maker) times(s state) []int64 {
	out := slices.Clone(m.dense[s.vector])
	for i := range out {
		out[i] += s.at
	}
	return out
}

// join is the maximum of states.
func (m *maker) join(states ...state) state {
	if len(states) == 1 {
		return states[0]
	}
	v := m.times(states[0])
	for _, s := range states[1:] {
		for i, x := range m.dense[s.vector] {
			v[i] = max(v[i], s.at+x)
		}
	}
	return m.normal(v)
}

// add keeps a use.
func (m *maker) add(u certificate.Use, behind state) (int64, error) {
	if len(m.c.Uses) == maxUses {
		return 0, ErrTooLarge
	}
	if behind.at > maxTime || behind.at < -maxTime {
		return 0, bound.ErrOverflow
	}
	u.Weight, u.Behind = behind.at, behind.vector
	m.c.Uses = append(m.c.Uses, u)
	return int64(len(m.c.Uses) - 1), nil
}

// behind is the state behind a use that begins so many cycles later.
func (m *maker) behind(use, at int64) state {
	u := &m.c.Uses[use]
	return state{at + u.Weight, u.Behind}
}

// use evaluates a node from a vector on, under prices.
func (m *maker) use(node, before, prices int64) (int64, error) {
	k := useKey{node, before, prices}
	if id, ok := m.memo[k]; ok {
		return id, nil
	}
	if err := m.ctx.Err(); err != nil {
		return 0, err
	}
	u := certificate.Use{Node: node, Before: before, Prices: prices}
	behind, err := m.evaluate(&u, m.exprs[node], &m.c.Nodes[node])
	if err != nil {
		return 0, err
	}
	id, err := m.add(u, behind)
	m.memo[k] = id
	return id, err
}

// evaluate fills in a use and returns the state behind it.
func (m *maker) evaluate(u *certificate.Use, e *choice.Expr, n *certificate.Node) (state, error) {
	now := state{0, u.Before}
	switch e.Kind() {
	case choice.Run:
		v := m.times(now)
		paid := int64(0)
		for _, s := range e.Run() {
			m.step(&m.ops[s], v)
			paid += m.priced[u.Prices].of[s]
		}
		behind := m.normal(v)
		behind.at -= paid
		return behind, nil
	case choice.Concat:
		for _, p := range n.Parts {
			id, err := m.use(p, now.vector, u.Prices)
			if err != nil {
				return now, err
			}
			u.Parts = append(u.Parts, id)
			now = m.behind(id, now.at)
		}
		return now, nil
	case choice.One:
		var ends []state
		for _, p := range n.Parts {
			id, err := m.use(p, now.vector, u.Prices)
			if err != nil {
				return now, err
			}
			u.Parts = append(u.Parts, id)
			ends = append(ends, m.behind(id, 0))
		}
		return m.join(ends...), nil
	case choice.Any:
		return m.any(u, n)
	case choice.Repeat, choice.AtMost:
		return m.loop(u, n, e.Kind() == choice.AtMost)
	}
	return now, nil
}

// step takes times behind an instruction.
func (m *maker) step(o *op, v []int64) {
	a := v[next]
	for _, r := range o.waits {
		a = max(a, v[r])
	}
	d := max(a, v[o.unit])
	v[o.unit] = d + o.init
	v[end] = max(v[end], d+o.lambda)
	for _, w := range o.writes {
		v[w] = d + o.lambda
	}
	switch m.f.Machine.Queue {
	case gpu.Unbounded:
		v[next] = a + 1
	case gpu.Pooled:
		v[next] = d + o.init
	default:
		v[next] = d + 1
	}
}

// maxOrdered is up to how many parts every order is followed by itself.
const maxOrdered = 6

// any evaluates each of any selection of parts in any order.
func (m *maker) any(u *certificate.Use, n *certificate.Node) (state, error) {
	k := len(n.Parts)
	states := []state{{0, u.Before}}
	follow := func(part int, from state) (state, error) {
		id, err := m.use(n.Parts[part], from.vector, u.Prices)
		if err != nil {
			return from, err
		}
		u.Parts = append(u.Parts, id)
		return m.behind(id, from.at), nil
	}
	if k <= maxOrdered {
		for mask := 1; mask < 1<<k; mask++ {
			var ends []state
			for p := range k {
				if mask>>p&1 == 0 {
					continue
				}
				to, err := follow(p, states[mask&^(1<<p)])
				if err != nil {
					return to, err
				}
				ends = append(ends, to)
			}
			states = append(states, m.join(ends...))
		}
	} else {
		for range k {
			from := states[len(states)-1]
			ends := []state{from}
			for p := range k {
				to, err := follow(p, from)
				if err != nil {
					return to, err
				}
				ends = append(ends, to)
			}
			states = append(states, m.join(ends...))
		}
	}
	return m.join(states...), nil
}

// raise is a use whose result is a later one.
func (m *maker) raise(use int64, to state) (int64, error) {
	if m.behind(use, 0) == to {
		return use, nil
	}
	k := raiseKey{use, to.at, to.vector}
	if id, ok := m.raised[k]; ok {
		return id, nil
	}
	u := m.c.Uses[use]
	u.Parts, u.Rounds = slices.Clone(u.Parts), slices.Clone(u.Rounds)
	for i := range u.Rounds {
		r := &u.Rounds[i]
		r.First, r.Last = slices.Clone(r.First), slices.Clone(r.Last)
	}
	id, err := m.add(u, to)
	m.raised[k] = id
	return id, err
}
