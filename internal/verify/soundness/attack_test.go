package soundness

import (
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/method/multiphase"
	"github.com/warpbound/warpbound/internal/verify/exhaust"
)

var plain = exhaust.Rules{Slots: -1, FIFO: true, OwnOrder: true}

// TestAttackRediscoversGUB: the search finds by itself that the published bound is
// not safe, which shows that it could find a violation of another one.
func TestAttackRediscoversGUB(t *testing.T) {
	r, err := Attack(t.Context(), AttackConfig{Seed: 1, Method: multiphase.GUB, Machine: plain, Climbs: 2000, Steps: 400})
	if err != nil {
		t.Fatal(err)
	}
	if r.Violation == nil {
		t.Fatalf("no violation in %d climbs, closest %d", r.Climbs, r.Closest)
	}
	v := r.Violation
	t.Logf("%d climbs\n%s", r.Climbs, v)
	s, err := exhaust.ParseSystem(v.System)
	if err != nil {
		t.Fatal(err)
	}
	c := &checker{ctx: t.Context()}
	margin, bound, err := c.margin(&s, multiphase.GUB, plain)
	if err != nil || margin >= 0 || bound != v.BoundCycles || bound-margin != v.Cycles {
		t.Errorf("the reproducer gives bound %d, margin %d, %v", bound, margin, err)
	}
	if !strings.Contains(v.String(), "issues") || !strings.Contains(v.String(), "gub bound") {
		t.Errorf("the reproducer lacks a schedule:\n%s", v)
	}
	// Nothing can be taken away.
	again := Shrink(s, func(x *exhaust.System) bool {
		m, _, err := c.margin(x, multiphase.GUB, plain)
		return err == nil && m < 0
	})
	if again.String() != s.String() {
		t.Errorf("%s shrinks further to %s", s, again)
	}
}

func TestAttackOnSafeBounds(t *testing.T) {
	for _, method := range []string{multiphase.REF, multiphase.SUM, multiphase.CHAIN} {
		r, err := Attack(t.Context(), AttackConfig{Seed: 3, Method: method, Machine: plain, Climbs: 8, Steps: 100})
		if err != nil || r.Violation != nil || r.Closest != 0 {
			t.Errorf("%s: %+v, %v, want no violation and a tight instance", method, r, err)
		}
	}
}
