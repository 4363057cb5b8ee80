package main

import (
	"bytes"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

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
				return out.write(cmd, report.Listing(buf.Bytes()))
			}
			executed := w.executed
			if !list {
				executed = nil
			}
			return out.write(cmd, report.Flows(args[0], l, flow, executed))
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

func newFlowWatch(l *load.Opened) *flowWatch {
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
func dotLine(l *load.Opened) func(int32) string {
	return func(pc int32) string {
		t := l.Text(pc)
		if t.Word != "" {
			return t.Place + "  " + t.Instruction
		}
		return fmt.Sprintf("%d  %s  :%s", pc, t.Instruction, t.Place)
	}
}
