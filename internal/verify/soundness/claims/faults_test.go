//go:build warpbound_faults

package claims

import (
	"testing"

	"github.com/warpbound/warpbound/internal/verify/fault"
)

// TestPlantedFaults plants each fault of the taint machine in turn and asks
// whether the search notices.
func TestPlantedFaults(t *testing.T) {
	defer fault.Set(fault.None)
	for _, d := range fault.Taint() {
		t.Run(d.Name, func(t *testing.T) {
			fault.Set(d.ID)
			s, err := Run(t.Context(), Config{Seed: 1, Cases: 150_000, Executions: 6})
			switch {
			case err != nil:
				t.Fatal(err)
			case len(s.Violations) == 0:
				t.Errorf("not caught in %d cases: %s", s.Cases, d.Edit)
			default:
				t.Logf("%6d cases: %s", s.Cases, s.Violations[0].What)
			}
		})
	}
}
