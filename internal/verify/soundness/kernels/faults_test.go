//go:build warpbound_faults

package kernels

import (
	"testing"

	"github.com/warpbound/warpbound/internal/verify/fault"
)

// survivors are the faults this search does not catch.
var survivors = map[fault.ID]bool{
	// That sections do not add up takes units that serve warps in a particular
	// order around one barrier, and one cycle; the search over instruction
	// programs catches the same edit where the bounds are offered.
	fault.RoadBarriersDrain: true,
}

// TestPlantedFaults plants each fault of the road in turn and asks whether the
// search notices.
func TestPlantedFaults(t *testing.T) {
	defer fault.Set(fault.None)
	for _, d := range fault.Road() {
		if survivors[d.ID] {
			continue
		}
		fault.Set(d.ID)
		s, err := Run(t.Context(), Config{Seed: 1, Cases: 4000})
		switch {
		case err != nil:
			t.Errorf("%s: %v", d.Name, err)
		case len(s.Violations) == 0:
			t.Errorf("%s was not caught in %d cases: %s", d.Name, s.Cases, d.Edit)
		default:
			v := &s.Violations[0]
			t.Logf("%-30s %5d cases: %s %d < %d, grid %d, block %d, %d overrides", d.Name, s.Cases, v.Method, v.BoundCycles, v.SimulatedCycles, v.Case.Grid, v.Case.Block, len(v.Case.Set))
		}
	}
}

// classFaults are the faults of the classes of blocks that take one path which
// these kernels are made for: those of conditions on the block, of the numbers of
// blocks, and of what memory decides. The others take kernels of package affine.
var classFaults = []fault.ID{
	fault.ClassConditionsDropped, fault.ClassFixedDropped, fault.ClassComparisonOneSided, fault.ClassMemoryBelieved,
	fault.ClassShiftsWithinSegments, fault.ClassRowsOneLonger, fault.ClassEveryFirst, fault.LoopCountedOnce,
}

// TestPlantedClassFaults plants them in turn.
func TestPlantedClassFaults(t *testing.T) {
	defer fault.Set(fault.None)
	for _, id := range classFaults {
		fault.Set(id)
		s, err := Run(t.Context(), Config{Seed: 1, Cases: 400})
		if err != nil || len(s.Violations) == 0 {
			t.Errorf("%d was not caught in %d cases: %v", id, s.Cases, err)
			continue
		}
		t.Logf("%d: %d cases", id, s.Cases)
	}
}

// Without a fault the same search finds nothing.
func TestNoFaultNoViolation(t *testing.T) {
	fault.Set(fault.None)
	s, err := Run(t.Context(), Config{Seed: 1, Cases: 300})
	if err != nil || len(s.Violations) != 0 {
		t.Errorf("%v, %v", s.Violations, err)
	}
}
