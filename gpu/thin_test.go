package gpu

import (
	"testing"

	"github.com/warpbound/warpbound/isa"
)

// distance is the issue-to-dependent-issue distance that a machine gives a class.
func distance(t *testing.T, m *Machine, c isa.Class) int64 {
	t.Helper()
	tm, _, err := m.Timing(c)
	if err != nil {
		t.Fatal(err)
	}
	return tm.InitiationCycles + tm.LatencyCycles
}

// Dependent-issue distances of the Jeanmougin2025 machine.
func TestDependentDistances(t *testing.T) {
	d, err := Preset("ecrts2025-200")
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.Machine()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		class isa.Class
		want  int64
	}{
		{isa.Class{Family: isa.Move, Type: isa.I32}, 5},
		{isa.Class{Family: isa.Add, Type: isa.I32}, 8},
		{isa.Class{Family: isa.Mad, Type: isa.F32}, 8},
		{isa.Class{Family: isa.LoadMem, Space: isa.Global, Type: isa.F32}, 204},
	} {
		if got := distance(t, m, c.class); got != c.want {
			t.Errorf("%s: %d cycles, want %d", c.class, got, c.want)
		}
	}
}

func TestPresetsLoad(t *testing.T) {
	infos, err := Presets()
	if err != nil {
		t.Fatal(err)
	}
	if len(infos) < 7 {
		t.Errorf("%d presets", len(infos))
	}
}
