//go:build warpbound_faults

package analysis

import (
	"testing"

	"github.com/warpbound/warpbound/internal/verify/fault"
)

// Every fault planted in the bounds of any order is noticed by random launches.
func TestPlantedFaults(t *testing.T) {
	const most = 2000
	dir := t.TempDir()
	defer fault.Set(fault.None)
	for _, d := range fault.AnyOrder() {
		t.Run(d.Name, func(t *testing.T) {
			for seed := range uint64(most) {
				fault.Set(d.ID)
				_, wrong := attack(t, dir, seed, false)
				fault.Set(fault.None)
				if wrong != "" {
					t.Logf("noticed by case %d", seed+1)
					return
				}
			}
			t.Errorf("%s: not noticed by %d cases", d.Edit, most)
		})
	}
}
