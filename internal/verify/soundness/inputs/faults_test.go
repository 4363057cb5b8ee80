//go:build warpbound_faults

package inputs

import (
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/testkit/settings"
	"github.com/warpbound/warpbound/internal/verify/fault"
)

// survivors are the faults that this search does not catch, or not within its cases, and
// that TestCover and TestCoverWithinFacts of ptxexec hold: three take a loop around another
// that only an exit in the inner one ends, one a kernel that is right although only data
// bring all its warps to a barrier.
var survivors = map[fault.ID]bool{
	fault.CoverTripsFromOutside: true, fault.CoverBarriersInForks: true, fault.FactTotalsOfEntries: true, fault.FactBackOfSome: true,
	// The segments of the presets are longer than texels: TestPlantedFaultsOfFetches beside the code.
	fault.CoverFetchNarrow: true, fault.CoverFetchSeveralSizes: true,
}

// TestPlantedFaults plants each fault of covering executions in turn and asks whether the
// search notices.
func TestPlantedFaults(t *testing.T) {
	defer fault.Set(fault.None)
	cases := settings.Cases(t, 4000)
	list := fault.Covers()
	for _, d := range fault.Facts() {
		// Those of the checks themselves and of prices have tests beside the code.
		if !strings.HasPrefix(d.Name, "fact-check-") && !strings.HasPrefix(d.Name, "fact-prices-") && !strings.HasPrefix(d.Name, "fact-exclusions-") {
			list = append(list, d)
		}
	}
	for _, d := range list {
		if survivors[d.ID] {
			continue
		}
		t.Run(d.Name, func(t *testing.T) {
			fault.Set(d.ID)
			cfg := Config{Seed: 1, Cases: cases}
			if strings.HasPrefix(d.Name, "cover-fetch-") {
				cfg.Draw = DrawFetches
			}
			s, err := Run(t.Context(), cfg)
			switch {
			case err != nil:
				t.Fatal(err)
			case len(s.Violations) == 0:
				t.Errorf("not caught in %d cases: %s", s.Cases, d.Edit)
			default:
				t.Logf("%6d cases: %.200s", s.Cases, s.Violations[0].What)
			}
		})
	}
}

// programSurvivors are the faults of covering executions of RISC-V programs that the search
// does not catch within its cases, and that TestCover of rvexec holds.
var programSurvivors = map[fault.ID]bool{
	fault.VortexCoverSidesInOrder: true, fault.VortexCoverStoresAnywhere: true, fault.VortexCoverNumbersAreFlags: true, fault.VortexCoverFlagsOfOneSide: true,
	fault.VortexCoverExceptionsKnown: true, fault.VortexCoverMasksRead: true, fault.VortexCoverPredsOfLoose: true, fault.VortexCoverMasksAtJoin: true,
	fault.VortexCoverModesInSides: true, fault.VortexCoverPredsOfNumbers: true, fault.VortexCoverOthersComeBack: true, fault.VortexCoverWaysOfLoose: true,
	fault.VortexCoverTripsByMaximum: true, fault.VortexCoverTripsFromOutside: true, fault.VortexCoverBackOfSome: true, fault.VortexCoverLoadsBeforeStores: true, fault.VortexCoverTotalsByMaximum: true, fault.VortexCoverMostOfFirst: true, fault.VortexCoverExceptionsInOrder: true,
}

// TestPlantedFaultsOfPrograms plants each fault of covering executions of RISC-V programs in
// turn and asks whether the search notices.
func TestPlantedFaultsOfPrograms(t *testing.T) {
	defer fault.Set(fault.None)
	cases := settings.Cases(t, 2000)
	for _, d := range fault.RISCVCovers() {
		if programSurvivors[d.ID] {
			continue
		}
		t.Run(d.Name, func(t *testing.T) {
			fault.Set(d.ID)
			s, err := RunPrograms(t.Context(), Config{Seed: 1, Cases: cases, Executions: 8})
			switch {
			case err != nil:
				t.Fatal(err)
			case len(s.Violations) == 0:
				t.Errorf("not caught in %d cases: %s", s.Cases, d.Edit)
			default:
				t.Logf("%6d cases: %.200s", s.Cases, s.Violations[0].What)
			}
		})
	}
}

// TestPlantedFaultsOfClosed plants each fault of closed covering executions in turn and
// asks whether directed kernels or the search notice.
func TestPlantedFaultsOfClosed(t *testing.T) {
	defer fault.Set(fault.None)
	cases := settings.Cases(t, 1000)
	// What is known of values has tests beside the code, which plant the others.
	kernels := map[fault.ID]bool{
		fault.ClosedValuesLowMask: true, fault.ClosedValuesLowOfOthers: true, fault.ClosedValuesLowRounded: true, fault.ClosedValuesSelected: true, fault.ClosedValuesOfBarriers: true,
		fault.ClosedConditionsFirstSide: true, fault.ClosedConditionsKept: true, fault.ClosedConditionsOtherSide: true, fault.ClosedConditionsOfOthers: true, fault.ClosedConditionsEither: true,
		fault.ClosedCountBeside: true, fault.ClosedCountLanes: true, fault.ClosedCountOtherSide: true,
	}
	for _, d := range fault.Closed() {
		if d.ID == fault.ClosedCountBeside || d.ID == fault.ClosedLoopsAwaited {
			// Where they make a difference, lanes come back in two groups, and the loop is
			// not closed: directed kernels "test beside" and "others wait inside".
			continue
		}
		if part := strings.Split(d.Name, "-")[1]; slices.Contains([]string{"values", "conditions", "count", "progress", "calls"}, part) && !kernels[d.ID] {
			continue
		}
		t.Run(d.Name, func(t *testing.T) {
			fault.Set(d.ID)
			for name := range directed {
				if out, err := directedOutcome(t, name); err == nil && out.Wrong != "" {
					t.Logf("%s: %.200s", name, out.Wrong)
					return
				}
			}
			draws := []func(uint64) Case{DrawLoops, Draw}
			if strings.HasPrefix(d.Name, "closed-together-") {
				draws = []func(uint64) Case{DrawTogether}
			}
			if strings.HasPrefix(d.Name, "closed-open-") {
				draws = []func(uint64) Case{func(seed uint64) Case {
					c := DrawFunctions(seed)
					c.Functions = d.ID != fault.ClosedOpenUnasked
					return c
				}}
			}
			for i, draw := range draws {
				s, err := Run(t.Context(), Config{Seed: 1, Cases: cases, Executions: 8, Draw: draw})
				switch {
				case err != nil:
					t.Fatal(err)
				case len(s.Violations) > 0:
					t.Logf("%6d cases: %.200s", s.Cases, s.Violations[0].What)
					return
				case i == len(draws)-1:
					t.Errorf("not caught: %s", d.Edit)
				}
			}
		})
	}
}
