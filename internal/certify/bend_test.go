package certify

import (
	"encoding/json"
	"math/rand/v2"
	"slices"

	cert "github.com/warpbound/warpbound/internal/certificate"
)

// bend adds a use that somebody might make to have a lower figure: a copy of one, shown
// by other parts, by fewer or more iterations, or from other times, and with what then
// follows. Nothing else relies on it. undo takes it away.
func (k *opened) bend(r *rand.Rand) (undo func()) {
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
	if x.Kind == "any" && r.IntN(2) == 0 {
		k.hurry(&u)
		return undo
	}
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
		}
		return undo
	}
	if body := &c.Nodes[x.Body]; x.Kind == "at-most" && body.Kind == "run" && r.IntN(2) == 0 {
		// Once, and never left out.
		times := append(k.times("", 0, u.Before), 0)
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
		round.Groups = (left+n-1)/n + r.Int64N(2)*r.Int64N(300)
		more := *x
		more.Count += round.Groups*n - left
		c.Nodes = append(c.Nodes, more)
		u.Node = int64(len(c.Nodes) - 1)
	case 2: // an iteration is shown by another use of the body
		p := &round.First[r.IntN(len(round.First))]
		*p = other(c, r, *p)
	case 3: // the last group is shown by the first one
		round.Last = slices.Clone(round.First)
	default: // it begins with other times
		u.Before = c.Uses[round.First[0]].Before
		u.Rounds = u.Rounds[i:]
	}
	k.refit(&u)
	return undo
}

// sparse is a vector from its components.
func (k *opened) sparse(times []int64) (v cert.Vector) {
	for i := range k.names {
		if x := times[i] - times[next]; x > 0 {
			v = append(v, [2]int64{int64(i), x})
		}
	}
	return v
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

// refit gives a use of a loop what follows from its rounds, by what their first groups
// state.
func (k *opened) refit(u *cert.Use) {
	now := slices.Clone(k.vector[u.Before])
	for i := range u.Rounds {
		round := &u.Rounds[i]
		then := now
		for _, p := range round.First {
			behind := k.shifted(p, then)
			if k.Nodes[u.Node].Kind == "at-most" {
				behind = join(behind, then)
			}
			then = behind
		}
		moved := slices.Clone(now)
		for c := range moved {
			moved[c] += round.Groups * (then[c] - now[c])
			moved[c] = max(moved[c], moved[next])
		}
		now = moved
	}
	k.ends(u, now)
}

// ends has a use end with those times.
func (k *opened) ends(u *cert.Use, times []int64) {
	k.Vectors = append(k.Vectors, k.sparse(times))
	u.Weight, u.Behind = times[next], int64(len(k.Vectors)-1)
}

// shifted is where a use leads from times on.
func (k *opened) shifted(use int64, from []int64) []int64 {
	u := &k.Uses[use]
	later := from[next]
	for c, v := range k.vector[u.Before] {
		later = max(later, from[c]-v)
	}
	behind := slices.Clone(k.vector[u.Behind])
	for c := range behind {
		behind[c] += later + u.Weight
	}
	return behind
}

// hurry has a use of any-of end behind all parts, as if none could be left out, or, of
// many, behind any one of them.
func (k *opened) hurry(u *cert.Use) {
	n, before := len(k.Nodes[u.Node].Parts), k.vector[u.Before]
	if n > mostOrdered {
		now := before
		for _, use := range u.Parts[:n] {
			now = join(now, k.shifted(use, before))
		}
		k.ends(u, now)
		return
	}
	behind, uses := [][]int64{before}, u.Parts
	for set := 1; set < 1<<n; set++ {
		var now []int64
		for p := range n {
			if set>>p&1 == 1 {
				now = join(now, k.shifted(uses[0], behind[set&^(1<<p)]))
				uses = uses[1:]
			}
		}
		behind = append(behind, now)
	}
	k.ends(u, behind[len(behind)-1])
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
