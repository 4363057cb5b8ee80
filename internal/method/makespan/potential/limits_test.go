package potential_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/method/makespan/internal/reference"
	"github.com/warpbound/warpbound/internal/method/makespan/potential"
)

func TestDeriveRefuses(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		name, text string
		l, c       int64
		ctx        context.Context
		o          potential.Options
		what       string
	}{
		{"states", strings.Repeat("LC", 20), 1, 1, context.Background(), potential.Options{}, "states"},
		{"edges", "LLCLLCLL", 2, 2, context.Background(), potential.Options{MaxEdges: 100}, "states"},
		{"capacity", "LC", 65, 1, context.Background(), potential.Options{}, "states"},
		{"length", "L2000000C", 1, 1, context.Background(), potential.Options{}, "states"},
		{"time", "LLCLL", 1, 1, cancelled, potential.Options{}, "time"},
	} {
		in := reference.Instance(t, c.text, 10, c.l, c.c)
		_, err := potential.Derive(c.ctx, in, c.o)
		var limit *makespan.LimitError
		if !errors.As(err, &limit) || limit.What != c.what {
			t.Errorf("%s: %v, expected to run out of %s", c.name, err, c.what)
		}
		if c.what == "time" && !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v does not wrap the context's error", c.name, err)
		}
	}
}

// A larger abstraction beyond the budget leaves the smaller one's certificate.
func TestDeriveKeepsWhatFits(t *testing.T) {
	in := reference.Instance(t, "CCLLLC", 64, 1, 1)
	small := derive(t, in, potential.Options{Base: []int64{1}})
	c := derive(t, in, potential.Options{MaxStates: 64})
	if c.String() != small.String() {
		t.Errorf("%v, expected %v", c, small)
	}
}

func TestCycles(t *testing.T) {
	in := reference.Instance(t, "LLCLL", 100, 1, 1)
	c := derive(t, in, potential.Options{})
	if _, _, err := c.Cycles(reference.Instance(t, "LLCLC", 100, 1, 1)); err == nil {
		t.Error("another string accepted")
	}
	if _, _, err := c.Cycles(reference.Instance(t, "LLCLL", 100, 1, 2)); err == nil {
		t.Error("another capacity accepted")
	}
	if _, _, err := c.Cycles(in.WithWarps(math.MaxInt64)); !errors.Is(err, bound.ErrOverflow) {
		t.Errorf("%v, expected an overflow", err)
	}
	// Only the certificate's bound fits int64 here.
	w := int64(math.MaxInt64/9*2 + 1)
	if got, by, err := c.Cycles(in.WithWarps(w)); err != nil || !by || got != 4*w+1 {
		t.Errorf("%d, %t, %v, expected %d by the certificate", got, by, err, 4*w+1)
	}
	// A kind of its own in a single instruction: the closed bound is exact.
	one := reference.Instance(t, "L", 7, 2)
	if got, by, err := derive(t, one, potential.Options{}).Cycles(one); err != nil || by || got != 4 {
		t.Errorf("L, capacity 2, 7 warps: %d, %t, %v, expected 4 by the closed bound", got, by, err)
	}
}

// A certificate read back is the same proof.
func TestCertificateAsJSON(t *testing.T) {
	in := reference.Instance(t, "CCLLLC", 10, 1, 2)
	c := derive(t, in, potential.Options{})
	data, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var back potential.Certificate
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if err := back.Check(); err != nil {
		t.Fatal(err)
	}
	if a, b := c.String(), back.String(); a != b {
		t.Errorf("%s, written as %s", b, a)
	}
}

func TestExactWithinLimits(t *testing.T) {
	in := reference.Instance(t, "CCLLLC", 40, 1, 1)
	c := derive(t, in, potential.Options{})
	bound, _ := cycles(t, c, in)
	short, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	cancelled, cancel2 := context.WithCancel(context.Background())
	cancel2()
	for _, k := range []struct {
		name string
		ctx  context.Context
		l    potential.Limits
		what string
	}{
		{"memory", context.Background(), potential.Limits{MemoryBytes: 1 << 20}, "memory"},
		{"buckets", context.Background(), potential.Limits{MemoryBytes: 1}, "memory"},
		{"time", short, potential.Limits{}, "time"},
		{"cancelled", cancelled, potential.Limits{}, "time"},
	} {
		r, err := potential.Exact(k.ctx, in, c, k.l)
		var limit *makespan.LimitError
		if !errors.As(err, &limit) || limit.What != k.what || limit.Cycles != r.UpperCycles {
			t.Errorf("%s: %v, expected to run out of %s", k.name, err, k.what)
		}
		// T(40) = 4·40 + 2 (the exact search without limits).
		if r.Exact || r.Cycles > 162 || r.UpperCycles < 162 || r.UpperCycles > bound {
			t.Errorf("%s: %d to %d cycles, exact %t; expected around 162 and at most %d", k.name, r.Cycles, r.UpperCycles, r.Exact, bound)
		}
	}
}

func TestExactRefuses(t *testing.T) {
	in := reference.Instance(t, "LLCLL", 1<<40, 1, 1)
	c := derive(t, in, potential.Options{Base: []int64{3}})
	for _, w := range []int64{1 << 40, 2} {
		r, err := potential.Exact(context.Background(), in.WithWarps(w), c, potential.Limits{})
		var limit *makespan.LimitError
		if !errors.As(err, &limit) || r.Exact || r.UpperCycles < 4*w+1 || limit.Cycles != r.UpperCycles {
			t.Errorf("%d warps: %+v, %v", w, r, err)
		}
	}
	if _, err := potential.Exact(context.Background(), reference.Instance(t, "LC", 4, 1, 1), c, potential.Limits{}); err == nil {
		t.Error("another string accepted")
	}
}

// What is taken for a bound and is none is found out, by the first schedules or by
// the search.
func TestExactFindsWrongBounds(t *testing.T) {
	var wrong *potential.BoundError
	for _, c := range []struct {
		text  string
		warps int64
	}{{"LLCLL", 20}, {"CCLLLC", 12}} {
		in := reference.Instance(t, c.text, c.warps, 1, 1)
		certificate := derive(t, in, potential.Options{})
		right, err := potential.Exact(context.Background(), in, certificate, potential.Limits{})
		if err != nil || !right.Exact {
			t.Fatalf("%s: %+v, %v", c.text, right, err)
		}
		for upper := int64(1); upper <= right.Cycles; upper++ {
			r, err := potential.Exact(context.Background(), in, certificate, potential.Limits{UpperCycles: upper})
			if upper == right.Cycles {
				if err != nil || !r.Exact || r.Cycles != upper {
					t.Errorf("%s: %+v, %v", c.text, r, err)
				}
				continue
			}
			if !errors.As(err, &wrong) || wrong.FoundCycles <= upper || wrong.UpperCycles > upper || r.Exact {
				t.Errorf("%s, at most %d: %+v, %v", c.text, upper, r, err)
			}
		}
	}
}

// FuzzCheck: no certificate makes Check fail otherwise than with an error, and what
// passes bounds the makespan.
func FuzzCheck(f *testing.F) {
	for _, text := range []string{"L", "LC", "LCL"} {
		data, err := json.Marshal(derive(f, reference.Instance(f, text, 4, 1, 1), potential.Options{}))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var c potential.Certificate
		if json.Unmarshal(data, &c) != nil || len(c.Offsets) > 300 || c.Check() != nil {
			return
		}
		text := ""
		for _, k := range c.Kinds {
			text += reference.Letters[k : k+1]
		}
		if len(c.Capacities) > 3 || len(text) > 4 {
			return
		}
		in := reference.Instance(t, text, 5, c.Capacities...)
		if c.Caps[0] > 5 || len(in.Kinds) != len(c.Capacities) {
			return
		}
		// The instance orders kinds by letter; the certificate may not.
		for i, k := range in.Code {
			if int(k) != c.Kinds[i] {
				return
			}
		}
		if bound, _ := cycles(t, &c, in); bound < reference.Longest(in) {
			t.Errorf("%s: bound %d, exact %d", data, bound, reference.Longest(in))
		}
	})
}
