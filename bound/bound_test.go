package bound

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestCatalogueIsInOrderAndComplete(t *testing.T) {
	seen := map[string]bool{}
	for i, e := range Catalogue() {
		if want := ID(fmt.Sprintf("A%d", i+1)); e.ID != want {
			t.Errorf("entry %d has id %s, want %s", i, e.ID, want)
		}
		if seen[e.Name] || e.Name == "" || strings.ContainsAny(e.Name, " _") {
			t.Errorf("%s: name %q is empty, taken or not in kebab case", e.ID, e.Name)
		}
		seen[e.Name] = true
		if !strings.HasSuffix(e.Text, ".") {
			t.Errorf("%s: the text is not a sentence: %q", e.ID, e.Text)
		}
	}
	c := Catalogue()
	c[0].Name = "changed"
	if Catalogue()[0].Name == "changed" {
		t.Error("the caller can change the catalogue")
	}
}

func TestJSON(t *testing.T) {
	b := Bound{
		Cycles: 11, Scope: SM, Method: "sum", Safe: true,
		Breakdown:   []Component{Part(LastBlock, 6), Part(OtherWarps, 5)},
		Assumptions: []Assumption{Assume(InterferenceFree, Proved, "no memory access")},
		Theorem:     "theorem 4",
	}
	out, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"cycles":11,"scope":"sm","method":"sum","safe":true,` +
		`"breakdown":[{"id":"last-block","name":"last block","cycles":6},{"id":"other-warps","name":"other warps","cycles":5}],` +
		`"assumptions":[{"id":"A2","name":"memory-interference-free","status":"proved-for-this-kernel","note":"no memory access"}],` +
		`"theorem":"theorem 4"}`
	if string(out) != want {
		t.Errorf("got  %s\nwant %s", out, want)
	}
	var back Bound
	if err := json.Unmarshal(out, &back); err != nil || back.Scope != SM || back.Assumptions[0].Status != Proved {
		t.Errorf("read back %+v, %v", back, err)
	}
}

func TestBadNames(t *testing.T) {
	if err := new(Scope).UnmarshalText([]byte("grid")); err == nil {
		t.Error("scope grid accepted")
	}
	if err := new(Status).UnmarshalText([]byte("")); err == nil {
		t.Error("empty status accepted")
	}
	if _, err := Scope(9).MarshalText(); err == nil || Scope(9).String() != "Scope(9)" {
		t.Error("scope 9 has a name")
	}
	if _, err := Status(-1).MarshalText(); err == nil || Status(-1).String() != "Status(-1)" {
		t.Error("status -1 has a name")
	}
	if a := Assume("A99", Enforced, ""); a.Status != Assumed {
		t.Error("an unknown assumption counts as enforced")
	}
}

func TestRefusalIsAnError(t *testing.T) {
	var err error = &Refusal{Method: "ref", Scope: Block, Reason: "issue waits for the unit", Assumption: QueueKind}
	if want := "no ref bound for this block: issue waits for the unit (A6)"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}

// Entries replace those of their id; open results stand behind the path.
func TestOverlay(t *testing.T) {
	list := []Assumption{Assume(SingleIssue, Enforced, ""), Assume(PathCovers, Assumed, ""), Assume(EqualClocks, Assumed, "")}
	got := Overlay(list, []Assumption{Assume(OpenResults, Assumed, "lg2"), Assume(PathCovers, Proved, "seen"), Assume(WorstTimings, Proved, "of no concern")})
	want := []Assumption{list[0], Assume(PathCovers, Proved, "seen"), Assume(OpenResults, Assumed, "lg2"), list[2]}
	if len(got) != len(want) {
		t.Fatalf("%v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("entry %d is %v, want %v", i, got[i], want[i])
		}
	}
	if list[1].Status != Assumed {
		t.Error("the list itself was changed")
	}
}
