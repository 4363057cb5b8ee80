//go:build warpbound_faults

package ptxexec

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/testkit/settings"
	"github.com/warpbound/warpbound/internal/verify/fault"
	"pgregory.net/rapid"
)

// notice is a test that keeps what it is told instead of failing.
type notice struct {
	rapid.TB
	what string
}

func (n *notice) Errorf(format string, args ...any) {
	if n.what == "" {
		n.what = fmt.Sprintf(format, args...)
	}
}

func (n *notice) Fatalf(format string, args ...any) {
	n.Errorf(format, args...)
	runtime.Goexit()
}

func (n *notice) Failed() bool        { return false }
func (n *notice) Logf(string, ...any) {}
func (n *notice) Log(...any)          {}
func (n *notice) Error(args ...any)   { n.Errorf("%s", fmt.Sprint(args...)) }
func (n *notice) Fatal(args ...any)   { n.Fatalf("%s", fmt.Sprint(args...)) }
func (n *notice) Fail()               { n.Errorf("it fails") }
func (n *notice) FailNow()            { n.Fatalf("it fails") }

// elsewhere are the faults of values, conditions and counts that need a kernel:
// inputs.TestPlantedFaultsOfClosed plants them.
var elsewhere = map[fault.ID]bool{
	fault.ClosedValuesSelected: true, fault.ClosedValuesOfBarriers: true,
	fault.ClosedValuesLowMask: true, fault.ClosedValuesLowOfOthers: true, fault.ClosedValuesLowRounded: true,
	fault.ClosedConditionsFirstSide: true, fault.ClosedConditionsKept: true, fault.ClosedConditionsOtherSide: true, fault.ClosedConditionsOfOthers: true, fault.ClosedConditionsEither: true,
	fault.ClosedCountBeside: true, fault.ClosedCountLanes: true, fault.ClosedCountOtherSide: true,
}

// TestPlantedFaultsOfClosedValues: each planted fault of what is known of values, of
// conditions, of calls, and of how often loops go on is noticed where it is.
func TestPlantedFaultsOfClosedValues(t *testing.T) {
	var list []fault.Description
	for _, d := range fault.Closed() {
		if part := strings.Split(d.Name, "-")[1]; slices.Contains([]string{"values", "conditions", "count", "progress", "calls"}, part) && !elsewhere[d.ID] {
			list = append(list, d)
		}
	}
	noticed(t, list, affineReadings, affineResults, conditions, iterations, progressionsAreCounted, loopsWithCalls, progressionsHold)
}

// TestPlantedFaultsOfForms: so is each of counts as formulas and of strides.
func TestPlantedFaultsOfForms(t *testing.T) {
	var list []fault.Description
	for _, d := range fault.Forms() {
		if part := strings.Split(d.Name, "-")[1]; part == "count" || part == "strides" || part == "passed" {
			list = append(list, d)
		}
	}
	noticed(t, list, countsOfLoops, countsOfLanes, stridesAreCounted, stridesAreConfirmed, passedConditions)
}

// TestPlantedFaultsOfFetches: so is each of fetches from textures.
func TestPlantedFaultsOfFetches(t *testing.T) {
	var list []fault.Description
	for _, d := range fault.Covers() {
		if strings.HasPrefix(d.Name, "cover-fetch-") {
			list = append(list, d)
		}
	}
	noticed(t, list, fetchesAreCovered)
}

// noticed says that some test notices each of the faults.
func noticed(t *testing.T, list []fault.Description, tests ...func(rapid.TB)) {
	defer fault.Set(fault.None)
	settings.FirstFailure(t)
	for _, d := range list {
		fault.Set(d.ID)
		n := &notice{TB: t}
		for _, test := range tests {
			done := make(chan bool)
			go func() {
				defer close(done)
				test(n)
			}()
			if <-done; n.what != "" {
				break
			}
		}
		if n.what == "" {
			t.Errorf("%s was not caught: %s", d.Name, d.Edit)
			continue
		}
		t.Logf("%-28s %.100s", d.Name, n.what)
	}
}
