package external

import (
	"testing"

	"github.com/warpbound/warpbound/internal/milp/milptest"
	"github.com/warpbound/warpbound/internal/testkit/optional"
)

// installed skips where the program is missing: then there is nothing to test.
func installed(t *testing.T, s *Solver) *Solver {
	t.Helper()
	tool := optional.CBC
	if s.Name() == "glpk" {
		tool = optional.GLPK
	}
	if path, err := s.Path(); path != optional.Path(t, tool) || err != nil {
		t.Fatalf("%s is found at %q: %v", s.Name(), path, err)
	}
	t.Log(s.Version())
	return s
}

func TestConformanceCBC(t *testing.T)  { milptest.Conformance(t, installed(t, CBC()), 100) }
func TestConformanceGLPK(t *testing.T) { milptest.Conformance(t, installed(t, GLPK()), 200) }

func TestTimeLimit(t *testing.T) {
	for _, s := range []*Solver{CBC(), GLPK()} {
		for _, maximize := range []bool{false, true} {
			t.Run(s.Name(), func(t *testing.T) {
				t.Parallel()
				milptest.Limited(t, installed(t, s), maximize)
			})
		}
	}
}

func TestCancelled(t *testing.T) {
	for _, s := range []*Solver{CBC(), GLPK()} {
		t.Run(s.Name(), func(t *testing.T) {
			t.Parallel()
			milptest.Cancelled(t, installed(t, s))
		})
	}
}
