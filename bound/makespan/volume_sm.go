package makespan

import "fmt"

// SM is what theorem 14 of docs/soundness.md asks of the machine of its section 1:
// one SM whose sub-cores issue to units of their own or of all of them.
type SM struct {
	Units []SMUnit
	// SubCores ≥ 1 issue up to Width ≥ 1 instructions each in a cycle.
	SubCores int
	Width    int64
	// BarrierDelayCycles and BlockStartDelayCycles are the longest delays.
	BarrierDelayCycles, BlockStartDelayCycles int64
}

// SMUnit is a kind of unit.
type SMUnit struct {
	// Capacity is how many instructions a set of these units executes in a cycle;
	// see Capacity.
	Capacity int64
	// Shared: one set serves all sub-cores, instead of one each.
	Shared bool
}

// Capacity is the capacity that theorem 14 proves for a number of identical
// servers: all of them where issue waits for a free server (queueless) or nothing
// occupies a server for more than a cycle, and otherwise one, since servers that
// are still busy with earlier instructions leave the others idle for a part of the
// wait.
func Capacity(servers, longestInitiationCycles int64, queueless bool) int64 {
	if queueless || longestInitiationCycles <= 1 {
		return servers
	}
	return 1
}

// SMWarps are warps of one sub-core that execute equally many instructions of each
// kind in every section between barriers.
type SMWarps struct {
	Warps   int64
	SubCore int
	// Sections are the instructions by kind of unit, a section each, an instruction
	// that occupies its unit for k cycles counted k times. Warps may have different
	// numbers of sections; nil is an empty one.
	Sections [][]int64
}

// SMBound is a bound and its summands, in cycles.
type SMBound struct {
	OwnCycles, BlockedCycles, BarrierDelayCycles, BlockStartDelayCycles int64
}

// Cycles is the bound.
func (b *SMBound) Cycles() int64 {
	return b.OwnCycles + b.BlockedCycles + b.BarrierDelayCycles + b.BlockStartDelayCycles
}

// Bound bounds warps that start together, section by section: on each sub-core by
// VolumeBound, with what the others execute on shared units. The caller answers for
// the conditions: no latency, and sections that add up.
func (s *SM) Bound(warps []SMWarps) (SMBound, error) {
	var out SMBound
	if s.SubCores < 1 || s.Width < 1 || s.BarrierDelayCycles < 0 || s.BlockStartDelayCycles < 0 {
		return out, fmt.Errorf("%d sub-cores of issue width %d, delays of %d and %d cycles", s.SubCores, s.Width, s.BarrierDelayCycles, s.BlockStartDelayCycles)
	}
	if len(warps) == 0 {
		return out, fmt.Errorf("no warps")
	}
	sections := 1
	for i, w := range warps {
		if w.SubCore < 0 || w.SubCore >= s.SubCores {
			return out, fmt.Errorf("class %d: sub-core %d of %d", i, w.SubCore, s.SubCores)
		}
		sections = max(sections, len(w.Sections))
	}
	for k := range sections {
		v, err := s.section(warps, k)
		if err != nil {
			return out, fmt.Errorf("section %d: %w", k, err)
		}
		if err := addProduct(&out.OwnCycles, v.OwnCycles, 1); err != nil {
			return out, err
		}
		if err := addProduct(&out.BlockedCycles, v.BlockedCycles, 1); err != nil {
			return out, err
		}
	}
	if err := addProduct(&out.BarrierDelayCycles, int64(sections-1), s.BarrierDelayCycles); err != nil {
		return out, err
	}
	out.BlockStartDelayCycles = s.BlockStartDelayCycles
	sum := int64(0)
	for _, c := range []int64{out.OwnCycles, out.BlockedCycles, out.BarrierDelayCycles, out.BlockStartDelayCycles} {
		if err := addProduct(&sum, c, 1); err != nil {
			return out, err
		}
	}
	return out, nil
}

// section is the longest bound of section k over the sub-cores.
func (s *SM) section(warps []SMWarps, k int) (Volume, error) {
	var worst Volume
	for core := range s.SubCores {
		v, err := s.subCore(warps, k, core)
		if err != nil {
			return worst, err
		}
		if v.Cycles > worst.Cycles {
			worst = v
		}
	}
	return worst, nil
}

// subCore bounds section k of the warps of one sub-core. What other sub-cores
// execute on shared units is charged as if a warp of this one did.
func (s *SM) subCore(warps []SMWarps, k, core int) (Volume, error) {
	var classes []Class
	capacities, foreign := make([]int64, len(s.Units)), make([]int64, len(s.Units))
	for u := range s.Units {
		capacities[u] = s.Units[u].Capacity
	}
	for _, w := range warps {
		if k >= len(w.Sections) || w.Sections[k] == nil {
			continue
		}
		counts := w.Sections[k]
		if len(counts) != len(s.Units) {
			return Volume{}, fmt.Errorf("counts of %d kinds of unit, expected %d", len(counts), len(s.Units))
		}
		if w.SubCore == core {
			classes = append(classes, Class{Warps: w.Warps, Counts: counts})
			continue
		}
		for u := range s.Units {
			if !s.Units[u].Shared {
				continue
			}
			if err := addProduct(&foreign[u], w.Warps, counts[u]); err != nil {
				return Volume{}, err
			}
		}
	}
	if len(classes) == 0 {
		return Volume{}, nil
	}
	return volume(classes, foreign, capacities, s.Width)
}
