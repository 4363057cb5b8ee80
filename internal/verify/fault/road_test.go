package fault

import "testing"

func TestRoadIsComplete(t *testing.T) {
	complete(t, Road(), RoadTransactionsIgnored, endRoad)
}

func TestClassesAreComplete(t *testing.T) {
	complete(t, Classes(), ClassConditionsDropped, endClass)
}

// complete checks the descriptions of the faults from first to before end.
func complete(t *testing.T, of []Description, first, end ID) {
	t.Helper()
	if len(of) != int(end-first) {
		t.Fatalf("%d descriptions for %d faults", len(of), int(end-first))
	}
	names := map[string]bool{}
	for i, d := range of {
		if d.ID != first+ID(i) {
			t.Errorf("entry %d describes fault %d", i, d.ID)
		}
		if d.Name == "" || d.Edit == "" || names[d.Name] {
			t.Errorf("fault %d: name %q or edit %q is empty or taken", d.ID, d.Name, d.Edit)
		}
		names[d.Name] = true
	}
}
