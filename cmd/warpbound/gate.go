package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound"
	"github.com/warpbound/warpbound/internal/terminal"
)

// gateFlags are what a script demands of the figures of a command.
type gateFlags struct {
	allInputs bool
	maxCycles int64
}

// gateError says that a report, which has been printed, is not what a script
// demands. Every demand has an exit code of its own.
type gateError struct {
	code  int
	lines []string
}

func (e *gateError) Error() string { return strings.Join(e.lines, "\n") }

func (e *gateError) add(code int, format string, args ...any) {
	if e.code == 0 {
		e.code = code
	}
	e.lines = append(e.lines, fmt.Sprintf(format, args...))
}

func (f *gateFlags) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.allInputs, "require-all-inputs", false, "exit with 3 unless the figure holds for all inputs, instead of this input")
	cmd.Flags().Int64Var(&f.maxCycles, "max-cycles", 0, "exit with 4 unless the smallest safe figure is at most this many cycles")
}

// check refuses a demand that nothing fulfils.
func (f *gateFlags) check(cmd *cobra.Command) error {
	if !cmd.Flags().Changed("max-cycles") {
		return nil
	}
	return atLeast("max-cycles", f.maxCycles, 1)
}

// figure is the smallest safe one of a launch on a GPU; cycles is negative where
// there is none.
type figure struct {
	launch, gpu string
	cycles      int64
	allInputs   bool
}

// judge says what of the figures is not as demanded, nil where all is.
func (f *gateFlags) judge(figures []figure) error {
	var e gateError
	for _, x := range figures {
		if f.allInputs {
			switch {
			case x.cycles < 0:
				e.add(exitThisInput, "%s on %s: no safe bound, expected one for all inputs (--require-all-inputs)", x.launch, x.gpu)
			case !x.allInputs:
				e.add(exitThisInput, "%s on %s: %s cycles hold for this input only, expected a bound for all inputs (--require-all-inputs)", x.launch, x.gpu, terminal.Count(x.cycles))
			}
		}
	}
	for _, x := range figures {
		if f.maxCycles > 0 {
			switch {
			case x.cycles < 0:
				e.add(exitTooLong, "%s on %s: no safe bound, expected one of at most %s cycles (--max-cycles)", x.launch, x.gpu, terminal.Count(f.maxCycles))
			case x.cycles > f.maxCycles:
				e.add(exitTooLong, "%s on %s: %s cycles, expected at most %s (--max-cycles)", x.launch, x.gpu, terminal.Count(x.cycles), terminal.Count(f.maxCycles))
			}
		}
	}
	if e.code == 0 {
		return nil
	}
	return &e
}

// figureOf is the figure of an analysis.
func figureOf(launch string, a *warpbound.Analysis) figure {
	x := figure{launch: launch, gpu: a.GPU.Desc.Name, cycles: -1, allInputs: a.AllInputs}
	if a.Best != nil {
		x.cycles = a.Best.Cycles
	}
	return x
}

// figuresOf are the figures of a comparison, one a launch and GPU. A policy has
// figures of its own only where methods are for turns: the largest counts.
func figuresOf(rows []warpbound.Row) []figure {
	type key struct{ launch, gpu, policy string }
	var order []key
	least := map[key]figure{}
	for _, r := range rows {
		k := key{r.Launch, r.GPU, r.Policy}
		x, seen := least[k]
		if !seen {
			order = append(order, k)
			x = figure{launch: r.Launch, gpu: r.GPU, cycles: -1}
		}
		if r.Refused == "" && r.Safe && (x.cycles < 0 || r.BoundCycles < x.cycles) {
			x.cycles, x.allInputs = r.BoundCycles, r.AllInputs
		}
		least[k] = x
	}
	var out []figure
	for _, k := range order {
		x := least[k]
		last := len(out) - 1
		if last < 0 || out[last].launch != x.launch || out[last].gpu != x.gpu {
			out = append(out, x)
			continue
		}
		if out[last].cycles >= 0 && (x.cycles < 0 || x.cycles > out[last].cycles) {
			out[last] = x
		}
	}
	return out
}
