package main

import (
	"bytes"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/version"
	"github.com/warpbound/warpbound/isa"
)

type cfgDocument struct {
	Warpbound version.Info          `json:"warpbound"`
	Kernel    string                `json:"kernel"`
	Launch    string                `json:"launch"`
	Functions []report.FunctionFlow `json:"functions"`
	// Instructions are listed where asked for.
	Instructions []listed `json:"instructions"`
}

// listed is an instruction of a listing.
type listed struct {
	PC         int32  `json:"pc"`
	Place      string `json:"place"`
	Word       string `json:"word,omitempty"`
	Text       string `json:"text"`
	Executions int64  `json:"executions"`
}

func newCFG() *cobra.Command {
	var (
		out   output
		limit limitFlags
		dot   bool
		list  bool
	)
	cmd := &cobra.Command{
		Use:   "cfg LAUNCH",
		Short: "Show control flow, loops and observed divergence",
		Long: `Execute a launch and show the control flow of its kernel: basic blocks with how
often they were executed, loops, and where lanes of a warp parted. With
--instructions also every instruction: opcodes of PTX, the disassembly of RISC-V
programs.`,
		Example: `  warpbound cfg examples/basic/reduce/reduce.toml --dot | dot -Tsvg > reduce.svg
  warpbound cfg examples/basic/saxpy/saxpy.toml --instructions`,
		Args:              operands("LAUNCH"),
		ValidArgsFunction: launchFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			limits, err := limit.limits()
			if err != nil {
				return err
			}
			l, err := load.Open(args[0])
			if err != nil {
				return err
			}
			k, err := l.Kernel(false)
			if err != nil {
				return inLaunch(l, err)
			}
			p := k.Program()
			w := newFlowWatch(l)
			var n int64
			bar, blocks := newProgress("executing blocks"), simt.NumBlocks(k.Grid())
			defer bar.close()
			bar.watch(l, &limits)
			for i := range blocks {
				bar.update(i, blocks)
				b, err := k.NewBlock(i)
				if err != nil {
					return err
				}
				clear(w.last)
				if err := simt.RunBlock(cmd.Context(), b, limits, &n, w.step); err != nil {
					return inLaunch(l, err)
				}
				b.Release()
			}
			bar.close()
			flow, err := report.Flow(p, w.executed, w.diverged)
			if err != nil {
				return err
			}
			if dot {
				var buf bytes.Buffer
				if err := report.FlowDot(&buf, p.Name, flow, dotLine(l)); err != nil {
					return err
				}
				return out.write(cmd, nil, func(p *printer) { p.listing(func() { p.Write(buf.Bytes()) }) })
			}
			doc := cfgDocument{version.Get(), p.Name, args[0], flow, []listed{}}
			if list {
				for pc := range p.Instructions {
					t := l.Text(int32(pc))
					doc.Instructions = append(doc.Instructions, listed{int32(pc), t.Place, t.Word, t.Instruction, w.executed[pc]})
				}
			}
			return out.write(cmd, doc, func(p *printer) {
				writeFlow(p, l, flow)
				if list {
					p.listing(func() { writeListed(p, l, doc.Instructions) })
				}
			})
		},
	}
	out.flags(cmd, false)
	limit.flags(cmd)
	cmd.Flags().BoolVar(&list, "instructions", false, "also list every instruction")
	cmd.Flags().BoolVar(&dot, "dot", false, "print a graph for Graphviz")
	exclusive(cmd, "dot", "json")
	exclusive(cmd, "dot", "instructions")
	return cmd
}

// flowWatch notes how often instructions are executed, and where lanes part.
type flowWatch struct {
	program  *isa.Program
	executed []int64
	diverged []bool
	masks    bool // control changes the mask of active lanes, as in RISC-V programs
	// last is the last step of each warp of the block, by warp.
	last map[int]lastStep
}

type lastStep struct {
	pc     int32
	active simt.Mask
}

func newFlowWatch(l *load.Launch) *flowWatch {
	p := l.Program()
	return &flowWatch{
		program: p, executed: make([]int64, len(p.Instructions)), diverged: make([]bool, len(p.Instructions)),
		masks: l.File.IsELF(), last: map[int]lastStep{},
	}
}

func (w *flowWatch) step(warp int, s *simt.Step) {
	w.executed[s.PC]++
	if w.masks {
		// Fewer lanes than before: the others go another way, or wait.
		if l, ok := w.last[warp]; ok && s.Active != l.active && s.Active&^l.active == 0 {
			w.diverged[l.pc] = true
		}
		w.last[warp] = lastStep{s.PC, s.Active}
		return
	}
	// Lanes part where some take a branch or leave and others do not.
	in := &w.program.Instructions[s.PC]
	if s.Exec != 0 && s.Exec != s.Active && (len(in.Targets) > 0 || s.NextPC != s.PC+1) {
		w.diverged[s.PC] = true
	}
}

// dotLine is how instructions read in a graph: with their line in PTX, by their
// address in machine code.
func dotLine(l *load.Launch) func(int32) string {
	return func(pc int32) string {
		t := l.Text(pc)
		if t.Word != "" {
			return t.Place + "  " + t.Instruction
		}
		return fmt.Sprintf("%d  %s  :%s", pc, t.Instruction, t.Place)
	}
}

func writeFlow(w *printer, l *load.Launch, flow []report.FunctionFlow) {
	for _, f := range flow {
		fmt.Fprintf(w, "%s: %d blocks, %d loops\n", f.Name, len(f.Blocks), len(f.Loops))
		t := report.Table{Header: []string{"block", "pc", l.PlaceName(), "executions", "successors", "reconverges", ""}, Left: []int{6}}
		for i, b := range f.Blocks {
			note, meet := "", "-"
			if b.Divergent {
				note = "divergent"
			}
			if len(b.Successors) > 1 {
				meet = fmt.Sprint(b.Reconverges)
			}
			t.Add(i, fmt.Sprintf("%d-%d", b.First, b.End-1), l.Text(b.First).Place, report.Count(b.Executions), fmt.Sprint(b.Successors), meet, note)
		}
		w.WriteString(t.Render(report.Text))
		for _, loop := range f.Loops {
			kind := ""
			if loop.Irreducible {
				kind = ", irreducible"
			}
			fmt.Fprintf(w, "loop at pc %d (%s %s), depth %d, %d blocks%s\n", loop.HeaderPC, l.PlaceName(), l.Text(loop.HeaderPC).Place, loop.Depth, loop.Blocks, kind)
		}
	}
}

func writeListed(w *printer, l *load.Launch, instructions []listed) {
	t := report.Table{Header: []string{"pc", l.PlaceName(), "executions", "instruction"}, Left: []int{3}}
	machine := len(instructions) > 0 && instructions[0].Word != ""
	if machine {
		t = report.Table{Header: []string{"pc", l.PlaceName(), "word", "executions", "instruction"}, Left: []int{4}}
	}
	for _, in := range instructions {
		if machine {
			t.Add(in.PC, in.Place, in.Word, report.Count(in.Executions), in.Text)
		} else {
			t.Add(in.PC, in.Place, report.Count(in.Executions), in.Text)
		}
	}
	w.WriteString("\n" + t.Render(report.Text))
}
