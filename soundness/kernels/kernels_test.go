package kernels

import (
	"context"
	"reflect"
	"testing"
)

func TestSafeBoundsHoldOnRandomKernels(t *testing.T) {
	cases := 300
	if testing.Short() {
		cases = 60
	}
	s, err := Run(context.Background(), Config{Seed: 1, Cases: cases, StopAfter: 3})
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Violations {
		t.Errorf("%v", &s.Violations[i])
	}
	if s.Compared < 10*cases {
		t.Errorf("only %d comparisons in %d cases", s.Compared, s.Cases)
	}
}

func TestRunDoesNotDependOnWorkers(t *testing.T) {
	one, err := Run(context.Background(), Config{Seed: 7, Cases: 20, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	three, err := Run(context.Background(), Config{Seed: 7, Cases: 20, Workers: 3})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(one, three) {
		t.Errorf("one worker: %+v\nthree: %+v", one, three)
	}
}

func TestCancelledSearchStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, Config{Seed: 1, Cases: 1000}); err == nil {
		t.Error("a cancelled search ended without an error")
	}
}
