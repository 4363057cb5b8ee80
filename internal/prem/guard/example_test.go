package guard_test

import (
	"fmt"

	"github.com/warpbound/warpbound/internal/prem/guard"
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
