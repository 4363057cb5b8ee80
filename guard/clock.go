package guard

import "time"

// A Clock is the guard's time. Sleep may return early, but never later than the
// clock's response allows; the guard checks again.
type Clock interface {
	// Now returns nanoseconds since some fixed moment; it never goes back.
	Now() int64
	// Sleep returns at about untilNanos, or earlier.
	Sleep(untilNanos int64)
}

// runtimeClock sleeps in the Go scheduler: suitable where nothing holds the
// cores at a priority above that of the scheduler's threads.
type runtimeClock struct{ start time.Time }

// NewRuntimeClock returns a clock of the Go runtime, which works on every
// system.
func NewRuntimeClock() Clock { return runtimeClock{time.Now()} }

func (c runtimeClock) Now() int64 { return int64(time.Since(c.start)) }

func (c runtimeClock) Sleep(untilNanos int64) {
	if wait := untilNanos - c.Now(); wait > 0 {
		time.Sleep(time.Duration(wait))
	}
}
