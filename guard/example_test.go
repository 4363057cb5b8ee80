package guard_test

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/warpbound/warpbound/guard"
)

// One memory phase, budget 200 ns, that the GPU overruns: the miss is counted,
// and the token goes on at the next look after the request.
func ExampleHost_Step() {
	budgets := guard.Budgets{LaunchNanos: 50, MemoryNanos: 200, ComputeNanos: 300, RetryNanos: 20}
	var h guard.Host
	step := func(e guard.Event) {
		var err error
		if h, _, err = h.Step(&budgets, e); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%3d ns %-5v %-7v token %v, %d missed\n", e.NowNanos, e.Kind, h.State, h.Token, h.Misses)
	}
	step(guard.Event{Kind: guard.EventBegin})
	step(guard.Event{Kind: guard.EventHeld, NowNanos: 3})

	d, err := guard.Attach(h.Token)
	if err != nil {
		fmt.Println(err)
		return
	}
	d, request, err := d.Enter(guard.Memory)
	if err != nil {
		fmt.Println(err)
		return
	}
	step(guard.Event{Kind: guard.EventTimer, NowNanos: 53, Request: request})
	d, _ = d.Poll(h.Token)
	step(guard.Event{Kind: guard.EventTimer, NowNanos: 253, Request: request})
	if _, request, err = d.Enter(guard.Compute); err != nil {
		fmt.Println(err)
		return
	}
	step(guard.Event{Kind: guard.EventTimer, NowNanos: 273, Request: request})
	// Output:
	//   0 ns begin holding token 0 idle, 0 missed
	//   3 ns held  armed   token 1 launch, 0 missed
	//  53 ns timer armed   token 2 memory, 0 missed
	// 253 ns timer overrun token 2 memory, 1 missed
	// 273 ns timer armed   token 3 compute, 1 missed
}

// cooperative is a throttler whose CPU tasks ask it before they access memory.
type cooperative struct{ held atomic.Bool }

func (c *cooperative) Hold()        { c.held.Store(true) }
func (c *cooperative) Release()     { c.held.Store(false) }
func (c *cooperative) Held() bool   { return c.held.Load() }
func (c *cooperative) Err() error   { return nil }
func (c *cooperative) Close() error { c.Release(); return nil }

// A host program guards one kernel. Where the kernel stands here as a goroutine,
// a CUDA program launches it with the token in mapped host memory.
func Example() {
	token, err := guard.NewToken(make([]uint32, guard.TokenWords))
	if err != nil {
		fmt.Println(err)
		return
	}
	ms := time.Millisecond.Nanoseconds()
	g, err := guard.New(guard.Config{
		Token:    token,
		Budgets:  guard.Budgets{LaunchNanos: ms, MemoryNanos: ms, ComputeNanos: ms, RetryNanos: ms / 10},
		Throttle: &cooperative{},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := g.Begin(); err != nil { // the cores are held from here
		fmt.Println(err)
		return
	}
	go kernel(token)
	if err := g.End(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.Stats().HandOvers, "hand-overs")
	fmt.Println(g.Close())
	// Output:
	// 3 hand-overs
	// <nil>
}

// kernel is a memory phase, a compute phase, and the end.
func kernel(token *guard.Token) {
	d, err := guard.Attach(token.Granted())
	if err != nil {
		panic(err)
	}
	for _, kind := range []guard.Kind{guard.Memory, guard.Compute} {
		var request guard.Word
		if d, request, err = d.Enter(kind); err != nil {
			panic(err)
		}
		token.SetRequest(request)
		for d.Waiting() {
			var outcome guard.Outcome
			if d, outcome = d.Poll(token.Granted()); outcome == guard.Aborted {
				return
			}
			time.Sleep(time.Microsecond)
		}
	}
	end, err := d.Leave()
	if err != nil {
		panic(err)
	}
	token.SetRequest(end)
}
