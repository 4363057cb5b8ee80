package makespan

import (
	"errors"
	"fmt"
)

// SM is one SM of docs/soundness/model.md, section 1, as theorem 14 (volume) looks at
// it: sub-cores that issue several instructions in a cycle, to units of one or several
// servers. What lies between issue and a unit is of no account within a section; across
// barriers see SectionsAddUp.
type SM struct {
	Units []SMUnit
	// SubCores ≥ 1 issue up to Width ≥ 1 instructions each in a cycle.
	SubCores int
	Width    int64
	// Queueless: an instruction issues only to a unit with a free server. FIFO: units
	// serve in the order of issue. Draining: barriers wait for completion.
	Queueless, FIFO, Draining bool
	// BarrierDelayCycles and BlockStartDelayCycles are the longest delays.
	BarrierDelayCycles, BlockStartDelayCycles int64
}

// SMUnit is a kind of unit: a number of identical servers, each of which executes
// one instruction at a time.
type SMUnit struct {
	Servers int64
	// LongestInitiationCycles is the longest that an instruction occupies a server, 0
	// where none is executed.
	LongestInitiationCycles int64
	// Shared: one set of servers for all sub-cores, instead of one each.
	Shared bool
}

// ErrSections says that bounds of sections do not add up on an SM.
var ErrSections = errors.New("barriers do not drain and units serve warps in any order, so an instruction behind a barrier can overtake one before it")

// SectionsAddUp tells whether nothing behind a barrier can delay what stands before
// it: barriers drain, units serve in order of issue, or nothing ever waits for a
// unit, for want of a queue or because every unit starts at once whatever can issue
// to it in a cycle.
func (s *SM) SectionsAddUp() bool {
	return s.Draining || s.FIFO || s.Queueless || s.startsAtOnce()
}

func (s *SM) startsAtOnce() bool {
	for _, u := range s.Units {
		if u.LongestInitiationCycles == 0 {
			continue
		}
		most := s.Width // issued to these servers in a cycle
		if u.Shared {
			if most > maxIssue/int64(s.SubCores) {
				return false
			}
			most *= int64(s.SubCores)
		}
		if u.LongestInitiationCycles > 1 || u.Servers < most {
			return false
		}
	}
	return true
}

// maxIssue is more than any SM issues in a cycle.
const maxIssue = int64(1) << 40

// SMWarps are warps of one sub-core that execute equally many instructions of each
// kind in every section between barriers.
type SMWarps struct {
	Warps   int64
	SubCore int
	// Sections are the instructions by kind of unit, a section each, an instruction
	// that occupies its unit for k cycles counted k times. Warps may have different
	// numbers of sections; nil is an empty one.
	Sections [][]int64
	// LatencyCycles, nil or a sum for each section, are the latencies of a warp's
	// instructions.
	LatencyCycles []int64
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
// VolumeBound, with what the others execute on shared units (docs/soundness/makespan.md,
// theorem 14 (volume)). times says how often each section occurs, in whatever order; nil
// is once. It fails with ErrSections where there are several sections whose bounds do
// not add up, and with ErrOverflow.
func (s *SM) Bound(warps []SMWarps, times []int64) (SMBound, error) {
	var out SMBound
	kinds, err := s.check(warps)
	if err != nil {
		return out, err
	}
	if times != nil && len(times) != kinds {
		return out, fmt.Errorf("%d repetitions of %d sections", len(times), kinds)
	}
	sections := int64(0)
	for k := range kinds {
		n := int64(1)
		if times != nil {
			n = times[k]
		}
		if n < 1 {
			return out, fmt.Errorf("section %d occurs %d times", k, n)
		}
		v, err := s.section(warps, k)
		if err != nil {
			return out, fmt.Errorf("section %d: %w", k, err)
		}
		if err := errors.Join(addProduct(&sections, n, 1), addProduct(&out.OwnCycles, n, v.OwnCycles), addProduct(&out.BlockedCycles, n, v.BlockedCycles)); err != nil {
			return out, err
		}
	}
	if sections > 1 && !s.SectionsAddUp() {
		return out, ErrSections
	}
	out.BlockStartDelayCycles = s.BlockStartDelayCycles
	if err := addProduct(&out.BarrierDelayCycles, sections-1, s.BarrierDelayCycles); err != nil {
		return out, err
	}
	sum := int64(0)
	for _, c := range []int64{out.OwnCycles, out.BlockedCycles, out.BarrierDelayCycles, out.BlockStartDelayCycles} {
		if err := addProduct(&sum, c, 1); err != nil {
			return out, err
		}
	}
	return out, nil
}

// check validates the numbers and returns how many different sections there are, at
// least 1.
func (s *SM) check(warps []SMWarps) (int, error) {
	if s.SubCores < 1 || s.Width < 1 || s.BarrierDelayCycles < 0 || s.BlockStartDelayCycles < 0 {
		return 0, fmt.Errorf("%d sub-cores of issue width %d, delays of %d and %d cycles", s.SubCores, s.Width, s.BarrierDelayCycles, s.BlockStartDelayCycles)
	}
	if len(warps) == 0 {
		return 0, errors.New("no warps")
	}
	kinds := 1
	for i, w := range warps {
		if w.SubCore < 0 || w.SubCore >= s.SubCores {
			return 0, fmt.Errorf("class %d: sub-core %d of %d", i, w.SubCore, s.SubCores)
		}
		if w.LatencyCycles != nil && len(w.LatencyCycles) != len(w.Sections) {
			return 0, fmt.Errorf("class %d: latencies of %d sections, expected %d", i, len(w.LatencyCycles), len(w.Sections))
		}
		kinds = max(kinds, len(w.Sections))
	}
	return kinds, nil
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
		capacities[u] = s.Units[u].Servers
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
			c := Class{Warps: w.Warps, Counts: counts}
			if w.LatencyCycles != nil {
				c.LatencyCycles = w.LatencyCycles[k]
			}
			classes = append(classes, c)
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
