package certify

import (
	"math"
	"slices"

	cert "github.com/warpbound/warpbound/internal/certificate"
)

// times are those of a vector, so many cycles later.
func (k *checker) times(where string, at, vector int64) []int64 {
	index(where+".vector", vector, len(k.vector))
	need(max(at, -at) >= 0 && max(at, -at) <= most, where, "%d cycles, expected at most %d", at, most)
	out := slices.Clone(k.vector[vector])
	for i := range out {
		out[i] += at
	}
	return out
}

// notLater holds times against others that are to be no earlier.
func (k *checker) notLater(where string, a, b []int64) {
	for i := range a {
		if a[i] > b[i] {
			refuse(where, "%s: %d > %d", k.names[i], a[i], b[i])
		}
	}
}

// uses checks the potentials: every use of a node, by those of its parts (theorem 43
// (potentials)).
func (k *checker) uses() {
	for i := range k.Uses {
		u := &k.Uses[i]
		where := at("uses", i)
		index(where+".node", u.Node, len(k.Nodes))
		index(where+".prices", u.Prices, len(k.priced))
		x := &k.Nodes[u.Node]
		where += " (" + x.Kind + ")"
		now, behind := k.times(where, 0, u.Before), k.times(where, u.Weight, u.Behind)
		switch x.Kind {
		case "run":
			paid := int64(0) // takes all times back alike, so it does not matter when
			for _, s := range x.Run {
				k.step(&k.ops[s], now)
				paid = add(paid, k.priced[u.Prices].of[s])
			}
			for c := range now {
				now[c] = add(now[c], -paid)
			}
		case "any":
			now = k.anyOrder(where, i, x, now)
		case "one", "concat":
			need(len(u.Parts) == len(x.Parts), where, "%d parts, expected %d", len(u.Parts), len(x.Parts))
			var joined []int64
			for j, p := range x.Parts {
				then := k.part(where, i, u.Parts[j], p, now)
				joined = join(joined, then)
				if x.Kind == "concat" {
					now, joined = then, then
				}
			}
			now = joined
		default:
			done := int64(0)
			for j := range u.Rounds {
				r := &u.Rounds[j]
				n := mul(int64(len(r.First)), r.Groups)
				need(n > 0 && n <= x.Count-done, where, "round %d has %d groups of %d iterations", j, r.Groups, len(r.First))
				done += n
				now = k.round(where, i, x, r, now)
			}
			need(done == x.Count, where, "%d iterations, expected %d", done, x.Count)
		}
		k.notLater(where, now, behind)
	}
}

// join is the later one of each two times; a is nil where there is none yet.
func join(a, b []int64) []int64 {
	out := slices.Clone(b)
	for i := range a {
		out[i] = max(out[i], a[i])
	}
	return out
}

// step takes times behind an instruction. Times earlier than the next issue make no
// difference to what is behind: vectors have none.
func (k *checker) step(o *op, times []int64) {
	a := times[next]
	for _, r := range o.waits {
		a = max(a, times[r])
	}
	d := max(a, times[o.unit])
	done := add(d, o.lambda)
	times[o.unit] = d + o.init
	times[end] = max(times[end], done)
	for _, w := range o.writes {
		times[w] = done
	}
	switch times[next] = d + 1; k.m.Queue.Kind {
	case "unbounded":
		times[next] = a + 1
	case "pooled":
		times[next] = d + o.init
	}
}

// part follows a use that use i names, of node p, from times on. These are at most those
// before the use, some cycles later; so what they lead to is at most what is behind it, as
// many cycles later (lemma J).
func (k *checker) part(where string, i int, use, p int64, from []int64) []int64 {
	index(where+": part", use, i)
	u, prices := &k.Uses[use], k.Uses[i].Prices
	need(u.Node == p && u.Prices == prices, where, "part %d is a use of node %d under prices %d, expected of node %d under %d", use, u.Node, u.Prices, p, prices)
	later := int64(math.MinInt64)
	for c, v := range k.vector[u.Before] {
		later = max(later, from[c]-v)
	}
	return k.times(where, add(later, u.Weight), u.Behind)
}

// mostOrdered is up to how many parts of any-of every order is followed by itself.
const mostOrdered = 6

// anyOrder follows a use of any-of: behind each set of parts, by its bits, is the join over
// each of them that comes last. Of more parts each may come, or none, as often as there are
// parts.
func (k *checker) anyOrder(where string, i int, x *cert.Node, now []int64) []int64 {
	n, uses := len(x.Parts), k.Uses[i].Parts
	follow := func(joined []int64, p int, from []int64) []int64 {
		need(len(uses) > 0, where, "%d parts, expected more", len(k.Uses[i].Parts))
		then := k.part(where, i, uses[0], x.Parts[p], from)
		uses = uses[1:]
		return join(joined, then)
	}
	for j := 0; j < n && n > mostOrdered; j++ {
		from := now
		for p := range n {
			now = follow(now, p, from)
		}
	}
	behind := [][]int64{now}
	for set := 1; set < 1<<n && n <= mostOrdered; set++ {
		behind = append(behind, nil)
		for p := range n {
			if set>>p&1 == 1 {
				behind[set] = follow(behind[set], p, behind[set&^(1<<p)])
			}
		}
		now = join(now, behind[set])
	}
	return now
}

// iterations follows a group of iterations. Where there may be fewer, each may be left out.
func (k *checker) iterations(where string, i int, x *cert.Node, uses []int64, now []int64) []int64 {
	for _, use := range uses {
		then := k.part(where, i, use, x.Body, now)
		if x.Kind == "at-most" {
			then = join(then, now)
		}
		now = then
	}
	return now
}

// round follows iterations that come several times. If the first group leads from S to
// S + D, and the last one from S + (n-1)D to S + nD or earlier, then n groups lead from S to
// S + nD or earlier, since times are maxima of sums. Where D is the same for all times, the
// last group leads there if the first one does.
func (k *checker) round(where string, i int, x *cert.Node, r *cert.Round, from []int64) []int64 {
	then := k.iterations(where, i, x, r.First, from)
	last, behind, even := slices.Clone(from), slices.Clone(from), true
	for c := range from {
		d := then[c] - from[c]
		last[c] = add(last[c], mul(r.Groups-1, d))
		behind[c] = add(behind[c], mul(r.Groups, d))
		even = even && d == then[next]-from[next]
	}
	if r.Groups > 1 && !even {
		need(len(r.Last) == len(r.First), where, "%d groups move times apart, expected the last one, too", r.Groups)
		k.notLater(where+", behind its last group", k.iterations(where, i, x, r.Last, last), behind)
	}
	for c := range behind {
		behind[c] = max(behind[c], behind[next])
	}
	return behind
}
