package potential

import (
	"context"
	"fmt"

	"github.com/warpbound/warpbound/internal/method/makespan"
)

// problem is what an instance says about a cycle.
type problem struct {
	kind     []int   // kind of each instruction
	capacity []int64 // σ by kind
}

func newProblem(in *makespan.Instance) (*problem, error) {
	if in.Code == nil {
		return nil, &makespan.LimitError{What: "states", Detail: fmt.Sprintf("a string of %d instructions", in.Length)}
	}
	p := &problem{kind: make([]int, len(in.Code)), capacity: in.Capacities()}
	for i, k := range in.Code {
		p.kind[i] = int(k)
	}
	return p, nil
}

// first is the first instruction that a warp waits for, the length if none does.
func first[T int8 | int32](counts []T) int {
	for i, c := range counts {
		if c > 0 {
			return i
		}
	}
	return len(counts)
}

// caps are the caps of the abstraction: base, but at least the capacity of the
// instruction's kind, so that a capped count saturates it.
func (p *problem) caps(base int64) []int64 {
	out := make([]int64, len(p.kind))
	for i, k := range p.kind {
		out[i] = max(base, p.capacity[k])
	}
	return out
}

// strides number the abstract states in mixed radix; size is how many there are,
// 0 if more than limit.
func strides(caps []int64, limit int64) (stride []int64, size int64) {
	stride, size = make([]int64, len(caps)), 1
	for i, k := range caps {
		stride[i] = size
		if k > limit || size > limit/(k+1) {
			return nil, 0
		}
		size *= k + 1
	}
	return stride, size
}

// edge is a cycle that leads from one abstract state to another: the numbers of
// a state and of a move.
type edge struct{ to, move int32 }

// graph has the abstract states that can be reached from the start of any
// sufficient number of warps, and every cycle between them. Node 0 is the start.
type graph struct {
	*problem
	capOf  []int64
	stride []int64
	size   int64 // of the numbering, reachable or not
	number []int64
	counts []int8  // by node, one per instruction
	row    []int32 // by node: what weights it has; len(phase) for the end
	phase  []int   // by row: the first instruction that a warp waits for
	edges  []edge  // of node n: edges[start[n]:start[n+1]]
	start  []int32
	moves  []int8 // by move, one per instruction: how many warps execute it
	final  int32
}

func (g *graph) length() int               { return len(g.kind) }
func (g *graph) nodes() int                { return len(g.number) }
func (g *graph) at(n int32) []int8         { return g.counts[int(n)*g.length():][:g.length()] }
func (g *graph) moveCounts(m int32) []int8 { return g.moves[int(m)*g.length():][:g.length()] }

// maxCap keeps counts, and sums of them, in int8.
const maxCap = 64

// newGraph explores the abstraction. It fails with a LimitError where there are
// more than maxStates numbers or maxEdges edges.
func newGraph(ctx context.Context, p *problem, caps []int64, maxStates, maxEdges int64) (*graph, error) {
	g, err := explore(ctx, p, caps, maxStates, maxEdges, nil)
	if err != nil {
		return nil, err
	}
	for i := range p.kind {
		g.phase = append(g.phase, i)
	}
	return g, nil
}

// explore finds the nodes and edges; with labels, a node is an abstract state with
// the stages that led to it, and its row the label, otherwise its phase.
func explore(ctx context.Context, p *problem, caps []int64, maxStates, maxEdges int64, l *labels) (*graph, error) {
	length := len(p.kind)
	g := &graph{problem: p, capOf: caps, final: -1}
	for _, k := range caps {
		if k > maxCap {
			return nil, &makespan.LimitError{What: "states", Detail: fmt.Sprintf("a capacity of %d, at most %d", k, maxCap)}
		}
	}
	g.stride, g.size = strides(caps, maxStates)
	if g.size == 0 {
		return nil, &makespan.LimitError{What: "states", Detail: fmt.Sprintf("more than %d abstract states", maxStates)}
	}
	x := &explorer{
		graph: g, labels: l, node: make([]int32, g.size), moveNumber: map[string]int32{}, maxEdges: maxEdges,
		here: make([]int8, length), move: make([]int8, length), next: make([]int8, length),
		behind: make([]int, length), left: make([]int, len(p.capacity)),
	}
	for i := range x.node {
		x.node[i] = -1
	}
	x.next[0] = int8(caps[0])
	if l == nil {
		x.visit(-1)
	} else {
		x.visit(l.of(label{-1, stage{0, spread(p.unsaturated(x.next))}}))
	}
	for n := int32(0); int(n) < g.nodes(); n++ {
		if n&1023 == 0 && ctx.Err() != nil {
			return nil, ended(ctx)
		}
		g.start = append(g.start, int32(len(g.edges)))
		x.expand(n)
		if l != nil && len(l.list) > l.most {
			return nil, &makespan.LimitError{What: "states", Detail: fmt.Sprintf("more than %d sequences of stages", l.most)}
		}
		if int64(len(g.edges)) > maxEdges {
			return nil, &makespan.LimitError{What: "states", Detail: fmt.Sprintf("more than %d cycles between abstract states", maxEdges)}
		}
	}
	g.start = append(g.start, int32(len(g.edges)))
	return g, nil
}

func ended(ctx context.Context) error {
	return &makespan.LimitError{What: "time", Cause: ctx.Err()}
}

type explorer struct {
	*graph
	*labels
	node       []int32 // by number, -1 where not reached
	moveNumber map[string]int32
	maxEdges   int64
	here       []int8 // counts of the node being expanded
	move, next []int8
	behind     []int // warps behind an instruction that can execute the same kind
	left       []int // by kind: what the cycle has still to execute
	from       int32 // node being expanded
	current    int32 // move
}

// visit makes next a node, with a label if it is not -1.
func (x *explorer) visit(l int32) int32 {
	number := int64(0)
	for i, c := range x.next {
		number += int64(c) * x.stride[i]
	}
	if l < 0 || number == 0 {
		if n := x.node[number]; n >= 0 {
			return n
		}
		x.node[number] = int32(x.nodes())
		l = int32(first(x.next))
	} else {
		key := [2]int64{int64(l), number}
		if n, ok := x.labels.node[key]; ok {
			return n
		}
		x.labels.node[key] = int32(x.nodes())
	}
	n := int32(x.nodes())
	x.number = append(x.number, number)
	x.counts = append(x.counts, x.next...)
	x.row = append(x.row, l)
	if number == 0 {
		x.final = n
	}
	return n
}

// arrive adds the edges to next.
func (x *explorer) arrive() {
	if x.labels == nil {
		x.edges = append(x.edges, edge{to: x.visit(-1), move: x.current})
		return
	}
	l := x.row[x.from]
	s := x.list[l].stage
	if first(x.next) == len(x.next) {
		if x.canEnd(s, x.here) {
			x.edges = append(x.edges, edge{to: x.visit(-1), move: x.current})
		}
		return
	}
	for _, t := range x.following(s, x.here, x.next) {
		to := l
		if t != s {
			to = x.of(label{l, t})
		}
		x.edges = append(x.edges, edge{to: x.visit(to), move: x.current})
	}
}

// expand adds the cycles that start in node n.
func (x *explorer) expand(n int32) {
	x.from = n
	copy(x.here, x.at(n))
	clear(x.left)
	for i := len(x.here) - 1; i >= 0; i-- {
		k := x.kind[i]
		x.behind[i] = x.left[k]
		x.left[k] += x.most(i)
	}
	busy := false
	for k, c := range x.capacity {
		x.left[k] = int(min(int64(x.left[k]), c))
		busy = busy || x.left[k] > 0
	}
	if busy {
		x.choose(0)
	}
}

// most is how many warps may execute instruction i in a cycle: a capped count is
// at least the capacity.
func (x *explorer) most(i int) int {
	return int(min(int64(x.here[i]), x.capacity[x.kind[i]]))
}

// choose goes through what the instructions from i on may execute.
func (x *explorer) choose(i int) {
	if int64(len(x.edges)) > x.maxEdges {
		return
	}
	if i == len(x.here) {
		m, ok := x.moveNumber[string(asBytes(x.move))]
		if !ok {
			m = int32(len(x.moveNumber))
			x.moveNumber[string(asBytes(x.move))] = m
			x.moves = append(x.moves, x.move...)
		}
		x.current = m
		x.land(0)
		return
	}
	k := x.kind[i]
	for e := max(0, x.left[k]-x.behind[i]); e <= min(x.left[k], x.most(i)); e++ {
		x.move[i] = int8(e)
		x.left[k] -= e
		x.choose(i + 1)
		x.left[k] += e
	}
	x.move[i] = 0
}

// land goes through the counts that the instructions from i on may have after the
// move: a capped count can stay at the cap or fall by no more than what executed.
func (x *explorer) land(i int) {
	if i == len(x.here) {
		x.arrive()
		return
	}
	top := int8(x.capOf[i])
	least := x.here[i] - x.move[i]
	if i > 0 {
		least += x.move[i-1]
	}
	least = min(least, top)
	most := least
	if x.here[i] == top {
		most = top
	}
	for c := least; c <= most; c++ {
		x.next[i] = c
		x.land(i + 1)
	}
}

func asBytes(s []int8) []byte {
	b := make([]byte, len(s))
	for i, v := range s {
		b[i] = byte(v)
	}
	return b
}
