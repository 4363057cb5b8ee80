package kernels

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/verify/soundness/claims"
)

// pathMethod names violations of the claim that a path holds for all inputs.
const pathMethod = "path-covers-execution"

// checkPaths compares what was recorded and folded with what other executions
// of the launch do: the same one, which must always agree, and, where the
// analysis claims its path for all inputs, others with other contents of buffers
// that are not known, other orders of blocks and warps, and other outcomes of what
// PTX leaves open.
func (p *prepared) checkPaths(ctx context.Context, out *Outcome) error {
	folded := claims.Folded(p.report.Path)
	variants := []contents{{}}
	if len(p.report.InputDependent)+len(p.report.OpenDependent) == 0 {
		variants = append(variants, contents{1}, contents{p.Seed + 2})
	}
	e := &claims.Executor{Timing: p.report.Timing, Memory: p.machine.Desc.Memory, Limit: maxInstructions}
	for i, v := range variants {
		rng := rand.New(rand.NewPCG(p.Seed, uint64(i)))
		var vary *rand.Rand
		if i > 0 {
			vary = rng
		}
		k, err := p.launch(v, false, vary)
		if err != nil {
			return err
		}
		var got [][]claims.Digest
		if i == 0 {
			got, err = e.InOrder(ctx, k)
		} else {
			got, err = e.AnyOrder(ctx, k, rng)
		}
		if err != nil {
			return fmt.Errorf("contents %d: %w", v.variant, err)
		}
		out.Paths++
		if b, w, differ := claims.Differ(folded, got); differ {
			out.Violations = append(out.Violations, Violation{
				Case: *p.Case, Method: pathMethod, Scope: bound.Warp,
				Policy: fmt.Sprintf("warp %d of block %d took another with contents %d, order %d", w, b, v.variant, i),
			})
			return nil
		}
	}
	return nil
}
