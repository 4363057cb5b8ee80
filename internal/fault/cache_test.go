package fault

import "testing"

func TestStaticIsComplete(t *testing.T) {
	if len(static) != int(endStatic-StaticOthersForgotten) {
		t.Fatalf("%d descriptions for %d faults", len(static), int(endStatic-StaticOthersForgotten))
	}
	names := map[string]bool{}
	for i, d := range Static() {
		if d.ID != StaticOthersForgotten+ID(i) {
			t.Errorf("entry %d describes fault %d", i, d.ID)
		}
		if d.Name == "" || d.Edit == "" || names[d.Name] {
			t.Errorf("fault %d: name %q or edit %q is empty or taken", d.ID, d.Name, d.Edit)
		}
		names[d.Name] = true
	}
}
