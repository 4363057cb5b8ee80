package fault

import "testing"

func TestRoadIsComplete(t *testing.T) {
	if len(road) != int(endRoad-RoadTransactionsIgnored) {
		t.Fatalf("%d descriptions for %d faults", len(road), int(endRoad-RoadTransactionsIgnored))
	}
	names := map[string]bool{}
	for i, d := range Road() {
		if d.ID != RoadTransactionsIgnored+ID(i) {
			t.Errorf("entry %d describes fault %d", i, d.ID)
		}
		if d.Name == "" || d.Edit == "" || names[d.Name] {
			t.Errorf("fault %d: name %q or edit %q is empty or taken", d.ID, d.Name, d.Edit)
		}
		names[d.Name] = true
	}
}
