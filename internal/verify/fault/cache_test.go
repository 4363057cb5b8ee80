package fault

import "testing"

func TestCacheListsAreComplete(t *testing.T) {
	for _, list := range []struct {
		got        []Description
		first, end ID
	}{{Static(), StaticOthersForgotten, endStatic}, {AnyOrder(), AnyOrderPersistentOnce, endAnyOrder}, {Replay(), ReplayResolvesEarly, endReplay}, {Budget(), BudgetTagsFree, endBudget}, {Taint(), TaintReadBehindWarpStore, endTaint}} {
		if len(list.got) != int(list.end-list.first) {
			t.Fatalf("%d descriptions for %d faults", len(list.got), int(list.end-list.first))
		}
		names := map[string]bool{}
		for i, d := range list.got {
			if d.ID != list.first+ID(i) {
				t.Errorf("entry %d describes fault %d", i, d.ID)
			}
			if d.Name == "" || d.Edit == "" || names[d.Name] {
				t.Errorf("fault %d: name %q or edit %q is empty or taken", d.ID, d.Name, d.Edit)
			}
			names[d.Name] = true
		}
	}
}
