//go:build warpbound_faults

package replay

import (
	"context"
	"errors"
	"testing"

	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/verify/fault"
)

// Every fault planted in the replay is noticed by random programs: the simulator,
// or the replay that steps through everything without the fault, disagrees.
func TestPlantedFaults(t *testing.T) {
	defer fault.Set(fault.None)
	for _, d := range fault.Replay() {
		if d.ID >= fault.AnyPolicyQueueNOPsFree {
			continue
		}
		t.Run(d.Name, func(t *testing.T) {
			for seed := range uint64(4000) {
				most := int64(9)
				if d.ID >= fault.ReplayJumpsTooFar {
					most = 200
				}
				in, m, line := drawn(seed, most)
				if most > 9 && seed == 0 {
					in, m = pendingOverLoop()
				}
				fault.Set(fault.None)
				want := int64(-1)
				if most == 9 {
					k := newDrawnKernel(in)
					if r, err := sim.Run(context.Background(), sim.Config{Machine: described(m, line), BlocksPerSM: m.BlockSlots, MaxCycles: 20_000}, k, k.timing()); err == nil {
						want = r.Cycles
					}
				} else if r, err := Run(context.Background(), m, in, Options{Unfolded: true, MaxSteps: 30_000}); err == nil {
					want = r.Cycles
				}
				if want < 0 {
					continue
				}
				fault.Set(d.ID)
				r, err := Run(context.Background(), m, in, Options{MaxSteps: 60_000})
				fault.Set(fault.None)
				if err != nil && !errors.Is(err, ErrTooLong) || err == nil && r.Cycles != want {
					t.Logf("noticed by program %d", seed+1)
					return
				}
			}
			t.Errorf("%s: not noticed", d.Edit)
		})
	}
}

// Every fault planted in the bound for every policy lets some random program take
// longer than the bound.
func TestPlantedFaultsOfAnyPolicy(t *testing.T) {
	defer fault.Set(fault.None)
	for _, d := range fault.Replay() {
		if d.ID < fault.AnyPolicyQueueNOPsFree {
			continue
		}
		t.Run(d.Name, func(t *testing.T) {
			fault.Set(d.ID)
			defer fault.Set(fault.None)
			for seed := range uint64(20_000) {
				if limit, cycles := attackAnyPolicy(t, seed); cycles > limit {
					t.Logf("noticed by program %d", seed+1)
					return
				}
			}
			t.Errorf("%s: not noticed", d.Edit)
		})
	}
}
