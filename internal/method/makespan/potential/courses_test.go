package potential_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/method/makespan/internal/reference"
	"github.com/warpbound/warpbound/internal/method/makespan/potential"
)

func deriveCourses(t testing.TB, in *makespan.Instance) *potential.Courses {
	t.Helper()
	c, err := potential.DeriveCourses(context.Background(), in, potential.Options{})
	if err != nil {
		t.Fatalf("%s %v: %v", in.Source, in.Capacities(), err)
	}
	return c
}

// Courses bound every short string, and exactly those with capacities 1 and enough
// warps that a single certificate does not.
func TestCoursesOfShortStrings(t *testing.T) {
	const most = 12
	for _, text := range reference.Strings("LC", 5) {
		for _, capacity := range reference.Tuples(2, 2) {
			if capacity[0] == 2 && len(text) > 3 {
				continue
			}
			if len(text) == 5 && capacity[1] == 2 {
				continue
			}
			in := reference.Instance(t, text, 1000, capacity...)
			c := deriveCourses(t, in)
			exact := exactUpTo(in, most)
			for w := int64(1); w <= most; w++ {
				got, _, err := c.Cycles(in.WithWarps(w))
				if err != nil || got < exact[w] {
					t.Fatalf("%s %v, %d warps: %d, %v, exact %d", text, capacity, w, got, err, exact[w])
				}
				if capacity[0] == 1 && capacity[1] == 1 && w == most && got != exact[w] {
					t.Errorf("%s, %d warps: %d, exact %d", text, w, got, exact[w])
				}
			}
		}
	}
}

// Strings whose single certificate is not exact have laws by courses.
func TestLawsByCourses(t *testing.T) {
	for _, c := range []struct {
		text           string
		slope, start   int64
		warps, at, top int64
	}{
		{"LCCL", 2, 2, 1_000_000, 2_000_002, 4},
		{"LLCCL", 3, 2, 100, 302, 4},
		{"LCCCL", 3, 2, 100, 302, 4},
		{"CCLLLC", 4, 2, 64, 258, 6},
		{"LCCLLC", 3, 3, 64, 195, 6},
	} {
		in := reference.Instance(t, c.text, c.warps, 1, 1)
		courses, guide := deriveCourses(t, in), derive(t, in, potential.Options{})
		line := courses.Line()
		law, err := potential.FindLaw(context.Background(), in, guide, line, 20)
		if err != nil || law == nil {
			t.Errorf("%s: %v, law %v, %v", c.text, line, law, err)
			continue
		}
		if line.Slope != c.slope || line.Start != c.start || line.Scale != 1 || law.From > c.top {
			t.Errorf("%s: %v, expected %dW+%d from %d on", c.text, law, c.slope, c.start, c.top)
		}
		if got, by, err := courses.Cycles(in); got != c.at || !by || err != nil {
			t.Errorf("%s, %d warps: %d, %t, %v, expected %d", c.text, c.warps, got, by, err, c.at)
		}
	}
}

// A bound by courses ends a search that would have to prove it.
func TestExactWithABoundFromCourses(t *testing.T) {
	in := reference.Instance(t, "CCLLLC", 200, 1, 1)
	upper, _, err := deriveCourses(t, in).Cycles(in)
	if err != nil {
		t.Fatal(err)
	}
	r, err := potential.Exact(context.Background(), in, derive(t, in, potential.Options{}), potential.Limits{UpperCycles: upper})
	if err != nil || !r.Exact || r.Cycles != 802 {
		t.Errorf("%d to %d cycles, exact %t, %v; expected 802", r.Cycles, r.UpperCycles, r.Exact, err)
	}
}

func TestCoursesRefuse(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	in := reference.Instance(t, "CCLLLC", 64, 1, 1)
	for _, c := range []struct {
		ctx  context.Context
		o    potential.Options
		what string
	}{
		{context.Background(), potential.Options{MaxCourses: 10}, "states"},
		{context.Background(), potential.Options{MaxEdges: 10}, "states"},
		{context.Background(), potential.Options{MaxStates: 10}, "states"},
		{cancelled, potential.Options{}, "time"},
	} {
		_, err := potential.DeriveCourses(c.ctx, in, c.o)
		var limit *makespan.LimitError
		if !errors.As(err, &limit) || limit.What != c.what {
			t.Errorf("%+v: %v, expected to run out of %s", c.o, err, c.what)
		}
	}
	if _, _, err := deriveCourses(t, in).Cycles(reference.Instance(t, "CCLLC", 64, 1, 1)); err == nil {
		t.Error("another string accepted")
	}
}

// Courses with a part changed do not pass.
func TestCoursesCheckRejects(t *testing.T) {
	in := reference.Instance(t, "LCCL", 50, 1, 1)
	data, err := json.Marshal(deriveCourses(t, in))
	if err != nil {
		t.Fatal(err)
	}
	fresh := func() *potential.Courses {
		c := &potential.Courses{}
		if err := json.Unmarshal(data, c); err != nil {
			t.Fatal(err)
		}
		return c
	}
	check := func(c *potential.Courses) error { return c.Check(context.Background(), 1000) }
	if err := check(fresh()); err != nil {
		t.Fatal(err)
	}
	start := fresh().Caps[0]
	for n := range fresh().Courses {
		for name, spoil := range map[string]func(c *potential.Courses){
			"course dropped": func(c *potential.Courses) { c.Courses = append(c.Courses[:n], c.Courses[n+1:]...) },
			"stage dropped": func(c *potential.Courses) {
				k := &c.Courses[n]
				last := len(k.Stages) - 1
				k.Stages, k.Weights, k.Offsets = k.Stages[:last], k.Weights[:last], k.Offsets[:last]
			},
			"other idleness": func(c *potential.Courses) { c.Courses[n].Stages[1].Idle ^= 1 },
			"other phase":    func(c *potential.Courses) { c.Courses[n].Stages[1].Phase++ },
			"other start":    func(c *potential.Courses) { c.Courses[n].Stages[0].Idle ^= 1 },
			"start lowered":  func(c *potential.Courses) { c.Courses[n].Offsets[0][start] -= c.Courses[n].Scale },
			"start dropped":  func(c *potential.Courses) { c.Courses[n].Offsets[0][start] = potential.Unreachable },
			"scale raised":   func(c *potential.Courses) { c.Courses[n].Scale *= 2 },
			"scale zero":     func(c *potential.Courses) { c.Courses[n].Scale = 0 },
			"row missing":    func(c *potential.Courses) { c.Courses[n].Weights = c.Courses[n].Weights[1:] },
			"offsets short":  func(c *potential.Courses) { c.Courses[n].Offsets[0] = nil },
			"cap zero":       func(c *potential.Courses) { c.Caps[0] = 0 },
			"kind":           func(c *potential.Courses) { c.Kinds[0] = 7 },
			"none":           func(c *potential.Courses) { c.Courses = nil },
		} {
			c := fresh()
			spoil(c)
			if check(c) == nil {
				t.Errorf("course %d, %s: accepted", n+1, name)
			}
		}
	}
	// States lose their offset one by one: those on the way of a schedule are missed.
	missed, all := 0, 0
	c := fresh()
	for n := range c.Courses {
		for r := range c.Courses[n].Offsets {
			offsets := c.Courses[n].Offsets[r]
			for i, o := range offsets {
				if o == potential.Unreachable {
					continue
				}
				all++
				offsets[i] = potential.Unreachable
				if check(c) != nil {
					missed++
				}
				offsets[i] = o
			}
		}
	}
	if missed < all {
		t.Errorf("%d of %d states missed", missed, all)
	}
	if err := fresh().Check(context.Background(), 2); err == nil {
		t.Error("more beginnings than allowed")
	}
}
