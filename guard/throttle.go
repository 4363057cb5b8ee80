package guard

import (
	"errors"
	"fmt"
	"time"
)

// ErrNotSupported is wrapped by the errors for what is not supported on this
// system.
var ErrNotSupported = errors.New("guard: not supported on this system")

// ErrHeldTooLong is reported by throttle threads that gave their cores back on
// their own, because a hold lasted longer than [ThreadConfig.MaxHold].
var ErrHeldTooLong = errors.New("guard: cores held for too long")

// A Throttler keeps CPU tasks off memory. Hold and Release only give the order;
// they must not block, allocate or wait for another goroutine.
type Throttler interface {
	// Hold tells every throttle thread to take its core.
	Hold()
	// Held tells whether all of them have.
	Held() bool
	// Release tells them to give the cores back.
	Release()
	// Err returns an error once the throttler has given up by itself.
	Err() error
	// Close releases, ends the threads and waits for their end.
	Close() error
}

// ThreadConfig says what throttle threads to start.
type ThreadConfig struct {
	// Cores are the CPU numbers to hold, one thread each. With a Priority, leave
	// one core of the machine out (see the package's limits).
	Cores []int
	// Priority is the real-time priority (SCHED_FIFO, 1 to 98) of the throttle
	// threads; the guard's own thread gets one more. 0 leaves them in the
	// normal class: they then only compete with other tasks, and isolation is
	// not enforced.
	Priority int
	// MaxHold is how long one hold may last before the threads let go by
	// themselves, so that a device that hangs cannot take the machine with it.
	MaxHold time.Duration
}

const maxPriority = 98

func (c ThreadConfig) check() error {
	if len(c.Cores) == 0 {
		return errors.New("guard: no cores to throttle")
	}
	for i, core := range c.Cores {
		if core < 0 || core >= maxCores {
			return fmt.Errorf("guard: core %d, want 0 to %d", core, maxCores-1)
		}
		for _, other := range c.Cores[:i] {
			if other == core {
				return fmt.Errorf("guard: core %d is named twice", core)
			}
		}
	}
	if c.Priority < 0 || c.Priority > maxPriority {
		return fmt.Errorf("guard: priority %d, want 0 to %d", c.Priority, maxPriority)
	}
	if c.MaxHold <= 0 {
		return fmt.Errorf("guard: longest hold is %v, must be positive", c.MaxHold)
	}
	return nil
}

// maxCores is what an affinity mask of ours can name.
const maxCores = 1024
