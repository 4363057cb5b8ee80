package sim_test

import (
	"context"
	"testing"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/isa"
)

// issueCycles keeps when a warp issued.
type issueCycles struct {
	sim.NopObserver
	at []int64
}

func (c *issueCycles) Issue(e sim.IssueEvent) { c.at = append(c.at, e.Cycle) }

// A single warp of Vortex 2.2 issues dependent instructions as far apart as was
// measured on the project's C++ simulator.
func TestVortexDistances(t *testing.T) {
	d, err := gpu.Open("vortex-v2.2", []string{"front_end.icache.perfect=true"})
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.Machine()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		class isa.Class
		kind  isa.Kind
		free  bool // the next instruction does not depend
		stops bool // isa.Instruction.StopsFetch
		want  int64
	}{
		{name: "fetch interval", class: isa.Class{Family: isa.Add, Type: isa.I32}, free: true, want: 6},
		{name: "ALU", class: isa.Class{Family: isa.Add, Type: isa.I32}, want: 14},
		{name: "MUL", class: isa.Class{Family: isa.Mul, Type: isa.I32}, want: 16},
		{name: "load", class: isa.Class{Family: isa.LoadMem, Type: isa.I32, Space: isa.Global}, kind: isa.Load, want: 20},
		{name: "FADD", class: isa.Class{Family: isa.Add, Type: isa.F32}, want: 16},
		{name: "FMADD", class: isa.Class{Family: isa.Mad, Type: isa.F32}, want: 16},
		{name: "FCVT", class: isa.Class{Family: isa.Convert, Type: isa.F32}, want: 17},
		{name: "FDIV", class: isa.Class{Family: isa.Div, Type: isa.F32}, want: 28},
		{name: "FSQRT", class: isa.Class{Family: isa.Sqrt, Type: isa.F32}, want: 28},
		{name: "DIV", class: isa.Class{Family: isa.Div, Type: isa.I32}, want: 44},
		{name: "branch not taken, split, join", class: isa.Class{Family: isa.BranchTo}, kind: isa.Branch, free: true, want: 16},
		{name: "fence", class: isa.Class{Family: isa.FenceMem}, kind: isa.Fence, free: true, want: 6},
		{name: "fcsr", class: isa.Class{Family: isa.Move, Type: isa.I32}, free: true, stops: true, want: 16},
		{name: "another CSR", class: isa.Class{Family: isa.Move, Type: isa.I32}, free: true, want: 6},
		{name: "barrier", class: isa.Class{Family: isa.BarrierSync}, kind: isa.Barrier, free: true, want: 16},
	} {
		op := plain(1, 0, 0)
		if c.free {
			op = plain(1, none, none)
		}
		op.kind = c.kind
		const n = 6
		ops := make([]fop, n)
		for i := range ops {
			ops[i] = op
		}
		k := newFlow(1, append(ops, control(isa.Exit))...)
		for pc := range n {
			k.program.Instructions[pc].Class, k.program.Instructions[pc].StopsFetch = c.class, c.stops
		}
		k.program.Instructions[n].Class = isa.Class{Family: isa.ExitLanes}
		timing, err := m.Resolve(k.Program())
		if err != nil {
			t.Fatal(err)
		}
		log := &issueCycles{}
		if _, err := sim.Run(context.Background(), sim.Config{Machine: m, Model: sim.FrontModel{}, BlocksPerSM: 1, Checks: true, Observers: []sim.Observer{log}}, k, timing); err != nil {
			t.Fatal(err)
		}
		for i := 1; i < n; i++ {
			if got := log.at[i] - log.at[i-1]; got != c.want {
				t.Errorf("%s: instruction %d issues %d cycles after the one before, measured %d", c.name, i, got, c.want)
			}
		}
		if log.at[0] != 7 {
			t.Errorf("%s: the first instruction issues in cycle %d, measured 7", c.name, log.at[0])
		}
	}
	// A taken branch: the target issues 16 cycles later too.
	k := newFlow(1, branchOp(0, 3), control(isa.Exit))
	for pc, f := range []isa.Family{isa.BranchTo, isa.ExitLanes} {
		k.program.Instructions[pc].Class.Family = f
	}
	timing, err := m.Resolve(k.Program())
	if err != nil {
		t.Fatal(err)
	}
	log := &issueCycles{}
	if _, err := sim.Run(context.Background(), sim.Config{Machine: m, Model: sim.FrontModel{}, BlocksPerSM: 1, Checks: true, Observers: []sim.Observer{log}}, k, timing); err != nil {
		t.Fatal(err)
	}
	for i := 1; i < len(log.at); i++ {
		if got := log.at[i] - log.at[i-1]; got != 16 {
			t.Errorf("branch %d: %d cycles to the next, measured 16", i, got)
		}
	}
}
