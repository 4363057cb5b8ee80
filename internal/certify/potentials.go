package certify

import (
	"fmt"

	cert "github.com/warpbound/warpbound/internal/certificate"
)

// state is a vector of the certificate, a number of cycles later.
type state struct{ at, vector int64 }

// dense is a state as its components.
func (k *checker) dense(s state) []int64 {
	out := make([]int64, len(k.names))
	for i, v := range k.vector[s.vector] {
		out[i] = s.at + v
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

// reaches holds a state against another that is to be no earlier.
func (k *checker) reaches(where string, a, b state) {
	to := k.vector[b.vector]
	for i, v := range k.vector[a.vector] {
		if a.at+v > b.at+to[i] {
			refuse(where, "%s: %d + %d > %d + %d", k.names[i], a.at, v, b.at, to[i])
		}
	}
}

// state checks one of the certificate, which is from so many cycles on.
func (k *checker) state(where string, from int64, s cert.State) state {
	need(s.At >= 0 && s.At <= most, where, "%d cycles, expected 0 to %d", s.At, most)
	index(where+".vector", s.Vector, len(k.vector))
	need(from <= most-s.At, where, "times beyond %d", most)
	return state{from + s.At, s.Vector}
}

// uses checks the potentials: every use of a node, by those of its parts.
func (k *checker) uses() {
	for i := range k.Uses {
		u := &k.Uses[i]
		where := at("uses", i)
		index(where+".node", u.Node, len(k.Nodes))
		index(where+".before", u.Before, len(k.vector))
		behind := k.state(where, 0, cert.State{At: u.Weight, Vector: u.Behind})
		x := &k.Nodes[u.Node]
		where += " (" + x.Kind + ")"
		switch now := (state{0, u.Before}); x.Kind {
		case "run":
			times := k.dense(now)
			for _, s := range x.Run {
				k.step(where, &k.ops[s], times)
			}
			k.notLater(where, times, k.dense(behind))
		case "any":
			k.anyOrder(where, i, x, behind)
		case "one", "concat":
			need(len(u.Parts) == len(x.Parts), where, "%d parts, expected %d", len(u.Parts), len(x.Parts))
			for j, p := range x.Parts {
				if then := k.part(where, i, u.Parts[j], p, now); x.Kind == "concat" {
					now = then
				} else {
					k.reaches(where, then, behind)
				}
			}
			if x.Kind == "concat" {
				k.reaches(where, now, behind)
			}
		default:
			done := int64(0)
			for j := range u.Rounds {
				r := &u.Rounds[j]
				n, ok := product(int64(len(r.First)), r.Groups)
				need(ok && n > 0 && n <= x.Count-done, where, "round %d has %d groups of %d iterations", j, r.Groups, len(r.First))
				done += n
				now = k.round(fmt.Sprintf("%s, round %d", where, j), i, x, r, now)
			}
			need(done == x.Count, where, "%d iterations, expected %d", done, x.Count)
			k.reaches(where, now, behind)
		}
	}
}

// step takes times behind an instruction. Times earlier than the next issue make no
// difference to what is behind: vectors have none.
func (k *checker) step(where string, o *op, times []int64) {
	a := times[next]
	for _, r := range o.waits {
		a = max(a, times[r])
	}
	d := max(a, times[o.unit])
	done := d + o.lambda
	if done > maxTime {
		refuse(where, "times beyond %d", maxTime)
	}
	times[o.unit] = d + o.init
	times[end] = max(times[end], done)
	for _, w := range o.writes {
		times[w] = done
	}
	switch k.m.Queue.Kind {
	case "unbounded":
		times[next] = a + 1
	case "pooled":
		times[next] = d + o.init
	default:
		times[next] = d + 1
	}
}

// part follows a use that use i names, of node p, from a state on.
func (k *checker) part(where string, i int, use, p int64, from state) state {
	index(where+": part", use, i)
	u := &k.Uses[use]
	if u.Node != p || u.Before != from.vector {
		refuse(where, "part %d is a use of node %d from vector %d, expected of node %d from vector %d", use, u.Node, u.Before, p, from.vector)
	}
	return k.state(where, from.at, cert.State{At: u.Weight, Vector: u.Behind})
}

// anyOrder checks a use of any-of: by a state for every set of parts, which are joined
// with each of them last, or by rounds in which any part may come, or none.
func (k *checker) anyOrder(where string, i int, x *cert.Node, behind state) {
	u, n := &k.Uses[i], len(x.Parts)
	sets := n < 16 && len(u.States) == 1<<n
	need(sets || len(u.States) == n+1, where, "%d states for %d parts, expected one for each set of them or %d", len(u.States), n, n+1)
	states := make([]state, len(u.States))
	used := 0
	for j := range states {
		states[j] = k.state(where, 0, u.States[j])
		k.reaches(where, states[j], behind)
		for p := 0; p < n && j > 0; p++ {
			from := j - 1
			if sets {
				from = j &^ (1 << p)
			}
			if from == j {
				continue
			}
			need(used < len(u.Parts), where, "%d parts, expected more", used)
			k.reaches(where, k.part(where, i, u.Parts[used], x.Parts[p], states[from]), states[j])
			used++
		}
		if !sets && j > 0 {
			k.reaches(where, states[j-1], states[j])
		}
	}
	need(states[0] == state{0, u.Before}, where, "the first state is vector %d after %d, expected vector %d after 0", states[0].vector, states[0].at, u.Before)
}

// iterations follows a group of iterations. Where there may be fewer, each leads to
// times that are not earlier.
func (k *checker) iterations(where string, i int, x *cert.Node, uses []int64, now state) state {
	for _, use := range uses {
		then := k.part(where, i, use, x.Body, now)
		if x.Kind == "at-most" {
			k.reaches(where, now, then)
		}
		now = then
	}
	return now
}

// round checks iterations that come several times. If the first group leads from S to
// S + D, and the last one from S + (n-1)D or later to S + nD or earlier, then n groups lead
// from S to S + nD or earlier, since times are maxima of sums.
func (k *checker) round(where string, i int, x *cert.Node, r *cert.Round, from state) state {
	then := k.iterations(where, i, x, r.First, from)
	if r.Groups == 1 {
		return then
	}
	if then.vector == from.vector {
		d, ok := product(r.Groups, then.at-from.at)
		need(ok, where, "times beyond %d", most)
		return k.state(where, from.at, cert.State{At: d, Vector: from.vector})
	}
	need(r.Behind != nil && len(r.Last) == len(r.First), where, "%d groups lead from vector %d to %d, expected the last one, too", r.Groups, from.vector, then.vector)
	before, behind := k.dense(from), k.dense(from)
	for c, v := range k.dense(then) {
		d := v - before[c]
		n, ok := product(r.Groups, max(d, -d))
		need(ok && n <= most, where, "times beyond %d", most)
		before[c] += (r.Groups - 1) * d
		behind[c] += r.Groups * d
	}
	index(where+".last", r.Last[0], i)
	last := k.state(where, from.at, cert.State{At: r.LastAt, Vector: k.Uses[r.Last[0]].Before})
	k.notLater(where+", before its last group", before, k.dense(last))
	last = k.iterations(where, i, x, r.Last, last)
	k.notLater(where+", behind its last group", k.dense(last), behind)
	to := k.state(where, from.at, *r.Behind)
	k.notLater(where+", behind it", behind, k.dense(to))
	return to
}
