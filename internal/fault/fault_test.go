package fault

import "testing"

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
