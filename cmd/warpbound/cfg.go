package main

import (
	"bytes"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/version"
	"github.com/warpbound/warpbound/report"
	"github.com/warpbound/warpbound/simt"
)

type cfgDocument struct {
	Warpbound version.Info          `json:"warpbound"`
	Kernel    string                `json:"kernel"`
	Launch    string                `json:"launch"`
	Functions []report.FunctionFlow `json:"functions"`
}

func newCFG() *cobra.Command {
	var (
		out   output
		limit limitFlags
		dot   bool
	)
	cmd := &cobra.Command{
		Use:               "cfg LAUNCH",
		Short:             "Show control flow, loops and observed divergence",
		Example:           "  warpbound cfg examples/basic/reduce/reduce.toml --dot | dot -Tsvg > reduce.svg",
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
			executed := make([]int64, len(p.Instructions))
			diverged := make([]bool, len(p.Instructions))
			watch := func(_ int, s *simt.Step) {
				executed[s.PC]++
				// Lanes part where some take a branch or leave and others do not.
				in := &p.Instructions[s.PC]
				if s.Exec != 0 && s.Exec != s.Active && (len(in.Targets) > 0 || s.NextPC != s.PC+1) {
					diverged[s.PC] = true
				}
			}
			var n int64
			for i := range simt.NumBlocks(k.Grid()) {
				b, err := k.NewBlock(i)
				if err != nil {
					return err
				}
				if err := simt.RunBlock(cmd.Context(), b, limits, &n, watch); err != nil {
					return inLaunch(l, err)
				}
				b.Release()
			}
			flow, err := report.Flow(p, executed, diverged)
			if err != nil {
				return err
			}
			if dot {
				var buf bytes.Buffer
				if err := report.FlowDot(&buf, p, flow); err != nil {
					return err
				}
				return out.write(cmd, nil, func(w *printer) { w.Write(buf.Bytes()) })
			}
			doc := cfgDocument{version.Get(), p.Name, args[0], flow}
			return out.write(cmd, doc, func(w *printer) {
				for _, f := range flow {
					fmt.Fprintf(w, "%s: %d blocks, %d loops\n", f.Name, len(f.Blocks), len(f.Loops))
					t := report.Table{Header: []string{"block", "pc", "line", "executions", "successors", "reconverges", ""}, Left: []int{6}}
					for i, b := range f.Blocks {
						note, meet := "", "-"
						if b.Divergent {
							note = "divergent"
						}
						if len(b.Successors) > 1 {
							meet = fmt.Sprint(b.Reconverges)
						}
						t.Add(i, fmt.Sprintf("%d-%d", b.First, b.End-1), p.Instructions[b.First].Pos.Line, report.Count(b.Executions), fmt.Sprint(b.Successors), meet, note)
					}
					w.WriteString(t.Render(report.Text))
					for _, loop := range f.Loops {
						kind := ""
						if loop.Irreducible {
							kind = ", irreducible"
						}
						fmt.Fprintf(w, "loop at pc %d (line %d), depth %d, %d blocks%s\n", loop.HeaderPC, loop.Line, loop.Depth, loop.Blocks, kind)
					}
				}
			})
		},
	}
	out.flags(cmd, false)
	limit.flags(cmd)
	cmd.Flags().BoolVar(&dot, "dot", false, "print a graph for Graphviz")
	cmd.MarkFlagsMutuallyExclusive("dot", "json")
	return cmd
}
