package fault

import "testing"

// Each list describes the faults of its constants, in their order.
func TestListsAreComplete(t *testing.T) {
	listed := 0
	for _, list := range []struct {
		name       string
		got        []Description
		first, end ID
	}{
		{"bounds", Bounds(), IsoIssueCycleDropped, end},
		{"road", Road(), RoadTransactionsIgnored, endRoad},
		{"classes", Classes(), ClassConditionsDropped, endClass},
		{"static", Static(), StaticOthersForgotten, endStatic},
		{"any order", AnyOrder(), AnyOrderPersistentOnce, endAnyOrder},
		{"replay", Replay(), ReplayResolvesEarly, endReplay},
		{"budget", Budget(), BudgetTagsFree, endBudget},
		{"taint", Taint(), TaintReadBehindWarpStore, endTaint},
		{"ways", Ways(), WaysJoinKeepsLast, endWays},
		{"costs", Costs(), CostIssueOfOrder, endCost},
		{"certify", Certify(), CertifyUnitFree, endCertify},
		{"riscv", RISCV(), RiscvFreshRegistersKnown, endRiscv},
		{"riscv covers", RISCVCovers(), VortexCoverLooseStoresKnown, endVortexCover},
		{"covers", Covers(), CoverRegistersJoinedKnown, endCover},
		{"closed", Closed(), ClosedValuesWrap, endClosed},
		{"formulas", Forms(), FormCountOneFewer, endForm},
		{"facts", Facts(), FactTotalsByMaximum, endFact},
	} {
		listed += len(list.got)
		if len(list.got) != int(list.end-list.first) {
			t.Errorf("%s: %d descriptions for %d faults", list.name, len(list.got), int(list.end-list.first))
			continue
		}
		for i, d := range list.got {
			if d.ID != list.first+ID(i) {
				t.Errorf("%s: entry %d describes fault %d", list.name, i, d.ID)
			}
			if d.Name == "" || d.Edit == "" {
				t.Errorf("%s: fault %d has the name %q and the edit %q", list.name, d.ID, d.Name, d.Edit)
			}
			if d.ID.Name() != d.Name {
				t.Errorf("fault %d is %s by its number and %s in its list", d.ID, d.ID.Name(), d.Name)
			}
		}
	}
	if n := len(All()); n != listed {
		t.Errorf("All lists %d faults, and the lists together have %d", n, listed)
	}
}

// A number stands for one fault, and so does a name: two lists that share one would plant
// two faults at once.
func TestFaultsAreDistinct(t *testing.T) {
	byID, byName := map[ID]string{}, map[string]ID{}
	for _, d := range All() {
		if other, taken := byID[d.ID]; taken {
			t.Errorf("%s and %s are both number %d", other, d.Name, d.ID)
		}
		if other, taken := byName[d.Name]; taken {
			t.Errorf("%d and %d are both %s", other, d.ID, d.Name)
		}
		byID[d.ID], byName[d.Name] = d.Name, d.ID
	}
	if None.Name() != "none" {
		t.Errorf("no fault has the name %q", None.Name())
	}
}

func TestNoFaultIsActive(t *testing.T) {
	for _, d := range All() {
		if On(d.ID) {
			t.Errorf("%s is active at the start", d.Name)
		}
	}
}

// In a build without the overlay, a test that sets a fault does not go on as if it were
// there.
func TestSetWantsTheOverlay(t *testing.T) {
	if Planted {
		defer Set(None)
		Set(IsoInitDropped)
		if !On(IsoInitDropped) || On(IsoLatencyDropped) {
			t.Error("another fault than the one set is active")
		}
		return
	}
	defer func() {
		if recover() == nil || On(IsoInitDropped) {
			t.Error("a fault is active that is not planted")
		}
	}()
	Set(IsoInitDropped)
}
