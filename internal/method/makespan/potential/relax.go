package potential

import (
	"context"
	"math"
)

// weights are candidates for the certificate: gain[r][i] is by how much a warp
// that executes instruction i in a cycle lowers the potential in states of row r;
// in units of 1/scale cycles. The weight of a warp that waits for instruction i is
// the sum of the gains from i on.
type weights struct {
	gain  [][]int64
	scale int64
}

// waiting are the weights of warps by what they wait for, as gain is indexed.
func (w *weights) waiting(phase []int) [][]int64 {
	out := make([][]int64, len(w.gain))
	for r, gain := range w.gain {
		out[r] = make([]int64, len(gain))
		sum := int64(0)
		for i := len(gain) - 1; i >= phase[r]; i-- {
			sum += gain[i]
			out[r][i] = sum
		}
	}
	return out
}

// cut says that Σ coefficient·gain (and, on a path, the offset of the start) is at
// least cycles.
type cut struct {
	coefficient []float64 // by variable
	cycles      float64
}

// variables gives the gains of the rows their variables: (r, i) for i from the row's
// phase on is base[r] + i; an offset is the last of all.
func (g *graph) variables() (base []int, all int) {
	for _, p := range g.phase {
		base = append(base, all-p)
		all += g.length() - p
	}
	return base, all + 1
}

const unreached = math.MinInt64 / 4

// relaxation finds the longest ways to the end under weights.
type relaxation struct {
	*graph
	excess []int64 // by edge: scale less what the potential falls by
	offset []int64 // by node: longest sum of excess to the end
	via    []int32 // by node: first edge of such a way, -1 for none
	mark   []int32
	fall   []int64 // by row and move: the gains of the move; nil where there are more of them than edges
	base   []int   // of the variables, by row
	all    int     // number of variables
}

func newRelaxation(g *graph) *relaxation {
	base, all := g.variables()
	r := &relaxation{
		graph: g, excess: make([]int64, len(g.edges)), offset: make([]int64, g.nodes()),
		via: make([]int32, g.nodes()), mark: make([]int32, g.nodes()), base: base, all: all,
	}
	if n := len(g.phase) * (len(g.moves) / g.length()); n <= len(g.edges) {
		r.fall = make([]int64, n)
	}
	return r
}

// weigh computes the excess of every edge. Where the row changes, the warps that
// remain change their weights.
func (r *relaxation) weigh(w *weights) {
	rows := len(r.phase)
	waiting := w.waiting(r.phase)
	moves := len(r.moves) / r.length()
	for k := range r.fall {
		r.fall[k] = r.gained(w.gain[k/moves], int32(k%moves))
	}
	for n := range r.nodes() {
		p := int(r.row[n])
		for j := r.start[n]; j < r.start[n+1]; j++ {
			e := r.edges[j]
			x := w.scale
			if r.fall != nil {
				x -= r.fall[p*moves+int(e.move)]
			} else {
				x -= r.gained(w.gain[p], e.move)
			}
			if q := int(r.row[e.to]); q != p && q < rows {
				for i, c := range r.at(e.to) {
					x -= (waiting[p][i] - waiting[q][i]) * int64(c)
				}
			}
			r.excess[j] = x
		}
	}
}

// gained is the sum of the gains of a move's warps.
func (g *graph) gained(gain []int64, move int32) (sum int64) {
	for i, m := range g.moveCounts(move) {
		if m != 0 {
			sum += gain[i] * int64(m)
		}
	}
	return sum
}

// maxCuts bounds the cuts of one relaxation.
const maxCuts = 200

// longest computes the offsets, or, where a circle of states gains, cuts that rule
// such circles out. Every node must reach the end.
func (r *relaxation) longest(ctx context.Context) ([]cut, error) {
	for n := range r.offset {
		r.offset[n], r.via[n] = unreached, -1
	}
	r.offset[r.final] = 0
	for changed := true; changed; {
		if ctx.Err() != nil {
			return nil, ended(ctx)
		}
		changed = false
		for n := r.nodes() - 1; n >= 0; n-- {
			best, via := r.offset[n], r.via[n]
			first, end := r.start[n], r.start[n+1]
			edges, excess := r.edges[first:end], r.excess[first:end]
			for j := range edges {
				if o := r.offset[edges[j].to]; o > unreached && o+excess[j] > best {
					best, via = o+excess[j], first+int32(j)
				}
			}
			if via != r.via[n] || best != r.offset[n] {
				r.offset[n], r.via[n] = best, via
				changed = true
			}
		}
		if cuts := r.circles(); len(cuts) > 0 {
			return cuts, nil
		}
	}
	return nil, nil
}

// circles are the cuts of the circles among the chosen edges. A circle there has
// gained since its edges were chosen, so it gains on every round.
func (r *relaxation) circles() []cut {
	clear(r.mark)
	var out []cut
	for n := range r.mark {
		x := int32(n)
		for r.mark[x] == 0 && r.via[x] >= 0 {
			r.mark[x] = int32(n) + 1
			x = r.edges[r.via[x]].to
		}
		if r.via[x] < 0 || r.mark[x] != int32(n)+1 {
			continue
		}
		c := r.newCut()
		for y := x; ; {
			y = r.extend(&c, y)
			if y == x {
				break
			}
		}
		if out = append(out, c); len(out) == maxCuts {
			break
		}
	}
	return out
}

// path is the cut of the longest way from the start to the end.
func (r *relaxation) path() cut {
	c := r.newCut()
	c.coefficient[len(c.coefficient)-1] = 1
	for x := int32(0); x != r.final; {
		x = r.extend(&c, x)
	}
	return c
}

func (r *relaxation) newCut() cut { return cut{coefficient: make([]float64, r.all)} }

// extend adds the chosen edge of node n to a cut and gives the node it leads to.
func (r *relaxation) extend(c *cut, n int32) int32 {
	e := r.edges[r.via[n]]
	p, q := int(r.row[n]), int(r.row[e.to])
	c.cycles++
	for i, m := range r.moveCounts(e.move) {
		if m != 0 {
			c.coefficient[r.base[p]+i] += float64(m)
		}
	}
	if q != p && q < len(r.phase) {
		waiting := 0.0
		to := r.at(e.to)
		for i := r.phase[q]; i < len(to); i++ {
			waiting += float64(to[i])
			c.coefficient[r.base[p]+i] += waiting
			c.coefficient[r.base[q]+i] -= waiting
		}
	}
	return e.to
}

// keeps are the cuts that keep the weight of a warp from growing where the row
// changes while the count of the warp's place is capped.
func (r *relaxation) keeps() []cut {
	length, rows := r.length(), len(r.phase)
	seen := make([]bool, rows*rows*length)
	var out []cut
	for n := range r.nodes() {
		p := int(r.row[n])
		for j := r.start[n]; j < r.start[n+1]; j++ {
			e := r.edges[j]
			q := int(r.row[e.to])
			if q == p || q == rows {
				continue
			}
			for i, c := range r.at(e.to) {
				key := (p*rows+q)*length + i
				if int64(c) < r.capOf[i] || seen[key] {
					continue
				}
				seen[key] = true
				k := r.newCut()
				for l := i; l < length; l++ {
					k.coefficient[r.base[p]+l]++
					k.coefficient[r.base[q]+l]--
				}
				out = append(out, k)
			}
		}
	}
	return out
}
