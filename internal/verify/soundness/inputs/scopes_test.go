package inputs

import (
	"testing"

	"github.com/warpbound/warpbound/internal/testkit/settings"
)

// Of every small kernel of a scope, with all data, what executions do is covered; without
// [settings.Everything], of some of its kernels.
func TestSmallScopes(t *testing.T) {
	for _, s := range Scopes() {
		t.Run(s.Name, func(t *testing.T) {
			every := 1
			if !settings.Everything(t) {
				every = max(1, s.size()/settings.Cases(t, drawn(60))) | 1
			}
			r, err := s.Run(t.Context(), every, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range r.Violations[:min(len(r.Violations), 3)] {
				t.Error(v)
			}
			t.Logf("%d kernels, %d with executions that end, %d executions of %d different paths, %d others, %d violations", r.Kernels, r.Ended, r.Executions, r.Paths, r.Others, len(r.Violations))
			for _, w := range r.Ways {
				t.Logf("%s: %d covered, %d with stages; of %d largest counts %d are attained; not: %v", w.Name, w.Covered, w.Staged, w.Counts, w.Attained, w.Refused)
			}
			closed := &r.Ways[len(r.Ways)-1]
			switch {
			case r.Ended < r.Kernels/2:
				t.Errorf("of %d kernels %d end", r.Kernels, r.Ended)
			case s.together() && closed.Staged < r.Ended/25, !s.together() && closed.Covered < r.Ended*9/10:
				t.Errorf("of %d kernels %d are covered in closed form, %d with stages", r.Ended, closed.Covered, closed.Staged)
			}
		})
	}
}
