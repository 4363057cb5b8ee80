package budget

import (
	"context"
	"testing"

	"github.com/warpbound/warpbound/internal/sim"
)

// Without the guard a team that has less to do goes on into its next phase.
func TestTeamsApart(t *testing.T) {
	for name, want := range map[string]bool{"waiting teams": true, "two teams": false, "tags": false} {
		c := directed(t)[name]
		k, err := c.l.Kernel(false)
		if err != nil {
			t.Fatal(err)
		}
		timing, err := c.m.Resolve(k.Program())
		if err != nil {
			t.Fatal(err)
		}
		got, err := Measure(context.Background(), sim.Config{Machine: c.m, BlocksPerSM: c.grid, Memory: sim.Caches{}, Checks: true}, k, timing)
		if err != nil {
			t.Fatal(err)
		}
		if got.Apart != want {
			t.Errorf("%s: teams apart: %v, want %v", name, got.Apart, want)
		}
	}
}
