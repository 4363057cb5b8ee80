package guard

import (
	"errors"
	"testing"
)

// modelBudgets are of two lengths, so that a budget armed for the wrong kind
// shows in the count of misses.
var modelBudgets = Budgets{LaunchNanos: 1, MemoryNanos: 2, ComputeNanos: 3, RetryNanos: 1}

// scenarios: load, execute, store; tiles one after the other, so that a store
// is followed by a load; two kernels; kernels without phases.
func scenarios() []*scenario {
	var list []*scenario
	for _, kernels := range [][][]Kind{
		{{}},
		{{}, {}},
		{{Compute}, {Memory}},
		{{Memory, Compute, Memory}},
		{{Memory, Compute}, {Memory, Compute}},
		{{Memory, Memory, Compute, Compute}},
		{{Memory, Compute, Memory, Memory, Compute, Memory}},
	} {
		for mode := range 3 {
			s := &scenario{
				name: kernelsName(kernels), kernels: kernels, budgets: modelBudgets,
				lengths: []int8{1, 2, 3, 5},
			}
			switch mode {
			case 1:
				s.urgent = true
				s.name += "/urgent"
			case 2:
				s.closes, s.lengths = true, []int8{1, 4}
				s.name += "/close"
			}
			list = append(list, s)
		}
	}
	return list
}

func TestProtocolExhaustively(t *testing.T) {
	total := 0
	for _, s := range scenarios() {
		n, err := explore(realProtocol(), s, "")
		if err != nil {
			t.Fatalf("%s after %d states: %v", s.name, n, err)
		}
		t.Logf("%-20s %8d states", s.name, n)
		total += n
	}
	t.Logf("%-20s %8d states", "all", total)
}

// drop removes the actions of kind op.
func drop(a Actions, op Op) Actions {
	var out Actions
	for _, x := range a.Slice() {
		if x.Op != op {
			out.add(x)
		}
	}
	return out
}

// first moves the actions of kind op to the front.
func first(a Actions, op Op) Actions {
	var out Actions
	for _, x := range a.Slice() {
		if x.Op == op {
			out.add(x)
		}
	}
	rest := drop(a, op)
	for _, x := range rest.Slice() {
		out.add(x)
	}
	return out
}

// A mutant is a protocol with one mistake, and the invariant that must show it
// without help from the others.
type mutant struct {
	protocol
	by string
}

// A change is a mutation of the transition function: before, e and h are what
// went in, after and a what came out.
type change func(before, after Host, e Event, b *Budgets, a Actions) (Host, Actions)

func mutate(by string, c change) mutant {
	p := realProtocol()
	p.step = func(h Host, b *Budgets, e Event) (Host, Actions, error) {
		after, a, err := h.Step(b, e)
		if err != nil {
			return after, a, err
		}
		after, a = c(h, after, e, b, a)
		return after, a, nil
	}
	return mutant{p, by}
}

func mutants() map[string]mutant {
	list := map[string]mutant{
		"no timer armed after a hand-over": mutate(termination, func(_, after Host, e Event, _ *Budgets, a Actions) (Host, Actions) {
			if e.Kind == EventTimer && after.State == Armed {
				a = drop(a, OpArm)
			}
			return after, a
		}),
		"no timer armed after the launch": mutate(termination, func(_, after Host, e Event, _ *Budgets, a Actions) (Host, Actions) {
			if e.Kind == EventHeld && after.State == Armed {
				a = drop(a, OpArm)
			}
			return after, a
		}),
		"no timer armed after a miss": mutate(termination, func(before, after Host, _ Event, _ *Budgets, a Actions) (Host, Actions) {
			if before.State == Armed && after.State == Overrun {
				a = drop(a, OpArm)
			}
			return after, a
		}),
		"no timer armed after the second look": mutate(termination, func(before, after Host, _ Event, _ *Budgets, a Actions) (Host, Actions) {
			if before.State == Overrun && after.State == Overrun {
				a = drop(a, OpArm)
			}
			return after, a
		}),
		"budgets of memory and compute exchanged": mutate(timing, func(_, after Host, _ Event, b *Budgets, a Actions) (Host, Actions) {
			for i, x := range a.list[:a.n] {
				if x.Op == OpArm && after.State == Armed && after.Token.Kind() != Launch {
					after.DeadlineNanos = b.MemoryNanos + b.ComputeNanos - x.Nanos
					a.list[i].Nanos = after.DeadlineNanos
				}
			}
			return after, a
		}),
		"cores released when the timer fires": mutate(exclusion, func(_, after Host, _ Event, _ *Budgets, a Actions) (Host, Actions) {
			if after.State == Overrun {
				a = first(a, OpRelease)
				a.add(Action{Op: OpRelease})
			}
			return after, a
		}),
		"cores released before the grant": mutate(throttled, func(_, after Host, e Event, _ *Budgets, a Actions) (Host, Actions) {
			if e.Kind == EventTimer {
				a = first(a, OpRelease)
			}
			return after, a
		}),
		"cores never released in a compute phase": mutate(starved, func(_, after Host, e Event, _ *Budgets, a Actions) (Host, Actions) {
			if e.Kind == EventTimer {
				a = drop(a, OpRelease)
			}
			return after, a
		}),
		"cores not released at the end": mutate(termination, func(_, after Host, e Event, _ *Budgets, a Actions) (Host, Actions) {
			if e.Kind == EventEnd {
				a = drop(a, OpRelease)
			}
			return after, a
		}),
		"grant before the cores are held": mutate(exclusion, func(_, after Host, e Event, b *Budgets, a Actions) (Host, Actions) {
			if after.State == Holding {
				after.enter(b, &a, after.Next, e.NowNanos)
			}
			return after, a
		}),
		"token taken away at the deadline": mutate(exclusion, func(before, after Host, e Event, b *Budgets, a Actions) (Host, Actions) {
			if after.State == Overrun && before.Token.Kind() == Memory {
				a = Actions{}
				after.enter(b, &a, Compute, e.NowNanos)
				a.add(Action{Op: OpRelease})
			}
			return after, a
		}),
		"miss not counted": mutate(misses, func(before, after Host, _ Event, _ *Budgets, a Actions) (Host, Actions) {
			after.Misses = before.Misses
			return after, a
		}),
		"miss counted at every look": mutate(misses, func(before, after Host, _ Event, _ *Budgets, a Actions) (Host, Actions) {
			if before.State == Overrun && after.State == Overrun {
				after.Misses++
			}
			return after, a
		}),
		"hand-over not counted when late": mutate(handOvers, func(before, after Host, _ Event, _ *Budgets, a Actions) (Host, Actions) {
			if before.State == Overrun {
				after.HandOvers = before.HandOvers
			}
			return after, a
		}),
		"numbers start again with each kernel": mutate(misses, func(_, after Host, e Event, _ *Budgets, a Actions) (Host, Actions) {
			if e.Kind == EventBegin {
				after.Token = 0
			}
			return after, a
		}),
		"close does not release": mutate(termination, func(_, after Host, e Event, _ *Budgets, a Actions) (Host, Actions) {
			if e.Kind == EventClose {
				a = drop(a, OpRelease)
			}
			return after, a
		}),
		"close does not tell the device": mutate(termination, func(_, after Host, e Event, _ *Budgets, a Actions) (Host, Actions) {
			if e.Kind == EventClose {
				a = drop(a, OpGrant)
			}
			return after, a
		}),
	}
	lost := realProtocol()
	lost.wipeRequest = true
	list["request cleared after a grant"] = mutant{lost, termination}

	early := realProtocol()
	early.earlyRequest = true
	list["request written before the phase's end"] = mutant{early, exclusion}

	staleRequest := realProtocol()
	staleRequest.step = func(h Host, b *Budgets, e Event) (Host, Actions, error) {
		if k := e.Request.Kind(); k == Memory || k == Compute || k == Join {
			e.Request = h.Token.next(k)
		}
		return h.Step(b, e)
	}
	list["request of the phase before taken for a new one"] = mutant{staleRequest, samePhase}

	staleGrant := realProtocol()
	staleGrant.poll = func(d Device, token Word) (Device, Outcome) {
		if token.Kind() == d.Want.Kind() {
			token = d.Want
		}
		return d.Poll(token)
	}
	list["grant of the phase before taken for a new one"] = mutant{staleGrant, samePhase}
	return list
}

// TestMutantsAreCaught plants one mistake at a time and wants some scenario to
// show it as a violated invariant.
func TestMutantsAreCaught(t *testing.T) {
	all := scenarios()
	for name, m := range mutants() {
		t.Run(name, func(t *testing.T) {
			for _, s := range all {
				_, err := explore(m.protocol, s, m.by)
				var v violation
				if errors.As(err, &v) {
					t.Logf("%s: %v", s.name, v)
					return
				}
				// Some mistakes let the numbers grow without end.
				if err != nil && !errors.Is(err, errStateSpace) {
					t.Fatal(err)
				}
			}
			t.Error("no scenario shows the mistake")
		})
	}
}
