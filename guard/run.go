package guard

import "sync/atomic"

// run is the guard's thread.
func (g *Guard) run(ready chan<- error) {
	defer close(g.done)
	restore, err := elevate(g.priority)
	ready <- err
	if err != nil {
		return
	}
	// However the loop ends, the cores are released and the device is told.
	err = g.loop()
	if closeErr := g.step(Event{Kind: EventClose, NowNanos: g.clock.Now()}); err == nil {
		err = closeErr
	}
	if restoreErr := restore(); err == nil {
		err = restoreErr
	}
	if err != nil {
		g.failure.Store(&err)
	}
	g.ended.Store(true)
}

// loop turns time, the request word, the throttle threads and the calls into
// events, until the guard is closed or the throttle threads have given up.
func (g *Guard) loop() error {
	for !g.closing.Load() {
		if err := g.throttle.Err(); err != nil {
			return err
		}
		if err := g.turn(); err != nil {
			return err
		}
	}
	return nil
}

// turn takes one event, or sleeps.
func (g *Guard) turn() error {
	call := g.call.Load()
	resting := g.host.State == Resting
	if call == callBegin && !resting && !g.beginning || call == callEnd && resting {
		g.call.Store(callRefused)
		return nil
	}
	now := g.clock.Now()
	switch g.host.State {
	case Resting:
		if call == callBegin {
			g.beginning = true
			return g.step(Event{Kind: EventBegin, NowNanos: now})
		}
		<-g.wake
	case Holding:
		if !g.throttle.Held() {
			g.pause()
			return nil
		}
		err := g.step(Event{Kind: EventHeld, NowNanos: now})
		if g.beginning {
			g.beginning = false
			g.call.Store(callDone)
		}
		return err
	case Armed, Overrun:
		if now >= g.host.DeadlineNanos {
			return g.step(Event{Kind: EventTimer, NowNanos: now, Request: g.token.Request()})
		}
		g.clock.Sleep(min(g.host.DeadlineNanos, now+sliceNanos))
	case Joined:
		if call == callEnd {
			err := g.step(Event{Kind: EventEnd, NowNanos: now})
			g.call.Store(callDone)
			return err
		}
		g.pause()
	}
	return nil
}

// step takes e and does what the transition asks for.
func (g *Guard) step(e Event) error {
	before := g.host
	after, actions, err := before.Step(&g.budgets, e)
	if err != nil {
		return err
	}
	g.host = after
	for _, a := range actions.Slice() {
		switch a.Op {
		case OpHold:
			g.holdSince = e.NowNanos
			g.throttle.Hold()
		case OpRelease:
			g.throttle.Release()
		case OpGrant:
			g.token.setGranted(a.Token)
		case OpArm:
			// The loop looks at the deadline in the host itself.
		}
	}
	g.count(&before, &after, &e)
	return nil
}

func (g *Guard) count(before, after *Host, e *Event) {
	switch {
	case e.Kind == EventHeld:
		raise(&g.longHold, e.NowNanos-g.holdSince)
	case e.Kind == EventTimer && before.State == Armed:
		raise(&g.longResponse, e.NowNanos-before.DeadlineNanos)
	}
	if after.Misses > before.Misses {
		g.missedFrom = before.DeadlineNanos
		g.missesOf[before.Token.Kind()].Add(1)
	}
	if after.HandOvers > before.HandOvers {
		g.handOvers.Add(1)
		if before.State == Overrun {
			raise(&g.longOverrun, e.NowNanos-g.missedFrom)
		}
	}
}

// raise makes *most at least v; one thread writes it.
func raise(most *atomic.Int64, v int64) {
	if v > most.Load() {
		most.Store(v)
	}
}
