package ptxexec

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/isa"
)

// unitsByInstruction counts live registers instruction by instruction, with no
// blocks and no bit sets.
func unitsByInstruction(p *isa.Program, units []int) int {
	n := len(p.Instructions)
	in := make([]map[isa.Reg]bool, n)
	for i := range in {
		in[i] = map[isa.Reg]bool{}
	}
	out := func(pc int) map[isa.Reg]bool {
		live := map[isa.Reg]bool{}
		add := func(to int) {
			for r := range in[to] {
				live[r] = true
			}
		}
		i := &p.Instructions[pc]
		for _, t := range i.Targets {
			add(int(t))
		}
		ends := i.Kind == isa.Branch || i.Kind == isa.Exit || i.Kind == isa.Return
		if (!ends || i.Guard != isa.NoReg) && pc+1 < n {
			add(pc + 1)
		}
		return live
	}
	sum := func(live map[isa.Reg]bool, extra []isa.Reg) int {
		all := map[isa.Reg]bool{}
		for r := range live {
			all[r] = true
		}
		for _, r := range extra {
			all[r] = true
		}
		n := 0
		for r := range all {
			n += units[r]
		}
		return n
	}
	for changed := true; changed; {
		changed = false
		for pc := n - 1; pc >= 0; pc-- {
			live := out(pc)
			i := &p.Instructions[pc]
			if i.Guard == isa.NoReg {
				for _, r := range i.Writes {
					delete(live, r)
				}
			}
			for _, r := range i.Reads {
				live[r] = true
			}
			if len(live) != len(in[pc]) {
				in[pc] = live
				changed = true
			}
		}
	}
	worst := 0
	for pc := range in {
		worst = max(worst, sum(in[pc], nil), sum(out(pc), p.Instructions[pc].Writes))
	}
	return worst
}

func TestRegisterUnitsAgainstInstructionSets(t *testing.T) {
	for seed := range uint64(40) {
		g := &generator{r: rand.New(rand.NewPCG(seed, 13))}
		g.block(3)
		p := lower(t, kernel(".reg .b32 %a, %c, %d; mov.u32 %a, %t; mov.u32 %c, 1;\n"+g.text.String()+"st.global.u32 [%o], %a;\nret;"), "k").ISA()
		units := make([]int, len(p.Registers))
		for i := range units {
			units[i] = 1 + i%3
		}
		got, rule := registerUnits(p, units)
		if want := unitsByInstruction(p, units); got != want || rule != registerRule {
			t.Fatalf("seed %d: %d units, want %d (%s)", seed, got, want, rule)
		}
	}
}

// A kernel of many blocks that all read registers of others is still lowered in
// little time, with the coarser count.
func TestHugeKernelsCountTheRegistersTheyName(t *testing.T) {
	const n = 20000
	var b strings.Builder
	b.WriteString(".reg .b32 %q<30000>;\n")
	for i := range n {
		fmt.Fprintf(&b, "{ .reg .pred p; setp.lt.u32 p, %%t, %d; @p bra L; add.u32 %%q%d, %%q%d, 1; L: }\n", i, i+1, i)
	}
	p := lower(t, kernel(b.String()+"ret;"), "k").ISA()
	if p.RegisterUnits <= n || p.RegisterUnits > n+20 || p.RegisterRule != usedRule {
		t.Errorf("%d units: %s", p.RegisterUnits, p.RegisterRule)
	}
}
