//go:build warpbound_faults

package multiphase

import (
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/verify/fault"
)

// TestPlantedFaultsOfWays: each planted fault of the bounds of sets of paths is
// found by comparing them with those of each path.
func TestPlantedFaultsOfWays(t *testing.T) {
	defer fault.Set(fault.None)
	for _, d := range fault.Ways() {
		fault.Set(d.ID)
		found := ""
		for _, search := range []struct {
			name string
			run  func(seed uint64) error
		}{
			{"one path", func(seed uint64) error { return oneWay(seed, 200) }},
			{"every path", func(seed uint64) error { return everyWay(seed, 400) }},
			{"many sides", func(seed uint64) error { return manyParts(seed, 20) }},
			{"lifted loops", func(seed uint64) error { return lifted(seed, 100) }},
			{"launches", func(seed uint64) error { _, err := everyLaunch(seed, 400, 8); return err }},
		} {
			for seed := range uint64(3) {
				if err := search.run(seed); err != nil && found == "" {
					found = search.name + ": " + err.Error()
				}
			}
			if found != "" {
				break
			}
		}
		if found == "" {
			t.Errorf("%s was not caught: %s", d.Name, d.Edit)
		}
		t.Logf("%-28s %.100s", d.Name, found)
	}
}

// TestPlantedFaultsOfLimits: each planted fault of what limits mean for isolated times and
// sums is found by comparing them with those of each path that respects the limits.
func TestPlantedFaultsOfLimits(t *testing.T) {
	defer fault.Set(fault.None)
	for _, d := range fault.Facts() {
		if !strings.HasPrefix(d.Name, "fact-prices-") && !strings.HasPrefix(d.Name, "fact-exclusions-") {
			continue
		}
		fault.Set(d.ID)
		var found error
		for seed := range uint64(8) {
			if _, found = everyLimited(seed, 600); found != nil {
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
