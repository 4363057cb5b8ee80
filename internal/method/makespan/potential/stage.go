package potential

import (
	"context"
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/internal/method/makespan"
)

// A schedule is described by stages: the first instruction that a warp waits for,
// and for each kind whether it has been unsaturated since that changed
// (idleNever), is between the first and the last time (idleBetween), or past the
// last (idleOver). The last time is known only afterwards, so a schedule has to
// guess.
const (
	idleNever = iota
	idleBetween
	idleOver
)

// stage packs the idleness of kind u into the bits 2u and 2u+1.
type stage struct {
	phase int
	idle  uint64
}

// maxStageKinds is how many kinds a stage has room for.
const maxStageKinds = 32

// label is a sequence of stages: one more after the parent's, -1 for none.
type label struct {
	parent int32
	stage  stage
}

// labels number the sequences of stages that schedules can begin with.
type labels struct {
	list  []label
	index map[label]int32
	node  map[[2]int64]int32 // by label and number of the abstract state
	most  int
}

func (l *labels) of(n label) int32 {
	i, ok := l.index[n]
	if !ok {
		i = int32(len(l.list))
		l.list = append(l.list, n)
		l.index[n] = i
	}
	return i
}

// path is the sequence of labels that ends in one.
func (l *labels) path(last int32) []int32 {
	var out []int32
	for n := last; n >= 0; n = l.list[n].parent {
		out = append(out, n)
	}
	slices.Reverse(out)
	return out
}

// unsaturated is a bit per kind that has fewer warps waiting than its capacity.
func (p *problem) unsaturated(counts []int8) uint64 {
	var set uint64
	for u, capacity := range p.capacity {
		sum := int64(0)
		for i, c := range counts {
			if p.kind[i] == u {
				sum += int64(c)
			}
		}
		if sum < capacity {
			set |= 1 << u
		}
	}
	return set
}

// spread moves bit u of a set to bit 2u.
func spread(set uint64) uint64 {
	out := uint64(0)
	for u := range maxStageKinds {
		out |= set >> u & 1 << (2 * u)
	}
	return out
}

// canEnd says whether a stage can end after a state: no kind is still between its
// first and last time.
func (p *problem) canEnd(s stage, here []int8) bool {
	between := s.idle &^ (s.idle >> 1) & spread(1<<maxStageKinds-1)
	return between&^spread(p.unsaturated(here)) == 0
}

// following are the stages of the state next that comes after here in stage s.
func (p *problem) following(s stage, here, next []int8) []stage {
	phase := first(next)
	now := p.unsaturated(next)
	if phase != s.phase {
		if !p.canEnd(s, here) {
			return nil
		}
		return []stage{{phase, spread(now)}}
	}
	before := p.unsaturated(here)
	out := []stage{{phase: phase}}
	for u := range p.capacity {
		var choices []uint64
		idle := s.idle >> (2 * u) & 3
		switch {
		case now>>u&1 == 1 && idle == idleOver:
			return nil
		case now>>u&1 == 1:
			choices = []uint64{idleBetween}
		case idle == idleBetween && before>>u&1 == 1:
			choices = []uint64{idleBetween, idleOver}
		default:
			choices = []uint64{idle}
		}
		var all []stage
		for _, o := range out {
			for _, c := range choices {
				all = append(all, stage{phase, o.idle | c<<(2*u)})
			}
		}
		out = all
	}
	return out
}

// newUnfolded is the graph of abstract states and the stages that led to them.
func newUnfolded(ctx context.Context, p *problem, caps []int64, o Options) (*graph, *labels, error) {
	if len(p.capacity) > maxStageKinds {
		return nil, nil, &makespan.LimitError{What: "states", Detail: fmt.Sprintf("%d kinds", len(p.capacity))}
	}
	l := &labels{index: map[label]int32{}, node: map[[2]int64]int32{}, most: o.MaxCourses}
	g, err := explore(ctx, p, caps, o.MaxStates, o.MaxEdges, l)
	if err != nil {
		return nil, nil, err
	}
	for _, n := range l.list {
		g.phase = append(g.phase, n.stage.phase)
	}
	g.row[g.final] = int32(len(g.phase))
	return g, l, nil
}

// along is the part of an unfolded graph that schedules of one sequence of stages
// go through; rows are the stages in order.
func (g *graph) along(path []int32) *graph {
	row := make([]int32, len(g.phase)+1)
	for i := range row {
		row[i] = -1
	}
	out := &graph{problem: g.problem, capOf: g.capOf, stride: g.stride, size: g.size, moves: g.moves}
	for r, l := range path {
		row[l] = int32(r)
		out.phase = append(out.phase, g.phase[l])
	}
	row[len(g.phase)] = int32(len(path))
	node := make([]int32, g.nodes())
	for n := range node {
		r := row[g.row[n]]
		if node[n] = -1; r < 0 {
			continue
		}
		node[n] = int32(out.nodes())
		out.number = append(out.number, g.number[n])
		out.counts = append(out.counts, g.at(int32(n))...)
		out.row = append(out.row, r)
	}
	out.final = node[g.final]
	for n := range node {
		if node[n] < 0 {
			continue
		}
		out.start = append(out.start, int32(len(out.edges)))
		for _, e := range g.edges[g.start[n]:g.start[n+1]] {
			ends := e.to == g.final && g.row[n] != path[len(path)-1]
			if to := node[e.to]; to >= 0 && !ends {
				out.edges = append(out.edges, edge{to: to, move: e.move})
			}
		}
	}
	out.start = append(out.start, int32(len(out.edges)))
	return out
}
