//go:build warpbound_faults

package formula

import (
	"testing"

	"github.com/warpbound/warpbound/internal/verify/fault"
)

// TestPlantedFaults: each planted fault of sums and quotients is found where these are
// compared with what they are made of.
func TestPlantedFaults(t *testing.T) {
	defer fault.Set(fault.None)
	for _, id := range []fault.ID{fault.FormSumsSmaller, fault.FormSumsFew, fault.FormSumsOrdered, fault.FormTotalsOneFewer, fault.FormTotalsRounds, fault.FormTotalsPositive, fault.FormTotalsLargest, fault.FormQuotientRounds, fault.FormQuotientDivisor, fault.FormQuotientLeast, fault.FormTableLast} {
		fault.Set(id)
		err := formsHold()
		if err == nil {
			err = orderedFormsHold()
		}
		if err == nil {
			err = totalsHold()
		}
		if err == nil {
			err = iterationsHold()
		}
		if err == nil {
			err = quotientsHold()
		}
		if err == nil {
			err = tablesHold()
		}
		if err == nil {
			t.Errorf("%s was not caught", id.Name())
			continue
		}
		t.Logf("%-28s %.100s", id.Name(), err)
	}
}
