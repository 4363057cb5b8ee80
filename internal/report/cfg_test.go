package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/isa"
)

// diamond branches at 0, joins at 3 and loops back to 0 from 3.
func diamond() *isa.Program {
	return &isa.Program{
		Name: `k"1`,
		Instructions: []isa.Instruction{
			{Opcode: `bra "x\y"`, Kind: isa.Branch, Guard: 1, Targets: []int32{2}, Pos: isa.Position{Line: 10}},
			{Opcode: "add", Guard: isa.NoReg, Pos: isa.Position{Line: 11}},
			{Opcode: "sub", Guard: isa.NoReg, Pos: isa.Position{Line: 12}},
			{Opcode: "bra", Kind: isa.Branch, Guard: 1, Targets: []int32{0}, Pos: isa.Position{Line: 13}},
			{Opcode: "exit", Kind: isa.Exit, Guard: isa.NoReg, Pos: isa.Position{Line: 14}},
		},
		Registers: []string{"", "%p1"},
		Functions: []isa.Function{{Name: "k", Entry: 0, End: 5}},
	}
}

func graphsOf(t *testing.T, p *isa.Program) []*isa.CFG {
	t.Helper()
	var out []*isa.CFG
	for fn := range p.Functions {
		c, err := isa.BuildCFG(p, fn)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
	return out
}

func TestFlow(t *testing.T) {
	graphs := graphsOf(t, diamond())
	flow := Flow(graphs, []int64{6, 3, 6, 6, 2}, []bool{true, false, false, false, false})
	if len(flow) != 1 || len(flow[0].Blocks) != 4 || len(flow[0].Loops) != 1 {
		t.Fatalf("%+v", flow)
	}
	first := flow[0].Blocks[0]
	if first.First != 0 || first.End != 1 || len(first.Successors) != 2 || first.Reconverges != 2 || !first.Divergent || first.Executions != 6 {
		t.Errorf("first block %+v", first)
	}
	if b := flow[0].Blocks[1]; b.Divergent || b.Executions != 3 {
		t.Errorf("second block %+v", b)
	}
	if l := flow[0].Loops[0]; l.HeaderPC != 0 || l.Line != 10 || l.Depth != 1 || l.Irreducible {
		t.Errorf("loop %+v", l)
	}
	// Nothing observed: nothing is said to diverge.
	if flow = Flow(graphs, nil, nil); flow[0].Blocks[0].Divergent || flow[0].Blocks[0].Executions != 0 {
		t.Errorf("%+v", flow)
	}
}

func TestFlowDot(t *testing.T) {
	p := diamond()
	flow := Flow(graphsOf(t, p), []int64{1, 1, 1, 1, 1}, []bool{true, false, false, false, false})
	dot := flowDot(p.Name, flow, func(pc int32) string {
		return fmt.Sprintf("%d  %s  :%d", pc, p.Instructions[pc].Opcode, p.Instructions[pc].Pos.Line)
	})
	for _, want := range []string{
		`digraph "k\"1" {`,
		`f0b0 [label="0  bra \"x\\y\"  :10\l", color=red, penwidth=2];`,
		`f0b1 [label="1  add  :11\l"];`,
		"f0b0 -> f0b1;", "f0b0 -> f0b2;", "f0b1 -> f0b2;",
	} {
		if !strings.Contains(dot, want) {
			t.Errorf("no %s in\n%s", want, dot)
		}
	}
	if strings.Count(dot, "{") != strings.Count(dot, "}") {
		t.Error("braces do not match")
	}
}
