package solvers

import (
	"errors"
	"fmt"
	"strings"

	"github.com/warpbound/warpbound/internal/milp"
	"github.com/warpbound/warpbound/internal/milp/external"
	"github.com/warpbound/warpbound/internal/milp/highs"
)

// Default is the name of the solver that is always there.
const Default = "highs"

// ErrUnknown: no solver has that name.
var ErrUnknown = errors.New("unknown solver")

// Entry is a solver and whether it can run here.
type Entry struct {
	milp.Solver
	// Missing says why the solver cannot run, nil if it can.
	Missing error
}

// All returns every solver in a fixed order, the default first.
func All() []Entry {
	entries := []Entry{{Solver: highs.Solver{}}}
	for _, s := range []*external.Solver{external.CBC(), external.GLPK()} {
		_, err := s.Path()
		entries = append(entries, Entry{Solver: s, Missing: err})
	}
	return entries
}

// ByName returns the solver of that name, the default for "". The error wraps
// ErrUnknown, and lists the names, or external.ErrNotFound.
func ByName(name string) (milp.Solver, error) {
	if name == "" {
		name = Default
	}
	all := All()
	list := make([]string, len(all))
	for i, e := range all {
		if e.Name() == name {
			if e.Missing != nil {
				return nil, e.Missing
			}
			return e.Solver, nil
		}
		list[i] = e.Name()
		if e.Missing != nil {
			list[i] += " (not installed)"
		}
	}
	return nil, fmt.Errorf("%w %q: want %s", ErrUnknown, name, strings.Join(list, ", "))
}
