package warpbound

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/method/makespan/study"
)

// A bound below a simulation that it claims to cover is an error that has the row; one
// that claims nothing, or is above, is none.
func TestViolations(t *testing.T) {
	wrong := Row{Kernel: "k", Method: "sum", Policy: "gto", BoundCycles: 9, SimulatedCycles: 10, Safe: true, Claimed: true}
	unsafe, other, refused, above := wrong, wrong, wrong, wrong
	unsafe.Safe, other.Claimed, refused.Refused, above.BoundCycles = false, false, "no theorem", 10
	rows := []Row{unsafe, other, refused, above}
	if err := violations(rows); err != nil {
		t.Errorf("%v", err)
	}
	err := violations(append(rows, wrong))
	var v *ViolationError
	if !errors.As(err, &v) || len(v.Rows) != 1 || v.Rows[0] != wrong || !strings.Contains(err.Error(), "9 cycles, but the simulation took 10") {
		t.Errorf("%v", err)
	}
	if err := wrongCache("k", true); !errors.As(err, &v) || wrongCache("k", false) != nil {
		t.Errorf("%v", err)
	}
	if err := explain(&study.ContradictionError{Instance: &makespan.Instance{}, Reason: "two exact values"}); !errors.As(err, &v) || !strings.Contains(err.Error(), "two exact values") {
		t.Errorf("%v", err)
	}
	if s := Summarize(append(rows, wrong)); len(s) != 1 || s[0].Violations != 1 || s[0].Refused != 1 || s[0].Exceeded != 3 {
		t.Errorf("%+v", s)
	}
}

// A budget beyond what the machine has is refused rather than tried; without one it is
// what can be had.
func TestMakespanMemory(t *testing.T) {
	for _, c := range []struct{ asked, free, want int64 }{
		{2 << 20, math.MaxInt64, 2 << 20}, {2 << 20, 2 << 20, 2 << 20}, {2 << 30, 1 << 30, 0},
		{0, 0, leastMemoryBytes}, {0, 4 << 30, 3 << 30}, {0, math.MaxInt64, 4 << 30},
	} {
		got, err := (&MakespanOptions{MemoryBytes: c.asked}).memory(c.free)
		var option *OptionError
		if got != c.want || (c.want == 0) != errors.As(err, &option) {
			t.Errorf("%+v: %d, %v", c, got, err)
		}
	}
}
