package report

import (
	"fmt"
	"strings"

	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/isa"
)

// FunctionFlow is the control flow of one function.
type FunctionFlow struct {
	Name   string      `json:"name"`
	Blocks []FlowBlock `json:"blocks"`
	Loops  []FlowLoop  `json:"loops"`
}

// FlowBlock is a basic block.
type FlowBlock struct {
	First      int32   `json:"first_pc"`
	End        int32   `json:"end_pc"`
	Successors []int32 `json:"successors"`
	// Reconverges is the PC where lanes that part at the block's last
	// instruction meet again, -1 where only at the end.
	Reconverges int32 `json:"reconverges_pc"`
	// Divergent says that observed lanes parted there.
	Divergent bool `json:"divergent"`
	// Executions counts warp executions; 0 where nothing was executed.
	Executions int64 `json:"executions"`
}

// FlowLoop is a loop.
type FlowLoop struct {
	HeaderPC    int32 `json:"header_pc"`
	Line        int   `json:"line"`
	Depth       int   `json:"depth"`
	Blocks      int   `json:"blocks"`
	Irreducible bool  `json:"irreducible"`
}

// Flow describes the control flow of functions. executed and diverged are per PC, or
// nil where nothing was executed.
func Flow(functions []*isa.CFG, executed []int64, diverged []bool) []FunctionFlow {
	var out []FunctionFlow
	for _, c := range functions {
		f := FunctionFlow{Name: c.Program.Functions[c.Function].Name, Loops: []FlowLoop{}}
		for _, b := range c.Blocks {
			fb := FlowBlock{First: b.First, End: b.End, Successors: append([]int32{}, b.Succs...), Reconverges: c.Reconvergence(b.End - 1)}
			if executed != nil {
				fb.Executions = executed[b.First]
				fb.Divergent = diverged[b.End-1]
			}
			f.Blocks = append(f.Blocks, fb)
		}
		for _, l := range isa.Loops(c) {
			pc := c.Blocks[l.Header].First
			f.Loops = append(f.Loops, FlowLoop{HeaderPC: pc, Line: c.Program.Instructions[pc].Pos.Line, Depth: l.Depth, Blocks: len(l.Blocks), Irreducible: l.Irreducible})
		}
		out = append(out, f)
	}
	return out
}

// FlowDot is the control flow of a launch as a graph for Graphviz. Instructions read
// with their line in PTX, by their address in machine code.
func FlowDot(l *load.Opened, flow []FunctionFlow) string {
	return flowDot(l.Program().Name, flow, func(pc int32) string {
		t := l.Text(pc)
		if t.Word != "" {
			return t.Place + "  " + t.Instruction
		}
		return fmt.Sprintf("%d  %s  :%s", pc, t.Instruction, t.Place)
	})
}

// flowDot writes the control flow as a dot graph, a line of text for each
// instruction. Divergent branches are red, loop headers bold.
func flowDot(name string, flow []FunctionFlow, line func(pc int32) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph %q {\n\tnode [shape=box, fontname=monospace, fontsize=9];\n", name)
	for i, f := range flow {
		fmt.Fprintf(&b, "\tsubgraph cluster_%d {\n\t\tlabel=%q;\n", i, f.Name)
		headers := map[int32]bool{}
		for _, l := range f.Loops {
			headers[l.HeaderPC] = true
		}
		for j, blk := range f.Blocks {
			var text strings.Builder
			for pc := blk.First; pc < blk.End; pc++ {
				fmt.Fprintf(&text, "%s\\l", dotEscape(line(pc)))
			}
			style := ""
			if blk.Divergent {
				style += ", color=red"
			}
			if headers[blk.First] {
				style += ", penwidth=2"
			}
			fmt.Fprintf(&b, "\t\tf%db%d [label=\"%s\"%s];\n", i, j, text.String(), style)
		}
		for j, blk := range f.Blocks {
			for _, s := range blk.Successors {
				fmt.Fprintf(&b, "\t\tf%db%d -> f%db%d;\n", i, j, i, s)
			}
		}
		b.WriteString("\t}\n")
	}
	b.WriteString("}\n")
	return b.String()
}

func dotEscape(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s)
}
