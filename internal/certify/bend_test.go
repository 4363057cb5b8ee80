package certify

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"

	cert "github.com/warpbound/warpbound/internal/certificate"
)

// bend adds a use that somebody might make to have a lower figure: a copy of one, shown
// by other parts, by fewer or more iterations, or from other times, and with what then
// follows. Nothing else relies on it. undo takes it away.
func (k *checker) bend(r *rand.Rand) (undo func()) {
	c := k.Certificate
	uses, nodes, vectors := len(c.Uses), len(c.Nodes), len(c.Vectors)
	at := r.IntN(uses)
	apart := func(u cert.Use) bool {
		return slices.ContainsFunc(u.Rounds, func(r cert.Round) bool { return len(r.Last) > 0 })
	}
	if i := slices.IndexFunc(c.Uses, apart); i >= 0 && r.IntN(2) == 0 {
		at = i // rare, and the hardest to check
	}
	u := clone(c.Uses[at])
	defer func() { c.Uses = append(c.Uses, u) }()
	undo = func() { c.Uses, c.Nodes, c.Vectors = c.Uses[:uses], c.Nodes[:nodes], c.Vectors[:vectors] }
	x := &c.Nodes[u.Node]
	if len(u.Rounds) == 0 {
		switch r.IntN(3) {
		case 0: // from other times
			u.Before = r.Int64N(int64(len(c.Vectors)))
		case 1: // shown by another use of a part
			if n := len(u.Parts); n > 0 {
				p := &u.Parts[r.IntN(n)]
				*p = other(c, r, *p)
			}
			u.Weight = max(0, u.Weight-r.Int64N(4))
		default: // earlier
			u.Weight = max(0, u.Weight-1-r.Int64N(3))
			for i := range u.States {
				u.States[i].At = max(0, u.States[i].At-r.Int64N(2))
			}
		}
		return undo
	}
	if body := &c.Nodes[x.Body]; x.Kind == "at-most" && body.Kind == "run" && r.IntN(2) == 0 {
		// Once, and never left out.
		times := append(k.dense(state{0, u.Before}), 0)
		for _, s := range body.Run {
			k.execute(s, times)
		}
		once := *x
		once.Count = 1
		c.Nodes = append(c.Nodes, once)
		c.Vectors = append(c.Vectors, k.sparse(times))
		child := cert.Use{Node: x.Body, Before: u.Before, Weight: times[next], Behind: int64(vectors)}
		c.Uses = append(c.Uses, child)
		u = cert.Use{Node: int64(nodes), Before: u.Before, Weight: child.Weight, Behind: child.Behind, Rounds: []cert.Round{{First: []int64{int64(uses)}, Groups: 1}}}
		return undo
	}
	i, how := r.IntN(len(u.Rounds)), r.IntN(5)
	if apart(u) && r.IntN(2) == 0 {
		i, how = slices.IndexFunc(u.Rounds, func(r cert.Round) bool { return len(r.Last) > 0 }), 1
	}
	round := &u.Rounds[i]
	switch how {
	case 0: // fewer iterations
		if round.Groups > 1 {
			round.Groups -= 1 + r.Int64N(round.Groups-1)
		} else if n := len(round.First); n > 1 {
			round.First = round.First[:n-1]
		}
	case 1: // a round goes on to the end, and beyond
		left := x.Count
		for _, before := range u.Rounds[:i] {
			left -= before.Groups * int64(len(before.First))
		}
		u.Rounds = u.Rounds[:i+1]
		n := int64(len(round.First))
		old := round.Groups * n
		round.Groups = (left+n-1)/n + r.Int64N(2)*r.Int64N(300)
		more := *x
		more.Count += round.Groups*n - left
		more.Charge, more.Units = 1<<40, nil
		for u := range k.m.Units {
			more.Units = append(more.Units, [2]int64{int64(u), 1 << 40})
		}
		c.Nodes = append(c.Nodes, more)
		u.Node = int64(len(c.Nodes) - 1)
		if round.Behind != nil && round.Groups*n != old {
			weight := int64(0)
			for _, p := range round.First {
				weight += c.Uses[p].Weight
			}
			first, last := &c.Uses[round.First[0]], &c.Uses[round.First[n-1]]
			c.Vectors = append(c.Vectors, moved(&c.Vectors[first.Before], &c.Vectors[last.Behind], round.Groups))
			*round.Behind = cert.State{At: round.Groups * weight, Vector: int64(len(c.Vectors) - 1)}
			if r.IntN(2) == 0 {
				round.LastAt += round.Groups*weight + 1<<20
			}
		}
	case 2: // an iteration is shown by another use of the body
		p := &round.First[r.IntN(len(round.First))]
		*p = other(c, r, *p)
	case 3: // it ends earlier
		if round.Behind != nil {
			round.Behind.At = max(0, round.Behind.At-1-r.Int64N(3))
		}
	default: // it begins with other times
		u.Before = c.Uses[round.First[0]].Before
		u.Rounds = u.Rounds[i:]
	}
	refit(c, &u)
	return undo
}

// sparse is a vector from its components.
func (k *checker) sparse(times []int64) cert.Vector {
	v := cert.Vector{End: max(0, times[end]-times[next])}
	for i, name := range k.names[units:] {
		x := [2]int64{int64(i), times[units+i] - times[next]}
		if x[1] <= 0 {
			continue
		}
		if i < len(k.m.Units) {
			v.Units = append(v.Units, x)
		} else {
			x[0] = int64(slices.Index(k.Registers, strings.TrimPrefix(name, "register ")))
			v.Registers = append(v.Registers, x)
		}
	}
	return v
}

// moved is a vector that moves n times as it did from a to b.
func moved(a, b *cert.Vector, n int64) cert.Vector {
	pairs := func(a, b [][2]int64) (out [][2]int64) {
		of := map[int64][2]int64{}
		for _, x := range a {
			of[x[0]] = [2]int64{x[1], 0}
		}
		for _, x := range b {
			of[x[0]] = [2]int64{of[x[0]][0], x[1]}
		}
		for id, x := range of {
			if v := x[0] + n*(x[1]-x[0]); v > 0 {
				out = append(out, [2]int64{id, v})
			}
		}
		return out
	}
	return cert.Vector{End: max(0, a.End+n*(b.End-a.End)), Units: pairs(a.Units, b.Units), Registers: pairs(a.Registers, b.Registers)}
}

// other is another use of the same node from the same vector, if there is one.
func other(c *cert.Certificate, r *rand.Rand, use int64) int64 {
	for range 8 {
		at := r.Int64N(int64(len(c.Uses)))
		if u := &c.Uses[at]; u.Node == c.Uses[use].Node && u.Before == c.Uses[use].Before {
			return at
		}
	}
	for at := range c.Uses {
		if u := &c.Uses[at]; int64(at) != use && u.Node == c.Uses[use].Node && u.Before == c.Uses[use].Before {
			return int64(at)
		}
	}
	return use
}

// refit gives a use of a loop what follows from its rounds, by what they state.
func refit(c *cert.Certificate, u *cert.Use) {
	at, vector := int64(0), u.Before
	for i := range u.Rounds {
		round := &u.Rounds[i]
		begin := at
		for _, p := range round.First {
			at, vector = at+c.Uses[p].Weight, c.Uses[p].Behind
		}
		switch {
		case round.Groups <= 1:
		case round.Behind == nil:
			at = begin + round.Groups*(at-begin)
		default:
			at, vector = begin+round.Behind.At, round.Behind.Vector
		}
	}
	u.Weight, u.Behind = at, vector
}

// clone is a use that shares nothing.
func clone(u cert.Use) (out cert.Use) {
	data, err := json.Marshal(u)
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	if err != nil {
		panic(err)
	}
	return out
}
