package main

import (
	"context"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/simt"
)

// cacheLaunch makes the kernels of a launch.
func cacheLaunch(l *load.Opened) method.Source {
	return method.Source{
		Tainted: func() (simt.Tainted, error) { return l.Kernel(true) },
		Fresh:   l.Fresh,
	}
}

// analyzeUnder is analyze for a command that shows its own progress.
func analyzeUnder(ctx context.Context, bar *progress, path string, m *gpu.Machine, q method.Question) (*load.Opened, *load.Outcome, *analysis.Report, error) {
	l, err := openFor(path, m)
	if err != nil {
		return nil, nil, nil, err
	}
	bar.watch(l, &q.Limits)
	r, err := analysis.Run(ctx, cacheLaunch(l), m, q)
	return l, l.Outcome(), r, inLaunch(l, err)
}
