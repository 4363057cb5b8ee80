package soundness

import (
	"testing"

	"github.com/warpbound/warpbound/bound/multiphase"
	"github.com/warpbound/warpbound/internal/exhaust"
)

func TestAttackRediscoversGUB(t *testing.T) {
	r, err := Attack(t.Context(), AttackConfig{
		Seed: 1, Method: multiphase.GUB, Machine: exhaust.Machine{Slots: -1, FIFO: true, OwnOrder: true}, Climbs: 2000, Steps: 400,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(r.Climbs, r.Closest)
	if r.Violation == nil {
		t.Fatalf("no violation in %d climbs, closest %d", r.Climbs, r.Closest)
	}
	t.Log(r.Violation)
}
