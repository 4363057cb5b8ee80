package ordered

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/seq"
)

// strictScenario is a random scenario under strict round robin, with or without
// a reordering unit.
func strictScenario(r *rand.Rand, z size) *scenario {
	s := randomScenario(r, z)
	s.strict, s.turn = true, Turn(r.IntN(2))
	s.scheds, s.anyOrder, s.m.FIFO = 1, false, true
	for w := range s.block {
		for _, sections := range s.progs {
			if len(sections) > 1 {
				s.block[w], s.in.Warps[w].Block = 0, 0
			}
		}
	}
	s.order = nil
	if r.IntN(4) == 0 {
		for i := range s.in.Ops {
			s.in.Accesses[i] = false
			s.in.Ops[i].LatencyCycles = upTo(r, 4*z.times)
		}
		s.in.Order = nil
	} else {
		s.orderAccesses(r)
	}
	return s
}

func TestNoStrictExecutionIsLongerThanTheBound(t *testing.T) {
	var executions, stopped, refused, exact, cases int
	var sumBound, sumLongest int64
	for seed := range uint64(4000) {
		r := rand.New(rand.NewPCG(seed, 8))
		s := strictScenario(r, size{warps: 4, sections: 3, length: 6, times: 3})
		b, err := Turns(context.Background(), &s.m, &s.in, s.turn, nil)
		var refusal *bound.Refusal
		var stop *OrderError
		switch {
		case errors.As(err, &refusal) && refusal.Assumption == bound.ChannelsDoNotBlock:
			refused++
			continue
		case errors.As(err, &stop):
			stopped++
			if end, _, err := run(s, declared{}, 2000); err == nil {
				t.Fatalf("seed %d: %v, but the machine ends after %d cycles\n%+v", seed, stop, end, s)
			}
			continue
		case err != nil:
			t.Fatalf("seed %d: %v\n%+v", seed, err, s)
		}
		var longest int64
		for i := range 6 {
			c := chooser(&randomChooser{r, i % 3})
			if i == 5 {
				c = declared{}
			}
			end, inChannel, err := run(s, c, b.Cycles+2000)
			executions++
			if err != nil || end > b.Cycles || inChannel > s.m.ChannelEntries && s.in.Order != nil {
				t.Fatalf("seed %d: %d cycles, %d entries, %v; theorem 19 gives %d\n%+v", seed, end, inChannel, err, b.Cycles, s)
			}
			longest = max(longest, end)
		}
		cases++
		sumBound += b.Cycles
		sumLongest += longest
		if longest == b.Cycles {
			exact++
		}
	}
	t.Logf("%d executions, %d cases, %d stop, %d refused, bound reached in %d, sum of bounds over longest found %.3f", executions, cases, stopped, refused, exact, float64(sumBound)/float64(sumLongest))
	if cases < 2000 || stopped < 50 || exact < cases/3 {
		t.Errorf("%d cases, %d stop, bound reached in %d", cases, stopped, exact)
	}
}

// TestTurnsByHand: w0 holds a turn for A and B, and C waits for A; w1 has one
// instruction that waits for nothing.
func TestTurnsByHand(t *testing.T) {
	in := Input{Ops: []method.Op{
		{Unit: 0, InitCycles: 1, LatencyCycles: 3, Writes: []int32{1}}, // A
		{Unit: 1, InitCycles: 2},                    // B
		{Unit: 0, InitCycles: 1, Reads: []int32{1}}, // C
		{Unit: 1, InitCycles: 1, LatencyCycles: 1},  // D
	}, Warps: []Warp{
		{Sections: []*seq.Seq{seq.Must(seq.Run(0, 1, 2))}},
		{Sections: []*seq.Seq{seq.Must(seq.Run(3, 3))}, Block: 1},
	}}
	m := CachedSM{FIFO: true, Channels: 2, ChannelEntries: 1, MSHRs: 1}
	for _, c := range []struct {
		queue method.QueueKind
		turn  Turn
		want  int64
	}{
		// A 0, B 1 (unit 1 until 3), D 2, D 3 (started 3, 4), C 4: the second D ends at 6.
		{method.Unbounded, OneSegment, 6},
		// A 0, D 1 (until 2), B 2 (until 4), D 3 (started 4), C 4: D ends at 6.
		{method.Unbounded, OneInstruction, 6},
		// A 0, B 1, D 3, D 4, C 5: both end at 6.
		{method.NoQueue, OneSegment, 6},
		// A 0, D 1, B 2, D 4, C 5.
		{method.NoQueue, OneInstruction, 6},
		// A 0, B 1, D 3, D 4, C 5.
		{method.Pooled, OneSegment, 6},
	} {
		m.Queue = c.queue
		b, err := Turns(context.Background(), &m, &in, c.turn, nil)
		if err != nil || b.Cycles != c.want {
			t.Errorf("queue %s, turn %d: %+v, %v, want %d", c.queue, c.turn, b, err, c.want)
		}
	}
	m.BarrierDelayCycles = 5
	in.Warps[0].Sections = append(in.Warps[0].Sections, seq.Must(seq.Run(2)))
	var refusal *bound.Refusal
	if _, err := Turns(context.Background(), &m, &in, OneSegment, nil); !errors.As(err, &refusal) {
		t.Errorf("%v, want a refusal: two blocks and a barrier", err)
	}
	in.Warps[0].Sections = in.Warps[0].Sections[:1]
	m.FIFO, m.Queue = false, method.Unbounded
	if _, err := Turns(context.Background(), &m, &in, OneSegment, nil); !errors.As(err, &refusal) || refusal.Assumption != bound.DispatchOrder {
		t.Errorf("%v, want a refusal: any dispatch order", err)
	}
	if _, err := Turns(context.Background(), &m, &in, 7, nil); err == nil {
		t.Error("turn 7 accepted")
	}
}

// TestTurnsThatStop has w0 hold its turn waiting for an access that comes
// behind one of w1, which gets no turn.
func TestTurnsThatStop(t *testing.T) {
	m, in := small()
	m.FIFO = true
	in.Order = inOrder(hit(1), hit(0))
	var stop *OrderError
	in.Warps[1].Sections[0] = seq.Must(seq.Run(1, 1, 1, 2))
	in.Ops[1].Reads = []int32{2}
	if b, err := Turns(context.Background(), &m, &in, OneInstruction, nil); !errors.As(err, &stop) {
		t.Errorf("%+v, %v, want an OrderError", b, err)
	}
	in.Warps[1].Sections[0] = seq.Must(seq.Run(2))
	if b, err := Turns(context.Background(), &m, &in, OneInstruction, nil); err != nil || b.Cycles != 4+21 {
		// w1's access issues at 1 and leaves the tags at 3, w0's at 4.
		t.Errorf("%+v, %v, want 25 cycles", b, err)
	}
}
