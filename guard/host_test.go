package guard

import (
	"errors"
	"testing"

	"pgregory.net/rapid"
)

func TestWords(t *testing.T) {
	w := MakeWord(seqMask, Join)
	if w.Seq() != seqMask || w.Kind() != Join {
		t.Errorf("got %v", w)
	}
	if n := w.next(Memory); n.Seq() != 0 || n.Kind() != Memory {
		t.Errorf("next of the last number: %v", n)
	}
	for got, want := range map[string]string{
		MakeWord(7, Memory).String(): "7 memory", Kind(7).String(): "kind(7)",
		Overrun.String(): "overrun", State(9).String(): "state(9)",
		EventHeld.String(): "held", EventKind(9).String(): "event(9)",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestStepRefuses has, per state, the events that it allows; all others must
// change nothing.
func TestStepRefuses(t *testing.T) {
	allowed := map[State][]EventKind{
		Resting: {EventBegin}, Holding: {EventHeld}, Armed: {EventTimer},
		Overrun: {EventTimer}, Joined: {EventEnd}, Closed: nil,
	}
	for s := range states {
		for k := range eventKinds {
			ok := k == EventClose
			for _, a := range allowed[s] {
				ok = ok || a == k
			}
			h := Host{State: s, Token: MakeWord(5, Memory), Next: Memory}
			after, a, err := h.Step(&testBudgets, Event{Kind: k})
			if (err == nil) != ok {
				t.Errorf("%v in %v: error %v", k, s, err)
			}
			if !ok && (!errors.Is(err, ErrEvent) || after != h || len(a.Slice()) != 0) {
				t.Errorf("%v in %v: changed %+v to %+v, %v", k, s, h, after, err)
			}
		}
	}
}

func TestEarlyTimerChangesNothing(t *testing.T) {
	h := Host{State: Armed, Token: MakeWord(5, Memory), DeadlineNanos: 100}
	after, a, err := h.Step(&testBudgets, Event{Kind: EventTimer, NowNanos: 99, Request: h.Token.next(Compute)})
	if err != nil || after != h {
		t.Errorf("got %+v, %v", after, err)
	}
	if l := a.Slice(); len(l) != 1 || l[0] != (Action{Op: OpArm, Nanos: 100}) {
		t.Errorf("actions %+v", l)
	}
}

// TestRequests draws words from memory and wants those three that are requests
// to be granted, no others, at every number including the last.
func TestRequests(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seq := rapid.OneOf(rapid.Uint32Range(0, seqMask), rapid.Just(uint32(seqMask))).Draw(t, "number")
		h := Host{
			State: rapid.SampledFrom([]State{Armed, Overrun}).Draw(t, "state"),
			Token: MakeWord(seq, rapid.SampledFrom([]Kind{Launch, Memory, Compute}).Draw(t, "kind")),
		}
		near := MakeWord((seq+uint32(rapid.IntRange(-1, 2).Draw(t, "distance")))&seqMask, Kind(rapid.IntRange(0, 7).Draw(t, "asked")))
		request := rapid.OneOf(rapid.Just(near), rapid.Map(rapid.Uint32(), func(u uint32) Word { return Word(u) })).Draw(t, "request")
		k := request.Kind()
		valid := request.Seq() == (seq+1)&seqMask && (k == Memory || k == Compute || k == Join)
		after, a, err := h.Step(&testBudgets, Event{Kind: EventTimer, NowNanos: 1, Request: request})
		if err != nil {
			t.Fatal(err)
		}
		if (after.HandOvers == 1) != valid || (after.Misses == 1) != (!valid && h.State == Armed) {
			t.Fatalf("%v under %v: %+v", request, h.Token, after)
		}
		for _, x := range a.Slice() {
			if x.Op == OpGrant && x.Token != request {
				t.Fatalf("granted %v, asked for %v", x.Token, request)
			}
		}
	})
}

func TestDeviceRefuses(t *testing.T) {
	for k := range kinds {
		if _, err := Attach(MakeWord(1, k)); (err == nil) != (k == Launch) {
			t.Errorf("Attach under %v: %v", k, err)
		}
	}
	d, err := Attach(MakeWord(1, Launch))
	if err != nil {
		t.Fatal(err)
	}
	for k := range kinds {
		if _, _, err := d.Enter(k); (err == nil) != (k == Memory || k == Compute) {
			t.Errorf("Enter(%v): %v", k, err)
		}
	}
	d, _, err = d.Enter(Memory)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := d.Enter(Compute); err == nil {
		t.Error("second Enter: no error")
	}
	if _, err := d.Leave(); err == nil {
		t.Error("Leave while waiting: no error")
	}
}

func TestBudgetsCheck(t *testing.T) {
	if err := testBudgets.Check(); err != nil {
		t.Error(err)
	}
	for i := range 4 {
		for _, v := range []int64{0, -1, maxBudgetNanos + 1} {
			b := testBudgets
			*[]*int64{&b.LaunchNanos, &b.MemoryNanos, &b.ComputeNanos, &b.RetryNanos}[i] = v
			if err := b.Check(); err == nil || (v <= 0) != errors.Is(err, ErrBudget) {
				t.Errorf("budget %d of %d: %v", i, v, err)
			}
		}
	}
}
