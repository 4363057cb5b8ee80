package warpbound

import (
	"context"
	"io"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/cache/l1d"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/launch"
)

// ListingOptions choose what WriteListing writes.
type ListingOptions struct {
	GPU       *gpu.Machine // nil for DefaultCacheGPU
	LineBytes int          // 0 for the line of the GPU, or 128 where it has no data cache
	// MaxInstructions ends an execution of the kernel with ErrInstructionLimit; 0 for
	// no limit.
	MaxInstructions int64
}

// WriteListing writes which lines of memory the global accesses of every warp touch,
// with addresses that count from the launch's first buffer (docs/cache.md). A launch
// whose accesses depend on unknown data is refused with a [RefusalError].
func (l *Launch) WriteListing(ctx context.Context, w io.Writer, opt ListingOptions) error {
	on, m, err := l.on(opt.GPU, DefaultCacheGPU)
	if err != nil {
		return err
	}
	to := l1d.ListingOptions{LineBytes: opt.LineBytes, Limits: simt.Limits{MaxInstructions: opt.MaxInstructions}}
	if err := atLeast("MaxInstructions", opt.MaxInstructions, 0); err != nil {
		return err
	}
	switch {
	case to.LineBytes != 0:
		if err := checkLine("LineBytes", to.LineBytes); err != nil {
			return err
		}
	case m.Desc.L1D == nil:
		to.LineBytes = defaultLineBytes
	default:
		to.LineBytes = m.Desc.L1D.LineBytes
	}
	tainted, err := on.Kernel(true)
	if err != nil {
		return explainOf(on, err)
	}
	a, err := l1d.Analyse(ctx, tainted, l1d.AnalyseOptions{Limits: to.Limits})
	if err != nil {
		return explainOf(on, err)
	}
	k, err := on.Kernel(false)
	if err != nil {
		return explainOf(on, err)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for i := range on.File.Args {
		if arg := &on.File.Args[i]; arg.Kind == launch.Buffer {
			to.Origin, _ = k.BufferAddress(arg.Name)
			break
		}
	}
	return explainOf(on, a.WriteListing(ctx, w, k, to))
}
