package inputs

import (
	"testing"

	"github.com/warpbound/warpbound/internal/testkit/settings"
)

// What executions of RISC-V programs do is covered, in so many drawn ones.
func TestExecutionsOfProgramsAreCovered(t *testing.T) {
	n := settings.Cases(t, 1000)
	s, err := RunPrograms(t.Context(), Config{Seed: 1, Cases: n, Executions: 8, StopAfter: 3})
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Violations {
		t.Errorf("%v", &s.Violations[i])
	}
	t.Logf("%d programs: %d covered, %d with a choice; %d executions took %d different paths, %d failed; not covered: %v", s.Cases, s.Covered, s.Choices, s.Executions, s.Paths, s.Failed, s.Refused)
	if s.Covered < n/4 || s.Choices < n/20 {
		t.Errorf("of %d programs %d covered, %d with a choice", s.Cases, s.Covered, s.Choices)
	}
}
