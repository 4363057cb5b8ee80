package isa

import "fmt"

// NoBlock says that there is no basic block: the function's end as a
// post-dominator, or the missing dominator of an entry.
const NoBlock int32 = -1

// BasicBlock is a maximal run of instructions entered only at the first and
// left only after the last.
type BasicBlock struct {
	First, End int32   // instructions [First, End)
	Succs      []int32 // blocks that may follow, taken targets before the next block, without duplicates
	Preds      []int32 // blocks that may precede, ascending
	Exits      bool    // lanes may leave the function after the block
}

// CFG is the control-flow graph of one function. Calls do not end a block: the
// callee has a graph of its own. Blocks[0] is the entry.
type CFG struct {
	Program  *Program
	Function int
	Blocks   []BasicBlock // in program order
	// Order lists the blocks reachable from the entry in reverse postorder.
	Order []int32
	// Idom is the immediate dominator of each block, NoBlock for the entry and
	// for unreachable blocks.
	Idom []int32
	// Ipdom is the immediate post-dominator of each block, NoBlock where it is
	// the end of the function. A part of the graph that cannot reach the end
	// (an endless loop) counts as if its last block in program order could.
	Ipdom []int32

	entry int32   // first instruction of the function
	index []int32 // block of each instruction, from entry on
	rank  []int32 // position in Order, -1 where unreachable
}

// BuildCFG makes the graph of function fn of p, with its dominators. An
// unguarded branch goes to its targets only, so a front end whose conditional
// branches have no guard names the next instruction among the targets. It is
// an error if a branch leaves the function or the last instruction runs past
// its end.
func BuildCFG(p *Program, fn int) (*CFG, error) {
	if fn < 0 || fn >= len(p.Functions) {
		return nil, fmt.Errorf("%s: no function %d among %d", p.Name, fn, len(p.Functions))
	}
	f := p.Functions[fn]
	if f.Entry < 0 || f.End <= f.Entry || int(f.End) > len(p.Instructions) {
		return nil, fmt.Errorf("%s: function %s covers [%d,%d) of %d instructions", p.Name, f.Name, f.Entry, f.End, len(p.Instructions))
	}
	c := &CFG{Program: p, Function: fn, entry: f.Entry, index: make([]int32, f.End-f.Entry)}
	leader := make([]bool, f.End-f.Entry+1)
	leader[0] = true
	for pc := f.Entry; pc < f.End; pc++ {
		in := &p.Instructions[pc]
		next, ends := flow(in)
		if ends {
			leader[pc+1-f.Entry] = true
		}
		if next && pc+1 == f.End {
			return nil, fmt.Errorf("%s: function %s runs past its last instruction %d", p.Name, f.Name, pc)
		}
		if in.Kind != Branch {
			continue
		}
		for _, t := range in.Targets {
			if t < f.Entry || t >= f.End {
				return nil, fmt.Errorf("%s: instruction %d branches to %d, outside function %s", p.Name, pc, t, f.Name)
			}
			leader[t-f.Entry] = true
		}
	}
	for pc := f.Entry; pc < f.End; pc++ {
		if leader[pc-f.Entry] {
			c.Blocks = append(c.Blocks, BasicBlock{First: pc})
		}
		b := int32(len(c.Blocks) - 1)
		c.index[pc-f.Entry] = b
		c.Blocks[b].End = pc + 1
	}
	c.connect()
	c.dominators()
	c.postDominators()
	return c, nil
}

// flow tells whether the instruction after in may follow it, and whether in
// ends a basic block.
func flow(in *Instruction) (next, ends bool) {
	guarded := in.Guard != NoReg
	switch in.Kind {
	case Branch, Exit, Return:
		return guarded, true
	}
	return true, false
}

func (c *CFG) connect() {
	for i := range c.Blocks {
		b := &c.Blocks[i]
		in := &c.Program.Instructions[b.End-1]
		if in.Kind == Branch {
			for _, t := range in.Targets {
				b.Succs = appendNew(b.Succs, c.index[t-c.entry])
			}
		}
		if in.Kind == Exit || in.Kind == Return {
			b.Exits = true
		}
		if next, _ := flow(in); next {
			b.Succs = appendNew(b.Succs, int32(i+1))
		}
	}
	for i := range c.Blocks {
		for _, s := range c.Blocks[i].Succs {
			c.Blocks[s].Preds = append(c.Blocks[s].Preds, int32(i))
		}
	}
}

func appendNew(s []int32, x int32) []int32 {
	for _, y := range s {
		if y == x {
			return s
		}
	}
	return append(s, x)
}

// BlockOf is the block that holds instruction pc, NoBlock where pc is not in
// the function.
func (c *CFG) BlockOf(pc int32) int32 {
	if pc < c.entry || pc-c.entry >= int32(len(c.index)) {
		return NoBlock
	}
	return c.index[pc-c.entry]
}

// Reconvergence is the instruction where lanes that part after instruction pc
// meet again: the first of the immediate post-dominator of pc's block, NoPC
// where they meet only at the end of the function.
func (c *CFG) Reconvergence(pc int32) int32 {
	b := c.BlockOf(pc)
	if b == NoBlock || c.Ipdom[b] == NoBlock {
		return NoPC
	}
	return c.Blocks[c.Ipdom[b]].First
}

// Reachable says whether control can reach block b from the entry.
func (c *CFG) Reachable(b int32) bool { return c.rank[b] >= 0 }

// Dominates says whether every path from the entry to b passes a. A block
// dominates itself; unreachable blocks neither dominate nor are dominated.
func (c *CFG) Dominates(a, b int32) bool {
	if !c.Reachable(a) || !c.Reachable(b) {
		return false
	}
	for c.rank[b] > c.rank[a] {
		b = c.Idom[b]
	}
	return a == b
}

// dominators computes Order and Idom by the iteration of Cooper, Harvey and
// Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
func (c *CFG) dominators() {
	n := len(c.Blocks)
	c.Order = reversePostorder(n, 0, func(b int32) []int32 { return c.Blocks[b].Succs })
	c.rank = make([]int32, n)
	for i := range c.rank {
		c.rank[i] = -1
	}
	for i, b := range c.Order {
		c.rank[b] = int32(i)
	}
	c.Idom = iterateDominators(n, c.Order, c.rank, func(b int32) []int32 { return c.Blocks[b].Preds })
}

// postDominators is the same on the reversed graph, whose root is an added
// node n that follows every exit.
func (c *CFG) postDominators() {
	n := int32(len(c.Blocks))
	toEnd := make([]bool, n)
	for b := range c.Blocks {
		toEnd[b] = c.Blocks[b].Exits
	}
	var roots []int32
	backward := func(b int32) []int32 {
		if b == n {
			return roots
		}
		return c.Blocks[b].Preds
	}
	var order []int32
	seen := make([]bool, n+1)
	for {
		roots = roots[:0]
		for b := int32(0); b < n; b++ {
			if toEnd[b] {
				roots = append(roots, b)
			}
		}
		order = reversePostorder(int(n)+1, n, backward)
		if len(order) == int(n)+1 {
			break
		}
		clear(seen)
		for _, b := range order {
			seen[b] = true
		}
		last := n - 1
		for seen[last] {
			last--
		}
		toEnd[last] = true
	}
	rank := make([]int32, n+1)
	for i, b := range order {
		rank[b] = int32(i)
	}
	forward := make([][]int32, n+1)
	for b := int32(0); b < n; b++ {
		forward[b] = c.Blocks[b].Succs
		if toEnd[b] {
			forward[b] = append(append([]int32{}, forward[b]...), n)
		}
	}
	ipdom := iterateDominators(int(n)+1, order, rank, func(b int32) []int32 { return forward[b] })
	c.Ipdom = ipdom[:n]
	for b := range c.Ipdom {
		if c.Ipdom[b] == n {
			c.Ipdom[b] = NoBlock
		}
	}
}

// reversePostorder lists the nodes reachable from root. It keeps its own stack:
// a graph may be a chain of a million blocks.
func reversePostorder(n int, root int32, succs func(int32) []int32) []int32 {
	type visit struct {
		node int32
		next int
	}
	seen := make([]bool, n)
	order := make([]int32, 0, n)
	stack := []visit{{node: root}}
	seen[root] = true
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if s := succs(top.node); top.next < len(s) {
			child := s[top.next]
			top.next++
			if !seen[child] {
				seen[child] = true
				stack = append(stack, visit{node: child})
			}
			continue
		}
		order = append(order, top.node)
		stack = stack[:len(stack)-1]
	}
	for i, j := 0, len(order)-1; i < j; i, j = i+1, j-1 {
		order[i], order[j] = order[j], order[i]
	}
	return order
}

// iterateDominators returns the immediate dominators of the graph whose nodes
// reachable from order[0] are order, in reverse postorder with rank its inverse.
func iterateDominators(n int, order, rank []int32, preds func(int32) []int32) []int32 {
	idom := make([]int32, n)
	for i := range idom {
		idom[i] = NoBlock
	}
	root := order[0]
	idom[root] = root
	for changed := true; changed; {
		changed = false
		for _, b := range order[1:] {
			dom := NoBlock
			for _, p := range preds(b) {
				if rank[p] < 0 || idom[p] == NoBlock {
					continue
				}
				if dom == NoBlock {
					dom = p
					continue
				}
				for q := p; dom != q; {
					for rank[dom] > rank[q] {
						dom = idom[dom]
					}
					for rank[q] > rank[dom] {
						q = idom[q]
					}
				}
			}
			if idom[b] != dom {
				idom[b] = dom
				changed = true
			}
		}
	}
	idom[root] = NoBlock
	return idom
}
