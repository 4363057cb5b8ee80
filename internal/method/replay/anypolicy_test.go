package replay

import (
	"strings"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/seq"
)

// extension is two blocks of a warp of 1 (2 3)*3 5 and one of 0 1: lines of two
// instructions, six instructions.
func extension() (*Core, *Input) {
	m := small(true, 2, 4, Policy{})
	m.Front.StartGapCycles = 3
	m.Front.ICache = ICache{Sets: 2, Ways: 2, MissCycles: 10}
	return m, &Input{
		Ops: []Op{op(0, 0), op(1, 0), op(2, 0), op(3, 0), op(4, 0), op(5, 0)}, Code: code(6, 3, 5), Order: []Stretch{{0, 2}},
		Blocks: []Block{{Warps: []*seq.Seq{seq.Must(seq.Run(1), seq.Repeat(3, seq.Must(seq.Run(2, 3))), seq.Run(5)), seq.Must(seq.Run(0, 1))}}},
	}
}

// By hand: warp 0 leaves the sequence 2 times in the loop and once behind it: 6
// times in two blocks. Queues: 2 x (4 warps + 6); unresolved: 3 x (6 + 4 ends); 3
// lines of 10 cycles.
func TestExtend(t *testing.T) {
	m, in := extension()
	x, no := m.Extend(in, in.Order)
	want := Extension{NOPs: 20 + 30, Lines: 30, Starts: 6}
	if no != nil || x != want {
		t.Errorf("%+v, %v, want %+v", x, no, want)
	}
	m.Front.ICache.Perfect = true
	if x, no := m.Extend(in, in.Order); no != nil || x != (Extension{NOPs: 20 + 30, Starts: 6}) {
		t.Errorf("with a perfect cache %+v, %v", x, no)
	}
	sum := bound.Bound{Cycles: 100, Safe: true, Breakdown: []bound.Component{{Name: "sum", Cycles: 100}}, Assumptions: []bound.Assumption{bound.Assume(bound.BuffersNeverEmpty, bound.Assumed, ""), bound.Assume(bound.WorstTimings, bound.Assumed, "")}}
	b, err := x.Bound(sum, m)
	if err != nil || b.Cycles != 100+50+30+6 || b.Method != AnyPolicy || len(b.Breakdown) != 4 || b.Assumptions[0].ID != bound.WorstTimings || len(b.Assumptions) != 3 {
		t.Errorf("%+v, %v", b, err)
	}
	sum.Cycles = maxTime
	if _, err := x.Bound(sum, m); err == nil {
		t.Error("a sum beyond 62 bits was accepted")
	}
}

func TestExtendRefusals(t *testing.T) {
	for want, change := range map[string]func(m *Core, in *Input){
		"two schedulers":           func(m *Core, _ *Input) { m.Front.SWaS = false },
		"policy srr idles":         func(m *Core, _ *Input) { m.Front.Issue.Category = Strict },
		"policy gsrr idles":        func(m *Core, _ *Input) { m.Front.Issue.Category = GreedyStrict },
		"does not fit the instruc": func(m *Core, _ *Input) { m.Front.ICache.Ways = 1 },
		"start one another":        func(_ *Core, in *Input) { in.Blocks[0].Asleep = []bool{false, true} },
		"does not fit 62 bits":     func(_ *Core, in *Input) { in.Order[0].Count = 1 << 60 },
	} {
		m, in := extension()
		change(m, in)
		if x, no := m.Extend(in, in.Order); no == nil || !strings.Contains(no.Reason, want) {
			t.Errorf("%s: %+v, %v", want, x, no)
		}
	}
}

// Ops that are control instructions, or are not followed by their neighbour, write
// the register for which all wait.
func TestControlRegister(t *testing.T) {
	m, in := extension()
	in.Code[5].Control = false
	for i, o := range m.ControlRegister(in, 77) {
		writes := i == 3
		if got := len(o.Writes) == 2; got != writes || len(o.Reads) != 1 || o.Reads[0] != 77 {
			t.Errorf("op %d: reads %v, writes %v", i, o.Reads, o.Writes)
		}
		if want := map[bool]int64{true: 3, false: 0}[writes]; o.LatencyCycles != want {
			t.Errorf("op %d: latency %d, want %d", i, o.LatencyCycles, want)
		}
	}
	in.Ops[3].Op = method.Op{InitCycles: 9, LatencyCycles: 1}
	if o := m.ControlRegister(in, 77)[3]; o.LatencyCycles != 1 {
		t.Errorf("latency %d though it covers the resolution", o.LatencyCycles)
	}
}
