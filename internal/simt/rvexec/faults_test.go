//go:build warpbound_faults

package rvexec

import (
	"slices"
	"testing"

	"github.com/warpbound/warpbound/internal/verify/fault"
)

// TestPlantedFaults plants each fault of the taint machine in turn and asks whether the
// cases of the tests of its rules notice.
func TestPlantedFaults(t *testing.T) {
	planted(t, fault.RISCV(), func(t *testing.T) string {
		for _, c := range slices.Concat(taintRules(), taintOrders()) {
			if got := observed(t, c.launch, c.start, c.body); got != c.want {
				return c.name + ": " + got
			}
		}
		if got := started(t, Feb2024, loadAndSpawn); got != "order:a" {
			return "a spawn that does not wait: " + got
		}
		return ""
	})
}

// TestPlantedFaultsOfCovering does so with those of covering executions and the cases of
// TestCover and TestCoverDistrusts.
func TestPlantedFaultsOfCovering(t *testing.T) {
	planted(t, fault.RISCVCovers(), func(t *testing.T) string {
		for _, c := range coverCases() {
			if got := c.is(t); got != c.want {
				return c.name + ": " + got
			}
		}
		if names, _ := distrusted(t, ""); len(names) == 0 {
			return "nothing is distrusted"
		}
		return ""
	})
}

func planted(t *testing.T, list []fault.Description, notice func(t *testing.T) string) {
	t.Helper()
	defer fault.Set(fault.None)
	for _, d := range list {
		t.Run(d.Name, func(t *testing.T) {
			fault.Set(d.ID)
			if by := notice(t); by != "" {
				t.Log(by)
			} else {
				t.Errorf("not caught: %s", d.Edit)
			}
		})
	}
}
