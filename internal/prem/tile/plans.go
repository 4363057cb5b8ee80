package tile

import (
	"context"
	"errors"
	"fmt"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/prem/depend"
	"github.com/warpbound/warpbound/internal/prem/loop"
)

// Planned is the plan of a target loop that was found independent.
type Planned struct {
	Func   *loop.Func
	Kernel *loop.Nest
	Number int // of the kernel in its function
	Plan   *Plan
}

// Name is FUNCTION_NUMBER.
func (k *Planned) Name() string { return fmt.Sprintf("%s_%d", k.Func.Name, k.Number) }

// Plans checks and plans the kernels of functions; the error has what is wrong with
// each.
func Plans(ctx context.Context, p *loop.Unit, fns []*loop.Func, opt Options) ([]Planned, error) {
	var out []Planned
	var errs []error
	for _, fn := range fns {
		for n, k := range fn.Kernels() {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if err := depend.Kernel(p, k); err != nil {
				errs = append(errs, err)
				continue
			}
			plan, err := Make(p, fn, k, opt)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			out = append(out, Planned{fn, k, n, plan})
		}
	}
	return out, errors.Join(errs...)
}

// Shape overrides the numbers of teams and threads in the clauses of all
// kernels, where they are not 0.
func Shape(fns []*loop.Func, teams, threads int64) {
	for _, fn := range fns {
		for _, k := range fn.Kernels() {
			if teams > 0 {
				k.NumTeams = &loop.IntLit{At: k.At, T: loop.Int, Value: teams}
			}
			if threads > 0 {
				k.NumThreads = &loop.IntLit{At: k.At, T: loop.Int, Value: threads}
			}
		}
	}
}

// Share is the scratchpad of a team where the teams of every kernel are resident at
// the same time, as far as their numbers are constants, and the most teams of an SM:
// teams change phases together.
func Share(sm *gpu.SM, fns []*loop.Func, teams int64) (bytes, most int64) {
	most = 1
	for _, fn := range fns {
		for _, k := range fn.Kernels() {
			n := teams
			if k.NumTeams != nil {
				c, ok := loop.Affine(k.NumTeams)
				if !ok || len(c.Terms) > 0 {
					continue
				}
				n = c.Const
			}
			most = max(most, (n+sm.Count-1)/sm.Count)
		}
	}
	each := sm.SharedMemoryBytes / most / sm.SharedMemoryUnitBytes * sm.SharedMemoryUnitBytes
	return max(0, min(sm.SharedMemoryPerBlockBytes, each-sm.SharedMemoryReservedBytes)), most
}
