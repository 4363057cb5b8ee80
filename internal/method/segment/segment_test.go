package segment

import (
	"context"

	"math/rand/v2"

	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/ordered"
)

func machine(queue method.QueueKind, draining bool) *ordered.CachedSM {
	return &ordered.CachedSM{Queue: queue, FIFO: true, DrainingBarriers: draining, Channels: 64, ChannelEntries: 10, MSHRs: 64}
}

// figuresOf returns the bounds by method.
func figuresOf(t *testing.T, p *program, m *ordered.CachedSM, sched Scheduler) map[string]bound.Bound {
	t.Helper()
	r, err := Compute(context.Background(), m, p.input(), &Memory{}, sched, nil)
	if err != nil {
		t.Fatalf("%v\n%+v", err, p)
	}
	out := map[string]bound.Bound{}
	for _, b := range r.Bounds {
		var sum int64
		for _, c := range b.Breakdown {
			sum += c.Cycles
		}
		if sum != b.Cycles || b.Safe != (b.UnsafeReason == "") {
			t.Fatalf("inconsistent: %+v", b)
		}
		out[b.Method] = b
	}
	return out
}

func randomProgram(r *rand.Rand, warps, sections, length int, longest int64) *program {
	p := &program{}
	for range 6 {
		op := method.Op{Unit: r.IntN(3), InitCycles: 1 + r.Int64N(longest), LatencyCycles: r.Int64N(4*longest + 1)}
		if r.IntN(4) > 0 {
			op.Writes = []int32{r.Int32N(4)}
		}
		if r.IntN(2) == 0 {
			op.Reads = []int32{r.Int32N(4)}
		}
		p.ops = append(p.ops, method.WithWAW(op))
	}
	n := 1 + r.IntN(sections)
	for range 1 + r.IntN(warps) {
		k := n
		if r.IntN(4) == 0 {
			k = r.IntN(n + 1)
		}
		prog := make([][]int32, k)
		for i := range prog {
			for range r.IntN(length + 1) {
				prog[i] = append(prog[i], r.Int32N(int32(len(p.ops))))
			}
		}
		p.warps = append(p.warps, prog)
	}
	return p
}

func TestSafeFiguresBoundEveryExecution(t *testing.T) {
	var executions int
	reached, offered := map[string]int{}, map[string]int{}
	var sums, longests [4]int64
	names := []string{Method, CountMethod, ordered.TurnsMethod, StrictMethod}
	for seed := range uint64(6000) {
		r := rand.New(rand.NewPCG(seed, 9))
		p := randomProgram(r, 4, 3, 6, 1+r.Int64N(3))
		queue := []method.QueueKind{method.Unbounded, method.NoQueue}[r.IntN(2)]
		draining := r.IntN(2) == 0
		for sched := SegmentTurns; sched <= InstructionTurns; sched++ {
			bounds := figuresOf(t, p, machine(queue, draining), sched)
			var longest int64
			for i := range 4 {
				c := random(r)
				if i == 0 {
					c = declared
				}
				longest = max(longest, simulate(p, sched, queue, draining, c))
				executions++
			}
			for i, name := range names {
				b, ok := bounds[name]
				if !ok || !b.Safe {
					continue
				}
				if longest > b.Cycles {
					t.Fatalf("seed %d, %s, queue %s: %d cycles, %s is %d\n%+v", seed, sched, queue, longest, name, b.Cycles, p)
				}
				offered[name]++
				if longest == b.Cycles {
					reached[name]++
				}
				sums[i] += b.Cycles
				longests[i] += longest
			}
			if a, b := bounds[ordered.TurnsMethod], bounds[Method]; sched == SegmentTurns && a.Cycles > b.Cycles {
				t.Fatalf("seed %d: turns %d > segment %d\n%+v", seed, a.Cycles, b.Cycles, p)
			}
		}
	}
	t.Logf("%d executions", executions)
	for i, name := range names {
		t.Logf("%s: offered %d times, reached %d times, sum over longest found %.3f", name, offered[name], reached[name], float64(sums[i])/float64(longests[i]))
		if reached[name] == 0 {
			t.Errorf("%s is never reached", name)
		}
	}
}

func TestSafeFiguresExhaustively(t *testing.T) {
	executions, cases := 0, 0
	for seed := range uint64(1500) {
		r := rand.New(rand.NewPCG(seed, 10))
		p := randomProgram(r, 3, 2, 2, 2)
		for sched := SegmentTurns; sched <= InstructionTurns; sched++ {
			bounds := figuresOf(t, p, machine(method.Unbounded, false), sched)
			o := &odometer{}
			for n := 0; ; n++ {
				end := simulate(p, sched, method.Unbounded, false, o.pick)
				executions++
				for _, b := range bounds {
					if b.Safe && end > b.Cycles {
						t.Fatalf("seed %d, %s: %d cycles, %s is %d\n%+v", seed, sched, end, b.Method, b.Cycles, p)
					}
				}
				if !o.next() || n > 4096 {
					break
				}
			}
			cases++
		}
	}
	t.Logf("%d executions of %d cases", executions, cases)
}

// TestPublishedRecurrence follows eq. 1 and 2 by hand: four warps of three
// segments, as in Fig. 11, each of three instructions with a latency of ten.
func TestPublishedRecurrence(t *testing.T) {
	p := &program{ops: []method.Op{
		{Unit: 0, InitCycles: 1, LatencyCycles: 10, Reads: []int32{0}, Writes: []int32{0}},
		{Unit: 1, InitCycles: 1, LatencyCycles: 2},
	}}
	for range 4 {
		p.warps = append(p.warps, [][]int32{{0, 1, 1, 0, 1, 1, 0, 1, 1}})
	}
	bounds := figuresOf(t, p, machine(method.Unbounded, false), SegmentTurns)
	// T_01 = max(9+3, 0+3+10) = 13, T_31 = 22, T_02 = max(22+3, 13+13) = 26, T_32 = 35.
	if b := bounds[Method]; b.Cycles != 35+3+10 || !b.Safe {
		t.Errorf("%+v, want 48 cycles", b)
	}
	// The slow instruction is the first of its segment, and starts at 33.
	if b := bounds[ordered.TurnsMethod]; b.Cycles != 44 {
		t.Errorf("%+v, want 44 cycles", b)
	}
	if b := bounds[StrictMethod]; b.Cycles != 4*9+4*30 {
		t.Errorf("%+v, want 156 cycles", b)
	}
}
