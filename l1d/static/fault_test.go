//go:build warpbound_faults

package static

import (
	"math/rand/v2"
	"testing"
)

// Every planted fault is noticed by the random systems; fault.go says what each is.
func TestPlantedFaults(t *testing.T) {
	const most = 60_000
	defer func() { active = noFault }()
	for f := noFault + 1; f < lastFault; f++ {
		active = f
		r := rand.New(rand.NewPCG(1, 4))
		found := 0
		for i := 1; i <= most && found == 0; i++ {
			if tiny(r) != nil || large(r) != nil {
				found = i
			}
		}
		t.Logf("fault %d: case %d", f, found)
		if found == 0 {
			t.Errorf("fault %d is not noticed by %d cases", f, most)
		}
	}
}
