package ptxexec

import "testing"

// The name of a predicate that is made of itself again and again does not grow without end.
func TestNamesStayShort(t *testing.T) {
	a, b := "1:", "2:"
	for range 80 {
		a, b = joinedNames(a, b, 1), joinedNames(b, a, 2)
		if len(a) > 2*mostName || len(b) > 2*mostName {
			t.Fatalf("names of %d and %d bytes", len(a), len(b))
		}
	}
	if a != "" || b != "" {
		t.Errorf("names %q and %q, expected none", a, b)
	}
	if joinedNames("1:", "2:", 1) == joinedNames("2:", "1:", 1) || joinedNames("1:", "2:", 1) == joinedNames("1:", "2:", 2) {
		t.Error("different predicates have one name")
	}
}
