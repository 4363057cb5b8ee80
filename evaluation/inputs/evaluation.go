// Package inputs measures bounds for every input: for each example launch what it takes
// to bound whatever is in memory, and how far that is from the figure for the input at
// hand and from simulations of this one and others.
package inputs

import "github.com/warpbound/warpbound/evaluation/internal/kit"

// Evaluation is of no paper.
var Evaluation = kit.Evaluation{
	Name: "inputs",
	Doc:  "bounds for every input beside figures for one, on all examples",
	Measure: func(b *kit.Bench) error {
		rows, err := measure(b, gpus)
		if err != nil {
			return err
		}
		return kit.Store(b.Root, file, encode(rows))
	},
	Views: func(root string) (*kit.Views, error) {
		rows, err := kit.Load(root, file, header, decode)
		if err != nil {
			return nil, err
		}
		return &kit.Views{Tables: tables(rows)}, nil
	},
}

const file = "inputs.csv"

var header = []string{
	"gpu", "launch", "path", "reason", "loop_bounds", "bound_cycles", "method", "closed_cycles", "recorded_cycles", "simulated_cycles",
}

func encode(rows []row) []byte {
	records := [][]string{header}
	for _, r := range rows {
		records = append(records, []string{
			r.GPU, r.Launch, r.Path, r.Reason, kit.Number(r.Loops), kit.Number(r.Bound), r.Method, kit.Number(r.Closed), kit.Number(r.Recorded), kit.Number(r.Simulated),
		})
	}
	return kit.Encode(records)
}

func decode(f *kit.Fields) row {
	return row{
		GPU: f.Text(), Launch: f.Text(), Path: f.Text(), Reason: f.Text(), Loops: f.Number(), Bound: f.Number(), Method: f.Text(), Closed: f.Number(),
		Recorded: f.Number(), Simulated: f.Number(),
	}
}
