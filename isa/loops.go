package isa

import "sort"

// Loop is a loop of a control-flow graph: a strongly connected part with the
// block it is entered at.
type Loop struct {
	Header int32   // the entry; of several the first in reverse postorder
	Blocks []int32 // all blocks, those of inner loops included, ascending
	// Latches are the blocks that branch back to the header; Exits are the
	// blocks outside that follow a block inside. Both ascend.
	Latches, Exits []int32
	Parent         int // index of the enclosing loop, -1 at the top
	Depth          int // 1 at the top
	// Irreducible says that the loop has entries beside the header, so the
	// header does not dominate it.
	Irreducible bool
}

// Contains says whether block b is in the loop.
func (l *Loop) Contains(b int32) bool {
	i := sort.Search(len(l.Blocks), func(i int) bool { return l.Blocks[i] >= b })
	return i < len(l.Blocks) && l.Blocks[i] == b
}

// Loops returns the loop forest of c, outer loops before inner ones and, within
// one parent, in order of their headers in reverse postorder. Back edges with a
// common header make one loop. The loops are the strongly connected parts of
// the graph and, recursively, those left inside each when its header is taken
// out: on reducible graphs exactly the natural loops.
func Loops(c *CFG) []Loop {
	f := &loopFinder{c: c, region: make([]int32, len(c.Blocks))}
	f.find(c.Order, -1, 1)
	return f.loops
}

type loopFinder struct {
	c      *CFG
	loops  []Loop
	region []int32 // number of the region a block is in; regions are searched one inside the other
	count  int32
}

// find adds the loops among blocks, given in reverse postorder.
func (f *loopFinder) find(blocks []int32, parent, depth int) {
	f.count++
	region := f.count
	for _, b := range blocks {
		f.region[b] = region
	}
	parts := f.components(blocks, region)
	for _, part := range parts {
		loop := f.describe(part, parent, depth)
		f.loops = append(f.loops, loop)
		inner := make([]int32, 0, len(part)-1)
		for _, b := range part {
			if b != loop.Header {
				inner = append(inner, b)
			}
		}
		f.region[loop.Header] = 0
		f.find(inner, len(f.loops)-1, depth+1)
	}
}

func (f *loopFinder) describe(part []int32, parent, depth int) Loop {
	inside := make(map[int32]bool, len(part))
	for _, b := range part {
		inside[b] = true
	}
	l := Loop{Header: NoBlock, Parent: parent, Depth: depth, Blocks: append([]int32{}, part...)}
	sort.Slice(l.Blocks, func(i, j int) bool { return l.Blocks[i] < l.Blocks[j] })
	for _, b := range part {
		entered := b == f.c.Order[0]
		for _, p := range f.c.Blocks[b].Preds {
			entered = entered || f.c.Reachable(p) && !inside[p]
		}
		switch {
		case !entered:
		case l.Header == NoBlock:
			l.Header = b
		default:
			l.Irreducible = true
		}
	}
	for _, b := range l.Blocks {
		for _, s := range f.c.Blocks[b].Succs {
			if s == l.Header {
				l.Latches = appendNew(l.Latches, b)
			}
			if !inside[s] {
				l.Exits = appendNew(l.Exits, s)
			}
		}
	}
	sort.Slice(l.Exits, func(i, j int) bool { return l.Exits[i] < l.Exits[j] })
	return l
}

// components returns the strongly connected parts of the region that hold a
// cycle, each in reverse postorder, ordered by their first block, by Tarjan's
// algorithm with a stack of its own.
func (f *loopFinder) components(blocks []int32, region int32) [][]int32 {
	type visit struct {
		node int32
		next int
	}
	number := make(map[int32]int32, len(blocks))
	low := make(map[int32]int32, len(blocks))
	onStack := make(map[int32]bool, len(blocks))
	var open []int32
	var parts [][]int32
	for _, root := range blocks {
		if number[root] != 0 {
			continue
		}
		enter := func(b int32) {
			number[b] = int32(len(number) + 1)
			low[b] = number[b]
			open = append(open, b)
			onStack[b] = true
		}
		enter(root)
		work := []visit{{node: root}}
		for len(work) > 0 {
			top := &work[len(work)-1]
			b := top.node
			if succs := f.c.Blocks[b].Succs; top.next < len(succs) {
				s := succs[top.next]
				top.next++
				switch {
				case f.region[s] != region:
				case number[s] == 0:
					enter(s)
					work = append(work, visit{node: s})
				case onStack[s]:
					low[b] = min(low[b], number[s])
				}
				continue
			}
			work = work[:len(work)-1]
			if len(work) > 0 {
				p := work[len(work)-1].node
				low[p] = min(low[p], low[b])
			}
			if low[b] != number[b] {
				continue
			}
			at := len(open) - 1
			for open[at] != b {
				at--
			}
			part := append([]int32{}, open[at:]...)
			open = open[:at]
			for _, x := range part {
				onStack[x] = false
			}
			if len(part) > 1 || selfLoop(&f.c.Blocks[b], b) {
				sort.Slice(part, func(i, j int) bool { return f.c.rank[part[i]] < f.c.rank[part[j]] })
				parts = append(parts, part)
			}
		}
	}
	sort.Slice(parts, func(i, j int) bool { return f.c.rank[parts[i][0]] < f.c.rank[parts[j][0]] })
	return parts
}

func selfLoop(block *BasicBlock, b int32) bool {
	for _, s := range block.Succs {
		if s == b {
			return true
		}
	}
	return false
}
