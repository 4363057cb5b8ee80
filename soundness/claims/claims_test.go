package claims

import (
	"flag"
	"testing"
)

var cases = flag.Int("claims", 4000, "kernels drawn by TestClaimsHold")

// What is said to hold for all inputs does, in so many drawn kernels.
func TestClaimsHold(t *testing.T) {
	n := *cases
	if testing.Short() {
		n = min(n, 500)
	}
	s, err := Run(t.Context(), Config{Seed: 1, Cases: n, StopAfter: 3})
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Violations {
		t.Errorf("%v", &s.Violations[i])
	}
	t.Logf("%d cases: %d claimed, %d but for open results, %d went wrong, %d executions", s.Cases, s.Claimed, s.Open, s.Wrong, s.Executions)
	if s.Claimed < n/10 || s.Open == 0 || s.Wrong > n/20 {
		t.Errorf("of %d cases %d claimed, %d open, %d wrong", s.Cases, s.Claimed, s.Open, s.Wrong)
	}
}
