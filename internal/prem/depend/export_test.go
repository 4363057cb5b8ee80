package depend

import (
	"slices"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

// What tests ask a system, and what they make one of; see MayOverlap for what the
// analysis asks.

// Differ demands a != b.
func (s *System) Differ(a, b loop.Linear) {
	below, ok := minus(b, a, 1)
	above, ok2 := minus(a, b, 1)
	if ok && ok2 {
		s.choices = append(s.choices, choice{{{below, false}}, {{above, false}}})
	} else {
		s.relaxed = true
	}
}

// Empty reports that the system has no solution. It is sound and not complete:
// true is a proof, false says that none was found within the limits.
func (s *System) Empty() bool {
	v, _ := s.solve()
	return v == empty
}

// Sample gives a solution of the system, or false where it found none.
func (s *System) Sample() (Point, bool) {
	v, p := s.solve()
	return p, v == found
}

// Within is the system of all executions of x in the kernel, and the one execution
// in it. Its solutions are the values of the loop variables that affine bounds and
// conditions allow. Of a node that is not in the kernel, or in several loops of it,
// nothing is known: the system has no constraint on it.
func (a *Accesses) Within(x *loop.Index) (*System, Instance) {
	s := a.system()
	nodes := a.byNode[x]
	if len(nodes) == 0 {
		return s, Instance{}
	}
	// A compound assignment holds the node of its left side twice.
	one := *nodes[0]
	for _, n := range nodes[1:] {
		if !slices.Equal(one.loops, n.loops) {
			return s, Instance{}
		}
		if !sameGuard(one.guard, n.guard) {
			one.guard = []formula{both(one.guard).or(both(n.guard))}
		}
	}
	return s, s.instance(&one)
}

func sameGuard(a, b []formula) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}
