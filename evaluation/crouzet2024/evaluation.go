// Package crouzet2024 repeats the evaluation of Crouzet2024, section VI: pairs of policies and one
// scheduler; frontend_watch.go has the observers of the simulations.
package crouzet2024

import "github.com/warpbound/warpbound/evaluation/internal/kit"

// Evaluation is that of the paper.
var Evaluation = kit.Evaluation{
	Name: "crouzet2024",
	Doc:  "fetch and issue by one scheduler, against pairs of schedulers (section VI)",
	Measure: func(b *kit.Bench) error {
		rows, err := (&bench{b}).frontends(frontShapes(), frontKernels)
		if err != nil {
			return err
		}
		return kit.Store(b.Root, frontFile, encodeFronted(rows))
	},
	Views: func(root string) (*kit.Views, error) {
		r, err := read(root)
		if err != nil {
			return nil, err
		}
		return &kit.Views{Tables: r.frontTables(), Figures: r.frontFigures()}, nil
	},
}

// bench measures on the module below Root.
type bench struct{ *kit.Bench }

func newBench(root string) *bench { return &bench{kit.NewBench(root)} }

// results are all measurements.
type results struct {
	frontend []fronted
}

// read loads what was stored.
func read(root string) (*results, error) {
	rows, err := kit.Load(root, frontFile, frontHeader, decodeFronted)
	return &results{frontend: rows}, err
}
