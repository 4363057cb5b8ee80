//go:build warpbound_faults

package facts_test

import (
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/verify/fault"
)

// TestPlantedFaultsOfChecks: each planted fault of how executions are held to facts is
// noticed.
func TestPlantedFaultsOfChecks(t *testing.T) {
	defer fault.Set(fault.None)
	for _, d := range fault.Facts() {
		if !strings.HasPrefix(d.Name, "fact-check-") {
			continue
		}
		fault.Set(d.ID)
		found := append(checkFacts(t), checkRepeats(t)...)
		if len(found) == 0 {
			t.Errorf("%s was not caught: %s", d.Name, d.Edit)
			continue
		}
		t.Logf("%-28s %.100s", d.Name, found[0])
	}
}
