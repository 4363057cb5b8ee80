package sim_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/sim/soc"
)

// Models by name are those there are, and what does not go together is said.
func TestNamedModel(t *testing.T) {
	gto := policy.Policy{Name: "gto"}
	for _, name := range []string{"", sim.Abstract, sim.Pipeline, sim.Frontend} {
		m, err := sim.NamedModel(name, policy.Policy{})
		if err != nil || m.String() != name {
			t.Errorf("%q: %v, %v", name, m, err)
		}
	}
	for name, want := range map[string]string{"concrete": "expected abstract, pipeline or frontend", sim.Frontend: "policy gto with model frontend, expected a fetch policy"} {
		if m, err := sim.NamedModel(name, gto); !errors.Is(err, sim.ErrConfig) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want %q", name, m, err, want)
		}
	}
}

// A memory by name asks for an order where it needs one only.
func TestNamedMemory(t *testing.T) {
	failed := errors.New("no order")
	asked := 0
	order := func() (sim.AccessOrder, error) { asked++; return nil, failed }
	for _, name := range []string{sim.L1None, sim.L1Dynamic, sim.L1Reorder} {
		m, err := sim.NamedMemory(name, order, nil)
		if reorder := name == sim.L1Reorder; errors.Is(err, failed) != reorder || asked == 1 != reorder || (m == nil) != reorder {
			t.Errorf("%s: %T, %v, asked %d times", name, m, err, asked)
		}
	}
	for _, none := range []func() (sim.AccessOrder, error){nil, func() (sim.AccessOrder, error) { return nil, nil }} {
		if m, err := sim.NamedMemory(sim.L1Reorder, none, nil); !errors.Is(err, sim.ErrConfig) {
			t.Errorf("no order to be had: %T, %v", m, err)
		}
	}
	for name, want := range map[string]string{"sorted": `order "sorted" of accesses to the L1D: expected none, dynamic or reorder`, sim.L1None: "without caches"} {
		if m, err := sim.NamedMemory(name, order, &soc.Config{}); !errors.Is(err, sim.ErrConfig) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %T, %v, want %q", name, m, err, want)
		}
	}
}
