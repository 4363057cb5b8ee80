package guard

import (
	"errors"
	"fmt"
)

// Budgets are the lengths, in nanoseconds, that the CPU enforces per phase:
// E_memory and E_compute of Forsberg2021, equation 2, and the time given to the
// launch.
type Budgets struct {
	LaunchNanos  int64
	MemoryNanos  int64
	ComputeNanos int64
	// RetryNanos is the time between two looks at the request once a hand-over
	// was missed.
	RetryNanos int64
}

// ErrBudget is wrapped by the error for a budget that is not positive.
var ErrBudget = errors.New("guard: budget must be positive")

// maxBudgetNanos, 2^60, keeps every sum of a time and a budget inside int64.
const maxBudgetNanos = 1 << 60

// Check returns an error that names the first budget that is not positive or
// above 2^60 ns.
func (b Budgets) Check() error {
	for _, f := range []struct {
		name  string
		nanos int64
	}{{"launch", b.LaunchNanos}, {"memory", b.MemoryNanos}, {"compute", b.ComputeNanos}, {"retry", b.RetryNanos}} {
		if f.nanos <= 0 {
			return fmt.Errorf("%w: %s is %d ns", ErrBudget, f.name, f.nanos)
		}
		if f.nanos > maxBudgetNanos {
			return fmt.Errorf("guard: budget of %s is %d ns, more than %d", f.name, f.nanos, int64(maxBudgetNanos))
		}
	}
	return nil
}

func (b Budgets) of(k Kind) int64 {
	switch k {
	case Launch:
		return b.LaunchNanos
	case Memory:
		return b.MemoryNanos
	default:
		return b.ComputeNanos
	}
}

// A State is where the CPU's side stands between two events.
type State uint8

const (
	// Resting: no offload.
	Resting State = iota
	// Holding: the throttle threads were told to hold; the phase Next is
	// granted once all of them do.
	Holding
	// Armed: a phase runs and the timer stands at its deadline.
	Armed
	// Overrun: the deadline has passed without a request; the timer stands at
	// the next look.
	Overrun
	// Joined: the kernel has left; the offloading task has not ended the
	// offload yet.
	Joined
	// Closed: the guard protects nothing any more.
	Closed
	states
)

var stateNames = [states]string{"resting", "holding", "armed", "overrun", "joined", "closed"}

// String returns the name of s in lower case.
func (s State) String() string {
	if s < states {
		return stateNames[s]
	}
	return fmt.Sprintf("state(%d)", uint8(s))
}

// A Host is the CPU's side of the protocol: the handler of the timer interrupt
// of Forsberg2021, section 3.3.1, together with the throttle threads of section
// 3.3.2, as a state machine over integer time. It is a value; [Host.Step]
// returns the next one and what to do. The zero value is at rest; a host that
// takes over shared memory used before sets Token to the word there.
type Host struct {
	State State
	// Token is the last word published.
	Token Word
	// Next is the kind to grant once the throttle threads hold.
	Next Kind
	// DeadlineNanos is what the timer is armed with in Armed and Overrun.
	DeadlineNanos int64
	// HandOvers counts the requests granted, Misses the phases whose timer
	// fired before the GPU had reached its synchronisation point: each such
	// phase once, however long it runs on.
	HandOvers, Misses int64
}

// An EventKind names what can happen to a [Host].
type EventKind uint8

const (
	// EventBegin: the offloading task wants to launch a kernel.
	EventBegin EventKind = iota
	// EventHeld: every throttle thread holds its core.
	EventHeld
	// EventTimer: the timer has fired, and Request was read after that.
	EventTimer
	// EventEnd: the offloading task has seen the kernel's end.
	EventEnd
	// EventClose: the guard is to give everything back, whatever its state.
	EventClose
	eventKinds
)

var eventNames = [eventKinds]string{"begin", "held", "timer", "end", "close"}

// String returns the name of k in lower case.
func (k EventKind) String() string {
	if k < eventKinds {
		return eventNames[k]
	}
	return fmt.Sprintf("event(%d)", uint8(k))
}

// An Event happens at NowNanos, on a clock that never goes back.
type Event struct {
	Kind     EventKind
	NowNanos int64
	// Request is the word of the GPU, read for EventTimer only.
	Request Word
}

// An Op is one thing that a [Host] wants done.
type Op uint8

const (
	// OpHold: tell the throttle threads to take their cores; report EventHeld
	// once all have.
	OpHold Op = iota
	// OpRelease: tell them to give the cores back.
	OpRelease
	// OpGrant: write Token into shared memory.
	OpGrant
	// OpArm: let the timer fire at Nanos.
	OpArm
)

// An Action is an [Op] with its operand.
type Action struct {
	Op    Op
	Token Word
	Nanos int64
}

// Actions are to be done in order, each finished before the next.
type Actions struct {
	list [3]Action
	n    int
}

// Slice returns the actions; it points into a.
func (a *Actions) Slice() []Action { return a.list[:a.n] }

func (a *Actions) add(x Action) {
	a.list[a.n] = x
	a.n++
}

// ErrEvent is wrapped by the error for an event that the state does not allow.
var ErrEvent = errors.New("guard: event not allowed")

// Step is the transition function. An event that the state does not allow
// leaves h as it is and returns an error that wraps [ErrEvent].
//
//	state    event  request  next     actions
//	Resting  Begin           Holding  hold
//	Holding  Held            Armed    grant Next, arm budget       Next is Launch or Memory
//	Holding  Held            Joined   grant Join                   Next is Join
//	Armed    Timer  none     Overrun  count a miss, arm retry
//	Overrun  Timer  none     Overrun  arm retry
//	A or O   Timer  Compute  Armed    grant, arm budget, release
//	A or O   Timer  Memory   Armed    grant, arm budget            cores held already
//	A or O   Timer  Memory   Holding  hold                         cores free
//	A or O   Timer  Join     Joined   grant                        cores held already
//	A or O   Timer  Join     Holding  hold                         cores free
//	Joined   End             Resting  grant Idle, release
//	any      Close           Closed   grant Abort, release
//
// A timer that fires before its deadline is armed again and changes nothing. A
// word that is not the next phase, of a kind that a device may ask for, is no
// request.
func (h Host) Step(b *Budgets, e Event) (Host, Actions, error) {
	var a Actions
	switch {
	case e.Kind == EventClose:
		h.State = Closed
		h.grant(&a, Abort)
		a.add(Action{Op: OpRelease})
		return h, a, nil
	case e.Kind == EventBegin && h.State == Resting:
		h.hold(&a, Launch)
		return h, a, nil
	case e.Kind == EventHeld && h.State == Holding:
		h.enter(b, &a, h.Next, e.NowNanos)
		return h, a, nil
	case e.Kind == EventTimer && (h.State == Armed || h.State == Overrun):
		h.timer(b, &a, e)
		return h, a, nil
	case e.Kind == EventEnd && h.State == Joined:
		h.State = Resting
		h.grant(&a, Idle)
		a.add(Action{Op: OpRelease})
		return h, a, nil
	}
	return h, a, fmt.Errorf("%w: %v in state %v", ErrEvent, e.Kind, h.State)
}

func (h *Host) timer(b *Budgets, a *Actions, e Event) {
	if e.NowNanos < h.DeadlineNanos {
		a.add(Action{Op: OpArm, Nanos: h.DeadlineNanos})
		return
	}
	want := e.Request.Kind()
	requested := e.Request == h.Token.next(want) && (want == Memory || want == Compute || want == Join)
	if !requested {
		if h.State == Armed {
			h.Misses++
		}
		h.State = Overrun
		h.arm(a, e.NowNanos+b.RetryNanos)
		return
	}
	h.HandOvers++
	if want.throttled() && !h.Token.Kind().throttled() {
		h.hold(a, want)
		return
	}
	// The cores are given back after the grant, so that they are never free
	// under a token that says they are not.
	giveBack := h.Token.Kind().throttled() && !want.throttled()
	h.enter(b, a, want, e.NowNanos)
	if giveBack {
		a.add(Action{Op: OpRelease})
	}
}

func (h *Host) hold(a *Actions, next Kind) {
	h.State, h.Next = Holding, next
	a.add(Action{Op: OpHold})
}

// enter grants a phase of kind k and arms its budget from now on.
func (h *Host) enter(b *Budgets, a *Actions, k Kind, nowNanos int64) {
	h.grant(a, k)
	if k == Join {
		h.State = Joined
		return
	}
	h.State = Armed
	h.arm(a, nowNanos+b.of(k))
}

func (h *Host) grant(a *Actions, k Kind) {
	h.Token = h.Token.next(k)
	a.add(Action{Op: OpGrant, Token: h.Token})
}

func (h *Host) arm(a *Actions, nanos int64) {
	h.DeadlineNanos = nanos
	a.add(Action{Op: OpArm, Nanos: nanos})
}
