package inputs

import (
	"testing"

	"github.com/warpbound/warpbound/internal/testkit/settings"
)

// drawn is how many cases are drawn: fewer where the race detector makes each take long.
func drawn(n int) int {
	if testing.Short() {
		return n / 3
	}
	return n
}

// campaign runs drawn cases, of which none may violate what is covered.
func campaign(t *testing.T, n int, draw func(seed uint64) Case) *Summary {
	t.Helper()
	s, err := Run(t.Context(), Config{Seed: uint64(settings.Seed(t, 1)), Cases: n, StopAfter: 3, Draw: draw})
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Violations {
		t.Errorf("%v", &s.Violations[i])
	}
	return s
}

// What executions of drawn loops do is covered in closed form.
func TestLoopsAreCovered(t *testing.T) {
	n := settings.Cases(t, drawn(100))
	s := campaign(t, n, DrawLoops)
	t.Logf("%d cases: %d covered in closed form; %d executions took %d different paths, %d failed; not: %v", s.Cases, s.Closed, s.Executions, s.Paths, s.Failed, s.NotClosed)
	if s.Closed < n/3 {
		t.Errorf("of %d cases %d covered in closed form", s.Cases, s.Closed)
	}
}

// What warps of blocks do that go through loops and forks with barriers is covered in
// closed form.
func TestBarriersAreCovered(t *testing.T) {
	n := settings.Cases(t, drawn(100))
	s := campaign(t, n, DrawTogether)
	t.Logf("%d cases: %d covered in closed form, %d of them in stages; %d executions took %d different paths, %d failed; not: %v", s.Cases, s.Closed, s.Staged, s.Executions, s.Paths, s.Failed, s.NotClosed)
	if s.Staged < n/5 {
		t.Errorf("of %d cases %d covered in stages", s.Cases, s.Staged)
	}
}

// So is what they do where results decide that PTX leaves open, if these are functions of
// their operands; and without that it is not.
func TestFunctionsAreCovered(t *testing.T) {
	n := settings.Cases(t, drawn(100))
	s := campaign(t, n, DrawFunctions)
	t.Logf("%d cases: %d covered in closed form, %d of them in stages; %d executions took %d different paths, %d failed; not: %v", s.Cases, s.Closed, s.Staged, s.Executions, s.Paths, s.Failed, s.NotClosed)
	if s.Staged < n/5 {
		t.Errorf("of %d cases %d covered in stages", s.Cases, s.Staged)
	}
	if n < 100 {
		return
	}
	s, err := Run(t.Context(), Config{Seed: 1, Cases: n, Draw: func(seed uint64) Case {
		c := DrawFunctions(seed)
		c.Lanes = true
		return c
	}})
	if err != nil || len(s.Violations) == 0 {
		t.Errorf("%d executions, of which each lane has open results of its own, are covered by functions, %v", s.Executions, err)
	}
}

// What executions fetch from textures is covered, also where nothing is known of these.
func TestFetchesAreCovered(t *testing.T) {
	n := settings.Cases(t, drawn(150))
	s := campaign(t, n, DrawFetches)
	t.Logf("%d cases: %d covered, %d with a choice, %d in closed form; %d executions took %d different paths, %d failed; not: %v; not closed: %v", s.Cases, s.Covered, s.Choices, s.Closed, s.Executions, s.Paths, s.Failed, s.Refused, s.NotClosed)
	if s.Covered < n/2 || s.Closed < n/3 || s.Choices < n/4 {
		t.Errorf("of %d cases %d covered, %d with a choice, %d in closed form", s.Cases, s.Covered, s.Choices, s.Closed)
	}
}

// What executions do is covered, in so many drawn kernels.
func TestExecutionsAreCovered(t *testing.T) {
	n := settings.Cases(t, drawn(100))
	s := campaign(t, n, nil)
	t.Logf("%d covered in closed form; not: %v", s.Closed, s.NotClosed)
	if s.Closed < n/2 {
		t.Errorf("of %d cases %d covered in closed form", s.Cases, s.Closed)
	}
	t.Logf("%d cases: %d covered, %d with a choice, %d certified; %d executions took %d different paths, %d failed; not covered: %v", s.Cases, s.Covered, s.Choices, s.Certified, s.Executions, s.Paths, s.Failed, s.Refused)
	t.Logf("%d cases covered again within %d facts, %d certificates with prices of them", s.WithFacts, s.Facts, s.Priced)
	if s.WithFacts < n/5 || s.Priced < n/10 {
		t.Errorf("of %d cases %d covered within facts, %d certified with prices of them", s.Cases, s.WithFacts, s.Priced)
	}
	if s.Covered < n/4 || s.Choices < n/5 || s.Certified < s.Covered*49/50 {
		t.Errorf("of %d cases %d covered, %d with a choice, %d certified", s.Cases, s.Covered, s.Choices, s.Certified)
	}
}
