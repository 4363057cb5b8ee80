package guard

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"
)

// manualClock stands still until it is moved. Sleep returns at once, as the
// interface allows, so no test waits for real time.
type manualClock struct{ now atomic.Int64 }

func (c *manualClock) Now() int64      { return c.now.Load() }
func (c *manualClock) Sleep(int64)     { runtime.Gosched() }
func (c *manualClock) advance(n int64) { c.now.Add(n) }

// simThrottle has a goroutine per core that writes memory while it is not held:
// CPU tasks under throttle threads. Memory is a plain variable that the device
// writes too, so the race detector reports a failed exclusion.
type simThrottle struct {
	want, stop atomic.Bool
	held       []atomic.Bool
	mu         sync.Mutex
	memory     *int64
	done       sync.WaitGroup
	broken     atomic.Bool
	never      bool
}

func newSimThrottle(cores int, memory *int64) *simThrottle {
	t := &simThrottle{held: make([]atomic.Bool, cores), memory: memory}
	for i := range t.held {
		t.done.Add(1)
		go t.core(i)
	}
	return t
}

func (t *simThrottle) core(i int) {
	defer t.done.Done()
	for !t.stop.Load() {
		hold := t.want.Load()
		t.held[i].Store(hold)
		if !hold {
			t.mu.Lock()
			*t.memory++
			t.mu.Unlock()
		}
		runtime.Gosched()
	}
}

func (t *simThrottle) Hold()    { t.want.Store(true) }
func (t *simThrottle) Release() { t.want.Store(false) }
func (t *simThrottle) Held() bool {
	for i := range t.held {
		if !t.held[i].Load() {
			return false
		}
	}
	return !t.never
}

func (t *simThrottle) Err() error {
	if t.broken.Load() {
		return ErrHeldTooLong
	}
	return nil
}

func (t *simThrottle) Close() error {
	t.stop.Store(true)
	t.done.Wait()
	return nil
}

// bench is a guard over simulated everything.
type bench struct {
	clock    *manualClock
	token    *Token
	throttle *simThrottle
	guard    *Guard
	memory   int64
}

var testBudgets = Budgets{LaunchNanos: 50, MemoryNanos: 200, ComputeNanos: 300, RetryNanos: 7}

func newBench(t testing.TB) *bench {
	t.Helper()
	b := &bench{clock: &manualClock{}}
	var err error
	if b.token, err = NewToken(make([]uint32, TokenWords)); err != nil {
		t.Fatal(err)
	}
	b.throttle = newSimThrottle(2, &b.memory)
	b.guard, err = New(Config{Token: b.token, Budgets: testBudgets, Throttle: b.throttle, Clock: b.clock})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// await spins until cond; every condition awaited is one that the guard brings
// about without the clock moving.
func await(cond func() bool) {
	for !cond() {
		runtime.Gosched()
	}
}

// A phase is a phase of the simulated device: its length in nanoseconds is
// never exactly its budget, where either side could be first.
type phase struct {
	kind  Kind
	nanos int64
}

// device runs the launch and the phases, moving the clock: to the end of the
// phase, and if that is early on to the deadline, so that the guard's count of
// misses does not depend on which goroutine runs when.
func (b *bench) device(launchNanos int64, phases []phase) error {
	d, err := Attach(b.token.Granted())
	if err != nil {
		return err
	}
	current := phase{Launch, launchNanos}
	for _, next := range phases {
		var request Word
		if d, request, err = d.Enter(next.kind); err != nil {
			return err
		}
		b.work(current, request)
		for {
			var outcome Outcome
			if d, outcome = d.Poll(b.token.Granted()); outcome == Granted {
				break
			} else if outcome == Aborted {
				return errors.New("aborted")
			}
			runtime.Gosched()
		}
		current = next
	}
	request, err := d.Leave()
	if err != nil {
		return err
	}
	b.work(current, request)
	return nil
}

func (b *bench) work(p phase, request Word) {
	if p.kind == Memory {
		b.memory++
	}
	budget := testBudgets.of(p.kind)
	misses := b.guard.Stats().Misses()
	b.clock.advance(p.nanos)
	if p.nanos < budget {
		b.token.SetRequest(request)
		b.clock.advance(budget - p.nanos)
		return
	}
	await(func() bool { return b.guard.Stats().Misses() > misses })
	b.token.SetRequest(request)
	b.clock.advance(testBudgets.RetryNanos)
}

// offload runs one kernel from Begin to End.
func (b *bench) offload(launchNanos int64, phases []phase) error {
	if err := b.guard.Begin(); err != nil {
		return err
	}
	if got := b.token.Granted().Kind(); got != Launch || !b.throttle.Held() {
		return fmt.Errorf("after Begin: token %v, held %t", got, b.throttle.Held())
	}
	failed := make(chan error)
	go func() { failed <- b.device(launchNanos, phases) }()
	if err := <-failed; err != nil {
		return err
	}
	if err := b.guard.End(); err != nil {
		return err
	}
	if got := b.token.Granted().Kind(); got != Idle || b.throttle.want.Load() {
		return fmt.Errorf("after End: token %v, cores wanted %t", got, b.throttle.want.Load())
	}
	return nil
}

func TestOffload(t *testing.T) {
	b := newBench(t)
	for range 2 {
		err := b.offload(10, []phase{{Memory, 150}, {Compute, 310}, {Memory, 250}, {Memory, 1}, {Compute, 299}, {Memory, 900}})
		if err != nil {
			t.Fatal(err)
		}
	}
	want := Stats{
		HandOvers: 14, MemoryMisses: 4, ComputeMisses: 2,
		LongestOverrunNanos: 700 + testBudgets.RetryNanos, LongestResponseNanos: 700,
	}
	if got := b.guard.Stats(); got != want {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if err := b.guard.Close(); err != nil {
		t.Error(err)
	}
}

// TestCountsAnyKernel draws kernels and compares the counts with what the
// lengths say.
func TestCountsAnyKernel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := &bench{clock: &manualClock{}}
		var err error
		if b.token, err = NewToken(make([]uint32, TokenWords)); err != nil {
			t.Fatal(err)
		}
		b.throttle = newSimThrottle(1, &b.memory)
		if b.guard, err = New(Config{Token: b.token, Budgets: testBudgets, Throttle: b.throttle, Clock: b.clock}); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = b.guard.Close() }()
		var want Stats
		length := func(k Kind, misses *int64) int64 {
			budget := testBudgets.of(k)
			n := rapid.Int64Range(0, 3*budget).Filter(func(n int64) bool { return n != budget }).Draw(t, k.String())
			if n > budget {
				*misses++
				want.LongestResponseNanos = max(want.LongestResponseNanos, n-budget)
				want.LongestOverrunNanos = want.LongestResponseNanos + testBudgets.RetryNanos
			}
			return n
		}
		launch := length(Launch, &want.LaunchMisses)
		var phases []phase
		for range rapid.IntRange(0, 6).Draw(t, "phases") {
			if rapid.Bool().Draw(t, "memory") {
				phases = append(phases, phase{Memory, length(Memory, &want.MemoryMisses)})
			} else {
				phases = append(phases, phase{Compute, length(Compute, &want.ComputeMisses)})
			}
		}
		want.HandOvers = int64(len(phases)) + 1
		if err := b.offload(launch, phases); err != nil {
			t.Fatal(err)
		}
		if got := b.guard.Stats(); got != want {
			t.Fatalf("got %+v\nwant %+v", got, want)
		}
	})
}

// checkClosed tests what holds after any Close.
func (b *bench) checkClosed(t *testing.T, want error) {
	t.Helper()
	for range 2 {
		if err := b.guard.Close(); !errors.Is(err, want) {
			t.Errorf("Close: %v, want %v", err, want)
		}
	}
	if b.throttle.want.Load() {
		t.Error("cores still wanted")
	}
	if k := b.token.Granted().Kind(); k != Abort {
		t.Errorf("token %v, want abort", k)
	}
	for name, call := range map[string]func() error{"Begin": b.guard.Begin, "End": b.guard.End} {
		if err := call(); !errors.Is(err, ErrClosed) || want != nil && !errors.Is(err, want) {
			t.Errorf("%s: %v, want ErrClosed and %v", name, err, want)
		}
	}
}

func TestCloseReleasesInEveryState(t *testing.T) {
	t.Run("resting", func(t *testing.T) {
		newBench(t).checkClosed(t, nil)
	})
	t.Run("holding", func(t *testing.T) {
		b := &bench{clock: &manualClock{}, throttle: &simThrottle{never: true}}
		b.token, _ = NewToken(make([]uint32, TokenWords))
		var err error
		if b.guard, err = New(Config{Token: b.token, Budgets: testBudgets, Throttle: b.throttle, Clock: b.clock}); err != nil {
			t.Fatal(err)
		}
		failed := make(chan error)
		go func() { failed <- b.guard.Begin() }()
		await(b.throttle.want.Load)
		b.checkClosed(t, nil)
		if err := <-failed; !errors.Is(err, ErrClosed) {
			t.Errorf("Begin: %v", err)
		}
	})
	t.Run("armed, device waiting", func(t *testing.T) {
		b := newBench(t)
		if err := b.guard.Begin(); err != nil {
			t.Fatal(err)
		}
		d, err := Attach(b.token.Granted())
		if err != nil {
			t.Fatal(err)
		}
		d, request, err := d.Enter(Memory)
		if err != nil {
			t.Fatal(err)
		}
		b.token.SetRequest(request)
		b.checkClosed(t, nil)
		if _, got := d.Poll(b.token.Granted()); got != Aborted {
			t.Errorf("outcome %d, want Aborted", got)
		}
	})
	t.Run("overrun, device hangs, task in End", func(t *testing.T) {
		b := newBench(t)
		if err := b.guard.Begin(); err != nil {
			t.Fatal(err)
		}
		failed := make(chan error)
		go func() { failed <- b.guard.End() }()
		b.clock.advance(testBudgets.LaunchNanos)
		await(func() bool { return b.guard.Stats().LaunchMisses == 1 })
		b.checkClosed(t, nil)
		if err := <-failed; !errors.Is(err, ErrClosed) {
			t.Errorf("End: %v", err)
		}
	})
	t.Run("joined", func(t *testing.T) {
		b := newBench(t)
		if err := b.guard.Begin(); err != nil {
			t.Fatal(err)
		}
		if err := b.device(1, nil); err != nil {
			t.Fatal(err)
		}
		await(func() bool { return b.token.Granted().Kind() == Join })
		b.checkClosed(t, nil)
	})
	t.Run("throttle gave up", func(t *testing.T) {
		b := newBench(t)
		if err := b.guard.Begin(); err != nil {
			t.Fatal(err)
		}
		b.throttle.broken.Store(true)
		await(b.guard.ended.Load)
		b.checkClosed(t, ErrHeldTooLong)
	})
}

func TestCallsOutOfOrder(t *testing.T) {
	b := newBench(t)
	if err := b.guard.End(); !errors.Is(err, ErrNoOffload) {
		t.Errorf("End at rest: %v", err)
	}
	if err := b.guard.Begin(); err != nil {
		t.Fatal(err)
	}
	if err := b.guard.Begin(); !errors.Is(err, ErrBusy) {
		t.Errorf("second Begin: %v", err)
	}
	if err := b.device(1, nil); err != nil {
		t.Fatal(err)
	}
	if err := b.guard.End(); err != nil {
		t.Error(err)
	}
	b.checkClosed(t, nil)
}

func TestGuardsInSuccessionKeepTheNumbers(t *testing.T) {
	b := newBench(t)
	if err := b.offload(1, []phase{{Compute, 1}}); err != nil {
		t.Fatal(err)
	}
	last := b.token.Granted()
	b.checkClosed(t, nil)
	again, err := NewToken(b.token.words)
	if err != nil {
		t.Fatal(err)
	}
	throttle := newSimThrottle(1, &b.memory)
	g, err := New(Config{Token: again, Budgets: testBudgets, Throttle: throttle, Clock: b.clock})
	if err != nil {
		t.Fatal(err)
	}
	if got := again.Granted(); got.Kind() != Idle || got.Seq() != last.Seq()+2 {
		t.Errorf("token %v after %v and an abort", got, last)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}

func TestNewRefuses(t *testing.T) {
	token, err := NewToken(make([]uint32, TokenWords))
	if err != nil {
		t.Fatal(err)
	}
	closed, err := NewToken(make([]uint32, TokenWords))
	if err != nil {
		t.Fatal(err)
	}
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	throttle := &simThrottle{}
	for name, c := range map[string]struct {
		cfg  Config
		want error
	}{
		"no token":       {Config{Budgets: testBudgets, Throttle: throttle}, ErrToken},
		"closed token":   {Config{Token: closed, Budgets: testBudgets, Throttle: throttle}, ErrToken},
		"no budgets":     {Config{Token: token, Throttle: throttle}, ErrBudget},
		"no throttler":   {Config{Token: token, Budgets: testBudgets}, nil},
		"two throttlers": {Config{Token: token, Budgets: testBudgets, Throttle: throttle, Threads: &ThreadConfig{}}, nil},
		"no cores":       {Config{Token: token, Budgets: testBudgets, Threads: &ThreadConfig{MaxHold: 1}}, nil},
	} {
		if g, err := New(c.cfg); err == nil {
			_ = g.Close()
			t.Errorf("%s: no error", name)
		} else if c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	for _, cfg := range []ThreadConfig{
		{},
		{Cores: []int{-1}, MaxHold: 1},
		{Cores: []int{maxCores}, MaxHold: 1},
		{Cores: []int{0, 1, 0}, MaxHold: 1},
		{Cores: []int{0}},
		{Cores: []int{0}, MaxHold: 1, Priority: -1},
		{Cores: []int{0}, MaxHold: 1, Priority: maxPriority + 1},
	} {
		if cfg.check() == nil {
			t.Errorf("%+v: no error", cfg)
		}
	}
}
