// Package forsberg2021 repeats the evaluation of Forsberg2021, section 4: programs, sizes and machines (prem.go),
// and tables of times, memory and budgets.
package forsberg2021

import "github.com/warpbound/warpbound/evaluation/internal/kit"

// Evaluation is that of the paper.
var Evaluation = kit.Evaluation{
	Name: "forsberg2021",
	Doc:  "memory and compute phases of OpenMP loops, alone and beside busy CPU cores (section 4)",
	Measure: func(b *kit.Bench) error {
		r, err := (&bench{b}).measurePrem()
		if err != nil {
			return err
		}
		return r.write(b.Root)
	},
	Views: func(root string) (*kit.Views, error) {
		r, err := read(root)
		if err != nil {
			return nil, err
		}
		return &kit.Views{Tables: r.premTables(), Figures: r.premFigures()}, nil
	},
}

// bench measures on the module below Root.
type bench struct{ *kit.Bench }

func newBench(root string) *bench { return &bench{kit.NewBench(root)} }

// results are all measurements.
type results struct {
	loops, threadLoops, factorLoops []loopRow
	phases, threadPhases            []phaseRow
}
