package isa

import (
	"slices"
	"testing"

	gonumflow "gonum.org/v1/gonum/graph/flow"
	"gonum.org/v1/gonum/graph/simple"
	"pgregory.net/rapid"
)

// program makes a one-function program whose instruction i branches to
// targets[i]; a negative first element makes the branch conditional, an empty
// list an exit, nil a plain instruction.
func program(targets [][]int32) *Program {
	p := &Program{Name: "t", Registers: []string{"p"}}
	for _, t := range targets {
		in := Instruction{Kind: Plain, Guard: NoReg}
		switch {
		case t == nil:
		case len(t) == 0:
			in.Kind = Exit
		case t[0] < 0:
			in.Kind, in.Guard, in.Reads, in.Targets = Branch, 0, []Reg{0}, t[1:]
		default:
			in.Kind, in.Targets = Branch, t
		}
		p.Instructions = append(p.Instructions, in)
	}
	p.Functions = []Function{{Name: "t", Entry: 0, End: int32(len(targets))}}
	return p
}

func build(t *testing.T, targets [][]int32) *CFG {
	t.Helper()
	p := program(targets)
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	c, err := BuildCFG(p, 0)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDiamondReconvergesAtJoin(t *testing.T) {
	// 0: @p bra 3; 1: plain; 2: bra 4; 3: plain; 4: exit
	c := build(t, [][]int32{{-1, 3}, nil, {4}, nil, {}})
	if got := c.Reconvergence(0); got != 4 {
		t.Errorf("reconvergence of the branch at %d, want 4", got)
	}
	if len(c.Blocks) != 4 || c.BlockOf(2) != 1 || c.BlockOf(4) != 3 || c.BlockOf(5) != NoBlock {
		t.Errorf("blocks %+v", c.Blocks)
	}
	if want := []int32{2, 1}; !slices.Equal(c.Blocks[0].Succs, want) {
		t.Errorf("successors %v, want the taken side first, %v", c.Blocks[0].Succs, want)
	}
	if !c.Dominates(0, 3) || c.Dominates(1, 3) || c.Ipdom[3] != NoBlock {
		t.Errorf("idom %v ipdom %v", c.Idom, c.Ipdom)
	}
}

func TestGuardedExitHasTwoWays(t *testing.T) {
	p := program([][]int32{nil, {}, nil, {}})
	p.Instructions[1].Guard, p.Instructions[1].Reads = 0, []Reg{0}
	c, err := BuildCFG(p, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Blocks) != 2 || !c.Blocks[0].Exits || !slices.Equal(c.Blocks[0].Succs, []int32{1}) || c.Reconvergence(0) != NoPC {
		t.Errorf("blocks %+v, ipdom %v", c.Blocks, c.Ipdom)
	}
}

func TestEndlessLoopHasPostDominators(t *testing.T) {
	// A diamond inside a loop that never ends still reconverges at its join.
	c := build(t, [][]int32{nil, {-1, 4}, nil, {5}, nil, {1}})
	if got := c.Reconvergence(1); got != 5 {
		t.Errorf("reconvergence at %d, want 5", got)
	}
}

func TestBrokenFunctionsAreErrors(t *testing.T) {
	for name, p := range map[string]*Program{
		"runs past the end":         program([][]int32{nil, nil}),
		"conditional branch last":   program([][]int32{nil, {-1, 0}}),
		"branch to another program": program([][]int32{{7}, {}}),
		"no such function":          {Name: "t"},
	} {
		if _, err := BuildCFG(p, 0); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestLoopForest(t *testing.T) {
	// for { for { } if c continue; } with an early exit from the inner loop.
	c := build(t, [][]int32{
		nil,     // 0 preheader
		{-1, 7}, // 1 outer header, may leave
		nil,     // 2 inner header
		{-1, 7}, // 3 early exit of both loops
		{-1, 2}, // 4 inner latch
		{-1, 1}, // 5 outer latch
		{1},     // 6 second outer latch
		{},      // 7
	})
	loops := Loops(c)
	if len(loops) != 2 {
		t.Fatalf("%d loops: %+v", len(loops), loops)
	}
	outer, inner := loops[0], loops[1]
	if c.Blocks[outer.Header].First != 1 || outer.Parent != -1 || outer.Depth != 1 || outer.Irreducible || len(outer.Latches) != 2 {
		t.Errorf("outer loop %+v", outer)
	}
	if c.Blocks[inner.Header].First != 2 || inner.Parent != 0 || inner.Depth != 2 || len(inner.Blocks) != 2 || len(inner.Exits) != 2 {
		t.Errorf("inner loop %+v", inner)
	}
	if !outer.Contains(inner.Header) || inner.Contains(outer.Header) {
		t.Error("nesting and Contains disagree")
	}
}

func TestIrreducibleLoopIsFlagged(t *testing.T) {
	// 0 branches into the middle of the cycle 1-2-3.
	c := build(t, [][]int32{{-1, 3}, nil, nil, {-1, 1}, {}})
	loops := Loops(c)
	if len(loops) != 1 || !loops[0].Irreducible {
		t.Errorf("loops %+v", loops)
	}
}

func drawTargets(t *rapid.T) [][]int32 {
	n := rapid.IntRange(1, 24).Draw(t, "n")
	targets := make([][]int32, n)
	for i := range targets {
		to := int32(rapid.IntRange(0, n-1).Draw(t, "to"))
		switch kind := rapid.IntRange(0, 5).Draw(t, "kind"); {
		case i == n-1 && kind < 3 || kind == 5:
			targets[i] = []int32{}
		case i == n-1:
			targets[i] = []int32{to}
		case kind == 0:
			targets[i] = []int32{to}
		case kind < 4:
			targets[i] = []int32{-1, to}
		}
	}
	return targets
}

// The oracle is Lengauer and Tarjan's algorithm in gonum.
func TestDominatorsAgainstGonum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, err := BuildCFG(program(drawTargets(t)), 0)
		if err != nil {
			t.Fatal(err)
		}
		g := simple.NewDirectedGraph()
		back := simple.NewDirectedGraph()
		end := int64(len(c.Blocks))
		back.AddNode(simple.Node(end))
		canEnd := false
		g.AddNode(simple.Node(0))
		for b := range c.Blocks {
			if c.Blocks[b].Exits {
				canEnd = true
				back.SetEdge(back.NewEdge(simple.Node(end), simple.Node(int64(b))))
			}
			for _, s := range c.Blocks[b].Succs {
				if int64(s) != int64(b) {
					g.SetEdge(g.NewEdge(simple.Node(int64(b)), simple.Node(int64(s))))
					back.SetEdge(back.NewEdge(simple.Node(int64(s)), simple.Node(int64(b))))
				}
			}
		}
		tree := gonumflow.Dominators(simple.Node(0), g)
		for b := range c.Blocks {
			want := NoBlock
			if d := tree.DominatorOf(int64(b)); d != nil && b != 0 {
				want = int32(d.ID())
			}
			if c.Idom[b] != want {
				t.Fatalf("idom of %d is %d, want %d in %+v", b, c.Idom[b], want, c.Blocks)
			}
		}
		if !canEnd || !allReach(c) {
			return
		}
		tree = gonumflow.Dominators(simple.Node(end), back)
		for b := range c.Blocks {
			want := NoBlock
			if d := tree.DominatorOf(int64(b)); d != nil && d.ID() != end {
				want = int32(d.ID())
			}
			if c.Ipdom[b] != want {
				t.Fatalf("ipdom of %d is %d, want %d in %+v", b, c.Ipdom[b], want, c.Blocks)
			}
		}
	})
}

// allReach says whether every block can reach an exit: elsewhere the graph has
// added edges the oracle does not know.
func allReach(c *CFG) bool {
	reach := make([]bool, len(c.Blocks))
	for changed := true; changed; {
		changed = false
		for b := range c.Blocks {
			ok := c.Blocks[b].Exits
			for _, s := range c.Blocks[b].Succs {
				ok = ok || reach[s]
			}
			if ok && !reach[b] {
				reach[b], changed = true, true
			}
		}
	}
	return !slices.Contains(reach, false)
}

// Loops agree with the definition: a back edge is an edge to a dominator, the
// natural loop of a header is every block that reaches a latch without passing
// the header; and a retreating edge that is no back edge lies in a loop marked
// irreducible.
func TestLoopsAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, err := BuildCFG(program(drawTargets(t)), 0)
		if err != nil {
			t.Fatal(err)
		}
		loops := Loops(c)
		reducible := true
		natural := map[int32]map[int32]bool{}
		for _, b := range c.Order {
			for _, s := range c.Blocks[b].Succs {
				if c.Dominates(s, b) {
					if natural[s] == nil {
						natural[s] = map[int32]bool{s: true}
					}
					collect(c, b, natural[s])
				} else if c.rank[s] <= c.rank[b] {
					reducible = false
				}
			}
		}
		flagged := false
		for i, l := range loops {
			flagged = flagged || l.Irreducible
			if l.Parent >= 0 {
				for _, b := range l.Blocks {
					if !loops[l.Parent].Contains(b) {
						t.Fatalf("loop %d is not inside its parent", i)
					}
				}
			}
			if !slices.Contains(l.Blocks, l.Header) || len(l.Latches) == 0 {
				t.Fatalf("loop %+v", l)
			}
		}
		if flagged == reducible {
			t.Fatalf("reducible %v, loops %+v", reducible, loops)
		}
		if !reducible {
			return
		}
		if len(loops) != len(natural) {
			t.Fatalf("%d loops, want %d", len(loops), len(natural))
		}
		for _, l := range loops {
			if len(l.Blocks) != len(natural[l.Header]) {
				t.Fatalf("loop of %d has blocks %v, want %v", l.Header, l.Blocks, natural[l.Header])
			}
			for _, b := range l.Blocks {
				if !natural[l.Header][b] {
					t.Fatalf("loop of %d has block %d", l.Header, b)
				}
			}
		}
	})
}

func collect(c *CFG, b int32, into map[int32]bool) {
	if into[b] || !c.Reachable(b) {
		return
	}
	into[b] = true
	for _, p := range c.Blocks[b].Preds {
		collect(c, p, into)
	}
}

func TestNamesAreComplete(t *testing.T) {
	if got := (Class{Family: LoadMem, Space: Global, Type: F32}).String(); got != "load.global.f32" {
		t.Errorf("class prints %q", got)
	}
	if len(Families()) != int(numFamilies) || len(familyNames) != int(numFamilies) || len(typeNames) != int(numTypes) {
		t.Error("a family or type has no name")
	}
}

func TestCheckFindsEveryViolation(t *testing.T) {
	good := program([][]int32{{-1, 1}, {}})
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*Program){
		"no function":     func(p *Program) { p.Functions = nil },
		"gap":             func(p *Program) { p.Functions[0].End = 1 },
		"read register":   func(p *Program) { p.Instructions[0].Reads = []Reg{0, 9} },
		"write register":  func(p *Program) { p.Instructions[0].Writes = []Reg{-1} },
		"guard not read":  func(p *Program) { p.Instructions[0].Reads = nil },
		"target":          func(p *Program) { p.Instructions[0].Targets = []int32{5} },
		"no target":       func(p *Program) { p.Instructions[0].Targets = nil },
		"overlong":        func(p *Program) { p.Functions[0].End = 5 },
		"empty functions": func(p *Program) { p.Functions = append(p.Functions, Function{Entry: 2, End: 2}) },
	} {
		p := program([][]int32{{-1, 1}, {}})
		spoil(p)
		if p.Check() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
