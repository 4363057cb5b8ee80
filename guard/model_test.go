package guard

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"
)

// The model: the shared words, the CPU's side, the device, the offloading task
// and two cores with a throttle thread and a task each, as agents whose steps
// interleave in every order. Each action of the CPU's side is a step of its own.
// The clock is relative: now is always 0, a tick moves deadlines and the rest
// of the device's phase one towards 0.

// A protocol is what the model runs; mutants replace parts of the real one.
type protocol struct {
	step func(Host, *Budgets, Event) (Host, Actions, error)
	poll func(Device, Word) (Device, Outcome)
	// wipeRequest: the CPU clears the request word some time after a grant.
	wipeRequest bool
	// earlyRequest: the device asks for the next phase when it enters one.
	earlyRequest bool
}

func realProtocol() protocol { return protocol{step: Host.Step, poll: Device.Poll} }

// A scenario bounds the exploration.
type scenario struct {
	name string
	// kernels are launched one after the other; each is the list of the kinds
	// of its phases.
	kernels [][]Kind
	budgets Budgets
	// lengths are chosen from, per phase, in every combination.
	lengths []int8
	// urgent: time passes only when no step but a CPU task's is possible.
	urgent bool
	// closes: the guard may be closed once, at any time.
	closes bool
}

type deviceState uint8

const (
	off deviceState = iota
	started
	running
	waiting
	gone
)

type coreState struct{ held, inMemory bool }

type world struct {
	host    Host
	pending Actions
	next    int8
	armed   bool
	request Word
	token   Word
	wipe    bool

	hold  bool
	cores [2]coreState

	device Device
	state  deviceState
	phase  int8
	left   int8

	kernel   int8
	launched bool
	begun    bool

	// missed has a bit per phase, by its sequence number, whose timer fired
	// while the device was not at the synchronisation point.
	missed uint64
	// longer and equal count the phases longer than, and as long as, their
	// budgets, where time is urgent; elsewhere a late timer says nothing.
	longer, equal int8
}

type violation struct{ name, detail string }

func (v violation) Error() string { return v.name + ": " + v.detail }

// The invariants, by name.
const (
	// exclusion: a CPU task and a device in a memory phase are never in memory
	// at the same time, whether hand-overs were missed or not.
	exclusion = "exclusion"
	// throttled: while the token is of a throttled kind every core is held.
	throttled = "throttled"
	// samePhase: a device that runs is in the phase that the token names.
	samePhase = "same phase"
	// starved: no core stays held under a token that is the CPU's.
	starved = "starved"
	// misses: the count is that of the phases whose timer found the device
	// short of its synchronisation point, each once.
	misses = "misses"
	// timing: with no delay anywhere, the phases longer than their budgets are
	// the missed ones; of those exactly as long, some.
	timing = "timing"
	// handOvers: at the end, every request has been granted and counted once.
	handOvers = "hand-overs"
	// allowed: neither side is ever asked for a step that its state forbids.
	allowed = "allowed"
	// termination: an end can be reached from everywhere.
	termination = "termination"
)

type explorer struct {
	p protocol
	s *scenario
	// only, where set, is the one invariant looked at.
	only string
	out  []world
	err  error
}

func (x *explorer) fail(name, format string, args ...any) {
	if x.err == nil && (x.only == "" || x.only == name) {
		x.err = violation{name, fmt.Sprintf(format, args...)}
	}
}

// sortCores makes worlds equal that differ in the names of the cores only.
func (w *world) sortCores() {
	rank := func(c coreState) int {
		switch {
		case c.held:
			return 2
		case c.inMemory:
			return 1
		}
		return 0
	}
	if rank(w.cores[0]) > rank(w.cores[1]) {
		w.cores[0], w.cores[1] = w.cores[1], w.cores[0]
	}
}

func (w *world) idleHost() bool { return w.pending.n == 0 }

// event lets the CPU's side take e; its actions become pending.
func (x *explorer) event(w world, e Event) world {
	h, a, err := x.p.step(w.host, &x.s.budgets, e)
	if err != nil {
		x.fail(allowed, "%v", err)
	}
	w.host, w.pending, w.next = h, a, 0
	return w
}

func (x *explorer) plan(w *world) []Kind { return x.s.kernels[w.kernel] }

// hostSteps are the actions in flight, or the events that the guard can take.
func (x *explorer) hostSteps(w world) {
	if w.wipe {
		n := w
		n.wipe, n.request = false, 0
		x.out = append(x.out, n)
	}
	if w.pending.n > 0 {
		x.out = append(x.out, x.act(w))
		return
	}
	held := true
	for _, c := range w.cores {
		held = held && c.held
	}
	if w.host.State == Holding && held {
		x.out = append(x.out, x.event(w, Event{Kind: EventHeld}))
	}
	if w.armed && w.host.DeadlineNanos == 0 {
		n := w
		n.armed = false
		atPoint := w.state == gone || w.state == waiting && w.device.Want.Seq() == w.token.Seq()+1
		if !atPoint {
			n.missed |= 1 << w.token.Seq()
		}
		x.out = append(x.out, x.event(n, Event{Kind: EventTimer, Request: w.request}))
	}
}

func (x *explorer) act(w world) world {
	switch a := w.pending.list[w.next]; a.Op {
	case OpHold:
		w.hold = true
	case OpRelease:
		w.hold = false
	case OpGrant:
		w.token = a.Token
		w.wipe = x.p.wipeRequest
	case OpArm:
		w.armed, w.host.DeadlineNanos = true, a.Nanos
	}
	w.next++
	if int(w.next) == w.pending.n {
		w.pending, w.next = Actions{}, 0
	}
	return w
}

// taskSteps are those of the offloading task: begin, launch, end, and at any
// time close.
func (x *explorer) taskSteps(w world) {
	closed := w.host.State == Closed
	if x.s.closes && !closed && w.idleHost() {
		n := x.event(w, Event{Kind: EventClose})
		n.armed = false
		x.out = append(x.out, n)
	}
	if !w.idleHost() || closed || int(w.kernel) == len(x.s.kernels) {
		return
	}
	n := w
	switch {
	case !w.begun:
		n.begun = true
		x.out = append(x.out, x.event(n, Event{Kind: EventBegin}))
	case !w.launched && w.token.Kind() == Launch:
		n.launched, n.state, n.phase = true, started, -1
		x.choose(n, x.s.budgets.LaunchNanos)
	case w.launched && w.state == gone && w.token.Kind() == Join:
		n.kernel++
		n.begun, n.launched, n.state, n.device, n.phase = false, false, off, Device{}, 0
		x.out = append(x.out, x.event(n, Event{Kind: EventEnd}))
	}
}

// choose adds w with each length of the device's next phase.
func (x *explorer) choose(w world, budget int64) {
	for _, l := range x.s.lengths {
		n := w
		n.left = l
		switch {
		case !x.s.urgent:
		case int64(l) > budget:
			n.longer++
		case int64(l) == budget:
			n.equal++
		}
		x.out = append(x.out, n)
	}
}

func (x *explorer) deviceSteps(w world) {
	switch w.state {
	case started:
		if w.left > 0 {
			return
		}
		d, err := Attach(w.token)
		if err != nil {
			if w.host.State != Closed {
				x.fail(allowed, "%v", err)
			}
			w.state = gone
			x.out = append(x.out, w)
			return
		}
		w.device = d
		x.out = append(x.out, x.synchronise(w))
	case running:
		if w.left == 0 {
			x.out = append(x.out, x.synchronise(w))
		}
	case waiting:
		d, outcome := x.p.poll(w.device, w.token)
		w.device = d
		switch outcome {
		case Aborted:
			w.state = gone
			x.out = append(x.out, w)
		case Granted:
			w.state = running
			if x.p.earlyRequest {
				w.request = x.ask(w)
			}
			x.choose(w, x.s.budgets.of(d.At.Kind()))
		}
	}
}

func (x *explorer) ask(w world) Word {
	if plan := x.plan(&w); int(w.phase)+1 < len(plan) {
		return w.device.At.next(plan[w.phase+1])
	}
	return w.device.At.next(Join)
}

// synchronise is the device at the end of a phase.
func (x *explorer) synchronise(w world) world {
	w.phase++
	plan := x.plan(&w)
	var err error
	if int(w.phase) == len(plan) {
		w.request, err = w.device.Leave()
		w.state = gone
	} else {
		w.device, w.request, err = w.device.Enter(plan[w.phase])
		w.state = waiting
	}
	if err != nil {
		x.fail(allowed, "%v", err)
	}
	return w
}

func (x *explorer) throttleSteps(w world) {
	for i, c := range w.cores {
		if c.held == w.hold {
			continue
		}
		n := w
		// A thread that takes its core preempts the task on it.
		n.cores[i] = coreState{held: w.hold}
		x.out = append(x.out, n)
	}
}

func (x *explorer) coreTaskSteps(w world) {
	for i, c := range w.cores {
		if !c.held {
			n := w
			n.cores[i].inMemory = !c.inMemory
			x.out = append(x.out, n)
		}
	}
}

// successors fills x.out with the worlds one step after w.
func (x *explorer) successors(w world) {
	x.out = x.out[:0]
	x.hostSteps(w)
	x.taskSteps(w)
	x.deviceSteps(w)
	x.throttleSteps(w)
	if still := len(x.out) == 0; still || !x.s.urgent {
		n := w
		if n.armed && n.host.DeadlineNanos > 0 {
			n.host.DeadlineNanos--
		}
		if n.left > 0 {
			n.left--
		}
		if n != w {
			x.out = append(x.out, n)
		}
	}
	x.coreTaskSteps(w)
}

func (x *explorer) finished(w *world) bool {
	done := w.idleHost() && !w.hold
	for _, c := range w.cores {
		done = done && !c.held
	}
	if w.host.State == Closed {
		return done && (w.state == gone || w.state == off)
	}
	return done && w.host.State == Resting && int(w.kernel) == len(x.s.kernels)
}

// check tests the invariants of one state.
func (x *explorer) check(w *world) {
	if n := bits.OnesCount64(w.missed); w.host.Misses != int64(n) {
		x.fail(misses, "%d counted, %d happened", w.host.Misses, n)
	}
	if w.host.State == Closed {
		return
	}
	for i, c := range w.cores {
		if c.inMemory && w.state == running && w.device.At.Kind() == Memory {
			x.fail(exclusion, "core %d and the GPU in memory, token %v", i, w.token)
		}
		if !c.held && w.token.Kind().throttled() {
			x.fail(throttled, "core %d is free under token %v", i, w.token)
		}
	}
	if w.state == running && w.device.At != w.token {
		x.fail(samePhase, "the device is in %v, the token says %v", w.device.At, w.token)
	}
	if w.idleHost() && w.hold && !w.token.Kind().throttled() && w.host.State != Holding {
		x.fail(starved, "cores held under token %v", w.token)
	}
	if !x.finished(w) {
		return
	}
	requests := int64(0)
	for _, k := range x.s.kernels {
		requests += int64(len(k)) + 1
	}
	if w.host.HandOvers != requests {
		x.fail(handOvers, "%d counted of %d", w.host.HandOvers, requests)
	}
	least, most := int64(w.longer), int64(w.longer)+int64(w.equal)
	if x.s.urgent && (w.host.Misses < least || w.host.Misses > most) {
		x.fail(timing, "%d misses, %d phases longer than their budgets and %d as long", w.host.Misses, w.longer, w.equal)
	}
}

var errStateSpace = errors.New("state space larger than expected")

// explore visits every reachable world, checks each, and then that from each of
// them a finished one can be reached: with every agent taking its turn in the
// end, no deadlock and no livelock.
func explore(p protocol, s *scenario, only string) (states int, err error) {
	const most = 1 << 18
	x := &explorer{p: p, s: s, only: only}
	ids := map[world]int32{{}: 0}
	list := []world{{}}
	var from, to []int32
	for at := 0; at < len(list); at++ {
		w := list[at]
		x.check(&w)
		x.successors(w)
		if x.err != nil {
			return len(list), fmt.Errorf("%w\nat or after %+v", x.err, w)
		}
		for _, n := range x.out {
			n.sortCores()
			id, seen := ids[n]
			if !seen {
				id = int32(len(list))
				ids[n] = id
				list = append(list, n)
			}
			from, to = append(from, int32(at)), append(to, id)
		}
		if len(list) > most {
			return len(list), errStateSpace
		}
	}
	if only != "" && only != termination {
		return len(list), nil
	}
	if stuck := x.stuck(list, from, to); stuck >= 0 {
		return len(list), fmt.Errorf("%w\nin %+v", violation{termination, "no end can be reached"}, list[stuck])
	}
	return len(list), nil
}

// stuck returns a world that reaches no finished one, or -1.
func (x *explorer) stuck(list []world, from, to []int32) int {
	start := make([]int32, len(list)+1)
	for _, t := range to {
		start[t+1]++
	}
	for i := range list {
		start[i+1] += start[i]
	}
	before := make([]int32, len(from))
	fill := append([]int32(nil), start...)
	for i, t := range to {
		before[fill[t]] = from[i]
		fill[t]++
	}
	good := make([]bool, len(list))
	var queue []int32
	for i := range list {
		if x.finished(&list[i]) {
			good[i] = true
			queue = append(queue, int32(i))
		}
	}
	for len(queue) > 0 {
		at := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, b := range before[start[at]:start[at+1]] {
			if !good[b] {
				good[b] = true
				queue = append(queue, b)
			}
		}
	}
	for i, g := range good {
		if !g {
			return i
		}
	}
	return -1
}

func kernelsName(kernels [][]Kind) string {
	var b strings.Builder
	for i, k := range kernels {
		if i > 0 {
			b.WriteString("+")
		}
		for _, p := range k {
			b.WriteByte("ilmcja"[p])
		}
		if len(k) == 0 {
			b.WriteByte('0')
		}
	}
	return b.String()
}
