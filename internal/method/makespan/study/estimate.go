package study

import (
	"fmt"
	"time"

	"github.com/warpbound/warpbound/internal/method/makespan"
)

// estimate adds the published estimate from the exact makespans known.
func (r *runner) estimate() error {
	row := Row{Method: Estimate, Kind: NotABound, Theorem: "Berezovskyi2012, eq. 42-43"}
	start := time.Now()
	if int64(len(r.upTo)) < r.in.Warps {
		table, err := exactTable(r.ctx, r.in, r.config.MemoryBytes)
		if err != nil {
			return fmt.Errorf("%s: %w", Estimate, err)
		}
		if len(table) > len(r.upTo) {
			r.upTo = table
		}
	}
	points, err := makespan.Estimates(r.in.Warps, r.upTo)
	if err != nil || len(points) == 0 {
		row.Kind, row.Theorem, row.Note = NoAnswer, "", "no exact makespan of fewer warps is known"
		if err != nil {
			row.Note = err.Error()
		}
		r.study.Rows = append(r.study.Rows, row)
		return nil
	}
	row.Elapsed = time.Since(start)
	last := points[len(points)-1]
	row.Cycles, row.Work, row.WorkUnit = last.Least, last.X, "warp"
	row.Note = r.estimateNote(last.Least)
	r.study.Estimated = &Point{X: last.X, Cycles: last.Least}
	r.study.Rows = append(r.study.Rows, row)
	return nil
}
