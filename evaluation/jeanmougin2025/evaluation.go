// Package jeanmougin2025 repeats the evaluation of Jeanmougin2025, section 4: launches on its machines under its
// policies, the published bound and ours beside the simulation. measure.go has the
// experiments, data.go the files, tables.go the tables, paper.go the paper's figures.
package jeanmougin2025

import "github.com/warpbound/warpbound/evaluation/internal/kit"

// Evaluation is that of the paper.
var Evaluation = kit.Evaluation{
	Name: "jeanmougin2025",
	Doc:  "bounds and simulations of a launch, by memory latency and policy (section 4)",
	Measure: func(b *kit.Bench) error {
		r, err := (&bench{b}).bounds()
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
		return &kit.Views{Tables: r.tables()}, nil
	},
}

// bench measures on the module below Root.
type bench struct{ *kit.Bench }

func newBench(root string) *bench { return &bench{kit.NewBench(root)} }

// results are all measurements.
type results struct {
	rodinia, sgemm, policies, launches, pipeline []row
	blocks                                       []block
}
