package fault

import (
	"slices"
	"testing"
)

func TestListIsComplete(t *testing.T) {
	if len(all) != int(end)-1 {
		t.Fatalf("%d descriptions for %d faults", len(all), int(end)-1)
	}
	names := map[string]bool{}
	for i, d := range all {
		if d.ID != ID(i+1) {
			t.Errorf("entry %d describes fault %d", i, d.ID)
		}
		if d.Name == "" || d.Edit == "" || names[d.Name] {
			t.Errorf("fault %d: name %q or edit %q is empty or taken", d.ID, d.Name, d.Edit)
		}
		names[d.Name] = true
	}
	if None.Name() != "none" || On(None+1) {
		t.Error("a fault is active at the start")
	}
}

// A number stands for one fault: two lists that share one would plant two faults at
// once.
func TestFaultsAreDistinct(t *testing.T) {
	names := map[ID]string{}
	for _, d := range slices.Concat(All(), Road(), Static(), AnyOrder(), Replay(), Budget(), Classes(), Taint()) {
		if other, taken := names[d.ID]; taken {
			t.Errorf("%s and %s are both number %d", other, d.Name, d.ID)
		}
		names[d.ID] = d.Name
	}
}
