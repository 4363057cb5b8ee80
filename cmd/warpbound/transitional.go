package main

import (
	"context"
	"errors"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/launch"
)

// policyModel is the model of comparisons whose policies are those of a machine
// without a front end.
func policyModel(model string, d *gpu.Description) (string, error) {
	switch {
	case model == sim.Frontend:
		return "", errors.New("--model frontend: expected abstract or pipeline, or compare pairs: its policies are pairs")
	case model == "" && d.Model == sim.Frontend:
		return sim.Abstract, nil
	}
	return model, nil
}

// checkLaunches reads launch files, so that a mistake in the last one does not
// show after an hour.
func checkLaunches(files []string) error {
	var errs []error
	for _, f := range files {
		if _, err := launch.Load(f); err != nil && len(errs) < conf.MaxErrors {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
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
