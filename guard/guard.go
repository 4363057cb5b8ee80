package guard

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// Config is what [New] needs.
type Config struct {
	Token   *Token
	Budgets Budgets
	// Threads starts throttle threads (Linux).
	Threads *ThreadConfig
	// Throttle is used where Threads is nil; the guard closes it.
	Throttle Throttler
	// Clock is the time. nil means the thread's own sleep in the kernel with
	// Threads, and the Go runtime's without.
	Clock Clock
}

// Stats are counts since [New].
type Stats struct {
	// HandOvers counts the requests of the GPU that were granted.
	HandOvers int64
	// Misses counts the phases whose budget ran out before the GPU had reached
	// its synchronisation point, by the kind of the phase.
	LaunchMisses, MemoryMisses, ComputeMisses int64
	// LongestOverrunNanos is the longest time from a missed deadline to the
	// hand-over: by that much a budget was too short, up to one retry.
	LongestOverrunNanos int64
	// LongestResponseNanos is the longest time from a deadline to the guard's
	// reaction: R_timer of Forsberg2021, section 4.2.1, as seen here.
	LongestResponseNanos int64
	// LongestHoldNanos is the longest time that the throttle threads took to
	// hold their cores. It comes before the grant, outside every budget: a part
	// of S of Forsberg2021, section 3.3.1.
	LongestHoldNanos int64
}

// Misses is the sum over the kinds.
func (s Stats) Misses() int64 { return s.LaunchMisses + s.MemoryMisses + s.ComputeMisses }

// The errors of [Guard.Begin] and [Guard.End].
var (
	ErrClosed    = errors.New("guard: closed")
	ErrBusy      = errors.New("guard: another offload is under way")
	ErrNoOffload = errors.New("guard: no offload to end")
)

// A Guard runs a [Host] on one thread: it owns the timer, orders the throttle
// threads, and writes the grants.
type Guard struct {
	token    *Token
	budgets  Budgets
	throttle Throttler
	clock    Clock
	priority int

	// call is a request of the offloading task to the guard's thread. Nothing
	// else is shared with it while cores are held: a lock could belong to a
	// thread that the throttle threads have preempted.
	call    atomic.Uint32
	closing atomic.Bool
	wake    chan struct{}
	ended   atomic.Bool
	done    chan struct{}
	failure atomic.Pointer[error]
	once    sync.Once
	closed  error

	handOvers                           atomic.Int64
	missesOf                            [kinds]atomic.Int64
	longOverrun, longResponse, longHold atomic.Int64

	// Of the guard's thread alone.
	host       Host
	beginning  bool
	holdSince  int64
	missedFrom int64
}

// The values of Guard.call.
const (
	callNone uint32 = iota
	callBegin
	callEnd
	callDone
	callRefused
)

// sliceNanos bounds one sleep, and by that the time until a Close is seen.
const sliceNanos = 1_000_000

// New starts a guard at rest, with every core released. It fails for a budget
// that is not positive ([ErrBudget]), no token, no throttler or two, and where
// the throttle threads cannot get a core or a priority, or the system does not
// support them ([ErrNotSupported]).
func New(cfg Config) (*Guard, error) {
	if cfg.Token == nil || cfg.Token.words == nil {
		return nil, fmt.Errorf("%w: none given", ErrToken)
	}
	if err := cfg.Budgets.Check(); err != nil {
		return nil, err
	}
	if (cfg.Threads == nil) == (cfg.Throttle == nil) {
		return nil, errors.New("guard: want either throttle threads or a throttler")
	}
	g := &Guard{
		token: cfg.Token, budgets: cfg.Budgets, throttle: cfg.Throttle, clock: cfg.Clock,
		wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
	if cfg.Threads != nil {
		t, err := newThreads(*cfg.Threads)
		if err != nil {
			return nil, err
		}
		g.throttle = t
		if cfg.Threads.Priority > 0 {
			g.priority = cfg.Threads.Priority + 1
		}
		if g.clock == nil {
			g.clock = newThreadClock()
		}
	}
	if g.clock == nil {
		g.clock = NewRuntimeClock()
	}
	g.host.Token = g.token.Granted().next(Idle)
	g.token.setGranted(g.host.Token)
	ready := make(chan error)
	go g.run(ready)
	if err := <-ready; err != nil {
		return nil, errors.Join(err, g.throttle.Close())
	}
	return g, nil
}

// Begin throttles the CPU and publishes a token of kind [Launch]; when it
// returns nil, the caller launches the kernel, within the launch's budget. One
// offload at a time ([ErrBusy]).
func (g *Guard) Begin() error { return g.ask(callBegin, ErrBusy) }

// End waits until the kernel has left its last phase and that phase's budget is
// over, and gives the CPU back. It waits for as long as the kernel takes; Close
// ends the wait.
func (g *Guard) End() error { return g.ask(callEnd, ErrNoOffload) }

// Elevate gives the calling goroutine a thread of its own, of the priority of
// the guard's, and returns what takes both back. The offloading task needs it
// where every core has a throttle thread: it would not run between Begin and
// the first compute phase, nor see the end.
func (g *Guard) Elevate() (restore func() error, err error) { return elevate(g.priority) }

func (g *Guard) ask(call uint32, refused error) error {
	for !g.call.CompareAndSwap(callNone, call) {
		if g.ended.Load() {
			return g.endError()
		}
		if call == callBegin {
			return ErrBusy
		}
		g.pause()
	}
	select {
	case g.wake <- struct{}{}:
	default:
	}
	for {
		switch g.call.Load() {
		case callDone:
			g.call.Store(callNone)
			return nil
		case callRefused:
			g.call.Store(callNone)
			return refused
		}
		if g.ended.Load() {
			g.call.Store(callNone)
			return g.endError()
		}
		g.pause()
	}
}

func (g *Guard) endError() error {
	if err := g.failure.Load(); err != nil {
		return fmt.Errorf("%w: %w", ErrClosed, *err)
	}
	return ErrClosed
}

// pause sleeps until the next look.
func (g *Guard) pause() { g.clock.Sleep(g.clock.Now() + min(g.budgets.RetryNanos, sliceNanos)) }

// Stats returns the counts so far; each is exact, but together they may be one
// step apart.
func (g *Guard) Stats() Stats {
	return Stats{
		HandOvers:            g.handOvers.Load(),
		LaunchMisses:         g.missesOf[Launch].Load(),
		MemoryMisses:         g.missesOf[Memory].Load(),
		ComputeMisses:        g.missesOf[Compute].Load(),
		LongestOverrunNanos:  g.longOverrun.Load(),
		LongestResponseNanos: g.longResponse.Load(),
		LongestHoldNanos:     g.longHold.Load(),
	}
}

// Close releases the cores, whatever the state, tells a waiting device to stop
// (a token of kind [Abort]), and ends the guard's thread and the throttle
// threads. A device in a memory phase is not protected from then on. The error
// says why the guard had given up before, if it had. Closing again returns the
// same.
func (g *Guard) Close() error {
	g.once.Do(func() {
		g.closing.Store(true)
		select {
		case g.wake <- struct{}{}:
		default:
		}
		<-g.done
		var failure error
		if err := g.failure.Load(); err != nil {
			failure = *err
		}
		g.closed = errors.Join(failure, g.throttle.Close())
	})
	return g.closed
}
