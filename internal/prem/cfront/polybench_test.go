package cfront_test

import (
	"testing"

	"github.com/warpbound/warpbound/examples/prem"
	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/verify/loopkit"
)

// Every example program is lowered, and the interpreter computes what its Go
// reference computes, bit for bit.
func TestExamplesEqualTheirReferences(t *testing.T) {
	all := prem.All()
	if len(all) < 25 {
		t.Fatalf("%d example programs", len(all))
	}
	for _, e := range all {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			text, err := e.Source()
			if err != nil {
				t.Fatal(err)
			}
			p, err := cfront.Parse(e.File(), text, nil)
			if err != nil {
				t.Fatal(err)
			}
			want, got := e.Inputs(), e.Inputs()
			if err := e.Run(want); err != nil {
				t.Fatal(err)
			}
			interpret(t, p, e, got)
			if err := e.Compare(got, want); err != nil {
				t.Error(err)
			}
		})
	}
}

// interpret runs the program on m and stores the arrays back into it.
func interpret(t *testing.T, p *loop.Unit, e prem.Benchmark, m prem.Memory) {
	t.Helper()
	args := loopkit.Arguments(t, e, m)
	if err := loopkit.Run(p, e.Function(), args); err != nil {
		t.Fatal(err)
	}
	loopkit.Results(e, m, args)
}
