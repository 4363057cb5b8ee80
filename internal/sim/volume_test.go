package sim

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/sim/instr"
)

// smOf states a machine as theorem 14 (volume) looks at it.
func smOf(m *gpu.Machine, p instr.Warps) makespan.SM {
	d := m.Desc
	s := makespan.SM{
		SubCores: d.SM.Schedulers, Width: int64(d.Issue.PerCycle), Queueless: m.Queue == gpu.NoQueue, FIFO: m.FIFO, Draining: d.Barrier.Draining,
		BarrierDelayCycles: d.Barrier.DelayCycles, BlockStartDelayCycles: d.Dispatch.StartDelayCycles,
	}
	for _, u := range m.Units {
		s.Units = append(s.Units, makespan.SMUnit{Servers: int64(u.Count), Shared: u.Shared && d.SM.Schedulers > 1})
	}
	for _, w := range p {
		for _, in := range w {
			u := &s.Units[in.Unit]
			u.LongestInitiationCycles = max(u.LongestInitiationCycles, in.InitiationCycles)
		}
	}
	return s
}

// warpsOf counts what the warps of n blocks do in each section.
func warpsOf(p instr.Warps, blocks int64, units, subCores int) []makespan.SMWarps {
	var out []makespan.SMWarps
	for i, w := range p {
		x := makespan.SMWarps{Warps: blocks, SubCore: i % subCores, Sections: [][]int64{make([]int64, units)}}
		for _, in := range w {
			if in.BarrierBefore {
				x.Sections = append(x.Sections, make([]int64, units))
			}
			x.Sections[len(x.Sections)-1][in.Unit] += in.InitiationCycles
		}
		out = append(out, x)
	}
	return out
}

// Without latencies no simulation exceeds the volume bound, whatever the issue
// width, the servers of a unit, the queues and the order of dispatch.
func TestVolumeCoversSimulations(t *testing.T) {
	var exact, tried int
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t, 6, 8)
		short := rapid.Bool().Draw(t, "one cycle each")
		for _, w := range p {
			for j := range w {
				w[j].LatencyCycles = 0
				if short {
					w[j].InitiationCycles = 1
				}
			}
		}
		blocks := 1
		if !hasBarriers(p) {
			blocks = rapid.IntRange(1, 3).Draw(t, "blocks")
		}
		s := programSetup(t, p, blocks)
		drawHardware(t, s)
		m := s.cfg.Machine
		m.Desc.Issue.PerCycle = rapid.IntRange(1, 3).Draw(t, "per cycle")
		for u := range m.Units {
			m.Units[u].Count = rapid.IntRange(1, 3).Draw(t, "servers")
		}
		s.cfg.BlocksPerSM = max(s.cfg.BlocksPerSM, blocks)
		s.policy(t, drawPolicy(t))
		sm := smOf(m, p)
		if hasBarriers(p) && !sm.SectionsAddUp() {
			// The theorem is for one section there.
			for _, w := range p {
				for j := range w {
					w[j].BarrierBefore = false
				}
			}
			s.kernel = programSetup(t, p, blocks).kernel
		}
		warps := warpsOf(p, int64(blocks), len(m.Units), sm.SubCores)
		if blocks > 1 {
			sm.SubCores = 1 // which warp is on which is then not known
			for i := range warps {
				warps[i].SubCore = 0
			}
		}
		b, err := sm.Bound(warps, nil)
		if err != nil {
			t.Fatal(err)
		}
		tried++
		switch got := s.run(t).Cycles; {
		case got > b.Cycles():
			t.Fatalf("bound %d below simulation %d: %s on %+v", b.Cycles(), got, p, sm)
		case got == b.Cycles():
			exact++
		}
	})
	if exact*20 < tried {
		t.Errorf("%d of %d simulations as long as the bound: the search is too weak to find a fault", exact, tried)
	}
}

func hasBarriers(p instr.Warps) bool {
	for _, w := range p {
		for _, in := range w {
			if in.BarrierBefore {
				return true
			}
		}
	}
	return false
}
