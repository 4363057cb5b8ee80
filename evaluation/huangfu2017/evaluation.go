// Package huangfu2017 repeats the evaluation of Huangfu2017, section V: schemes and what their gain
// depends on (schemes.go), and the times predicted with the reordering unit (wcet.go).
package huangfu2017

import "github.com/warpbound/warpbound/evaluation/internal/kit"

// Evaluation is that of the paper.
var Evaluation = kit.Evaluation{
	Name: "huangfu2017",
	Doc:  "schemes of ordering accesses to the L1 data cache, and what is known of the time under them (section V)",
	Measure: func(b *kit.Bench) error {
		on := &bench{b}
		rows, err := on.schemes(append(schemeShapes(), factorShapes()...))
		if err != nil {
			return err
		}
		wcet, err := on.wcet()
		if err != nil {
			return err
		}
		return (&results{schemes: rows, wcet: wcet}).write(b.Root)
	},
	Views: func(root string) (*kit.Views, error) {
		r, err := read(root)
		if err != nil {
			return nil, err
		}
		return &kit.Views{Tables: r.tables(), Figures: r.figures()}, nil
	},
}

// bench measures on the module below Root.
type bench struct{ *kit.Bench }

func newBench(root string) *bench { return &bench{kit.NewBench(root)} }

// results are all measurements.
type results struct {
	schemes []cached
	wcet    []prediction
}
