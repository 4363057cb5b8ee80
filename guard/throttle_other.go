//go:build !linux

package guard

import "fmt"

// newThreads fails: throttle threads need Linux's affinities and priorities.
func newThreads(cfg ThreadConfig) (Throttler, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("throttle threads: %w", ErrNotSupported)
}

// elevate has nothing to do: without throttle threads no guard here has a
// priority.
func elevate(int) (restore func() error, err error) {
	return func() error { return nil }, nil
}

func newThreadClock() Clock { return NewRuntimeClock() }
