package inputs

import (
	"testing"

	"github.com/warpbound/warpbound/internal/testkit/settings"
)

// No simulation takes longer than a bound for every input, in so many drawn kernels.
func TestTimesAreBounded(t *testing.T) {
	n := settings.Cases(t, drawn(30))
	s, err := RunTimes(t.Context(), uint64(settings.Seed(t, 1)), n, 6*settings.Times(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range s.Violations[:min(len(s.Violations), 3)] {
		t.Error(v)
	}
	t.Logf("%d cases: %d bounded for every input, %d in closed form; %d triples of a case, contents and a policy, %d simulations failed, %d violations", s.Cases, s.Bounded, s.Closed, s.Triples, s.Failed, len(s.Violations))
	if s.Bounded < n/4 || s.Closed < n/5 || s.Triples < 6*s.Bounded {
		t.Errorf("of %d cases %d bounded, %d in closed form, %d triples", s.Cases, s.Bounded, s.Closed, s.Triples)
	}
}

// A warp ends on a side of a branch that the block takes together, and the others pass a
// barrier there: the stages of the block are known all the same.
func TestTimesWhereAWarpEnds(t *testing.T) {
	s, err := RunTimes(t.Context(), 1478, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	if s.Closed != 1 || s.Triples == 0 || len(s.Violations) > 0 {
		t.Errorf("%d in closed form, %d triples: %v", s.Closed, s.Triples, s.Violations)
	}
}
