package potential_test

import (
	"context"
	"testing"

	"github.com/warpbound/warpbound/bound/makespan"
	"github.com/warpbound/warpbound/bound/makespan/internal/reference"
	"github.com/warpbound/warpbound/bound/makespan/potential"
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
