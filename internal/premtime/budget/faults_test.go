//go:build warpbound_faults

package budget

import (
	"testing"

	"github.com/warpbound/warpbound/internal/testkit/settings"
	"github.com/warpbound/warpbound/internal/verify/fault"
)

// Every fault planted in the bounds lets some phase take longer than its bound.
func TestPlantedFaults(t *testing.T) {
	defer fault.Set(fault.None)
	for _, d := range fault.Budget() {
		t.Run(d.Name, func(t *testing.T) {
			fault.Set(d.ID)
			defer fault.Set(fault.None)
			for name, c := range directed(t) {
				if _, wrong := c.check(t, 1, true); wrong != "" {
					t.Logf("noticed where one thing is slow: %s", name)
					return
				}
			}
			for seed := range uint64(settings.Cases(t, 400)) {
				if _, wrong := drawSlow(t, seed).check(t, seed, true); wrong != "" {
					t.Logf("noticed by slow memory %d", seed+1)
					return
				}
				if _, wrong := attack(t, seed, true); wrong != "" {
					t.Logf("noticed by case %d", seed+1)
					return
				}
			}
			t.Errorf("%s: not noticed", d.Edit)
		})
	}
}
