package study

import (
	"context"
	"errors"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/guard"
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/exec"
	"github.com/warpbound/warpbound/internal/premtime/soc"
	"github.com/warpbound/warpbound/internal/sim"
	simsoc "github.com/warpbound/warpbound/internal/sim/soc"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
)

// A Watcher looks at one launch of a study in detail.
type Watcher interface {
	// Begin makes an observer of the launch that is about to be simulated.
	Begin(Watched) (sim.Observer, error)
	// End is told how it went, and its phases.
	End(r *sim.Result, phases []soc.Phase) error
}

// Watched is a launch with the guard.
type Watched struct {
	Name    string // of the kernel
	Scheme  device.Scheme
	Kernel  *ptxexec.Kernel
	Timing  []gpu.Timing
	Budgets guard.Budgets
	// Traffic is the number of the kind of traffic beside it in Options.Traffic, the last
	// one; -1 in isolation.
	Traffic int
}

// errWatched ends a call of the function whose launch has been watched.
var errWatched = errors.New("watched")

// watch simulates the first launch with the guard once more, which is the same as before,
// with an observer. Later schemes and functions are not watched.
func (s *study) watch(ctx context.Context, m *exec.Module, of []budgets) error {
	w := s.opt.Watch
	if w == nil || s.watched {
		return nil
	}
	var traffic []simsoc.Traffic
	last := len(s.opt.Traffic) - 1
	if last >= 0 {
		traffic = s.opt.Traffic[last]
	}
	_, err := s.guardedRun(ctx, m, of, traffic, func(x Watched) (sim.Observer, error) {
		s.watched, x.Traffic = true, last
		return w.Begin(x)
	})
	if errors.Is(err, errWatched) {
		return nil
	}
	return err
}
