package soundness

import (
	"math/rand/v2"
	"testing"

	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/instr"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/verify/exhaust"
)

func wideMachineOf(width int, servers ...int) *wideMachine {
	return &wideMachine{subCores: 1, width: width, servers: servers, shared: make([]bool, len(servers)), slots: -1, fifo: true, ownOrder: true}
}

// The explorer knows these by hand, and the bound of theorem 14 (volume) is as given.
func TestWideExplorer(t *testing.T) {
	with := func(m *wideMachine, change func(*wideMachine)) *wideMachine {
		change(m)
		return m
	}
	for _, c := range []struct {
		system       string
		m            *wideMachine
		worst, bound int64
	}{
		{"4× F0/1/0", wideMachineOf(1, 4), 4, 4},
		{"4× F0/1/0", wideMachineOf(2, 4), 2, 2},
		{"4× F0/1/0", wideMachineOf(4, 4), 1, 1},
		{"4× F0/1/0", wideMachineOf(4, 2), 2, 2},
		{"2× F0/1/0 F1/1/0(0)", wideMachineOf(2, 1, 1), 3, 4},
		// F1 serves the others while the first warp waits for F0, and then it alone.
		{"F0/3/0 F1/1/0(0) ; F1/1/0 F1/1/0 ; F1/1/0 F1/1/0", wideMachineOf(2, 1, 1), 6, 8},
		// A barrier makes everybody wait for the slowest, also across sub-cores.
		{"F0/3/0 | F0/1/0 ; F1/1/0 | F1/1/0", with(wideMachineOf(2, 1, 1), func(m *wideMachine) { m.draining = true }), 4, 6},
		{"2× F0/2/0", with(wideMachineOf(1, 1), func(m *wideMachine) { m.subCores = 2 }), 2, 2},
		{"2× F0/2/0", with(wideMachineOf(1, 1), func(m *wideMachine) { m.subCores, m.shared = 2, []bool{true} }), 4, 4},
		{"2× F0/2/0 F1/1/0", with(wideMachineOf(1, 1, 1), func(m *wideMachine) { m.slots = 0 }), 4, 6},
	} {
		s, err := exhaust.ParseSystem(c.system)
		if err != nil {
			t.Fatal(err)
		}
		var e wideExplorer
		worst, err := e.explore(&s, c.m)
		if err != nil {
			t.Fatal(err)
		}
		sm, warps := theorem14(&s, c.m)
		b, err := sm.Bound(warps, nil)
		if err != nil || int64(worst) != c.worst || b.Cycles() != c.bound {
			t.Errorf("%s on %s: worst %d, bound %d, %v, want %d and %d", c.system, c.m, worst, b.Cycles(), err, c.worst, c.bound)
		}
	}
}

// On machines that internal/verify/exhaust knows both explorers agree.
func TestWideExplorerAgrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 600 {
		m := exhaust.RandomMachine(rng)
		units := 1 + rng.IntN(2)
		s := exhaust.RandomSystem(rng, exhaust.Shape{Warps: 3, Instrs: 3, Units: units, Init: 3, Lat: 2, Sections: 2})
		x := exhaust.Explorer{}
		want, err := x.Worst(&s, m)
		if err != nil {
			t.Fatal(err)
		}
		one := []int{1, 1}[:units]
		w := &wideMachine{
			subCores: 1, width: 1, servers: one, shared: make([]bool, units), slots: m.Slots, pooled: m.Pooled, fifo: m.FIFO, ownOrder: m.OwnOrder,
			draining: m.Draining, shortInit: m.ShortInit, shortLat: m.ShortLat,
		}
		var e wideExplorer
		if got, err := e.explore(&s, w); err != nil || got != want {
			t.Fatalf("%s on %s: %d, %v, want %d", s, m, got, err, want)
		}
	}
}

// The simulator never exceeds the explorer on machines that issue several
// instructions a cycle, and often reaches it.
func TestSimulatorWithinWideExplorer(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	reached := 0
	const cases = 300
	for range cases {
		m := wideMachineOf(1+rng.IntN(3), 1+rng.IntN(2), 1+rng.IntN(3))
		s := exhaust.RandomSystem(rng, exhaust.Shape{Warps: 4, Instrs: 3, Units: 2, Init: 3, Lat: 1})
		var e wideExplorer
		worst, err := e.explore(&s, m)
		if err != nil {
			t.Fatal(err)
		}
		p, err := instr.Parse(s.String())
		if err != nil {
			t.Fatal(err)
		}
		k, err := instr.NewKernel(p, 1)
		if err != nil {
			t.Fatal(err)
		}
		machine := k.Machine()
		machine.Desc.Issue.PerCycle = m.width
		for u := range machine.Units {
			machine.Units[u].Count = m.servers[u]
		}
		best := int64(0)
		for _, name := range []string{"lrr", "gto", "oldest", "starve:0", "starve:1", "starve:2", "random:1", "random:2"} {
			policy, err := policy.Parse(name)
			if err != nil {
				t.Fatal(err)
			}
			r, err := sim.Run(t.Context(), sim.Config{Machine: machine, BlocksPerSM: 1, Checks: true, Model: sim.OwnModel{Policy: policy}}, k, k.Timing())
			if err != nil {
				t.Fatal(err)
			}
			best = max(best, r.Cycles)
		}
		if best > int64(worst) {
			t.Fatalf("%s on %s: simulated %d, at most %d by the explorer", s, m, best, worst)
		}
		if best == int64(worst) {
			reached++
		}
	}
	t.Logf("the simulator reaches the worst case in %d of %d", reached, cases)
	if reached*2 < cases {
		t.Errorf("the simulator reaches the worst case in %d of %d only", reached, cases)
	}
}

// TestWideSmallScope tries every block of three warps of up to two instructions,
// five in all, over two units, of initiation 1 or 2 and without latency.
func TestWideSmallScope(t *testing.T) {
	total := 5
	if testing.Short() {
		total = 4
	}
	var programs []exhaust.Sequence
	for code := range 4 {
		one := exhaust.Instr{Unit: code % 2, Init: 1 + code/2}
		programs = append(programs, exhaust.Sequence{one})
		for code := range 4 {
			two := exhaust.Instr{Unit: code % 2, Init: 1 + code/2}
			programs = append(programs, exhaust.Sequence{one, two})
			two.Src = []int{0}
			programs = append(programs, exhaust.Sequence{one, two})
		}
	}
	var machines []*wideMachine
	for _, width := range []int{1, 2} {
		for _, servers := range [][]int{{1, 1}, {2, 1}, {2, 2}} {
			base := wideMachineOf(width, servers...)
			for _, change := range []func(*wideMachine){
				func(*wideMachine) {},
				func(m *wideMachine) { m.fifo, m.ownOrder = false, false },
				func(m *wideMachine) { m.slots = 0 },
				func(m *wideMachine) { m.slots = 1 },
				func(m *wideMachine) { m.slots, m.pooled = 1, true },
			} {
				m := *base
				change(&m)
				machines = append(machines, &m)
			}
		}
	}
	c := &checker{ctx: t.Context()}
	for i, p := range programs {
		for j, q := range programs[:i+1] {
			for _, r := range programs[:j+1] {
				if len(p)+len(q)+len(r) > total {
					continue
				}
				s := exhaust.System{Warps: []exhaust.Sequence{p, q, r}}
				for _, m := range machines {
					v, err := c.wide(&s, m)
					if err != nil {
						t.Fatal(err)
					}
					if v != nil {
						t.Fatal(v)
					}
				}
			}
		}
	}
	t.Logf("%d programs, %d comparisons, %d skipped", len(programs), c.compared, c.skipped)
	if c.skipped > 0 || c.compared < 10_000 {
		t.Errorf("%d comparisons, %d skipped", c.compared, c.skipped)
	}
}
