//go:build warpbound_faults

package static

import (
	"math/rand/v2"
	"testing"

	"github.com/warpbound/warpbound/internal/verify/fault"
)

// Every planted fault is noticed by the random systems.
func TestPlantedFaults(t *testing.T) {
	const most = 60_000
	defer fault.Set(fault.None)
	for _, d := range fault.Static() {
		t.Run(d.Name, func(t *testing.T) {
			fault.Set(d.ID)
			r := rand.New(rand.NewPCG(1, 4))
			for i := range most {
				if tiny(r) != nil || large(r) != nil {
					t.Logf("noticed by case %d", i+1)
					return
				}
			}
			t.Errorf("%s: not noticed by %d cases", d.Edit, most)
		})
	}
}
