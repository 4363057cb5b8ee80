//go:build warpbound_faults

package multiphase

import (
	"testing"

	"github.com/warpbound/warpbound/internal/verify/fault"
)

// TestPlantedFaultsOfCosts: each planted fault of what says which instructions the cycles of
// a bound belong to is found by their sum, or by an instruction that takes longer.
func TestPlantedFaultsOfCosts(t *testing.T) {
	defer fault.Set(fault.None)
	for _, d := range fault.Costs() {
		fault.Set(d.ID)
		found := ""
		for seed := range uint64(8) {
			if _, err := costsAddUp(seed, 1500); err != nil {
				found = "drawn launches: " + err.Error()
			} else if err := linksAreOfAChain(3000); err != nil {
				found = "sections: " + err.Error()
			}
			if found != "" {
				break
			}
		}
		if found == "" {
			t.Errorf("%s was not caught: %s", d.Name, d.Edit)
		}
		t.Logf("%-32s %.20s %s", d.Name, found, found[max(len(found)-80, 0):])
	}
}
