package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/warpbound/warpbound"
)

// The figure of a launch is the smallest safe one of each policy, and the largest
// over the policies: a demand that it fulfils holds under each.
func TestFiguresOfComparison(t *testing.T) {
	row := func(launch, gpu, policy string, cycles int64, safe, all bool, refused string) warpbound.Row {
		return warpbound.Row{Launch: launch, GPU: gpu, Policy: policy, BoundCycles: cycles, Safe: safe, AllInputs: all, Refused: refused}
	}
	got := figuresOf([]warpbound.Row{
		row("a", "g", "lrr", 10, false, true, ""), row("a", "g", "lrr", 30, true, true, ""), row("a", "g", "lrr", 20, true, false, ""),
		row("a", "g", "gto", 25, true, true, ""), row("a", "g", "gto", 1, true, true, "none"),
		row("a", "h", "lrr", 7, true, true, ""),
		row("b", "h", "lrr", 0, true, true, "none"), row("b", "h", "gto", 9, true, true, ""),
		row("c", "h", "lrr", 9, true, true, ""), row("c", "h", "gto", 0, true, true, "none"),
	})
	want := []figure{{"a", "g", 25, true}, {"a", "h", 7, true}, {"b", "h", -1, false}, {"c", "h", -1, false}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		gate gateFlags
		of   figure
		code int
	}{
		{gateFlags{}, figure{cycles: -1}, 0},
		{gateFlags{allInputs: true}, figure{cycles: 5, allInputs: true}, 0},
		{gateFlags{allInputs: true}, figure{cycles: 5}, exitThisInput},
		{gateFlags{allInputs: true}, figure{cycles: -1, allInputs: true}, exitThisInput},
		{gateFlags{maxCycles: 5}, figure{cycles: 5}, 0},
		{gateFlags{maxCycles: 5}, figure{cycles: 6, allInputs: true}, exitTooLong},
		{gateFlags{maxCycles: 5}, figure{cycles: -1}, exitTooLong},
		{gateFlags{allInputs: true, maxCycles: 5}, figure{cycles: 6}, exitThisInput},
	} {
		err := c.gate.judge([]figure{c.of})
		code := 0
		if err != nil {
			code = exitCode(err)
		}
		if code != c.code {
			t.Errorf("%+v of %+v: code %d, want %d (%v)", c.gate, c.of, code, c.code, err)
		}
	}
}

// What is found to be wrong with a launch, or with warpbound, is no fault of the command
// line.
func TestExitCodes(t *testing.T) {
	for _, err := range []error{&warpbound.ExitError{}, &warpbound.ViolationError{}, fmt.Errorf("k: %w", &warpbound.ViolationError{}), errors.Join(&warpbound.ExitError{}, context.Canceled)} {
		if code := exitCode(err); code != exitFound {
			t.Errorf("%v: exit code %d", err, code)
		}
	}
	if code := exitCode(&warpbound.OptionError{}); code != exitUsage {
		t.Errorf("exit code %d", code)
	}
}
