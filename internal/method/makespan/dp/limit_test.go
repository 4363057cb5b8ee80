package dp_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/method/makespan/dp"
	"github.com/warpbound/warpbound/internal/method/makespan/internal/reference"
)

// wantLimit fails unless err is a limit of the kind with the safe bound.
func wantLimit(t *testing.T, in *makespan.Instance, err error, what string) *makespan.LimitError {
	t.Helper()
	var limit *makespan.LimitError
	if !errors.As(err, &limit) || limit.What != what {
		t.Fatalf("%v, expected a limit of %s", err, what)
	}
	if safe, err := in.Safe(); err != nil || limit.Cycles != safe {
		t.Errorf("the bound with the limit is %d, expected %d", limit.Cycles, safe)
	}
	return limit
}

// begun fails the test where a state is computed.
func begun(t *testing.T) func(done, total int64) {
	told := false
	return func(done, total int64) {
		if !told {
			t.Errorf("%d of %d states computed, expected a refusal before the first", done, total)
		}
		told = true
	}
}

// What does not fit is refused before a state is computed, and the number of warps named fits.
func TestMemoryTooSmall(t *testing.T) {
	for _, schedule := range []bool{false, true} {
		in := reference.Instance(t, "CCLLLC", 60, 1, 1)
		o := dp.Options{MemoryBytes: 1 << 20, Schedule: schedule, Engine: dp.Flat, Progress: begun(t)}
		r, err := dp.Solve(context.Background(), in, o)
		o.Progress = nil
		limit := wantLimit(t, in, err, "memory")
		if r != nil {
			t.Errorf("a result with %v", err)
		}
		_, tail, _ := strings.Cut(limit.Detail, "1048576 are allowed; ")
		number, _, _ := strings.Cut(tail, " warps would fit")
		fits, err := strconv.ParseInt(number, 10, 64)
		if err != nil || fits < 20 {
			t.Fatalf("%q, expected a number of warps that fit", limit.Detail)
		}
		if r := solve(t, in.WithWarps(fits), o); r.MemoryBytes > o.MemoryBytes {
			t.Errorf("%d bytes used, %d allowed", r.MemoryBytes, o.MemoryBytes)
		}
		_, err = dp.Solve(context.Background(), in.WithWarps(fits+1), o)
		wantLimit(t, in.WithWarps(fits+1), err, "memory")
	}
}

// What neither engine can do in reasonable time is refused, not tried.
func TestHopeless(t *testing.T) {
	in := reference.Instance(t, "CCLLLC", 600, 1, 1)
	r, err := dp.Solve(context.Background(), in, dp.Options{MemoryBytes: 1 << 28, Progress: begun(t)})
	limit := wantLimit(t, in, err, "memory")
	if r != nil || !strings.Contains(limit.Detail, "warps would fit") {
		t.Errorf("%v and %q, expected a number of warps that fit", r, limit.Detail)
	}
}

// A small memory is refused before it is full: levels that do not fit it by far are
// not begun.
func TestSmallMemoryIsRefusedAtOnce(t *testing.T) {
	in := reference.Instance(t, "LLCLL", 300, 1, 1)
	r, err := dp.Solve(context.Background(), in, dp.Options{MemoryBytes: 1 << 20, Upto: true, Progress: begun(t)})
	limit := wantLimit(t, in, err, "memory")
	if r != nil || !strings.Contains(limit.Detail, "300 warps need ") || !strings.Contains(limit.Detail, " warps would fit") {
		t.Errorf("%v and %q", r, limit.Detail)
	}
}

func TestTooLargeToNumber(t *testing.T) {
	for _, c := range []struct {
		text  string
		warps int64
		o     dp.Options
		what  string
	}{
		{"(LC)40", 60, dp.Options{}, "states"},                 // 2^90 states
		{"LC", 1 << 40, dp.Options{}, "states"},                // cycles
		{"L2000000C", 2, dp.Options{}, "states"},               // no code
		{"L", 1 << 40, dp.Options{Upto: true}, "memory"},       // a value per warp
		{"(LC)4000", 100, dp.Options{}, "states"},              // states
		{"(LC)400000", 2000, dp.Options{}, "memory"},           // tables
		{"(LC)50000", 1, dp.Options{Schedule: true}, "memory"}, // the schedule
		{"(LC)8", 20, dp.Options{}, "memory"},                  // lists of choices, with the capacities below
	} {
		capacities := []int64{1, 1}
		if c.text == "(LC)8" {
			capacities = []int64{10, 9}
		}
		in := reference.Instance(t, c.text, c.warps, capacities...)
		c.o.MemoryBytes = 1 << 28
		_, err := dp.Solve(context.Background(), in, c.o)
		wantLimit(t, in, err, c.what)
	}
}

// Closed forms need neither memory nor states.
func TestLargeClosedForms(t *testing.T) {
	for _, c := range []struct {
		text  string
		warps int64
		want  int64
	}{
		{"L", 1 << 40, 1 << 40},
		{"(LC)1000000", 1, 2000000},
	} {
		if r := solve(t, reference.Instance(t, c.text, c.warps, 1, 1), dp.Options{}); r.Cycles != c.want {
			t.Errorf("%s, %d warps: %d, expected %d", c.text, c.warps, r.Cycles, c.want)
		}
	}
}

func TestOverflow(t *testing.T) {
	in := reference.Instance(t, "L4000000000", 1<<40, 1)
	if _, err := dp.Solve(context.Background(), in, dp.Options{}); !errors.Is(err, bound.ErrOverflow) {
		t.Errorf("%v, expected an overflow", err)
	}
}

func TestEndedContext(t *testing.T) {
	in := reference.Instance(t, "CCLLLC", 8, 1, 1)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := dp.Solve(cancelled, in, dp.Options{})
	wantLimit(t, in, err, "time")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v does not wrap the context's error", err)
	}

	in = reference.Instance(t, "CCLLLC", 60, 1, 1) // 90 million states
	soon, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	var last, all int64
	_, err = dp.Solve(soon, in, dp.Options{MemoryBytes: 1 << 26, Progress: func(done, total int64) { last, all = done, total }})
	wantLimit(t, in, err, "time")
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v does not wrap the context's error", err)
	}
	if last > all/2 {
		t.Errorf("ended after %d of %d states", last, all)
	}
}

// What the sweep had found when it was ended is exact.
func TestEndedSweepKeepsWhatItFound(t *testing.T) {
	for _, workers := range []int{1, 2} {
		in := reference.Instance(t, "LCCLL", 44, 1, 1)
		full := solve(t, in, dp.Options{Upto: true})
		ctx, cancel := context.WithCancel(context.Background())
		r, err := dp.Solve(ctx, in, dp.Options{Upto: true, Workers: workers, Progress: func(done, total int64) {
			if done > total/2 {
				cancel()
				time.Sleep(time.Millisecond)
			}
		}}.Shared())
		cancel()
		wantLimit(t, in, err, "time")
		if r == nil || len(r.Upto) == 0 || len(r.Upto) >= 44 {
			t.Fatalf("result %v, expected makespans of some warps", r)
		}
		if r.Cycles != 0 || !slices.Equal(r.Upto, full.Upto[:len(r.Upto)]) {
			t.Errorf("%d and %v, expected 0 and the first of %v", r.Cycles, r.Upto, full.Upto)
		}
	}
}

func TestProgress(t *testing.T) {
	var last, all int64
	r := solve(t, reference.Instance(t, "LCCLL", 30, 1, 1), dp.Options{Progress: func(done, total int64) {
		if done <= last || done > total {
			t.Errorf("%d of %d states after %d", done, total, last)
		}
		last, all = done, total
	}})
	if last != all || last != r.States {
		t.Errorf("ended at %d of %d, expected %d", last, all, r.States)
	}
}

// Where flat memory is too small the levels may fit, or else say so.
func TestLevelsWhereFlatDoesNotFit(t *testing.T) {
	in := reference.Instance(t, "LCCLCLCLCLCL", 10, 1, 1)
	want := solve(t, in, dp.Options{Upto: true})
	if want.Engine != dp.Flat {
		t.Errorf("engine %s with enough memory", want.Engine)
	}
	o := dp.Options{MemoryBytes: 1 << 19, Upto: true}
	got := solve(t, in, o)
	if got.Engine != dp.Levels || got.MemoryBytes > o.MemoryBytes || got.MemoryBytes == 0 {
		t.Errorf("engine %s with %d bytes, %d allowed", got.Engine, got.MemoryBytes, o.MemoryBytes)
	}
	if got.Cycles != want.Cycles || !slices.Equal(got.Upto, want.Upto) {
		t.Errorf("%v, expected %v", got.Upto, want.Upto)
	}

	// The schedule needs all levels at a time: the value remains.
	o.Schedule = true
	r, err := dp.Solve(context.Background(), in, o)
	var limit *makespan.LimitError
	if !errors.As(err, &limit) || limit.What != "memory" || limit.Cycles != want.Cycles {
		t.Errorf("%v, expected a limit of memory with the makespan", err)
	}
	if r == nil || r.Cycles != want.Cycles || !slices.Equal(r.Upto, want.Upto) || r.Moves != nil {
		t.Errorf("%+v, expected the makespan without a schedule", r)
	}

	// And nothing fits here but some fewer warps.
	o = dp.Options{MemoryBytes: 1 << 15, Upto: true, Engine: dp.Levels}
	r, err = dp.Solve(context.Background(), in, o)
	wantLimit(t, in, err, "memory")
	if r == nil || r.Cycles != 0 || len(r.Upto) == 0 || !slices.Equal(r.Upto, want.Upto[:len(r.Upto)]) {
		t.Errorf("%+v, expected the makespans of some warps", r)
	}
}

func TestEndedLevels(t *testing.T) {
	in := reference.Instance(t, "CCLLLCCL", 20, 1, 1)
	soon, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	var last, all int64
	_, err := dp.Solve(soon, in, dp.Options{Engine: dp.Levels, Progress: func(done, total int64) { last, all = done, total }})
	wantLimit(t, in, err, "time")
	if last > all/2 {
		t.Errorf("ended after %d of %d states", last, all)
	}
}

// A deadline that leaves time for the value leaves the value.
func TestEndedSchedule(t *testing.T) {
	in := reference.Instance(t, "LCLLCC", 24, 2, 1)
	plain := solve(t, in, dp.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	memory := plain.MemoryBytes + plain.Cycles*2*(4*in.Length+24)
	r, err := dp.Solve(ctx, in, dp.Options{Schedule: true, MemoryBytes: memory, Progress: func(done, total int64) {
		if done > plain.States {
			cancel()
			time.Sleep(time.Millisecond)
		}
	}})
	var limit *makespan.LimitError
	if !errors.As(err, &limit) || limit.What != "time" || limit.Cycles != plain.Cycles {
		t.Errorf("%v, expected a limit of time with the makespan", err)
	}
	if r == nil || r.Cycles != plain.Cycles || r.Moves != nil {
		t.Errorf("%+v, expected %d cycles without a schedule", r, plain.Cycles)
	}
}

func TestUnknownEngine(t *testing.T) {
	in := reference.Instance(t, "LC", 2, 1, 1)
	for _, engine := range []dp.Engine{"Flat", "direct", "\x00"} {
		if r, err := dp.Solve(context.Background(), in, dp.Options{Engine: engine}); err == nil {
			t.Errorf("%q gives %v", engine, r)
		}
	}
}

// Numbering the states of very many numbers of warps ends with the deadline too.
func TestDeadlineBeforeManyWarps(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	in := reference.Instance(t, "LCMAB", 1_000_000, 2, 1, 2, 2, 3)
	done := make(chan error, 1)
	go func() {
		_, err := dp.Solve(ctx, in, dp.Options{Engine: dp.Levels, Upto: true, MemoryBytes: 256 << 20})
		done <- err
	}()
	select {
	case err := <-done:
		var limit *makespan.LimitError
		if !errors.As(err, &limit) {
			t.Errorf("%v", err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("still at work half a minute behind its deadline")
	}
}
