//go:build warpbound_faults

package multiphase

import (
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/verify/fault"
)

// TestPlantedFaultsOfForms: each planted fault of times, charges and numbers of blocks as
// formulas is found by comparing them with bounds.
func TestPlantedFaultsOfForms(t *testing.T) {
	defer fault.Set(fault.None)
	for _, d := range fault.Forms() {
		if part := strings.Split(d.Name, "-")[1]; part != "times" && part != "charges" && part != "blocks" {
			continue
		}
		fault.Set(d.ID)
		var found error
		for seed := range uint64(400) {
			if _, found = formGap(seed); found == nil {
				found = blocksGap(seed)
			}
			if found != nil {
				break
			}
		}
		if found == nil {
			t.Errorf("%s was not caught: %s", d.Name, d.Edit)
			continue
		}
		t.Logf("%-28s %.100s", d.Name, found)
	}
}
