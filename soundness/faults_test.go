//go:build warpbound_faults

package soundness

import (
	"testing"

	"github.com/warpbound/warpbound/internal/exhaust"
	"github.com/warpbound/warpbound/internal/fault"
)

// faultCases is the largest number of random cases spent on one fault.
const faultCases = 60_000

// survivors are the faults the campaign need not catch; docs/soundness.md,
// section "Planted faults", says why each is harmless or out of its reach.
var survivors = map[fault.ID]bool{
	fault.OfferRefWithoutOrder: true,
}

// TestPlantedFaults plants each fault in turn and asks whether the reference
// instances or the random cases notice, by a violation or by an analysis that
// fails.
func TestPlantedFaults(t *testing.T) {
	defer fault.Set(fault.None)
	all := fault.All()
	if len(all) < 40 {
		t.Fatalf("%d faults, want at least 40", len(all))
	}
	caught, byFixture, byCases := 0, 0, 0
	for _, d := range all {
		fault.Set(d.ID)
		fixtures, err1 := Run(t.Context(), Config{StopAfter: len(exhaust.Fixtures())})
		random, err2 := randomCases(t, faultCases)
		if t.Context().Err() != nil {
			t.Fatal(t.Context().Err())
		}
		where := ""
		if len(fixtures.Violations) > 0 || err1 != nil {
			where = "fixtures"
			byFixture++
		}
		if len(random.Violations) > 0 || err2 != nil {
			byCases++
		}
		if where != "" || len(random.Violations) > 0 || err2 != nil {
			caught++
			if survivors[d.ID] {
				t.Errorf("%s is listed as a survivor but was caught", d.Name)
			}
		} else if !survivors[d.ID] {
			t.Errorf("%s was not caught: %s", d.Name, d.Edit)
		}
		if len(random.Violations) > 0 {
			v := &random.Violations[0]
			t.Logf("%-34s %-9s %6d cases, %s: %s %d < %d", d.Name, where, random.Cases(), v.Kind, v.Method, v.BoundCycles, v.Cycles)
		} else if err2 != nil {
			t.Logf("%-34s %-9s %6d cases, error: %.80s", d.Name, where, random.Cases(), err2)
		} else {
			t.Logf("%-34s %-9s not by %d random cases", d.Name, where, random.Cases())
		}
	}
	t.Logf("%d of %d faults caught; by reference instances %d, by random cases %d", caught, len(all), byFixture, byCases)
	if caught*100 < len(all)*95 {
		t.Errorf("caught %d of %d, want at least 95 %%", caught, len(all))
	}
}

// randomCases runs the campaign without the reference instances.
func randomCases(t *testing.T, cases int) (*Summary, error) {
	return Run(t.Context(), Config{Seed: 1, Cases: cases, NoFixtures: true})
}

// TestNoFaultNoViolation: the build with fault points is sound while none is on.
func TestNoFaultNoViolation(t *testing.T) {
	fault.Set(fault.None)
	sum, err := Run(t.Context(), Config{Seed: 1, Cases: 3000})
	if err != nil || len(sum.Violations) != 0 {
		t.Errorf("%v, %v", sum.Violations, err)
	}
}
