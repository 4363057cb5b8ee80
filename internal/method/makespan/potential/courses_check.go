package potential

import (
	"context"
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/internal/method/makespan"
)

// Check proves the courses, in integers and from the definitions: that every schedule
// takes one of them, of a limited number of beginnings of courses, and that each is a
// potential for its own (docs/soundness/makespan.md, theorem 18 (courses)).
//
// The error is a *makespan.LimitError where ctx ended it or there are more
// beginnings.
func (c *Courses) Check(ctx context.Context, beginnings int) error {
	if err := c.shape(); err != nil {
		return err
	}
	if err := c.complete(ctx, beginnings); err != nil {
		return err
	}
	for n := range c.Courses {
		if err := c.checkCourse(ctx, &c.Courses[n]); err != nil {
			return fmt.Errorf("course %d: %w", n+1, err)
		}
	}
	return nil
}

func (c *Courses) shape() error {
	if len(c.Courses) == 0 {
		return fmt.Errorf("no courses")
	}
	if len(c.Capacities) > maxStageKinds {
		return fmt.Errorf("%d kinds, at most %d", len(c.Capacities), maxStageKinds)
	}
	for n := range c.Courses {
		course := &c.Courses[n]
		if len(course.Stages) == 0 || len(course.Weights) != len(course.Stages) || len(course.Offsets) != len(course.Stages) {
			return fmt.Errorf("course %d: %d stages, %d rows of weights and %d of offsets, expected as many of each",
				n+1, len(course.Stages), len(course.Weights), len(course.Offsets))
		}
		for r, row := range course.Weights {
			// A stage is shaped as a certificate whose rows are all the same.
			rows := make([][]int64, len(c.Kinds))
			for i := range rows {
				rows[i] = row
			}
			as := &Certificate{Kinds: c.Kinds, Capacities: c.Capacities, Caps: c.Caps, Scale: course.Scale, Weights: rows, Offsets: course.Offsets[r]}
			if err := as.shape(); err != nil {
				return fmt.Errorf("course %d, stage %d: %w", n+1, r+1, err)
			}
		}
	}
	return nil
}

// idle is a bit per kind with fewer waiting warps than its capacity.
func (c *Courses) idle(counts []int64) uint64 {
	left := slices.Clone(c.Capacities)
	for i, n := range counts {
		left[c.Kinds[i]] -= n
	}
	set := uint64(0)
	for u, n := range left {
		if n > 0 {
			set |= 1 << u
		}
	}
	return set
}

// follows says whether a state of stage t can come directly after one of stage s.
func (c *Courses) follows(s, t Stage, from, to []int64) bool {
	if firstOf(to) != t.Phase {
		return false
	}
	was, is := c.idle(from), c.idle(to)
	if t.Phase != s.Phase && !c.mayEnd(s, from) {
		return false
	}
	for u := range c.Capacities {
		before, after := s.Idle>>(2*u)&3, t.Idle>>(2*u)&3
		wasIdle, isIdle := was>>u&1 == 1, is>>u&1 == 1
		if t.Phase != s.Phase {
			before, wasIdle = idleNever, false
		}
		var ok bool
		switch after {
		case idleNever:
			ok = !isIdle && before == idleNever
		case idleBetween:
			ok = before == idleBetween || isIdle && before == idleNever
		case idleOver:
			ok = !isIdle && (before == idleOver || before == idleBetween && wasIdle)
		}
		if !ok {
			return false
		}
	}
	return t.Idle>>(2*len(c.Capacities)) == 0
}

// mayEnd says whether a stage may end after the state: what is between its first
// and last time is at its last.
func (c *Courses) mayEnd(s Stage, from []int64) bool {
	set := c.idle(from)
	for u := range c.Capacities {
		if s.Idle>>(2*u)&3 == idleBetween && set>>u&1 == 0 {
			return false
		}
	}
	return true
}

// start is the stage of the first state.
func (c *Courses) start() Stage {
	counts := make([]int64, len(c.Kinds))
	counts[0] = c.Caps[0]
	s := Stage{}
	set := c.idle(counts)
	for u := range c.Capacities {
		s.Idle |= set >> u & 1 << (2 * u)
	}
	return s
}

// place is an abstract state in a stage or a beginning.
type place struct {
	in     int
	number int64
}

// complete checks that the stages of every schedule are those of a course.
func (c *Courses) complete(ctx context.Context, most int) error {
	type beginning struct {
		parent int
		stage  Stage
	}
	list := []beginning{{-1, c.start()}}
	index := map[beginning]int{list[0]: 0}
	begin := place{0, c.Caps[0]}
	seen, queue := map[place]bool{begin: true}, []place{begin}
	ends := map[int]bool{}
	k := newChecker(c.Kinds, c.Capacities, c.Caps)
	var at place
	k.cycle = func() error {
		s := list[at.in].stage
		if firstOf(k.to) == len(k.to) {
			ends[at.in] = ends[at.in] || c.mayEnd(s, k.from)
			return nil
		}
		for _, t := range c.candidates(s, k.to) {
			if !c.follows(s, t, k.from, k.to) {
				continue
			}
			next := place{at.in, k.number(k.to)}
			if t != s {
				b := beginning{at.in, t}
				n, ok := index[b]
				if !ok {
					n = len(list)
					list, index[b] = append(list, b), n
				}
				next.in = n
			}
			if !seen[next] {
				seen[next], queue = true, append(queue, next)
			}
		}
		return nil
	}
	for n := 0; n < len(queue); n++ {
		if n&1023 == 0 && ctx.Err() != nil {
			return ended(ctx)
		}
		if len(list) > most {
			return &makespan.LimitError{What: "states", Detail: fmt.Sprintf("more than %d beginnings of courses", most)}
		}
		at = queue[n]
		if err := k.state(at.number); err != nil {
			return err
		}
	}
	given := map[string]bool{}
	for n := range c.Courses {
		given[fmt.Sprint(c.Courses[n].Stages)] = true
	}
	for n := range list {
		if !ends[n] {
			continue
		}
		var stages []Stage
		for b := n; b >= 0; b = list[b].parent {
			stages = append(stages, list[b].stage)
		}
		slices.Reverse(stages)
		if !given[fmt.Sprint(stages)] {
			return fmt.Errorf("no course for the stages %v", stages)
		}
	}
	return nil
}

// candidates are stages among which all that can follow are.
func (c *Courses) candidates(s Stage, to []int64) []Stage {
	out := []Stage{{Phase: firstOf(to)}}
	for u := range c.Capacities {
		var all []Stage
		for _, o := range out {
			for idle := uint64(idleNever); idle <= idleOver; idle++ {
				all = append(all, Stage{o.Phase, o.Idle | idle<<(2*u)})
			}
		}
		out = all
	}
	return out
}

// checkCourse goes through what schedules of the course can come to. A state that
// leads to one with an offset, or to the end, must have one itself; so all states of
// a schedule that takes the whole course have.
func (c *Courses) checkCourse(ctx context.Context, course *Course) error {
	if course.Stages[0] != c.start() {
		return fmt.Errorf("it begins with stage %v, expected %v", course.Stages[0], c.start())
	}
	if course.Offsets[0][c.Caps[0]] == Unreachable {
		return fmt.Errorf("the start has no offset")
	}
	begin := place{0, c.Caps[0]}
	seen, queue := map[place]bool{begin: true}, []place{begin}
	k := newChecker(c.Kinds, c.Capacities, c.Caps)
	none := make([]int64, len(c.Kinds))
	var at place
	last := len(course.Stages) - 1
	// fall checks a cycle to a state with an offset.
	fall := func(weights []int64, after int64) error {
		before := course.Offsets[at.in][at.number]
		if before == Unreachable {
			return fmt.Errorf("state %v of stage %d leads to %v, which has an offset, and has none", k.from, at.in+1, k.to)
		}
		fall, err := k.fall(course.Weights[at.in], weights)
		if err != nil {
			return err
		}
		if fall += before - after; fall < course.Scale {
			return fmt.Errorf("from state %v of stage %d to %v the potential falls by %d, less than %d", k.from, at.in+1, k.to, fall, course.Scale)
		}
		return nil
	}
	k.cycle = func() error {
		s := course.Stages[at.in]
		if firstOf(k.to) == len(k.to) {
			if at.in < last || !c.mayEnd(s, k.from) {
				return nil
			}
			return fall(none, 0)
		}
		for r := at.in; r <= min(at.in+1, last); r++ {
			if !c.follows(s, course.Stages[r], k.from, k.to) {
				continue
			}
			next := place{r, k.number(k.to)}
			if !seen[next] {
				seen[next], queue = true, append(queue, next)
			}
			after := course.Offsets[r][next.number]
			if after == Unreachable {
				continue
			}
			if err := fall(course.Weights[r], after); err != nil {
				return err
			}
		}
		return nil
	}
	for n := 0; n < len(queue); n++ {
		if n&1023 == 0 && ctx.Err() != nil {
			return ended(ctx)
		}
		at = queue[n]
		if err := k.state(at.number); err != nil {
			return err
		}
	}
	return nil
}
