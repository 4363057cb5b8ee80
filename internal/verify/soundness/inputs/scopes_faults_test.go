//go:build warpbound_faults

package inputs

import (
	"testing"

	"github.com/warpbound/warpbound/internal/verify/fault"
)

// TestPlantedFaultsInSmallScopes plants faults of control and loops and asks whether some of
// the small kernels notice.
func TestPlantedFaultsInSmallScopes(t *testing.T) {
	defer fault.Set(fault.None)
	scopes := Scopes()
	for _, d := range append(fault.Covers(), fault.Closed()...) {
		at, ok := noticed[d.ID]
		if !ok {
			continue
		}
		t.Run(d.Name, func(t *testing.T) {
			fault.Set(d.ID)
			s := &scopes[at.scope]
			r, err := s.Run(t.Context(), at.every, 1)
			switch {
			case err != nil:
				t.Fatal(err)
			case len(r.Violations) == 0:
				t.Errorf("not caught by %d kernels: %s", r.Kernels, d.Edit)
			default:
				t.Logf("%6d kernels: %.200s", r.Kernels, r.Violations[0])
			}
		})
	}
}

// noticed are the scope of Scopes in which a fault is noticed, and which of its kernels are
// tried.
var noticed = map[fault.ID]struct{ scope, every int }{
	fault.CoverSidesCertain:          {0, 7},
	fault.CoverPartsCertain:          {0, 7},
	fault.CoverRegistersJoinedKnown:  {0, 3},
	fault.CoverRegistersSecondSide:   {0, 3},
	fault.CoverSecondSideBehindFirst: {0, 7},
	fault.CoverRestsCertain:          {0, 7},
	fault.CoverGuardedExits:          {0, 7},
	fault.CoverTripsOneFewer:         {0, 7},
	fault.CoverTripsByMaximum:        {0, 7},
	fault.CoverTripsNotReset:         {0, 7},
	fault.CoverTripsFromOutside:      {0, 7},
	fault.CoverArrivalsOfLoose:       {4, 3},
	fault.ClosedLoopsUnconfirmed:     {0, 7},
	fault.ClosedLoopsCertain:         {0, 7},
	fault.ClosedLoopsComeBack:        {1, 1},
	fault.ClosedJoinedFirst:          {0, 7},
	fault.ClosedTailsForgotten:       {0, 7},
	fault.ClosedMostOneFewer:         {0, 7},
	fault.ClosedLastForgotten:        {0, 7},
	fault.ClosedTogetherLoads:        {4, 3},
	fault.ClosedTogetherEnded:        {4, 1},
	fault.ClosedTogetherReduced:      {6, 1},
}
