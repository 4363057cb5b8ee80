package memory

import (
	"slices"
	"testing"

	"github.com/warpbound/warpbound/internal/sim/clock"
	"pgregory.net/rapid"
)

// Requests come out at their cycles, those of one cycle as they went in, also
// where they lie beyond the span of the ring.
func TestMemQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := newQueue()
		var reqs []request
		type due struct {
			at int64
			r  int32
		}
		var want, got []due
		now := int64(-1)
		take := func(to int64) {
			for q.next <= to {
				now = q.next
				for r := q.take(now); r >= 0; {
					q.count--
					following := reqs[r].next
					if reqs[r].at > now {
						q.add(reqs, r, reqs[r].at)
					} else {
						got = append(got, due{now, r})
					}
					r = following
				}
			}
			q.take(to)
			now = to
		}
		far := false
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "add") {
				delay := rapid.OneOf(rapid.Int64Range(1, 4), rapid.Int64Range(1, 3*queueSlots)).Draw(t, "delay")
				far = far || delay >= queueSlots
				r := int32(len(reqs))
				reqs = append(reqs, request{})
				q.add(reqs, r, now+delay)
				want = append(want, due{now + delay, r})
				continue
			}
			take(now + rapid.OneOf(rapid.Int64Range(1, 4), rapid.Int64Range(1, 5000)).Draw(t, "advance"))
		}
		take(now + 4*queueSlots)
		slices.SortStableFunc(want, func(a, b due) int { return int(a.at - b.at) })
		if far { // those put in again come after others of their cycle
			slices.SortStableFunc(got, func(a, b due) int {
				if a.at != b.at {
					return int(a.at - b.at)
				}
				return int(a.r - b.r)
			})
		}
		if !slices.Equal(got, want) || q.count != 0 || q.next != clock.Never {
			t.Fatalf("%v, want %v; %d left", got, want, q.count)
		}
	})
}
