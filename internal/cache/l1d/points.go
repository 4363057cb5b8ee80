package l1d

import (
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/isa"
)

// What executing an instruction means to the order, by PC.
const (
	markFirst  = 1 << iota // first of its basic block
	markCall               // may enter a function
	markLeave              // returns, or ends lanes
	markAccess             // may access global memory
)

// points are the static program points of a program: a number for every
// instruction. Within one body (a function, or a loop without its back edges)
// blocks come in a topological order; the blocks of a loop stand together, at
// the place of the loop in the enclosing body. Of the sides of a branch that
// parts the lanes of some warp the taken one comes first, because the SIMT stack
// runs it first; those of any other branch come in the order of the text.
//
// Functions are numbered each for itself: an access in a called function has
// the point of the call before its own.
type points struct {
	program *isa.Program
	marks   []uint8 // by PC
	number  []int64 // by PC: place in its function's order
	block   []int32 // by PC: index into blocks
	blocks  []pointBlock
	loops   []pointLoop
	entry   map[int32]bool // first instructions of functions
}

type pointBlock struct {
	loop  int32 // innermost loop, -1 where none
	depth int32 // loops around it
}

type pointLoop struct {
	parent int32 // enclosing loop, -1 where none
	depth  int32 // 1 at the top
	header int32 // block
	number int64 // of its first instruction in the order
}

// newPoints numbers a program's instructions. diverges says, by PC, which
// branches part the lanes of a warp.
func newPoints(p *isa.Program, diverges []bool) (*points, error) {
	n := len(p.Instructions)
	s := &points{program: p, marks: make([]uint8, n), number: make([]int64, n), block: make([]int32, n), entry: map[int32]bool{}}
	for pc := range p.Instructions {
		in := &p.Instructions[pc]
		switch in.Kind {
		case isa.Call:
			s.marks[pc] |= markCall
		case isa.Return, isa.Exit:
			s.marks[pc] |= markLeave
		}
		if MayAccessGlobal(in) {
			s.marks[pc] |= markAccess
		}
		if in.Unplaced {
			return nil, fmt.Errorf("%s: %s: %w", in.Pos, in.Opcode, ErrUnplaced)
		}
	}
	for f := range p.Functions {
		if err := s.addFunction(f, diverges); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// addFunction numbers the instructions of one function.
func (s *points) addFunction(f int, diverges []bool) error {
	c, err := isa.BuildCFG(s.program, f)
	if err != nil {
		return fmt.Errorf("l1d: %w", err)
	}
	s.entry[s.program.Functions[f].Entry] = true
	loops := isa.Loops(c)
	firstBlock, firstLoop := int32(len(s.blocks)), int32(len(s.loops))
	within := innermost(c, loops)
	for b := range c.Blocks {
		x := pointBlock{loop: -1}
		if l := within[b]; l >= 0 {
			x = pointBlock{loop: firstLoop + int32(l), depth: int32(loops[l].Depth)}
		}
		s.blocks = append(s.blocks, x)
		s.marks[c.Blocks[b].First] |= markFirst
		for pc := c.Blocks[b].First; pc < c.Blocks[b].End; pc++ {
			s.block[pc] = firstBlock + int32(b)
		}
	}
	for i := range loops {
		x := pointLoop{parent: -1, depth: int32(loops[i].Depth), header: firstBlock + loops[i].Header}
		if loops[i].Parent >= 0 {
			x.parent = firstLoop + int32(loops[i].Parent)
		}
		s.loops = append(s.loops, x)
	}
	l := &layout{cfg: c, loops: loops, within: within, diverges: diverges}
	next := int64(0)
	for _, b := range l.body(-1) {
		if h := within[b]; h >= 0 && loops[h].Header == b {
			s.loops[firstLoop+int32(h)].number = next // the header comes first
		}
		for pc := c.Blocks[b].First; pc < c.Blocks[b].End; pc++ {
			s.number[pc] = next
			next++
		}
	}
	return nil
}

// innermost is the innermost loop of each block, -1 where none. Outer loops
// stand before inner ones.
func innermost(c *isa.CFG, loops []isa.Loop) []int {
	within := make([]int, len(c.Blocks))
	for b := range within {
		within[b] = -1
	}
	for i := range loops {
		for _, b := range loops[i].Blocks {
			within[b] = i
		}
	}
	return within
}

// layout puts the blocks of a function in order.
type layout struct {
	cfg    *isa.CFG
	loops  []isa.Loop
	within []int

	diverges []bool // by PC
}

// body lists the blocks of loop l, of the whole function where l is -1, in
// order. Blocks that cannot be reached are left out.
func (l *layout) body(loop int) []int32 {
	start := int32(0)
	if loop >= 0 {
		start = l.loops[loop].Header
	} else if outer := l.outermost(start, loop); outer >= 0 {
		start = l.loops[outer].Header
	}
	// Depth first with the first side last: in reverse postorder it comes before
	// the others, and with it all that only it leads to.
	var order []int32 // nodes: a block, or the header of an inner loop for all of it
	type visit struct {
		node  int32
		succs []int32
	}
	seen := map[int32]bool{start: true}
	stack := []visit{{start, l.succs(start, loop)}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if n := len(top.succs); n > 0 {
			next := top.succs[n-1]
			top.succs = top.succs[:n-1]
			if !seen[next] {
				seen[next] = true
				stack = append(stack, visit{next, l.succs(next, loop)})
			}
			continue
		}
		order = append(order, top.node)
		stack = stack[:len(stack)-1]
	}
	slices.Reverse(order)
	var blocks []int32
	for _, node := range order {
		if inner := l.outermost(node, loop); inner >= 0 {
			blocks = append(blocks, l.body(inner)...)
		} else {
			blocks = append(blocks, node)
		}
	}
	return blocks
}

// outermost is the loop directly inside the given one (-1: the function) that
// holds block b, -1 where b is in none.
func (l *layout) outermost(b int32, loop int) int {
	in := l.within[b]
	for in != loop && in >= 0 && l.loops[in].Parent != loop {
		in = l.loops[in].Parent
	}
	if in == loop {
		return -1
	}
	return in
}

// succs are the nodes that follow a node of a loop's body: those inside the
// loop, back edges left out, in the order they are to stand in.
func (l *layout) succs(node int32, loop int) []int32 {
	blocks := []int32{node}
	inner := l.outermost(node, loop)
	if inner >= 0 {
		blocks = l.loops[inner].Blocks
	}
	var out []int32
	for _, b := range blocks {
		for _, s := range l.sides(b) {
			if loop >= 0 && (s == l.loops[loop].Header || !l.loops[loop].Contains(s)) {
				continue
			}
			in := l.outermost(s, loop)
			if in >= 0 {
				if in == inner {
					continue
				}
				s = l.loops[in].Header
			}
			if !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// sides are the successors of a block: where lanes part, in the order in which
// they run, else in the order of the text.
func (l *layout) sides(b int32) []int32 {
	succs := l.cfg.Blocks[b].Succs
	if l.diverges[l.cfg.Blocks[b].End-1] {
		return succs
	}
	succs = slices.Clone(succs)
	slices.Sort(succs)
	return succs
}

// MayAccessGlobal says whether the instruction can be a global access: a load,
// a store, an atomic or an asynchronous copy whose space is global, or is known
// only when it executes.
func MayAccessGlobal(in *isa.Instruction) bool {
	switch in.Kind {
	case isa.Load, isa.Store, isa.Atomic, isa.AsyncCopy:
		return in.Class.Space == isa.Global || in.Class.Space == isa.Generic
	}
	return false
}
