package analysis

import (
	"context"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/path"
	"github.com/warpbound/warpbound/internal/simt"
)

// Record prepares a report without bounds, for packages that bound parts of a
// launch: the kernel is executed once, all blocks in order, as Run does it.
// watched is k, or a kernel around it that sees what is executed.
func Record(ctx context.Context, k TaintedKernel, watched simt.Kernel, m *gpu.Machine, opt Options) (*Report, error) {
	r, err := prepare(k, m)
	if err != nil {
		return nil, err
	}
	r.Path, err = path.Record(ctx, watched, m, r.Timing, path.Options{Limits: opt.Limits, Progress: opt.Progress})
	if err != nil {
		return nil, err
	}
	r.observe(k)
	return r, nil
}

// Hardware states the report's machine in the terms of internal/method/multiphase, with a
// number of resident blocks an SM.
func (r *Report) Hardware(slots int64) method.Hardware { return hardware(r.Machine, slots) }

// Ops are the instructions of internal/method/multiphase, by symbol of Path.
func (r *Report) Ops() []method.Op { return r.ops() }

// Ledger says what the GPU description enforces and what the recording proved.
func (r *Report) Ledger() []bound.Assumption { return r.ledger() }
