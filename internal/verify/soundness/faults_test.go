//go:build warpbound_faults

package soundness

import (
	"fmt"
	"testing"

	"github.com/warpbound/warpbound/internal/method/multiphase"
	"github.com/warpbound/warpbound/internal/verify/fault"
)

// faultCases is the largest number of random cases spent on one fault.
const faultCases = 60_000

// survivors are the faults the campaign need not catch; docs/soundness/evidence.md,
// section "Planted faults", says why each is harmless or out of its reach.
var survivors = map[fault.ID]bool{
	fault.OfferRefWithoutOrder: true,
}

// TestPlantedFaults plants each fault in turn and asks whether the reference
// instances or the random cases notice, by a violation or by an analysis that
// fails.
func TestPlantedFaults(t *testing.T) {
	defer fault.Set(fault.None)
	all := fault.Bounds()
	if len(all) < 40 {
		t.Fatalf("%d faults, want at least 40", len(all))
	}
	var tried, caught, byFixture, byCases int
	for _, d := range all {
		t.Run(d.Name, func(t *testing.T) {
			fault.Set(d.ID)
			defer fault.Set(fault.None)
			fixtures, err := Run(t.Context(), Config{})
			inFixtures := err != nil || len(fixtures.Violations) > 0
			random, err := Run(t.Context(), Config{Seed: 1, Cases: faultCases, NoFixtures: true})
			inCases := err != nil || len(random.Violations) > 0
			if t.Context().Err() != nil {
				t.Fatal(t.Context().Err())
			}
			tried++
			caught += count(inFixtures || inCases)
			byFixture += count(inFixtures)
			byCases += count(inCases)
			t.Logf("reference instances: %v; random cases: %s", inFixtures, noticed(random, err))
			switch {
			case survivors[d.ID] && (inFixtures || inCases):
				t.Error("listed as a survivor, but caught")
			case !survivors[d.ID] && !inFixtures && !inCases:
				t.Errorf("not caught: %s", d.Edit)
			}
		})
	}
	t.Logf("%d of %d faults caught; by reference instances %d, by random cases %d", caught, tried, byFixture, byCases)
	if tried == len(all) && caught*100 < tried*95 {
		t.Errorf("caught %d of %d, want at least 95 %%", caught, tried)
	}
}

// TestAttackOnChain: climbs over systems with barriers find a CHAIN that forgets
// what is pending.
func TestAttackOnChain(t *testing.T) {
	defer fault.Set(fault.None)
	fault.Set(fault.ChainDrainsNothing)
	r, err := Attack(t.Context(), AttackConfig{Seed: 1, Method: multiphase.CHAIN, Machine: plain, Climbs: 64, Steps: 200})
	if err != nil || r.Violation == nil {
		t.Fatalf("%+v, %v, want a violation", r, err)
	}
	t.Logf("%d climbs\n%s", r.Climbs, r.Violation)
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// noticed says how the random cases noticed a fault, and after how many.
func noticed(s *Summary, err error) string {
	switch {
	case len(s.Violations) > 0:
		v := &s.Violations[0]
		return fmt.Sprintf("%d, %s: %s %d < %d", s.Cases(), v.Kind, v.Method, v.BoundCycles, v.Cycles)
	case err != nil:
		return fmt.Sprintf("%d, error: %.80s", s.Cases(), err)
	default:
		return fmt.Sprintf("not by %d", s.Cases())
	}
}

// TestNoFaultNoViolation: the build with fault points is sound while none is on.
func TestNoFaultNoViolation(t *testing.T) {
	fault.Set(fault.None)
	sum, err := Run(t.Context(), Config{Seed: 1, Cases: 3000})
	if err != nil || len(sum.Violations) != 0 {
		t.Errorf("%v, %v", sum.Violations, err)
	}
}
