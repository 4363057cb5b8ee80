package analysis

import (
	"cmp"
	"context"
	"slices"

	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/sim/attribution"
	"github.com/warpbound/warpbound/isa"
)

// RunAttribution is the scheduler cycles of a simulation by what they belong to.
type RunAttribution struct {
	By     string
	Cycles int64    // the sum of the rows
	Rows   []RunRow // those with most cycles first
}

// RunRow is the scheduler cycles that belong to a line, an instruction, a loop, a unit or
// arrays, or to none of these.
type RunRow struct {
	Name      string
	Pos       isa.Position   // of a line, an instruction or a loop; zero otherwise
	InlinedAt []isa.Position // as of CostRow
	// Cycles is the sum of the following: those that issue an instruction; that wait for its
	// result; in which it is held; and in which no warp could issue.
	Cycles, Issued, Awaited, Held, Nobody int64
	// Reasons are those that issue nothing by what the simulation counts them for.
	Reasons map[string]int64
}

// AttributeRun lists the scheduler cycles of a run of a launch.
func AttributeRun(ctx context.Context, f *method.Facts, by string, costs []attribution.Cost) (*RunAttribution, error) {
	on := places{program: f.Program, machine: f.Machine, timing: f.Timing, source: f.Source}
	place, err := on.placer(ctx, by)
	if err != nil {
		return nil, err
	}
	out := &RunAttribution{By: by}
	index := map[costKey]int{}
	for _, c := range costs {
		key := costKey{Name: "no warp that could issue"}
		if c.PC >= 0 {
			key = place(c.PC)
		}
		i, ok := index[key]
		if !ok {
			i = len(out.Rows)
			index[key] = i
			out.Rows = append(out.Rows, RunRow{Name: key.Name, Pos: key.Pos, Reasons: map[string]int64{}})
		}
		row := &out.Rows[i]
		if by == ByLine && c.PC >= 0 {
			row.InlinedAt = inlinedAt(row.InlinedAt, f.Program.Instructions[c.PC].Inlined)
		}
		out.Cycles += c.Cycles
		row.Cycles += c.Cycles
		switch c.Kind {
		case attribution.Issued:
			row.Issued += c.Cycles
			continue
		case attribution.Awaited:
			row.Awaited += c.Cycles
		case attribution.Held:
			row.Held += c.Cycles
		default:
			row.Nobody += c.Cycles
		}
		row.Reasons[c.Reason] += c.Cycles
	}
	slices.SortStableFunc(out.Rows, func(a, b RunRow) int {
		return cmp.Or(cmp.Compare(b.Cycles, a.Cycles), comparePositions(a.Pos, b.Pos), cmp.Compare(a.Name, b.Name))
	})
	return out, nil
}
