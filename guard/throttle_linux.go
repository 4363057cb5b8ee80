package guard

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// threads are the throttle threads of Forsberg2021, section 3.3.2: one per
// core, asleep on a futex while released, spinning on one word that stays in
// its cache while held.
type threads struct {
	cfg ThreadConfig
	// want is odd while the cores are to be held; each order adds one, so that
	// a thread that holds for an earlier order is never taken for one that
	// holds now.
	want    atomic.Uint32
	closing atomic.Bool
	expired atomic.Bool
	// held has, per thread, the order that it holds for; 0 for none.
	held []heldWord
	done sync.WaitGroup
}

// heldWord keeps a line to itself: a thread's write must not disturb another.
type heldWord struct {
	order atomic.Uint32
	_     [124]byte
}

const (
	schedFIFO    = 1
	schedNormal  = 0
	futexWait    = 0 | 128
	futexWake    = 1 | 128
	wakeAll      = 1<<31 - 1
	spinsPerLook = 1 << 12
)

// newThreads starts the throttle threads, released. It fails where a core does
// not exist or is not ours, or where the priority is not allowed.
func newThreads(cfg ThreadConfig) (Throttler, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	if have, need := runtime.GOMAXPROCS(0), len(cfg.Cores)+2; have < need {
		return nil, fmt.Errorf("guard: GOMAXPROCS is %d, but %d throttle threads need at least %d: each occupies one while it spins", have, len(cfg.Cores), need)
	}
	t := &threads{cfg: cfg, held: make([]heldWord, len(cfg.Cores))}
	started := make(chan error, len(cfg.Cores))
	for i := range cfg.Cores {
		t.done.Add(1)
		go t.run(i, started)
	}
	var failed []error
	for range cfg.Cores {
		if err := <-started; err != nil {
			failed = append(failed, err)
		}
	}
	if len(failed) > 0 {
		_ = t.Close()
		return nil, errors.Join(failed...)
	}
	return t, nil
}

func (t *threads) run(i int, started chan<- error) {
	defer t.done.Done()
	// Never unlocked: the thread, with its affinity and priority, ends with
	// the goroutine.
	runtime.LockOSThread()
	if err := pin(t.cfg.Cores[i]); err != nil {
		started <- err
		return
	}
	if err := setPriority(t.cfg.Priority); err != nil {
		started <- err
		return
	}
	started <- nil
	for !t.closing.Load() {
		order := t.want.Load()
		if order&1 == 1 && t.held[i].order.Load() != order {
			t.hold(i, order)
			continue
		}
		// Also after a hold that has expired: wait for the next order.
		futex(&t.want, futexWait, order)
	}
	t.held[i].order.Store(0)
}

// hold spins until the order is withdrawn or has lasted too long.
func (t *threads) hold(i int, order uint32) {
	t.held[i].order.Store(order)
	since := time.Now()
	for n := 1; t.want.Load() == order; n++ {
		if n%spinsPerLook == 0 && time.Since(since) > t.cfg.MaxHold {
			t.expired.Store(true)
			return
		}
	}
}

func (t *threads) Hold() { t.order(1) }

func (t *threads) Release() { t.order(0) }

func (t *threads) order(odd uint32) {
	for {
		order := t.want.Load()
		if order&1 == odd {
			return
		}
		if t.want.CompareAndSwap(order, order+1) {
			futex(&t.want, futexWake, wakeAll)
			return
		}
	}
}

func (t *threads) Held() bool {
	order := t.want.Load()
	if order&1 == 0 || t.expired.Load() {
		return false
	}
	for i := range t.held {
		if t.held[i].order.Load() != order {
			return false
		}
	}
	return true
}

func (t *threads) Err() error {
	if t.expired.Load() {
		return ErrHeldTooLong
	}
	return nil
}

func (t *threads) Close() error {
	t.closing.Store(true)
	// Two orders change the word whatever it was, so that no thread can go to
	// sleep on the value that it has read before.
	t.Hold()
	t.Release()
	t.done.Wait()
	return nil
}

// futex sleeps while the word is value, for at most a slice, or wakes the
// sleepers. The errors of a sleep (interrupted, value changed, time over) all
// mean to look again; a wake has none. The Go scheduler is not told: to come
// back from a call that it knows of, a thread may need another one to run, and
// those have no core while cores are held. It pays with waits of up to a slice
// where the runtime stops all goroutines.
func futex(word *atomic.Uint32, op uintptr, value uint32) {
	ts := syscall.NsecToTimespec(sliceNanos)
	_, _, _ = syscall.RawSyscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(word)), op, uintptr(value), uintptr(unsafe.Pointer(&ts)), 0, 0)
}

// pin binds the calling thread to one core.
func pin(core int) error {
	const perWord = 8 * unsafe.Sizeof(uintptr(0))
	var mask [maxCores / perWord]uintptr
	mask[uintptr(core)/perWord] |= 1 << (uintptr(core) % perWord)
	if _, _, e := syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, 0, unsafe.Sizeof(mask), uintptr(unsafe.Pointer(&mask))); e != 0 {
		return fmt.Errorf("guard: bind a throttle thread to core %d: %w", core, e)
	}
	return nil
}

// setPriority puts the calling thread into SCHED_FIFO, or with 0 into the
// normal class.
func setPriority(priority int) error {
	class := uintptr(schedFIFO)
	if priority == 0 {
		class = schedNormal
	}
	param := int32(priority)
	_, _, e := syscall.RawSyscall(syscall.SYS_SCHED_SETSCHEDULER, 0, class, uintptr(unsafe.Pointer(&param)))
	if e == syscall.EPERM {
		return fmt.Errorf("guard: real-time priority %d is not allowed: it needs CAP_SYS_NICE or a limit RLIMIT_RTPRIO (ulimit -r) of as much: %w", priority, e)
	}
	if e != 0 {
		return fmt.Errorf("guard: set real-time priority %d: %w", priority, e)
	}
	return nil
}

// elevate gives the calling goroutine a thread of its own at the priority, and
// returns what takes both back.
func elevate(priority int) (restore func() error, err error) {
	runtime.LockOSThread()
	if priority == 0 {
		return func() error { runtime.UnlockOSThread(); return nil }, nil
	}
	if err := setPriority(priority); err != nil {
		runtime.UnlockOSThread()
		return nil, err
	}
	return func() error {
		if err := setPriority(0); err != nil {
			// Left locked: the thread must not serve other goroutines.
			return err
		}
		runtime.UnlockOSThread()
		return nil
	}, nil
}

// threadClock sleeps in the kernel without telling the Go scheduler: its
// threads have no core while the throttle threads hold them all, so a sleep
// that needs one of them to end would not end.
type threadClock struct{ start time.Time }

func newThreadClock() Clock { return threadClock{time.Now()} }

func (c threadClock) Now() int64 { return int64(time.Since(c.start)) }

func (c threadClock) Sleep(untilNanos int64) {
	wait := untilNanos - c.Now()
	if wait <= 0 {
		return
	}
	// An interrupted sleep is an early return, which the interface allows.
	ts := syscall.NsecToTimespec(wait)
	_, _, _ = syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
}
