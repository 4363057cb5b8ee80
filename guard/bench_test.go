package guard

import (
	"runtime"
	"testing"
)

// spinDevice is a device whose phases take no time.
func spinDevice(token *Token, plan []Kind) {
	d, err := Attach(token.Granted())
	if err != nil {
		return
	}
	for _, k := range plan {
		var request Word
		if d, request, err = d.Enter(k); err != nil {
			return
		}
		token.SetRequest(request)
		for {
			var outcome Outcome
			if d, outcome = d.Poll(token.Granted()); outcome == Granted {
				break
			} else if outcome == Aborted {
				return
			}
			runtime.Gosched()
		}
	}
	if request, err := d.Leave(); err == nil {
		token.SetRequest(request)
	}
}

// BenchmarkStep is the transition of one hand-over from memory to compute and
// back, without any waiting.
func BenchmarkStep(b *testing.B) {
	h := Host{State: Armed, Token: MakeWord(1, Memory)}
	budgets := Budgets{LaunchNanos: 1, MemoryNanos: 1, ComputeNanos: 1, RetryNanos: 1}
	b.ReportAllocs()
	now := int64(0)
	step := func(e Event) {
		after, a, err := h.Step(&budgets, e)
		if err != nil || len(a.Slice()) == 0 {
			b.Fatal(err)
		}
		h = after
	}
	for b.Loop() {
		now += 2
		step(Event{Kind: EventTimer, NowNanos: now, Request: h.Token.next(Compute)})
		now += 2
		step(Event{Kind: EventTimer, NowNanos: now, Request: h.Token.next(Memory)})
		step(Event{Kind: EventHeld, NowNanos: now})
	}
}

// BenchmarkHandOver is one hand-over through the shared words between the
// guard's goroutine and a device goroutine, with budgets that are over at once
// and cores that need no holding: S of Forsberg2021, sections 3.3.1 and
// 4.2.1, less the timer and the throttle threads.
func BenchmarkHandOver(b *testing.B) {
	token, err := NewToken(make([]uint32, TokenWords))
	if err != nil {
		b.Fatal(err)
	}
	g, err := New(Config{
		Token: token, Throttle: instantThrottle{}, Clock: spinClock{NewRuntimeClock()},
		Budgets: Budgets{LaunchNanos: 1, MemoryNanos: 1, ComputeNanos: 1, RetryNanos: 1},
	})
	if err != nil {
		b.Fatal(err)
	}
	plan := make([]Kind, b.N)
	for i := range plan {
		plan[i] = Memory + Kind(i%2)
	}
	if err := g.Begin(); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	spinDevice(token, plan)
	if err := g.End(); err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	if got := g.Stats().HandOvers; got != int64(b.N)+1 {
		b.Fatalf("%d hand-overs, want %d", got, b.N+1)
	}
	if err := g.Close(); err != nil {
		b.Fatal(err)
	}
}

// spinClock never sleeps.
type spinClock struct{ Clock }

func (spinClock) Sleep(int64) { runtime.Gosched() }

// instantThrottle has no cores to hold.
type instantThrottle struct{}

func (instantThrottle) Hold()        {}
func (instantThrottle) Held() bool   { return true }
func (instantThrottle) Release()     {}
func (instantThrottle) Err() error   { return nil }
func (instantThrottle) Close() error { return nil }
